#include "model/foreign/foreign_chain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "core/json.h"
#include "core/mapped_file.h"
#include "croft/core/error.h"
#include "model/foreign/open_model_file.h"
#include "model/kinds/model_file.h"

namespace croft {
namespace {

constexpr std::size_t kMostForeignLabels = 65535;  // a pair of them is a cell of 32 bits

constexpr std::array kForeignFormats = {
    ForeignFormat{"crfsuite", "CRFsuite",
                  [](std::string_view begin) { return begin.starts_with("lCRF"); }, read_crfsuite,
                  write_crfsuite},
    ForeignFormat{"wapiti", "Wapiti",
                  [](std::string_view begin) { return begin.starts_with("#mdl#"); }, read_wapiti,
                  write_wapiti},
    // Version 100, type 0; every later byte may be any.
    ForeignFormat{"crfpp", "CRF++",
                  [](std::string_view begin) {
                    return begin.starts_with(std::string_view("\x64\0\0\0\0\0\0\0", 8));
                  },
                  read_crfpp, write_crfpp},
    ForeignFormat{"", "CRF++",
                  [](std::string_view begin) { return begin.starts_with("version: "); },
                  read_crfpp_text, nullptr},
};

// What is wrong with a file that its reader took.
class ForeignCheck {
 public:
  ForeignCheck(const ForeignChain& chain, std::string_view program, const std::string& file)
      : chain_(chain), program_(program), file_(file) {}

  void run() const {
    check_labels();
    const std::size_t labels = chain_.labels.size();
    check_rows(chain_.node, labels);
    check_rows(chain_.edge, labels * labels);
    check_rows(chain_.tied, labels * labels);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError({file_}, "damaged model of " + std::string(program_) + ": " + what, "",
                     "restore the file from a copy or train again");
  }

 private:
  void check_labels() const {
    const std::size_t labels = chain_.labels.size();
    if (labels == 0) fail("it has no labels");
    if (labels > kMostForeignLabels) {
      fail(std::to_string(labels) + " labels, and at most " + std::to_string(kMostForeignLabels) +
           " are read");
    }
    std::unordered_set<std::string_view> seen;
    for (const std::string& label : chain_.labels) {
      if (!seen.insert(label).second) fail("the label " + in_quotes(label) + " is there twice");
      if (label.empty() || label.find('\n') != label.npos) {
        fail("the label " + in_quotes(label) + " cannot stand in a line");
      }
    }
  }

  void check_rows(const ForeignRows& rows, std::size_t cells) const {
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      for (std::size_t k = rows.begin[r]; k < rows.begin[r + 1]; ++k) {
        const bool increases = k == rows.begin[r] || rows.cell[k - 1] < rows.cell[k];
        if (!increases || rows.cell[k] >= cells) {
          fail("the weights of " + in_quotes(rows.names[r]) + " are not one for each label");
        }
        if (!(std::abs(rows.weight[k]) <= double{std::numeric_limits<float>::max()})) {
          fail("a weight of " + in_quotes(rows.names[r]) + " is no finite number");
        }
      }
    }
  }

  const ForeignChain& chain_;
  std::string_view program_;
  const std::string& file_;
};

void write_foreign_rows(const ForeignRows& rows, std::size_t cells, const std::string& prefix,
                        ContainerWriter& out) {
  std::vector<NamedRow> named;
  named.reserve(rows.rows());
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const std::size_t begin = rows.begin[r], length = rows.begin[r + 1] - begin;
    named.push_back({rows.names[r], std::span(rows.cell).subspan(begin, length),
                     std::span(rows.weight).subspan(begin, length)});
  }
  write_feature_table(named, cells, prefix, out, TableForm::exact);
}

ForeignRows foreign_rows_of(const FeatureTable& table) {
  ForeignRows rows;
  for (std::uint32_t id = 0; id < table.size(); ++id) {
    const WeightRow row = table.row(id);
    for (std::size_t k = 0; k < row.size(); ++k) rows.add(row.cell(k), row.weight(k));
    rows.end_row(table.name(id));
  }
  return rows;
}

void require_plain(const ChainModel& model) {
  const auto refuse = [&](bool has, const Message& what) {
    if (!has) return;
    throw UsageError(model.container().name(), ": the model has ", what,
                     ", which the files of other programs cannot say");
  };
  refuse(model.order() > 1, "weights of three labels or more (--order)");
  refuse(model.vote() != nullptr, "many weight vectors that vote");
  refuse(model.kernel() != nullptr, "a kernel in the place of weights");
  refuse(model.constraint().has_value(), "a constraint");
  refuse(model.calibrator().has_value(), "a calibration");
}

// Null: none.
const ForeignFormat* foreign_format_of(std::string_view begin) {
  const auto* row = std::ranges::find_if(
      kForeignFormats, [&](const ForeignFormat& format) { return format.recognises(begin); });
  return row == kForeignFormats.end() ? nullptr : row;
}

ContainerWriter converted(const ForeignFormat& format, std::string_view bytes,
                          const std::string& file) {
  return make_foreign_model(format.read(bytes, file), format.program, file);
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

ContainerWriter make_foreign_model(const ForeignChain& chain, std::string_view program,
                                   const std::string& file) {
  const ForeignCheck check(chain, program, file);
  check.run();
  const Json training = {{"program", program},
                         {"file", std::filesystem::path(file).filename().string()}};
  const std::size_t labels = chain.labels.size(), pairs = labels * labels;
  Json more = Json::object();
  if (chain.single_sums) more["single_sums"] = true;
  ContainerWriter out;
  write_common_sections(name_of(chain.kind), chain.extraction, chain.labels, training, more, out);
  try {
    write_foreign_rows(chain.tied, pairs, "tied", out);
    write_foreign_rows(chain.node, labels, "node", out);
    write_foreign_rows(chain.edge, pairs, "edge", out);
  } catch (const Error& error) {  // of a name that is there twice
    check.fail(error.what());
  }
  return out;
}

ForeignChain foreign_chain(const SequenceModel& model) {
  const ChainModel& from = require_chain(model, "a file for another program");
  require_plain(from);
  ForeignChain chain;
  chain.kind = chain_kind(from.kind());
  for (Label y = 0; y < from.labels(); ++y) chain.labels.push_back(from.label(y));
  chain.extraction = from.extractor().config();
  chain.node = foreign_rows_of(from.node());
  chain.edge = foreign_rows_of(from.edge());
  chain.tied = foreign_rows_of(from.tied());
  return chain;
}

std::span<const ForeignFormat> foreign_formats() { return kForeignFormats; }

const ForeignFormat* foreign_format_named(std::string_view name) {
  const auto* row = std::ranges::find(kForeignFormats, name, &ForeignFormat::name);
  return name.empty() || row == kForeignFormats.end() ? nullptr : row;
}

const ForeignFormat* foreign_format_of_file(const std::filesystem::path& path) {
  const MappedFile file(path);
  return foreign_format_of(text_of(file.bytes()));
}

Container open_model_file(const std::filesystem::path& path) {
  MappedFile file(path);
  const std::string_view text = text_of(file.bytes());
  const ForeignFormat* const format = foreign_format_of(text);
  if (format == nullptr) return Container::open(std::move(file), path.string());
  std::vector<std::byte> bytes = converted(*format, text, path.string()).bytes();
  file.check_unchanged();
  Container made = Container::from_bytes(std::move(bytes), path.string());
  made.set_converted_from(text.size());
  return made;
}

Container read_model_file(const std::filesystem::path& path) {
  const Container file = open_model_file(path);
  file.verify();
  Container whole = Container::from_bytes({file.bytes().begin(), file.bytes().end()}, file.name());
  file.check_unchanged();
  return whole;
}

Container model_file_of(std::vector<std::byte> bytes, std::string name) {
  const std::string_view text = text_of(bytes);
  const ForeignFormat* const format = foreign_format_of(text);
  if (format == nullptr) return Container::from_bytes(std::move(bytes), std::move(name));
  Container made = Container::from_bytes(converted(*format, text, name).bytes(), name);
  made.set_converted_from(text.size());
  return made;
}

}  // namespace croft
