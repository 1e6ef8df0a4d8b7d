// The table of training's options, for every kind of model and every front end.  docs/options.md is
// made of it.
//
// To add an option: its row in one of the files of this folder, its use where a request is made of
// values (app/train/requests), its test.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "core/option_row.h"
#include "core/option_values.h"

namespace croft {

// The kinds of model that training has, as `--model` names them and as bits of an option's row.
inline constexpr KindSet kChainBit = 1 << 0, kMaxentBit = 1 << 1, kMemmBit = 1 << 2,
                         kNaiveBayesBit = 1 << 3, kHmmBit = 1 << 4, kHiddenChainBit = 1 << 5,
                         kPoolBit = 1 << 6, kErrorCorrectingBit = 1 << 7, kBoostedChainBit = 1 << 8,
                         kBoostedMaxentBit = 1 << 9, kBoostedSegmentBit = 1 << 10,
                         kSegmentBit = 1 << 11, kBayesNetBit = 1 << 12, kGraphBit = 1 << 13,
                         kJointBit = 1 << 14,  // maxent with joint features, a training of its own
    kLogicBit = 1 << 15, kMixtureBit = 1 << 16;

// Families that options have in common.
inline constexpr KindSet kChains = kChainBit | kMaxentBit | kMemmBit;
inline constexpr KindSet kOfChains = kChains | kHiddenChainBit | kPoolBit | kErrorCorrectingBit;
inline constexpr KindSet kBoosted = kBoostedChainBit | kBoostedMaxentBit | kBoostedSegmentBit;
// What is trained by an objective and an optimizer of the user's choice.
inline constexpr KindSet kOptimised = kOfChains | kSegmentBit | kJointBit | kGraphBit;

struct KindName {
  KindSet bit;
  std::string_view name, help;
};
// In the order of help; without kJointBit, which is no name of a model.
std::span<const KindName> kind_names();
// Of such a name, and of the kind that files of joint models have.  Throws UsageError for others.
KindSet kind_bit(std::string_view name);

// Rows in their order, without those of common(), whose kinds and heading are those of the rows
// behind them that have none of their own.
OptionRow common(KindSet kinds, std::string_view heading = {});
std::vector<OptionRow> with_common(std::vector<OptionRow> rows);

// Headings of help whose options go with one format alone.
inline constexpr std::string_view kTextGroup = "Texts (--format text)";
inline constexpr std::string_view kTableGroup = "Tables (--format csv)";

// Parts of the table, in the order of help.
std::span<const OptionRow> data_options();        // what is read, and what becomes of it
std::span<const OptionRow> feature_options();     // texts, tables, features that training finds
std::span<const OptionRow> method_options();      // objective, optimizer, penalty, when to stop
std::span<const OptionRow> unlabelled_options();  // data without labels, and what it is for
std::span<const OptionRow> generative_options();  // of naive Bayes, hidden Markov models, networks
std::span<const OptionRow> structure_options();   // of other structures and compositions
std::span<const OptionRow> run_options();         // hold-out, checkpoints, logs, threads
std::span<const OptionRow> common_options();      // threads, seed, quiet: of every verb
std::vector<std::span<const OptionRow>> training_options();

// Which rows of columns are read, and which cell is the label: of every verb that reads some.
OptionRow label_column_row(std::string_view help);
OptionRow ignore_lines_row();
// Says what becomes of a span of another program's data that does not fit its tokens.
OptionRow misaligned_row(std::string_view shown = "WHAT=refuse");
// Names that formats of data have elsewhere, for who gives --format one of them.
std::span<const OtherName> other_format_names();
// What is between cells of a table.
OptionRow delimiter_row(std::string_view value = "DELIMITER",
                        std::string_view help =
                            "What is between cells: comma, tab or semicolon; "
                            "without: tab of a file .tsv, else comma");
void read_delimiter(const OptionValues& values, char& delimiter);
inline constexpr std::string_view kLabelColumnHelp =
    "The one with the labels: of columns its number, from 1 on, without: the last one; of conllu "
    "its "
    "name, without: upos";

// What the queries of a spec may take: of every verb that has --database.
OptionRow query_seconds_row();
OptionRow query_memory_row();

// Throws UsageError for an option that was given and has no meaning for a kind, with the reason.
//   bit   : the kind's
//   shown : how messages name it
void check_meaning(const OptionValues& values, KindSet bit, const Message& shown);
void check_meaning(const OptionRow& given, KindSet bit, const Message& shown);

// Whether the row's option has a meaning for a kind; label-scheme also spells spans for all.
inline bool has_meaning(const OptionRow& row, KindSet kinds) { return (row.kinds & kinds) != 0; }

}  // namespace croft
