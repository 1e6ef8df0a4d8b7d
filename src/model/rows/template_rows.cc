#include "model/rows/template_rows.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>

#include "features/bytes.h"

namespace croft {
std::uint64_t CellNumbers::Key::hash() const {
  return mix_words(text.word[0] ^ (std::uint64_t{column} << 56),
                   text.word[1] ^ (std::uint64_t{size} << 32));
}

void CellNumbers::clear() {
  slots_.assign(1024, Slot());
  used_ = 0;
  next_ = 0;
  long_texts_.clear();
}

std::uint32_t CellNumbers::insert(const Key& key, std::uint64_t hash, std::string_view text) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].number != kUnknown; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.key == key && (text.size() <= kShort || equal_bytes(long_texts_.data() + slot.text,
                                                                 text.data(), text.size()))) {
      return slot.number;
    }
  }
  const std::uint32_t number = take(key.column);
  slots_[at] = {key, number, static_cast<std::uint32_t>(long_texts_.size())};
  if (text.size() > kShort) long_texts_ += text;
  if (2 * ++used_ > slots_.size()) grow();
  return number;
}

void CellNumbers::grow() {
  LargeVector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.number == kUnknown) continue;
    std::size_t at = slot.key.hash() & mask;
    while (slots_[at].number != kUnknown) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

TemplateRows::TemplateRows(const TemplateSet& templates, const std::vector<std::size_t>& which,
                           std::size_t first, const FeatureTable& table)
    : templates_(templates), table_(table), first_(first) {
  plan(templates, which);
  start();
}

// A template is remembered where its cells are few and near.
void TemplateRows::plan(const TemplateSet& templates, const std::vector<std::size_t>& which) {
  std::vector<std::vector<TemplateSet::CellAt>> cells_of;
  std::vector<bool> remembered;
  std::map<std::uint32_t, std::uint32_t> slot_of_column;
  for (const std::size_t k : which) {
    auto cells = templates.cells_of(k);
    const bool near = cells && cells->size() <= kMostCells &&
                      std::ranges::all_of(*cells, [](const TemplateSet::CellAt& cell) {
                        return -kMostAway <= cell.row && cell.row <= kMostAway;
                      });
    remembered.push_back(near);
    if (!near) cells.emplace();
    for (const TemplateSet::CellAt& cell : *cells) {
      slot_of_column.emplace(cell.column, 0);
      away_ = std::max(away_, static_cast<std::size_t>(std::abs(cell.row)));
    }
    cells_of.push_back(std::move(*cells));
  }
  for (auto& [column, index] : slot_of_column) {
    index = static_cast<std::uint32_t>(columns_.size());
    columns_.push_back(column);
  }
  std::vector<std::uint32_t> slots(columns_.size(), 0);  // templates of one cell, of each column
  for (std::size_t n = 0; n < which.size(); ++n) {
    Step& step = steps_.emplace_back();
    step.which = which[n];
    step.remembered = remembered[n];
    step.cells = static_cast<std::uint32_t>(cells_of[n].size());
    for (std::size_t c = 0; c < step.cells; ++c) {
      const auto [row, column] = cells_of[n][c];
      const std::uint32_t index = slot_of_column[column];
      step.at[c] =
          row * static_cast<std::int32_t>(columns_.size()) + static_cast<std::int32_t>(index);
      if (step.cells == 1) step.slot = slots[index]++;
    }
  }
  others_.resize(columns_.size());
  for (std::uint32_t& count : slots) count = std::max(count, 1u);
  cells_ = CellNumbers(std::move(slots));
}

// Forgets everything: at first, and when it has become too much.
void TemplateRows::start() {
  cells_.clear();
  row_numbers_ = LineNumbers();
  above_.assign(columns_.size(), {});
  ids_.clear();
  entries_.assign(kEntries, Entry{{}, kUnknown, 0});
  outside_.clear();
  for (std::size_t r = 0; r < 2 * away_; ++r) {
    for (std::uint32_t c = 0; c < columns_.size(); ++c) outside_.push_back(cells_.take(c));
  }
}

// numbers_ of the rows from `away_` before begin to `away_` behind end.
void TemplateRows::number_cells(const ColumnSequence& rows, std::size_t begin, std::size_t end) {
  if (cells_.end() > kMostNumbers || cells_.bytes() > kMostBytes) start();
  const std::size_t width = columns_.size(), count = rows.rows();
  numbers_.resize((end - begin + 2 * away_) * width);
  std::uint32_t* out = numbers_.data();
  const bool tries = width > 0 && row_numbers_.tries(end - begin);
  for (std::size_t r = begin; r < end + 2 * away_; ++r, out += width) {  // row r - away_
    const bool before = r < away_;
    if (before || r >= count + away_) {
      const std::size_t outside = before ? r : r - count;
      std::copy_n(outside_.data() + outside * width, width, out);
      continue;
    }
    if (tries) {
      number_row(rows, r - away_, out);
    } else {
      number_cells_of(rows, r - away_, out);
    }
  }
  ids_.resize(cells_.end(), kNotYet);
}

// A row that was seen before has the numbers that it had then.  Rows of equal texts have equal
// cells where a text has one blank between two cells and no other: only such are remembered.
void TemplateRows::number_row(const ColumnSequence& rows, std::size_t t, std::uint32_t* out) {
  const char* const begin = rows.line(t).data();
  const std::string_view last = rows.cell(t, columns_.back());
  const std::string_view row(begin, static_cast<std::size_t>(last.data() + last.size() - begin));
  const std::uint64_t hash = hash_string(row);
  const std::size_t width = columns_.size();
  if (const std::uint32_t number = row_numbers_.find(row, hash); number != kUnknown) {
    std::copy_n(cells_of_row_.data() + number * width, width, out);
    return;
  }
  number_cells_of(rows, t, out);
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  if (std::ranges::count_if(row, is_blank) != columns_.back()) return;
  const std::size_t at = row_numbers_.insert(row, hash) * width;
  if (cells_of_row_.size() < at + width) cells_of_row_.resize(at + width);
  std::copy_n(out, width, cells_of_row_.data() + at);
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
}

TemplateRows::Cells TemplateRows::cells_at(const Step& step, const std::uint32_t* row) const {
  Cells cells{};
  for (std::size_t c = 0; c < step.cells; ++c) cells[c] = row[step.at[c]];
  return cells;
}

std::size_t TemplateRows::entry_at(std::size_t step, const Cells& cells) {
  return mix_words(cells[0] | std::uint64_t{cells[1]} << 32,
                   (cells[2] | std::uint64_t{cells[3]} << 32) + kGoldenOdd * (step + 1)) %
         kEntries;
}

// Those of several cells are spread: they are on their way before the first is looked at.
void TemplateRows::prefetch_entries(std::size_t begin, std::size_t end, std::size_t numbered) {
  for (std::size_t n = 0; n < steps_.size(); ++n) {
    if (!steps_[n].remembered || steps_[n].cells == 1) continue;
    for (std::size_t t = begin; t < end; ++t) {
      const Cells cells = cells_at(steps_[n], numbers_at(t, numbered));
      __builtin_prefetch(&entries_[entry_at(n, cells)]);
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
  const auto miss = [&](std::size_t t, std::size_t n, std::size_t at, const Cells& cells) {
    templates_.expand(steps_[n].which, rows, t, names_.bytes());
    names_.end_item();
    missed_.push_back({static_cast<std::size_t>(out - found_.rows.data()), n, at, cells});
  };
  prefetch_entries(begin, end, numbered);
  for (std::size_t t = begin; t < end; ++t) {
    const std::uint32_t* const row = numbers_at(t, numbered);
    for (std::size_t n = 0; n < steps_.size() && t >= first_; ++n) {
      const Step& step = steps_[n];
      if (step.cells == 1) {
        const std::size_t at = row[step.at[0]] + step.slot;
        if (ids_[at] == kNotYet) miss(t, n, at, {});
        add(ids_[at]);
        continue;
      }
      if (!step.remembered) {
        miss(t, n, 0, {});
        add(kNotYet);
        continue;
      }
      const Cells cell = cells_at(step, row);
      const std::size_t at = entry_at(n, cell);
      const Entry& entry = entries_[at];
      if (entry.step == n && entry.cell == cell) {
        add(entry.id);
        continue;
      }
      miss(t, n, at, cell);
      add(kNotYet);
    }
    found_.end.push_back(static_cast<std::size_t>(out - found_.rows.data()));
  }
  find_missed();
}

void TemplateRows::find_missed() {
  if (missed_.empty()) return;
  table_.find_ids(names_, found_ids_);
  for (std::size_t n = 0; n < missed_.size(); ++n) {
    const auto& [row, step, at, cells] = missed_[n];
    const std::uint32_t id = found_ids_[n];
    found_.rows[row].id = id;
    if (steps_[step].cells == 1) {
      ids_[at] = id;
    } else if (steps_[step].remembered) {
      entries_[at] = {cells, static_cast<std::uint32_t>(step), id};
    }
  }
}

}  // namespace croft
