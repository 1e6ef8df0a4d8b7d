// Sequences that are not trained on, labelled as training goes on.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "croft/core/parallel.h"
#include "croft/data/text_sequence.h"
#include "features/chain_data.h"
#include "features/conjunctions.h"
#include "model/chain_layout.h"

namespace croft {

class ChainHoldout {
 public:
  void add(TextSequence sequence);  // one of length 0 is left out
  std::size_t sequences() const { return text_.size(); }
  const TextSequence& operator[](std::size_t n) const { return text_[n]; }

  // Conjunctions as further attributes, where they hold.
  void append(const ConjunctionSet& conjunctions);
  // As numbers of a layout of the encoder's data.  Attributes that training does not know have no
  // weight and are left out.
  void encode(const ChainEncoder& encoder, const Renumbering& renumbering,
              const ChainLayout& layout);
  const ChainData& data() const { return data_; }  // without labels

 private:
  std::vector<TextSequence> text_;
  ChainData data_;
};

// The names of the best labels of each sequence of `data`, whose ids are the layout's.  Empty
// names, which no label has, where a sequence has no labelling at all.
//   w           : [layout.dimension()]
//   label_names : valid as long as the result
std::vector<std::vector<std::string_view>> best_labels(const ChainLayout& layout,
                                                       const ChainData& data,
                                                       std::span<const double> w,
                                                       const StringTable& label_names,
                                                       ThreadPool& pool);

// The same by any labeller, of sequences that every process of the pool has: each labels some.
// label() fills the labels of sequence n, or leaves them all at kNoLabelling.
inline constexpr Label kNoLabelling = 0xFFFFFFFF;
using SequenceLabeller =
    std::function<void(std::size_t n, std::size_t worker, std::span<Label> labels)>;
std::vector<std::vector<std::string_view>> names_of_labels(
    std::span<const std::uint64_t> sequence_begin, const SequenceLabeller& label,
    const std::function<std::string_view(Label)>& name, ThreadPool& pool);

}  // namespace croft
