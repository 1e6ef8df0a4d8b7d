// Runs one of the fuzz targets of this program, or all of them on their seeds.
//   PROGRAM --list                      names of the targets
//   PROGRAM --replay CORPUS             every target on each file of CORPUS/TARGET, and ends
//   PROGRAM --target=NAME [OPTION…]     libFuzzer, with its options
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/target.h"

namespace croft::fuzz {
namespace {

struct Target {
  TargetFunction function = nullptr;
  Mutator mutator = nullptr;
};

std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}

const Target* chosen = nullptr;

[[noreturn]] void list() {
  for (const auto& [name, target] : targets()) std::printf("%s\n", name.c_str());
  std::exit(0);
}

void run(const Target& target, const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  // A block of its own, so that a sanitizer sees what is read behind its end.
  const std::vector<std::uint8_t> data(bytes.begin(), bytes.end());
  target.function(data.data(), data.size());
}

[[noreturn]] void replay(const std::filesystem::path& corpus) {
  std::size_t files = 0;
  for (const auto& [name, target] : targets()) {
    if (!std::filesystem::exists(corpus / name)) {
      std::fprintf(stderr, "%s has no seeds in %s\n", name.c_str(), corpus.c_str());
      std::exit(1);
    }
    for (const auto& entry : std::filesystem::directory_iterator(corpus / name)) {
      std::fprintf(stderr, "%s\n", entry.path().c_str());
      run(target, entry.path());
      ++files;
    }
  }
  std::printf("%zu targets, %zu inputs: nothing found\n", targets().size(), files);
  std::exit(files > 0 ? 0 : 1);
}

const Target& find(const std::string& name) {
  const auto found = targets().find(name);
  if (found == targets().end()) {
    std::fprintf(stderr, "no target %s; --list names them\n", name.c_str());
    std::exit(2);
  }
  return found->second;
}

}  // namespace

Registered::Registered(const char* target, TargetFunction function) {
  targets()[target].function = function;
}
Registered::Registered(const char* target, Mutator mutator) { targets()[target].mutator = mutator; }

}  // namespace croft::fuzz

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  using namespace croft::fuzz;
  constexpr std::string_view kTarget = "--target=";
  for (int k = 1; k < *argc; ++k) {
    const std::string_view word = (*argv)[k];
    if (word == "--list") list();
    if (word == "--replay" && k + 1 < *argc) replay((*argv)[k + 1]);
    if (word.starts_with(kTarget)) chosen = &find(std::string(word.substr(kTarget.size())));
  }
  if (chosen != nullptr) return 0;
  std::fprintf(
      stderr,
      "usage: %s --list | --replay CORPUS | --target=NAME [libFuzzer's options] [FOLDER…]\n",
      (*argv)[0]);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return croft::fuzz::chosen->function(data, size);
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  const auto* const target = croft::fuzz::chosen;
  return target->mutator != nullptr ? target->mutator(data, size, most, seed)
                                    : LLVMFuzzerMutate(data, size, most);
}
