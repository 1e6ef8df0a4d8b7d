// Wapiti's models, which are text: a header, patterns, labels, observations, weights.  A string is
// its length, a colon, its bytes and a comma; an observation has a weight for each label, or for
// each pair of labels, or both, and the weights of all of them are numbered in that order.
#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "core/parse_number.h"
#include "croft/core/error.h"
#include "features/extraction.h"
#include "model/foreign/foreign_chain.h"
#include "model/foreign/template_lines.h"

namespace croft {
namespace {

// Reads from left to right; blanks between what it reads count for nothing.
class Scanner {
 public:
  Scanner(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  [[noreturn]] void fail(const std::string& problem) const {
    const std::string_view before = bytes_.substr(0, at_);
    const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
    const std::string_view rest = bytes_.substr(at_);
    throw InputError({file_, line}, problem,
                     rest.substr(0, std::min<std::size_t>(rest.find('\n'), 40)),
                     "the file is damaged; restore it from a copy or train again");
  }
  bool at_end() {
    skip_blanks();
    return at_ == bytes_.size();
  }
  bool at_stop() const { return at_ == bytes_.size(); }  // without a blank behind it
  bool take(std::string_view expected) {
    skip_blanks();
    return take_here(expected);
  }
  bool take_here(std::string_view expected) {
    if (!bytes_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }
  void require(std::string_view expected, std::string_view what) {
    if (!take(expected)) fail("here " + std::string(what) + " is expected");
  }
  std::uint64_t number(std::string_view what) {
    skip_blanks();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(here(), stop(), value);
    if (error == std::errc::result_out_of_range) fail(std::string(what) + " is too large");
    if (error != std::errc{}) fail("here " + std::string(what) + " is expected");
    at_ += static_cast<std::size_t>(end - here());
    return value;
  }
  std::string_view netstring(std::string_view what) {
    const std::uint64_t length = number("the length of " + std::string(what));
    if (!take_here(":")) fail("a colon is missing behind the length of " + std::string(what));
    if (length >= bytes_.size() - at_) {
      fail(std::string(what) + " of " + std::to_string(length) + " bytes ends behind the file");
    }
    const std::string_view text = bytes_.substr(at_, static_cast<std::size_t>(length));
    if (bytes_[at_ + text.size()] != ',') {
      fail("no comma ends " + std::string(what) + " of " + std::to_string(length) + " bytes");
    }
    if (text.find('\0') != text.npos) fail(std::string(what) + " has a NUL byte");
    at_ += text.size() + 1;
    return text;
  }
  double weight();

 private:
  const char* here() const { return bytes_.data() + at_; }
  const char* stop() const { return bytes_.data() + bytes_.size(); }
  void skip_blanks() {
    while (at_ < bytes_.size() &&
           (bytes_[at_] == ' ' || (bytes_[at_] >= '\t' && bytes_[at_] <= '\r'))) {
      ++at_;
    }
  }

  std::string_view bytes_;
  const std::string& file_;
  std::size_t at_ = 0;
};

// Hexadecimal, as Wapiti writes it, or decimal.
double Scanner::weight() {
  double value = 0;
  const std::size_t begin = at_;
  const bool negative = take_here("-");
  if (take_here("0x")) {
    const auto [end, error] = std::from_chars(here(), stop(), value, std::chars_format::hex);
    at_ += static_cast<std::size_t>(end - here());
    if (error == std::errc{}) return negative ? -value : value;
  } else {
    const std::string_view rest = bytes_.substr(begin);
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t\n\v\f\r"));
    if (parse_number(word, value) == NumberKind::finite) {
      at_ = begin + word.size();
      return value;
    }
  }
  at_ = begin;
  fail("a weight that is no number, or none that fits 64 bits");
}

struct IndexedWeight {
  std::uint64_t index;
  double weight;
};

class WapitiReader {
 public:
  WapitiReader(std::string_view bytes, const std::string& file) : in_(bytes, file), file_(file) {}

  ForeignChain read() {
    read_header();
    read_patterns();
    for (const std::string_view label : read_strings("labels", "a label")) {
      chain_.labels.emplace_back(label);
    }
    observations_ = read_strings("observations", "an observation");
    std::unordered_set<std::string_view> seen(observations_.size());
    for (const std::string_view each : observations_) {
      check_observation(each);
      if (!seen.insert(each).second)
        in_.fail("the observation " + in_quotes(each) + " occurs twice");
    }
    read_weights();
    make_rows();
    return std::move(chain_);
  }

 private:
  void read_header();
  void read_patterns();
  void take_patterns(const std::vector<std::string_view>& patterns);
  void check_pattern(std::string_view pattern) const;
  std::vector<std::string_view> read_strings(std::string_view many, std::string_view one);
  void check_observation(std::string_view name) const;
  void read_weights();
  void make_rows();
  void add_row(std::uint64_t begin, std::uint64_t width, double times, std::string_view name,
               ForeignRows& rows);

  Scanner in_;
  const std::string& file_;
  ForeignChain chain_;
  std::uint64_t type_ = 0, weights_ = 0, patterns_ = 0;
  bool automatic_ = false;  // every feature of the data gets a "u" before it, every row is alone
  std::vector<std::string_view> observations_;
  std::vector<IndexedWeight> weight_;
  std::size_t next_ = 0;  // of weight_
};

// Older models have no type, which Wapiti takes for that of maximum entropy.  It decodes these as
// it does a CRF: they are one whose observations may all be of positions.
void WapitiReader::read_header() {
  in_.require("#mdl#", "the mark \"#mdl#\" of a Wapiti model");
  weights_ = in_.number("the number of weights");
  if (in_.take_here("#")) {
    type_ = weights_;
    weights_ = in_.number("the number of weights");
  }
  if (type_ > 2) in_.fail("a type of model that is none of 0 (maxent), 1 (memm) and 2 (crf)");
  in_.require("#rdr#", "the mark \"#rdr#\"");
  patterns_ = in_.number("the number of patterns");
  in_.require("/", "a \"/\"");
  in_.number("the largest column");
  if (in_.take_here("/")) automatic_ = in_.number("0 or 1") != 0;
  if (type_ == 1) chain_.kind = ChainKind::memm;
  if (automatic_) chain_.kind = ChainKind::maxent;
}

void WapitiReader::read_patterns() {
  std::vector<std::string_view> patterns;
  for (std::uint64_t k = 0; k < patterns_; ++k) patterns.push_back(in_.netstring("a pattern"));
  ExtractionConfig& extraction = chain_.extraction;
  extraction.format = InputFormat::columns;
  extraction.more_columns = true;
  if (patterns.empty()) {
    extraction.cell_attributes = automatic_ ? CellAttributes::all : CellAttributes::by_prefix;
    return;
  }
  extraction.template_name = file_ + " (patterns)";
  extraction.language = TemplateLanguage::wapiti_bytes;
  take_patterns(patterns);
  const TemplateSet templates =
      TemplateSet::parse(extraction.template_text, extraction.template_name, extraction.language);
  extraction.columns = templates.columns_needed();
  if (extraction.columns > ExtractionConfig::kMostColumns) {
    in_.fail("a pattern looks at column " + std::to_string(extraction.columns - 1));
  }
  for (std::size_t k = 0; k < templates.size(); ++k) check_pattern(templates.line(k));
}

// With the automatic "u" patterns of edges are for nothing, as a sequence is one row.
void WapitiReader::take_patterns(const std::vector<std::string_view>& patterns) {
  std::string& text = chain_.extraction.template_text;
  for (const std::string_view pattern : patterns) {
    const bool known = !pattern.empty() && std::string_view("ub*").find(pattern[0]) != pattern.npos;
    if (!known || pattern.find_first_of("#\n") != pattern.npos ||
        std::string_view(" \t\v\f\r").find(pattern.back()) != pattern.npos) {
      in_.fail("no file of patterns can have the pattern " + in_quotes(pattern));
    }
    if (automatic_ && pattern[0] == 'b') continue;
    if (automatic_) text += 'u';
    text.append(pattern) += '\n';
  }
}

void WapitiReader::check_pattern(std::string_view pattern) const {
  if (has_octal_row(pattern)) {
    in_.fail("the pattern " + in_quotes(pattern) + " has a row in octal, which is not read");
  }
  if (!automatic_) return;
  for (const MacroPlace& macro : macros_of(pattern)) {
    const std::string_view row = pattern.substr(macro.row_begin, macro.row_end - macro.row_begin);
    if (!macro.absolute && (row == "0" || row == "-0")) continue;
    in_.fail("the pattern " + in_quotes(pattern) +
             " looks at other rows, and each row of this model is alone: this is not read");
  }
}

std::vector<std::string_view> WapitiReader::read_strings(std::string_view many,
                                                         std::string_view one) {
  in_.require("#qrk#", "the mark \"#qrk#\"");
  const std::uint64_t count = in_.number("the number of " + std::string(many));
  if (count == 0) in_.fail("a model without " + std::string(many));
  std::vector<std::string_view> strings;
  for (std::uint64_t k = 0; k < count; ++k) strings.push_back(in_.netstring(one));
  return strings;
}

void WapitiReader::check_observation(std::string_view name) const {
  const std::string_view kinds = automatic_ ? "u" : "ub*";
  if (!name.empty() && kinds.find(name[0]) != kinds.npos) return;
  in_.fail("the observation " + in_quotes(name) + " begins with none of " + in_quotes(kinds));
}

// What comes behind them is the state of an optimiser.
void WapitiReader::read_weights() {
  for (std::uint64_t k = 0; k < weights_; ++k) {
    const std::uint64_t index = in_.number("the number of a weight");
    if (!in_.take_here("=")) in_.fail("a \"=\" is missing behind the number of a weight");
    weight_.push_back({index, in_.weight()});
  }
  if (weights_ > 0 && in_.at_stop())
    in_.fail("no newline ends the last weight: the file may be cut");
  if (!in_.at_end() && !in_.take_here("#")) in_.fail("more weights than the header says");
  const auto in_order = [](const IndexedWeight& a, const IndexedWeight& b) {
    return a.index < b.index;
  };
  if (!std::ranges::is_sorted(weight_, in_order)) std::ranges::stable_sort(weight_, in_order);
}

// The weights with numbers from `begin` on, times `times`, as a row, where there are any; the last
// of two with one number counts.
void WapitiReader::add_row(std::uint64_t begin, std::uint64_t width, double times,
                           std::string_view name, ForeignRows& rows) {
  for (; next_ < weight_.size() && weight_[next_].index < begin + width; ++next_) {
    const auto [index, weight] = weight_[next_];
    const bool again = next_ + 1 < weight_.size() && weight_[next_ + 1].index == index;
    if (!again) rows.add(static_cast<std::uint32_t>(index - begin), weight * times);
  }
  if (rows.begin.back() < rows.cell.size()) rows.end_row(std::string(name));
}

void WapitiReader::make_rows() {
  const std::uint64_t labels = chain_.labels.size();
  const Extractor extractor(chain_.extraction);
  // Rows that have a "u" of the data's own are known by what comes behind the automatic one.
  const bool bare = automatic_ && patterns_ == 0;
  std::uint64_t begin = 0;
  for (const std::string_view name : observations_) {
    if (name[0] != 'b') {
      add_row(begin, labels, 1, name.substr(bare ? 1 : 0), chain_.node);
      begin += labels;
    }
    if (automatic_ || name[0] == 'u') continue;
    const bool tied = std::ranges::count(extractor.tied_names(), name) > 0;
    const std::size_t times = tied ? times_at_edges(extractor.templates(), name) : 1;
    if (tied && may_make_at_edges(extractor.templates(), name)) {  // it counts there once more
      const std::size_t first = next_;
      add_row(begin, labels * labels, 1, name, chain_.edge);
      next_ = first;
    }
    add_row(begin, labels * labels, static_cast<double>(times), name,
            tied ? chain_.tied : chain_.edge);
    begin += labels * labels;
  }
  if (next_ < weight_.size()) {
    in_.fail("a weight has the number " + std::to_string(weight_[next_].index) + " of " +
             std::to_string(begin));
  }
}

}  // namespace

ForeignChain read_wapiti(std::string_view bytes, const std::string& file) {
  return WapitiReader(bytes, file).read();
}

}  // namespace croft
