// Scripts of JAGS (.cmd): what they ask for, as one question.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "bugs/sampling.h"
#include "croft/data/line_reader.h"

namespace croft::bugs {

struct ScriptCoda {  // coda NAME, stem(STEM)
  std::string name;  // * : all monitored values
  std::string stem;  // CODA where none is given
  // Iterations after the burn-in up to here; none: all of them, whatever --samples says.
  std::optional<std::size_t> samples = {};
};

// One run of one model.
struct Script {
  std::string program;            // a file
  std::vector<std::string> data;  // files
  struct Inits {
    std::string file;
    std::optional<std::size_t> chain;  // from 1; without: all chains
  };
  std::vector<Inits> inits;
  BugsOptions options;  // chains, burn_in, samples, monitors with their thins
  std::vector<ScriptCoda> coda;
  std::vector<std::string> samplers;  // files that `samplers to` names
  std::vector<std::string> warnings;  // commands that mean nothing here, such as load glm
};

// Iterations before the first `monitor` are the burn-in, those after it the samples.  Those of
// `adapt` are burn-in wherever they stand; behind samples they are left out.
// Names of files are as written.  Throws InputError for what is no command, and for scripts that do
// other things than one run: several models, or a monitor that is set between updates.
Script parse_script(LineReader lines);

// The same; files to read stand beside the script, those to write in the working folder.
Script read_script(const std::string& path);

}  // namespace croft::bugs
