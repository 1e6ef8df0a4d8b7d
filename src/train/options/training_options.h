// The table of training's options, for every kind of model and every front end.  docs/options.md is
// made of it.
//
// To add an option: its row in one of the files of this folder, its use where a request is made of
// values (app/train/requests), its test.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/option_row.h"
#include "core/option_values.h"
#include "train/options/kinds.h"

namespace croft {

// Headings of help whose options go with one format alone.
inline constexpr std::string_view kTextGroup = "Texts (--format text)";
inline constexpr std::string_view kTableGroup = "Tables (--format csv)";

// Parts of the table, in the order of help.
std::span<const OptionRow> data_options();        // what is read, and what becomes of it
std::span<const OptionRow> feature_options();     // texts, tables, features that training finds
std::span<const OptionRow> method_options();      // objective, optimizer, penalty, when to stop
std::span<const OptionRow> generative_options();  // of naive Bayes, hidden Markov models, networks
std::span<const OptionRow> structure_options();   // of other structures and compositions
std::span<const OptionRow> run_options();         // hold-out, checkpoints, logs, threads
std::span<const OptionRow> common_options();      // threads, seed: of every verb, too
std::vector<std::span<const OptionRow>> training_options();

// Throws UsageError for an option that was given and has no meaning for a kind, with the reason.
//   bit   : the kind's
//   shown : how messages name it
void check_meaning(const OptionValues& values, KindSet bit, const Message& shown);
void check_meaning(const OptionRow& given, KindSet bit, const Message& shown);

// Whether the row's option has a meaning for a kind; label-scheme also spells spans for all.
inline bool has_meaning(const OptionRow& row, KindSet kinds) { return (row.kinds & kinds) != 0; }

}  // namespace croft
