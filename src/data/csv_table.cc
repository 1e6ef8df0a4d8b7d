#include "data/csv_table.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_set>
#include <utility>

#include "core/parse_number.h"
#include "core/unicode.h"
#include "core/words/counted.h"
#include "data/cell_count.h"
#include "data/checks.h"

namespace croft {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_missing(std::string_view content, const std::vector<std::string>& missing) {
  return content.empty() || contains(missing, content);
}

// "a", "b" and 7 more
std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 10;
  std::string list;
  for (std::size_t k = 0; k < std::min(names.size(), kShown); ++k) {
    list += (k > 0 ? ", " : "") + in_quotes(names[k]);
  }
  if (names.size() > kShown) list += " and " + std::to_string(names.size() - kShown) + " more";
  return list;
}

std::string columns_are(const std::vector<std::string>& names) {
  return (names.size() == 1 ? "the column " : "the columns ") + list_of(names);
}

std::vector<std::string> header_names(const CsvRecord& header, const std::string& file) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (std::size_t k = 0; k < header.size(); ++k) {
    const std::string_view name = header[k];
    const auto fail = [&](std::string_view problem, std::string_view remedy) {
      throw InputError(header.location(file, k), problem, name, remedy);
    };
    if (name.empty()) {
      fail("a column without a name in the header",
           "name it; if it only numbers the rows, write the table without it");
    }
    if (!is_valid_utf8(name)) fail("a name that is not UTF-8", "convert the file to UTF-8");
    if (name.front() == '\x01') {
      fail("a name that starts with byte 0x01, which is reserved", "rename the column");
    }
    if (!seen.insert(name).second) fail("a column name twice in the header", "rename one of them");
    names.emplace_back(name);
  }
  return names;
}

void require_cells(const CsvRecord& record, std::size_t cells, const std::string& file) {
  if (record.size() == cells) return;
  throw InputError({file, record.line()},
                   cell_count(record.size()) + " where the header has " + std::to_string(cells),
                   record[0],
                   "give every row a cell for each column, in quotes where it has the delimiter in "
                   "it; --delimiter says what that is");
}

[[noreturn]] void fail_number(const CsvRecord& record, std::size_t k, const std::string& file,
                              const std::string& column, NumberKind kind) {
  throw InputError(record.location(file, k),
                   (kind == NumberKind::not_finite ? "a number that is not finite" : "no number") +
                       std::string(" in the numeric column ") + in_quotes(column),
                   record[k],
                   "leave the cell empty, or name in training what stands for a missing one "
                   "(--missing), or the column as --categorical");
}

}  // namespace

void CsvOptions::validate() const {
  if (delimiter == '"' || delimiter == '\n' || delimiter == '\r') {
    throw UsageError("--delimiter is a quote or a line end; it is comma, tab or semicolon");
  }
  std::set<std::string_view> seen;
  if (!label.empty()) seen.insert(label);
  for (const auto* names : {&numeric, &categorical, &ignored, &missing}) {
    if (std::ranges::all_of(*names, [](const std::string& s) { return is_valid_utf8(s); }))
      continue;
    throw UsageError("a column or a missing cell is named by bytes that are not UTF-8");
  }
  for (const auto* names : {&numeric, &categorical, &ignored}) {
    for (const std::string& name : *names) {
      if (seen.insert(name).second) continue;
      throw UsageError("the column ", in_quotes(name),
                       " is named twice by --label, --numeric, --categorical and --ignore");
    }
  }
}

// --- the columns of training data

struct CsvColumnFinder::Column {
  enum class Use { label, ignored, numeric, categorical, open };
  std::string name;
  Use use = Use::open;
  std::size_t numbers = 0;
  bool other_text = false;           // a cell that is no number
  std::optional<Location> infinite;  // of the first number that is not finite
  std::string infinite_text;
  double mean = 0, squares = 0;  // squares: sum of (x - mean)^2, kept as Welford (1962) has it
  // Of the first cells, where no option says what they are.
  static constexpr std::size_t kMostSeen = 1000;
  std::size_t cells = 0, number_cells = 0;
  std::unordered_set<std::string> seen{}, words{};  // words: cells that are no numbers

  void add(double x) {
    ++numbers;
    const double before = x - mean;
    mean += before / static_cast<double>(numbers);
    squares += before * (x - mean);
  }
  bool is_numeric() const {
    return use == Use::numeric || (use == Use::open && !other_text && (numbers > 0 || infinite));
  }
};

CsvColumnFinder::CsvColumnFinder(CsvOptions options) : options_(std::move(options)) {
  options_.validate();
}

CsvColumnFinder::~CsvColumnFinder() = default;

void CsvColumnFinder::start(const CsvRecord& header, const std::string& file) {
  using Use = Column::Use;
  const std::vector<std::string> names = header_names(header, file);
  header_ = {file, header.line()};
  const auto require = [&](const std::string& name, const Message& option) {
    if (contains(names, name)) return;
    throw InputError({file, header.line()},
                     {"no column ", in_quotes(name), ", which ", option, " names"}, "",
                     {"there are ", columns_are(names), "; --delimiter says what is between them"});
  };
  label_ = options_.label;
  for (const char* usual : {"label", "Label", "class", "Class"}) {
    if (label_.empty() && contains(names, usual)) label_ = usual;
  }
  if (label_.empty()) label_ = names.back();
  require(label_, "--label");
  for (const std::string& name : options_.numeric) require(name, "--numeric");
  for (const std::string& name : options_.categorical) require(name, "--categorical");
  for (const std::string& name : options_.ignored) require(name, "--ignore");
  for (const std::string& name : names) {
    const Use use = contains(options_.ignored, name)       ? Use::ignored
                    : contains(options_.numeric, name)     ? Use::numeric
                    : contains(options_.categorical, name) ? Use::categorical
                    : name == label_                       ? Use::label
                    : options_.all_categorical             ? Use::categorical
                                                           : Use::open;
    if (name == label_ && use != Use::label) {
      throw UsageError("the column ", in_quotes(name),
                       " is the label, as no option says otherwise; name the label with --label");
    }
    Column& column = columns_.emplace_back();
    column.name = name;
    column.use = use;
  }
  if (std::ranges::any_of(
          columns_, [](const Column& c) { return c.use != Use::label && c.use != Use::ignored; })) {
    return;
  }
  throw InputError(
      {file, header.line()}, "no column besides the label " + in_quotes(label_), "",
      "give the columns that it is predicted from; --delimiter says what is between them");
}

void CsvColumnFinder::read(LineReader lines) {
  CsvRecordReader records(std::move(lines), options_.delimiter);
  CsvRecord record;
  if (!records.next(record)) return;  // for the reader to complain of
  if (columns_.empty()) {
    delimiter_ = records.delimiter();
    start(record, records.name());
  }
  std::vector<Column*> column_of;
  std::vector<std::string> strange;
  for (const std::string& name : header_names(record, records.name())) {
    const auto at = std::ranges::find(columns_, name, &Column::name);
    if (at == columns_.end()) strange.push_back(name);
    column_of.push_back(at == columns_.end() ? nullptr : &*at);
  }
  if (!strange.empty() || column_of.size() != columns_.size()) {
    throw InputError({records.name(), record.line()}, "other columns than in the first file",
                     strange.empty() ? "" : strange.front(),
                     "give all training files the same columns, in any order");
  }
  while (records.next(record)) {
    require_cells(record, column_of.size(), records.name());
    for (std::size_t k = 0; k < record.size(); ++k) {
      look_at(record, k, *column_of[k], records.name());
    }
  }
}

void CsvColumnFinder::look_at(const CsvRecord& record, std::size_t k, Column& column,
                              const std::string& file) {
  using Use = Column::Use;
  if (column.use == Use::open && column.cells < Column::kMostSeen) {
    ++column.cells;
    column.seen.emplace(record[k]);
    const std::string_view content = without_blanks(record[k]);
    double value = 0;
    if (parse_number(content, value) != NumberKind::not_a_number) {
      ++column.number_cells;
    } else if (!is_missing(content, options_.missing)) {
      column.words.emplace(content);
    }
  }
  if (column.use != Use::numeric && (column.use != Use::open || column.other_text)) return;
  const std::string_view content = without_blanks(record[k]);
  if (is_missing(content, options_.missing)) return;
  double value = 0;
  const NumberKind kind = parse_number(content, value);
  if (kind == NumberKind::finite) {
    column.add(value);
  } else if (column.use == Use::numeric) {
    fail_number(record, k, file, column.name, kind);
  } else if (kind == NumberKind::not_a_number) {
    column.other_text = true;
  } else if (!column.infinite) {
    column.infinite = record.location(file, k);
    column.infinite_text = record[k];
  }
}

// The name of a column of numbers that is a number itself, as in a row of data; names that count
// the columns are names.
std::string CsvColumnFinder::number_as_name() const {
  std::string found;
  double before = 0;
  std::size_t numbers = 0;
  bool counts = true;
  for (const Column& each : columns_) {
    double value = 0;
    if (parse_number(each.name, value) != NumberKind::finite) continue;
    counts = counts && value == std::floor(value) && (numbers == 0 || value == before + 1);
    if (found.empty() && each.is_numeric()) found = each.name;
    before = value;
    ++numbers;
  }
  return counts && numbers > 1 ? "" : found;
}

std::vector<std::string> CsvColumnFinder::warnings() const {
  constexpr std::size_t kEnough = 20;     // cells
  constexpr std::size_t kFewNumbers = 3;  // may be names
  std::vector<std::string> out;
  if (const std::string name = number_as_name(); !name.empty()) {
    out.push_back(
        Message("a column of numbers is called ", in_quotes(name), ": is the header missing?")
            .text());
  }
  for (const Column& c : columns_) {
    if (c.use != Column::Use::open || c.is_numeric()) continue;
    if (c.words.size() == 1 && c.number_cells >= kFewNumbers) {
      out.push_back(
          Message("the column ", in_quotes(c.name), " has ", counted(c.number_cells, "number"),
                  " and also ", in_quotes(*c.words.begin()),
                  ", so that each of its cells is a category: ", Message::option("missing"), " ",
                  in_quotes(*c.words.begin()), " reads numbers, some of them missing")
              .text());
      continue;
    }
    if (c.cells < kEnough || c.seen.size() * 10 < c.cells * 9) continue;
    const Message problem("the column ", in_quotes(c.name),
                          " has another cell in nearly every row (", c.seen.size(),
                          " in the first ", c.cells, "), and each is a feature of its own: ");
    const Message remedy("if it is text, ", Message::option("text-column"), " ", in_quotes(c.name),
                         " makes features of its words; if it only names the rows, leave it out "
                         "with ",
                         Message::option("ignore"), " ", in_quotes(c.name));
    out.push_back(Message(problem, remedy).text());
  }
  return out;
}

CsvColumns CsvColumnFinder::columns() const {
  using Use = Column::Use;
  CsvColumns found{delimiter_,       label_,           {},
                   options_.ignored, options_.missing, options_.standardise};
  for (const Column& column : columns_) {
    if (column.use == Use::label || column.use == Use::ignored) continue;
    CsvColumn& out = found.columns.emplace_back(CsvColumn{.name = column.name});
    if (!column.is_numeric()) continue;
    out.kind = CsvKind::numeric;
    if (column.infinite) {
      throw InputError(*column.infinite,
                       "a number that is not finite in the column " + in_quotes(column.name) +
                           ", where all else is numbers",
                       column.infinite_text,
                       "if it stands for a missing number, say so with --missing; if the column is "
                       "not one of numbers, with --categorical");
    }
    if (!options_.standardise || column.numbers == 0) continue;
    const double deviation = std::sqrt(column.squares / static_cast<double>(column.numbers));
    if (!std::isfinite(column.mean) || !std::isfinite(deviation)) {
      throw Error("the numbers of the column " + in_quotes(column.name) +
                  " are too large to be standardised; scale them down");
    }
    out.mean = column.mean;
    if (deviation > 0) out.deviation = deviation;  // otherwise all are equal, and become 0
  }
  check_names(found.columns);
  return found;
}

// A cell of a column of categories is the attribute COLUMN=CELL, which another column may be
// called.
void CsvColumnFinder::check_names(const std::vector<CsvColumn>& columns) const {
  std::set<std::string_view> categorical;
  for (const CsvColumn& each : columns) {
    if (each.kind == CsvKind::categorical) categorical.insert(each.name);
  }
  for (const CsvColumn& each : columns) {
    const std::string_view name = each.name;
    for (std::size_t at = name.find('='); at != name.npos; at = name.find('=', at + 1)) {
      if (!categorical.contains(name.substr(0, at))) continue;
      throw InputError(
          header_,
          {"the column ", in_quotes(name), " and the cell ", in_quotes(name.substr(at + 1)),
           " of the column ", in_quotes(name.substr(0, at)), " would be one attribute"},
          "", {"rename one of the two columns, or leave it out with ", Message::option("ignore")});
    }
  }
}

// --- rows

CsvReader::CsvReader(LineReader lines, const CsvColumns& columns, bool allow_unlabelled)
    : records_(std::move(lines), columns.delimiter),
      columns_(columns),
      allow_unlabelled_(allow_unlabelled) {}

// Columns by name, in any order.
void CsvReader::read_header() {
  const std::vector<std::string> names = header_names(record_, name());
  std::vector<std::string> unknown, absent;
  place_.assign(columns_.columns.size(), names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto at = std::ranges::find(columns_.columns, names[k], &CsvColumn::name);
    if (at != columns_.columns.end()) {
      place_[static_cast<std::size_t>(at - columns_.columns.begin())] = k;
    } else if (names[k] == columns_.label) {
      label_at_ = k;
    } else if (!contains(columns_.ignored, names[k])) {
      unknown.push_back(names[k]);
    }
  }
  for (std::size_t c = 0; c < place_.size(); ++c) {
    if (place_[c] == names.size()) absent.push_back(columns_.columns[c].name);
  }
  if (!label_at_ && !allow_unlabelled_) absent.push_back(columns_.label);
  cells_ = names.size();
  if (unknown.empty() && absent.empty()) return;
  std::string problem = absent.empty() ? "" : columns_are(absent) + " missing";
  if (!unknown.empty()) {
    problem += (absent.empty() ? "" : ", and ") + columns_are(unknown) + " unknown to the model";
  }
  throw InputError({name(), record_.line()}, problem, "",
                   "give the table the columns of the training data, in any order; the header is "
                   "its first line");
}

bool CsvReader::next(TextSequence& sequence) {
  sequence.clear();
  if (cells_ == 0) {
    if (!records_.next(record_)) return false;
    const bool known =
        std::ranges::find(columns_.columns, record_[0], &CsvColumn::name) != columns_.columns.end();
    if (!known) records_.split_by_name(record_);
    read_header();
  }
  if (!records_.next(record_)) {
    if (first_row_line_ > 0) return false;
    throw InputError({name()}, "a header, and no row below it", "",
                     "check that what wrote the file succeeded, and that its first row holds the "
                     "names of the columns");
  }
  require_cells(record_, cells_, name());
  sequence.first_line = record_.line();
  for (std::size_t c = 0; c < place_.size(); ++c) {
    const CsvColumn& column = columns_.columns[c];
    const std::string_view cell = record_[place_[c]], content = without_blanks(cell);
    if (is_missing(content, columns_.missing)) continue;
    std::string& bytes = sequence.node.bytes() += column.name;
    if (column.kind == CsvKind::categorical) {
      bytes.append("=").append(cell);
      sequence.node.end_item();
      continue;
    }
    double value = 0;
    const NumberKind kind = parse_number(content, value);
    if (kind != NumberKind::finite) fail_number(record_, place_[c], name(), column.name, kind);
    sequence.node.end_item((value - column.mean) / column.deviation);
  }
  sequence.node.end_list();
  read_label(sequence);
  return true;
}

void CsvReader::read_label(TextSequence& sequence) {
  const std::string_view label = label_at_ ? record_[*label_at_] : std::string_view();
  const auto fail = [&](const std::string& problem, std::string_view remedy) {
    throw InputError(
        label_at_ ? record_.location(name(), *label_at_) : Location{name(), record_.line()},
        problem, label, remedy);
  };
  const bool labelled = !is_missing(without_blanks(label), columns_.missing);
  if (!labelled && !allow_unlabelled_) {
    fail("a row without its label", "fill the column " + in_quotes(columns_.label));
  }
  if (first_row_line_ == 0) {
    labelled_ = labelled;
    first_row_line_ = record_.line();
  }
  if (labelled != labelled_) {
    fail(std::string(labelled ? "a row with a label" : "a row without a label") + ", unlike line " +
             std::to_string(first_row_line_),
         "fill the column " + in_quotes(columns_.label) + " in every row, or in none");
  }
  if (!labelled) return;
  if (label.find('\n') != label.npos) fail("a line end in a label", "write it on one line");
  sequence.labels.append(label);
  sequence.labels.end_list();
}

}  // namespace croft
