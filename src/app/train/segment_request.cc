// What a request for a model of segments says of templates, lists, lengths and features.
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "app/label/chunks.h"
#include "app/train/kind_requests.h"
#include "core/json.h"

#include "croft/core/error.h"
#include "data/settings/field_files.h"
#include "features/kit/feature_kit.h"

namespace croft {
namespace {

// The lists' files, beside those that are given.
std::vector<std::pair<std::string, std::string>> gazetteer_files(const SegmentRequest& request) {
  std::vector<std::pair<std::string, std::string>> files;  // name, path
  for (const std::string& each : request.gazetteers) {
    const std::size_t equals = each.find('=');
    const std::string path = equals == each.npos ? each : each.substr(equals + 1);
    const std::string name =
        equals == each.npos ? std::filesystem::path(path).stem().string() : each.substr(0, equals);
    if (name.empty() || path.empty() || name.find_first_of(" \t") != name.npos) {
      throw UsageError("--gazetteer ", in_quotes(each), " is neither FILE nor NAME=FILE");
    }
    files.emplace_back(name, path);
  }
  return files;
}

LongestSegment parse_longest(const std::string& text) {
  LongestSegment longest;
  const std::size_t equals = text.rfind('=');
  if (equals != text.npos) longest.label = text.substr(0, equals);
  const std::string number = equals == text.npos ? text : text.substr(equals + 1);
  const auto [rest, error] =
      std::from_chars(number.data(), number.data() + number.size(), longest.length);
  constexpr std::size_t kMost = 100'000;
  if (error != std::errc() || rest != number.data() + number.size() || longest.length < 1 ||
      longest.length > kMost || (equals != text.npos && longest.label.empty())) {
    throw UsageError("--max-length ", in_quotes(text),
                     " is neither a number of positions from 1 to 100000 nor LABEL=NUMBER");
  }
  return longest;
}

// B, I and O without a type spell chunks, too.
ChunkScheme scheme_of(ChunkScheme asked, std::span<const std::string_view> labels) {
  if (asked != ChunkScheme::automatic) {
    return asked == ChunkScheme::bio1 ? ChunkScheme::bio : asked;
  }
  const ChunkScheme found = detect_scheme(labels);
  const auto is = [](std::string_view label) {
    return label == "B" || label == "I" || label == "O";
  };
  const bool untyped = std::ranges::all_of(labels, is) &&
                       std::ranges::find(labels, std::string_view("B")) != labels.end();
  return found == ChunkScheme::none && untyped ? ChunkScheme::bio : found;
}

}  // namespace

void check_segment_input(const SegmentRequest& request, std::string_view kind) {
  const InputFormat format = request.train.format;
  if (format != InputFormat::columns && format != InputFormat::attributes) {
    throw UsageError("--model ", kind, " goes with --format columns and attributes, not with ",
                     format_name(format));
  }
  if (!request.text_attribute.empty() && format == InputFormat::columns) {
    throw UsageError("--text-attribute goes with --format attributes; columns have cells");
  }
}

std::vector<std::string> segment_files(const SegmentRequest& request) {
  std::vector<std::string> files;
  if (request.segment_template != "none") files.push_back(request.segment_template);
  for (const auto& [name, path] : gazetteer_files(request)) files.push_back(path);
  return files;
}

namespace {

// Templates, lists and the word's attribute of a model to start from, where none are given.
void take_from(const SegmentModel& init, const SegmentRequest& request, SegmentOptions& options) {
  const bool given = request.segment_template_text || !request.segment_template.empty();
  const bool own_lists = !request.gazetteers.empty() || !request.lists.empty();
  if (!given) options.templates = SegmentTemplates::parse(init.templates().text(), "the model");
  if (!own_lists && options.templates.uses_gazetteers() &&
      options.templates.text() == init.templates().text()) {
    for (const std::string& name : init.lexicon().gazetteers()) {
      options.gazetteers.push_back({name, {}});
    }
    options.kept_gazetteers = true;
  }
  if (options.text_prefix.empty() && !given) options.text_prefix = init.text_prefix();
}

// How positions become attributes, likewise.
void take_from(const SegmentModel& init, const TrainRequest& request, ExtractionConfig& config) {
  const ExtractionConfig& known = init.extractor().config();
  if (request.intercept && *request.intercept != known.intercept) {
    throw UsageError("the model to go on from ", known.intercept ? Message("has") : "has no",
                     " intercept: leave out --intercept and --no-intercept");
  }
  if (known.kit && !request.kit.empty()) {
    throw UsageError("the model to go on from has a feature kit; leave out --kit ", request.kit);
  }
  config.intercept = known.intercept;
  config.form = known.form;
  if (known.kit) config.kit = known.kit->owning();
  config.conjunctions = known.conjunctions;
  if (config.format != InputFormat::columns || !config.template_text.empty()) return;
  config.template_text = known.template_text;
  config.template_name = known.template_name;
  config.language = known.language;
  config.boundaries = config.boundaries || known.boundaries;
}

}  // namespace

SegmentOptions segment_options(const SegmentRequest& request, const SegmentModel* init) {
  SegmentOptions options;
  options.one_line = request.train.spans.has_value();
  options.text_prefix = request.text_attribute;
  const bool none = request.segment_template == "none";
  if (request.segment_template_text) {
    options.templates =
        SegmentTemplates::parse(*request.segment_template_text, "the segment template");
  } else if (request.segment_template.empty() || none) {
    options.templates = SegmentTemplates::parse(
        none ? std::string_view() : SegmentTemplates::default_text(), "the default");
  } else {
    LineReader lines(request.segment_template);
    options.templates = SegmentTemplates::parse(text_of(lines), request.segment_template);
    if (options.templates.templates().empty() && !shares_positions(options.templates)) {
      throw InputError({request.segment_template, 1}, "no line of this file is a template", "",
                       "write one such as U1:%length; --segment-template none has none");
    }
  }
  options.own_templates =
      request.segment_template_text || (!request.segment_template.empty() && !none);
  options.gazetteers = request.lists;
  for (const auto& [name, path] : gazetteer_files(request)) {
    LineReader lines(path);
    read_name_list_file(lines, name, options.gazetteers);
  }
  if (init != nullptr) take_from(*init, request, options);
  if (options.templates.uses_gazetteers() != !options.gazetteers.empty()) {
    throw UsageError(
        options.gazetteers.empty()
            ? Message("the segment template has %gazetteer; name its file with --gazetteer")
            : "--gazetteer: no segment template looks into it; write one such as "
              "U:%gazetteer[fold]");
  }
  if (request.train.format == InputFormat::attributes) {
    const std::vector<std::size_t>& columns = options.templates.columns();
    if (!columns.empty() && columns.back() > 0) {
      throw UsageError("segment templates know only column 0 of data that is attributes: the word");
    }
    if (!columns.empty() && options.text_prefix.empty()) {
      throw UsageError(
          "the segment template looks at words; say what the attribute that has a position's word "
          "starts with, as in --text-attribute w=");
    }
    if (columns.empty() && !options.text_prefix.empty()) {
      throw UsageError("--text-attribute: no segment template looks at words");
    }
  }
  for (const std::string& text : request.longest) {
    const LongestSegment longest = parse_longest(text);
    if (std::ranges::find(options.longest, longest.label, &LongestSegment::label) !=
        options.longest.end()) {
      throw UsageError("--max-length ", longest.label.empty() ? "N" : longest.label + "=N",
                       " is given twice; leave out one of the two");
    }
    options.longest.push_back(longest);
  }
  const ChunkScheme asked = request.train.spans.value_or(request.scheme);
  options.scheme = [asked](std::span<const std::string_view> labels) {
    return scheme_of(asked, labels);
  };
  return options;
}

ExtractionConfig segment_extraction(const SegmentRequest& request, const SegmentOptions& options,
                                    const SegmentModel* init) {
  ExtractionConfig config = make_extraction(request.train, nullptr);
  if (init != nullptr) take_from(*init, request.train, config);
  if (config.format == InputFormat::columns) config.cells = options.templates.columns();
  return config;
}

}  // namespace croft
