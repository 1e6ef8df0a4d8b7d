// Random chains as the files of other programs hold them, and what they say of a sequence, summed
// up in double precision from their weights.
#pragma once
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "croft/core/random.h"
#include "croft/data/text_sequence.h"
#include "model/foreign/foreign_chain.h"
#include "support/message_of.h"

namespace croft::testing_support {

// Of attributes, with weights that single precision does not hold.
inline ForeignChain random_foreign_chain(std::size_t labels, std::size_t attributes,
                                         Random& random) {
  ForeignChain chain;
  chain.extraction.format = InputFormat::attributes;
  for (std::size_t y = 0; y < labels; ++y) chain.labels.push_back("L" + std::to_string(y));
  const auto fill = [&](ForeignRows& rows, std::size_t cells) {
    for (std::uint32_t cell = 0; cell < cells; ++cell) {
      if (random.uniform() < 0.7) rows.add(cell, random.normal());
    }
  };
  for (std::size_t a = 0; a < attributes; ++a) {
    fill(chain.node, labels);
    chain.node.end_row("a" + std::to_string(a));
  }
  fill(chain.tied, labels * labels);
  chain.tied.end_row("");
  return chain;
}

// Attributes a0, a1, … with values, of which the last one is unknown to such a chain.
inline TextSequence random_foreign_text(std::size_t length, std::size_t attributes,
                                        Random& random) {
  TextSequence text;
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t k = random.below(4); k > 0; --k) {
      text.node.append("a" + std::to_string(random.below(attributes + 1)),
                       std::round(8 * random.normal()) / 4);
    }
    text.node.end_list();
  }
  return text;
}

// S(y) of a chain without edge attributes.
inline double foreign_score(const ForeignChain& chain, const TextSequence& text,
                            const std::vector<Label>& y) {
  const auto weight_of = [](const ForeignRows& rows, std::string_view name, std::uint32_t cell) {
    double sum = 0;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      if (rows.names[r] != name) continue;
      for (std::size_t k = rows.begin[r]; k < rows.begin[r + 1]; ++k) {
        if (rows.cell[k] == cell) sum += rows.weight[k];
      }
    }
    return sum;
  };
  double score = 0;
  for (std::size_t t = 0; t < y.size(); ++t) {
    for (std::size_t k = text.node.list_begin(t); k < text.node.list_end(t); ++k) {
      score += text.node.value(k) * weight_of(chain.node, text.node.item(k), y[t]);
    }
    if (t == 0) continue;
    const auto cell = static_cast<std::uint32_t>(y[t - 1] * chain.labels.size() + y[t]);
    for (const std::string& name : chain.tied.names) score += weight_of(chain.tied, name, cell);
  }
  return score;
}

// The weights by name and cell, without those that are 0.
inline std::map<std::pair<std::string, std::uint32_t>, double> weights_by_name(
    const ForeignRows& rows) {
  std::map<std::pair<std::string, std::uint32_t>, double> weights;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    for (std::size_t k = rows.begin[r]; k < rows.begin[r + 1]; ++k) {
      if (rows.weight[k] != 0) weights[{rows.names[r], rows.cell[k]}] += rows.weight[k];
    }
  }
  return weights;
}

}  // namespace croft::testing_support
