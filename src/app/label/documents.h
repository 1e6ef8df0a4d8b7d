// Labels of the same word elsewhere in its document: what a model knows of a word in one sentence
// helps where another sentence does not say what it is.
//
//   documents ─ first pass: marginals ─► mean over the other positions of the word ─► attributes
//   elsewhere=LABEL (the mean, as value) and elsewhere.best=LABEL ─► the model
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/label/tagger.h"
#include "croft/core/parallel.h"
#include "data/columns.h"

namespace croft {

// Less is not written: it tells nothing that a weight could use.
inline constexpr double kSmallestPosterior = 1e-4;

// The labels of a position that have this probability or more.
using LabelShares = std::vector<std::pair<Label, double>>;

// What a sequence that has been tagged with marginals is labelled as.
//   number : [labels of the tagging] their numbers in the shares
void take_shares(const Matrix<double>& marginals, std::span<const Label> number,
                 std::vector<LabelShares>& out);

// [labels of `model`] the numbers of these among those of `known`, which has them all.
std::vector<Label> numbers_in(const SequenceModel& known, const SequenceModel& model);

// What a model says of rows.
class ShareTagger {
 public:
  // Both must outlive it.
  //   known : whose numbers labels have in the shares
  ShareTagger(const SequenceModel& known, const SequenceModel& model)
      : model_(model), plan_(model), number_(numbers_in(known, model)) {}
  // [sequences][positions]; nothing of a sequence without a labelling.  Cost: marginals of each, on
  // the threads of the pool.
  std::vector<std::vector<LabelShares>> tag(std::span<ColumnSequence* const> sequences,
                                            ThreadPool& pool);

 private:
  struct Worker {
    explicit Worker(const TagPlan& plan) : tagger(plan) {}
    Tagger tagger;
    Extractor::Scratch scratch;
    TextSequence text;
  };
  const SequenceModel& model_;
  TagPlan plan_;
  std::vector<Label> number_;
  std::vector<Worker> workers_;
};

// What the words of one document are labelled as.  Words are the same where they are so in lower
// case.
class Elsewhere {
 public:
  explicit Elsewhere(const SequenceModel& model);  // whose labels are meant
  void clear() { words_.clear(); }
  void add(std::string_view word, const LabelShares& shares);
  // visit(name, value) for the attributes of a position with these shares, which were added before:
  // of the mean over all others of its word.  None where there are no others.
  template <class Visit>
  void visit(std::string_view word, const LabelShares& own, const Visit& visit) {
    means(word, own);
    if (!best_) return;
    for (const Label y : order_) {
      if (mean_[y] >= kSmallestPosterior) visit(name_[y], mean_[y]);
    }
    visit(best_name_[*best_], 1.0);
  }
  // Whether an attribute has a name that is made here.
  bool makes(std::string_view attribute) const;

 private:
  struct Sum {
    std::size_t positions = 0;
    std::vector<double> share;  // [labels]
  };
  void means(std::string_view word, const LabelShares& own);
  const std::string& lower(std::string_view word);

  std::vector<std::string> name_, best_name_;  // [labels]
  std::vector<Label> order_;                   // by name: of equal means the first is best
  std::unordered_map<std::string, Sum> words_;
  std::string word_;
  std::vector<double> mean_;
  std::optional<Label> best_;
};

inline constexpr std::string_view kBlankLines = "blank-lines";

// What makes sequences a document.
//   blank-lines   two blank lines, or more, end one; skipped lines are none
//   a number      neighbours with the same cell of this column, from 0 on, in their first row
//   another text  a mark: one begins at a sequence whose first cell it is, or behind a skipped line
//                 that begins with it; of lines of spans a key: neighbours with the same value
// The first sequence begins one, whatever it is.
class DocumentRule {
 public:
  explicit DocumentRule(std::string by);
  // To be asked of each sequence in its turn.
  //   line : of spans, as it was read; otherwise empty
  // Throws InputError for a row without that column, and for a line without a key that others
  // have.
  bool begins(const ColumnSequence& rows, std::string_view line, const std::string& file);
  // Whether no sequence so far has what the rule looks at.
  bool is_unseen() const { return !seen_; }
  // That tells them; none: something else does.
  std::optional<std::size_t> column() const { return column_; }

 private:
  bool is_marked(const ColumnSequence& rows) const;
  bool differs(std::string value);
  bool begins_by_column(const ColumnSequence& rows, const std::string& file);
  std::optional<bool> begins_by_key(std::string_view line, std::size_t number,
                                    const std::string& file);

  std::string by_;
  std::optional<std::size_t> column_;
  bool first_ = true, seen_ = false, has_key_ = false;
  std::string value_;          // of the sequence before
  std::size_t last_line_ = 0;  // likewise
};

// The first pass of a model that looks at documents.
class DocumentContext {
 public:
  // Both must outlive it.
  //   first : the model of that pass
  DocumentContext(const SequenceModel& first, const DocumentPass& pass);
  // Of a model that has one.
  explicit DocumentContext(const SequenceModel& model)
      : DocumentContext(*model.first_pass(), *model.extractor().config().documents) {}
  // Fills `beside` of the sequences of one document, at the cost of ShareTagger::tag().
  void complete(std::span<ColumnSequence* const> document, ThreadPool& pool);

 private:
  std::size_t column_;
  ShareTagger tagger_;
  Elsewhere elsewhere_;
};

// Fills `beside` of the sequences of one document.
//   shares : [sequences][positions]
void fill_beside(std::span<ColumnSequence* const> document,
                 std::span<const std::vector<LabelShares>> shares, std::size_t column,
                 Elsewhere& elsewhere);

}  // namespace croft
