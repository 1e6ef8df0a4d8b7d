#include "train/chain_holdout.h"

#include <cstring>
#include <limits>

#include "croft/inference/chain_viterbi.h"
#include "features/conjunctions.h"
#include "model/linear_scorer.h"

namespace croft {
namespace {

//   positions : of the sequence; one without lists has none at each
void encode_lists(const StringLists& lists, std::size_t positions, const StringTable& names,
                  AttributeLists& out) {
  std::size_t k = 0;
  for (std::size_t p = 0; p < positions; ++p) {
    for (; p < lists.lists() && k < lists.list_end(p); ++k) {
      const std::uint32_t id = names.find(lists.item(k));
      if (id == kUnknown) continue;
      out.id.push_back(id);
      out.value.push_back(lists.value(k));
    }
    out.begin.push_back(out.id.size());
  }
}

}  // namespace

void ChainHoldout::add(TextSequence sequence) {
  if (sequence.length() > 0) text_.push_back(std::move(sequence));
}

void ChainHoldout::append(const ConjunctionSet& conjunctions) {
  ConjunctionSet::Scratch scratch;
  for (TextSequence& text : text_) {
    StringLists longer;
    for (std::size_t t = 0; t < text.length(); ++t) {
      for (std::size_t k = text.node.list_begin(t); k < text.node.list_end(t); ++k) {
        longer.append(text.node.item(k), text.node.value(k));
      }
      conjunctions.append(scratch, longer);
      longer.end_list();
    }
    text.node = std::move(longer);
    if (has_edge_conjunctions(text)) take_edge_conjunctions(text);
  }
}

void ChainHoldout::encode(const ChainEncoder& encoder, const Renumbering& renumbering,
                          const ChainLayout& layout) {
  data_ = ChainData();
  for (const TextSequence& text : text_) {
    encode_lists(text.node, text.length(), encoder.node_names, data_.node);
    if (encoder.data.has_edges()) {
      encode_lists(text.edge, text.length(), encoder.edge_names, data_.edge);
    }
    data_.label.resize(data_.label.size() + text.length());
    data_.sequence_begin.push_back(data_.label.size());
  }
  renumber_lists(renumbering.node, layout.node_classes, data_.node);
  renumber_lists(renumbering.edge, RowClasses(), data_.edge);
}

std::vector<std::vector<std::string_view>> best_labels(const ChainLayout& layout,
                                                       const ChainData& data,
                                                       std::span<const double> w,
                                                       const StringTable& label_names,
                                                       ThreadPool& pool) {
  LinearScorer<float> linear(layout);
  linear.set_weights(w, pool);
  struct Worker {
    ChainScores<float> scores, lifted;
    ViterbiWorkspace<float> viterbi;
    std::vector<Label> y;
  };
  std::vector<Worker> workers(pool.threads());
  const auto label = [&](std::size_t n, std::size_t worker, std::span<Label> y) {
    Worker& own = workers[worker];
    linear.score(data, n, own.scores);
    own.y.resize(own.scores.length());
    const HistoryScores<float>* histories = linear.histories();
    if (histories != nullptr) histories->lift(own.scores, own.lifted);
    const double best =
        viterbi<float>(histories != nullptr ? own.lifted : own.scores, own.viterbi, own.y);
    if (!(best > -std::numeric_limits<double>::infinity())) return;
    for (std::size_t t = 0; t < own.y.size(); ++t) {
      y[t] = histories != nullptr ? histories->histories().label_of[own.y[t]] : own.y[t];
    }
  };
  return names_of_labels(
      data.sequence_begin, label, [&](Label y) { return label_names[y]; }, pool);
}

std::vector<std::vector<std::string_view>> names_of_labels(
    std::span<const std::uint64_t> sequence_begin, const SequenceLabeller& label,
    const std::function<std::string_view(Label)>& name, ThreadPool& pool) {
  const std::size_t sequences = sequence_begin.size() - 1;
  Ranks& ranks = pool.ranks();
  const std::size_t first = sequences * ranks.rank() / ranks.size();
  const std::size_t last = sequences * (ranks.rank() + 1) / ranks.size();
  std::vector<Label> own(sequence_begin[last] - sequence_begin[first], kNoLabelling);
  pool.run(last - first, [&](std::size_t k, std::size_t worker) {
    const std::uint64_t begin = sequence_begin[first + k], end = sequence_begin[first + k + 1];
    label(first + k, worker, std::span(own).subspan(begin - sequence_begin[first], end - begin));
  });
  std::vector<Label> all;
  for (const std::string& bytes :
       ranks.gather({reinterpret_cast<const char*>(own.data()), own.size() * sizeof(Label)})) {
    const std::size_t before = all.size();
    all.resize(before + bytes.size() / sizeof(Label));
    std::memcpy(all.data() + before, bytes.data(), bytes.size());
  }
  std::vector<std::vector<std::string_view>> names(sequences);
  for (std::size_t n = 0; n < sequences; ++n) {
    for (std::uint64_t p = sequence_begin[n]; p < sequence_begin[n + 1]; ++p) {
      names[n].push_back(all[p] == kNoLabelling ? std::string_view() : name(all[p]));
    }
  }
  return names;
}

}  // namespace croft
