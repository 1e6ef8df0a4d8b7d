// Connections: many, slow, broken and pipelined ones.
#include "serve/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

namespace croft::serve::http_server_test {
namespace {

// A server on a thread of its own.  /slow takes a while, /big has an answer of 4 MB, /stream one in
// pieces; others have their body for an answer.
class Served {
 public:
  explicit Served(const ServeLimits& limits, std::size_t workers = 2)
      : server_("127.0.0.1", 0, limits, workers),
        thread_([this] { server_.run([](const HttpRequest& r) { return answer(r); }, stop_); }) {}
  ~Served() { end(); }

  void end() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  std::uint16_t port() const { return server_.port(); }
  const ServerCounts& counts() const { return server_.counts(); }

 private:
  static inline std::atomic<int> asked_ = 0;
  static HttpReply answer(const HttpRequest& request) {
    HttpReply reply;
    reply.body = request.body;
    if (request.path == "/slow") std::this_thread::sleep_for(std::chrono::milliseconds(150));
    if (request.path == "/big") reply.body.assign(4 << 20, 'b');
    if (request.path == "/throw") throw std::runtime_error("a bug");
    if (request.path == "/count") reply.body = std::to_string(++asked_);
    if (request.path == "/river") {  // 40 MB
      reply.stream = [](const WritePiece& write) {
        const std::string piece(40 << 10, 'r');
        for (int k = 0; k < 1000 && write(piece); ++k) continue;
      };
    }
    if (request.path == "/stream") {
      reply.stream = [](const WritePiece& write) {
        for (const char* const piece : {"one\n", "two\n"}) write(piece);
      };
    }
    return reply;
  }

  std::atomic<bool> stop_ = false;
  HttpServer server_;
  std::thread thread_;
};

class Client {
 public:
  explicit Client(const Served& served) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(served.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const timeval patience{10, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  Client(Client&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  ~Client() {
    if (socket_ >= 0) ::close(socket_);
  }

  Client& send(std::string_view bytes) {
    EXPECT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    return *this;
  }
  void leave() { ::close(std::exchange(socket_, -1)); }
  void close_own_side() { ::shutdown(socket_, SHUT_WR); }
  Client& ask(const std::string& path, const std::string& body = "", bool last = false) {
    return send("POST " + path +
                " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) +
                (last ? "\r\nConnection: close" : "") + "\r\n\r\n" + body);
  }
  // Until `end` has been received, or the server has closed.
  std::string receive(std::string_view end) {
    std::string all;
    char buffer[65536];
    while (end.empty() || !all.ends_with(end)) {
      const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
      if (got <= 0) break;
      all.append(buffer, static_cast<std::size_t>(got));
    }
    return all;
  }
  int status(std::string_view end = "") {
    const std::string all = receive(end);
    return all.size() > 12 ? std::stoi(all.substr(9, 3)) : 0;
  }

 private:
  int socket_;
};

TEST(HttpServerThreads, RequestsOfOneConnectionAreAnsweredInOrderAlsoWhenTheyComeAtOnce) {
  const Served served({});
  Client client(served);
  client.ask("/", "first").ask("/slow", "second").ask("/", "third", true);
  const std::string all = client.receive("");
  const std::size_t one = all.find("first"), two = all.find("second"), three = all.find("third");
  EXPECT_LT(one, two);
  EXPECT_LT(two, three);
  EXPECT_NE(three, all.npos);
}

TEST(HttpServerThreads, ABodyComesInPiecesAndAnAnswerInChunks) {
  const Served served({});
  Client client(served);
  client.send("POST /stream HTTP/1.1\r\nHost: h\r\nContent-Le");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  client.send("ngth: 2\r\nConnection: close\r\n\r\na");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  client.send("b");
  EXPECT_TRUE(client.receive("").ends_with("4\r\none\n\r\n4\r\ntwo\n\r\n0\r\n\r\n"));
}

TEST(HttpServerThreads, SlowClientsAreToldSoAndHoldNoThread) {
  ServeLimits limits;
  limits.read_seconds = 0.3;
  const Served served(limits, 1);
  std::vector<Client> slow;
  for (int k = 0; k < 20; ++k) slow.emplace_back(served).send("POST / HTTP/1.1\r\nHost: h\r\n");
  Client quick(served);
  EXPECT_EQ(quick.ask("/", "x", true).status(), 200);
  for (Client& each : slow) EXPECT_EQ(each.status(), 408);
}

TEST(HttpServerThreads, ConnectionsBeyondTheLimitGet503AndOthersGoOn) {
  ServeLimits limits;
  limits.connections = 10;
  const Served served(limits);
  std::vector<Client> idle;
  for (int k = 0; k < 10; ++k) idle.emplace_back(served);
  EXPECT_EQ(idle[0].ask("/", "a").status("a"), 200);
  for (int k = 0; k < 30; ++k) EXPECT_EQ(Client(served).status(), 503);
  EXPECT_EQ(idle[9].ask("/", "b").status("b"), 200);
  EXPECT_EQ(served.counts().refused_connections, 30);
  idle.clear();
  for (int k = 0; k < 100 && served.counts().open > 0; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(Client(served).ask("/", "c", true).status(), 200);
}

TEST(HttpServerThreads, RequestsBehindTooManyOthersGet429) {
  ServeLimits limits;
  limits.waiting_requests = 1;
  const Served served(limits, 1);
  std::vector<Client> clients;
  for (int k = 0; k < 6; ++k) clients.emplace_back(served).ask("/slow", "", true);
  int answered = 0, refused = 0;
  for (Client& each : clients) {
    const int status = each.status();
    answered += status == 200;
    refused += status == 429;
  }
  EXPECT_EQ(answered + refused, 6);
  EXPECT_GE(answered, 1);
  EXPECT_GE(refused, 3);
}

TEST(HttpServerThreads, AClientThatTakesNothingIsLeftAndHoldsNoThread) {
  ServeLimits limits;
  limits.write_seconds = 0.3;
  const Served served(limits, 1);
  Client greedy(served);
  for (int k = 0; k < 4; ++k) greedy.ask("/big");
  for (int k = 0; k < 5; ++k) EXPECT_EQ(Client(served).ask("/", "x", true).status(), 200);
  for (int k = 0; k < 300 && served.counts().open > 0; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(served.counts().open, 0);
}

TEST(HttpServerThreads, ClientsThatReadAStreamSlowlyStopNobody) {
  ServeLimits limits;
  limits.drain_seconds = 0.5;
  Served served(limits, 1);
  std::vector<Client> slow;
  for (int k = 0; k < 4; ++k) slow.emplace_back(served).ask("/river");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  for (int k = 0; k < 5; ++k) EXPECT_EQ(Client(served).ask("/", "x", true).status(), 200);
  const auto begin = std::chrono::steady_clock::now();
  served.end();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
}

TEST(HttpServerThreads, ItsEndDoesNotWaitForClientsThatTakeOrSayNothing) {
  for (const char* const path : {"/big", "/river", ""}) {
    Served served({}, 1);
    std::vector<Client> clients;
    for (int k = 0; k < 3; ++k) {
      Client& each = clients.emplace_back(served);
      if (*path == '\0') {
        each.send("POST / HTTP/1.1\r\n");
      } else {
        each.ask(path);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const auto begin = std::chrono::steady_clock::now();
    served.end();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(2500)) << path;
  }
}

TEST(HttpServerThreads, NobodyWorksForClientsThatHaveLeft) {
  const Served served({}, 1);
  Client first(served);
  first.ask("/slow", "", true);
  std::vector<Client> others;
  for (int k = 0; k < 20; ++k) others.emplace_back(served).ask("/count");
  for (Client& each : others) each.leave();
  EXPECT_EQ(first.status(), 200);
  const std::string body = Client(served).ask("/count", "", true).receive("");
  EXPECT_TRUE(body.ends_with("\r\n\r\n1")) << body;
}

TEST(HttpServerThreads, AClientThatHasClosedItsOwnSideGetsItsAnswer) {
  const Served served({}, 1);
  Client client(served);
  client.ask("/slow", "half");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  client.close_own_side();
  EXPECT_TRUE(client.receive("").ends_with("half"));
}

TEST(HttpServerThreads, HttpOneZeroGetsAStreamWithoutChunks) {
  const Served served({});
  Client client(served);
  client.send("POST /stream HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n");
  const std::string all = client.receive("");
  EXPECT_TRUE(all.ends_with("\r\n\r\none\ntwo\n")) << all;
  EXPECT_EQ(all.find("Transfer-Encoding"), all.npos);
}

TEST(HttpServerThreads, GarbageAndBrokenConnectionsDoNotStopIt) {
  const Served served({});
  for (int k = 0; k < 50; ++k) {
    Client(served).send(std::string(static_cast<std::size_t>(k), '\xff'));
    if (k % 10 == 0) Client(served).ask("/slow");  // and gone before the answer
  }
  EXPECT_EQ(Client(served).send("\x16\x03\x01\r\n\r\n").status(), 400);
  EXPECT_EQ(Client(served).ask("/throw", "", true).status(), 500);
  EXPECT_EQ(Client(served).ask("/", "x", true).status(), 200);
}

TEST(HttpServerThreads, ItEndsWhenWhatWasAskedIsAnswered) {
  Served served({});
  Client idle(served), client(served);
  client.ask("/slow", "asked");
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  std::thread ending([&] { served.end(); });
  const std::string answer = client.receive("");
  ending.join();
  EXPECT_TRUE(answer.ends_with("asked"));
  EXPECT_EQ(idle.receive(""), "");
}

}  // namespace
}  // namespace croft::serve::http_server_test
