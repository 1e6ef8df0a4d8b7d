#include "app/inspect/inspect.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <tuple>

namespace croft {

std::shared_ptr<const ChainModel> open_verified(const std::filesystem::path& path) {
  Container container = Container::open(path);
  container.verify();
  return std::make_shared<const ChainModel>(std::move(container));
}

std::string escaped(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t') {
      out += "\\t";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\\') {
      out += "\\\\";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += c;
    }
  }
  return out;
}

namespace {

auto order_key(const NodeWeight& w) { return std::tie(w.attribute); }
auto order_key(const EdgeWeight& w) { return std::tie(w.attribute, w.from, w.to); }
auto order_key(const GramWeight& w) { return std::tie(w.labels); }

// The n best of a stream of weights: a heap with the worst of them on top.
template <class Weight>
class Best {
 public:
  Best(std::size_t n, bool largest) : n_(n), largest_(largest) {}

  // make() gives the Weight; it is called for weights that are not plainly out of the running.
  template <class Make>
  void offer(float weight, const Make& make) {
    if (n_ == 0 || !(largest_ ? weight > 0 : weight < 0)) return;
    if (heap_.size() == n_ && before(heap_.front().weight, weight)) return;
    heap_.push_back(make());
    std::push_heap(heap_.begin(), heap_.end(), better());
    if (heap_.size() <= n_) return;
    std::pop_heap(heap_.begin(), heap_.end(), better());
    heap_.pop_back();
  }
  std::vector<Weight> take() {
    std::sort_heap(heap_.begin(), heap_.end(), better());
    return std::move(heap_);
  }

 private:
  bool before(float a, float b) const { return largest_ ? a > b : a < b; }
  auto better() const {
    return [this](const Weight& a, const Weight& b) {
      return a.weight != b.weight ? before(a.weight, b.weight) : order_key(a) < order_key(b);
    };
  }
  std::size_t n_;
  bool largest_;
  std::vector<Weight> heap_;
};

template <class Weight>
class BestOfBoth {
 public:
  explicit BestOfBoth(std::size_t n) : largest_(n, true), smallest_(n, false) {}
  template <class Make>
  void offer(float weight, const Make& make) {
    largest_.offer(weight, make);
    smallest_.offer(weight, make);
  }
  Extremes<Weight> take() { return {largest_.take(), smallest_.take()}; }

 private:
  Best<Weight> largest_, smallest_;
};

// visit(name, row) for each attribute of a table.
template <class Visit>
void for_each_row(const FeatureTable& table, const Visit& visit) {
  for (std::uint32_t id = 0; id < table.size(); ++id) visit(table.name(id), table.row(id));
}

// Sorts every weight of a model into the list where it competes.
class TopSearch {
 public:
  TopSearch(const ChainModel& model, std::size_t n)
      : model_(model),
        node_(model.labels(), BestOfBoth<NodeWeight>(n)),
        transitions_(n),
        edge_(n),
        grams_(n) {}

  TopFeatures run() {
    const auto pairs_into = [this](BestOfBoth<EdgeWeight>& best) {
      return [this, &best](const std::string& name, const WeightRow& row) {
        offer_pairs(name, row, best);
      };
    };
    for_each_row(model_.tied(), pairs_into(transitions_));
    for_each_row(model_.edge(), pairs_into(edge_));
    for_each_row(model_.node(),
                 [this](const std::string& name, const WeightRow& row) { offer_node(name, row); });
    for (std::size_t g = 0; g < model_.gram_weights().size(); ++g) offer_gram(g);
    TopFeatures top;
    for (BestOfBoth<NodeWeight>& best : node_) top.node.push_back(best.take());
    top.transitions = transitions_.take();
    top.edge = edge_.take();
    top.grams = grams_.take();
    return top;
  }

 private:
  LabelOrEnd label(std::size_t y) const { return {LabelOrEnd::Kind::label, model_.label(y)}; }

  void offer_pairs(const std::string& name, const WeightRow& row, BestOfBoth<EdgeWeight>& best) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      best.offer(row.weight(k), [&] {
        const std::size_t from = row.cell(k) / model_.labels(), to = row.cell(k) % model_.labels();
        return EdgeWeight{name, label(from), label(to), row.weight(k)};
      });
    }
  }

  void offer_node(const std::string& name, const WeightRow& row) {
    Boundary boundary;
    std::string_view edge_attribute;
    if (parse_boundary_name(name, boundary, edge_attribute)) {
      offer_boundary(boundary, edge_attribute, row);
      return;
    }
    for (std::size_t k = 0; k < row.size(); ++k) {
      node_[row.cell(k)].offer(row.weight(k), [&] { return NodeWeight{name, row.weight(k)}; });
    }
  }

  void offer_boundary(Boundary boundary, std::string_view edge_attribute, const WeightRow& row) {
    const auto& tied = model_.extractor().tied_names();
    const bool everywhere = std::find(tied.begin(), tied.end(), edge_attribute) != tied.end();
    BestOfBoth<EdgeWeight>& best = everywhere ? transitions_ : edge_;
    for (std::size_t k = 0; k < row.size(); ++k) {
      best.offer(row.weight(k), [&] {
        EdgeWeight w{std::string(edge_attribute), label(row.cell(k)), label(row.cell(k)),
                     row.weight(k)};
        if (boundary == Boundary::start) {
          w.from = {LabelOrEnd::Kind::start, ""};
        } else {
          w.to = {LabelOrEnd::Kind::stop, ""};
        }
        return w;
      });
    }
  }

  void offer_gram(std::size_t g) {
    const float weight = model_.gram_weights()[g];
    grams_.offer(weight, [&] {
      GramWeight w{{}, weight};
      for (const Label y : model_.histories()->grams[g]) w.labels.push_back(model_.label(y));
      return w;
    });
  }

  const ChainModel& model_;
  std::vector<BestOfBoth<NodeWeight>> node_;  // [L]
  BestOfBoth<EdgeWeight> transitions_, edge_;
  BestOfBoth<GramWeight> grams_;
};

// Collects text and hands it on in large pieces.
class ChunkWriter {
 public:
  explicit ChunkWriter(const std::function<void(std::string_view)>& write) : write_(write) {}
  ChunkWriter& operator<<(std::string_view text) {
    buffer_ += text;
    return *this;
  }
  ChunkWriter& operator<<(float number) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }
  void end_line() {
    buffer_ += '\n';
    if (buffer_.size() >= kChunk) flush();
  }
  void flush() {
    if (!buffer_.empty()) write_(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kChunk = 1 << 16;  // bytes
  const std::function<void(std::string_view)>& write_;
  std::string buffer_;
};

// The names of a table in one store, and its ids in the order of the names' bytes.
class SortedNames {
 public:
  explicit SortedNames(const FeatureTable& table) : order_(table.size()) {
    for (std::uint32_t id = 0; id < table.size(); ++id) {
      bytes_ += table.name(id);
      end_.push_back(bytes_.size());
    }
    std::iota(order_.begin(), order_.end(), 0u);
    // A damaged table can hold a name twice.
    std::sort(order_.begin(), order_.end(), [this](std::uint32_t a, std::uint32_t b) {
      const int order = name(a).compare(name(b));
      return order != 0 ? order < 0 : a < b;
    });
  }
  const std::vector<std::uint32_t>& order() const { return order_; }
  std::string_view name(std::uint32_t id) const {
    const std::size_t begin = id == 0 ? 0 : end_[id - 1];
    return std::string_view(bytes_).substr(begin, end_[id] - begin);
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> end_;
  std::vector<std::uint32_t> order_;
};

// pairs: cells are pairs of labels, from * L + to; otherwise labels.
void write_table(std::string_view kind, const FeatureTable& table, bool pairs,
                 const std::vector<std::string>& labels, ChunkWriter& out) {
  const SortedNames names(table);
  for (const std::uint32_t id : names.order()) {
    const std::string attribute = escaped(names.name(id));
    const WeightRow row = table.row(id);
    for (std::size_t k = 0; k < row.size(); ++k) {
      out << kind << "\t" << attribute << "\t";
      if (pairs) out << labels[row.cell(k) / labels.size()] << "\t";
      out << labels[row.cell(k) % labels.size()] << "\t" << row.weight(k);
      out.end_line();
    }
  }
}

}  // namespace

TopFeatures top_features(const ChainModel& model, std::size_t n) {
  return TopSearch(model, n).run();
}

void write_weights(const ChainModel& model, const std::function<void(std::string_view)>& write) {
  std::vector<std::string> labels;
  for (Label y = 0; y < model.labels(); ++y) labels.push_back(escaped(model.label(y)));
  ChunkWriter out(write);
  write_table("transition", model.tied(), true, labels, out);
  write_table("node", model.node(), false, labels, out);
  write_table("edge", model.edge(), true, labels, out);
  for (std::size_t g = 0; g < model.gram_weights().size(); ++g) {
    out << "gram";
    for (const Label y : model.histories()->grams[g]) out << "\t" << labels[y];
    out << "\t" << model.gram_weights()[g];
    out.end_line();
  }
  out.flush();
}

}  // namespace croft
