// Texts to rows of a sparse matrix: what croft.TextVectorizer calls.
//
// Columns are the terms in the order of their bytes, or the numbers of hashes.  A matrix is handed
// over as the three arrays of CSR (values, columns, begins of rows) in bytearrays, so that the
// extension is built without numpy.
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "app/train/feature_kit_file.h"
#include "croft/core/error.h"
#include "features/kit/feature_kit.h"
#include "features/text/term_weights.h"
#include "model/file/container.h"
#include "model/file/kit_record.h"
#include "python/bind.h"
#include "python/matrix_rows.h"
#include "python/model.h"
#include "python/read/sequences.h"

namespace croft::python {
namespace {

namespace py = pybind11;

// TextVectorizer's arguments are named as scikit-learn's.
std::string name_of(std::string_view option) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames = {
      {{"min-documents", "min_df"},
       {"max-documents", "max_df"},
       {"max-terms", "max_features"},
       {"term-weights", "weighting"},
       {"sublinear", "sublinear_tf"},
       {"hash-bits", "hash_bits"}}};
  for (const auto& [known, name] : kNames) {
    if (known == option) return std::string(name);
  }
  return std::string(option);
}

template <class Action>
auto translated(const Action& action) {
  try {
    return action();
  } catch (const Error& fault) {
    throw Error(fault.message().spelled(name_of));
  }
}

// SparseRows of a matrix in the making.
struct SparseRows {
  std::vector<double> values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> begin{0};

  // The terms of a text by column.
  void add(std::vector<std::pair<std::int32_t, double>>& row) {
    std::ranges::sort(row);
    for (const auto& [column, value] : row) {
      columns.push_back(column);
      values.push_back(value);
    }
    begin.push_back(static_cast<std::int64_t>(values.size()));
  }
  py::tuple arrays() const {
    return py::make_tuple(bytearray_of(values), bytearray_of(columns), bytearray_of(begin));
  }
};

// Views into the str objects of a list, which must stay as it is.
std::vector<std::string_view> texts_in(const py::list& list) {
  std::vector<std::string_view> texts;
  texts.reserve(list.size());
  for (std::size_t n = 0; n < list.size(); ++n) {
    texts.push_back(text_of(list[n].ptr(), "raw_documents[" + std::to_string(n) + "]"));
  }
  return texts;
}

// The attributes that a feature kit gives texts, as columns in the order of their bytes.
class KitColumns {
 public:
  explicit KitColumns(std::shared_ptr<const FeatureKit> kit) : kit_(std::move(kit)) {}

  // Learns what the kit is to learn, and which attributes the texts have.
  void fit(const std::vector<std::string_view>& texts) {
    KitScratch scratch;
    kit_ = kit_->bind(InputFormat::text, 0, nullptr);
    if (kit_->needs_fit()) {
      std::vector<std::set<std::uint32_t>> known(kit_->features().size());
      for (const std::string_view text : texts) {
        kit_->start(text, scratch);
        kit_->visit_known(scratch, [&](std::size_t k, std::uint32_t id) { known[k].insert(id); });
      }
      std::vector<KitFeatureFit> fit(known.size());
      for (std::size_t k = 0; k < fit.size(); ++k)
        fit[k].known.assign(known[k].begin(), known[k].end());
      kit_ = kit_->fitted(fit)->bind(InputFormat::text, 0, nullptr);
    }
    StringLists found;
    std::set<std::string, std::less<>> names;
    for (const std::string_view text : texts) {
      found.clear();
      kit_->start(text, scratch);
      kit_->expand(0, scratch, found);
      for (std::size_t k = 0; k < found.items(); ++k) {
        if (!names.contains(found.item(k))) names.emplace(found.item(k));
      }
    }
    for (const std::string& name : names) names_.insert(name);
  }
  // Of a kit and names that were kept.
  void restore(const std::vector<std::string>& names) {
    kit_ = kit_->bind(InputFormat::text, 0, nullptr);
    for (const std::string& name : names) names_.insert(name);
  }

  // Appends the columns of a text, from `first` on.
  void append(std::string_view text, std::size_t first, KitScratch& scratch, StringLists& found,
              std::vector<std::pair<std::int32_t, double>>& row) const {
    found.clear();
    kit_->start(text, scratch);
    kit_->expand(0, scratch, found);
    for (std::size_t k = 0; k < found.items(); ++k) {
      const std::uint32_t number = names_.find(found.item(k));
      if (number != kUnknown) {
        row.emplace_back(static_cast<std::int32_t>(first + number), found.value(k));
      }
    }
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (std::uint32_t k = 0; k < names_.size(); ++k) all.emplace_back(names_[k]);
    return all;
  }
  std::size_t size() const { return names_.size(); }
  std::vector<std::byte> bytes() const {
    ContainerWriter out;
    write_kit_sections(*kit_, out);
    return out.bytes();
  }

 private:
  std::shared_ptr<const FeatureKit> kit_;
  StringTable names_;
};

class TextEncoder {
 public:
  explicit TextEncoder(TextOptions options) : options_(std::move(options)) {
    translated([&] { options_.validate(); });
  }

  // Before the texts are learnt from.
  void read_kit(const std::string& path) {
    const auto kit = read_feature_kit(path, Tokenizer(kit_words(options_.tokenizer)));
    kit_.emplace(kit->for_texts(options_.tokenizer));
  }

  void fit(const py::list& list) {
    const std::vector<std::string_view> texts = texts_in(list);
    const py::gil_scoped_release release;
    TermFit fit(options_);
    for (const std::string_view text : texts) fit.add(text);
    learn(fit);
    if (kit_) translated([&] { kit_->fit(texts); });
  }

  // The matrix of the same texts, which are looked at once.
  py::tuple fit_transform(const py::list& list) {
    if (options_.hash_bits > 0 || kit_) {
      fit(list);
      return transform(list);
    }
    const std::vector<std::string_view> texts = texts_in(list);
    SparseRows rows;
    {
      const py::gil_scoped_release release;
      TermFit fit(options_);
      std::vector<std::uint32_t> number, count;
      std::vector<std::size_t> end;
      for (const std::string_view text : texts) {
        fit.add(text);
        number.insert(number.end(), fit.numbers().begin(), fit.numbers().end());
        for (const CountedTerm& term : fit.counts().terms()) count.push_back(term.count);
        end.push_back(number.size());
      }
      learn(fit);
      const BagOfWords bag(options_, statistics_);
      std::vector<TermValue> values;
      std::size_t k = 0;
      for (const std::size_t last : end) {
        values.clear();
        for (; k < last; ++k) {
          const std::uint32_t id = fit.ids()[number[k]];
          if (id != kUnknown) values.push_back({id, 0, static_cast<double>(count[k])});
        }
        bag.weigh_known(values);
        add(values, rows);
      }
    }
    return rows.arrays();
  }

  py::tuple transform(const py::list& list) const {
    const std::vector<std::string_view> texts = texts_in(list);
    SparseRows rows;
    {
      const py::gil_scoped_release release;
      const BagOfWords bag(options_, statistics_);
      BagOfWords::Scratch scratch;
      KitScratch kit_scratch;
      StringLists found;
      for (const std::string_view text : texts) {
        bag.weigh(text, scratch);
        std::vector<std::pair<std::int32_t, double>> row = row_of(scratch.values);
        if (kit_) kit_->append(text, term_columns(), kit_scratch, found, row);
        rows.add(row);
      }
    }
    return rows.arrays();
  }

  std::size_t columns() const { return term_columns() + (kit_ ? kit_->size() : 0); }
  std::size_t term_columns() const {
    return options_.hash_bits > 0 ? std::size_t{1} << options_.hash_bits : column_.size();
  }
  bool needs_fit() const { return options_.hash_bits == 0 || options_.is_fitted() || kit_; }
  bool is_fitted() const { return statistics_.has_value(); }

  // The terms by column.
  std::vector<std::string> terms() const {
    std::vector<std::string> terms(column_.size());
    for (std::uint32_t id = 0; id < column_.size(); ++id) {
      terms[static_cast<std::size_t>(column_[id])] = statistics_->terms().string(id);
    }
    return terms;
  }

  py::bytearray idf() const {
    if (!statistics_) throw py::value_error("nothing was learnt; fit it first");
    std::vector<double> idf(term_columns());
    for (std::uint32_t id = 0; id < idf.size(); ++id) idf[column(id)] = statistics_->idf(id);
    return bytearray_of(idf);
  }

  std::vector<std::string> kit_names() const {
    return kit_ ? kit_->names() : std::vector<std::string>();
  }
  // The kit and the names of its columns; for pickle.
  py::object kit_state() const {
    if (!kit_) return py::none();
    return py::make_tuple(python_bytes(kit_->bytes()), kit_->names());
  }
  void set_kit_state(const std::string& bytes, const std::vector<std::string>& names) {
    const auto* const begin = reinterpret_cast<const std::byte*>(bytes.data());
    const Container container =
        Container::from_bytes({begin, begin + bytes.size()}, "the kit of a TextVectorizer");
    const auto kit = croft::read_kit(container);
    if (kit == nullptr) {
      throw py::value_error("the state of a TextVectorizer is damaged; fit it again");
    }
    kit_.emplace(kit->owning()->for_texts(options_.tokenizer));
    kit_->restore(names);
  }

  // Documents, image of the terms, frequencies; for pickle.
  py::object state() const {
    if (!statistics_) return py::none();
    return py::make_tuple(statistics_->documents(), python_bytes(statistics_->image()),
                          python_bytes(std::as_bytes(statistics_->frequency())));
  }
  void set_state(std::uint64_t documents, const std::string& image, const std::string& frequency) {
    if ((options_.hash_bits == 0 && image.empty()) ||
        frequency.size() % sizeof(std::uint32_t) != 0) {
      throw py::value_error("the state of a TextVectorizer is damaged; fit it again");
    }
    const auto* const bytes = reinterpret_cast<const std::byte*>(image.data());
    std::vector<std::uint32_t> numbers(frequency.size() / sizeof(std::uint32_t));
    std::copy_n(frequency.data(), numbers.size() * sizeof(std::uint32_t),
                reinterpret_cast<char*>(numbers.data()));
    statistics_.emplace(documents, std::vector<std::byte>(bytes, bytes + image.size()),
                        std::move(numbers));
    order_columns();
  }

 private:
  void learn(TermFit& fit) {
    statistics_ = translated([&] { return fit.finish(); });
    order_columns();
  }

  void order_columns() {
    column_.clear();
    if (options_.hash_bits > 0) return;
    const auto count = static_cast<std::uint32_t>(statistics_->terms().size());
    std::vector<std::string> term(count);
    for (std::uint32_t id = 0; id < count; ++id) term[id] = statistics_->terms().string(id);
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {}, [&](std::uint32_t id) -> const std::string& { return term[id]; });
    column_.resize(count);
    for (std::uint32_t j = 0; j < count; ++j) column_[order[j]] = static_cast<std::int32_t>(j);
  }

  std::size_t column(std::uint32_t id) const {
    return options_.hash_bits > 0 ? id : static_cast<std::size_t>(column_[id]);
  }

  void add(const std::vector<TermValue>& values, SparseRows& rows) const {
    std::vector<std::pair<std::int32_t, double>> row = row_of(values);
    rows.add(row);
  }

  std::vector<std::pair<std::int32_t, double>> row_of(const std::vector<TermValue>& values) const {
    std::vector<std::pair<std::int32_t, double>> row;
    row.reserve(values.size());
    for (const TermValue& v : values) {
      row.emplace_back(static_cast<std::int32_t>(column(v.id)), v.value);
    }
    return row;
  }

  TextOptions options_;
  std::optional<TermStatistics> statistics_;
  std::vector<std::int32_t> column_;  // by id; empty with hashing
  std::optional<KitColumns> kit_;
};

template <class T, std::size_t N>
T choice(const std::array<std::pair<const char*, T>, N>& choices, const std::string& name,
         const char* parameter) {
  std::string all;
  for (const auto& [known, value] : choices) {
    if (name == known) return value;
    all += std::string(all.empty() ? "" : ", ") + known;
  }
  throw py::value_error(std::string(parameter) + " is \"" + name + "\"; choose one of: " + all);
}

TextEncoder make_encoder(const std::string& analyzer, std::pair<std::size_t, std::size_t> ngrams,
                         bool lower_case, std::vector<std::string> stop_words,
                         const std::string& weighting, bool sublinear, const std::string& norm,
                         std::pair<double, bool> min_df, std::pair<double, bool> max_df,
                         std::uint64_t max_terms, unsigned hash_bits) {
  TextOptions options;
  options.tokenizer.analyzer = choice<Analyzer, 4>({{{"word", Analyzer::word},
                                                     {"char", Analyzer::char_},
                                                     {"char_wb", Analyzer::char_wb},
                                                     {"mixed", Analyzer::mixed}}},
                                                   analyzer, "analyzer");
  std::tie(options.tokenizer.shortest, options.tokenizer.longest) = ngrams;
  options.tokenizer.lower_case = lower_case;
  options.tokenizer.stop_words = std::move(stop_words);
  options.values = choice<TermValues, 3>({{{"counts", TermValues::counts},
                                           {"binary", TermValues::binary},
                                           {"tf-idf", TermValues::tf_idf}}},
                                         weighting, "weighting");
  options.sublinear = sublinear;
  options.norm = choice<std::optional<TermNorm>, 4>({{{"auto", std::nullopt},
                                                      {"l1", TermNorm::l1},
                                                      {"l2", TermNorm::l2},
                                                      {"none", TermNorm::none}}},
                                                    norm, "norm");
  options.min_documents = {min_df.first, min_df.second};
  options.max_documents = {max_df.first, max_df.second};
  options.max_terms = max_terms;
  options.hash_bits = hash_bits;
  return TextEncoder(std::move(options));
}

}  // namespace

void bind_text(py::module_& module) {
  py::class_<TextEncoder>(module, "TextEncoder", "Texts as rows of a sparse matrix.")
      .def(py::init(&make_encoder), py::arg("analyzer"), py::arg("ngrams"), py::arg("lower_case"),
           py::arg("stop_words"), py::arg("weighting"), py::arg("sublinear"), py::arg("norm"),
           py::arg("min_df"), py::arg("max_df"), py::arg("max_terms"), py::arg("hash_bits"))
      .def("read_kit", &TextEncoder::read_kit)
      .def("kit_names", &TextEncoder::kit_names)
      .def("kit_state", &TextEncoder::kit_state)
      .def("set_kit_state", &TextEncoder::set_kit_state)
      .def("fit", &TextEncoder::fit)
      .def("fit_transform", &TextEncoder::fit_transform)
      .def("transform", &TextEncoder::transform)
      .def("terms", &TextEncoder::terms)
      .def("idf", &TextEncoder::idf)
      .def("state", &TextEncoder::state)
      .def("set_state", &TextEncoder::set_state)
      .def_property_readonly("columns", &TextEncoder::columns)
      .def_property_readonly("needs_fit", &TextEncoder::needs_fit)
      .def_property_readonly("is_fitted", &TextEncoder::is_fitted);
  module.def("english_stop_words", &english_stop_words);
}

}  // namespace croft::python
