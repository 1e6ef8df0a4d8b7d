#include "sql/tables/grmm_templates.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "croft/core/error.h"
#include "croft/data/line_reader.h"

namespace croft {
namespace {

constexpr std::size_t kTracks = 100;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string_view without_comment(std::string_view line) {
  return trimmed(line.substr(0, line.find("//")));
}

// `new PACKAGE.NAME (TRACK, …);` in parts.
struct TemplateCall {
  std::string name;
  std::vector<std::size_t> tracks;
};

std::optional<TemplateCall> call_in(std::string_view line) {
  if (line.ends_with(';')) line = trimmed(line.substr(0, line.size() - 1));
  const std::size_t open = line.find('(');
  if (!line.starts_with("new ") || open == std::string_view::npos || !line.ends_with(')')) {
    return std::nullopt;
  }
  TemplateCall call;
  const std::string_view path = trimmed(line.substr(4, open - 4));
  call.name = path.substr(path.rfind('.') + 1);
  std::string_view rest = line.substr(open + 1, line.size() - open - 2);
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const std::string_view number = trimmed(rest.substr(0, comma));
    std::size_t track = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), track);
    if (error != std::errc() || end != number.data() + number.size() || track >= kTracks) {
      return std::nullopt;
    }
    call.tracks.push_back(track);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  return call;
}

class TemplateLines {
 public:
  TemplateLines(std::string_view text, const std::string& name) : lines_(text, name) {
    spec_.name = name;
  }

  GraphSpec parse() {
    for (std::string_view line; lines_.next(line);) {
      line = without_comment(line);
      if (!line.empty()) add(line);
    }
    return std::move(spec_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem, std::string_view line,
                         std::string_view remedy) const {
    throw InputError(lines_.location(), problem, line, remedy);
  }

  QueryText query(std::string text, const std::string& owner) const {
    return {std::move(text), spec_.name, lines_.line_number(), owner};
  }

  void add(std::string_view line) {
    constexpr std::string_view kKnown =
        "write new ACRF.UnigramTemplate (TRACK), BigramTemplate (TRACK) or PairwiseFactorTemplate "
        "(TRACK, TRACK); other graphs are declared in TOML";
    const std::optional<TemplateCall> call = call_in(line);
    const bool unigram = call && call->name == "UnigramTemplate" && call->tracks.size() == 1;
    const bool bigram = call && call->name == "BigramTemplate" && call->tracks.size() == 1;
    const bool pair = call && call->name == "PairwiseFactorTemplate" && call->tracks.size() == 2 &&
                      call->tracks[0] != call->tracks[1];
    if (!unigram && !bigram && !pair) fail("no template of GRMM that is known", line, kKnown);
    TemplateSpec made;
    made.name = call->name;
    for (const std::size_t each : call->tracks) {
      made.name += "-" + std::to_string(each);
      made.variables.push_back(track(each));
    }
    if (bigram) made.variables.push_back(made.variables[0]);
    if (std::ranges::find(spec_.templates, made.name, &TemplateSpec::name) !=
        spec_.templates.end()) {
      fail("a template that is there already", line, "leave one out");
    }
    const std::string owner = "template '" + made.name + "'";
    const std::string features = "select f.token, f.name from feature f";
    if (bigram) {
      // A sequence's last position begins no clique.
      made.query = query(
          "select id, next, id as first from token where next is not null order by id", owner);
      made.features.push_back(
          query(features + " join token t on t.id = f.token where t.next is not null", owner));
    } else {
      made.query = query(pair ? "select id, id, id as first from token order by id"
                              : "select id, id as first from token order by id",
                         owner);
      made.features.push_back(query(features, owner));
    }
    made.key = "first";
    spec_.templates.push_back(std::move(made));
  }

  // The domain of a track, and the variables of it.
  std::string track(std::size_t k) {
    std::string domain = "label" + std::to_string(k);
    if (std::ranges::find(spec_.variables, domain, &VariableSpec::domain) !=
        spec_.variables.end()) {
      return domain;
    }
    spec_.variables.push_back(
        {domain,
         query("select id, instance, " + domain + " as label from token order by id",
               "variables of '" + domain + "'"),
         "no data line has a label of track " + std::to_string(k) +
             "; tracks are counted from 0, the first label of a line"});
    return domain;
  }

  LineReader lines_;
  GraphSpec spec_;
};

}  // namespace

bool is_grmm_templates(std::string_view text) {
  LineReader lines(text, "");
  for (std::string_view line; lines.next(line);) {
    line = without_comment(line);
    if (!line.empty()) return line.starts_with("new ");
  }
  return false;
}

GraphSpec parse_grmm_templates(std::string_view text, const std::string& name) {
  return TemplateLines(text, name).parse();
}

}  // namespace croft
