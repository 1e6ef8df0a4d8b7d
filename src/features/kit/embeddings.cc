#include "features/kit/embeddings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "core/parse_number.h"
#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::string_view kBlanksBetweenNumbers = " \t";
constexpr std::size_t kMostNumbers = 65536;  // of a word: more would be a damaged first line

std::string_view without_trailing_blanks(std::string_view line) {
  return line.substr(0, line.find_last_not_of(kBlanksBetweenNumbers) + 1);
}

std::size_t count_fields(std::string_view line) {
  std::size_t fields = 0;
  for (std::size_t at = line.find_first_not_of(kBlanksBetweenNumbers); at != line.npos;
       at = line.find_first_not_of(kBlanksBetweenNumbers,
                                   line.find_first_of(kBlanksBetweenNumbers, at))) {
    ++fields;
    if (line.find_first_of(kBlanksBetweenNumbers, at) == line.npos) break;
  }
  return fields;
}

// "WORDS NUMBERS": two whole numbers and no more, the second not 0.
struct Header {
  std::uint64_t words, dimension;
};
std::optional<Header> parse_header(std::string_view line) {
  const std::size_t blank = line.find_first_of(kBlanksBetweenNumbers);
  if (blank == line.npos) return std::nullopt;
  Header header{};
  const auto whole = [](std::string_view text, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  };
  if (!whole(line.substr(0, blank), header.words)) return std::nullopt;
  if (!whole(line.substr(line.find_first_not_of(kBlanksBetweenNumbers, blank)), header.dimension)) {
    return std::nullopt;
  }
  if (header.dimension == 0) return std::nullopt;
  return header;
}

// Whether the word, blanks and all, ends in a part of its own that reads as a number.
bool ends_in_number(std::string_view word) {
  const std::size_t blank = word.find_last_of(kBlanksBetweenNumbers);
  double value = 0;
  return blank != word.npos &&
         parse_number(word.substr(blank + 1), value) != NumberKind::not_a_number;
}

class Reader {
 public:
  Reader(LineReader& lines, std::size_t most) : lines_(lines), most_(most) {}

  void run() {
    bool first = true;
    for (std::string_view line; lines_.next(line);) {
      line = without_trailing_blanks(line);
      if (line.empty()) continue;
      if (first) header_ = parse_header(line);
      if (first && header_) {
        dimension = header_->dimension;
        if (dimension > kMostNumbers) {
          fail("more than 65536 numbers a word", line, "the first line is WORDS NUMBERS");
        }
      } else {
        if (words.size() == most_) return;
        read_line(line);
      }
      first = false;
    }
    if (words.size() == 0) {
      throw InputError({lines_.name()}, "embeddings without words", "",
                       "write WORD NUMBER ... NUMBER on each line");
    }
    if (header_ && header_->words != words.size()) {
      throw InputError({lines_.name()},
                       "the first line promises " + std::to_string(header_->words) +
                           " words, and there are " + std::to_string(words.size()),
                       "", "the file may have been cut off; fetch it again, or correct the line");
    }
  }

  std::size_t dimension = 0;
  StringTable words;
  std::vector<float> values;  // [words][dimension]

 private:
  [[noreturn]] void fail(const std::string& problem, std::string_view text,
                         std::string_view remedy) const {
    throw InputError(lines_.location(), problem, text, remedy);
  }

  // The last `dimension` fields are numbers; what is before them is the word, blanks and all,
  // unless it ends in another number: then there are too many.
  void read_line(std::string_view line) {
    if (dimension == 0) {
      dimension = count_fields(line) - 1;
      if (dimension == 0) fail("a word without numbers", line, "write WORD NUMBER ... NUMBER");
    }
    values.resize(values.size() + dimension);
    float* const row = values.data() + values.size() - dimension;
    for (std::size_t k = dimension; k-- > 0;) {
      const std::size_t blank = line.find_last_of(kBlanksBetweenNumbers);
      if (blank == line.npos || blank == 0) {
        fail("fewer than " + std::to_string(dimension) + " numbers behind a word", line,
             header_ ? "the first line says how many there are"
                     : "the first word has so many; all words must");
      }
      double value = 0;
      const std::string_view field = line.substr(blank + 1);
      if (parse_number(field, value) != NumberKind::finite ||
          std::abs(value) > std::numeric_limits<float>::max()) {
        fail("this is no finite number", field, "write WORD NUMBER ... NUMBER on each line");
      }
      row[k] = static_cast<float>(value);
      line = without_trailing_blanks(line.substr(0, blank));
    }
    const std::size_t known = words.size();
    if (ends_in_number(line)) {
      fail("more than " + std::to_string(dimension) + " numbers behind a word", line,
           header_ ? "the first line says how many there are"
                   : "the first word has so many; all words must");
    }
    if (line.empty()) fail("no word before the numbers", "", "write WORD NUMBER ... NUMBER");
    if (words.insert(line) != known) {
      fail("the word has a vector already", line, "delete one of its lines");
    }
  }

  LineReader& lines_;
  std::size_t most_;
  std::optional<Header> header_;
};

void standardise(std::vector<float>& values, std::size_t dimension) {
  const std::size_t words = values.size() / dimension;
  for (std::size_t k = 0; k < dimension; ++k) {
    double sum = 0, squares = 0;
    for (std::size_t n = 0; n < words; ++n) sum += values[n * dimension + k];
    const double mean = sum / static_cast<double>(words);
    for (std::size_t n = 0; n < words; ++n) {
      const double difference = values[n * dimension + k] - mean;
      squares += difference * difference;
    }
    const double deviation = std::sqrt(squares / static_cast<double>(words));
    const double scale = deviation > 0 ? 1 / deviation : 1;
    for (std::size_t n = 0; n < words; ++n) {
      float& value = values[n * dimension + k];
      value = static_cast<float>((value - mean) * scale);
    }
  }
}

void normalise(std::vector<float>& values, std::size_t dimension) {
  for (std::size_t begin = 0; begin < values.size(); begin += dimension) {
    double squares = 0;
    for (std::size_t k = 0; k < dimension; ++k) {
      squares += static_cast<double>(values[begin + k]) * values[begin + k];
    }
    if (squares == 0) continue;
    const double scale = 1 / std::sqrt(squares);
    for (std::size_t k = 0; k < dimension; ++k) {
      values[begin + k] = static_cast<float>(values[begin + k] * scale);
    }
  }
}

}  // namespace

Embeddings::Embeddings(std::size_t dimension, WordTable words, SharedArray<float> values)
    : dimension_(dimension), words_(std::move(words)), values_(std::move(values)) {
  if (dimension == 0 || values_.size() / dimension != words_.size() ||
      values_.size() % dimension != 0) {
    throw Error("the sizes of word embeddings do not fit each other");
  }
}

Embeddings Embeddings::read(LineReader lines, const EmbeddingOptions& options) {
  const std::size_t most =
      options.max_words == 0 ? std::numeric_limits<std::size_t>::max() : options.max_words;
  Reader reader(lines, most);
  reader.run();
  if (options.scale == EmbeddingScale::standardise) standardise(reader.values, reader.dimension);
  if (options.scale == EmbeddingScale::length) normalise(reader.values, reader.dimension);
  BuiltWordTable built = build_word_table(reader.words);
  std::vector<float> by_id(reader.values.size());
  const std::size_t dimension = reader.dimension;
  for (std::size_t n = 0; n < reader.words.size(); ++n) {
    for (std::size_t k = 0; k < dimension; ++k) {
      by_id[built.id[n] * dimension + k] =
          static_cast<float>(reader.values[n * dimension + k] * options.factor);
    }
  }
  return {dimension, std::move(built.table), SharedArray<float>(std::move(by_id))};
}

std::vector<float> Embeddings::mean() const {
  std::vector<double> sum(dimension_);
  for (std::size_t k = 0; k < values_.size(); ++k) sum[k % dimension_] += values_[k];
  std::vector<float> mean;
  for (const double each : sum) {
    mean.push_back(static_cast<float>(each / static_cast<double>(words_.size())));
  }
  return mean;
}

}  // namespace croft
