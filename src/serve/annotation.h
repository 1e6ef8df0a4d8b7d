// What people are to label, and what they have said: the sequences of a file, and the file that
// their labels go to.
//
// Labels are in that file, synced, before label() returns: a server that is killed loses nothing,
// and one that is started again knows what has been labelled.  Each sequence counts its changes,
// and who wants to change it says which of them he has seen: two people at a time do not overwrite
// each other.
#pragma once
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/label/suggest.h"
#include "serve/model_store.h"

namespace croft::serve {

struct AnnotationFiles {
  std::string model;     // the name of the model whose data these are
  std::string queue;     // to be labelled; labels in it are not looked at
  std::string labelled;  // as the model's training data; made where there is none
};

class Annotation {
 public:
  struct Item {
    std::size_t id = 0;                   // its number in the queue, from 0
    std::uint64_t version = 0;            // of its labels
    std::vector<std::string> rows;        // of columns: without the label; of texts: the text alone
    std::vector<std::string> labels{};    // one a row; empty: none yet
    std::optional<double> uncertainty{};  // of the model in whose order it was
  };
  struct Counts {
    std::size_t labelled = 0, all = 0;
  };

  // Throws UsageError for a model of another format than columns and text; Error, with file and
  // line, for files that cannot be read.
  //   models : must outlive it
  Annotation(AnnotationFiles files, ModelStore& models);

  const AnnotationFiles& files() const { return files_; }
  Counts counts() const;
  // Throws RequestError, 409, where another program has changed the file of labels.
  void check_unchanged() const;

  // What to label next, by this viewer: sequences without labels, those first of which the model is
  // least sure, but for `skipped` ones; what others were shown in the last two minutes comes last.
  //   by : see app/label/suggest.h; a model without probabilities leaves them in their order
  // Cost: where the model or `by` is new, that of labelling all that has no labels.
  std::vector<Item> next(std::string_view viewer, Uncertainty by,
                         const std::vector<std::size_t>& skipped, std::size_t count);
  // That sequence as it is.  Throws RequestError, 404.
  Item item(std::size_t id) const;

  // Writes the labels of a sequence in the place of those that it has; none: it has no labels any
  // more.  Throws RequestError: 404 for another id, 400 for labels that are none or of another
  // number, 409 where `version` is not the present one or somebody else has changed the file; and
  // Error where it cannot be written.  Then nothing has changed.
  Item label(std::size_t id, std::uint64_t version, const std::vector<std::string>& labels);

 private:
  struct Entry {
    std::uint64_t version = 0;
    std::vector<std::string> rows, labels;
    std::string viewer;
    std::chrono::steady_clock::time_point shown{};
  };
  struct Block {                    // of the file of labels
    std::optional<std::size_t> id;  // none: of no sequence of the queue
    std::string text;
  };
  void read_queue(const ServedModel& model);
  void read_labelled(const ServedModel& model);
  void check_end(const std::vector<std::string>& rows, const std::string& last,
                 const std::set<std::string>& known) const;
  std::string block(const std::vector<std::string>& rows,
                    const std::vector<std::string>& labels) const;
  void check(const Entry& entry, const std::vector<std::string>& labels) const;
  void append(const std::string& text);
  void rewrite(const std::vector<Block>& blocks);
  void rank(const ServedModel& model, Uncertainty by);
  Item item_of(std::size_t id) const;
  void check_size() const;  // with the lock

  const AnnotationFiles files_;
  const ModelStore& models_;
  bool columns_ = true;
  mutable std::mutex mutex_;
  std::vector<Entry> queue_;
  std::vector<Block> blocks_;
  std::uint64_t size_ = 0;    // of the file, as this has left it
  bool ends_whole_ = true;    // what comes next needs no line ends before it
  std::size_t labelled_ = 0;  // of queue_
  // The order in which sequences are shown, of a model's version.
  std::vector<std::pair<std::size_t, std::optional<double>>> order_;
  std::uint64_t order_version_ = 0;
  Uncertainty order_by_ = Uncertainty::margin;
};

}  // namespace croft::serve
