#include "serve/metrics.h"

#include <fmt/format.h>

namespace croft::serve {
namespace {

std::string label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

void head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

}  // namespace

void Metrics::add(std::string_view endpoint, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{std::string(endpoint), status}];
  Times& times = times_[std::string(endpoint)];
  std::size_t k = 0;
  while (k < kBounds.size() && seconds > kBounds[k]) ++k;
  ++times.upto[k];
  ++times.count;
  times.sum += seconds;
}

void Metrics::add_answers(std::string_view model, std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  answers_[std::string(model)] += count;
}

std::string Metrics::text(const ServerCounts* server, const std::vector<ModelLoads>& loads) const {
  std::string out;
  const std::lock_guard lock(mutex_);
  head(out, "croft_requests_total", "counter", "Requests by endpoint and status");
  for (const auto& [key, count] : requests_) {
    out += fmt::format("croft_requests_total{{endpoint=\"{}\",status=\"{}\"}} {}\n",
                       label(key.first), key.second, count);
  }
  head(out, "croft_request_seconds", "histogram", "From the whole request to the answer");
  for (const auto& [endpoint, times] : times_) {
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < kBounds.size(); ++k) {
      sum += times.upto[k];
      out += fmt::format("croft_request_seconds_bucket{{endpoint=\"{}\",le=\"{}\"}} {}\n",
                         label(endpoint), kBounds[k], sum);
    }
    out += fmt::format("croft_request_seconds_bucket{{endpoint=\"{}\",le=\"+Inf\"}} {}\n",
                       label(endpoint), times.count);
    out += fmt::format("croft_request_seconds_sum{{endpoint=\"{}\"}} {}\n", label(endpoint),
                       times.sum);
    out += fmt::format("croft_request_seconds_count{{endpoint=\"{}\"}} {}\n", label(endpoint),
                       times.count);
  }
  head(out, "croft_answers_total", "counter", "Sequences and questions answered by each model");
  for (const auto& [model, count] : answers_) {
    out += fmt::format("croft_answers_total{{model=\"{}\"}} {}\n", label(model), count);
  }
  head(out, "croft_model_loads_total", "counter", "Files of models taken over, or refused");
  for (const ModelLoads& each : loads) {
    out += fmt::format("croft_model_loads_total{{model=\"{}\",outcome=\"taken\"}} {}\n",
                       label(each.name), each.taken);
    out += fmt::format("croft_model_loads_total{{model=\"{}\",outcome=\"refused\"}} {}\n",
                       label(each.name), each.refused);
  }
  if (server == nullptr) return out;
  head(out, "croft_open_connections", "gauge", "Connections that are open");
  out += fmt::format("croft_open_connections {}\n", server->open.load());
  head(out, "croft_connections_total", "counter", "Connections, by what became of them");
  out += fmt::format("croft_connections_total{{outcome=\"accepted\"}} {}\n",
                     server->connections - server->refused_connections);
  out += fmt::format("croft_connections_total{{outcome=\"refused\"}} {}\n",
                     server->refused_connections.load());
  head(out, "croft_refused_total", "counter", "What came to no endpoint");
  out += fmt::format("croft_refused_total{{why=\"malformed\"}} {}\n", server->malformed.load());
  out += fmt::format("croft_refused_total{{why=\"slow\"}} {}\n", server->timeouts.load());
  out += fmt::format("croft_refused_total{{why=\"busy\"}} {}\n", server->refused_requests.load());
  return out;
}

}  // namespace croft::serve
