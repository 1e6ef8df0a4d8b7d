#include "croft/model/chain_model.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "croft/core/error.h"

namespace croft {
namespace {

using nlohmann::json;

constexpr std::string_view kDamaged =
    " is damaged; restore the file from a copy or train again";

// A list of strings of any bytes: u32 count, u32 end of each, then the bytes.
std::vector<std::byte> pack_strings(const std::vector<std::string>& strings) {
  std::vector<std::uint32_t> head{static_cast<std::uint32_t>(strings.size())};
  std::string text;
  for (const std::string& s : strings) {
    text += s;
    head.push_back(static_cast<std::uint32_t>(text.size()));
  }
  std::vector<std::byte> bytes(head.size() * sizeof(std::uint32_t) + text.size());
  std::memcpy(bytes.data(), head.data(), head.size() * sizeof(std::uint32_t));
  if (!text.empty()) {
    std::memcpy(bytes.data() + head.size() * sizeof(std::uint32_t), text.data(), text.size());
  }
  return bytes;
}

std::vector<std::string> unpack_strings(const Container& container, const std::string& name) {
  const std::span<const std::byte> bytes = container.section(name);
  const auto fail = [&] { throw Error(container.name() + ": section " + name + std::string(kDamaged)); };
  const auto number = [&](std::size_t k) {
    std::uint32_t value = 0;
    if ((k + 1) * sizeof value > bytes.size()) fail();
    std::memcpy(&value, bytes.data() + k * sizeof value, sizeof value);
    return std::size_t{value};
  };
  const std::size_t count = number(0), head = (count + 1) * sizeof(std::uint32_t);
  if (head > bytes.size()) fail();
  std::vector<std::string> strings;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t end = number(k + 1);
    if (end < begin || end > bytes.size() - head) fail();
    strings.emplace_back(reinterpret_cast<const char*>(bytes.data()) + head + begin, end - begin);
    begin = end;
  }
  return strings;
}

std::shared_ptr<json> read_meta(const Container& container) {
  auto meta = std::make_shared<json>(json::parse(container.text("meta"), nullptr, false));
  if (!meta->is_object() || !meta->contains("kind")) {
    throw Error(container.name() + ": section meta" + std::string(kDamaged));
  }
  if ((*meta)["kind"] != "chain") {
    throw Error(container.name() + ": this is a model of kind " + (*meta)["kind"].dump() +
                ", and a chain was expected; use a newer croft");
  }
  return meta;
}

ExtractionConfig read_extraction(const Container& container, const json& meta) {
  ExtractionConfig config;
  try {
    const json& extraction = meta.at("extraction");
    config.format =
        extraction.at("format") == "attributes" ? InputFormat::attributes : InputFormat::columns;
    config.columns = extraction.at("columns").get<std::size_t>();
    config.boundaries = extraction.at("boundaries").get<bool>();
    config.language = extraction.at("language") == "wapiti" ? TemplateLanguage::wapiti
                                                            : TemplateLanguage::crfpp;
  } catch (const json::exception&) {
    throw Error(container.name() + ": section meta" + std::string(kDamaged));
  }
  if (container.has("template")) config.template_text = container.text("template");
  config.template_name = container.name() + " (template)";
  return config;
}

}  // namespace

std::shared_ptr<const ChainModel> ChainModel::open(const std::filesystem::path& path) {
  return std::make_shared<const ChainModel>(Container::open(path));
}

ChainModel::ChainModel(Container container)
    : container_(std::move(container)),
      meta_(read_meta(container_)),
      labels_(unpack_strings(container_, "labels")),
      extractor_(read_extraction(container_, *meta_)),
      node_(container_, "node", labels_.size()),
      edge_(container_, "edge", labels_.size() * labels_.size()),
      tied_(container_, "tied", labels_.size() * labels_.size()) {
  set_transitions();
}

// Sparse where a sequence alone is faster so: measured with bench/label_set_bench, and for Viterbi.
void ChainModel::set_transitions() {
  std::vector<std::pair<std::uint32_t, double>> cells;
  for (std::uint32_t id = 0; id < tied_.size(); ++id) {
    const WeightRow row = tied_.row(id);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row.cell(k) < labels() * labels()) cells.emplace_back(row.cell(k), double{row.weight(k)});
    }
  }
  std::ranges::stable_sort(cells, {}, &std::pair<std::uint32_t, double>::first);
  std::vector<Edge> edges;
  std::vector<double> log;
  for (const auto& [cell, weight] : cells) {
    const Edge edge{static_cast<Label>(cell / labels()), static_cast<Label>(cell % labels())};
    if (!edges.empty() && edges.back() == edge) {
      log.back() += weight;  // several tied rows add up
    } else {
      edges.push_back(edge);
      log.push_back(weight);
    }
  }
  constexpr std::size_t kManyLabels = 64, kOneIn = 25;
  if (edge_.size() == 0 && labels() >= kManyLabels &&
      edges.size() * kOneIn <= labels() * labels()) {
    transitions_double_.assign(labels(), Background::zero, edges, std::span<const double>(log));
  } else {
    Matrix<double> table(labels(), labels(), 0.0);
    for (std::size_t k = 0; k < edges.size(); ++k) table(edges[k].from, edges[k].to) = log[k];
    transitions_double_.assign(std::move(table));
  }
  transitions_float_ = convert<float>(transitions_double_);
}

template <>
const TransitionScores<float>& ChainModel::transitions<float>() const {
  return transitions_float_;
}
template <>
const TransitionScores<double>& ChainModel::transitions<double>() const {
  return transitions_double_;
}

template <class Real>
void ChainModel::score(const TextSequence& sequence, Scratch& scratch,
                       ChainScores<Real>& out) const {
  constexpr std::size_t kAhead = 8;  // rows whose weights are on their way
  out.reset(sequence.length(), transitions<Real>());
  node_.find(sequence.node, scratch.node);
  const auto& places = scratch.node.places;
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    Real* state = out.state.row(t);
    for (std::size_t k = sequence.node.list_begin(t); k < sequence.node.list_end(t); ++k) {
      if (k + kAhead < places.size()) node_.prefetch(places[k + kAhead]);
      const Real value = static_cast<Real>(sequence.node.value(k));
      node_.visit(places[k], [&](std::uint32_t label, float weight) {
        state[label] += value * static_cast<Real>(weight);
      });
    }
  }
  if (sequence.edge.lists() == 0) return;
  edge_.find(sequence.edge, scratch.edge);
  const auto& edges = scratch.edge.places;
  for (std::size_t t = 1; t < sequence.length(); ++t) {
    Real* overlay = nullptr;
    for (std::size_t k = sequence.edge.list_begin(t); k < sequence.edge.list_end(t); ++k) {
      if (edges[k].length == 0) continue;
      if (overlay == nullptr) overlay = out.add_overlay(t);
      const Real value = static_cast<Real>(sequence.edge.value(k));
      edge_.visit(edges[k], [&](std::uint32_t cell, float weight) {
        overlay[cell / labels() * out.overlay.stride() + cell % labels()] +=
            value * static_cast<Real>(weight);
      });
    }
  }
}

template void ChainModel::score(const TextSequence&, Scratch&, ChainScores<float>&) const;
template void ChainModel::score(const TextSequence&, Scratch&, ChainScores<double>&) const;

namespace {

std::vector<NamedRow> named_rows(const RowLayout& layout, const std::vector<std::string_view>& names,
                                 std::span<const double> weights) {
  std::vector<NamedRow> rows;
  rows.reserve(layout.rows());
  for (std::size_t r = 0; r < layout.rows(); ++r) {
    const std::size_t begin = layout.begin[r] - layout.begin[0];
    NamedRow row{names[r], {}, weights.subspan(layout.begin[r], layout.length(r))};
    if (!layout.all_full()) row.cell = std::span(layout.cell).subspan(begin, layout.length(r));
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

ContainerWriter make_chain_model(const ChainModelParts& parts) {
  const ExtractionConfig& extraction = *parts.extraction;
  const json meta = {
      {"kind", "chain"},
      {"extraction",
       {{"format", extraction.format == InputFormat::attributes ? "attributes" : "columns"},
        {"columns", extraction.columns},
        {"boundaries", extraction.boundaries},
        {"language", extraction.language == TemplateLanguage::wapiti ? "wapiti" : "crfpp"}}},
      {"training", *parts.training}};
  ContainerWriter out;
  out.add("meta", meta.dump(1, ' ', false, json::error_handler_t::replace));
  out.add("labels", pack_strings(parts.labels), ContainerWriter::Kind::small);
  if (!extraction.template_text.empty()) out.add("template", extraction.template_text);
  const ChainLayout& layout = *parts.layout;
  const std::size_t labels = layout.labels;
  write_feature_table(named_rows(layout.tied, parts.tied_names, parts.weights), labels * labels,
                      "tied", out);
  write_feature_table(named_rows(layout.node, parts.node_names, parts.weights), labels, "node", out);
  write_feature_table(named_rows(layout.edge, parts.edge_names, parts.weights), labels * labels,
                      "edge", out);
  return out;
}

}  // namespace croft
