// Where a model is wrong on labelled data: croft errors.
//
// Where labels spell chunks, each gold chunk that was not found as it is, and each predicted one
// that is not there, is one error; elsewhere each wrong label is.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/label/chunks.h"
#include "core/json.h"
#include "model/kinds/sequence_model.h"

namespace croft {

enum class ErrorKind {
  boundary,  // a chunk of the type, which begins or ends elsewhere
  type,      // the chunk, of another type
  both,      // a chunk that overlaps, and is of another type
  missed,    // a gold chunk where none was predicted
  invented,  // a predicted chunk where none is
  label      // of labels that spell no chunks
};
inline constexpr std::array<std::string_view, 6> kErrorKinds{"boundary", "type",     "both",
                                                             "missed",   "invented", "label"};

struct LabelError {
  ErrorKind kind = ErrorKind::label;
  std::size_t sequence = 0, line = 0;  // its number from 0; the line of its first position
  std::size_t position = 0;            // in the sequence, from 0
  // Types and their words, "ORG Real Madrid", or positions where there are no words; empty: none.
  std::string gold, predicted;
  // The sequence's words, what is wrong between brackets; empty where the data has no words.
  std::string context{};
  std::optional<double> probability{};  // of what was predicted; none of models without
  bool unseen = false;                  // one of its words is not in the training data
  std::string why{};                    // as croft explain says it; empty: not asked for
  Json reasons{};                       // the same
};

struct ErrorOptions {
  ChunkScheme scheme = ChunkScheme::automatic;
  std::string train;                   // a file of training data, to tell words that it lacks
  std::optional<ErrorKind> kind = {};  // these alone are listed
  std::size_t top = 20;                // so many are listed
  bool explain = false;
};

// Gold chunks or labels, and how many of them were found.
struct FoundCount {
  std::size_t gold = 0, found = 0;
};

struct ErrorReport {
  std::size_t sequences = 0, wrong_sequences = 0;
  bool chunks = false;                 // errors are of chunks
  std::size_t gold = 0, found = 0;     // chunks or labels that are there, and were found
  std::array<std::size_t, 6> count{};  // [kinds]
  // By whether the training data has all their words.
  std::optional<FoundCount> seen, unseen;
  std::vector<LabelError> errors;  // the surest first; in the data's order without probabilities
};

// Throws InputError for bad data, UsageError for a kind of error that there cannot be, and for
// training data of a format without words.
//   path : a file, as it is read twice
ErrorReport find_errors(const SequenceModel& model, const std::string& path,
                        const ErrorOptions& options);

std::string format_errors(const ErrorReport& report);
Json to_json(const ErrorReport& report);

}  // namespace croft
