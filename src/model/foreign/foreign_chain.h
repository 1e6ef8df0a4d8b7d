// Chains in the files of other programs: CRFsuite, Wapiti and CRF++.
//
//   file ─ read ─► ForeignChain ─ make_foreign_model ─► the sections of a Croft model
//   model ─ foreign_chain ─► ForeignChain ─ write ─► file
//
// A program has one reader and one writer; nothing else knows its format.  What these programs
// compute in double precision stays in it: a table has the rest that single precision leaves of
// each weight (model/feature_table.h).
#pragma once
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/extraction.h"
#include "model/file/container.h"
#include "model/kinds/chain_model.h"

namespace croft {

// Rows of weights: row r has the cells and weights [begin[r], begin[r + 1]), cells increasing.
struct ForeignRows {
  std::vector<std::string> names;
  std::vector<std::size_t> begin{0};
  std::vector<std::uint32_t> cell;
  std::vector<double> weight;

  void add(std::uint32_t c, double w) {
    cell.push_back(c);
    weight.push_back(w);
  }
  // Ends the row whose cells were added last.
  void end_row(std::string name) {
    names.push_back(std::move(name));
    begin.push_back(cell.size());
  }
  std::size_t rows() const { return names.size(); }
  // Whether row r has a weight that is not 0.
  bool weighs(std::size_t r) const {
    return std::any_of(weight.begin() + static_cast<std::ptrdiff_t>(begin[r]),
                       weight.begin() + static_cast<std::ptrdiff_t>(begin[r + 1]),
                       [](double w) { return w != 0; });
  }
};

struct ForeignChain {
  ChainKind kind = ChainKind::chain;
  std::vector<std::string> labels;
  ExtractionConfig extraction;
  ForeignRows node;  // cell: label
  ForeignRows edge;  // cell: label before * L + label; attributes of an edge
  ForeignRows tied;  // likewise, of every edge; named as Extractor::tied_names() are
  // The program adds up the weights of a position, and those of an edge, in single precision, in
  // the order of the attributes, and goes on in double precision.
  bool single_sums = false;
};

// The sections of an ordinary model with the same scores.
//   program : that wrote it, for the record of training
//   file    : for messages and, without its folder, for the record.  Throws InputError for labels
//             or attributes that occur twice, for none, for cells that do not increase, and for a
//             weight that is no finite number in single precision.
ContainerWriter make_foreign_model(const ForeignChain& chain, std::string_view program,
                                   const std::string& file);

// The inverse, of a model of order 1 whose scores are sums of weights.  Throws UsageError for what
// no other program has: a vote, a kernel, a constraint, a calibration, label histories.
ForeignChain foreign_chain(const SequenceModel& model);

// One row for each format.
struct ForeignFormat {
  std::string_view name;     // as `croft convert --to` has it; empty: it is only read
  std::string_view program;  // for messages
  // Whether a file begins like one of that format.
  bool (*recognises)(std::string_view begin);
  // Throws InputError for a file that is damaged: what is wrong, at which byte or line.  Reads
  // nothing outside of `bytes`, whatever they say, and takes memory in proportion to them.
  ForeignChain (*read)(std::string_view bytes, const std::string& file);
  // The bytes of a file that the program opens.  Throws UsageError for what its format cannot say.
  //   file : of the model, for messages
  std::string (*write)(const ForeignChain& chain, const std::string& file);
};
std::span<const ForeignFormat> foreign_formats();
// The format of that name, which is written; null: none.
const ForeignFormat* foreign_format_named(std::string_view name);
// That of a file; null: it is of none of them.  Throws Error where it cannot be read.
const ForeignFormat* foreign_format_of_file(const std::filesystem::path& path);

// Readers and writers of the table.
ForeignChain read_crfsuite(std::string_view bytes, const std::string& file);
std::string write_crfsuite(const ForeignChain& chain, const std::string& file);
ForeignChain read_wapiti(std::string_view bytes, const std::string& file);
std::string write_wapiti(const ForeignChain& chain, const std::string& file);
ForeignChain read_crfpp(std::string_view bytes, const std::string& file);
ForeignChain read_crfpp_text(std::string_view bytes, const std::string& file);
std::string write_crfpp(const ForeignChain& chain, const std::string& file);

}  // namespace croft
