// The options of a search, from and to text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/search/search.h"
#include "app/search/search_plan.h"
#include "core/parse_number.h"
#include "croft/core/error.h"

namespace croft {
namespace {

double number_in(const std::string& text, const std::string& option) {
  double value = 0;
  if (parse_number(text, value) == NumberKind::finite) return value;
  throw UsageError("--range ", option, ": ", in_quotes(text),
                   " is no finite number; write NAME=LOW:HIGH, such as l2=0.01:10:log");
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> fields(1);
  for (const char c : text) {
    if (c == separator) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
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
  SearchParameter p{.option = name, .values = split(rest, ',')};
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
  const std::vector<std::string> fields = split(rest, ':');
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
  require(folds >= 2, {"--folds is ", folds, "; it must be at least 2"});
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

}  // namespace croft
