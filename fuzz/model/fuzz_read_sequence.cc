// Any bytes as attribute lines or as columns: a model of some of their strings gives the same
// scores to what was read as to the strings, the first time and again.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/error.h"
#include "model/foreign/foreign_chain.h"
#include "model/rows/read_sequence.h"
#include "support/target.h"

namespace fuzz_read_sequence {

namespace {

using croft::ReadSequence;
using croft::TextSequence;

constexpr std::string_view kTemplates =
    "U0:%x[0,0]\nU1:%x[-1,1]\nU2:%x[0,0]/%x[1,0]\nU3:%x[0,0]%x[0,1]%x[2,1]\nB0:%x[0,1]\n";
const std::string kFile = "fuzz";

// Weights of two strings in three, for a label in two.
croft::ForeignRows weights_of(const std::vector<std::string>& names, std::size_t cells) {
  croft::ForeignRows rows;
  for (const std::string& name : names) {
    const std::uint64_t hash = croft::hash_string(name);
    if (hash % 3 == 0) continue;
    for (std::size_t c = 0; c < cells; ++c) {
      if (hash >> (c % 32) & 1) {
        rows.add(static_cast<std::uint32_t>(c), 0.1 * static_cast<double>(hash % 7 + c) - 0.4);
      }
    }
    if (rows.begin.back() < rows.cell.size()) rows.end_row(name);
  }
  return rows;
}

std::vector<std::string> distinct(const std::vector<TextSequence>& texts, bool edges) {
  croft::StringTable table;
  for (const TextSequence& text : texts) {
    const croft::StringLists& lists = edges ? text.edge : text.node;
    for (std::size_t k = 0; k < lists.items(); ++k) table.insert(lists.item(k));
  }
  std::vector<std::string> names;
  for (const std::string_view name : table.strings()) names.emplace_back(name);
  return names;
}

template <class Real>
void expect_same(const croft::Matrix<Real>& a, const croft::Matrix<Real>& b) {
  bool same = a.rows() == b.rows();
  for (std::size_t r = 0; same && r < a.rows(); ++r) {
    for (std::size_t c = 0; c < a.columns(); ++c) same = same && a(r, c) == b(r, c);
  }
  if (!same) throw std::logic_error("other scores as read");
}

// What was read of sequence n, and the same as strings.
template <class Read>
void compare(const croft::ExtractionConfig& extraction, const std::vector<TextSequence>& texts,
             std::size_t labels, const Read& read) {
  croft::ForeignChain chain;
  for (std::size_t j = 0; j < labels; ++j) chain.labels.push_back(std::to_string(j));
  chain.extraction = extraction;
  chain.node = weights_of(distinct(texts, false), labels);
  chain.edge = weights_of(distinct(texts, true), labels * labels);
  const croft::ChainModel model(
      croft::Container::from_bytes(croft::make_foreign_model(chain, "fuzz", "m").bytes(), "m"));
  croft::SequenceModel::Scratch of_text, of_read;
  croft::ChainScores<float> expected, got;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t n = 0; n < texts.size(); ++n) {
      TextSequence empty;
      for (std::size_t t = 0; t < texts[n].length(); ++t) empty.node.end_list();
      model.score(texts[n], of_text, expected);
      model.score(empty, read(n), of_read, got);
      expect_same(expected.state, got.state);
      expect_same(expected.overlay, got.overlay);
    }
  }
}

void read_lines(std::string_view input, std::size_t labels) {
  std::vector<TextSequence> texts;
  std::vector<croft::AttributeLines> lines;
  croft::AttributesReader reader(croft::LineReader(input, kFile), true);
  TextSequence text;
  croft::AttributeLines read;
  while (reader.next(text, read)) {
    croft::parse_attributes(read, kFile, text.node);
    texts.push_back(text);
    lines.push_back(read);
  }
  croft::ExtractionConfig extraction;
  extraction.format = croft::InputFormat::attributes;
  compare(extraction, texts, labels,
          [&](std::size_t n) { return ReadSequence{.lines = &lines[n], .file = &kFile}; });
}

void read_columns(std::string_view input, std::size_t labels) {
  croft::ExtractionConfig extraction;
  extraction.template_text = kTemplates;
  extraction.template_name = "template";
  extraction.columns = 2;
  const croft::Extractor extractor(extraction);
  croft::Extractor::Scratch scratch;
  std::vector<TextSequence> texts;
  std::vector<croft::ColumnSequence> rows;
  croft::ColumnsReader reader(croft::LineReader(input, kFile), 2);
  for (croft::ColumnSequence sequence; reader.next(sequence);) {
    rows.push_back(sequence);
    extractor.extract(sequence, false, scratch, texts.emplace_back(), kFile);
  }
  compare(extraction, texts, labels,
          [&](std::size_t n) { return ReadSequence{.rows = &rows[n], .file = &kFile}; });
}

}  // namespace

// The first byte says which, and how many labels there are.
CROFT_FUZZ_TARGET(fuzz_read_sequence) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t labels = 1 + data[0] / 2 % 40;
  try {
    (data[0] % 2 == 0 ? read_lines : read_columns)(input, labels);
  } catch (const croft::Error&) {
  }
  return 0;
}

}  // namespace fuzz_read_sequence
