#include "train/unlabelled_terms.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "croft/core/error.h"
#include "features/extraction.h"

namespace croft {
namespace {

Label label_named(const StringTable& labels, const LabelShare& share, const Location& where) {
  const std::uint32_t found = labels.find(share.label);
  if (found != kUnknown) return found;
  std::string names;
  for (std::uint32_t y = 0; y < std::min<std::size_t>(labels.size(), 10); ++y) {
    names += (names.empty() ? "" : ", ") + std::string(labels[y]);
  }
  throw InputError(where, "a label that the data does not have", share.label,
                   "the labels are " + names + (labels.size() > 10 ? ", …" : ""));
}

// What a distribution leaves is spread over the labels that it does not name.
std::vector<double> distribution(const ExpectationRule& rule, const StringTable& labels,
                                 const Location& where) {
  std::vector<double> share(labels.size(), -1);
  double rest = 1;
  for (const LabelShare& each : rule.shares) {
    share[label_named(labels, each, where)] = each.share;
    rest -= each.share;
  }
  const auto unnamed = static_cast<double>(std::ranges::count(share, -1));
  if (unnamed == 0 && rest > 1e-9) {
    throw InputError(where, "shares of all labels that add up to less than 1", rule.attribute,
                     "make them add up to 1");
  }
  for (double& each : share) {
    if (each < 0) each = std::max(0.0, rest) / unnamed;
  }
  return share;
}

// That some shares keep all bounds of an attribute.
void check_bounds(std::span<const AttributeExpectation::Bound> bounds, std::size_t labels,
                  const std::string& attribute, const Location& where) {
  constexpr double kRounding = 1e-9;
  std::vector<double> least(labels, 0.0), most(labels, 1.0);
  for (const AttributeExpectation::Bound& each : bounds) {
    (each.at_least ? least : most)[each.label] = each.share;
  }
  double least_sum = 0, most_sum = 0;
  for (std::size_t y = 0; y < labels; ++y) {
    if (least[y] > most[y]) {
      throw InputError(where, "a lower bound above the upper bound of the same label", attribute,
                       "swap them, or leave one out");
    }
    least_sum += least[y];
    most_sum += most[y];
  }
  if (least_sum > 1 + kRounding) {
    throw InputError(where, "lower bounds that add up to more than 1", attribute,
                     "no shares of labels keep them all: lower some");
  }
  if (most_sum < 1 - kRounding) {
    throw InputError(where, "upper bounds of all labels that add up to less than 1", attribute,
                     "no shares of labels keep them all: raise some");
  }
}

// Of chains: with the attribute's number.
AttributeExpectation expectation(const ExpectationRule& rule, const std::string& file,
                                 const StringTable& labels, const StringTable& attributes,
                                 const std::vector<bool>& present) {
  const std::uint32_t attribute = attributes.find(rule.attribute);
  if (attribute == kUnknown || !present[attribute]) {
    throw InputError(
        {file, rule.line}, "an attribute that no position without a label has", rule.attribute,
        rule.attribute == kIntercept ? Message("that of every position is there with --intercept")
                                     : "write attributes as croft inspect shows them");
  }
  AttributeExpectation out = expectation_of(rule, file, labels);
  out.attribute = attribute;
  return out;
}

// [attributes][labels] how often each label is known to be where an attribute is.
std::vector<std::vector<double>> joint_counts(const ChainData& data, std::size_t attributes,
                                              std::size_t labels) {
  std::vector<std::vector<double>> count(attributes);
  for (std::size_t p = 0; p < data.positions(); ++p) {
    if (!is_one_label(data.label[p])) continue;
    for (std::uint64_t k = data.node.begin[p]; k < data.node.begin[p + 1]; ++k) {
      std::vector<double>& of = count[data.node.id[k]];
      of.resize(labels);
      ++of[data.label[p]];
    }
  }
  return count;
}

// Mutual information between whether an attribute is there, and the label: in nats times n.
double information(std::span<const double> with, std::span<const double> all, double n) {
  double there = 0, sum = 0;
  for (const double each : with) there += each;
  const auto add = [&](double joint, double one, double other) {
    if (joint > 0) sum += joint * std::log(joint * n / (one * other));
  };
  for (std::size_t y = 0; y < all.size(); ++y) {
    const double here = with.empty() ? 0 : with[y];
    add(here, there, all[y]);
    add(all[y] - here, n - there, all[y]);
  }
  return sum;
}

// Attributes that are there, or as much as a number says: not those with values below 0.
std::vector<bool> countable(const ChainData& data, const std::vector<bool>& present) {
  std::vector<bool> out = present;
  for (std::size_t k = 0; k < data.node.value.size(); ++k) {
    if (data.node.value[k] < 0) out[data.node.id[k]] = false;
  }
  return out;
}

// By number, those that say most of the label; then the intercept.
std::vector<std::uint32_t> most_informative(const std::vector<std::vector<double>>& count,
                                            std::span<const double> all, double n,
                                            std::size_t wanted, std::uint32_t intercept,
                                            const std::vector<bool>& eligible) {
  std::vector<std::pair<double, std::uint32_t>> best;
  for (std::uint32_t a = 0; a < count.size(); ++a) {
    if (a == intercept) continue;
    if (eligible[a] && !count[a].empty()) best.emplace_back(-information(count[a], all, n), a);
  }
  std::ranges::sort(best);
  best.resize(std::min(best.size(), wanted));
  std::vector<std::uint32_t> out;
  for (const auto& [gain, a] : best) out.push_back(a);
  // It tells nothing of one position, but how often each label is there in all.
  if (intercept != kUnknown && eligible[intercept]) out.push_back(intercept);
  return out;
}

std::vector<AttributeExpectation> expectations_from(const ChainData& data, std::size_t wanted,
                                                    std::size_t labels,
                                                    const StringTable& attributes,
                                                    const std::vector<bool>& present) {
  LabelCounts counts;
  counts.all.resize(labels);
  for (const Label y : data.label) {
    if (is_one_label(y)) ++counts.all[y];
  }
  if (std::ranges::all_of(counts.all, [](double n) { return n == 0; })) {
    throw Error(
        "--expectations labelled: no position of the labelled data has one known label; label "
        "some, or give a file of expectations");
  }
  counts.with = joint_counts(data, present.size(), labels);
  std::vector<AttributeExpectation> out =
      telling_expectations(counts, wanted, attributes.find(kIntercept), countable(data, present));
  if (out.empty()) {
    throw Error(
        "--expectations labelled: no attribute is both at a known label and in the data without "
        "labels (those with values below 0 do not count); give both the same attributes, or a file "
        "of expectations");
  }
  for (AttributeExpectation& each : out) each.name = attributes[each.attribute];
  return out;
}

}  // namespace

std::vector<AttributeExpectation> telling_expectations(const LabelCounts& counts,
                                                       std::size_t wanted, std::uint32_t intercept,
                                                       const std::vector<bool>& eligible) {
  double n = 0;
  for (const double each : counts.all) n += each;
  std::vector<AttributeExpectation> out;
  for (const std::uint32_t a :
       most_informative(counts.with, counts.all, n, wanted, intercept, eligible)) {
    double there = 1;  // one more occurrence, with labels as elsewhere
    for (const double each : counts.with[a]) there += each;
    AttributeExpectation& one = out.emplace_back();
    one.attribute = a;
    for (std::size_t y = 0; y < counts.all.size(); ++y) {
      const double here = counts.with[a].empty() ? 0 : counts.with[a][y];
      one.target.push_back((here + counts.all[y] / n) / there);
    }
  }
  return out;
}

AttributeExpectation expectation_of(const ExpectationRule& rule, const std::string& file,
                                    const StringTable& labels) {
  AttributeExpectation out;
  out.name = rule.attribute;
  out.where = {file, rule.line};
  if (rule.shares.front().relation == ShareRelation::equal) {
    out.target = distribution(rule, labels, out.where);
    return out;
  }
  for (const LabelShare& each : rule.shares) {
    out.bounds.push_back({label_named(labels, each, out.where),
                          each.relation == ShareRelation::at_least, each.share});
  }
  check_bounds(out.bounds, labels.size(), rule.attribute, out.where);
  return out;
}

void UnlabelledOptions::validate() const {
  if (!(entropy >= 0) || std::isinf(entropy)) {
    throw UsageError("--entropy must be a finite number of 0 or more");
  }
  if (!(expectations_weight > 0) || std::isinf(expectations_weight)) {
    throw UsageError("--expectations-weight must be a finite number above 0");
  }
  if (!(confidence >= 0.5 && confidence <= 1)) {
    throw UsageError("--confidence is a probability from 0.5 to 1");
  }
  if (!view.empty() && self_training == 0) {
    throw UsageError("--view is of --self-training: give its rounds, or leave it out");
  }
  if (self_training > 0 && terms()) {
    throw UsageError(
        "--self-training goes without --entropy and --expectations: it makes labels of the same "
        "data");
  }
}

void UnlabelledOptions::check_data(std::size_t sequences) const {
  if (any() == (sequences > 0)) return;
  throw UsageError(
      any() ? Message("--entropy, --expectations and --self-training are of data without labels: "
                      "give --unlabelled")
            : "--unlabelled is data for --entropy above 0, --expectations or --self-training: "
              "give one");
}

std::vector<bool> rows_of_view(const std::string& pattern, std::span<const std::string_view> rows) {
  if (pattern.empty()) return {};
  const NamePattern names(pattern);
  std::vector<bool> out;
  for (const std::string_view row : rows) out.push_back(names.matches(row));
  const auto first = std::ranges::count(out, true);
  if (first > 0 && first < static_cast<std::ptrdiff_t>(out.size())) return out;
  throw UsageError("--view ", pattern, " fits the names of ", first == 0 ? Message("no") : "all",
                   " attributes; the one view are those that it fits, the other all others");
}

std::vector<AttributeExpectation> attribute_expectations(const UnlabelledOptions& options,
                                                         const StringTable& labels,
                                                         const StringTable& attributes,
                                                         const ChainData& labelled,
                                                         const std::vector<bool>& present) {
  if (options.from_labelled > 0) {
    return expectations_from(labelled, options.from_labelled, labels.size(), attributes, present);
  }
  std::vector<AttributeExpectation> out;
  if (!options.expectations) return out;
  const ExpectationFile& file = *options.expectations;
  for (const ExpectationRule& rule : file.rules) {
    out.push_back(expectation(rule, file.name, labels, attributes, present));
  }
  return out;
}

UnlabelledTerms terms_without_expectations(const UnlabelledOptions& options, std::size_t labelled,
                                           std::size_t unlabelled) {
  const auto all = static_cast<double>(labelled > 0 ? labelled : unlabelled);
  const double each = all / static_cast<double>(std::max<std::size_t>(1, unlabelled));
  UnlabelledTerms terms;
  terms.entropy = options.entropy * each;
  terms.targets = options.expectations_weight * all;
  terms.bounds = options.expectations_weight * each;
  return terms;
}

void add_expectation(const AttributeExpectation& expectation, std::uint32_t row,
                     std::uint64_t weights, std::size_t labels, UnlabelledTerms& terms) {
  terms.attribute.push_back({row, expectation.name, expectation.where});
  if (!expectation.target.empty()) terms.target.push_back({weights, expectation.target});
  for (const AttributeExpectation::Bound& bound : expectation.bounds) {
    terms.bound.push_back(
        {weights, static_cast<std::uint32_t>(labels), bound.label, bound.at_least, bound.share});
  }
}

UnlabelledTerms unlabelled_terms(const UnlabelledOptions& options,
                                 std::span<const AttributeExpectation> expectations,
                                 const ChainLayout& layout, const Renumbering& renumbering,
                                 std::size_t labels, std::size_t labelled, std::size_t unlabelled) {
  UnlabelledTerms terms = terms_without_expectations(options, labelled, unlabelled);
  for (const AttributeExpectation& one : expectations) {
    const std::uint32_t row = renumbering.node[one.attribute];
    add_expectation(one, row, layout.node.begin[row], labels, terms);
  }
  return terms;
}

void refuse_values(const ExpectedAttribute& expected) {
  constexpr std::string_view kProblem = "an attribute with values below 0";
  constexpr std::string_view kRemedy =
      "labels count by its values: scale them to 0 and above, or expect nothing of it";
  if (!expected.where.file.empty()) {
    throw InputError(expected.where, kProblem, expected.name, kRemedy);
  }
  throw Error("--expectations labelled: ", kProblem, ", ", in_quotes(expected.name),
              ", in the data without labels; ", kRemedy);
}

void check_values(const UnlabelledTerms& terms, const ChainData& data) {
  if (data.node.value.empty() || terms.attribute.empty()) return;
  std::unordered_map<std::uint32_t, const ExpectedAttribute*> expected;
  for (const ExpectedAttribute& each : terms.attribute) expected.emplace(each.row, &each);
  for (std::size_t k = 0; k < data.node.value.size(); ++k) {
    if (!(data.node.value[k] < 0)) continue;
    const auto found = expected.find(data.node.id[k]);
    if (found != expected.end()) refuse_values(*found->second);
  }
}

}  // namespace croft
