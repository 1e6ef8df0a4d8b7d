#include "cli/verb.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <sstream>

#include "cli/common.h"
#include "cli/files/named_files.h"
#include "cli/help/option_text.h"
#include "cli/processes.h"
#include "core/words/closest_name.h"
#include "croft/core/interrupt.h"

namespace croft::cli {
namespace {

// Help in the words of the tables, of which the manual pages are made, too.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    const auto verbs = all_verbs();
    const auto verb = std::ranges::find(verbs, app->get_name(), &Verb::name);
    if (verb == verbs.end()) return CLI::Formatter::make_usage(app, std::move(name));
    return "Usage: " + usage_of(**verb) + "\n";
  }

  // A flag that takes a value: the table says which, not its name.
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    const std::string name = CLI::Formatter::make_option_name(option, positional);
    return name.substr(0, name.find('{'));
  }
};

bool is_plain_flag(const OptionRow& row) { return !takes_value(row) && row.bare.empty(); }

// As CLI11 reads them: -m,--model,MODEL.
std::string cli11_names(const OptionRow& row) {
  std::vector<std::string> names = names_of(row);
  if (!argument_name(row).empty()) names.emplace_back(argument_name(row));
  if (!takes_value(row) && !row.bare.empty()) names.back() += "{" + std::string(row.bare) + "}";
  return fmt::format("{}", fmt::join(names, ","));
}

// The same, with what CLI11 would write behind it.
std::string help_value(const OptionRow& row) {
  std::string shown = shown_value(row);
  if (row.required) shown += shown.empty() ? "REQUIRED" : " REQUIRED";
  return shown;
}

struct AddedOption {
  const OptionRow* row;
  CLI::Option* option;
};

// A verb, its options where they were asked for, and where CLI11 has them.
class AddedVerb {
 public:
  AddedVerb(CLI::App& program, const Verb& verb)
      : verb_(verb),
        app_(*program.add_subcommand(std::string(verb.name), std::string(verb.summary))) {}

  void add_options() {
    tables_ = verb_.options();
    for (const std::span<const OptionRow> table : tables_) {
      for (const OptionRow& row : table) options_.push_back({&row, add_option(row)});
    }
    app_.footer(verb_.footer());
  }

  const CLI::App& app() const { return app_; }

  // Leaves the options of the verb's short help, where it has one, with the first sentence of each.
  void shorten_help() {
    if (verb_.kinds == nullptr) return;
    const OptionValues given = readable_values();
    const KindSet kinds = verb_.kinds(given);
    for (const AddedOption& each : options_) {
      if (!each.row->first || (each.row->kinds & kinds) == 0) each.option->group("");
      constexpr std::string_view kBelow = "; see below";
      const std::string_view help = each.row->help;
      each.option->description(help.ends_with(kBelow)
                                   ? std::string(help.substr(0, help.size() - kBelow.size())) +
                                         "; see --help=all"
                                   : brief(help));
    }
    app_.footer(verb_.brief_footer(given));
  }

  int run() const {
    if (!verb_.several_processes) require_one_process("croft " + std::string(verb_.name));
    std::optional<Abandonable> abandonable;
    if (verb_.gives_up) {
      handle_interrupts();
      abandonable.emplace();
    }
    try {
      const OptionValues given = values();
      check_named_files(given);
      set_quiet(given.flag("quiet"));
      return verb_.run(given);
    } catch (const OptionError& error) {
      throw UsageError(error.message(), "; see croft ", verb_.name, " --help");
    } catch (const std::bad_alloc&) {
      throw Error("out of memory; ", verb_.need_of_memory);
    }
  }

 private:
  CLI::Option* add_option(const OptionRow& row) {
    const std::string help(row.help);  // a variable would be taken for that of the value
    const std::string names = cli11_names(row);
    CLI::Option* option = takes_value(row) ? app_.add_option(names, CLI::callback_t(), help)
                                           : app_.add_flag(names, help);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (is_plain_flag(row)) option->disable_flag_override();
    if (row.several) option->expected(1, CLI::detail::expected_max_vector_size);
    if (takes_value(row)) option->allow_extra_args(row.in_a_row || (row.positional && row.several));
    option->required(row.required);
    const std::string shown = help_value(row);
    if (!shown.empty()) option->option_text(shown);
    if (row.hidden || !row.group.empty()) option->group(row.hidden ? "" : std::string(row.group));
    return option;
  }

  void set(const AddedOption& each, OptionValues& values) const {
    if (each.option->count() > 0 && is_plain_flag(*each.row)) values.set_flag(each.row->name);
    if (is_plain_flag(*each.row)) return;
    for (const std::string& word : each.option->results()) values.set(each.row->name, word);
  }

  // Without those that are wrong, which a help passes over.
  OptionValues readable_values() const {
    OptionValues values(tables_);
    for (const AddedOption& each : options_) {
      try {
        set(each, values);
      } catch (const UsageError&) {
      }
    }
    return values;
  }

  OptionValues values() const {
    OptionValues values(tables_);
    for (const AddedOption& each : options_) set(each, values);
    values.check_required();
    if (!verb_.own_company) values.check_company();
    return values;
  }

  const Verb& verb_;
  CLI::App& app_;
  OptionTables tables_;
  std::vector<AddedOption> options_;
};

// In our words where CLI11's are hard to understand.
std::string parse_message(const CLI::ParseError& error) {
  constexpr std::string_view kFlagValue = " was given a disallowed flag override";
  const std::string what = error.what();
  if (what.ends_with(kFlagValue)) {
    return "--" + what.substr(0, what.size() - kFlagValue.size()) + " takes no value";
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return what.substr(0, what.find(':')) + " needs a value";
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    return what + "; an option takes one value: write it before each of several";
  }
  return what;
}

// A model stands behind -m in every verb, and is easily given as the first file.
std::string advice_of_model(const CLI::App& verb) {
  const CLI::Option* const model = verb.get_option_no_throw("-m");
  return model == nullptr || model->count() > 0 ? "" : " (the model is named with -m)";
}

// Options as they are written.
std::vector<std::string> option_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string unknown(std::string_view what, std::string_view text,
                    const std::vector<std::string>& known) {
  return fmt::format("unknown {} {}{}", what, in_quotes(text),
                     did_you_mean(text, {known.begin(), known.end()}));
}

// What is wrong with the command line, and where to read more.
std::string usage_message(const CLI::App& program, const CLI::ParseError& error) {
  const auto named = program.get_subcommands();
  if (!named.empty()) {
    const std::string help = "; see croft " + named.front()->get_name() + " --help";
    // CLI11 first looks for what is missing, which may be there behind a name that is misspelt.
    for (const std::string& rest : named.front()->remaining()) {
      if (rest.size() > 1 && rest.starts_with("-")) {
        return unknown("option", rest.substr(0, rest.find('=')), option_names(*named.front())) +
               help;
      }
    }
    return parse_message(error) + advice_of_model(*named.front()) + help;
  }
  std::vector<std::string> names;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  const auto rest = program.remaining();
  const std::string what = rest.empty() ? "a verb is missing"
                           : rest[0].starts_with("-")
                               ? unknown("option", rest[0], option_names(program))
                               : unknown("verb", rest[0], names);
  return fmt::format("{}; verbs are {}; see croft --help", what, fmt::join(names, ", "));
}

}  // namespace

namespace {

// CLI11's --help takes no value; what is behind the verb's name, without its "=all".
struct HelpWords {
  HelpWords(int argc, char** argv) : words(argv, argv + argc) {
    for (const char*& word : words) {
      if (std::string_view(word) != "--help=all") continue;
      all = true;
      word = "--help";
    }
  }
  std::vector<const char*> words;
  bool all = false;
};

}  // namespace

int run_command_line(std::span<const Verb* const> verbs, const char* footer, int argc,
                     char** argv) {
  CLI::App program("Conditional random fields: train, predict, evaluate, inspect, explain.",
                   "croft");
  program.footer(footer);
  program.set_help_flag(cli11_names(help_row()), std::string(help_row().help));
  program.set_version_flag(cli11_names(version_row()), CROFT_VERSION,
                           std::string(version_row().help));
  program.require_subcommand(1);
  program.formatter(std::make_shared<HelpFormatter>());
  program.get_formatter()->column_width(34);
  // The verb that comes first alone: the options of all of them take a millisecond.
  const std::string_view first = argc > 1 ? argv[1] : "";
  const bool known = std::ranges::find(verbs, first, &Verb::name) != verbs.end();
  const HelpWords help(argc, argv);
  std::deque<AddedVerb> added;
  for (const Verb* verb : verbs) {
    if (known && verb->name != first) continue;
    added.emplace_back(program, *verb).add_options();
  }
  try {
    program.parse(argc, help.words.data());
  } catch (const CLI::Success& answer) {  // --help, --version: results as any other
    for (AddedVerb& each : added) {
      if (each.app().parsed() && !help.all) each.shorten_help();
    }
    std::ostringstream text;
    program.exit(answer, text);
    write_result(text.str());
    flush_result();
    return kDone;
  } catch (const CLI::ParseError& error) {
    throw UsageError(usage_message(program, error));
  }
  const auto named =
      std::ranges::find_if(added, [](const AddedVerb& each) { return each.app().parsed(); });
  const int status = named->run();
  flush_result();
  return status;
}

}  // namespace croft::cli
