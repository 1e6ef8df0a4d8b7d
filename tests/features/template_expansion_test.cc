// Expansion of random templates: what a template gives is its pieces, one after the other.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "features/rows.h"
#include "features/template.h"

namespace croft::template_expansion_test {
namespace {

using Strings = std::vector<std::string>;

// A template as text, and what it should give at a position.
struct Written {
  std::string text, expected;
};

ColumnSequence random_rows(std::size_t columns) {
  ColumnSequence rows;
  const auto count = *rc::gen::inRange<std::size_t>(1, 6);
  for (std::size_t t = 0; t < count; ++t) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      line += *rc::gen::element<std::string>("The", "été", "U.S.", "%x[0,0]", "\xFF", "#", "12");
      line += *rc::gen::element<std::string>(" ", "\t", " \t ");
    }
    rows.append_row(line);
  }
  return rows;
}

std::string outside(const char* before, const char* after, std::ptrdiff_t row, std::ptrdiff_t count,
                    std::ptrdiff_t last_number) {
  const std::ptrdiff_t n = row < 0 ? -row : row - count + 1;
  return std::string(row < 0 ? before : after) + (n > last_number ? "#" : std::to_string(n));
}

Written random_template(const ColumnSequence& rows, std::size_t t, bool wapiti) {
  Written out;
  out.text = *rc::gen::element<std::string>("U", "B");
  out.expected = wapiti ? std::string(out.text == "U" ? "u" : "b") : out.text;
  const auto pieces = *rc::gen::inRange(0, 5);
  for (int i = 0; i < pieces; ++i) {
    if (*rc::gen::arbitrary<bool>()) {
      const auto text = *rc::gen::element<std::string>("0:", "/", "é", "[", "x]", "\"");
      out.text += text;
      out.expected += text;
      continue;
    }
    const auto row = *rc::gen::inRange<std::ptrdiff_t>(-8, 9);
    const auto column = *rc::gen::inRange<std::size_t>(0, 3);
    out.text += "%x[" + std::to_string(row) + "," + std::to_string(column) + "]";
    const auto at = static_cast<std::ptrdiff_t>(t) + row;
    const auto count = static_cast<std::ptrdiff_t>(rows.rows());
    if (at >= 0 && at < count) {
      out.expected += rows.cell(static_cast<std::size_t>(at), column);
    } else {
      out.expected +=
          wapiti ? outside("_x-", "_x+", at, count, 4) : outside("_B-", "_B+", at, count, 9);
    }
  }
  return out;
}

RC_GTEST_PROP(TemplateExpansion, IsTheConcatenationOfThePieces, ()) {
  const ColumnSequence rows = random_rows(3);
  const auto t = *rc::gen::inRange<std::size_t>(0, rows.rows() + 1);
  const bool wapiti = *rc::gen::arbitrary<bool>();
  std::vector<Written> templates;
  std::string text;
  const auto count = *rc::gen::inRange(1, 4);
  for (int k = 0; k < count; ++k) {
    templates.push_back(random_template(rows, t, wapiti));
    text += templates.back().text + "\n";
  }
  const TemplateSet set =
      TemplateSet::parse(text, "t", wapiti ? TemplateLanguage::wapiti : TemplateLanguage::crfpp);
  RC_ASSERT(set.size() == templates.size());
  for (std::size_t k = 0; k < set.size(); ++k) {
    std::string out;
    set.expand(k, rows, t, out);
    RC_ASSERT(out == templates[k].expected);
    RC_ASSERT(set.line(k) == templates[k].text);
    RC_ASSERT(set.is_constant(k) == (set.line(k).find("%x") == std::string::npos));
  }
}

std::string read(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

TEST(TemplateExpansion, TheUsualChunkingTemplateSaysTheSameInBothLanguages) {
  const char* const folder = std::getenv("CROFT_DATA");
  const std::filesystem::path data =
      std::filesystem::path(folder ? folder : CROFT_SOURCE_DIR "/../shared/data") / "conll2000";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no data at " << data;
  const TemplateSet a = TemplateSet::parse(read(data / "chunking.crfpp.template"), "a");
  const TemplateSet b = TemplateSet::parse(read(data / "chunking.wapiti.pattern"), "b");
  EXPECT_EQ(a.language(), TemplateLanguage::crfpp);
  EXPECT_EQ(b.language(), TemplateLanguage::wapiti);
  ASSERT_EQ(a.size(), 20u);
  ASSERT_EQ(b.size(), 20u);
  EXPECT_EQ(a.columns_needed(), 2u);
  const ColumnSequence rows =
      rows_of({"a DT B", "b NN I", "c VB B", "d IN B", "e DT B", "f JJ I", "g NN I"});
  for (std::size_t k = 0; k + 1 < a.size(); ++k) {  // the last is the B of the transitions
    std::string from_a, from_b;
    a.expand(k, rows, 3, from_a);
    b.expand(k, rows, 3, from_b);
    EXPECT_EQ("u:" + from_a, from_b);
  }
  EXPECT_TRUE(a.on_edges(19) && b.on_edges(19));
}

}  // namespace
}  // namespace croft::template_expansion_test
