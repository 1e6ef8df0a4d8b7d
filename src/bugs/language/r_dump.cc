#include <cmath>
#include <limits>
#include <utility>

#include "bugs/language/array_files.h"
#include "bugs/language/token_place.h"

namespace croft::bugs {
namespace {

class DumpParser {
 public:
  explicit DumpParser(const Tokens& tokens) : at_(tokens) {}

  ArrayFile parse() {
    while (!at_.at_end()) {
      if (at_.is("list") && at_.is("(", 1)) {
        list_of_sets();
      } else if (at_.is_name() && at_.is("[", 1)) {
        columns();
      } else {
        add(first_, "<-");
      }
      in_list_ = false;
      at_.take(";");
    }
    if (out_.sets.empty() || !first_.empty()) {
      out_.sets.insert(out_.sets.begin(), std::move(first_));
    }
    return std::move(out_);
  }

 private:
  // list(a = 1, …), or list(list(a = 1), list(a = 2)).
  void list_of_sets() {
    at_.next();
    at_.next();
    in_list_ = true;
    if (!at_.is("list")) {
      Arrays set;
      named_values(set);
      if (out_.sets.empty() && first_.empty()) {
        first_ = std::move(set);
        return;
      }
      at_.fail("a second list beside other values", "put all names into one list");
    }
    do {
      if (!at_.is("list") || !at_.is("(", 1)) at_.fail("list( is expected here", "");
      at_.next();
      at_.next();
      Arrays set;
      named_values(set);
      out_.sets.push_back(std::move(set));
    } while (at_.take(","));
    at_.expect(")");
  }

  // WinBUGS' rectangles:  x[] Y[,1] Y[,2]  above rows of numbers and END.  Columns of one name are
  // those of a matrix.
  void columns() {
    std::vector<std::pair<Token, std::size_t>> heads;  // name, column of a matrix or 0
    while (at_.is_name() && at_.is("[", 1)) {
      const Token name = at_.current();
      at_.next(), at_.next();
      std::size_t column = 0;
      if (at_.take(",")) column = count_of(at_.current(), single());
      at_.expect("]", "a table of WinBUGS has heads such as x[] or Y[,2]");
      std::size_t before = 0;
      for (const auto& [other, place] : heads) before += other.text == name.text ? 1 : 0;
      if (first_.contains(name.text) || (column == 0 ? before > 0 : column != before + 1)) {
        at_.fail(name, "this column is not the next of its name", "write x[] once, Y[,1] Y[,2] …");
      }
      heads.emplace_back(name, column);
    }
    std::vector<std::vector<double>> read(heads.size());
    for (std::size_t k = 0; !at_.is("END"); k = (k + 1) % heads.size()) {
      const Token cell = at_.current();
      if (at_.at_end()) at_.fail("a table of WinBUGS ends with a line END", "");
      const Array number = single();
      if (number.values.size() != 1) at_.fail(cell, "a number or NA is expected here", "");
      read[k].push_back(number.values[0]);
    }
    if (read.back().size() != read.front().size()) {
      at_.fail(Message("the last row has fewer than ", heads.size(), " numbers"), "");
    }
    at_.next();
    for (std::size_t k = 0; k < heads.size(); ++k) {
      Array& array = first_[heads[k].first.text];
      array.values.insert(array.values.end(), read[k].begin(), read[k].end());
      array.dimensions = {read[k].size()};
      if (heads[k].second > 0) array.dimensions.push_back(heads[k].second);
    }
  }

  void named_values(Arrays& set) {
    if (at_.take(")")) return;
    do add(set, "=");
    while (at_.take(","));
    at_.expect(")");
  }

  void add(Arrays& set, std::string_view sign) {
    const Token name = at_.current();
    if (!at_.is_name() && !at_.is_quoted()) {
      at_.fail("a name is expected here", "a dump of R has lines such as: y <- c(1, NA, 2.5)");
    }
    at_.next();
    if (!at_.take(sign) && !at_.take("=")) {
      at_.fail(Message(sign, " is expected here"), "write NAME <- VALUE");
    }
    if (name.text.starts_with(".RNG.")) {
      skip_value();
      out_.ignored.push_back(name.text);
      return;
    }
    by_rows_ = false;
    Array array = value();
    if (array.dimensions.empty()) array.dimensions = {array.values.size()};
    if (by_rows_) from_rows(array, name);
    if (!set.emplace(name.text, std::move(array)).second) {
      at_.fail(name, "this name has a value before", "give each name once");
    }
  }

  // Any expression: a seed, or the name of a generator.
  void skip_value() {
    if (at_.take("-") || at_.is_number() || at_.is_quoted()) {
      at_.next();
      return;
    }
    value();
  }

  // A vector or an array; dimensions of a vector are left empty.
  Array value() {
    const Token first = at_.current();
    Array out = single();
    if (!at_.take(":")) return out;
    const Token last = at_.current();
    const Array end = single();
    if (out.values.size() != 1 || end.values.size() != 1 || !std::isfinite(out.values[0]) ||
        !std::isfinite(end.values[0])) {
      at_.fail(first, "a range goes from one number to another", "write 1:10");
    }
    const double from = out.values[0], to = end.values[0], steps = std::floor(std::abs(to - from));
    if (steps >= static_cast<double>(ArrayLimits::values)) {
      at_.fail(last, "this range is too long", "");
    }
    const auto count = static_cast<std::size_t>(steps) + 1;
    reserve(last, count);
    out.values.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      out.values[i] = to < from ? from - static_cast<double>(i) : from + static_cast<double>(i);
    }
    return out;
  }

  Array single() {
    if (++depth_ > ArrayLimits::nesting) {
      at_.fail(Message("more than ", ArrayLimits::nesting, " values lie in each other"), "");
    }
    Array out = single_here();
    --depth_;
    return out;
  }

  Array single_here() {
    const Token token = at_.current();
    if (at_.take("-")) {
      Array out = single();
      for (double& each : out.values) each = -each;
      return out;
    }
    if (at_.take("+")) return single();
    if (at_.is_number()) {
      at_.next();
      return one(token, token.number);
    }
    if (at_.is_quoted()) {
      at_.fail("a text is no number", "code groups and categories as 1, 2, …");
    }
    if (at_.take("(")) {
      Array out = value();
      at_.expect(")");
      return out;
    }
    if (!at_.is_name()) at_.fail("a value is expected here", "write a number, NA or c(…)");
    if (at_.is("(", 1)) return call();
    at_.next();
    if (token.text == "NA" || token.text == "NaN" || token.text == "NA_real_" ||
        token.text == "NA_integer_") {
      return one(token, kMissingValue);
    }
    if (token.text == "Inf") return one(token, std::numeric_limits<double>::infinity());
    if (token.text == "TRUE" || token.text == "FALSE") return one(token, token.text == "TRUE");
    at_.fail(token, "this is no value", "write a number, NA, c(…) or structure(…)");
  }

  Array call() {
    const Token function = at_.current();
    at_.next();
    at_.next();
    if (function.text == "c") return concatenation();
    if (function.text == "structure") return structure();
    if (function.text == "as.integer" || function.text == "as.numeric" ||
        function.text == "as.double") {
      Array out = value();
      at_.expect(")");
      out.dimensions.clear();
      if (function.text == "as.integer") {
        for (double& each : out.values) each = std::trunc(each);
      }
      return out;
    }
    if (function.text == "integer" || function.text == "numeric") {
      const Array size = value();
      at_.expect(")");
      Array out;
      out.values.assign(count_of(function, size), 0);
      return out;
    }
    if (function.text == "rep") {
      const Array each = value();
      at_.expect(",");
      if (at_.is("times") && at_.is("=", 1)) at_.next(), at_.next();
      const std::size_t times = count_of(at_.current(), value(), each.values.size());
      at_.expect(")");
      Array out;
      for (std::size_t i = 0; i < times; ++i) {
        out.values.insert(out.values.end(), each.values.begin(), each.values.end());
      }
      return out;
    }
    at_.fail(function, "this function of R is not known here",
             "write values with c, structure, rep, as.integer and a:b, as R's dump() does");
  }

  // How many values are asked for, each of them `size` numbers.
  std::size_t count_of(const Token& token, const Array& count, std::size_t size = 1) {
    if (count.values.size() != 1 || !(count.values[0] >= 0) ||
        !(count.values[0] <= static_cast<double>(ArrayLimits::values))) {
      at_.fail(token, "a whole number of values is expected here", "");
    }
    const auto times = static_cast<std::size_t>(count.values[0]);
    if (size > 0 && times > ArrayLimits::values / size) at_.fail(token, "too many values", "");
    reserve(token, times * size);
    return times;
  }

  Array concatenation() {
    Array out;
    if (at_.take(")")) return out;
    do {
      if ((at_.is_name() || at_.is_quoted()) && at_.is("=", 1)) at_.next(), at_.next();
      const Array part = value();
      out.values.insert(out.values.end(), part.values.begin(), part.values.end());
    } while (at_.take(","));
    at_.expect(")");
    return out;
  }

  // structure(values, .Dim = c(2, 3), .Dimnames = list(…)), in any order; .Data = values
  Array structure() {
    Token first = at_.current();
    Array out;
    bool has_values = false;
    do {
      const bool named = (at_.is_name() || at_.is_quoted()) && at_.is("=", 1);
      const std::string key = named ? at_.take_text() : ".Data";
      if (named) at_.next();
      if (key == ".Data") {
        if (has_values) {
          at_.fail("the name of an attribute is expected here", "write .Dim = c(2, 3)");
        }
        has_values = true;
        first = at_.current();
        Array data = value();
        out.values = std::move(data.values);
        if (out.dimensions.empty()) out.dimensions = std::move(data.dimensions);
      } else if (key == ".Dim" || key == "dim") {
        dimensions(out, at_.current());
        by_rows_ = in_list_ && key == ".Dim";  // R writes dim in its lists
      } else {
        skip_expression();  // names, levels, a class
      }
    } while (at_.take(","));
    at_.expect(")");
    if (!has_values) at_.fail(first, "a structure without values", "write .Data = c(1, 2, 3)");
    if (!out.dimensions.empty()) {
      double product = 1;
      for (const std::size_t each : out.dimensions) product *= static_cast<double>(each);
      if (product != static_cast<double>(out.values.size())) {
        at_.fail(first,
                 Message("the dimensions ask for ", static_cast<std::uint64_t>(product),
                         " values, and there are ", out.values.size()),
                 "");
      }
    }
    return out;
  }

  // Values whose last subscript runs fastest, in R's order.
  void from_rows(Array& array, const Token& name) {
    const std::vector<double> rows = array.values;
    std::size_t longer = 0;
    for (const std::size_t each : array.dimensions) longer += each > 1 ? 1 : 0;
    if (longer < 2) return;  // both orders are one
    if (out_.by_rows.empty()) out_.by_rows = name.text;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      std::size_t rest = k, place = 0;
      for (const std::size_t extent : array.dimensions) {
        place = place * extent + rest % extent;
        rest /= extent;
      }
      array.values[k] = rows[place];
    }
  }

  void dimensions(Array& out, const Token& at) {
    out.dimensions.clear();
    for (const double each : value().values) {
      if (!(each >= 1) || each != std::floor(each) ||
          each > static_cast<double>(ArrayLimits::values) || out.dimensions.size() == 16) {
        at_.fail(at, "dimensions are up to 16 whole numbers from 1 on", "write .Dim = c(2, 3)");
      }
      out.dimensions.push_back(static_cast<std::size_t>(each));
    }
  }

  void skip_expression() {
    std::size_t open = 0;
    while (!at_.at_end() && (open > 0 || (!at_.is(",") && !at_.is(")")))) {
      if (at_.is("(")) ++open;
      if (at_.is(")")) --open;
      at_.next();
    }
  }

  Array one(const Token& token, double number) {
    reserve(token, 1);
    Array out;
    out.values = {number};
    return out;
  }

  void reserve(const Token& token, std::size_t count) {
    if (count > ArrayLimits::values - values_) {
      at_.fail(token, Message("more than ", ArrayLimits::values, " values"), "");
    }
    values_ += count;
  }

  TokenPlace at_;
  ArrayFile out_;
  Arrays first_;  // of assignments, and of a list
  std::size_t depth_ = 0, values_ = 0;
  bool in_list_ = false, by_rows_ = false;  // by_rows_: the value that is being read
};

}  // namespace

ArrayFile read_r_dump(LineReader lines) {
  const Tokens tokens = read_tokens(std::move(lines), TokenLanguage::r_dump);
  return DumpParser(tokens).parse();
}

}  // namespace croft::bugs
