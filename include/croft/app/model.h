// A trained model that labels sequences, from its file: chains, segments, single labels and hidden
// states alike.
//
//   croft::Model model = croft::Model::open("words.croft");
//   const croft::Tagging& tagging = model.tag({"2", "cups", "flour"}, {.marginals = true});
//   model.label(tagging.y[0]), tagging.marginals(0, tagging.y[0])
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "croft/app/tagging.h"
#include "croft/data/text_sequence.h"

namespace croft {

// What the labellings of a model are limited to, and which of them is chosen: docs/constraints.md.
struct Limits {
  std::string constrain{};           // bio, bioes or a constraint file; empty: as it was trained
  std::string penalties{};           // a penalty file; empty: none
  std::vector<std::string> rules{};  // as `croft predict --rule` takes them
  std::size_t limit = 10'000;        // of the search for a rule, for each sequence
  std::optional<Decode> decode{};    // default: viterbi; with hidden states marginal
};

// A handle: copies share the weights.  Give each thread a copy of its own.
class Model {
 public:
  // Maps the file: its weights are read when they are needed.  Throws Error for a file that cannot
  // be read, is damaged, or holds a model of graphs; UsageError and InputError for limits that
  // cannot be read or do not fit the model.
  static Model open(const std::string& path, const Limits& limits = {});
  // Of the bytes of a file; `name` stands for the path in messages.
  static Model from_bytes(std::vector<std::byte> bytes, const std::string& name,
                          const Limits& limits = {});

  Model(const Model& other);
  Model(Model&&) noexcept;
  Model& operator=(Model other) noexcept;
  ~Model();

  const std::string& kind() const;  // as `croft train --model` names it
  std::string_view format() const;  // of its data: columns, attributes, text, svmlight or csv
  std::size_t labels() const;
  const std::string& label(Label y) const;  // y < labels()

  // Labels a sequence, a row a position: its columns without a label, as they stand in the lines of
  // a file that `croft predict` reads.  The answer is valid until the next call.  For a model that
  // looks at documents the sequence is one by itself. Throws UsageError for what the model cannot
  // answer and for a model of other data than columns. Cost: O(T L^2), and a look-up for each
  // attribute; states of a model of segments, of hidden states or of order 2 and more in the place
  // of L.
  const Tagging& tag(const std::vector<std::string>& rows, const TagOptions& options = {});
  // The same of attributes with their values, as a template or a program of one's own makes them.
  // Of a model that was trained on attributes they are those of the data: what the model adds to
  // these, such as an intercept, is added here.
  const Tagging& tag(const TextSequence& attributes, const TagOptions& options = {});
  // The one label of a document, of a model of texts.  Throws UsageError for another.
  const Tagging& tag_text(std::string_view document, const TagOptions& options = {});

 private:
  struct Parts;
  explicit Model(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace croft
