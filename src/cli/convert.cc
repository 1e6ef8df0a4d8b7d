// croft convert
#include <fmt/format.h>

#include <memory>

#include "cli/common.h"
#include "croft/app/convert.h"

namespace croft::cli {
namespace {

constexpr const char* kFooter = R"(
Example:
  croft convert hmm.croft -o chain.croft
  croft predict -m chain.croft --marginals new.conll

docs/hmm.md says what a conversion keeps exactly.)";

struct ConvertCommand {
  std::string input, output, to;
  CommonOptions common;
};

std::string conversion_help() {
  std::string text = "\nConversions, and what they keep:\n";
  for (const Conversion& each : conversions()) {
    text += fmt::format("  {:<32}{}\n", fmt::format("{} to {}", each.from, each.to), each.what);
  }
  return text;
}

int run(const ConvertCommand& c) {
  const Conversion& taken = convert_model(c.input, c.to, c.output);
  std::fprintf(
      stderr, "%s",
      fmt::format("{}: a model of kind {}, from one of kind {}\n", c.output, taken.to, taken.from)
          .c_str());
  return kDone;
}

}  // namespace

void add_convert(Program& program) {
  CLI::App* verb = program.app.add_subcommand("convert", "Turn a model into one of another kind");
  auto c = std::make_shared<ConvertCommand>();
  verb->add_option("MODEL", c->input, "Model file to read")->required();
  verb->add_option("-o,--output", c->output, "Model file to write")->required();
  verb->add_option("--to", c->to, "Kind to convert to, where there are several")
      ->option_text("KIND");
  add_common(*verb, c->common);
  verb->footer(conversion_help() + kFooter);
  verb->callback([c, &program] { program.status = run(*c); });
}

}  // namespace croft::cli
