// The inverse of crfsuite_reader.cc.
#include <algorithm>
#include <limits>
#include <map>

#include "croft/core/error.h"
#include "model/foreign/crfsuite_strings.h"
#include "model/foreign/foreign_chain.h"

namespace croft {
namespace {

class CrfsuiteWriter {
 public:
  CrfsuiteWriter(const ForeignChain& chain, const std::string& file) : chain_(chain), file_(file) {}

  std::string write() {
    check();
    list_features();
    out_.assign(kHeaderBytes, '\0');
    std::uint32_t offsets[5] = {};
    offsets[0] = end();
    write_features();
    offsets[1] = end();
    append_crfsuite_strings(chain_.labels, out_);
    offsets[2] = end();
    append_crfsuite_strings(attributes_, out_);
    pad();
    offsets[3] = end();
    write_references("LFRF", of_label_, kNoLists);
    pad();
    offsets[4] = end();
    write_references("AFRF", of_attribute_, 0);
    write_header(offsets);
    return std::move(out_);
  }

 private:
  struct Feature {
    std::uint32_t type, from, to;
    double weight;
  };
  using Lists = std::vector<std::vector<std::uint32_t>>;  // of features

  [[noreturn]] void refuse(const Message& what) const {
    throw UsageError(file_, ": ", what, ", which a CRFsuite model cannot say");
  }

  void check() const {
    const ExtractionConfig& how = chain_.extraction;
    if (chain_.kind == ChainKind::memm) refuse("each label is normalised given the one before");
    if (chain_.edge.rows() > 0) refuse("the model has attributes of edges");
    if (how.format != InputFormat::attributes && how.format != InputFormat::columns) {
      refuse(Message("its data is of format ", format_name(how.format)));
    }
    if (how.boundaries) refuse("START and STOP are labels of the model (--boundaries)");
    if (how.intercept) refuse("every position has an attribute of its own (--intercept)");
    if (how.kit) refuse("the model has a feature kit");
    if (how.documents) refuse("the model looks at documents (--documents)");
    if (!how.conjunctions.empty()) refuse("the model has conjunctions of attributes");
    for (const auto* names : {&chain_.labels, &chain_.node.names}) {
      for (const std::string& name : *names) {
        if (name.find('\0') != name.npos) refuse("a name has a NUL byte");
      }
    }
  }

  // By type, then by what it is of, then by label.  Attributes without a weight are left out.
  void list_features() {
    const ForeignRows& node = chain_.node;
    for (std::size_t r = 0; r < node.rows(); ++r) {
      std::vector<std::uint32_t> ids;
      for (std::size_t k = node.begin[r]; k < node.begin[r + 1]; ++k) {
        if (node.weight[k] == 0) continue;
        ids.push_back(static_cast<std::uint32_t>(features_.size()));
        const auto attribute = static_cast<std::uint32_t>(attributes_.size());
        features_.push_back({0, attribute, node.cell[k], node.weight[k]});
      }
      if (ids.empty()) continue;
      attributes_.push_back(node.names[r]);
      of_attribute_.push_back(std::move(ids));
    }
    std::map<std::uint32_t, double> sums;  // several tables of transitions add up
    for (std::size_t k = 0; k < chain_.tied.cell.size(); ++k) {
      sums[chain_.tied.cell[k]] += chain_.tied.weight[k];
    }
    const std::size_t labels = chain_.labels.size();
    of_label_.resize(labels);
    for (const auto& [cell, weight] : sums) {
      if (weight == 0) continue;
      const auto from = static_cast<std::uint32_t>(cell / labels);
      of_label_[from].push_back(static_cast<std::uint32_t>(features_.size()));
      features_.push_back({1, from, static_cast<std::uint32_t>(cell % labels), weight});
    }
  }

  template <class T>
  void append(T number) {
    append_number(number, out_);
  }
  std::uint32_t end() const {
    if (out_.size() > std::numeric_limits<std::uint32_t>::max()) {
      refuse("the file would have more than 4 GiB");
    }
    return static_cast<std::uint32_t>(out_.size());
  }
  void pad() { out_.resize((out_.size() + 3) / 4 * 4); }

  void write_features() {
    out_ += "FEAT";
    append(static_cast<std::uint32_t>(12 + 20 * features_.size()));
    append(static_cast<std::uint32_t>(features_.size()));
    for (const Feature& feature : features_) {
      append(feature.type);
      append(feature.from);
      append(feature.to);
      append(feature.weight);
    }
  }

  void write_references(std::string_view magic, const Lists& lists, std::size_t no_lists) {
    const std::uint32_t begin = end();
    out_ += magic;
    append(std::uint32_t{0});
    append(static_cast<std::uint32_t>(lists.size() + no_lists));
    const std::size_t offsets = out_.size();
    out_.resize(offsets + 4 * (lists.size() + no_lists));
    for (std::size_t k = 0; k < lists.size(); ++k) {
      store_number(end(), offsets + 4 * k, out_);
      append(static_cast<std::uint32_t>(lists[k].size()));
      for (const std::uint32_t feature : lists[k]) append(feature);
    }
    store_number(end() - begin, begin + 4, out_);
  }

  void write_header(const std::uint32_t (&offsets)[5]) {
    std::memcpy(out_.data(), "lCRF", 4);
    store_number(end(), 4, out_);
    std::memcpy(out_.data() + 8, "FOMC", 4);
    store_number(kCrfsuiteVersion, 12, out_);
    store_number(static_cast<std::uint32_t>(chain_.labels.size()), 20, out_);
    store_number(static_cast<std::uint32_t>(attributes_.size()), 24, out_);
    for (std::size_t k = 0; k < 5; ++k) store_number(offsets[k], 28 + 4 * k, out_);
  }

  static constexpr std::size_t kHeaderBytes = 48;
  // Lists of references that CRFsuite once had for the begin and the end of a sequence.
  static constexpr std::size_t kNoLists = 2;

  const ForeignChain& chain_;
  const std::string& file_;
  std::vector<std::string> attributes_;
  std::vector<Feature> features_;
  Lists of_attribute_, of_label_;
  std::string out_;
};

}  // namespace

std::string write_crfsuite(const ForeignChain& chain, const std::string& file) {
  return CrfsuiteWriter(chain, file).write();
}

}  // namespace croft
