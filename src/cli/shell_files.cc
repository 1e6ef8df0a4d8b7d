// croft completion, croft manual: what shells and man know of the program, made of the tables of
// options.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>

#include "cli/common.h"
#include "cli/verb.h"
#include "croft/core/error.h"

namespace croft::cli {
namespace {

using Visit = std::function<void(const OptionRow&)>;

// Those that help lists.
void for_options(const Verb& verb, const Visit& visit) {
  for (const std::span<const OptionRow> table : verb.options()) {
    for (const OptionRow& row : table) {
      if (!row.hidden) visit(row);
    }
  }
}

bool takes_value(const OptionRow& row) { return row.type != OptionType::flag; }
bool is_file(const OptionRow& row) { return row.type == OptionType::file; }

// In single quotes of a shell.
std::string shell_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The first sentence or so of a help, on a line.
std::string brief(std::string_view help) {
  constexpr std::size_t kLongest = 70;
  std::string out(help.substr(0, help.find_first_of(";:\n")));
  if (out.size() <= kLongest) return out;
  out.resize(out.rfind(' ', kLongest));
  return out + " …";
}

std::vector<std::string> names_of(const OptionRow& row) {
  std::vector<std::string> names{"--" + std::string(row.name)};
  if (!row.alias.empty()) names.push_back("--" + std::string(row.alias));
  if (row.letter != 0) names.push_back(std::string("-") + row.letter);
  return names;
}

// --- bash

void bash_verb(const Verb& verb, std::string& options, std::string& values) {
  std::vector<std::string> all{"--help"};
  for_options(verb, [&](const OptionRow& row) {
    if (row.positional) return;
    const std::vector<std::string> names = names_of(row);
    all.insert(all.end(), names.begin(), names.end());
    if (!takes_value(row)) return;
    std::string cases;
    for (const std::string& name : names) {
      cases += (cases.empty() ? "" : "|") + std::string(verb.name) + ":" + name;
    }
    if (!row.choices.empty()) {
      values += fmt::format("    {}) words={} ;;\n", cases,
                            shell_word(fmt::format("{}", fmt::join(row.choices, " "))));
    } else {
      values += fmt::format("    {}) {} ;;\n", cases, is_file(row) ? "files=1" : "words=' '");
    }
  });
  options += fmt::format("    {}) options={} ;;\n", verb.name,
                         shell_word(fmt::format("{}", fmt::join(all, " "))));
}

std::string bash_completion() {
  std::string verbs, options, values;
  for (const Verb* verb : all_verbs()) {
    verbs += (verbs.empty() ? "" : " ") + std::string(verb->name);
    bash_verb(*verb, options, values);
  }
  return fmt::format(
      R"(# bash completion for croft: source it, or put it where bash-completion looks.
_croft() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} verb=${{COMP_WORDS[1]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}
  local options='' words='' files=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- "$cur")
    return
  fi
  # --option=value is three words.
  if [ "$cur" = = ]; then cur=''; elif [ "$prev" = = ]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  case $verb in
{}  esac
  case $verb:$prev in
{}  esac
  if [ -n "$words" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  elif [ -z "$files" ] && [ "${{cur:0:1}}" = - ]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  else
    compopt -o filenames 2> /dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
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

std::string zsh_option(const OptionRow& row) {
  std::string value;
  if (takes_value(row)) {
    const std::string what = zsh_text(row.shown.empty() ? row.name : row.shown);
    value = ":" + what + ":";
    if (!row.choices.empty()) {
      value += fmt::format("({})", fmt::join(row.choices, " "));
    } else if (is_file(row)) {
      value += "_files";
    }
  }
  if (row.positional) {
    return "      " + shell_word((row.several ? "*" : "") + (value.empty() ? ": :" : value)) +
           " \\\n";
  }
  std::string out;
  for (const std::string& name : names_of(row)) {
    const std::string several = row.several ? "*" : "";
    out += "      " + shell_word(several + name + "[" + zsh_text(brief(row.help)) + "]" + value) +
           " \\\n";
  }
  return out;
}

std::string zsh_completion() {
  std::string verbs, cases;
  for (const Verb* verb : all_verbs()) {
    verbs +=
        "      " + shell_word(std::string(verb->name) + ":" + std::string(verb->summary)) + "\n";
    std::string options;
    for_options(*verb, [&](const OptionRow& row) { options += zsh_option(row); });
    cases += fmt::format("    {}) _arguments \\\n{}      '--help[its options]' ;;\n", verb->name,
                         options);
  }
  return fmt::format(R"(#compdef croft
# zsh completion for croft: put it as _croft into a folder of $fpath.
_croft() {{
  if (( CURRENT == 2 )); then
    local -a verbs=(
{}    )
    _describe verb verbs
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
                     verbs, cases);
}

// --- fish

std::string fish_completion() {
  std::string out = "# fish completion for croft: put it into ~/.config/fish/completions.\n";
  for (const Verb* verb : all_verbs()) {
    out += fmt::format("complete -c croft -f -n __fish_use_subcommand -a {} -d {}\n", verb->name,
                       shell_word(verb->summary));
    for_options(*verb, [&](const OptionRow& row) {
      if (row.positional) return;
      out += fmt::format("complete -c croft -n '__fish_seen_subcommand_from {}' -l {}", verb->name,
                         row.name);
      if (row.letter != 0) out += fmt::format(" -s {}", row.letter);
      if (!row.choices.empty() && takes_value(row)) {
        out += " -xa " + shell_word(fmt::format("{}", fmt::join(row.choices, " ")));
      } else if (takes_value(row)) {
        out += is_file(row) ? " -rF" : " -x";
      }
      out += " -d " + shell_word(brief(row.help)) + "\n";
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

std::string man_option(const OptionRow& row) {
  std::string names;
  if (row.positional) {
    names = "\\fI" + roff(row.name) + "\\fR";
  } else {
    for (const std::string& name : names_of(row)) {
      names += (names.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
    }
  }
  std::string value(row.shown);
  if (!takes_value(row) && !row.choices.empty()) {
    value = fmt::format("[={}]", fmt::join(row.choices, "|"));
  }
  if (!value.empty()) names += " \\fI" + roff(value) + "\\fR";
  std::string out =
      ".TP\n" + names + "\n" + roff(row.help) + (row.help.ends_with('.') ? "\n" : ".\n");
  if (row.required) out += "Required.\n";
  return out;
}

std::string man_head(std::string_view page) {
  std::string upper(page);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH {} 1 \"\" \"croft {}\" \"Croft\"\n.SH NAME\n", roff(upper),
                     CROFT_VERSION);
}

std::string manual_of(const Verb& verb) {
  std::string out = man_head("croft-" + std::string(verb.name));
  out += fmt::format("{} \\- {}\n.SH SYNOPSIS\n\\fBcroft {}\\fR [\\fIOPTIONS\\fR]",
                     roff("croft-" + std::string(verb.name)), roff(verb.summary), roff(verb.name));
  std::string arguments, options;
  std::string_view group;
  for_options(verb, [&](const OptionRow& row) {
    if (row.positional) {
      out += " [\\fI" + roff(row.name) + "\\fR]";
      arguments += man_option(row);
      return;
    }
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
  std::string also;
  for (const Verb* verb : all_verbs()) {
    out += fmt::format(".TP\n.BR {} (1)\n{}.\n", roff("croft-" + std::string(verb->name)),
                       roff(verb->summary));
  }
  return out +
         ".SH EXIT STATUS\n0 done, 1 bad input, 2 wrong usage, 130 stopped by Ctrl\\-C or SIGTERM, "
         "141 where the reader of the results left.\n";
}

std::span<const OptionRow> manual_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      words("VERB", "VERB", "Of this verb; without: of the program").unnamed(),
  });
  return kRows;
}

int run_manual(const OptionValues& values) {
  const std::string_view name = values.text("VERB");
  if (name.empty()) {
    write_result(manual());
    return kDone;
  }
  const auto verbs = all_verbs();
  const auto found = std::ranges::find(verbs, name, &Verb::name);
  if (found == verbs.end()) throw UsageError("there is no verb ", in_quotes(name));
  write_result(manual_of(**found));
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
