// The first pass of a model that looks at documents (app/label/documents.h): a model of the same
// kind, without documents, and what it says of words elsewhere.
//
//   data ─ all of it ─► the model of the first pass, which the model's file keeps
//        ─ K parts, documents whole ─► each labelled by a model of the others ─► `beside` of its
//        rows
//
// So training sees attributes as good as those of new data, and not those of a model that knows it.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/label/documents.h"
#include "app/train/kind_requests.h"
#include "app/train/trainer.h"

namespace croft {

// Labelled sequences of columns, kept for several trainings.
class DocumentData {
 public:
  struct Sequence {
    ColumnSequence rows;    // the label is the last cell
    double weight = 1;      // 0: it is not trained on
    bool held_out = false;  // neither is it; it is labelled by the model of all others
    bool weight_given = false;
    std::size_t file = 0, document = 0;  // their numbers
  };
  explicit DocumentData(const DocumentRequest& request) : by_(request.by), rule_(by_) {}

  // From here on sequences are of this file, which begins a document.
  void begin_file(const std::string& name);
  //   line : of spans, as it was read; otherwise empty
  void add(ColumnSequence rows, std::string_view line = {});
  // Throws UsageError where nothing had what tells documents.
  void end() const;
  std::vector<std::size_t> documents() const;  // [sequences]

  std::vector<Sequence> sequences;
  std::vector<std::string> files;

 private:
  std::string by_;
  DocumentRule rule_;
  bool begins_ = false, unseen_ = true;
};

struct FirstPass {
  std::shared_ptr<const DocumentPass> pass;  // for the extraction of the model
  std::shared_ptr<const SequenceModel> model;
};

// Trains it on what is not held out, and fills `beside` of all sequences.
//   extraction : of the data, without documents; columns counted, and what is learnt of data there
// Throws UsageError for fewer documents than parts and for a kind without probabilities;
// Interrupted where the user wants to stop.  Cost: parts + 1 trainings.
FirstPass run_first_pass(const DocumentRequest& request, const ExtractionConfig& extraction,
                         DocumentData& data, std::size_t threads, TrainObserver& observer);

// The request with DocumentRequest::trainer, where it looks at documents.  Throws UsageError for
// what does not go with these.
TrainRequest first_pass_request(TrainRequest request);
template <class Request>
TrainRequest& train_part(Request& request) {
  if constexpr (std::is_same_v<Request, TrainRequest>) {
    return request;
  } else if constexpr (std::is_same_v<Request, NaiveBayesRequest>) {
    return request.source;
  } else {
    return request.train;
  }
}
//   make : of a request, its trainer
template <class Request, class Make>
Request with_first_pass(Request request, const Make& make) {
  if (!train_part(request).documents.any()) return request;
  Request first = request;
  train_part(first) = first_pass_request(train_part(first));
  if constexpr (requires { first.options.early_stop; }) first.options.early_stop = {};
  train_part(request).documents.trainer = [first, make] { return make(first); };
  return request;
}

}  // namespace croft
