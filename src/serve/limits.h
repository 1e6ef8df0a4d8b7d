// What a server takes from its clients.  Whatever goes beyond is refused with a status of its own.
#pragma once
#include <cstddef>

namespace croft::serve {

struct ServeLimits {
  std::size_t head_bytes = 16 << 10;          // of a request: its line and its fields; 431
  std::size_t body_bytes = 16 << 20;          // also of what a compressed body unpacks to; 413
  std::size_t buffered_bytes = 256 << 20;     // of all requests that are there; 503
  std::size_t sequence_length = 20'000;       // positions of one sequence; 413
  std::size_t label_cells = 50'000'000;       // positions times labels of one sequence; 413
  std::size_t k_best = 100, samples = 1'000;  // 400
  double seconds = 30;                        // of work on one request; 422
  double infer_memory = 1e9;                  // bytes that exact inference may take; 422
  std::size_t waiting_requests = 256;         // whole ones that no thread works on yet; 429
  std::size_t connections = 1'024;            // 503
  double read_seconds = 10;                   // from a request's first byte to its last; 408
  double idle_seconds = 60;                   // of a connection between requests; it is closed
  double write_seconds = 20;                  // in which a client must take something of an answer
  double drain_seconds = 10;                  // for requests that are there when the server ends
  double drain_write_seconds = 1;             // instead of read_seconds and write_seconds then
};

}  // namespace croft::serve
