// Fuzz targets by name: the targets of a program share it (driver.cc).
//   CROFT_FUZZ_TARGET(fuzz_csv) { …data, size…; return 0; }
#pragma once
#include <cstddef>
#include <cstdint>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace croft::fuzz {

using TargetFunction = int (*)(const std::uint8_t* data, std::size_t size);
using Mutator = std::size_t (*)(std::uint8_t* data, std::size_t size, std::size_t most,
                                unsigned seed);

// Made before main(), one for each target.
struct Registered {
  Registered(const char* target, TargetFunction function);
  Registered(const char* target, Mutator mutator);  // changes inputs in the place of libFuzzer
};

}  // namespace croft::fuzz

#define CROFT_FUZZ_TARGET(name)                                              \
  static int run_target(const std::uint8_t* data, std::size_t size);         \
  static const croft::fuzz::Registered registered_target(#name, run_target); \
  static int run_target(const std::uint8_t* data, std::size_t size)

#define CROFT_FUZZ_MUTATOR(name)                                                    \
  static std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most, \
                            unsigned seed);                                         \
  static const croft::fuzz::Registered registered_mutator(#name, mutate);           \
  static std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed)
