#include "serve/http_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "core/json.h"

namespace croft::serve {
namespace {

struct Refusal {
  int status;
  const char* problem;
};

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != kMarks.npos;
  });
}

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string in_small(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), small);
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = small(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// None where a % is not followed by two digits.
std::optional<std::string> decoded(std::string_view text, bool plus_is_blank) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '+' && plus_is_blank) {
      out += ' ';
    } else if (text[k] != '%') {
      out += text[k];
    } else {
      if (k + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[k + 1]), low = hex_digit(text[k + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      k += 2;
    }
  }
  return out;
}

void read_line(std::string_view line, HttpRequest& out) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || first == last) throw Refusal{400, "the first line is no request"};
  const std::string_view method = line.substr(0, first), version = line.substr(last + 1);
  std::string_view target = line.substr(first + 1, last - first - 1);
  if (!is_token(method)) throw Refusal{400, "the method is no token"};
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    throw Refusal{505, "the version is neither HTTP/1.1 nor HTTP/1.0"};
  }
  if (target.empty() || target[0] != '/' ||
      std::ranges::any_of(target, [](unsigned char c) { return c <= ' ' || c >= 0x7f; })) {
    throw Refusal{400, "the target is not a path that begins with a slash"};
  }
  const std::size_t question = target.find('?');
  if (question != target.npos) {
    out.query = target.substr(question + 1);
    target = target.substr(0, question);
  }
  auto path = decoded(target, false);
  if (!path || path->find('\0') != path->npos) throw Refusal{400, "the path is badly encoded"};
  out.method = method;
  out.path = std::move(*path);
  out.keep_alive = out.takes_chunks = version == "HTTP/1.1";
}

void read_field(std::string_view line, HttpRequest& out) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon))) {
    throw Refusal{400, "a field without a name and a colon"};
  }
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (std::ranges::any_of(value,
                          [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; })) {
    throw Refusal{400, "a field with control bytes"};
  }
  out.fields.emplace_back(in_small(line.substr(0, colon)), value);
}

void read_head(std::string_view head, HttpRequest& out) {
  for (bool first = true; !head.empty(); first = false) {
    const std::size_t end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    if (line.find_first_of("\r\n") != line.npos) throw Refusal{400, "a line does not end in CR LF"};
    if (first) {
      read_line(line, out);
    } else {
      read_field(line, out);
    }
    head.remove_prefix(end + 2);
  }
}

std::size_t count_of(const HttpRequest& request, std::string_view name) {
  return static_cast<std::size_t>(
      std::ranges::count_if(request.fields, [&](const auto& each) { return each.first == name; }));
}

std::size_t body_length(const HttpRequest& request, const ServeLimits& limits) {
  if (request.has("transfer-encoding")) {
    throw Refusal{411, "a body needs a Content-Length; chunks are not taken"};
  }
  const std::size_t lengths = count_of(request, "content-length");
  if (lengths == 0) return 0;
  if (lengths > 1) throw Refusal{400, "more than one Content-Length"};
  const std::string_view text = request.field("content-length");
  std::size_t length = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (fault == std::errc::result_out_of_range) throw Refusal{413, "the body is too long"};
  if (fault != std::errc() || end != text.data() + text.size() || text.empty()) {
    throw Refusal{400, "the Content-Length is no number"};
  }
  if (length > limits.body_bytes) throw Refusal{413, "the body is too long"};
  return length;
}

ParsedHttp refused(const Refusal& why) {
  ParsedHttp out;
  out.state = ParsedHttp::State::refused;
  out.status = why.status;
  out.problem = why.problem;
  return out;
}

}  // namespace

std::string_view HttpRequest::field(std::string_view name) const {
  for (const auto& [each, value] : fields) {
    if (each == name) return value;
  }
  return {};
}

bool HttpRequest::has(std::string_view name) const { return count_of(*this, name) > 0; }

std::optional<std::vector<std::pair<std::string, std::string>>> HttpRequest::parameters() const {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::string_view rest = query; !rest.empty();) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    const std::size_t equal = std::min(pair.find('='), pair.size());
    auto name = decoded(pair.substr(0, equal), true);
    auto value = decoded(pair.substr(std::min(equal + 1, pair.size())), true);
    if (!name || !value || equal == pair.size()) return std::nullopt;
    pairs.emplace_back(std::move(*name), std::move(*value));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return pairs;
}

bool HttpRequest::accepts(std::string_view field_name, std::string_view member) const {
  for (std::string_view rest = field(field_name); !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view item = rest.substr(0, end);
    const std::size_t semicolon = std::min(item.find(';'), item.size());
    if (in_small(trimmed(item.substr(0, semicolon))) == member) {
      const std::size_t weight = item.find("q=", semicolon);
      return weight == item.npos ||
             item.find_first_of("123456789", weight) != item.npos;  // q=0, q=0.000
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

ParsedHttp parse_http(std::string_view bytes, const ServeLimits& limits) {
  try {
    // An empty line before the request, as some clients send behind a body.
    const std::size_t skipped = bytes.starts_with("\r\n") ? 2 : 0;
    const std::string_view rest = bytes.substr(skipped);
    const std::size_t end = rest.substr(0, limits.head_bytes).find("\r\n\r\n");
    if (end == rest.npos) {
      if (rest.size() >= limits.head_bytes) throw Refusal{431, "the fields are too long"};
      return {};
    }
    ParsedHttp out;
    read_head(rest.substr(0, end + 2), out.request);
    if (out.request.fields.size() > 100) throw Refusal{431, "more than 100 fields"};
    const std::size_t hosts = count_of(out.request, "host");
    if (hosts > 1 || (hosts == 0 && out.request.takes_chunks)) {
      throw Refusal{400, "there is not one Host"};
    }
    const std::size_t length = body_length(out.request, limits);
    if (rest.size() - end - 4 < length) return {};
    out.request.body = rest.substr(end + 4, length);
    if (out.request.accepts("connection", "close")) out.request.keep_alive = false;
    if (out.request.accepts("connection", "keep-alive")) out.request.keep_alive = true;
    out.consumed = skipped + end + 4 + length;
    out.state = ParsedHttp::State::complete;
    return out;
  } catch (const Refusal& why) {
    return refused(why);
  }
}

std::string_view reason_of(int status) {
  constexpr std::pair<int, std::string_view> kReasons[] = {{200, "OK"},
                                                           {204, "No Content"},
                                                           {400, "Bad Request"},
                                                           {401, "Unauthorized"},
                                                           {403, "Forbidden"},
                                                           {404, "Not Found"},
                                                           {405, "Method Not Allowed"},
                                                           {408, "Request Timeout"},
                                                           {409, "Conflict"},
                                                           {411, "Length Required"},
                                                           {413, "Content Too Large"},
                                                           {415, "Unsupported Media Type"},
                                                           {422, "Unprocessable Content"},
                                                           {429, "Too Many Requests"},
                                                           {431, "Request Header Fields Too Large"},
                                                           {500, "Internal Server Error"},
                                                           {503, "Service Unavailable"},
                                                           {505, "HTTP Version Not Supported"}};
  for (const auto& [number, reason] : kReasons) {
    if (number == status) return reason;
  }
  return "Unknown";
}

HttpReply error_reply(int status, std::string_view message) {
  HttpReply reply;
  reply.status = status;
  const Json error = {{"status", status}, {"message", message}};
  reply.body = Json{{"error", error}}.dump(-1, InvalidUtf8::replace) + "\n";
  return reply;
}

std::string reply_head(const HttpReply& reply, std::optional<std::size_t> length, bool chunked,
                       bool keep_alive) {
  std::string out = fmt::format("HTTP/1.1 {} {}\r\n", reply.status, reason_of(reply.status));
  out += fmt::format("Content-Type: {}\r\n", reply.type);
  if (chunked) {
    out += "Transfer-Encoding: chunked\r\n";
  } else if (length) {
    out += fmt::format("Content-Length: {}\r\n", *length);
  }
  for (const auto& [name, value] : reply.fields) out += fmt::format("{}: {}\r\n", name, value);
  out += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return out;
}

std::string chunk_of(std::string_view piece) {
  return fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
}

}  // namespace croft::serve
