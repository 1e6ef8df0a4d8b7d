// Sequences of every format: what a front end sees before and after extraction.
#include "app/label/sequence_source.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/train/data_fit.h"
#include "data/text_files.h"

namespace croft::sequence_source_test {
namespace {

struct Read {
  std::size_t length;  // before extraction
  bool single;
  std::vector<std::string> labels, items;
  bool operator==(const Read&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Read& read) {
  out << read.length << (read.single ? " single" : "");
  for (const std::string& label : read.labels) out << ' ' << in_quotes(label);
  for (const std::string& item : read.items) out << ' ' << item;
  return out;
}

std::vector<Read> read_all(const Extractor& extractor, std::string_view text,
                           Labels labels = Labels::required) {
  SequenceSource source(LineReader(text, "d"), extractor, labels);
  std::vector<Read> all;
  InputSequence sequence;  // used again: nothing of the last one may stay
  Extractor::Scratch scratch;
  while (source.next(sequence)) {
    Read& read = all.emplace_back(Read{sequence.text.length(), sequence.single, {}, {}});
    source.extract(sequence, scratch);
    EXPECT_EQ(source.labelled(), sequence.text.has_labels());
    for (std::size_t k = 0; k < sequence.text.labels.items(); ++k) {
      read.labels.emplace_back(sequence.text.labels.item(k));
    }
    for (std::size_t k = 0; k < sequence.text.node.items(); ++k) {
      read.items.push_back(std::string(sequence.text.node.item(k)) + ":" +
                           std::to_string(static_cast<int>(sequence.text.node.value(k))));
    }
  }
  return all;
}

ExtractionConfig of(InputFormat format) {
  ExtractionConfig config;
  config.format = format;
  return config;
}

TEST(SequenceSource, TextsAreReadOneByOne) {
  const Extractor extractor(of(InputFormat::text));
  EXPECT_EQ(read_all(extractor, "p\tcat dog cat\nq\t?\n"),
            (std::vector<Read>{{1, true, {"p"}, {"cat:2", "dog:1"}}, {1, true, {"q"}, {}}}));
  EXPECT_EQ(read_all(extractor, "cat\n\n", Labels::optional),
            (std::vector<Read>{{1, true, {}, {"cat:1"}}, {1, true, {}, {}}}));
}

TEST(SequenceSource, RowsOfSparseNumbersAreSingleUnlessTheyHaveAQid) {
  const Extractor extractor(of(InputFormat::svmlight));
  EXPECT_EQ(read_all(extractor, "p 1:2\nq 3:4\n"),
            (std::vector<Read>{{1, true, {"p"}, {"1:2"}}, {1, true, {"q"}, {"3:4"}}}));
  EXPECT_EQ(read_all(extractor, "p qid:1 1:2\nq qid:1 3:4\nr qid:2\n"),
            (std::vector<Read>{{2, false, {"p", "q"}, {"1:2", "3:4"}}, {1, false, {"r"}, {}}}));
}

TEST(SequenceSource, RowsOfTablesAreSingle) {
  ExtractionConfig config = of(InputFormat::csv);
  config.csv = {.delimiter = ',',
                .label = "y",
                .columns = {{.name = "a", .kind = CsvKind::numeric}, {.name = "b"}},
                .ignored = {},
                .missing = {}};
  EXPECT_EQ(read_all(Extractor(config), "b,y,a\nu,p,3\n,q,\n"),
            (std::vector<Read>{{1, true, {"p"}, {"a:3", "b=u:1"}}, {1, true, {"q"}, {}}}));
}

TEST(SequenceSource, ValuesThatAreTooLargeAreErrorsInEveryFormatThatHasValues) {
  EXPECT_EQ(
      message_of<InputError>(
          [] { read_all(Extractor(of(InputFormat::svmlight)), "p 1:1\nq 1:1e16\n"); }),
      "d:2: an attribute value of more than 1e15 in the sequence that begins here: \"1e+16\"; "
      "scale it down; values near 1 train best");
}

TEST(SequenceSource, AnInputWithoutSequencesIsAnError) {
  for (const InputFormat format : {InputFormat::text, InputFormat::svmlight, InputFormat::csv}) {
    EXPECT_EQ(
        message_of<InputError>([&] { read_all(Extractor(of(format)), "\n\n"); }).substr(0, 10),
        "d: no data");
  }
}

TEST(DataFit, AFileIsLookedAtAndCanBeReadAgain) {
  const TemporaryFile file("p\taa bb\nq\tbb\n");
  const std::vector<RepeatableFile> files{RepeatableFile(file.path())};
  ExtractionConfig config = of(InputFormat::text);
  EXPECT_FALSE(needs_fit(config));
  config.text.values = TermValues::tf_idf;
  ASSERT_TRUE(needs_fit(config));
  fit_extraction(files, {}, config);
  EXPECT_FALSE(needs_fit(config));
  EXPECT_EQ(config.terms->documents(), 2u);
  EXPECT_EQ(config.terms->terms().size(), 2u);
  std::string_view line;
  LineReader again = files[0].lines();
  ASSERT_TRUE(again.next(line));
  EXPECT_EQ(line, "p\taa bb");
}

TEST(DataFit, StopWordsAreAWordALine) {
  const TemporaryFile file(" the \n\nund\r\n"), latin1(
                                                    "\xFC"
                                                    "ber\n");
  EXPECT_EQ(read_stop_words(file.path()), (std::vector<std::string>{"the", "und"}));
  EXPECT_EQ(read_stop_words("english"), english_stop_words());
  EXPECT_THROW(read_stop_words(latin1.path()), InputError);
}

}  // namespace
}  // namespace croft::sequence_source_test
