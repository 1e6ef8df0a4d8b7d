// Wapiti's models; wapiti_reader.cc says what they are.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "croft/core/error.h"
#include "model/foreign/foreign_chain.h"
#include "model/foreign/template_lines.h"

namespace croft {
namespace {

constexpr std::string_view kBlanks = " \t\n\v\f\r";
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

bool is_ascii(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void append_netstring(const std::string& text, std::string& out) {
  out.append(std::to_string(text.size())).append(":").append(text).append(",\n");
}

// The weights of one observation: rows of the chain.
struct Observation {
  std::size_t node = kNone;
  const ForeignRows* edges = nullptr;  // the edge rows, or the tied ones
  std::size_t edge = kNone;
  double times = 1;  // that Wapiti counts those of edges
};

class WapitiWriter {
 public:
  WapitiWriter(const ForeignChain& chain, const std::string& file) : chain_(chain), file_(file) {
    const ExtractionConfig& extraction = chain.extraction;
    bare_ = extraction.format == InputFormat::attributes ||
            extraction.cell_attributes != CellAttributes::none;
    if (bare_) {
      require_plain_extraction(extraction, TemplateLanguage::wapiti_bytes, file);
    } else {
      translation_.emplace(extraction, TemplateLanguage::wapiti_bytes, file);
      if (extraction.language == TemplateLanguage::wapiti) require_bytes();
    }
  }

  std::string write() {
    for (std::size_t r = 0; r < chain_.node.rows(); ++r) {
      if (!chain_.node.weighs(r)) continue;
      take(observations_[node_name(chain_.node.names[r])].node, r);
    }
    add_edges(chain_.tied);
    add_edges(chain_.edge);
    if (observations_.empty()) refuse("has no models without weights");
    return text();
  }

 private:
  [[noreturn]] void refuse(const Message& what) const {
    throw UsageError(file_, ": Wapiti ", what);
  }
  void take(std::size_t& place, std::size_t row) const {
    if (place != kNone) refuse("would have one feature in the place of two of the model");
    place = row;
  }
  void require_bytes() const;
  std::string bare_name(const std::string& name, char kind) const;
  std::string node_name(const std::string& name) const {
    return bare_ ? bare_name(name, 'u') : translation_->of_node(name);
  }
  void add_edges(const ForeignRows& rows);
  bool are_same(const Observation& of_all, const ForeignRows& rows, std::size_t row) const;
  std::string text() const;
  void append_weights(const ForeignRows& rows, std::size_t row, double times, std::uint64_t begin,
                      std::string& out) const;

  const ForeignChain& chain_;
  const std::string& file_;
  bool bare_ = false;  // cells of data are features: no patterns
  std::optional<TemplateTranslation> translation_;
  std::map<std::string, Observation> observations_;
};

// Of what Croft does with characters and Wapiti with bytes, all is the same in ASCII.
void WapitiWriter::require_bytes() const {
  const auto looks_inside = [](const std::string& line) {
    return std::ranges::any_of(
        macros_of(line), [&](const MacroPlace& macro) { return line[macro.begin + 1] != 'x'; });
  };
  const auto line = std::ranges::find_if(translation_->lines(), looks_inside);
  if (line == translation_->lines().end()) return;
  const bool ascii = std::ranges::all_of(chain_.node.names, is_ascii) &&
                     std::ranges::all_of(chain_.edge.names, is_ascii);
  if (ascii) return;
  refuse(Message("looks at bytes where the model's template looks at characters, as in ",
                 in_quotes(*line), "; train with --template-language wapiti-bytes"));
}

// Of data whose cells are features: as they are, or with the kind before them.
std::string WapitiWriter::bare_name(const std::string& name, char kind) const {
  if (name.find_first_of(kBlanks) != name.npos) {
    refuse(Message("has no features with a blank, as ", in_quotes(name), " is one"));
  }
  if (chain_.extraction.cell_attributes == CellAttributes::by_prefix && !name.empty()) return name;
  return kind + name;
}

void WapitiWriter::add_edges(const ForeignRows& rows) {
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const std::string& name = rows.names[r];
    if (!rows.weighs(r)) continue;
    double times = 1;
    if (!bare_ && &rows == &chain_.tied) {
      times = static_cast<double>(times_at_edges(translation_->templates(), name));
    }
    if (times == 0) continue;
    Observation& to = observations_[bare_ ? bare_name(name, 'b') : translation_->of_edge(name)];
    if (to.edge != kNone && are_same(to, rows, r)) continue;
    take(to.edge, r);
    to.edges = &rows;
    to.times = times;
  }
}

// Of a feature of all edges that templates with macros make, too: Wapiti has one for both.
bool WapitiWriter::are_same(const Observation& of_all, const ForeignRows& rows,
                            std::size_t row) const {
  std::string one, other;
  append_weights(*of_all.edges, of_all.edge, of_all.times, 0, one);
  append_weights(rows, row, 1, 0, other);
  return one == other;
}

void WapitiWriter::append_weights(const ForeignRows& rows, std::size_t row, double times,
                                  std::uint64_t begin, std::string& out) const {
  char digits[64];
  for (std::size_t k = rows.begin[row]; k < rows.begin[row + 1]; ++k) {
    const double weight = rows.weight[k] / times;
    if (weight == 0) continue;
    const auto end =
        std::to_chars(digits, digits + sizeof digits, std::abs(weight), std::chars_format::hex).ptr;
    out.append(std::to_string(begin + rows.cell[k])).append(weight < 0 ? "=-0x" : "=0x");
    out.append(digits, end) += '\n';
  }
}

std::string WapitiWriter::text() const {
  const std::uint64_t labels = chain_.labels.size();
  const bool automatic = chain_.extraction.cell_attributes == CellAttributes::all;
  std::string weights;
  std::uint64_t begin = 0;
  for (const auto& [name, rows] : observations_) {
    if (rows.node != kNone) append_weights(chain_.node, rows.node, 1, begin, weights);
    if (name[0] != 'b') begin += labels;
    if (rows.edge != kNone) append_weights(*rows.edges, rows.edge, rows.times, begin, weights);
    if (name[0] != 'u') begin += labels * labels;
  }
  const auto lines = static_cast<std::size_t>(std::ranges::count(weights, '\n'));
  std::string out = "#mdl#";
  out += chain_.kind == ChainKind::memm ? "1" : automatic ? "0" : "2";
  out.append("#").append(std::to_string(lines)).append("\n#rdr#");
  out += std::to_string(bare_ ? 0 : translation_->lines().size());
  const std::size_t columns = bare_ ? 0 : translation_->templates().columns_needed();
  out.append("/").append(std::to_string(columns > 0 ? columns - 1 : 0));
  out.append(automatic ? "/1\n" : "/0\n");
  if (!bare_) {
    for (const std::string& line : translation_->lines()) append_netstring(line, out);
  }
  out.append("#qrk#").append(std::to_string(labels)) += '\n';
  for (const std::string& label : chain_.labels) append_netstring(label, out);
  out.append("#qrk#").append(std::to_string(observations_.size())) += '\n';
  for (const auto& [name, rows] : observations_) append_netstring(name, out);
  return out + weights;
}

}  // namespace

std::string write_wapiti(const ForeignChain& chain, const std::string& file) {
  return WapitiWriter(chain, file).write();
}

}  // namespace croft
