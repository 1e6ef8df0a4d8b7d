// What is read, in which form, and what kind of model is made of it.
#include <array>
#include <string>

#include "croft/structure/label_histories.h"
#include "features/conjunctions.h"
#include "features/text/term_weights.h"
#include "train/options/training_options.h"

namespace croft {
namespace {

constexpr KindSet kOfSequences = kEveryKind & ~(kGraphBit | kBayesNetBit | kLogicBit);
constexpr KindSet kOfColumns = kOfChains | kSegmentBit | kBoosted;  // by templates

std::vector<std::string_view> names_of_kinds() {
  std::vector<std::string_view> names;
  for (const KindName& each : kind_names()) names.push_back(each.name);
  return names;
}

// "chain: labels that depend on their neighbours; maxent: …"
std::string_view help_of_kinds() {
  static const std::string kHelp = [] {
    std::string text;
    for (const KindName& each : kind_names()) {
      text += (text.empty() ? "" : "; ") + std::string(each.name) + ": " + std::string(each.help);
    }
    return text;
  }();
  return kHelp;
}

}  // namespace

OptionRow label_column_row(std::string_view help) {
  return option::words("label-column", "N|NAME", help).upfront();
}

OptionRow misaligned_row(std::string_view shown) {
  return option::choice(
      "misaligned", shown, {"refuse", "widen", "drop"},
      "Of prodigy, doccano and brat: a span that begins or ends inside of a token: "
      "refuse it, widen it to whole tokens, drop it");
}

std::span<const OtherName> other_format_names() {
  static constexpr auto kNames = std::to_array<OtherName>({
      {"conll", "columns"},     {"conll2000", "columns"},
      {"conll2002", "columns"}, {"conll2003", "columns"},
      {"iob", "columns"},       {"bio", "columns"},
      {"crfpp", "columns"},     {"crf++", "columns"},
      {"wapiti", "columns"},    {"crfsuite", "attributes"},
      {"libsvm", "svmlight"},   {"svm", "svmlight"},
      {"tsv", "csv"},           {"table", "csv"},
      {"json", "spans"},        {"jsonl", "spans"},
      {"ud", "conllu"},         {"conll-u", "conllu"},
      {"ann", "brat"},          {"txt", "raw"},
      {"hf", "huggingface"},
  });
  return kNames;
}

OptionRow ignore_lines_row() {
  return option::words("ignore-lines", "EXPRESSION",
                       "Of columns: lines that the regular expression is found in are skipped, "
                       "such as ^#");
}

OptionRow delimiter_row(std::string_view value, std::string_view help) {
  return option::choice("delimiter", value, {"comma", ",", "tab", "semicolon", ";"}, help);
}

void read_delimiter(const OptionValues& values, char& delimiter) {
  values.choose("delimiter", {',', ',', '\t', ';', ';'}, delimiter);
}

std::span<const OptionRow> data_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("DATA", "",
           "Labelled data; several files are read one after the other (required, but for "
           "--model graph); of --model logic databases of facts")
          .upfront()
          .of(kEveryKind & ~kGraphBit, "its data is what --database has")
          .repeated()
          .unnamed()
          .outside(),
      file("output", "MODEL", "Model file to write")
          .upfront()
          .written_as("the model ")
          .short_as('o')
          .needed()
          .outside(),
      choice("model", "KIND=chain, with --format text maxent", names_of_kinds(), help_of_kinds())
          .upfront()
          .at_first("chain")
          .outside(),
      choice("format", "FORMAT=columns",
             {"columns", "spans", "attributes", "text", "svmlight", "csv", "conllu", "prodigy",
              "doccano", "brat", "segmented"},
             "columns (CoNLL; last one: label), spans (JSON lines of tokens and labelled spans), "
             "attributes (CRFsuite), text (LABEL TAB TEXT), svmlight or csv (with a header); what "
             "conllu, prodigy, doccano and brat write; segmented: words with blanks between, for a "
             "model that cuts texts into words")
          .elsewhere(other_format_names())
          .upfront()
          .of(kEveryKind & ~(kGraphBit | kLogicBit), "its tables are those of its databases")
          .outside(),
      label_column_row(kLabelColumnHelp).of(kOfSequences).outside(),
      ignore_lines_row().of(kOfSequences).outside(),
      misaligned_row().of(kOfColumns, "its data has no spans").outside(),
      words("tokenizer", "TOKENIZER",
            "How texts are cut into tokens, those of DATA too where it has texts: words, blanks, "
            "characters, regex:EXPRESSION, or model:FILE; the model keeps it for predict --format "
            "raw")
          .upfront()
          .of(kOfColumns)
          .outside(),
      file("template", "FILE",
           "Feature templates, CRF++'s or Wapiti's; without: default features for words")
          .upfront()
          .of(kOfColumns | kNaiveBayesBit, "its features are made in another way"),
      file("kit", "FILE",
           "Further features: TOML that declares gazetteers, word clusters, embeddings, "
           "n-grams, patterns, binned numbers (docs/features.md)")
          .upfront()
          .of(kOfColumns),
      words(
          "documents", "MARKER|COLUMN|KEY|blank-lines",
          "What makes sequences a document, as for --group-by: the labels that a first pass gives "
          "the same word elsewhere in its document become attributes (docs/features.md)")
          .of(kOfColumns, "its features are made in another way"),
      whole("document-column", "COLUMN=0", "Where its words are, from 0 on")
          .of(kOfColumns)
          .at_first("0")
          .beside("documents"),
      whole("document-parts", "K=5",
            "Its first pass labels each of K parts of the data by a model of the others")
          .of(kOfColumns)
          .at_first("5")
          .from(2)
          .beside("documents"),
      choice("template-language", "LANGUAGE=auto", {"auto", "crfpp", "wapiti", "wapiti-bytes"},
             "auto, crfpp or wapiti: how --template is read; wapiti-bytes: with bytes for "
             "characters, as Wapiti itself has it")
          .of(kOfColumns | kNaiveBayesBit)
          .at_first("auto"),
      flag("intercept",
           "A weight for each label whatever the data says: an attribute (intercept) of every "
           "position, penalised as others; the default of --model maxent, but for the default "
           "features for words.  --intercept=unpenalised: without a penalty")
          .upfront()
          .of(kOfChains | kSegmentBit)
          .valued({"penalised", "unpenalised"}, "penalised")
          .without("no-intercept"),
      flag("no-intercept", "Without it").of(kOfChains | kSegmentBit).without("intercept"),
      flag("boundaries", "START and STOP as labels before the first and after the last position")
          .of((kOfColumns | kHmmBit) & ~kBoostedMaxentBit),
      flag("partial", "Labels may be known in part: ? is any label, A|B one of these")
          .upfront()
          .of(kOfSequences & ~(kJointBit | kMixtureBit))
          .outside(),
      letter("partial-separator", "CHARACTER=|", "Character between the labels of a set")
          .of(kOfSequences & ~(kJointBit | kMixtureBit))
          .at_first("|")
          .beside("partial")
          .outside(),
      file("weights", "FILE",
           "Weights of the sequences of DATA (of --model graph: of the instances): one number a "
           "line, in their order")
          .of(kOfSequences | kGraphBit)
          .outside(),
      words("class-weights", "balanced|FILE",
            "Weights of examples by their label, where each has one: balanced (all labels weigh "
            "the same together), or a file of lines LABEL TAB WEIGHT")
          .upfront()
          .or_file()
          .of(kMaxentBit | kNaiveBayesBit | kBoostedMaxentBit | kGraphBit,
              "its weights are of whole sequences, whose labels differ"),
  });
  return kRows;
}

std::span<const OptionRow> feature_options() {
  using namespace option;
  static const Message kRuns = "chain alone looks further back than one label";
  constexpr KindSet kSingle = kChains | kNaiveBayesBit | kBoostedChainBit | kBoostedMaxentBit;
  const auto text = [](const OptionRow& row) { return row.of(kSingle).in(kTextGroup).outside(); };
  const auto table = [](const OptionRow& row) { return row.of(kSingle).in(kTableGroup).outside(); };
  static const auto kRows = with_common({
      text(choice(
               "analyzer", "ANALYZER=word", {"word", "char", "char_wb", "mixed"},
               "Terms are words (two or more letters, digits, underscores), n-grams of characters, "
               "or n-grams inside of words; mixed: words, and where a script has no spaces 1 to 3 "
               "characters")
               .at_first("word")),
      text(words("ngrams", "N=1", "Lengths of the n-grams: N, or MIN-MAX such as 1-2")),
      text(flag("keep-case", "Do not change capitals to small letters")),
      text(words("stop-words", "english|FILE",
                 "Words to leave out: english, or a file with a word a line")
               .or_file()),
      text(choice("term-weights", "WEIGHTS=counts", {"counts", "binary", "tf-idf"},
                  "Value of a term: its count, 1, or the count times ln((1 + N) / (1 + df)) + 1")
               .upfront()
               .at_first("counts")),
      text(flag("sublinear", "1 + ln(count) in the place of counts")),
      text(choice("norm", "NORM", {"none", "l1", "l2"},
                  "Divide the values of a text by their norm; l2 with tf-idf, otherwise none")),
      text(words("min-documents", "NUMBER=1",
                 "Leave out terms of fewer texts: a number, or a fraction such as 0.001")),
      text(words("max-documents", "NUMBER=1.0",
                 "Leave out terms of more texts: a number, or a fraction such as 0.5")),
      text(whole("max-terms", "N", "Keep the N most frequent terms").from(1)),
      text(whole("hash-bits", "BITS",
                 "Hash terms to 2^BITS features; the model then keeps no vocabulary")
               .between(1, TextOptions::kMostBits)),
      table(delimiter_row()).of(kSingle | kBayesNetBit),
      table(words("label", "COLUMN",
                  "The column of labels; without: `label`, else `class`, else the last one")
                .upfront()),
      table(words("text-column", "COLUMN",
                  "The column that has texts: the data is of these, as format text has them, and "
                  "of their labels in --label, else in `label` or `class`")
                .or_called("text")),
      table(words("numeric", "A,B,...",
                  "Columns of numbers; of others, those where every cell of DATA is a number are")
                .repeated()),
      table(words("categorical", "A,B,...", "Columns of names, even where they look like numbers")
                .repeated()),
      table(words("ignore", "A,B,...", "Columns to leave out").upfront().repeated()),
      table(words("missing", "A,B,...", "Cells that say nothing, beside the empty one")
                .upfront()
                .repeated())
          .of(kSingle | kBayesNetBit),
      table(flag("standardise", "Numbers minus their mean in DATA, divided by their deviation")
                .upfront()
                .or_called("standardize")),
      choice("features", "SET=auto", {"auto", "observed", "all"},
             "observed: pairs of attribute and label that occur (CRFsuite); all: every pair "
             "(CRF++, Wapiti); auto: all with a template")
          .upfront()
          .of(kOptimised),
      whole("min-count", "N=1",
            "Occurrences a feature needs: of the attribute for all, of the pair for observed")
          .upfront()
          .of(kOptimised)
          .at_first("1")
          .from(1),
      common(kChains),
      flag("induce",
           "Find conjunctions of attributes that the model lacks, many a round, and train on")
          .upfront(),
      whole("induce-size", "N=2", "Attributes of a conjunction at most")
          .at_first("2")
          .between(1, kMostParts)
          .beside("induce"),
      whole("induce-batch", "N=1000", "Features that a round adds at most")
          .at_first("1000")
          .from(1)
          .beside("induce"),
      whole("induce-rounds", "N=20", "Rounds at most").at_first("20").from(1).beside("induce"),
      whole("induce-iterations", "N=15", "Iterations of training in a round")
          .at_first("15")
          .from(1)
          .beside("induce"),
      number("induce-gain", "NATS=2",
             "Nats of likelihood, less its penalty, that a feature must gain")
          .at_first("2")
          .beside("induce"),
      whole("induce-count", "N=3", "Positions labelled wrongly that a conjunction must be at")
          .at_first("3")
          .from(1)
          .beside("induce"),
      choice("induce-from", "START=attributes", {"attributes", "nothing"},
             "attributes: the features of single attributes are there from the start; nothing: "
             "they are found as conjunctions are")
          .at_first("attributes")
          .beside("induce"),
      flag("induce-pairs", "Find features of two neighbouring labels, too")
          .of(kChainBit, "chain alone finds features of two labels")
          .beside("induce"),
      number("unsupported", "PROBABILITY",
             "After some iterations add the features not seen in the data that could correct a "
             "mistake: of a label with more than this probability where it is not the true one"),
      whole("unsupported-after", "N=10", "How many iterations")
          .at_first("10")
          .from(1)
          .beside("unsupported"),
      words("select", "l1:NUMBER",
            "Train with this l1, then the features that have a weight again, with l2 alone"),
      whole("order", "N=1",
            "How many labels back scores look, 1 to 8: 2 also weighs runs of three labels, 3 of "
            "four, ...")
          .upfront()
          .of(kChainBit, kRuns)
          .at_first("1")
          .between(1, kMostOrder),
      choice("histories", "SET=seen", {"seen", "allowed"},
             "With --order 2 or more, the runs of labels that are possible: those seen in the "
             "data, or all that --constrain allows")
          .of(kChainBit, kRuns),
      words("constrain", "RULES",
            "Labels that may follow each other: bio, bioes, or a file of rules; the model then "
            "has no other labellings")
          .upfront()
          .or_file()
          .of(kChainBit | kMemmBit | kHiddenChainBit | kPoolBit,
              "it is of labels that follow each other in a chain"),
      file("transition-groups", "FILE",
           "Lines FROM TO GROUP: transitions that share a weight; those in - have none")
          .of(kChainBit, "chain alone has transitions that can share weights"),
  });
  return kRows;
}

}  // namespace croft
