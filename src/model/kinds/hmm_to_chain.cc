#include "model/kinds/hmm_to_chain.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/kinds/chain_model.h"

namespace croft {
namespace {

// The weights of a log-linear chain, attribute by attribute.
struct ChainRows {
  std::vector<std::string> name;
  std::vector<std::vector<double>> weight;  // [attributes][L]
  std::vector<double> tied;                 // [L * L]

  void add(std::string attribute, std::vector<double> row) {
    name.push_back(std::move(attribute));
    weight.push_back(std::move(row));
  }
};

class Conversion {
 public:
  explicit Conversion(const HmmModel& hmm)
      : hmm_(hmm), p_(hmm.parameters()), labels_(hmm.labels()), config_(hmm.extractor().config()) {
    if (config_.format != InputFormat::columns && config_.format != InputFormat::attributes) {
      throw Error(hmm.container().name() + ": a chain has no data in the format of this model");
    }
    for (std::size_t s = 0; s < p_.suffix.size(); ++s) suffix_number_.emplace(p_.suffix[s], s);
    if (!columns()) return;
    for (const auto* names : {&p_.value, &p_.suffix}) {
      for (const std::string& name : *names) {
        if (!track_of(name).starts_with('U')) fail_damaged("has names that are of no column");
      }
    }
  }

  ContainerWriter run() {
    set_extraction();
    add_transitions();
    add_values();
    add_suffixes();
    return write();
  }

 private:
  bool columns() const { return config_.format == InputFormat::columns; }
  bool suffixes() const { return !p_.suffix.empty(); }

  // Attributes of a column are those of the HMM; Wapiti's language, which has suffixes, begins them
  // with a small letter.
  void set_extraction() {
    config_.boundaries = true;
    tied_name_ = "";
    if (!columns()) return;
    if (!suffixes()) {
      config_.template_text += "B\n";
      tied_name_ = "B";
      return;
    }
    config_.language = TemplateLanguage::wapiti;
    config_.template_text.clear();
    tied_name_ = "b";
    for (std::size_t c = 0; c < config_.columns; ++c) {
      const std::string column = std::to_string(c);
      config_.template_text += "u" + column + "=%x[0," + column + "]\n";
      std::string dots;
      for (std::size_t letters = 1; letters <= p_.suffix_letters; ++letters) {
        dots += '.';
        config_.template_text +=
            suffix_track("U" + column, letters) + "=%m[0," + column + ",\"" + dots + "$\"]\n";
      }
    }
    config_.template_text += "b\n";
  }
  static std::string suffix_track(std::string_view track, std::size_t letters) {
    return "u" + std::string(track.substr(1)) + "s" + std::to_string(letters);
  }
  std::string chain_name(std::string_view attribute) const {
    return columns() && suffixes() ? "u" + std::string(attribute.substr(1))
                                   : std::string(attribute);
  }

  [[noreturn]] void fail_damaged(const std::string& what) const {
    throw Error(hmm_.container().name() + ": the file " + what +
                ": it is damaged; restore it from a copy or train again");
  }
  [[noreturn]] void fail_impossible(const std::string& what) const {
    throw Error(
        hmm_.container().name(), ": the probability of ", what,
        " is 0 for some label, and no weight says that; train the model with --smoothing above 0");
  }
  double finite(double log, const std::string& what) const {
    if (!std::isfinite(log)) fail_impossible(what);
    return log;
  }

  // Of an attribute: the class of its longest known suffix, if its track has classes.
  std::optional<std::size_t> class_of(std::string_view attribute) const {
    if (!suffixes()) return std::nullopt;
    const std::string_view value = value_of(attribute);
    const std::string track(attribute.substr(0, attribute.size() - value.size()));
    std::vector<std::size_t> begins;
    suffix_begins(attribute, p_.suffix_letters, begins);
    for (std::size_t letters = begins.size() + 1; letters-- > 0;) {
      const std::size_t begin = letters == 0 ? attribute.size() : begins[letters - 1];
      const auto at = suffix_number_.find(track + std::string(attribute.substr(begin)));
      if (at != suffix_number_.end()) return at->second;
    }
    return std::nullopt;
  }
  // log p(unknown value | label), of the class of the empty suffix where there are classes: what
  // each position of a column starts from.
  std::vector<double> unknown(std::size_t track) const {
    std::vector<double> row(p_.unknown[track].begin(), p_.unknown[track].end());
    const auto at = suffix_number_.find(p_.tracks[track] + "=");
    if (at != suffix_number_.end()) std::ranges::copy(p_.suffix_log[at->second], row.begin());
    return row;
  }

  // What every position of a column has is part of the one transition, or start, that leads to it.
  void add_transitions() {
    std::vector<double> bias(labels_, 0.0);
    for (std::size_t k = 0; columns() && k < p_.tracks.size(); ++k) {
      const std::vector<double> row = unknown(k);
      for (std::size_t j = 0; j < labels_; ++j) bias[j] += finite(row[j], "an unknown value");
    }
    constraint_ = ChainConstraint(labels_);
    std::vector<double> start(labels_), end(labels_);
    for (Label i = 0; i < labels_; ++i) {
      constraint_.start[i] = std::isfinite(p_.start[i]);
      if (constraint_.start[i]) start[i] = p_.start[i] + bias[i];
      if (!p_.end.empty()) {
        constraint_.end[i] = std::isfinite(p_.end[i]);
        if (constraint_.end[i]) end[i] = p_.end[i];
      }
      for (Label j = 0; j < labels_; ++j) {
        const bool allowed = std::isfinite(p_.transition(i, j));
        constraint_.set_edge(i, j, allowed);
        rows_.tied.push_back(allowed ? p_.transition(i, j) + bias[j] : 0);
      }
    }
    rows_.add(boundary_name(Boundary::start, tied_name_), std::move(start));
    if (!p_.end.empty()) rows_.add(boundary_name(Boundary::stop, tied_name_), std::move(end));
  }

  void add_values() {
    std::vector<double> row(labels_);
    for (std::size_t v = 0; v < p_.values(); ++v) {
      hmm_.log_emission(p_.value[v], row);
      std::vector<double> weight(labels_);
      const std::vector<double> none = unknown(p_.track[v]);
      const std::optional<std::size_t> of_class = class_of(p_.value[v]);
      for (std::size_t j = 0; j < labels_; ++j) {
        weight[j] = finite(row[j], in_quotes(p_.value[v]));
        if (columns()) weight[j] -= of_class ? p_.suffix_log(*of_class, j) : none[j];
      }
      // The same number for all labels is no news of any; attributes of columns cannot be missing.
      if (!columns()) {
        const double most = *std::ranges::max_element(weight);
        for (double& w : weight) w -= most;
      }
      rows_.add(chain_name(p_.value[v]), std::move(weight));
    }
  }

  // Of each suffix what it adds to the next shorter one: a value has all suffixes of its longest
  // one.
  void add_suffixes() {
    std::vector<std::size_t> begins;
    for (std::size_t s = 0; columns() && s < p_.suffix.size(); ++s) {
      const std::string& attribute = p_.suffix[s];
      suffix_begins(attribute, p_.suffix_letters, begins);
      if (begins.empty()) continue;  // the empty one is part of the transitions
      const std::string_view value = value_of(attribute);
      const std::size_t shorter = begins.size() == 1 ? attribute.size() : begins[begins.size() - 2];
      const auto parent = suffix_number_.find(attribute.substr(0, attribute.size() - value.size()) +
                                              attribute.substr(shorter));
      if (parent == suffix_number_.end()) {
        fail_damaged("lacks a suffix of a suffix");
      }
      std::vector<double> weight(labels_);
      for (std::size_t j = 0; j < labels_; ++j) {
        weight[j] = finite(p_.suffix_log(s, j), "an unknown value") -
                    finite(p_.suffix_log(parent->second, j), "an unknown value");
      }
      rows_.add(suffix_track(track_of(attribute), begins.size()) + "=" + std::string(value),
                std::move(weight));
    }
  }

  ContainerWriter write() const {
    ChainLayout layout;
    layout.labels = labels_;
    const std::size_t pairs = labels_ * labels_;
    layout.tied.cells = layout.edge.cells = pairs;
    layout.tied.begin = {0, pairs};
    layout.node.cells = labels_;
    layout.node.begin = {pairs};
    std::vector<double> weights = rows_.tied;
    for (const std::vector<double>& row : rows_.weight) {
      weights.insert(weights.end(), row.begin(), row.end());
      layout.node.begin.push_back(weights.size());
    }
    layout.edge.begin = {weights.size()};
    if (constraint_ != ChainConstraint(labels_)) {
      layout.constraint = std::make_shared<const ChainConstraint>(constraint_);
    }
    Json training = hmm_.meta().value("training", Json::object());
    training["converted_from"] = HmmModel::kKind;
    ChainModelParts parts;
    for (Label y = 0; y < labels_; ++y) parts.labels.push_back(hmm_.label(y));
    parts.extraction = &config_;
    parts.layout = &layout;
    parts.tied_names = {tied_name_};
    parts.node_names.assign(rows_.name.begin(), rows_.name.end());
    parts.weights = weights;
    parts.training = &training;
    return make_chain_model(parts);
  }

  const HmmModel& hmm_;
  HmmParameters p_;
  std::size_t labels_;
  ExtractionConfig config_;
  std::string tied_name_;  // of the one transition table
  std::unordered_map<std::string, std::size_t> suffix_number_;
  ChainRows rows_;
  ChainConstraint constraint_;
};

}  // namespace

ContainerWriter hmm_to_chain(const HmmModel& hmm) { return Conversion(hmm).run(); }

}  // namespace croft
