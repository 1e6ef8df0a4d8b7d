#include "train/checkpoint.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/files.h"
#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::string_view kMagic = "CROFTCP1";
constexpr std::size_t kHeader = kMagic.size() + 2 * sizeof(std::uint64_t);

}  // namespace

void Fingerprint::add_bytes(const void* bytes, std::size_t size) {
  value_ = XXH3_64bits_withSeed(bytes, size, value_ + size);
}

std::string checkpoint_header(std::uint64_t fingerprint, std::string_view state) {
  const std::uint64_t numbers[2] = {fingerprint, XXH3_64bits(state.data(), state.size())};
  std::string header(kMagic);
  header.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  return header;
}

std::string_view checkpoint_state(std::string_view bytes, std::uint64_t fingerprint,
                                  const std::string& path) {
  const std::string_view state = bytes.substr(std::min(kHeader, bytes.size()));
  const auto number = [&](std::size_t k) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + kMagic.size() + k * sizeof value, sizeof value);
    return value;
  };
  if (bytes.size() < kHeader || !bytes.starts_with(kMagic) ||
      number(1) != XXH3_64bits(state.data(), state.size())) {
    throw Error(path +
                ": this is not a checkpoint, or it is damaged; delete it and train from the "
                "start");
  }
  if (number(0) != fingerprint) {
    throw Error(path,
                ": this checkpoint is of another training: the data, or options other than "
                "--max-iterations, --target and the tolerances, are not the same; go on with those "
                "that it was begun with, or delete it and train from the start");
  }
  return state;
}

CheckpointFolder::CheckpointFolder(std::filesystem::path folder, bool resume,
                                   std::chrono::duration<double> interval, Ranks& ranks)
    : folder_(std::move(folder)), ranks_(ranks), resume_(resume), interval_(interval) {
  run_together(ranks_, [&] {
    if (ranks_.first()) open();
  });
  resume_ = any_of_all(ranks_, ranks_.first() && resume_);
}

void CheckpointFolder::open() {
  std::error_code failure;
  const bool known = std::filesystem::exists(folder_, failure);
  if (!known && resume_) {  // nor created: the same command would then train from the start
    throw UsageError(folder_.string(),
                     " is not there: it has to be the folder that --checkpoint named");
  }
  std::filesystem::create_directories(folder_, failure);
  if (failure) throw Error(folder_.string() + ": cannot create: " + failure.message());
  const bool there = std::filesystem::exists(path(), failure);
  if (there && !resume_) {
    throw UsageError(folder_.string(),
                     " has a checkpoint of a training that was interrupted; go on from it with "
                     "--resume, or delete it");
  }
  if (!there) resume_ = false;  // it ended before it kept anything
  remove_leftovers();
  if (!there) AtomicFile{path()};  // created and removed: what forbids writing is known now
}

// What a process left that was killed while it wrote.
void CheckpointFolder::remove_leftovers() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
    if (!entry.path().filename().string().starts_with("checkpoint.")) continue;
    std::filesystem::remove(entry.path(), ignored);
  }
}

bool CheckpointFolder::restore(const State& state) {
  if (!resume_) return false;
  std::string bytes;
  run_together(ranks_, [&] {
    if (ranks_.first()) bytes = read();
  });
  ranks_.broadcast(bytes);
  StateArchive archive(bytes);
  state(archive);
  archive.finish();
  return true;
}

std::string CheckpointFolder::read() const {
  std::ifstream file(path(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return std::string(checkpoint_state(bytes, fingerprint_, path().string()));
}

void CheckpointFolder::offer(const State& state) {
  const bool due = std::chrono::steady_clock::now() - last_ >= interval_;
  if (!any_of_all(ranks_, ranks_.first() && due)) return;
  StateArchive archive = ranks_.first() ? StateArchive() : StateArchive::forgetful();
  state(archive);  // on all processes, each of which may have a part of it
  if (ranks_.first()) keep(archive.bytes());
  last_ = std::chrono::steady_clock::now();
}

void CheckpointFolder::keep(const std::string& state) {
  try {
    AtomicFile file(path());
    file.write(checkpoint_header(fingerprint_, state));
    file.write(state);
    file.commit();
  } catch (const Error& error) {
    if (warn_) warn_(std::string(error.what()) + "; training goes on without this checkpoint");
  }
}

void CheckpointFolder::remove() {
  if (!ranks_.first()) return;
  std::error_code ignored;
  std::filesystem::remove(path(), ignored);
}

bool NestedCheckpoints::resume() {
  if (outer_ == nullptr) return false;
  return outer_->restore([&](StateArchive& archive) {
    around_(archive);
    archive(inner_);
  });
}

bool NestedCheckpoints::restore(const State& state) {
  if (inner_.empty()) return false;
  StateArchive archive(inner_);
  state(archive);
  archive.finish();
  inner_.clear();
  return true;
}

void NestedCheckpoints::offer(const State& state) {
  if (outer_ == nullptr) return;
  outer_->offer([&](StateArchive& archive) {
    StateArchive inner;
    state(inner);
    inner_ = inner.bytes();
    around_(archive);
    archive(inner_);
    inner_.clear();
  });
}

}  // namespace croft
