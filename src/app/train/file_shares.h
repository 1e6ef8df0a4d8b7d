// The parts of files that one of several processes reads: whole sequences, about as many bytes as
// each of the others reads.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "app/train/data_blocks.h"
#include "croft/core/ranks.h"
#include "croft/data/line_reader.h"

namespace croft {

struct FileShare {
  std::string path;
  std::size_t file = 0;  // of those that are shared
  bool whole = true;     // otherwise these lines
  LinesOfFile part{};

  LineReader lines() const { return whole ? LineReader(path) : LineReader(path, part); }
};

// Throws as share_files() for what it does not take: to be known before anything is read.
void require_files(std::span<const std::string> files);

// Consecutive parts in the order of the ranks, each from one place where a sequence begins to
// another.  A packed file goes to one process as a whole.  Throws UsageError for what is no
// regular file, Error for one that cannot be read or is empty.
// Cost: one look at the bytes of the share; of tables (csv) at all before it, for quotes that are
// open.
std::vector<FileShare> share_files(Ranks& ranks, std::span<const std::string> files,
                                   const BlockForm& form);

// How the data of a model, or of its training, is cut.
BlockForm form_of(const ExtractionConfig& config, bool spans);

// The first place at or after byte `from` where a sequence begins, or the size of the file: it does
// not decrease as `from` grows.
std::uint64_t sequence_start(const std::string& path, std::uint64_t from, const BlockForm& form);

// Sequences of these parts.
std::size_t count_sequences(std::span<const FileShare> shares, const BlockForm& form);

}  // namespace croft
