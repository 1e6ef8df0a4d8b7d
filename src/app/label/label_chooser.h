// Which label is chosen where its probability is known: not always the most probable one.
//
//   costs      : the label j of least expected cost, sum_g p_g C(g, j); the smaller j among equals
//   thresholds : a label with a threshold is chosen where its probability reaches it; of several
//                the one whose probability is the most times its threshold.  Where none does, the
//                most probable of the labels without one (of all, where each has one).
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/settings/field_files.h"
#include "objective/label_cost.h"

namespace croft {

// At most one of the two.
struct ChoiceRequest {
  std::optional<CostFile> costs;        // lines GOLD PREDICTED COST
  std::vector<std::string> thresholds;  // LABEL=P, 0 < P <= 1
  bool empty() const { return !costs && thresholds.empty(); }
};

class LabelChooser {
 public:
  // Throws InputError or UsageError for a label that is not there, UsageError for a threshold that
  // is none or that a label has twice.
  LabelChooser(const ChoiceRequest& request, std::span<const std::string> labels);
  //   p : of all labels
  Label choose(std::span<const double> p) const;

 private:
  std::optional<LabelCost> costs_;
  std::vector<double> threshold_;  // [labels]; 0: none
};

// A rule for each list of labels.  What a request says of labels that one of the lists does not
// have is of the others.  Throws as the constructor for a label that none has.
std::vector<LabelChooser> label_choosers(const ChoiceRequest& request,
                                         std::span<const std::vector<std::string>> lists);

}  // namespace croft
