#include "sql/tables/csv_tables.h"

#include <sqlite3.h>

#include <charconv>
#include <filesystem>
#include <set>

#include "core/parse_number.h"
#include "core/unicode.h"
#include "data/cell_count.h"
#include "data/csv.h"
#include "sql/sqlite_calls.h"

namespace croft {
namespace {

enum class Kind { integer, real, text };  // each takes in what those before it hold

bool is_whole(std::string_view cell) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc() && end == cell.data() + cell.size();
}

Kind kind_of(std::string_view cell) {
  std::string_view digits = cell;
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  const bool code = digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
  double value = 0;
  if (code || parse_number(cell, value) != NumberKind::finite) return Kind::text;
  if (is_whole(cell)) return Kind::integer;
  // Ids of 64 bits and more keep all of their digits.
  const bool long_id = digits.size() > 18 && digits.find_first_not_of("0123456789") == digits.npos;
  return long_id ? Kind::text : Kind::real;
}

class CsvTable {
 public:
  CsvTable(std::string path, char delimiter) : path_(std::move(path)), delimiter_(delimiter) {}

  // The columns, and what is in them.
  void look() {
    CsvRecordReader reader = open();
    if (!reader.next(record_)) throw InputError({path_}, "an empty file", "", "a header is needed");
    std::set<std::string> seen;
    for (std::size_t k = 0; k < record_.size(); ++k) {
      const std::string name(record_[k]);
      const auto fail = [&](std::string_view problem, std::string_view remedy) {
        throw InputError(record_.location(path_, k), problem, name, remedy);
      };
      if (name.empty()) fail("a column without a name in the header", "name it");
      if (!is_valid_utf8(name)) fail("a name that is not UTF-8", "convert the file to UTF-8");
      std::string lower = name;
      for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      if (!seen.insert(lower).second) fail("a column name twice in the header", "rename one");
      names_.push_back(name);
    }
    kinds_.assign(names_.size(), Kind::integer);
    while (reader.next(record_)) {
      require_cells();
      for (std::size_t k = 0; k < names_.size(); ++k) {
        if (!record_[k].empty()) kinds_[k] = std::max(kinds_[k], kind_of(record_[k]));
      }
    }
  }

  void import(const std::string& table, sqlite3* database) {
    std::string columns, marks;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      constexpr const char* kTypes[] = {"INTEGER", "REAL", "TEXT"};
      columns += (k > 0 ? ", " : "") + quoted_name(names_[k]) + " " +
                 kTypes[static_cast<std::size_t>(kinds_[k])];
      marks += k > 0 ? ", ?" : "?";
    }
    const std::string name = quoted_name(table);
    execute(database, "CREATE TABLE " + name + "(" + columns + ")", path_);
    Statement insert(database, "INSERT INTO " + name + " VALUES(" + marks + ")", path_);
    CsvRecordReader reader = open();
    reader.next(record_);
    while (reader.next(record_)) {
      for (std::size_t k = 0; k < names_.size(); ++k) bind(insert, k);
      insert.run();
    }
  }

 private:
  CsvRecordReader open() const { return CsvRecordReader(LineReader(path_), delimiter_); }

  void require_cells() const {
    if (record_.size() == names_.size()) return;
    throw InputError(
        {path_, record_.line()},
        cell_count(record_.size()) + " where the header has " + std::to_string(names_.size()),
        record_[0], "give every row a cell for each column");
  }

  void bind(Statement& insert, std::size_t k) const {
    const std::string_view cell = record_[k];
    double value = 0;
    if (cell.empty()) {
      insert.bind_null(k);
    } else if (kinds_[k] == Kind::text) {
      insert.bind(k, cell);
    } else if (kinds_[k] == Kind::integer) {
      std::int64_t whole = 0;
      std::from_chars(cell.data(), cell.data() + cell.size(), whole);
      insert.bind(k, whole);
    } else {
      parse_number(cell, value);
      insert.bind(k, value);
    }
  }

  std::string path_;
  char delimiter_;
  CsvRecord record_;
  std::vector<std::string> names_;
  std::vector<Kind> kinds_;
};

}  // namespace

void import_csv(const std::vector<std::string>& paths, const Message& option, sqlite3* database) {
  std::set<std::string> tables;
  execute(database, "BEGIN", ":memory:");
  for (const std::string& path : paths) {
    const std::filesystem::path file(path);
    const std::string extension = file.extension().string(), table = file.stem().string();
    if (extension != ".csv" && extension != ".tsv") {
      throw UsageError(
          option, " ", path,
          " is no file of SQLite, its name ends in neither .csv nor .tsv, and its first "
          "line has no ---- of GRMM");
    }
    if (!tables.insert(table).second) {
      throw UsageError(option, " ", path, ": there is a table ", in_quotes(table),
                       " already; rename the file");
    }
    CsvTable csv(path, extension == ".csv" ? ',' : '\t');
    csv.look();
    csv.import(table, database);
  }
  execute(database, "COMMIT", ":memory:");
}

}  // namespace croft
