// All that is asked of a model, whatever its kind: what a damaged one must survive.
#pragma once
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "app/kinds.h"
#include "app/label/label_graph.h"
#include "app/label/predict.h"
#include "model/kinds/error_correcting_model.h"
#include "model/kinds/graph_model.h"
#include "model/kinds/hidden_chain_model.h"
#include "model/kinds/model_file.h"
#include "sql/graph_spec.h"
#include "sql/graph_tables.h"

namespace croft::testing_support {

// Data of a few words in each format, with labels; the seeds of
// fuzz/corpus/fuzz_models_by_structure were trained on the like.
inline std::string labelled_text(const ExtractionConfig& config) {
  constexpr std::array kWords = {"the", "dog", "runs", "New", "York", "1999", "zebra"};
  constexpr std::array kLabels = {"B-X", "I-X", "O", "B-X", "I-X", "B-Y", "O"};
  std::string out;
  if (config.format == InputFormat::text) {
    return "good\tthe dog runs in New York\nbad\ta zebra\n";
  }
  if (config.format == InputFormat::csv) {
    for (const CsvColumn& column : config.csv.columns) out += column.name + ",";
    out += config.csv.label + "\n";
    for (const bool red : {true, false, true}) {
      for (const CsvColumn& column : config.csv.columns) {
        out += std::string(column.kind == CsvKind::categorical ? (red ? "red" : "blue")
                           : red                               ? "1.5"
                                                               : "") +
               ",";
      }
      out += red ? "good\n" : "bad\n";
    }
    return out;
  }
  if (config.format == InputFormat::svmlight) return "+1 1:1 2:0.5 3:2\n-1 2:1 7:1\n";
  for (std::size_t k = 0; k < kWords.size(); ++k) {
    if (config.format == InputFormat::attributes) {
      out += std::string(kLabels[k]) + "\tw=" + kWords[k] + "\tbias\tv:0.5\n";
      continue;
    }
    for (std::size_t c = 0; c < std::min<std::size_t>(config.columns, 8); ++c) {
      out += std::string(kWords[(k + c) % kWords.size()]) + " ";
    }
    out += std::string(kLabels[k]) + "\n";
    if (k == 3) out += "\n";
  }
  return out;
}

// The table that the seeds of graphs are about, in a file while this lives.
class TokenFile {
 public:
  TokenFile()
      : folder_(std::filesystem::temp_directory_path() / ("tokens" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
    std::ofstream(path()) << "id,sentence,position,word,length,label\n1,1,1,the,1.5,A\n"
                             "2,1,2,dog,2.5,B\n3,1,3,the,1,A\n4,2,1,dog,2,B\n5,2,2,zebra,3,B\n";
  }
  ~TokenFile() { std::filesystem::remove_all(folder_); }
  TokenFile(const TokenFile&) = delete;
  TokenFile& operator=(const TokenFile&) = delete;
  std::string path() const { return folder_ / "token.csv"; }

 private:
  std::filesystem::path folder_;
};

// Whatever one question throws, the next is asked.  Errors are counted; anything else passes.
class ModelUse {
 public:
  //   database : files of a model that labels one; empty: it is not asked to
  explicit ModelUse(std::vector<std::string> database = {}) : database_(std::move(database)) {}

  void use(std::shared_ptr<const StoredModel> model) {
    const KindRow& row = kind_of(*model);
    const WriteText nowhere = [](std::string_view) {};
    ask([&] { row.summary(*model).json.dump(-1, InvalidUtf8::replace); });
    ask([&] { row.top(*model, 2).json.dump(-1, InvalidUtf8::replace); });
    if (row.write_weights != nullptr) ask([&] { row.write_weights(*model, nowhere); });
    if (const auto* graph = as<GraphModel>(*model)) {
      label(*graph);
      return;
    }
    const auto sequences = std::dynamic_pointer_cast<const SequenceModel>(model);
    label(*sequences, row);
    if (row.conversion.make != nullptr) ask([&] { row.conversion.make(*sequences); });
  }

  std::size_t answers() const { return answers_; }
  const std::string& last_error() const { return last_error_; }

 private:
  template <class Question>
  void ask(const Question& question) {
    try {
      question();
      ++answers_;
    } catch (const JsonError& error) {
      throw std::logic_error(std::string("an error that names no file: ") + error.what());
    } catch (const Error& error) {
      last_error_ = error.what();
    }
  }

  // Whether what the model says of itself makes a step of the recursions long.
  static bool is_costly(const SequenceModel& model) {
    const auto* hidden = as<HiddenChainModel>(model);
    const auto* segments = as<SegmentModel>(model);
    return (hidden != nullptr && hidden->states().size() > 200) ||
           (segments != nullptr && segments->shape().cells() > 2000);
  }

  void label(const SequenceModel& model, const KindRow& row) {
    if (is_costly(model)) return;
    const std::string text = labelled_text(model.extractor().config());
    const auto source = [&] {
      return SequenceSource(LineReader(text, "text"), model, Labels::optional, std::nullopt);
    };
    const auto predict = [&](const TagRequest& request, const PredictOptions& options) {
      ask([&] {
        const TagPlan plan(model, request);
        SequenceSource in = source();
        PredictCounts counts;
        std::atomic<bool> stop = false;
        predict_stream(plan, in, options, pool_, {[](std::string_view) {}}, stop, counts);
      });
    };
    predict({}, {});
    predict(
        {},
        {.output = OutputFormat::json,
         .marginals = MarginalOutput::all,
         .ask = {.probability = true, .edges = true, .entropy = true, .expected_counts = true}});
    predict({}, {.ask = {.probability = true, .k_best = 3, .samples = 2}});
    TagRequest ruled, risk, marginal;
    ruled.rules = {"at-most 1 X"};
    risk.decode = Decode::risk;
    marginal.decode = Decode::marginal;
    marginal.calibrated = false;
    for (const TagRequest& request : {ruled, risk, marginal}) predict(request, {});
    ask([&] {
      SequenceSource in = source();
      evaluate_model(model, in, ChunkScheme::automatic, pool_).summary();
    });
    ask([&] {
      const TagPlan plan(model);
      const SequenceExplainer explainer = row.explainer(plan);
      SequenceSource in = source();
      std::size_t index = 0;
      for_each_sequence(in, [&](InputSequence& each) {
        explainer.explain({each.text, &each.rows, "text", index++}, each, {});
      });
    });
  }

  void label(const GraphModel& model) {
    if (database_.empty()) return;
    for (const bool known : {false, true}) {
      ask([&] {
        GraphSpec spec = graph_spec_from(model.source(), model.container().name());
        const Database database = Database::open(database_);
        GraphTables tables = GraphTables::read(database, std::move(spec), model,
                                               known ? LabelUse::known : LabelUse::ignored);
        label_graph(model, tables.data(), {.keep_marginals = true});
      });
    }
  }

  std::vector<std::string> database_;
  ThreadPool pool_{1};
  std::size_t answers_ = 0;
  std::string last_error_;
};

}  // namespace croft::testing_support
