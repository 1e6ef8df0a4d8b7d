// The options of a search, from and to text.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/search/search.h"
#include "app/search/search_plan.h"
#include "core/parse_number.h"
#include "croft/core/error.h"
#include "data/settings/field_files.h"

namespace croft {
namespace {

double number_in(const std::string& text, const std::string& option) {
  double value = 0;
  if (parse_number(text, value) == NumberKind::finite) return value;
  throw UsageError("--range ", option, ": ", in_quotes(text),
                   " is no finite number; write NAME=LOW:HIGH, such as l2=0.01:10:log");
}

// NAME=REST; dashes in front of the name are as in --NAME.
std::pair<std::string, std::string> name_and_rest(const std::string& text, const Message& option,
                                                  std::string_view form) {
  const std::size_t equals = text.find('=');
  const std::size_t first = text.find_first_not_of('-');
  if (equals == std::string::npos || first >= equals || equals + 1 == text.size()) {
    throw UsageError(option, " ", in_quotes(text), " is not ", form);
  }
  return {text.substr(first, equals - first), text.substr(equals + 1)};
}

}  // namespace

SearchParameter parse_search_values(const std::string& text) {
  const auto [name, rest] = name_and_rest(text, "--values", "NAME=A,B,C");
  SearchParameter p{.option = name, .values = split_at(rest, ',')};
  for (const std::string& value : p.values) {
    if (value.empty()) throw UsageError("--values ", in_quotes(text), " has an empty value");
    if (std::ranges::count(p.values, value) > 1) {
      throw UsageError("--values ", in_quotes(text), " has ", in_quotes(value), " twice");
    }
  }
  return p;
}

SearchParameter parse_search_range(const std::string& text) {
  constexpr std::string_view kForm = "NAME=LOW:HIGH, NAME=LOW:HIGH:log or NAME=LOW:HIGH:int";
  const auto [name, rest] = name_and_rest(text, "--range", kForm);
  const std::vector<std::string> fields = split_at(rest, ':');
  const bool known =
      fields.size() == 2 || (fields.size() == 3 && (fields[2] == "log" || fields[2] == "int"));
  if (!known) throw UsageError("--range ", in_quotes(text), " is not ", kForm);
  SearchParameter p{.option = name, .scale = SearchParameter::Scale::linear};
  p.low = number_in(fields[0], name);
  p.high = number_in(fields[1], name);
  if (fields.size() == 3) {
    p.scale = fields[2] == "log" ? SearchParameter::Scale::log : SearchParameter::Scale::integer;
  }
  if (!(p.low < p.high)) {
    throw UsageError("--range ", in_quotes(text), ": the lower end is not below the upper one");
  }
  if (p.scale == SearchParameter::Scale::log && !(p.low > 0)) {
    throw UsageError("--range ", in_quotes(text),
                     ": on a logarithmic scale the lower end is above 0");
  }
  if (p.scale == SearchParameter::Scale::integer &&
      (p.low != std::floor(p.low) || p.high != std::floor(p.high))) {
    throw UsageError("--range ", in_quotes(text), ": the ends are not whole numbers");
  }
  return p;
}

std::string_view name_of(SearchMetric metric) {
  return metric == SearchMetric::accuracy   ? "accuracy"
         : metric == SearchMetric::chunk_f1 ? "chunk-f1"
         : metric == SearchMetric::log_loss ? "log-loss"
                                            : "score";
}

void SearchSettings::validate() const {
  const auto require = [](bool holds, const Message& what) {
    if (!holds) throw UsageError(what);
  };
  require(!parameters.empty(), "nothing to search over: give --range or --values");
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    for (std::size_t n = 0; n < k; ++n) {
      require(parameters[n].option != parameters[k].option,
              {Message::option(parameters[k].option), " has two ranges; give one"});
    }
  }
  require(folds >= 2 || (elsewhere && folds == 1),
          {"--folds is ", folds, "; it must be at least 2"});
  require(eta >= 2, {"--eta is ", eta, "; it must be at least 2"});
  require(!candidates || (*candidates >= 1 && *candidates < kManyCandidates),
          Message("--candidates ", candidates.value_or(0), " is not 1 to ", kManyCandidates - 1));
  require(!budget || *budget >= 1, "--budget is less than one cross-validation; give 1 or more");
  require(smallest > 0 && smallest <= 1, Message("--smallest ", fmt::format("{}", smallest),
                                                 " is not a share above 0, and 1 at most"));
  require(!resume || !state.empty(), "--resume goes on from a state; name its file with --state");
  const auto grows = [](const SearchParameter& p) {
    return p.option == "max-iterations" || p.option == "max_iterations";
  };
  require(resource == SearchResource::data || std::ranges::none_of(parameters, grows),
          "--max-iterations is what grows with --resource iterations: it cannot be searched over, "
          "too");
  require(resource == SearchResource::data || iterations >= 1,
          "--resource iterations needs --max-iterations: how many the last rung has");
}

std::size_t within_one_error(const SearchedSettings& found, std::string_view option) {
  constexpr std::string_view kSmallest = ":smallest";
  const bool smallest = option.ends_with(kSmallest);
  if (smallest) option.remove_suffix(kSmallest.size());
  const auto at = std::ranges::find(found.parameters, option, &SearchParameter::option);
  if (at == found.parameters.end()) {
    throw UsageError("--prefer ", in_quotes(option), ": this is not searched over");
  }
  const auto k = static_cast<std::size_t>(at - found.parameters.begin());
  const SearchScore& best = found.best().rungs.back();
  std::size_t chosen = 0;
  double value_of_chosen = 0;
  for (std::size_t n = 0; n < found.candidates.size(); ++n) {
    const SearchCandidate& each = found.candidates[n];
    double value = 0;
    if (parse_number(each.values[k], value) != NumberKind::finite) {
      throw UsageError("--prefer ", in_quotes(option),
                       ": its values are no numbers: ", in_quotes(each.values[k]));
    }
    if (each.rungs.size() < found.rungs.size()) continue;
    if (std::abs(each.rungs.back().mean() - best.mean()) > best.standard_error()) continue;
    if (n > 0 && (smallest ? value >= value_of_chosen : value <= value_of_chosen)) continue;
    chosen = n;
    value_of_chosen = value;
  }
  return chosen;
}

std::vector<std::string> train_arguments(const SearchRequest& request,
                                         const std::vector<std::string>& values) {
  std::vector<std::string> arguments = request.options;
  for (std::size_t k = 0; k < values.size(); ++k) {
    arguments.push_back("--" + request.parameters[k].option + "=" + values[k]);
  }
  return arguments;
}

std::string shell_words(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& word : arguments) {
    const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             std::string_view("-_=./,:+@%").find(c) != std::string_view::npos;
    });
    if (!text.empty()) text += ' ';
    if (plain) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

std::span<const OptionRow> search_rows() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      choice("metric", "METRIC=accuracy", {"accuracy", "chunk-f1", "log-loss"},
             "accuracy, chunk-f1 or log-loss")
          .at_first("accuracy"),
      whole("folds", "K=3", "Parts of the data, each scored by the others").at_first("3").from(2),
      flag("contiguous", "Folds are runs of neighbouring sequences, and not drawn at random"),
      whole("candidates", "N",
            "Settings at first; default: all of --values, 27 where there is a --range")
          .from(1),
      whole("eta", "N=3", "One setting in so many goes on, with so many times the data")
          .at_first("3")
          .from(2),
      number("smallest", "SHARE=0.03", "Share of the data that the first rung has at least")
          .at_first("0.03"),
      number("budget", "NUMBER",
             "Cross-validations on all of the data that all may cost together; without "
             "--candidates there are as many as it allows")
          .from(1),
      choice("resource", "RESOURCE=data", {"data", "iterations"},
             "What grows from rung to rung: data, or iterations up to --max-iterations")
          .at_first("data"),
      file("state", "FILE", "Keep what has been scored in this file").written_as(""),
      flag("resume", "Go on from --state"),
  });
  return kRows;
}

void read_search_settings(const OptionValues& values, SearchSettings& settings) {
  values.choose("metric", {SearchMetric::accuracy, SearchMetric::chunk_f1, SearchMetric::log_loss},
                settings.metric);
  values.choose("resource", {SearchResource::data, SearchResource::iterations}, settings.resource);
  values.read("folds", settings.folds);
  values.read("contiguous", settings.contiguous);
  values.read("candidates", settings.candidates);
  values.read("eta", settings.eta);
  values.read("smallest", settings.smallest);
  values.read("budget", settings.budget);
  values.read("state", settings.state);
  values.read("resume", settings.resume);
  values.read("seed", settings.seed);
  values.read("threads", settings.threads);
}

}  // namespace croft
