// croft serve
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <thread>

#include "app/file_checks.h"
#include "cli/common.h"
#include "cli/verb.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "serve/annotation.h"
#include "serve/http_server.h"
#include "serve/retraining.h"
#include "serve/service.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kServeFooter = R"(
Example:
  croft serve -m m.croft                        then open http://127.0.0.1:8080/
  croft serve -m tagger=m.croft -m sprinkler.bif --port 9000
  croft serve -m m.croft --queue new.txt --labelled labelled.txt --train train.txt --holdout test.txt
  croft serve -m pages.croft --database pages.sqlite
  croft serve -m friends.mln --evidence friends.db
  croft serve -m m.croft --host 0.0.0.0 --allow-host box.example.org --token-file token.txt
  curl -H "Content-Type: application/json" http://127.0.0.1:8080/v1/tag \
       -d '{"data": "2 CD\ncups NNS\n", "marginals": "predicted"}'

The address is written to stdout when the server takes requests.  SIGTERM and Ctrl-C end it: what
has been asked is answered first, and the exit status is 0.
A file of a model that changes is taken over, once it has been checked.
docs/serve/README.md has the endpoints, the limits and what keeps strangers out.)";

std::span<const OptionRow> serve_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("model", "FILE ...",
           "A model, network or factor graph; NAME=FILE gives it another name than its file's; may "
           "be given several times")
          .short_as('m')
          .repeated()
          .needed(),
      whole("port", "PORT=8080", "Where to listen; 0: at a port that is free")
          .at_first("8080")
          .between(0, 65'535),
      words("host", "ADDRESS=127.0.0.1",
            "IP address to listen at; any but this machine's own asks for a token")
          .at_first("127.0.0.1"),
      words("allow-host", "NAME ...",
            "Another name under which browsers and programs reach the server; may be given several "
            "times")
          .repeated(),
      file("token-file", "FILE",
           "File with the token that requests have to bring; without: one is drawn where --host "
           "asks for a token"),
      file("queue", "FILE", "Sequences or texts to be labelled on the page; with --labelled")
          .beside("labelled"),
      file("labelled", "FILE",
           "Where these labels go, as training data; made where it is not there")
          .written_as("the labels ")
          .beside("queue"),
      file("train", "FILE ...",
           "What the model was trained on: with it and the labels the page trains the next one")
          .listed()
          .beside("queue"),
      file("holdout", "FILE", "Labelled data on which the page compares the next model with this")
          .beside("queue"),
      file("data", "FILE", "Labelled data that the page shows the model's mistakes on"),
      file(
          "database", "FILE",
          "Of models of kind graph: what they label, a file of SQLite, or files NAME.csv, NAME.tsv")
          .repeated(),
      flag("use-known", "Labels in the database are known: the others are found given them")
          .beside("database"),
      file("evidence", "FILE", "Of Markov logic networks: facts (.db); several are taken together")
          .short_as('e')
          .repeated(),
      words("query", "ATOMS",
            "Of these: predicates and atoms that are open; without: those of which the evidence "
            "says nothing"),
      number("soft-hard", "WEIGHT",
             "Of these: hard rules are soft ones of this weight, where they contradict each other"),
      number("time", "SECONDS=30", "The longest work on one request").between(0.01, 3600),
      whole("connections", "N=1024", "More at once are refused").between(1, 100'000),
  });
  return kRows;
}

std::string random_token() {
  std::array<char, 24> bytes;
  std::ifstream random("/dev/urandom", std::ios::binary);
  if (!random.read(bytes.data(), bytes.size())) throw Error("cannot read /dev/urandom");
  std::string token;
  for (const char c : bytes) token += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return token;
}

std::string token_of_file(const std::string& path) {
  LineReader lines(path);
  std::string_view line;
  if (!lines.next(line) || line.size() < 16) {
    throw Error(path, ": the first line must be a token of 16 characters or more");
  }
  if (std::ranges::any_of(line, [](unsigned char c) { return c <= ' ' || c >= 0x7f; })) {
    throw Error(path, ": the token has a character that is no visible one of ASCII");
  }
  return std::string(line);
}

serve::Access read_access(const OptionValues& values, const std::string& host) {
  serve::Access access;
  access.hosts = serve::hosts_of(host);
  for (const std::string& each : values.list("allow-host"))
    access.hosts.push_back(serve::host_name(each));
  if (values.given("token-file")) {
    access.token = token_of_file(std::string(values.text("token-file")));
  } else if (!serve::is_loopback(host)) {
    access.token = random_token();
  }
  return access;
}

serve::ServeLimits read_limits_of(const OptionValues& values) {
  serve::ServeLimits limits;
  values.read("time", limits.seconds);
  values.read("connections", limits.connections);
  return limits;
}

std::size_t workers_of(const OptionValues& values) {
  const std::size_t asked = common_of(values).threads;
  std::size_t threads = values.given("threads") ? asked : 0;
  if (threads == 0) threads = std::max(2U, std::thread::hardware_concurrency());
  return std::min<std::size_t>(threads, 256);
}

serve::ModelSources read_sources(const OptionValues& values, const serve::ServeLimits& limits) {
  serve::ModelSources sources{.databases = values.list("database"),
                              .use_known = values.flag("use-known"),
                              .evidence = values.list("evidence"),
                              .query = std::string(values.text("query")),
                              .seconds = limits.seconds};
  sources.threads = workers_of(values);
  values.read("soft-hard", sources.soft_hard);
  return sources;
}

// Looks at the models' files until it is destroyed.
class Watcher {
 public:
  Watcher(serve::ModelStore& models, bool quiet)
      : thread_([this, &models, quiet] {
          while (!stop_) {
            for (const std::string& line : models.refresh()) {
              if (!quiet) std::fprintf(stderr, "%s\n", line.c_str());
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
          }
        }) {}
  ~Watcher() {
    stop_ = true;
    thread_.join();
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// The model that labels sequences: the first one, since a queue names none.
std::string labelled_model(const serve::ModelStore& models) {
  for (const serve::ModelPointer& each : models.all()) {
    if (each->sequences != nullptr) return each->name;
  }
  throw UsageError("--queue is for a model that labels sequences, and there is none");
}

// No training replaces a file that the options name.
void check_implied(const OptionValues& values, const serve::ModelStore& models) {
  std::vector<std::string> read;
  for (const char* name : {"train", "holdout", "data", "queue", "database", "evidence"}) {
    for (const std::string& path : values.list(name)) read.push_back(path);
  }
  for (const serve::ModelPointer& each : models.all()) read.push_back(models.path(each->name));
  const std::string model = models.path(labelled_model(models));
  for (const std::string& path : {serve::candidate_of(model), serve::before_of(model)}) {
    check_not_read(read, "model", path, "the input ");
    check_written({{"model", path}, {"labelled", std::string(values.text("labelled"))}});
  }
}

// Files that are read later are there.
void check_there(const OptionValues& values) {
  for (const char* name : {"train", "holdout", "data", "queue"}) {
    for (const std::string& path : values.list(name)) {
      if (path == "-") throw UsageError("a server reads its files again and again: give files");
      const LineReader there(path);
    }
  }
}

// What people label, and what learns from it.
struct Labelling {
  Labelling(const OptionValues& values, serve::ModelStore& models, serve::ServiceParts& parts)
      : annotation({labelled_model(models), std::string(values.text("queue")),
                    std::string(values.text("labelled"))},
                   models),
        retraining({values.list("train"), std::string(values.text("holdout"))}, models,
                   annotation) {
    parts.annotation = &annotation;
    parts.retraining = &retraining;
  }
  serve::Annotation annotation;
  serve::Retraining retraining;
};

int run_serve(const OptionValues& values) {
  const bool quiet = values.flag("quiet");
  const std::string host(values.text("host"));
  std::size_t port = 0;
  values.read("port", port);
  const serve::Access access = read_access(values, host);
  const serve::ServeLimits limits = read_limits_of(values);
  serve::ModelStore models(values.list("model"), read_sources(values, limits));
  serve::HttpServer server(host, static_cast<std::uint16_t>(port), limits, workers_of(values));
  serve::Metrics metrics;
  serve::ServiceParts parts{models, limits, metrics, &server.counts(), CROFT_VERSION};
  if (values.given("queue")) check_implied(values, models);
  check_there(values);
  std::optional<Labelling> labelling;
  if (values.given("queue")) labelling.emplace(values, models, parts);
  if (values.given("data")) parts.data = values.text("data");
  const serve::Service service(parts, access);
  handle_interrupts();
  const bool drawn = !access.token.empty() && !values.given("token-file");
  const std::string shown = host.find(':') == host.npos ? host : "[" + host + "]";
  write_result(fmt::format("http://{}:{}/{}\n", shown, server.port(),
                           drawn ? "#token=" + access.token : ""));
  flush_result();
  const Watcher watcher(models, quiet);
  server.run([&](const serve::HttpRequest& request) { return service.answer(request); },
             interruption);
  return kDone;
}

}  // namespace

const Verb kServe = {.name = "serve",
                     .summary = "Answer over HTTP with models, for programs and browsers",
                     .options = [] { return tables(serve_options(), common_options()); },
                     .footer = [] { return std::string(kServeFooter); },
                     .run = run_serve};

}  // namespace croft::cli
