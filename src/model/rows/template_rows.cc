#include "model/rows/template_rows.h"

#include <algorithm>
#include <map>
#include <optional>

namespace croft {

TemplateRows::TemplateRows(const TemplateSet& templates, const std::vector<std::size_t>& which,
                           std::size_t first, const FeatureTable& table)
    : templates_(templates), table_(table), first_(first) {
  plan(templates, which);
  start();
}

namespace {

using Cells = std::vector<TemplateSet::CellAt>;

std::int32_t first_row(const Cells& cells) {
  return cells.empty() ? 0 : std::ranges::min(cells, {}, &TemplateSet::CellAt::row).row;
}

// Columns of the data, then tuples of cells of one row, then others.
int rank(const Cells& cells) {
  if (cells.size() == 1) return 0;
  const bool one_row = std::ranges::all_of(cells, [](const auto& cell) { return cell.row == 0; });
  return one_row ? 1 : 2;
}

bool in_order(const Cells& a, const Cells& b) {
  const auto number = [](const auto& cell) { return std::pair(cell.row, cell.column); };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return std::ranges::lexicographical_compare(a, b, {}, number, number);
}

}  // namespace

// A template is remembered where its cells are few and near.
void TemplateRows::plan(const TemplateSet& templates, const std::vector<std::size_t>& which) {
  struct Use {
    std::size_t step;
    std::int32_t row;  // of the first cell, from the position on
  };
  std::map<Cells, std::vector<Use>, decltype(&in_order)> uses_of(&in_order);
  for (const std::size_t k : which) {
    Step& step = steps_.emplace_back();
    step.which = k;
    auto cells = templates.cells_of(k);
    step.remembered = cells && cells->size() <= kMostCells &&
                      std::ranges::all_of(*cells, [](const TemplateSet::CellAt& cell) {
                        return -kMostAway <= cell.row && cell.row <= kMostAway;
                      });
    if (!step.remembered) continue;
    const std::int32_t first = first_row(*cells);
    for (TemplateSet::CellAt& cell : *cells) {
      away_ = std::max(away_, static_cast<std::size_t>(std::abs(cell.row)));
      cell.row -= first;
      uses_of.try_emplace(Cells{{0, cell.column}});
    }
    uses_of[*cells].push_back({steps_.size() - 1, first});
  }
  width_ = uses_of.size();
  std::vector<std::uint32_t> slots;  // of each column
  for (const auto& [cells, uses] : uses_of) {
    if (rank(cells) == 0) columns_.push_back(cells[0].column);
    if (rank(cells) != 0) tuples_.push_back(tuple_of(cells));
    if (rank(cells) != 2) ++of_one_row_;
    for (std::size_t n = 0; n < uses.size(); ++n) {
      Step& step = steps_[uses[n].step];
      step.at =
          uses[n].row * static_cast<std::int32_t>(width_) + static_cast<std::int32_t>(slots.size());
      step.slot = static_cast<std::uint32_t>(n);
    }
    if (!uses.empty()) {
      const auto [first, last] = std::ranges::minmax(uses, {}, &Use::row);
      newest_.push_back(last.row * static_cast<std::int32_t>(width_) +
                        static_cast<std::int32_t>(slots.size()));
      if (rank(cells) == 2) {
        tuples_.back().first = first.row;
        tuples_.back().last = last.row;
      }
    }
    slots.push_back(std::max(1u, static_cast<std::uint32_t>(uses.size())));
  }
  others_.resize(columns_.size());
  cells_ = CellNumbers(std::move(slots));
}

// When all columns of the data are there.
TemplateRows::Tuple TemplateRows::tuple_of(const std::vector<TemplateSet::CellAt>& cells) const {
  Tuple tuple;
  tuple.cells = static_cast<std::uint32_t>(cells.size());
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const auto column = std::ranges::lower_bound(columns_, cells[c].column) - columns_.begin();
    tuple.at[c] =
        cells[c].row * static_cast<std::int32_t>(width_) + static_cast<std::int32_t>(column);
  }
  return tuple;
}

// Forgets everything: at first, and when it has become too much.
void TemplateRows::start() {
  cells_.clear();
  row_numbers_ = LineNumbers();
  above_.assign(columns_.size(), {});
  ids_.clear();
  outside_.clear();
  for (std::size_t r = 0; r < 2 * away_; ++r) {
    for (std::uint32_t c = 0; c < of_one_row_; ++c) outside_.push_back(cells_.take(c));
  }
}

// numbers_ of the rows from `away_` before begin to `away_` behind end.
void TemplateRows::number_cells(const ColumnSequence& rows, std::size_t begin, std::size_t end) {
  if (cells_.end() > kMostNumbers || cells_.bytes() > kMostBytes) start();
  const std::size_t count = rows.rows();
  numbers_.resize((end - begin + 2 * away_) * width_);
  std::uint32_t* out = numbers_.data();
  const auto outside = [&](std::size_t row) {  // of outside_
    std::copy_n(outside_.data() + row * of_one_row_, of_one_row_, out);
    out += width_;
  };
  std::size_t r = begin;  // row r - away_
  for (; r < away_; ++r) outside(r);
  const std::size_t last = std::min(end + 2 * away_, count + away_);
  const bool tries = !columns_.empty() && row_numbers_.tries(end - begin);
  for (; r < last; r += kAtOnce) {
    const std::size_t now = std::min(kAtOnce, last - r);
    if (tries) {
      number_rows(rows, r - away_, now, out);
    } else {
      for (std::size_t k = 0; k < now; ++k) {
        number_cells_of(rows, r - away_ + k, out + k * width_);
      }
    }
    out += now * width_;
  }
  for (r = last; r < end + 2 * away_; ++r) outside(r - count);
  number_tuples(end - begin);
  ids_.resize(cells_.end(), kNotYet);
}

// Rows that were seen before have the numbers that they had then.  Rows of equal texts have equal
// cells where a text has one blank between two cells and no other: only such are remembered.
void TemplateRows::number_rows(const ColumnSequence& rows, std::size_t first, std::size_t count,
                               std::uint32_t* out) {
  std::array<std::string_view, kAtOnce> text;
  std::array<std::uint64_t, kAtOnce> hash;
  for (std::size_t k = 0; k < count; ++k) {
    const char* const begin = rows.line(first + k).data();
    const std::string_view end = rows.cell(first + k, columns_.back());
    text[k] = {begin, static_cast<std::size_t>(end.data() + end.size() - begin)};
    hash[k] = hash_string(text[k]);
    row_numbers_.prefetch(hash[k]);
  }
  for (std::size_t k = 0; k < count; ++k) row_numbers_.prefetch_text(hash[k]);
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  for (std::size_t k = 0; k < count; ++k, out += width_) {
    if (const std::uint32_t number = row_numbers_.find(text[k], hash[k]); number != kUnknown) {
      std::copy_n(cells_of_row_.data() + number * of_one_row_, of_one_row_, out);
      continue;
    }
    number_cells_of(rows, first + k, out);
    if (std::ranges::count_if(text[k], is_blank) != columns_.back()) continue;
    const std::size_t at = row_numbers_.insert(text[k], hash[k]) * of_one_row_;
    if (cells_of_row_.size() < at + of_one_row_) cells_of_row_.resize(at + of_one_row_);
    std::copy_n(out, of_one_row_, cells_of_row_.data() + at);
  }
}

// A cell that is like the one above it has its number; the slots of all others are on their way
// before the first is looked at.
void TemplateRows::number_cells_of(const ColumnSequence& rows, std::size_t t, std::uint32_t* out) {
  std::size_t others = 0;
  for (std::uint32_t c = 0; c < columns_.size(); ++c) {
    const std::string_view text = rows.cell(t, columns_[c]);
    const CellNumbers::Key key(c, text);
    out[c] = above_[c].number;
    if (key == above_[c].key && text.size() <= CellNumbers::kShort) continue;
    const std::uint64_t hash = key.hash();
    cells_.prefetch(hash);
    others_[others++] = {text, key, hash};
  }
  for (std::size_t k = 0; k < others; ++k) {
    const auto& [text, key, hash] = others_[k];
    out[key.column] = cells_.insert(key, hash, text);
    above_[key.column] = {key, out[key.column]};
  }
  for (std::size_t c = columns_.size(); c < of_one_row_; ++c) {
    const CellNumbers::Tuple tuple = tuple_at(c, out);
    out[c] = cells_.insert(tuple, tuple.hash());
  }
}

//   row : its cells among numbers_, or alike
CellNumbers::Tuple TemplateRows::tuple_at(std::size_t column, const std::uint32_t* row) const {
  const Tuple& tuple = tuples_[column - columns_.size()];
  CellNumbers::Tuple out;
  out.column = static_cast<std::uint32_t>(column);
  for (std::size_t c = 0; c < tuple.cells; ++c) out.cell[c] = row[tuple.at[c]];
  return out;
}

// Tuples of several rows, of `count` positions and of what these have beside them.  Their slots are
// spread: they are on their way before the first is looked at.
void TemplateRows::number_tuples(std::size_t count) {
  constexpr std::size_t kSome = 32;
  std::array<std::pair<CellNumbers::Tuple, std::uint64_t>, kSome> some;
  for (std::size_t c = of_one_row_; c < width_; ++c) {
    const Tuple& tuple = tuples_[c - columns_.size()];
    const auto row = static_cast<std::size_t>(static_cast<std::int64_t>(away_) + tuple.first);
    const std::size_t end = row + count + static_cast<std::size_t>(tuple.last - tuple.first);
    for (std::size_t r = row; r < end; r += kSome) {
      const std::size_t now = std::min(kSome, end - r);
      std::uint32_t* const first = numbers_.data() + r * width_;
      for (std::size_t k = 0; k < now; ++k) {
        some[k].first = tuple_at(c, first + k * width_);
        some[k].second = some[k].first.hash();
        cells_.prefetch_tuple(some[k].second);
      }
      for (std::size_t k = 0; k < now; ++k) {
        first[k * width_ + c] = cells_.insert(some[k].first, some[k].second);
      }
    }
  }
}

void TemplateRows::find_rows(const ColumnSequence& rows, std::size_t begin, std::size_t end,
                             std::size_t numbered) {
  names_.clear();
  missed_.clear();
  found_.start(begin);
  found_.make_room((end - begin) * steps_.size());
  FoundRow* out = found_.rows.data();
  // Those of no weights are left out; those that are not known yet may become such.
  const auto add = [&](std::uint32_t id) {
    *out = {id, 1};
    out += id != kUnknown ? 1 : 0;
  };
  const auto miss = [&](std::size_t t, std::size_t n, std::size_t at) {
    templates_.expand(steps_[n].which, rows, t, names_.bytes());
    names_.end_item();
    missed_.push_back({static_cast<std::size_t>(out - found_.rows.data()), n, at});
    add(kNotYet);
  };
  for (std::size_t t = begin; t < end; ++t) {
    const std::uint32_t* const row = numbers_at(t, numbered);
    for (const std::int32_t at : newest_) __builtin_prefetch(&ids_[row[at]]);
  }
  for (std::size_t t = begin; t < end; ++t) {
    const std::uint32_t* const row = numbers_at(t, numbered);
    for (std::size_t n = 0; n < steps_.size() && t >= first_; ++n) {
      const Step& step = steps_[n];
      const std::size_t at = step.remembered ? row[step.at] + step.slot : 0;
      if (!step.remembered || ids_[at] == kNotYet) [[unlikely]] {
        miss(t, n, at);
      } else {
        add(ids_[at]);
      }
    }
    found_.end.push_back(static_cast<std::size_t>(out - found_.rows.data()));
  }
  find_missed();
}

void TemplateRows::find_missed() {
  if (missed_.empty()) return;
  table_.find_ids(names_, found_ids_);
  for (std::size_t n = 0; n < missed_.size(); ++n) {
    const auto& [row, step, at] = missed_[n];
    found_.rows[row].id = found_ids_[n];
    if (steps_[step].remembered) ids_[at] = found_ids_[n];
  }
}

}  // namespace croft
