// Any bytes as a naive Bayes model: an Error, or a model that scores a sequence and hands out its
// statistics. An input that begins with 'r' has its checksums put right first; with any other byte
// the rest is taken as it is.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "container_repair.h"
#include "croft/core/error.h"
#include "croft/model/naive_bayes_model.h"

namespace {

constexpr std::size_t kMostLabels = 64;  // a table of transitions has their square

croft::TextSequence some_text() {
  croft::TextSequence text;
  for (const char* attribute : {"a", "b", "c=d", "", "a"}) {
    text.node.append(attribute, text.node.items() == 1 ? 0.5 : 1.0);
    if (text.node.lists() == 2) text.node.append("a", 2);
    text.node.end_list();
  }
  return text;
}

void ask(croft::Container container) {
  if (container.has("labels")) {
    const auto head = container.section("labels");
    std::uint32_t labels = 0;
    if (head.size() >= sizeof labels) std::memcpy(&labels, head.data(), sizeof labels);
    if (labels > kMostLabels) return;
  }
  const croft::NaiveBayesModel model(std::move(container));
  const croft::NaiveBayesStatistics statistics = model.statistics();
  if (statistics.attributes() != model.attributes()) throw std::logic_error("attributes differ");
  croft::SequenceModel::Scratch scratch;
  croft::ChainScores<double> scores;
  model.score(some_text(), scratch, scores);
  for (std::size_t t = 0; t < scores.length(); ++t) {
    for (const double score : scores.state[t]) {
      if (std::isnan(score)) throw std::logic_error("a score that is no number");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::vector<std::byte> bytes(size - 1);
  std::transform(data + 1, data + size, bytes.begin(), [](std::uint8_t b) { return std::byte{b}; });
  if (data[0] == 'r') croft::fuzz::repair_checksums(bytes);
  try {
    ask(croft::Container::from_bytes(std::move(bytes), "fuzz.croft"));
  } catch (const croft::Error&) {
  }
  return 0;
}
