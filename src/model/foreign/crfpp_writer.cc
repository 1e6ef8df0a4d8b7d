// CRF++'s binary models.
#include <algorithm>
#include <limits>
#include <map>

#include "croft/core/error.h"
#include "model/foreign/double_array.h"
#include "model/foreign/foreign_bytes.h"
#include "model/foreign/foreign_chain.h"
#include "model/foreign/template_lines.h"

namespace croft {
namespace {

// A feature's weights are those of a row of the chain.
struct FeatureWeights {
  const ForeignRows* rows;
  std::size_t row;
  double times;  // that CRF++ counts it
};

class CrfppWriter {
 public:
  CrfppWriter(const ForeignChain& chain, const std::string& file)
      : chain_(chain), file_(file), translation_(chain.extraction, TemplateLanguage::crfpp, file) {
    if (chain.kind == ChainKind::memm) {
      refuse("has no maximum-entropy Markov models, only conditional random fields");
    }
    if (chain.labels.size() > 65535) refuse("has no more than 65535 labels");
  }

  std::string write() {
    for (std::size_t r = 0; r < chain_.node.rows(); ++r) {
      add(translation_.of_node(chain_.node.names[r]), {&chain_.node, r, 1});
    }
    for (std::size_t r = 0; r < chain_.edge.rows(); ++r) {
      add(translation_.of_edge(chain_.edge.names[r]), {&chain_.edge, r, 1});
    }
    for (std::size_t r = 0; r < chain_.tied.rows(); ++r) {
      const std::string& name = chain_.tied.names[r];
      const auto times = static_cast<double>(times_at_edges(translation_.templates(), name));
      if (times > 0) add(translation_.of_edge(name), {&chain_.tied, r, times});
    }
    return file_of(weights_and_trie());
  }

 private:
  struct Parts {
    std::vector<float> weights;
    std::string trie;
  };

  [[noreturn]] void refuse(const Message& what) const { throw UsageError(file_, ": CRF++ ", what); }
  void add(std::string name, FeatureWeights weights) {
    if (!weights.rows->weighs(weights.row)) return;
    if (name.find('\0') != name.npos) refuse("has no features with a NUL byte");
    if (!features_.emplace(std::move(name), weights).second) {
      refuse("would have one feature in the place of two of the model");
    }
  }

  // Features in the order of their names, and so their weights.
  Parts weights_and_trie() const {
    Parts parts;
    const std::size_t labels = chain_.labels.size();
    std::vector<std::pair<std::string, std::uint32_t>> strings;
    for (const auto& [name, weights] : features_) {
      const auto& [rows, row, times] = weights;
      const std::size_t begin = parts.weights.size();
      const std::size_t end = begin + (name[0] == 'U' ? labels : labels * labels);
      if (end > std::numeric_limits<std::int32_t>::max()) refuse("has no more than 2^31 weights");
      strings.emplace_back(name, static_cast<std::uint32_t>(begin));
      parts.weights.resize(end);
      for (std::size_t k = rows->begin[row]; k < rows->begin[row + 1]; ++k) {
        parts.weights[begin + rows->cell[k]] = static_cast<float>(rows->weight[k] / times);
      }
    }
    parts.trie = build_double_array(strings);
    if (parts.trie.size() > std::numeric_limits<std::int32_t>::max()) {
      refuse("has no dictionary of more than 2 GiB");
    }
    return parts;
  }

  std::string file_of(const Parts& parts) const {
    std::string labels, templates;
    for (const std::string& label : chain_.labels) append_string(label, labels);
    for (const std::string& line : translation_.lines()) append_string(line, templates);
    while ((labels.size() + templates.size()) % 4 != 0) templates += '\0';
    const std::size_t columns = std::max<std::size_t>(chain_.extraction.columns, 1);
    std::string out;
    append_number(std::uint32_t{100}, out);  // version
    append_number(std::int32_t{0}, out);     // type
    append_number(1.0, out);                 // factor of costs
    append_number(static_cast<std::uint32_t>(parts.weights.size()), out);
    append_number(static_cast<std::uint32_t>(columns), out);
    append_number(static_cast<std::uint32_t>(parts.trie.size()), out);
    append_number(static_cast<std::uint32_t>(labels.size()), out);
    out += labels;
    append_number(static_cast<std::uint32_t>(templates.size()), out);
    out += templates;
    out += parts.trie;
    for (const float weight : parts.weights) append_number(weight, out);
    return out;
  }
  void append_string(const std::string& string, std::string& out) const {
    if (string.find('\0') != string.npos) refuse("has no labels and templates with a NUL byte");
    out.append(string) += '\0';
  }

  const ForeignChain& chain_;
  const std::string& file_;
  TemplateTranslation translation_;
  std::map<std::string, FeatureWeights> features_;  // in the order of bytes
};

}  // namespace

std::string write_crfpp(const ForeignChain& chain, const std::string& file) {
  return CrfppWriter(chain, file).write();
}

}  // namespace croft
