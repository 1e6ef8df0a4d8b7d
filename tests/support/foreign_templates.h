// Chains of templates as the files of other programs hold them, and what they say of rows.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "support/foreign_chains.h"

namespace croft::testing_support {

inline ColumnSequence rows_of(const std::vector<std::string>& lines) {
  ColumnSequence rows;
  for (const std::string& line : lines) rows.append_row(line);
  return rows;
}

inline ColumnSequence random_rows(std::size_t columns, Random& random) {
  static const std::vector<std::string> cells = {"a", "B", "c3", "J\xC3\xA9", "-", "true"};
  std::vector<std::string> lines;
  for (std::size_t t = random.below(7) + 1; t > 0; --t) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) line += cells[random.below(cells.size())] + " ";
    lines.push_back(line);
  }
  return rows_of(lines);
}

// Whose attributes are those of random rows, with weights that single precision holds.
inline ForeignChain random_template_chain(const std::string& text, TemplateLanguage language,
                                          std::size_t columns, Random& random) {
  ForeignChain chain;
  chain.extraction.template_text = text;
  chain.extraction.template_name = "t";
  chain.extraction.language = language;
  chain.extraction.columns = columns;
  chain.labels = {"O", "X", "Y Z"};
  const Extractor extractor(chain.extraction);
  std::set<std::string> node, edge;
  Extractor::Scratch scratch;
  TextSequence sequence;
  for (int n = 0; n < 10; ++n) {
    extractor.extract(random_rows(columns, random), false, scratch, sequence);
    for (std::size_t k = 0; k < sequence.node.items(); ++k) node.emplace(sequence.node.item(k));
    for (std::size_t k = 0; k < sequence.edge.items(); ++k) edge.emplace(sequence.edge.item(k));
  }
  const auto fill = [&](const auto& names, std::size_t cells, ForeignRows& rows) {
    for (const std::string& name : names) {
      for (std::uint32_t cell = 0; cell < cells; ++cell) {
        if (random.below(3) > 0)
          rows.add(cell, std::round(16 * random.normal()) / 16 + 0.0);  // no -0
      }
      rows.end_row(name);
    }
  };
  fill(node, 3, chain.node);
  fill(edge, 9, chain.edge);
  fill(extractor.tied_names(), 9, chain.tied);
  return chain;
}

// Of rows: for each position the scores of its labels, and then of the pairs that lead to them.
inline std::vector<double> row_scores(const ForeignChain& chain, const ColumnSequence& rows) {
  const Extractor extractor(chain.extraction);
  Extractor::Scratch scratch;
  TextSequence text;
  extractor.extract(rows, false, scratch, text);
  const auto node = weights_by_name(chain.node), edge = weights_by_name(chain.edge),
             tied = weights_by_name(chain.tied);
  const auto weight = [](const auto& weights, std::string_view name, std::uint32_t cell) {
    const auto found = weights.find({std::string(name), cell});
    return found == weights.end() ? 0 : found->second;
  };
  const auto labels = static_cast<std::uint32_t>(chain.labels.size());
  std::vector<double> scores;
  for (std::size_t t = 0; t < text.length(); ++t) {
    for (std::uint32_t y = 0; y < labels; ++y) {
      double& score = scores.emplace_back(0);
      for (std::size_t k = text.node.list_begin(t); k < text.node.list_end(t); ++k) {
        score += weight(node, text.node.item(k), y);
      }
    }
    for (std::uint32_t pair = 0; t > 0 && pair < labels * labels; ++pair) {
      double& score = scores.emplace_back(0);
      for (const std::string& name : extractor.tied_names()) score += weight(tied, name, pair);
      if (text.edge.lists() == 0) continue;
      for (std::size_t k = text.edge.list_begin(t); k < text.edge.list_end(t); ++k) {
        score += weight(edge, text.edge.item(k), pair);
      }
    }
  }
  return scores;
}

// The file of a chain of two columns gives the same labels, scores and bytes again.
template <class Write, class Read>
void expect_written_and_read(const ForeignChain& chain, const Write& write, const Read& read,
                             Random& random) {
  const std::string bytes = write(chain, "m.croft");
  const ForeignChain back = read(bytes, "m.model");
  EXPECT_EQ(back.labels, chain.labels);
  EXPECT_EQ(write(back, "m.model"), bytes);
  for (int m = 0; m < 10; ++m) {
    const ColumnSequence rows = random_rows(2, random);
    EXPECT_EQ(row_scores(back, rows), row_scores(chain, rows));
  }
}

}  // namespace croft::testing_support
