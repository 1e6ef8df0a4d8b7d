#include "bugs/language/array_files.h"

#include <utility>

#include "core/json.h"
#include "core/parse_number.h"
#include "data/csv.h"

namespace croft::bugs {
namespace {

std::string whole_text(LineReader& lines) {
  std::string text;
  std::string_view line;
  while (lines.next(line)) text.append(line).append("\n");
  return text;
}

Location place_of_byte(const std::string& file, std::string_view text, std::size_t byte) {
  Location where{file, 1, 1};
  for (const char c : text.substr(0, byte == 0 ? 0 : byte - 1)) {
    ++where.column;
    if (c == '\n') ++where.line, where.column = 1;
  }
  return where;
}

class JsonArrays {
 public:
  explicit JsonArrays(std::string file) : file_(std::move(file)) {}

  Arrays set(const Json& object) {
    if (!object.is_object()) {
      throw InputError({file_}, "names with their values are expected here", object.dump(),
                       "write {\"alpha\": 1, \"y\": [1, null, 3]}");
    }
    Arrays out;
    for (const auto& [key, value] : object.items()) {
      if (key.starts_with(".RNG.")) {
        ignored.push_back(key);
        continue;
      }
      Array array;
      for (const Json* inner = &value; inner->is_array(); inner = inner->begin()) {
        if (inner->empty() && inner != &value) fail(key, "an empty row");
        array.dimensions.push_back(inner->size());
        if (inner->empty()) break;
      }
      std::size_t total = 1;
      for (const std::size_t each : array.dimensions) {
        if (each > 0 && total > ArrayLimits::values / each) fail(key, "too many values");
        total *= each;
      }
      array.values.assign(total, kMissingValue);
      fill(key, value, array, 0, 0, 1);
      if (array.dimensions.empty()) array.dimensions = {1};
      out.emplace(key, std::move(array));
    }
    return out;
  }

  std::vector<std::string> ignored;

 private:
  // Values that lie in `level` arrays; the place of the first, and the step of this dimension.
  void fill(const std::string& key, const Json& value, Array& out, std::size_t level,
            std::size_t place, std::size_t step) const {
    if (level == out.dimensions.size()) {
      out.values[place] = number(key, value);
      return;
    }
    if (!value.is_array() || value.size() != out.dimensions[level]) {
      fail(key, "rows of different lengths, or a number beside a row");
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      fill(key, value.at(i), out, level + 1, place + i * step, step * out.dimensions[level]);
    }
  }

  double number(const std::string& key, const Json& value) const {
    if (value.is_null() || (value.is_string() && value.string() == "NA")) return kMissingValue;
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    if (!value.is_number()) fail(key, "a value that is no number");
    return value.get<double>();
  }

  [[noreturn]] void fail(const std::string& key, const Message& problem) const {
    throw InputError({file_}, problem, key,
                     "write numbers, null for what is missing, and rows of one length");
  }

  const std::string file_;
};

double cell_number(const CsvRecord& record, std::size_t k, const std::string& file) {
  const std::string_view cell = record[k];
  if (cell.empty() || cell == "NA") return kMissingValue;
  double value = 0;
  if (parse_number(cell, value) != NumberKind::finite) {
    throw InputError(record.location(file, k), "a cell that is no number", cell,
                     "leave it empty, or write NA, where a value is missing");
  }
  return value;
}

}  // namespace

ArrayFile read_json_arrays(LineReader lines) {
  const std::string text = whole_text(lines);
  Json document;
  try {
    document = parse_json(text, {.refuse_repeated_keys = true, .depth = ArrayLimits::nesting});
  } catch (const JsonError& error) {
    throw InputError(place_of_byte(lines.name(), text, error.byte()), error.message(), "",
                     "a file of JSON has {\"alpha\": 1, \"y\": [1, null, 3]}");
  }
  JsonArrays reader(lines.name());
  ArrayFile out;
  if (document.is_array()) {
    for (const Json& each : document) out.sets.push_back(reader.set(each));
  } else {
    out.sets.push_back(reader.set(document));
  }
  if (out.sets.empty()) out.sets.emplace_back();
  out.ignored = std::move(reader.ignored);
  return out;
}

ArrayFile read_csv_arrays(LineReader lines) {
  CsvRecordReader records(std::move(lines));
  CsvRecord header, record;
  ArrayFile out;
  Arrays& set = out.sets.emplace_back();
  if (!records.next(header)) return out;
  std::vector<Array*> columns;
  for (std::size_t k = 0; k < header.size(); ++k) {
    const auto [place, added] = set.emplace(std::string(header[k]), Array());
    if (!added || header[k].empty()) {
      throw InputError(header.location(records.name(), k),
                       added ? Message("a column without a name") : Message("a second column"),
                       header[k], "give each column a name of its own in the first line");
    }
    columns.push_back(&place->second);
  }
  while (records.next(record)) {
    if (record.size() != columns.size()) {
      throw InputError(
          record.location(records.name(), 0),
          Message("a row of ", record.size(), " cells, and the header has ", columns.size()), "",
          "give each row a cell for each column");
    }
    for (std::size_t k = 0; k < columns.size(); ++k) {
      columns[k]->values.push_back(cell_number(record, k, records.name()));
    }
  }
  for (Array* const each : columns) each->dimensions = {each->values.size()};
  return out;
}

ArrayFile read_array_file(const std::string& path) {
  if (path.ends_with(".json")) return read_json_arrays(LineReader(path));
  if (path.ends_with(".csv")) return read_csv_arrays(LineReader(path));
  return read_r_dump(LineReader(path));
}

std::string by_rows_note(const std::string& path, const ArrayFile& file) {
  if (file.by_rows.empty()) return {};
  return path + ": " + in_quotes(file.by_rows) +
         " is read row by row, as OpenBUGS has arrays in list( ); without list( they are read "
         "column by column, as JAGS and R do";
}

namespace {

void note(const std::string& path, const ArrayFile& file, ArrayNotes& notes) {
  notes.ignored.insert(notes.ignored.end(), file.ignored.begin(), file.ignored.end());
  if (notes.by_rows.empty()) notes.by_rows = by_rows_note(path, file);
}

}  // namespace

Arrays read_data_files(const std::vector<std::string>& paths, ArrayNotes& notes) {
  Arrays out;
  for (const std::string& path : paths) {
    ArrayFile file = read_array_file(path);
    if (file.sets.size() != 1) {
      throw InputError({path}, "several sets of data", "", "give one: the chains share it");
    }
    for (auto& [name, array] : file.sets[0]) {
      if (!out.emplace(name, std::move(array)).second) {
        throw InputError({path}, "another file of data has this name before", name,
                         "give each name once");
      }
    }
    note(path, file, notes);
  }
  return out;
}

std::vector<Arrays> read_init_files(const std::vector<std::string>& paths, ArrayNotes& notes) {
  std::vector<Arrays> out;
  for (const std::string& path : paths) {
    ArrayFile file = read_array_file(path);
    for (Arrays& each : file.sets) out.push_back(std::move(each));
    note(path, file, notes);
  }
  return out;
}

}  // namespace croft::bugs
