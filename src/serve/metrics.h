// What a server has done, as Prometheus reads it.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/http_server.h"

namespace croft::serve {

class Metrics {
 public:
  //   endpoint : a path of the table of endpoints, or "other": never what a client wrote
  void add(std::string_view endpoint, int status, double seconds);
  // How many sequences, questions or variables were answered for a model.
  void add_answers(std::string_view model, std::uint64_t count);

  // The text format 0.0.4.
  //   loads : of each model, how often its file was taken over, and how often refused
  struct ModelLoads {
    std::string name;
    std::uint64_t taken = 0, refused = 0;
  };
  std::string text(const ServerCounts* server, const std::vector<ModelLoads>& loads) const;

 private:
  static constexpr std::array<double, 10> kBounds{.001, .0025, .005, .01, .025, .05, .1, .5, 1, 5};
  struct Times {
    std::array<std::uint64_t, 11> upto{};  // by bound, not summed; the last: longer than all
    double sum = 0;
    std::uint64_t count = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;
  std::map<std::string, Times> times_;
  std::map<std::string, std::uint64_t> answers_;
};

}  // namespace croft::serve
