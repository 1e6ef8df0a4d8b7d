// A kernel in a model file: its scores against a double loop, its linear form against weights, and
// damage.
#include "model/kernel_scorer.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "croft/core/error.h"
#include "support/model_file.h"
#include "support/model_sections.h"

namespace croft::kernel_sections_test {
namespace {

using namespace testing_support;

std::vector<Kernel> kernels() {
  return {{},
          {.type = Kernel::Type::polynomial, .scale = 0.5, .offset = 0.25, .degree = 3},
          {.type = Kernel::Type::rbf, .gamma = 0.3}};
}

using Vector = std::map<std::uint32_t, double>;  // by the layout's ids

Vector vector_at(const AttributeLists& lists, std::uint64_t p) {
  Vector x;
  for (std::uint64_t k = lists.begin[p]; k < lists.begin[p + 1]; ++k) {
    x[lists.id[k]] += lists.value.empty() ? 1.0 : lists.value[k];
  }
  return x;
}

double kernel_value(const Kernel& kernel, const Vector& x, const Vector& z) {
  double product = 0, own = 0, other = 0;
  for (const auto& [a, value] : x) {
    own += value * value;
    if (const auto at = z.find(a); at != z.end()) product += value * at->second;
  }
  for (const auto& [a, value] : z) other += value * value;
  switch (kernel.type) {
    case Kernel::Type::linear:
      return product;
    case Kernel::Type::polynomial:
      return std::pow(kernel.scale * product + kernel.offset, kernel.degree);
    case Kernel::Type::rbf:
      return std::exp(-kernel.gamma * (own + other - 2 * product));
  }
  return 0;
}

TEST(KernelSections, ScoresAreTheDoubleLoopOverSupportVectors) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    for (const Kernel& kernel : kernels()) {
      Random random(seed);
      const LaidOut data = laid_out({.values = seed % 2 == 0}, {.min_count = 1 + seed % 3}, random);
      const KernelExpansion expansion = random_expansion(data, kernel, random);
      const auto model = opened(kernel_file(data, expansion));
      ChainModel::Scratch scratch;
      ChainScores<double> scores;
      for (std::size_t n = 0; n < data.plain.size(); ++n) {
        TextSequence text = to_text(data.plain[n]);
        model->score(text, scratch, scores);
        for (std::size_t t = 0; t < text.length(); ++t) {
          const Vector x = vector_at(data.data.node, data.data.sequence_begin[n] + t);
          for (std::size_t j = 0; j < data.layout.labels; ++j) {
            double sum = 0, size = 1;
            for (std::size_t s = 0; s < expansion.support_vectors(); ++s) {
              const double term = double{expansion.coefficients(s, j)} *
                                  kernel_value(kernel, x, vector_at(expansion.vectors, s));
              sum += term;
              size += std::abs(term);
            }
            EXPECT_NEAR(scores.state(t, j), sum, 1e-6 * size);
          }
        }
      }
    }
  }
}

TEST(KernelSections, TransitionsAndEdgesAreThoseOfTheWeights) {
  Random random(3);
  const LaidOut data = laid_out({.edge = 1}, {}, random);
  const KernelExpansion expansion = random_expansion(data, kernels()[2], random);
  const auto model = opened(kernel_file(data, expansion));
  const auto linear = opened(model_file(data, expansion.w, [](ChainModelParts&) {}));
  ChainModel::Scratch scratch, linear_scratch;
  ChainScores<double> scores, linear_scores;
  for (const PlainSequence& x : data.plain) {
    model->score(to_text(x), scratch, scores);
    linear->score(to_text(x), linear_scratch, linear_scores);
    for (std::size_t t = 1; t < x.label.size(); ++t) {
      for (Label i = 0; i < 3; ++i) {
        for (Label j = 0; j < 3; ++j) {
          EXPECT_EQ(scores.edge(t, i, j), linear_scores.edge(t, i, j));
        }
      }
    }
  }
}

TEST(KernelSections, ALinearKernelIsALinearModel) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    const LaidOut data = laid_out({}, {.features = FeatureSet::all}, random);
    const KernelExpansion expansion = random_expansion(data, {}, random);
    std::vector<double> w = expansion.w;
    for (std::size_t s = 0; s < expansion.support_vectors(); ++s) {
      for (const auto& [a, value] : vector_at(expansion.vectors, s)) {
        for (std::size_t j = 0; j < data.layout.labels; ++j) {
          w[data.layout.node.begin[a] + j] += value * double{expansion.coefficients(s, j)};
        }
      }
    }
    const auto kernel = opened(kernel_file(data, expansion));
    const auto linear = opened(model_file(data, w, [](ChainModelParts&) {}));
    ChainModel::Scratch scratch, linear_scratch;
    ChainScores<double> scores, linear_scores;
    for (const PlainSequence& x : data.plain) {
      kernel->score(to_text(x), scratch, scores);
      linear->score(to_text(x), linear_scratch, linear_scores);
      for (std::size_t t = 0; t < x.label.size(); ++t) {
        for (Label j = 0; j < 3; ++j) {
          EXPECT_NEAR(scores.state(t, j), linear_scores.state(t, j), 1e-4);
        }
      }
    }
  }
}

TEST(KernelSections, AttributesThatTrainingDidNotKnowCountForNothing) {
  Random random(4);
  const LaidOut data = laid_out({}, {}, random);
  const KernelExpansion expansion = random_expansion(data, kernels()[2], random);
  const auto model = opened(kernel_file(data, expansion));
  TextSequence known, more;
  for (TextSequence* text : {&known, &more}) {
    text->node.append(node_name(0), 0.5);
    if (text == &more) text->node.append("never seen", 3);
    text->node.end_list();
  }
  ChainModel::Scratch scratch;
  ChainScores<double> of_known, of_more;
  model->score(known, scratch, of_known);
  model->score(more, scratch, of_more);
  EXPECT_TRUE(std::ranges::equal(of_known.state[0], of_more.state[0]));
}

TEST(KernelSections, LongSequencesAreScoredAsTheirPositionsAre) {
  Random random(5);
  const LaidOut data = laid_out({.min_length = 300, .max_length = 300}, {}, random);
  const KernelExpansion expansion = random_expansion(data, kernels()[1], random);
  const auto model = opened(kernel_file(data, expansion));
  ChainModel::Scratch scratch;
  ChainScores<double> whole, alone;
  model->score(to_text(data.plain[0]), scratch, whole);
  for (const std::size_t t : {0u, 1u, 31u, 32u, 64u, 255u, 299u}) {
    PlainSequence one;
    one.label = {0};
    one.node = {data.plain[0].node[t]};
    one.edge = {{}};
    model->score(to_text(one), scratch, alone);
    EXPECT_TRUE(std::ranges::equal(whole.state[t], alone.state[0])) << t;
  }
}

TEST(KernelSections, TheFileGivesBackTheExpansion) {
  for (const Kernel& kernel : kernels()) {
    Random random(6);
    const LaidOut data = laid_out({}, {}, random);
    const KernelExpansion expansion = random_expansion(data, kernel, random);
    const auto model = opened(kernel_file(data, expansion));
    ASSERT_NE(model->kernel(), nullptr);
    const KernelExpansion& found = *model->kernel();
    EXPECT_EQ(found.kernel.type, kernel.type);
    EXPECT_EQ(found.kernel.degree, kernel.degree);
    EXPECT_EQ(found.kernel.scale, kernel.scale);
    EXPECT_EQ(found.kernel.offset, kernel.offset);
    EXPECT_EQ(found.kernel.gamma, kernel.gamma);
    ASSERT_EQ(found.support_vectors(), expansion.support_vectors());
    for (std::size_t s = 0; s < found.support_vectors(); ++s) {
      std::map<std::string, double> of_file, of_training;
      for (const auto& [a, x] : vector_at(found.vectors, s)) of_file[model->node().name(a)] = x;
      for (std::uint32_t a = 0; a < data.renumbering.node.size(); ++a) {
        const Vector x = vector_at(expansion.vectors, s);
        const auto at = x.find(data.renumbering.node[a]);
        if (at != x.end()) of_training[node_name(a)] = at->second;
      }
      EXPECT_EQ(of_file, of_training);
      EXPECT_TRUE(std::ranges::equal(found.coefficients[s], expansion.coefficients[s]));
    }
  }
}

TEST(KernelSections, AReaderThatDoesNotKnowTheSectionRefusesTheFile) {
  Random random(7);
  const LaidOut data = laid_out({}, {}, random);
  const auto bytes = kernel_file(data, random_expansion(data, {}, random)).bytes();
  const Container file = Container::from_bytes(bytes, "kernel.croft");
  constexpr std::array<std::string_view, 2> kKnown = {"constraint", "histories"};
  EXPECT_THROW(file.refuse_required_but(kKnown), Error);
}

// The file with one section made other.
template <class Change>
std::string opening(const Container& good, std::string_view name, const Change& change) {
  ContainerWriter out;
  for (const Container::Entry& entry : good.entries()) {
    const auto section = good.section(entry.name);
    std::vector<std::byte> bytes(section.begin(), section.end());
    if (entry.name == name) change(bytes);
    out.add(entry.name, std::move(bytes),
            entry.required ? ContainerWriter::Kind::required
            : entry.bulk   ? ContainerWriter::Kind::bulk
                           : ContainerWriter::Kind::small);
  }
  try {
    const ChainModel model(Container::from_bytes(out.bytes(), "kernel.croft"));
    return "opened";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(KernelSections, DamagedSectionsAreAnErrorThatNamesThem) {
  Random random(8);
  const LaidOut data = laid_out({}, {}, random);
  const auto file = kernel_file(data, random_expansion(data, kernels()[1], random));
  const Container good = Container::from_bytes(file.bytes(), "kernel.croft");
  const auto put = [](auto value, std::size_t at) {
    return [=](std::vector<std::byte>& bytes) {
      std::memcpy(bytes.data() + at, &value, sizeof value);
    };
  };
  const auto shorter = [](std::vector<std::byte>& bytes) { bytes.resize(bytes.size() - 4); };
  EXPECT_EQ(opening(good, "", shorter), "opened");
  for (const auto& text :
       {opening(good, "kernel", shorter), opening(good, "kernel", put(std::uint32_t{3}, 0)),
        opening(good, "kernel", put(std::uint32_t{0}, 4)), opening(good, "kernel", put(-1.0, 8)),
        opening(good, "kernel", put(std::nan(""), 16)), opening(good, "kernel", put(0.0, 24))}) {
    EXPECT_NE(text.find("section kernel"), std::string::npos) << text;
  }
  for (const char* const name : {"kernel.attributes", "kernel.values", "kernel.coefficients"}) {
    EXPECT_NE(opening(good, name, shorter).find("kernel.* do not fit together"), std::string::npos);
  }
  // A first row that does not begin at the beginning.
  EXPECT_NE(opening(good, "kernel.rows", put(std::uint64_t{1}, 64)).find("section kernel.rows"),
            std::string::npos);
}

TEST(KernelSections, ScoresThatOverflowAreAnError) {
  Random random(10);
  const LaidOut data = laid_out({}, {}, random);
  const auto model = opened(kernel_file(
      data, random_expansion(data, {.type = Kernel::Type::polynomial, .degree = 10}, random)));
  TextSequence text;
  for (std::uint32_t a = 0; a < 15; ++a) text.node.append(node_name(a), 1e9);
  text.node.end_list();
  ChainModel::Scratch scratch;
  ChainScores<double> scores;
  try {
    model->score(text, scratch, scores);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("position 0 are no finite numbers"),
              std::string::npos);
  }
}

TEST(KernelSections, AttributesBeyondTheLastNameCountForNothing) {
  Random random(9);
  const LaidOut data = laid_out({}, {}, random);
  const KernelExpansion expansion = random_expansion(data, kernels()[1], random);
  const Container good =
      Container::from_bytes(kernel_file(data, expansion).bytes(), "kernel.croft");
  testing_support::ModelSections file(good);
  std::ranges::fill(file["kernel.attributes"].bytes, std::byte{0xFF});
  const ChainModel model(Container::from_bytes(file.bytes(), "kernel.croft"));
  ChainModel::Scratch scratch;
  ChainScores<double> scores;
  model.score(to_text(data.plain[0]), scratch, scores);
  double all = 0;  // every vector is empty: K is c^d
  for (std::size_t s = 0; s < expansion.support_vectors(); ++s) {
    all += std::pow(0.25, 3) * double{expansion.coefficients(s, 0)};
  }
  EXPECT_NEAR(scores.state(0, 0), all, 1e-5);
}

}  // namespace
}  // namespace croft::kernel_sections_test
