// Data without labels, and what it is for.
#include "train/options/training_options.h"

namespace croft {

std::span<const OptionRow> unlabelled_options() {
  using namespace option;
  constexpr std::string_view kGroup = "Data without labels";
  constexpr KindSet kOfTerms = kChainBit | kSegmentBit | kMaxentBit | kGraphBit;
  static const auto kRows = with_common({
      common(kOfTerms, kGroup),
      file("unlabelled", "FILE",
           "More data (of --model graph: the tables of another database), whose labels, if any, "
           "are not looked at")
          .upfront()
          .of(kHmmBit | kOfTerms)
          .repeated()
          .outside(),
      number("entropy", "WEIGHT",
             "Be sure of the labels of --unlabelled: its entropy counts; 1: together as much as "
             "the labelled data"),
      words("expectations", "FILE|labelled[:N]",
            "How often labels are there, where an attribute is in --unlabelled: lines ATTRIBUTE "
            "LABEL=SHARE ..., or LABEL>=SHARE, LABEL<=SHARE; or as DATA has it for the N=100 "
            "attributes that say most of the label")
          .or_file(),
      number("expectations-weight", "WEIGHT=1", "What these count; 1: as with --entropy")
          .at_first("1")
          .beside("expectations"),
      whole("self-training", "ROUNDS",
            "Label --unlabelled, train again on the labels that are sure, in so many rounds")
          .from(1),
      number("confidence", "PROBABILITY=0.95", "From which a label is sure")
          .at_first("0.95")
          .beside("self-training"),
      words("view", "PATTERN",
            "Two models, one of the attributes whose names fit (* is any text), one of the "
            "others, each trained on what the other is sure of")
          .of(kOfTerms & ~kGraphBit)
          .beside("self-training"),
  });
  return kRows;
}

}  // namespace croft
