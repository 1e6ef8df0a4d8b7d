// croft completion, croft manual: what shells and man know of the program, made of the tables of
// options.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/common.h"
#include "cli/help/option_text.h"
#include "cli/verb.h"

namespace croft::cli {
namespace {

// In single quotes of a shell.
std::string shell_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// --- bash

// With blanks between, as shells split it again.
std::string word_list(const std::vector<std::string_view>& words) {
  std::string out;
  for (const std::string_view each : words) {
    out += (out.empty() ? "" : " ") + (each == ";" ? "\\;" : std::string(each));
  }
  return out;
}
std::string shell_list(const std::vector<std::string_view>& words) {
  return shell_word(word_list(words));
}

void bash_verb(const Verb& verb, std::string& options, std::string& values) {
  std::vector<std::string> all;
  std::string arguments;
  for_listed_options(verb, [&](const OptionRow& row) {
    const OfferedValues offered = offered_values(verb, row);
    const std::vector<std::string> names = names_of(row);
    if (names.empty() && !offered.names.empty()) {
      arguments = fmt::format(" arguments={}", shell_list(offered.names));
    }
    all.insert(all.end(), names.begin(), names.end());
    if (names.empty() || (!takes_value(row) && offered.names.empty())) return;
    std::string cases;
    for (const std::string& name : names) {
      cases += fmt::format("{}{}:{}", cases.empty() ? "" : "|", verb.name, name);
    }
    // A blank: there is a value, and nothing to be offered.
    std::string found = "words=' '";
    if (!offered.names.empty()) found = "words=" + shell_list(offered.names);
    if (!takes_value(row)) found = "[ -n \"$equals\" ] && " + found;
    if (offered.files) found = offered.names.empty() ? "files=1" : found + " files=1";
    values += fmt::format("    {}) {} ;;\n", cases, found);
  });
  options += fmt::format("    {}) options={}{} ;;\n", verb.name,
                         shell_word(fmt::format("{}", fmt::join(all, " "))), arguments);
}

std::string bash_completion() {
  std::string verbs, options, values;
  for (const Verb* verb : all_verbs()) {
    verbs += std::string(verb->name) + " ";
    bash_verb(*verb, options, values);
  }
  for (const OptionRow* row : {&help_row(), &version_row()}) {
    verbs += fmt::format("{} ", fmt::join(names_of(*row), " "));
  }
  verbs.pop_back();
  return fmt::format(
      R"(# bash completion for croft: source it, or put it where bash-completion looks.
_croft() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} verb=${{COMP_WORDS[1]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}
  local options='' arguments='' words='' files='' equals=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '{}' -- "$cur")
    return
  fi
  # --option=value is three words.
  if [ "$cur" = = ]; then
    cur='' equals=1
  elif [ "$prev" = = ]; then
    prev=${{COMP_WORDS[COMP_CWORD-2]}} equals=1
  fi
  case $verb in
{}  esac
  case $verb:$prev in
{}  esac
  if [ -n "$words$files" ]; then
    :
  elif [ "${{cur:0:1}}" = - ]; then
    words=$options
  elif [ -n "$arguments" ]; then
    words=$arguments
  else
    files=1
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  if [ -n "$files" ]; then
    compopt -o filenames 2> /dev/null
    mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$cur")
  fi
}}
complete -F _croft croft
)",
      verbs, options, values);
}

// --- zsh

// In a specification of _arguments.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// The end of a specification: what the value is called, and what it may be.
std::string zsh_value(std::string_view called, const OfferedValues& offered) {
  const std::string names = word_list(offered.names);
  const std::string what = ":" + zsh_text(called) + ":";
  if (names.empty()) return what + (offered.files ? "_files" : "");
  if (offered.files) return what + "{compadd -- " + names + "; _files}";
  return what + "(" + names + ")";
}

std::string zsh_argument(const Verb& verb, const OptionRow& row) {
  const std::string before = row.several ? "*" : row.required ? "" : ":";
  return "      " + shell_word(before + zsh_value(argument_name(row), offered_values(verb, row))) +
         " \\\n";
}

std::string zsh_option(const Verb& verb, const OptionRow& row) {
  const OfferedValues offered = offered_values(verb, row);
  const std::vector<std::string> names = names_of(row);
  // Once it is there, its other names are not offered; with --help nothing is.
  std::string before;
  if (names.size() > 1) before = fmt::format("({})", fmt::join(names, " "));
  if (row.several) before = "*";
  if (&row == &help_row()) before = "(- : *)";
  // =: the value stands there or in the next word; =-: there alone, if at all.
  std::string equals, value, out;
  if (takes_value(row)) {
    equals = "=", value = zsh_value(row.shown.empty() ? row.name : row.shown, offered);
  } else if (!offered.names.empty()) {
    equals = "=-", value = ":" + zsh_value(row.name, offered);
  }
  for (const std::string& name : names) {
    const std::string spec = before + name + (name.starts_with("--") ? equals : "");
    out += "      " + shell_word(spec + "[" + zsh_text(brief(row.help)) + "]" + value) + " \\\n";
  }
  return out;
}

std::string zsh_completion() {
  std::string verbs, options, cases;
  for (const OptionRow* row : {&help_row(), &version_row()}) {
    for (const std::string& name : names_of(*row)) {
      options += fmt::format(" {}", shell_word(name + ":" + std::string(row->help)));
    }
  }
  for (const Verb* verb : all_verbs()) {
    verbs +=
        "      " + shell_word(std::string(verb->name) + ":" + std::string(verb->summary)) + "\n";
    std::string specs;
    for_listed_options(*verb, [&](const OptionRow& row) {
      if (!row.positional) specs += zsh_option(*verb, row);
      if (!argument_name(row).empty()) specs += zsh_argument(*verb, row);
    });
    specs.resize(specs.size() - 3);  // " \\\n"
    cases += fmt::format("    {}) _arguments \\\n{} ;;\n", verb->name, specs);
  }
  return fmt::format(R"(#compdef croft
# zsh completion for croft: put it as _croft into a folder of $fpath.
_croft() {{
  if (( CURRENT == 2 )); then
    local -a verbs=(
{}    )
    local -a options=({} )
    _describe verb verbs
    _describe -o option options
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT -= 1 ))
  case $verb in
{}  esac
}}
_croft "$@"
)",
                     verbs, options, cases);
}

// --- fish

std::string fish_names(const OptionRow& row) {
  std::string out;
  for (const std::string& name : names_of(row)) {
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return out;
}

// -x: with a value that is no file; -r: with one that may be; -f: the value, if any, is no file.
std::string fish_values(const OptionRow& row, const OfferedValues& offered) {
  std::string out = offered.files ? " -rF" : takes_value(row) && !row.positional ? " -x" : "";
  if (offered.names.empty()) return out;
  return (out.empty() ? " -f" : out) + " -a " + shell_list(offered.names);
}

std::string fish_completion() {
  std::string out = R"(# fish completion for croft: put it into ~/.config/fish/completions.
function __croft_verb
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]
end
)";
  for (const OptionRow* row : {&help_row(), &version_row()}) {
    out += fmt::format("complete -c croft -f -n __fish_use_subcommand{} -d {}\n", fish_names(*row),
                       shell_word(row->help));
  }
  for (const Verb* verb : all_verbs()) {
    out += fmt::format("complete -c croft -f -n __fish_use_subcommand -a {} -d {}\n", verb->name,
                       shell_word(verb->summary));
    for_listed_options(*verb, [&](const OptionRow& row) {
      const OfferedValues offered = offered_values(*verb, row);
      if (row.positional && offered.names.empty()) return;  // files, which fish offers itself
      out += fmt::format("complete -c croft -n '__croft_verb {}'{}{}", verb->name, fish_names(row),
                         fish_values(row, offered));
      if (!row.positional) out += " -d " + shell_word(brief(row.help));
      out += "\n";
    });
  }
  return out;
}

std::span<const OptionRow> completion_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      choice("SHELL", "SHELL", {"bash", "zsh", "fish"}, "bash, zsh or fish").needed().unnamed(),
  });
  return kRows;
}

int run_completion(const OptionValues& values) {
  const std::string_view shell = values.text("SHELL");
  write_result(shell == "bash"  ? bash_completion()
               : shell == "zsh" ? zsh_completion()
                                : fish_completion());
  return kDone;
}

// --- man

// A line of text: no command of roff, no hyphen that looks like a dash.
std::string roff(std::string_view text) {
  std::string out;
  bool start = true;
  for (const char c : text) {
    if (start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    start = c == '\n';
  }
  return out;
}

std::string man_entry(const OptionRow& row, const std::string& names) {
  const std::string value = shown_value(row), help(row.help);
  std::string out = ".TP\n" + names;
  if (!value.empty()) out += " \\fI" + roff(value) + "\\fR";
  out += "\n" + roff(help) + (help.ends_with('.') ? "\n" : ".\n");
  if (row.required) out += "Required.\n";
  return out;
}

std::string man_option(const OptionRow& row) {
  std::string names;
  for (const std::string& name : names_of(row)) {
    names += (names.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
  }
  return man_entry(row, names);
}

std::string man_head(std::string_view page) {
  std::string upper(page);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH {} 1 \"\" \"croft {}\" \"Croft\"\n.SH NAME\n", roff(upper),
                     CROFT_VERSION);
}

std::string manual_of(const Verb& verb) {
  std::string out = man_head("croft-" + std::string(verb.name));
  const std::string command = "croft " + std::string(verb.name);
  out += fmt::format("{} \\- {}\n.SH SYNOPSIS\n\\fB{}\\fR \\fI{}\\fR",
                     roff("croft-" + std::string(verb.name)), roff(verb.summary), roff(command),
                     roff(usage_of(verb).substr(command.size() + 1)));
  std::string arguments, options;
  std::string_view group;
  for_listed_options(verb, [&](const OptionRow& row) {
    const std::string argument(argument_name(row));
    if (!argument.empty()) arguments += man_entry(row, "\\fI" + roff(argument) + "\\fR");
    if (row.positional) return;
    if (row.group != group) {
      group = row.group;
      options += ".SS " + roff(group.empty() ? "Options" : group) + "\n";
    }
    options += man_option(row);
  });
  out += "\n";
  if (!arguments.empty()) out += ".SH ARGUMENTS\n" + arguments;
  out += ".SH OPTIONS\n" + options;
  return out + ".SH NOTES\n.nf\n" + roff(verb.footer()) + "\n.fi\n.SH SEE ALSO\n.BR croft (1)\n";
}

std::string manual() {
  std::string out = man_head("croft");
  out +=
      "croft \\- conditional random fields and log\\-linear models\n.SH SYNOPSIS\n"
      "\\fBcroft\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR]\n.SH VERBS\n";
  for (const Verb* verb : all_verbs()) {
    out += fmt::format(".TP\n.BR {} (1)\n{}.\n", roff("croft-" + std::string(verb->name)),
                       roff(verb->summary));
  }
  return out + ".SH OPTIONS\n" + man_option(help_row()) + man_option(version_row()) +
         ".SH EXIT STATUS\n0 done, 1 bad input, 2 wrong usage, 130 stopped by Ctrl\\-C or SIGTERM, "
         "141 where the reader of the results left.\n";
}

std::span<const OptionRow> manual_options() {
  using namespace option;
  std::vector<std::string_view> verbs;
  for (const Verb* verb : all_verbs()) verbs.push_back(verb->name);
  static const auto kRows = std::to_array<OptionRow>({
      choice("VERB", "VERB", std::move(verbs), "Of this verb; without: of the program").unnamed(),
  });
  return kRows;
}

int run_manual(const OptionValues& values) {
  const std::string_view name = values.text("VERB");
  if (name.empty()) {
    write_result(manual());
    return kDone;
  }
  write_result(manual_of(**std::ranges::find(all_verbs(), name, &Verb::name)));
  return kDone;
}

}  // namespace

const Verb kCompletion = {
    .name = "completion",
    .summary = "Write what a shell needs to complete options and their values",
    .options = [] { return tables(completion_options(), common_options()); },
    .footer =
        [] {
          return std::string(
              "\nExample:\n  croft completion bash > "
              "~/.local/share/bash-completion/completions/croft"
              "\n  croft completion zsh > ~/.zfunc/_croft\n  croft completion fish > "
              "~/.config/fish/completions/croft.fish");
        },
    .run = run_completion};

const Verb kManual = {.name = "manual",
                      .summary = "Write a manual page, for man",
                      .options = [] { return tables(manual_options(), common_options()); },
                      .footer =
                          [] {
                            return std::string(
                                "\nExample:\n  croft manual train > croft-train.1\n  man -l "
                                "croft-train.1");
                          },
                      .run = run_manual};

}  // namespace croft::cli
