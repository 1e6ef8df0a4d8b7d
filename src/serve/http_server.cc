#include "serve/http_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "serve/gzip.h"
#include "serve/socket.h"

namespace croft::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::size_t kSmallRequest = 1 << 20;  // is taken whatever else is there
// Workers beyond those that compute, who wait for clients that take a stream slowly.
constexpr std::size_t kStandIns = 16;
constexpr std::size_t kWorthPacking = 1'000, kMostPacked = 1 << 30;

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

struct Connection {
  enum class Phase {
    idle,      // nothing of a next request is there
    reading,   // a part of it is
    working,   // it is with a worker, who alone touches the connection
    writing,   // an answer is being taken
    lingering  // all is said: what comes is dropped until the client leaves
  };

  explicit Connection(Descriptor d) : socket(std::move(d)) {}

  Descriptor socket;
  Phase phase = Phase::idle;
  std::string in, out;
  std::size_t written = 0;
  bool keep_alive = true;
  Clock::time_point deadline;
  HttpRequest request;
};

// What a worker hands back.
struct Finished {
  Connection* connection;
  bool broken;  // a stream that did not reach its end
};

}  // namespace

struct HttpServer::State {
  State(const ServeLimits& l, std::size_t w) : limits(l), worker_count(w) {}

  void listen_on(const std::string& address, std::uint16_t wanted);
  void watch(int descriptor, std::uint32_t events, int operation);
  void accept_all();
  std::size_t buffered() const;
  void refuse(Descriptor socket);
  void receive(Connection& c);
  void look_for_request(Connection& c);
  void reply_here(Connection& c, const HttpReply& reply);
  void send_some(Connection& c);
  void answered(Connection& c);
  void linger(Connection& c);
  void drop(Connection& c);
  void look_at_deadlines();
  void take_finished();
  void event(int descriptor, std::uint32_t events);
  void client_left(Connection& c, std::uint32_t events);
  void work();
  bool wait_for_client(int socket);
  bool send_all(int socket, std::string_view bytes);
  bool send_stream(Connection& c, const HttpReply& reply);
  void work_on(Connection& c);
  void begin_drain();
  double write_seconds() const {
    return draining ? limits.drain_write_seconds : limits.write_seconds;
  }

  ServeLimits limits;
  const std::size_t worker_count;
  Descriptor listener, epoll, wake;
  std::uint16_t port = 0;
  ServerCounts counts;
  const HttpHandler* handler = nullptr;
  std::unordered_map<int, std::unique_ptr<Connection>> connections;
  std::size_t serving = 0, lingering = 0, working = 0;
  std::atomic<bool> draining = false;

  std::mutex mutex;
  std::condition_variable work_there;
  std::deque<Connection*> jobs;
  std::vector<Finished> finished;
  std::size_t computing = 0, slow_clients = 0;  // workers with a job: at it, or waiting to send
  bool no_more_work = false;
  std::atomic<bool> abandon_streams = false;
};

void HttpServer::State::listen_on(const std::string& address, std::uint16_t wanted) {
  listener = listening_socket(address, wanted);
  port = port_of(listener);
  epoll = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  wake = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (epoll.get() < 0 || wake.get() < 0) fail_system("cannot wait for connections");
  watch(listener.get(), EPOLLIN, EPOLL_CTL_ADD);
  watch(wake.get(), EPOLLIN, EPOLL_CTL_ADD);
}

void HttpServer::State::watch(int descriptor, std::uint32_t events, int operation) {
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  ::epoll_ctl(epoll.get(), operation, descriptor, &event);
}

void HttpServer::State::accept_all() {
  for (;;) {
    Descriptor socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.get() < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return;  // none is left, or the process has no descriptors left: later
    }
    ++counts.connections;
    const int yes = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (serving >= limits.connections) {
      refuse(std::move(socket));
      continue;
    }
    const int number = socket.get();
    auto connection = std::make_unique<Connection>(std::move(socket));
    connection->deadline = after(limits.idle_seconds);
    connections[number] = std::move(connection);
    ++serving;
    counts.open = static_cast<std::int64_t>(serving);
    watch(number, EPOLLIN, EPOLL_CTL_ADD);
  }
}

// So many that are refused are seen off; beyond, a connection ends at once.
void HttpServer::State::refuse(Descriptor socket) {
  ++counts.refused_connections;
  HttpReply reply = error_reply(503, "too many connections");
  reply.fields.emplace_back("Retry-After", "1");
  const std::string text = reply_head(reply, reply.body.size(), false, false) + reply.body;
  [[maybe_unused]] const ssize_t sent =
      ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (lingering >= 64) return;
  const int number = socket.get();
  auto connection = std::make_unique<Connection>(std::move(socket));
  Connection& c = *connection;
  connections[number] = std::move(connection);
  ++serving;  // linger() takes it back
  watch(number, EPOLLIN, EPOLL_CTL_ADD);
  linger(c);
}

void HttpServer::State::linger(Connection& c) {
  ::shutdown(c.socket.get(), SHUT_WR);
  c.phase = Connection::Phase::lingering;
  c.in.clear();
  c.deadline = after(draining ? 0.5 : 1);
  --serving, ++lingering;
  counts.open = static_cast<std::int64_t>(serving);
  watch(c.socket.get(), EPOLLIN, EPOLL_CTL_MOD);
}

void HttpServer::State::drop(Connection& c) {
  if (c.phase == Connection::Phase::lingering) {
    --lingering;
  } else {
    --serving;
  }
  counts.open = static_cast<std::int64_t>(serving);
  connections.erase(c.socket.get());  // closing it takes it out of epoll
}

void HttpServer::State::receive(Connection& c) {
  char buffer[kReadBytes];
  const ssize_t got = ::recv(c.socket.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return drop(c);
  if (c.phase == Connection::Phase::lingering) return;
  if (c.phase == Connection::Phase::idle) {
    c.phase = Connection::Phase::reading;
    c.deadline = after(limits.read_seconds);
  }
  c.in.append(buffer, static_cast<std::size_t>(got));
  if (c.in.size() > kSmallRequest && buffered() > limits.buffered_bytes) {
    c.keep_alive = false;
    return reply_here(c, error_reply(503, "too many long requests at once"));
  }
  look_for_request(c);
}

// Bytes of requests that are there, whole or in part.
std::size_t HttpServer::State::buffered() const {
  std::size_t sum = 0;
  for (const auto& [number, c] : connections) sum += c->in.size() + c->request.body.size();
  return sum;
}

void HttpServer::State::look_for_request(Connection& c) {
  ParsedHttp parsed = parse_http(c.in, limits);
  if (parsed.state == ParsedHttp::State::incomplete) return;
  if (parsed.state == ParsedHttp::State::refused) {
    ++counts.malformed;
    c.keep_alive = false;
    return reply_here(c, error_reply(parsed.status, parsed.problem));
  }
  c.in.erase(0, parsed.consumed);
  c.request = std::move(parsed.request);
  c.keep_alive = c.request.keep_alive && !draining;
  {
    const std::lock_guard lock(mutex);
    if (jobs.size() < limits.waiting_requests) {
      c.phase = Connection::Phase::working;
      ++working;
      watch(c.socket.get(), EPOLLRDHUP, EPOLL_CTL_MOD);
      jobs.push_back(&c);
      work_there.notify_one();
      return;
    }
  }
  ++counts.refused_requests;
  HttpReply reply = error_reply(429, "too many requests wait for an answer");
  reply.fields.emplace_back("Retry-After", "1");
  reply_here(c, reply);
}

void HttpServer::State::reply_here(Connection& c, const HttpReply& reply) {
  c.out = reply_head(reply, reply.body.size(), false, c.keep_alive) + reply.body;
  c.written = 0;
  send_some(c);
}

void HttpServer::State::send_some(Connection& c) {
  while (c.written < c.out.size()) {
    const ssize_t sent = ::send(c.socket.get(), c.out.data() + c.written, c.out.size() - c.written,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      c.written += static_cast<std::size_t>(sent);
      c.deadline = after(write_seconds());
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return drop(c);
    if (c.phase != Connection::Phase::writing) c.deadline = after(write_seconds());
    c.phase = Connection::Phase::writing;
    watch(c.socket.get(), EPOLLOUT, EPOLL_CTL_MOD);
    return;
  }
  answered(c);
}

void HttpServer::State::answered(Connection& c) {
  c.out = {};
  c.request = {};
  if (!c.keep_alive) return linger(c);
  watch(c.socket.get(), EPOLLIN, EPOLL_CTL_MOD);
  const bool more = !c.in.empty();
  if (draining && !more) return drop(c);
  c.phase = more ? Connection::Phase::reading : Connection::Phase::idle;
  c.deadline = after(more ? limits.read_seconds : limits.idle_seconds);
  if (more) look_for_request(c);
}

void HttpServer::State::look_at_deadlines() {
  const auto now = Clock::now();
  std::vector<Connection*> late;
  for (const auto& [number, c] : connections) {
    if (c->phase != Connection::Phase::working && c->deadline < now) late.push_back(c.get());
  }
  for (Connection* const c : late) {
    if (c->phase != Connection::Phase::reading) {
      drop(*c);
      continue;
    }
    ++counts.timeouts;
    c->keep_alive = false;
    reply_here(*c, error_reply(408, "the request did not come to its end in time"));
  }
}

void HttpServer::State::take_finished() {
  std::uint64_t ignored = 0;
  [[maybe_unused]] const ssize_t read = ::read(wake.get(), &ignored, sizeof ignored);
  std::vector<Finished> taken;
  {
    const std::lock_guard lock(mutex);
    taken.swap(finished);
  }
  for (const auto& [c, broken] : taken) {
    --working;
    if (broken) {
      drop(*c);
    } else {
      send_some(*c);
    }
  }
}

void HttpServer::State::event(int descriptor, std::uint32_t events) {
  if (descriptor == wake.get()) return take_finished();
  if (descriptor == listener.get()) return accept_all();
  const auto found = connections.find(descriptor);
  if (found == connections.end()) return;
  Connection& c = *found->second;
  if (c.phase == Connection::Phase::working) {
    client_left(c, events);
  } else if (c.phase == Connection::Phase::writing) {
    send_some(c);
  } else {
    receive(c);
  }
}

// Nobody works for a client that has left before its turn.  A worker finds out when it answers; a
// client that has only closed its own side still gets that answer.
void HttpServer::State::client_left(Connection& c, std::uint32_t events) {
  {
    const std::lock_guard lock(mutex);
    if (std::erase(jobs, &c) > 0) {
      --working;
      c.phase = Connection::Phase::writing;
    }
  }
  if (c.phase != Connection::Phase::working) return drop(c);
  if (events & (EPOLLERR | EPOLLHUP)) {
    ::epoll_ctl(epoll.get(), EPOLL_CTL_DEL, c.socket.get(), nullptr);
  } else {
    watch(c.socket.get(), 0, EPOLL_CTL_MOD);
  }
}

void HttpServer::State::work() {
  std::unique_lock lock(mutex);
  for (;;) {
    work_there.wait(lock,
                    [&] { return no_more_work || (!jobs.empty() && computing < worker_count); });
    if (jobs.empty()) return;
    Connection* const c = jobs.front();
    jobs.pop_front();
    ++computing;
    lock.unlock();
    work_on(*c);
    lock.lock();
    --computing;
    work_there.notify_one();
  }
}

// Another worker computes meanwhile.  False: too many clients are waited for already.
bool HttpServer::State::wait_for_client(int socket) {
  std::unique_lock lock(mutex);
  if (slow_clients == kStandIns) return false;
  ++slow_clients, --computing;
  work_there.notify_one();
  lock.unlock();
  pollfd wait{socket, POLLOUT, 0};
  ::poll(&wait, 1, 250);
  lock.lock();
  --slow_clients, ++computing;
  return true;
}

// Sends all of it, waiting where the client is slow.
bool HttpServer::State::send_all(int socket, std::string_view bytes) {
  auto taken = Clock::now();
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      taken = Clock::now();
      continue;
    }
    if (errno == EINTR) continue;
    const std::chrono::duration<double> waited = Clock::now() - taken;
    if (errno != EAGAIN || waited.count() > write_seconds() || abandon_streams) return false;
    if (!wait_for_client(socket)) return false;
  }
  return true;
}

// False: the client has no whole answer, which a missing end tells it.
bool HttpServer::State::send_stream(Connection& c, const HttpReply& reply) {
  const bool chunked = c.request.takes_chunks;
  c.keep_alive = c.keep_alive && chunked;
  const int socket = c.socket.get();
  bool whole = send_all(socket, reply_head(reply, std::nullopt, chunked, c.keep_alive));
  const auto write = [&](std::string_view piece) {
    if (piece.empty()) return whole;
    return whole = whole && send_all(socket, chunked ? chunk_of(piece) : std::string(piece));
  };
  try {
    reply.stream(write);
  } catch (const std::exception&) {
    return false;
  }
  return whole && (!chunked || send_all(socket, chunk_of({})));
}

void HttpServer::State::work_on(Connection& c) {
  HttpReply reply;
  try {
    reply = (*handler)(c.request);
  } catch (const std::exception&) {
    reply = error_reply(500, "a fault of the program");
  }
  bool broken = false;
  const bool head_only = c.request.method == "HEAD";
  if (reply.stream && !head_only) {
    broken = !send_stream(c, reply);
  } else {
    const bool packs = reply.body.size() >= kWorthPacking && reply.body.size() < kMostPacked &&
                       c.request.accepts("accept-encoding", "gzip");
    if (packs) {
      reply.body = gzipped(reply.body);
      reply.fields.emplace_back("Content-Encoding", "gzip");
    }
    reply.fields.emplace_back("Vary", "Accept-Encoding");
    c.out = reply_head(reply, reply.body.size(), false, c.keep_alive);
    if (!head_only) c.out += reply.body;
  }
  c.written = 0;
  {
    const std::lock_guard lock(mutex);
    finished.push_back({&c, broken});
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t told = ::write(wake.get(), &one, sizeof one);
}

void HttpServer::State::begin_drain() {
  draining = true;
  ::epoll_ctl(epoll.get(), EPOLL_CTL_DEL, listener.get(), nullptr);
  listener.close();
  std::vector<Connection*> idle;
  const auto soon = after(limits.drain_write_seconds);
  for (const auto& [number, c] : connections) {
    c->deadline = std::min(c->deadline, soon);
    if (c->phase == Connection::Phase::idle) idle.push_back(c.get());
  }
  for (Connection* const c : idle) drop(*c);
}

HttpServer::HttpServer(const std::string& address, std::uint16_t port, const ServeLimits& limits,
                       std::size_t workers)
    : state_(std::make_unique<State>(limits, workers)) {
  state_->limits.connections = connections_possible(limits.connections);
  state_->listen_on(address, port);
}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const { return state_->port; }
const ServerCounts& HttpServer::counts() const { return state_->counts; }

void HttpServer::run(const HttpHandler& handler, const std::atomic<bool>& stop) {
  State& s = *state_;
  s.handler = &handler;
  std::vector<std::thread> workers;
  for (std::size_t k = 0; k < s.worker_count + kStandIns; ++k)
    workers.emplace_back([&] { s.work(); });
  std::vector<epoll_event> events(256);
  auto next_look = Clock::now(), end = Clock::time_point::max();
  for (;;) {
    const int count =
        ::epoll_wait(s.epoll.get(), events.data(), static_cast<int>(events.size()), 250);
    for (int k = 0; k < count; ++k) s.event(events[k].data.fd, events[k].events);
    const auto now = Clock::now();
    if (now >= next_look) {
      s.look_at_deadlines();
      next_look = now + std::chrono::milliseconds(250);
    }
    if (stop && !s.draining) {
      s.begin_drain();
      end = after(s.limits.drain_seconds);
    }
    s.abandon_streams = s.draining && now > end;
    if (s.draining && (s.connections.empty() || (now > end && s.working == 0))) break;
  }
  {
    const std::lock_guard lock(s.mutex);
    s.no_more_work = true;
  }
  s.work_there.notify_all();
  for (std::thread& each : workers) each.join();
  s.connections.clear();
}

}  // namespace croft::serve
