// Checkpoints of a training on disk, and their nesting where one training runs several optimisers.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "croft/core/ranks.h"
#include "croft/optimize/optimizer.h"

namespace croft {

// A number for all that is shown to it, in this order.
class Fingerprint {
 public:
  template <class... Values>
  void add(const Values&... values) {
    (add_bytes(values.data(), values.size() * sizeof *values.data()), ...);
  }
  void add(std::initializer_list<double> numbers) {
    add_bytes(std::data(numbers), numbers.size() * sizeof(double));
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_bytes(const void* bytes, std::size_t size);
  std::uint64_t value_ = 0;
};

// A checkpoint's file: magic, fingerprint, checksum of the rest, the rest: a state.  All that
// stands before the state:
std::string checkpoint_header(std::uint64_t fingerprint, std::string_view state);
// The state in such a file, a view into `bytes`.  Throws Error, naming `path`, for a file that is
// none, is damaged, or is of a training with another fingerprint.
std::string_view checkpoint_state(std::string_view bytes, std::uint64_t fingerprint,
                                  const std::string& path);

// Keeps one state in FOLDER/checkpoint, each written whole beside the last one, which it then
// replaces: whenever the process dies, there is a whole one.
class CheckpointFolder : public Checkpointer {
 public:
  // Creates the folder.  Throws UsageError where it has a checkpoint already and `resume` is false,
  // or is not there and it is true; Error where it cannot be written to.  A folder without a
  // checkpoint resumes from the beginning.
  //   interval : between two states that are kept; zero keeps every one
  //   ranks    : processes that have the same state, or parts of it, and offer it together: the
  //              first one keeps it, and hands it to all
  CheckpointFolder(std::filesystem::path folder, bool resume,
                   std::chrono::duration<double> interval, Ranks& ranks = no_other_ranks());

  // Of the data and of the options that decide what training does: another training's state is
  // refused.  Required before restore() and offer().
  void set_fingerprint(std::uint64_t fingerprint) { fingerprint_ = fingerprint; }

  // Throws Error for a file that is damaged, or of another training.
  bool restore(const State& state) override;
  // A state that cannot be written (a full disk) is no reason to end a training: the last one
  // stays, the next one is tried again, and `warn` is told why.
  void offer(const State& state) override;
  void set_warning(std::function<void(std::string_view)> warn) { warn_ = std::move(warn); }
  // The training has ended by itself: nothing is left to resume.
  void remove();

 private:
  std::filesystem::path path() const { return folder_ / "checkpoint"; }
  void open();
  std::string read() const;  // the state that is kept
  void keep(const std::string& state);
  void remove_leftovers();

  std::filesystem::path folder_;
  Ranks& ranks_;
  bool resume_;
  std::chrono::duration<double> interval_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::uint64_t fingerprint_ = 0;
  std::function<void(std::string_view)> warn_;
};

// The checkpoints of an optimiser that is one of several in a training: each state goes out with
// that of what is around it.
class NestedCheckpoints : public Checkpointer {
 public:
  //   outer  : may be null: nothing is kept
  //   around : the state of what is around the optimiser; must outlive this
  NestedCheckpoints(Checkpointer* outer, State around)
      : outer_(outer), around_(std::move(around)) {}

  // Restores what is around, so that the optimiser can be set up; it finds its own state in
  // restore().  False where there is nothing to go on from.
  bool resume();

  bool restore(const State& state) override;
  void offer(const State& state) override;

 private:
  Checkpointer* outer_;
  State around_;
  std::string inner_;  // what the optimiser is to go on from
};

}  // namespace croft
