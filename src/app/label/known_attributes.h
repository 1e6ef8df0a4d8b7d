// Whether a model knows anything of what it is asked to label: what it predicts does otherwise not
// depend on the data, which is more likely a mistake than a result.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "features/chain_data.h"
#include "model/kinds/sequence_model.h"

namespace croft {

class KnownAttributes {
 public:
  // Goes on until an attribute is found that the model knows: as a rule, to the first.
  //   text : extracted
  void look(const SequenceModel& model, const TextSequence& text);
  void look(const SequenceModel& model, std::string_view attribute);
  bool known() const { return known_; }
  void add(const KnownAttributes& other);  // of what came behind
  void archive(StateArchive& state) { state(known_, unknown_); }
  // What to say where there were attributes and the model knows none of them.
  //   data : what these are called, "X"
  std::optional<std::string> warning(const std::string& data) const;

 private:
  bool known_ = false;
  std::optional<std::string> unknown_;  // the first one
};

}  // namespace croft
