#include "app/label/label_chooser.h"

#include <algorithm>

#include "core/parse_number.h"
#include "croft/core/error.h"

namespace croft {
namespace {

struct Threshold {
  std::string label;
  double probability = 0;
};

Threshold threshold_of(const std::string& text) {
  const std::size_t at = text.rfind('=');
  Threshold out;
  if (at != std::string::npos && at > 0) {
    out.label = text.substr(0, at);
    const NumberKind kind = parse_number(std::string_view(text).substr(at + 1), out.probability);
    if (kind == NumberKind::finite && out.probability > 0 && out.probability <= 1) return out;
  }
  throw UsageError("--threshold ", in_quotes(text),
                   " is no LABEL=P with a probability P above 0 and up to 1");
}

bool has(std::span<const std::string> labels, const std::string& label) {
  return std::ranges::find(labels, label) != labels.end();
}

[[noreturn]] void fail_unknown(const std::string& threshold, const std::string& label) {
  throw UsageError("--threshold ", threshold, ": the model has no label ", in_quotes(label));
}

}  // namespace

LabelChooser::LabelChooser(const ChoiceRequest& request, std::span<const std::string> labels) {
  if (request.costs) {
    const std::vector<std::string_view> names(labels.begin(), labels.end());
    costs_ = label_cost(*request.costs, names);
  }
  threshold_.assign(labels.size(), 0);
  for (const std::string& text : request.thresholds) {
    const Threshold each = threshold_of(text);
    const auto at = std::ranges::find(labels, each.label);
    if (at == labels.end()) fail_unknown(text, each.label);
    double& slot = threshold_[static_cast<std::size_t>(at - labels.begin())];
    if (slot != 0) {
      throw UsageError("--threshold ", text, ": ", in_quotes(each.label), " has one already");
    }
    slot = each.probability;
  }
}

Label LabelChooser::choose(std::span<const double> p) const {
  const auto labels = static_cast<Label>(p.size());
  Label best = 0;
  if (costs_) {
    double least = 0;
    for (Label j = 0; j < labels; ++j) {
      double expected = 0;
      for (Label g = 0; g < labels; ++g) expected += p[g] * (*costs_)(g, j);
      if (j == 0 || expected < least) best = j, least = expected;
    }
    return best;
  }
  std::optional<Label> reached, other;
  for (Label j = 0; j < labels; ++j) {
    if (p[j] > p[best]) best = j;
    if (threshold_[j] == 0) {
      if (!other || p[j] > p[*other]) other = j;
    } else if (p[j] >= threshold_[j]) {
      const bool more = !reached || p[j] / threshold_[j] > p[*reached] / threshold_[*reached];
      if (more) reached = j;
    }
  }
  return reached ? *reached : other.value_or(best);
}

std::vector<LabelChooser> label_choosers(const ChoiceRequest& request,
                                         std::span<const std::vector<std::string>> lists) {
  std::vector<LabelChooser> out;
  if (lists.size() == 1) {
    out.emplace_back(request, lists.front());
    return out;
  }
  const auto known = [&](const std::string& label) {
    return std::ranges::any_of(lists, [&](const auto& list) { return has(list, label); });
  };
  const auto fits = [&](const CostRule& rule, std::span<const std::string> list) {
    return (!rule.gold || has(list, *rule.gold)) && (!rule.predicted || has(list, *rule.predicted));
  };
  for (const std::string& text : request.thresholds) {
    const std::string label = threshold_of(text).label;
    if (!known(label)) fail_unknown(text, label);
  }
  for (const CostRule& rule : request.costs ? request.costs->rules : std::vector<CostRule>()) {
    const bool any = std::ranges::any_of(lists, [&](const auto& list) { return fits(rule, list); });
    if (any) continue;
    throw InputError({request.costs->name, rule.line}, "labels that no domain has together",
                     rule.gold.value_or("*") + " " + rule.predicted.value_or("*"),
                     "correct their spelling, or delete the line");
  }
  for (const std::vector<std::string>& list : lists) {
    ChoiceRequest own = request;
    if (own.costs) {
      std::erase_if(own.costs->rules, [&](const CostRule& rule) { return !fits(rule, list); });
    }
    std::erase_if(own.thresholds,
                  [&](const std::string& text) { return !has(list, threshold_of(text).label); });
    out.emplace_back(own, list);
  }
  return out;
}

}  // namespace croft
