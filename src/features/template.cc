#include "features/template.h"

#include <algorithm>
#include <cassert>

#include "core/unicode.h"
#include "croft/core/error.h"
#include "features/template_parser.h"

namespace croft {

struct TemplateSet::State {
  std::string name, text;
  TemplateLanguage language = TemplateLanguage::crfpp;
  std::vector<Template> templates;
  std::size_t columns_needed = 0;
};

namespace {

// What stands for the rows outside a sequence; [n-1] for the n-th row before it or after it.  A row
// of CRF++ is at most 8 before, and 9 after when the position is that of STOP.
constexpr std::string_view kCrfppBefore[] = {"_B-1", "_B-2", "_B-3", "_B-4",
                                             "_B-5", "_B-6", "_B-7", "_B-8"};
constexpr std::string_view kCrfppAfter[] = {"_B+1", "_B+2", "_B+3", "_B+4", "_B+5",
                                            "_B+6", "_B+7", "_B+8", "_B+9"};
constexpr std::string_view kWapitiBefore[] = {"_x-1", "_x-2", "_x-3", "_x-4", "_x-#"};
constexpr std::string_view kWapitiAfter[] = {"_x+1", "_x+2", "_x+3", "_x+4", "_x+#"};

// names[n - 1], or the last of them when n is larger.
template <std::size_t N>
std::string_view outside(const std::string_view (&names)[N], std::ptrdiff_t n) {
  return names[std::min<std::ptrdiff_t>(n, N) - 1];
}

// The cell that a macro names, or what stands for it outside the sequence.
std::string_view cell_of(const TemplatePiece& piece, const ColumnSequence& rows, std::size_t t,
                         TemplateLanguage language) {
  const auto count = static_cast<std::ptrdiff_t>(rows.rows());
  std::ptrdiff_t row = piece.position;
  if (!piece.absolute) {
    row += static_cast<std::ptrdiff_t>(t);
  } else {
    row = row < 0 ? row + count : row - 1;
  }
  const bool crfpp = language == TemplateLanguage::crfpp;
  if (row < 0) return crfpp ? outside(kCrfppBefore, -row) : outside(kWapitiBefore, -row);
  if (row >= count) {
    const std::ptrdiff_t n = row - count + 1;
    return crfpp ? outside(kCrfppAfter, n) : outside(kWapitiAfter, n);
  }
  return rows.cell(static_cast<std::size_t>(row), piece.column);
}

}  // namespace

TemplateSet::TemplateSet() : state_(std::make_unique<State>()) {}
TemplateSet::~TemplateSet() = default;
TemplateSet::TemplateSet(TemplateSet&&) noexcept = default;
TemplateSet& TemplateSet::operator=(TemplateSet&&) noexcept = default;

TemplateSet TemplateSet::parse(std::string_view text, const std::string& name,
                               TemplateLanguage language, std::span<const std::string> names) {
  TemplateSet set;
  State& state = *set.state_;
  state.name = name;
  state.text = text;
  state.language = language == TemplateLanguage::automatic ? recognise_language(text) : language;
  state.templates = parse_templates(text, name, state.language, names);
  for (const Template& line : state.templates) {
    for (const TemplatePiece& piece : line.pieces) {
      if (piece.kind == TemplatePiece::Kind::text) continue;
      state.columns_needed = std::max<std::size_t>(state.columns_needed, piece.column + 1);
    }
  }
  return set;
}

TemplateLanguage TemplateSet::language() const { return state_->language; }
const std::string& TemplateSet::text() const { return state_->text; }
std::size_t TemplateSet::size() const { return state_->templates.size(); }
const std::string& TemplateSet::line(std::size_t k) const { return state_->templates[k].line; }
bool TemplateSet::on_nodes(std::size_t k) const { return state_->templates[k].on_nodes; }
bool TemplateSet::on_edges(std::size_t k) const { return state_->templates[k].on_edges; }
// The kind is a text, and texts side by side are one.
bool TemplateSet::is_constant(std::size_t k) const {
  return state_->templates[k].pieces.size() == 1;
}
std::size_t TemplateSet::columns_needed() const { return state_->columns_needed; }
bool TemplateSet::uses_column(std::size_t column) const {
  const auto names_it = [&](const TemplatePiece& piece) {
    return piece.kind != TemplatePiece::Kind::text && piece.column == column;
  };
  return std::ranges::any_of(state_->templates, [&](const Template& line) {
    return std::ranges::any_of(line.pieces, names_it);
  });
}

std::optional<std::vector<TemplateSet::CellAt>> TemplateSet::cells_of(std::size_t k) const {
  std::vector<CellAt> cells;
  for (const TemplatePiece& piece : state_->templates[k].pieces) {
    if (piece.kind == TemplatePiece::Kind::text) continue;
    if (piece.absolute) return std::nullopt;
    cells.push_back({piece.position, piece.column});
  }
  return cells;
}

void TemplateSet::check_columns(std::size_t columns) const {
  if (state_->columns_needed <= columns) return;
  for (const Template& line : state_->templates) {
    for (const TemplatePiece& piece : line.pieces) {
      if (piece.kind == TemplatePiece::Kind::text) continue;
      if (piece.named || piece.column < columns) continue;
      throw InputError({state_->name, line.number},
                       "the template names column " + std::to_string(piece.column), line.line,
                       "the data has " + std::to_string(columns) +
                           (columns == 1 ? " column" : " columns") +
                           " besides the labels, and the first is 0");
    }
  }
}

void TemplateSet::expand(std::size_t k, const ColumnSequence& rows, std::size_t t,
                         std::string& out) const {
  assert(k < size() && t <= rows.rows());
  const Template& line = state_->templates[k];
  for (const TemplatePiece& piece : line.pieces) {
    if (piece.kind == TemplatePiece::Kind::text) {
      out += piece.text;
      continue;
    }
    std::string_view value = cell_of(piece, rows, t, state_->language);
    if (piece.kind == TemplatePiece::Kind::test) {
      value = line.regexes[piece.regex].matches(value) ? "true" : "false";
    } else if (piece.kind == TemplatePiece::Kind::match) {
      std::string_view match;
      line.regexes[piece.regex].find(value, match);
      value = match;
    }
    if (!piece.lower) {
      out += value;
    } else if (state_->language == TemplateLanguage::wapiti_bytes) {
      for (const char c : value) out += ascii_lower(c);
    } else {
      append_lower(value, out);
    }
  }
}

}  // namespace croft
