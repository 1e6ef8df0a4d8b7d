// Naive Bayes from ids: time to fit, and documents a second.
//
//   naive_bayes_bench [DOCUMENTS WORDS LABELS LENGTH]
// Random documents whose words have frequencies as those of texts (Zipf); by default as many as 20
// newsgroups has: 11,314 of 129,080 words, 20 labels, 164 different words each.  One thread.  What
// was fitted is checked before a time is shown: each label's probabilities sum to 1.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>

#include "croft/core/random.h"
#include "train/kinds/naive_bayes_training.h"

namespace {

using namespace croft;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

ChainData random_documents(std::size_t documents, std::size_t words, std::size_t labels,
                           std::size_t length) {
  Random random(1);
  ChainData data;
  for (std::size_t n = 0; n < documents; ++n) {
    std::set<std::uint32_t> of_document;
    while (of_document.size() < length) {
      const double rank = std::exp(random.uniform() * std::log(static_cast<double>(words)));
      of_document.insert(static_cast<std::uint32_t>(rank) % static_cast<std::uint32_t>(words));
    }
    for (const std::uint32_t word : of_document) {
      data.node.id.push_back(word);
      data.node.value.push_back(static_cast<double>(1 + random.below(3)));
    }
    data.node.begin.push_back(data.node.id.size());
    data.label.push_back(static_cast<Label>(n < labels ? n : random.below(labels)));
    data.sequence_begin.push_back(n + 1);
    data.first_line.push_back(0);
  }
  return data;
}

bool sums_are_one(const NaiveBayesFit& fit) {
  const NaiveBayesStatistics& s = fit.counts.statistics();
  for (std::size_t j = 0; j < s.labels; ++j) {
    double sum = 0;
    for (std::size_t a = 0; a < s.attributes(); ++a) {
      sum += std::exp(fit.parameters.rows[a * s.stride() + j]);
    }
    if (std::abs(sum - 1) > 1e-9) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int k, std::size_t otherwise) {
    return argc > k ? std::strtoul(argv[k], nullptr, 10) : otherwise;
  };
  const std::size_t documents = number(1, 11314), words = number(2, 129080), labels = number(3, 20),
                    length = number(4, 164);
  const ChainData data = random_documents(documents, words, labels, length);
  const NaiveBayesNames names{[](std::size_t j) { return std::to_string(j); },
                              [](std::size_t a) { return std::to_string(a); }};
  double fit_time = 1e9, predict_time = 1e9;
  for (int round = 0; round < 5; ++round) {
    auto begin = Clock::now();
    NaiveBayesCounts counts;
    counts.add_labels(labels);
    counts.add_attributes(words, {AttributeEvent::multinomial, {}});
    const NaiveBayesOptions options;
    const NaiveBayesFit fit = fit_naive_bayes(data, std::move(counts), options, {}, names, {});
    fit_time = std::min(fit_time, seconds_since(begin));
    if (!sums_are_one(fit)) {
      std::fprintf(stderr, "the probabilities of a label do not sum to 1\n");
      return 1;
    }
    begin = Clock::now();
    const NaiveBayesScorer scorer(fit.counts.statistics(), fit.parameters, options);
    NaiveBayesScorer::Scratch scratch;
    std::vector<double> joint(labels);
    double total = 0;
    for (std::size_t n = 0; n < documents; ++n) {
      const auto first = data.node.begin[n], size = data.node.begin[n + 1] - first;
      scorer.score(std::span(data.node.id).subspan(first, size),
                   std::span(data.node.value).subspan(first, size), scratch, joint);
      total += joint[0];
    }
    predict_time = std::min(predict_time, seconds_since(begin));
    if (!std::isfinite(total)) return 1;
  }
  std::printf("%zu documents, %zu words, %zu values, %zu labels\n", documents, words,
              data.node.id.size(), labels);
  std::printf("fit      %8.3f s\n", fit_time);
  std::printf("predict  %8.0f documents/s, %.2f ns a value and label\n",
              static_cast<double>(documents) / predict_time,
              1e9 * predict_time / static_cast<double>(data.node.id.size() * labels));
}
