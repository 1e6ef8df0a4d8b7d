// What is in a model of each kind: its summary, its strongest features, all its weights.
//
// docs/inspect.md defines every line and field; app/kinds.h has the functions of a model's kind.
#pragma once
#include <cstddef>

#include "app/view.h"

namespace croft {

class ChainModel;
class ErrorCorrectingModel;
class GraphModel;
class HiddenChainModel;
class HmmModel;
class JointModel;
class MixtureModel;
class NaiveBayesModel;
class SegmentModel;
class TreeModelView;  // inspect_boosted.h

// Kind, sizes, labels, what the kind adds, training record, sections of the file.  Cost O(labels +
// sections), of some kinds also O(attributes); whatever the number of weights.
View summary_of(const ChainModel& model);
View summary_of(const ErrorCorrectingModel& model);
View summary_of(const GraphModel& model);
View summary_of(const HiddenChainModel& model);
View summary_of(const HmmModel& model);
View summary_of(const JointModel& model);
View summary_of(const MixtureModel& model);
View summary_of(const NaiveBayesModel& model);
View summary_of(const SegmentModel& model);
View summary_of(const TreeModelView& model);

// Of each group of weights the n most in favour (> 0, largest first) and the n most against (< 0,
// smallest first); equal ones in the order of their names' bytes.  Cost O(weights); memory
// O(n groups).
View top_of(const ChainModel& model, std::size_t n);            // of labels, and of transitions
View top_of(const ErrorCorrectingModel& model, std::size_t n);  // of bits: for 1, for 0
View top_of(const GraphModel& model, std::size_t n);            // of templates
View top_of(const HiddenChainModel& model, std::size_t n);      // of states, and of transitions
View top_of(const JointModel& model, std::size_t n);            // of parts of y
View top_of(const MixtureModel& model, std::size_t n);          // of each component
View top_of(const SegmentModel& model,
            std::size_t n);  // of positions, segments, pairs, transitions
// The n likeliest starts, ends, transitions of each label, and values of each label and track;
// those of probability 0 are left out.
View top_of(const HmmModel& model, std::size_t n);
// For each label the n attributes whose log p(a | label) exceeds its mean over all labels most, and
// the n gaussian ones whose means differ most between labels, measured by their variances.
View top_of(const NaiveBayesModel& model, std::size_t n);
// The n most important attributes, the first n trees (of segments the first n of these, too), and
// the n transitions most in favour and most against.
View top_of(const TreeModelView& model, std::size_t n);

// Every weight of the file, one a line, handed to `write` in pieces of some 64 KiB.  Names are
// escaped(); numbers have as few digits as give the same number back.  Parts in this order; within
// one by the name's bytes (before they are escaped), then in the order of the model's labels: two
// dumps can be compared by diff.
//   transition TAB attribute TAB from TAB to TAB weight
//   node       TAB attribute TAB label      TAB weight
//   edge       TAB attribute TAB from TAB to TAB weight
//   gram       TAB label     TAB label TAB … TAB weight     (three labels or more)
// START and STOP are node attributes here, as they are in the file: \x01START\x01 and the
// transition's name.
void write_weights(const ChainModel& model, const WriteText& write);
// The first three, of states.
void write_weights(const HiddenChainModel& model, const WriteText& write);
// Bits from 1:
//   transition TAB attribute TAB bit TAB from TAB to TAB weight
//   node TAB attribute TAB bit TAB weight of 1 less that of 0
void write_weights(const ErrorCorrectingModel& model, const WriteText& write);
//   clique TAB template TAB feature TAB cell TAB weight
// The cell: the labels of the clique's variables with a comma between them, "same", or "distance
// D".
void write_weights(const GraphModel& model, const WriteText& write);
//   joint TAB part TAB attribute TAB group TAB weight
void write_weights(const JointModel& model, const WriteText& write);
//   mixture TAB component from 1 TAB kind TAB lambda
void write_weights(const MixtureModel& model, const WriteText& write);
// By string and then by the labels' bytes:
//   node TAB attribute TAB column label TAB weight
//   segment TAB string TAB label TAB weight
//   pair TAB string TAB label before TAB label TAB weight
//   transition TAB label before TAB label TAB weight
void write_weights(const SegmentModel& model, const WriteText& write);
// In this order, gaussian before categorical:
//   prior       TAB label     TAB log p(label)
//   multinomial TAB attribute TAB label TAB log p(attribute | label); also bernoulli, categorical
//   complement  TAB attribute TAB label TAB weight
//   gaussian    TAB attribute TAB label TAB mean TAB variance
void write_weights(const NaiveBayesModel& model, const WriteText& write);
//   base       TAB label TAB score
//   transition TAB from TAB to TAB score
//   test       TAB tree TAB output TAB node TAB attribute TAB threshold TAB absent TAB left TAB
//   right TAB gain TAB count
//   leaf       TAB tree TAB output TAB leaf TAB value ...
void write_weights(const TreeModelView& model, const WriteText& write);

}  // namespace croft
