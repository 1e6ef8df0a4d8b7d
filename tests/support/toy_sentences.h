// Sentences of a toy grammar, labelled, with the words as attributes and a real value; and the
// extractor that they are of.
#pragma once
#include <string>
#include <vector>

#include "croft/core/random.h"
#include "features/extraction.h"
#include "train/train_options.h"

namespace croft::testing_support {

inline TextSequence toy_sentence(Random& random, std::size_t most = 6) {
  static const std::vector<std::vector<std::string>> words = {
      {"the", "a"}, {"cat", "dog", "bird", "light"}, {"sees", "light", "hears"}};
  static const std::vector<std::string> tags = {"D", "N", "V"};
  TextSequence s;
  std::size_t state = random.below(2);
  const std::size_t length = 1 + random.below(most);
  for (std::size_t t = 0; t < length; ++t) {
    const auto& choices = words[state];
    const std::string& word = choices[random.below(choices.size())];
    s.node.append("w[0]=" + word);
    s.node.append("length", 0.1 * static_cast<double>(word.size()));
    if (t > 0) s.node.append("w[-1]=" + std::to_string(t % 2));
    if (t + 1 < length) s.node.append("w[1]=" + std::to_string(t % 3));
    s.node.end_list();
    s.labels.append(tags[random.below(20) == 0 ? random.below(3) : state]);
    state = state == 0 ? 1 : state == 1 ? 2 : random.below(2);
  }
  s.labels.end_list();
  s.first_line = 1;
  return s;
}

inline std::vector<TextSequence> toy_sentences(std::size_t count, std::uint64_t seed,
                                               std::size_t most = 6) {
  Random random(seed);
  std::vector<TextSequence> all;
  for (std::size_t n = 0; n < count; ++n) all.push_back(toy_sentence(random, most));
  return all;
}

inline Extractor attribute_lines() {
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  return Extractor(config);
}

inline TrainOptions tight_options(double l2) {
  TrainOptions options;
  options.regulariser = {.l1 = 0, .l2 = l2};
  options.precision = Precision::twice;
  options.method = Method::lbfgs;
  options.stop = {.max_iterations = 3000, .tolerance = 0, .gradient_tolerance = 1e-8};
  return options;
}

}  // namespace croft::testing_support
