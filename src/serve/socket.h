// Sockets that listen, and the descriptors that there are for others.
#pragma once
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace croft::serve {

// Closes what it holds.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int get() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

// Throws Error with the system's reason.
[[noreturn]] void fail_system(const std::string& what);

// An IP address of version 4 or 6.  port 0: one that is free.  Throws UsageError for another text,
// Error where the system refuses.
Descriptor listening_socket(const std::string& address, std::uint16_t port);
std::uint16_t port_of(const Descriptor& listener);

// Raises the process's limit of descriptors for so many connections.  Returns how many there can
// be: without a descriptor, nobody could be told that there are too many.
std::size_t connections_possible(std::size_t wanted);

}  // namespace croft::serve
