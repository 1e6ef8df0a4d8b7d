// Joint features against an enumeration of f(x, y) from their definition, central differences, a
// plain maximum-entropy model, and small examples with known answers.
#include "train/kinds/joint_training.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "app/train/kind_requests.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "model/kinds/joint_model.h"

namespace croft::joint_training_test {
namespace {

using Row = std::vector<std::string>;  // word, class, label
using Text = std::vector<Row>;

std::string cell(const Text& text, std::ptrdiff_t t, std::size_t column) {
  const auto length = static_cast<std::ptrdiff_t>(text.size());
  if (t < 0) return "_x" + std::to_string(t);
  if (t >= length) return "_x+" + std::to_string(t - length + 1);
  return text[static_cast<std::size_t>(t)][column];
}

// A template by its definition.
struct NaiveTemplate {
  std::string line;
  std::function<std::string(const Text&, std::ptrdiff_t)> x;
  std::function<std::string(const std::string&)> group;
  std::function<bool(const Text&, std::ptrdiff_t, const std::string&)> holds =
      [](const Text&, std::ptrdiff_t, const std::string&) { return true; };
  int part = 0;  // equal numbers: equal parts of y
};

std::string identity(const std::string& y) { return y; }
std::string last_letter(const std::string& y) { return y.substr(y.size() - 1); }
std::string one_group(const std::string&) { return ""; }
const LabelClasses& classes() {
  static const LabelClasses all = {{"ab", "A"}, {"cb", "C"}, {"ac", "A"}};
  return all;
}
std::string class_of(const std::string& y) {
  const auto found = classes().find(y);
  return found == classes().end() ? "(none)" : found->second;
}

bool stands_in(const Text& text, std::ptrdiff_t first, std::ptrdiff_t last, const std::string& y) {
  for (std::ptrdiff_t p = std::max<std::ptrdiff_t>(first, 0);
       p <= std::min(last, static_cast<std::ptrdiff_t>(text.size()) - 1); ++p) {
    if (text[static_cast<std::size_t>(p)][0] == y) return true;
  }
  return false;
}

std::vector<NaiveTemplate> naive_templates() {
  const auto before = [](const Text& text, std::ptrdiff_t t) {
    return "u1:" + cell(text, t - 1, 0);
  };
  return {
      {"u", [](const Text&, std::ptrdiff_t) { return "u"; }, identity},
      {"u1:%x[-1,0] * %y", before, identity},
      {"u1:%x[-2,0] * %y",  // shares its weights with the line above
       [](const Text& text, std::ptrdiff_t t) { return "u1:" + cell(text, t - 2, 0); }, identity},
      {"u1:%x[-1,0] * %y[suffix,1]", before, last_letter,
       [](const Text&, std::ptrdiff_t, const std::string&) { return true; }, 1},
      {"U2:%x[-1,1]/%x[-2,1]  *  %y[class]  # a remark",
       [](const Text& text, std::ptrdiff_t t) {
         return "u2:" + cell(text, t - 1, 1) + "/" + cell(text, t - 2, 1);
       },
       class_of, [](const Text&, std::ptrdiff_t, const std::string&) { return true; }, 2},
      {"u3 * %y in %x[-3..-1,0]", [](const Text&, std::ptrdiff_t) { return "u3"; }, one_group,
       [](const Text& text, std::ptrdiff_t t, const std::string& y) {
         return stands_in(text, t - 3, t - 1, y);
       },
       3},
      {"u4:%x[-1,1] * %y[suffix,1] * %y not in %x[..-1,0]",
       [](const Text& text, std::ptrdiff_t t) { return "u4:" + cell(text, t - 1, 1); }, last_letter,
       [](const Text& text, std::ptrdiff_t t, const std::string& y) {
         return !stands_in(text, 0, t - 1, y);
       },
       4},
      {"u5 * %y in %x[+1,0]", [](const Text&, std::ptrdiff_t) { return "u5"; }, one_group,
       [](const Text& text, std::ptrdiff_t t, const std::string& y) {
         return stands_in(text, t + 1, t + 1, y);
       },
       5},
      {"any %x[-4..-1,0] = zz * %y  # a remark",  // shares its part with the first lines, and no
                                                  // weight
       [](const Text& text, std::ptrdiff_t t) {
         return stands_in(text, t - 4, t - 1, "zz") ? "any %x[-4..-1,0] = zz" : "";
       },
       identity,
       [](const Text& text, std::ptrdiff_t t, const std::string&) {
         return stands_in(text, t - 4, t - 1, "zz");
       }},
      {"any %x[..,0]  =  \"ab\"  * %y[suffix,1] * %y not in %x[..-1,0]",
       [](const Text& text, std::ptrdiff_t) {
         return stands_in(text, 0, 99, "ab") ? "any %x[..,0] = ab" : "";
       },
       last_letter,
       [](const Text& text, std::ptrdiff_t t, const std::string& y) {
         return stands_in(text, 0, 99, "ab") && !stands_in(text, 0, t - 1, y);
       },
       4},
  };
}

std::string template_text(const std::vector<NaiveTemplate>& templates) {
  std::string text = "# a first line\n\n";
  for (const NaiveTemplate& each : templates) text += each.line + "\n";
  return text;
}

std::vector<Text> random_texts(std::size_t count, Random& random) {
  const std::vector<std::string> words = {"ab", "cb", "ac", "xb", "zz"};
  std::vector<Text> texts(count);
  for (Text& text : texts) {
    for (std::size_t t = 1 + random.below(6); t > 0; --t) {
      text.push_back(
          {words[random.below(5)], random.below(2) == 0 ? "N" : "V", words[random.below(4)]});
    }
  }
  return texts;
}

// Templates, extraction and training of some texts.
struct Fixture {
  Fixture(const std::string& text, const std::vector<Text>& texts, std::size_t columns = 2)
      : templates(JointTemplates::parse(text, "joint.template")),
        extractor(config(templates, columns)),
        training(extractor, templates, classes()) {
    for (const Text& each : texts) training.add(extracted(each));
  }
  static ExtractionConfig config(const JointTemplates& templates, std::size_t columns) {
    ExtractionConfig config = joint_extraction(templates, "joint.template");
    config.columns = columns;
    return config;
  }
  TextSequence extracted(const Text& text) const {
    ColumnSequence rows;
    for (const Row& row : text) {
      for (const std::string& cell : row) rows.append_cell(cell);
      rows.end_row();
    }
    rows.first_line = 1;
    Extractor::Scratch scratch;
    TextSequence out;
    extractor.extract(rows, true, scratch, out);
    return out;
  }
  std::shared_ptr<const JointModel> model() const {
    const auto bytes = training.model(Json::object()).bytes();
    return std::make_shared<const JointModel>(Container::from_bytes(bytes, "test.croft"));
  }
  JointTemplates templates;
  Extractor extractor;
  JointTraining training;
};

using Key = std::tuple<int, std::string, std::string>;  // part, string, group

// Which feature each weight of a training belongs to.
std::vector<Key> keys_of(const Fixture& f, const std::vector<NaiveTemplate>& naive,
                         const std::vector<std::string>& labels) {
  const LabelParts& parts = f.training.examples().parts;
  std::map<std::size_t, const NaiveTemplate*> of_part;
  for (std::size_t k = 0; k < f.templates.size(); ++k) {
    of_part[f.templates.part_of(k)] = &naive[k];
  }
  const RowLayout& rows = f.training.layout().node;
  std::vector<Key> keys;
  for (std::uint32_t r = 0; r < rows.rows(); ++r) {
    for (std::size_t k = 0; k < rows.length(r); ++k) {
      const std::uint32_t c = rows.cell_of(r, k);
      const std::size_t b = parts.part_of(c);
      Label y = 0;
      while (parts.cell(b, y) != c) ++y;
      keys.emplace_back(of_part[b]->part, JointTemplates::plain_string(f.training.attribute(r)),
                        of_part[b]->group(labels[y]));
    }
  }
  return keys;
}

// In the order of first appearance, as the training numbers them.
std::vector<std::string> labels_of(const std::vector<Text>& texts) {
  std::vector<std::string> labels;
  for (const Text& text : texts) {
    for (const Row& row : text) {
      if (std::ranges::find(labels, row[2]) == labels.end()) labels.push_back(row[2]);
    }
  }
  return labels;
}

double naive_score(const std::vector<NaiveTemplate>& naive, const std::map<Key, double>& w,
                   const Text& text, std::ptrdiff_t t, const std::string& y) {
  double sum = 0;
  for (const NaiveTemplate& each : naive) {
    if (!each.holds(text, t, y)) continue;
    const auto found = w.find({each.part, each.x(text, t), each.group(y)});
    if (found != w.end()) sum += found->second;
  }
  return sum;
}

double log_sum(const std::vector<double>& scores) {
  double sum = 0;
  for (const double s : scores) sum += std::exp(s);
  return std::log(sum);
}

double naive_loss(const std::vector<NaiveTemplate>& naive, const std::map<Key, double>& w,
                  const std::vector<Text>& texts, const std::vector<std::string>& labels) {
  double loss = 0;
  for (const Text& text : texts) {
    for (std::size_t t = 0; t < text.size(); ++t) {
      const auto at = static_cast<std::ptrdiff_t>(t);
      std::vector<double> scores;
      for (const std::string& y : labels) scores.push_back(naive_score(naive, w, text, at, y));
      loss += log_sum(scores) - naive_score(naive, w, text, at, text[t][2]);
    }
  }
  return loss;
}

TrainOptions exact_options() {
  TrainOptions options;
  options.regulariser.l2 = 0.5;
  options.method = Method::lbfgs;
  options.precision = Precision::twice;
  options.stop.tolerance = 0;
  options.stop.gradient_tolerance = 1e-9;
  return options;
}

bool go_on(const TrainProgress&) { return true; }

class Features : public testing::TestWithParam<FeatureSet> {};
INSTANTIATE_TEST_SUITE_P(Sets, Features, testing::Values(FeatureSet::observed, FeatureSet::all));

TEST_P(Features, LossAndItsDerivativesAreThoseOfTheEnumeratedFeatures) {
  Random random(7);
  const std::vector<NaiveTemplate> naive = naive_templates();
  for (int round = 0; round < 5; ++round) {
    const std::vector<Text> texts = random_texts(6, random);
    const std::vector<std::string> labels = labels_of(texts);
    Fixture f(template_text(naive), texts);
    TrainOptions options;
    options.features = GetParam();
    f.training.lay_out(options);
    const std::vector<Key> keys = keys_of(f, naive, labels);
    ASSERT_EQ(keys.size(), f.training.layout().dimension());
    std::vector<double> w(keys.size()), gradient(keys.size()), shifted(keys.size());
    std::map<Key, double> naive_w;
    for (std::size_t k = 0; k < w.size(); ++k) naive_w[keys[k]] = w[k] = random.normal();
    ASSERT_EQ(naive_w.size(), keys.size()) << "a feature twice";

    ThreadPool pool(2);
    const auto make = [&] {
      return std::make_unique<JointLikelihood<double>>(f.training.examples());
    };
    ChainBatchFunction<double> function(f.training.data(), f.training.layout(), pool, make);
    const double value = function.evaluate(w, gradient);
    EXPECT_NEAR(value, naive_loss(naive, naive_w, texts, labels), 1e-9 * (1 + value));

    std::vector<double> direction(w.size()), product(w.size());
    for (double& d : direction) d = random.normal();
    function.hessian_product(direction, product);
    constexpr double kStep = 1e-5;
    std::vector<double> up(w.size()), down(w.size());
    for (std::size_t k = 0; k < w.size(); ++k) {
      const auto loss = [&](double step) {
        auto moved = naive_w;
        moved[keys[k]] += step;
        return naive_loss(naive, moved, texts, labels);
      };
      EXPECT_NEAR(gradient[k], (loss(kStep) - loss(-kStep)) / (2 * kStep), 1e-6) << k;
    }
    for (const double sign : {1.0, -1.0}) {
      for (std::size_t k = 0; k < w.size(); ++k) shifted[k] = w[k] + sign * kStep * direction[k];
      function.evaluate(shifted, sign > 0 ? up : down);
    }
    for (std::size_t k = 0; k < w.size(); ++k) {
      EXPECT_NEAR(product[k], (up[k] - down[k]) / (2 * kStep), 1e-6) << k;
    }
  }
}

TEST(JointTraining, ObservedFeaturesAreThoseThatHoldForTheTrueLabels) {
  Random random(8);
  const std::vector<NaiveTemplate> naive = naive_templates();
  const std::vector<Text> texts = random_texts(8, random);
  Fixture f(template_text(naive), texts);
  for (const std::size_t min_count : {1, 2}) {
    std::map<Key, std::size_t> count;
    for (const Text& text : texts) {
      for (std::size_t t = 0; t < text.size(); ++t) {
        const auto at = static_cast<std::ptrdiff_t>(t);
        for (const NaiveTemplate& each : naive) {
          if (!each.holds(text, at, text[t][2])) continue;
          ++count[{each.part, each.x(text, at), each.group(text[t][2])}];
        }
      }
    }
    std::set<Key> expected;
    for (const auto& [key, n] : count) {
      if (n >= min_count) expected.insert(key);
    }
    Fixture again(template_text(naive), texts);
    TrainOptions options;
    options.min_count = min_count;
    again.training.lay_out(options);
    const std::vector<Key> keys = keys_of(again, naive, labels_of(texts));
    EXPECT_EQ(std::set<Key>(keys.begin(), keys.end()), expected);
  }
}

std::map<Key, double> weights_of(const Fixture& f, const std::vector<NaiveTemplate>& naive,
                                 const std::vector<Text>& texts) {
  std::map<Key, double> w;
  const std::vector<Key> keys = keys_of(f, naive, labels_of(texts));
  for (std::size_t k = 0; k < keys.size(); ++k) w[keys[k]] = f.training.weights()[k];
  return w;
}

TEST(JointTraining, AWarmStartKeepsWeightsAndFeaturesUnderOtherTemplatesAndLabels) {
  Random random(20);
  const std::vector<NaiveTemplate> naive = naive_templates();
  const std::vector<Text> texts = random_texts(20, random);
  Fixture first(template_text(naive), texts);
  first.training.run(exact_options(), go_on);
  const auto start = first.model();
  const std::map<Key, double> before = weights_of(first, naive, texts);

  std::vector<NaiveTemplate> more(naive.rbegin(), naive.rend());  // parts have other numbers
  std::vector<Text> all = texts;
  all.push_back({{"new", "N", "new"}, {"ab", "V", "ab"}});
  Fixture second(template_text(more), all);
  JointTraining training(second.extractor, second.templates, classes(), start.get());
  training.add(second.extracted(all.back()));
  TrainOptions options = exact_options();
  options.stop.max_iterations = 1;
  training.run(options, go_on);
  // Labels keep their numbers.
  const auto bytes = training.model(Json::object()).bytes();
  const JointModel model(Container::from_bytes(bytes, "second.croft"));
  for (Label y = 0; y < start->labels(); ++y) EXPECT_EQ(model.label(y), start->label(y));
  EXPECT_EQ(model.labels(), start->labels() + 1);

  // On the same data the start is the optimum, and every weight stays where it is.
  JointTraining again(first.extractor, first.templates, classes(), start.get());
  for (const Text& text : texts) again.add(first.extracted(text));
  const TrainResult result = again.run(exact_options(), go_on);
  EXPECT_LE(result.optimization.iterations, 30u);
  std::size_t seen = 0;
  const RowLayout& rows = again.layout().node;
  for (std::uint32_t r = 0; r < rows.rows(); ++r) {
    for (std::size_t k = 0; k < rows.length(r); ++k) {
      const std::size_t at = rows.begin[r] + k;
      const std::uint32_t c = rows.cell_of(r, k);
      const std::size_t b = again.examples().parts.part_of(c);
      for (const auto& [key, weight] : before) {
        if (std::get<1>(key) != JointTemplates::plain_string(again.attribute(r))) continue;
        if (std::get<2>(key) != start->group_name(c) || std::get<0>(key) != static_cast<int>(b)) {
          continue;
        }
        EXPECT_NEAR(again.weights()[at], weight, 1e-5);
        ++seen;
      }
    }
  }
  EXPECT_EQ(seen, before.size());
}

TEST(JointTraining, AWarmStartNeedsTheModelsPartsAndClasses) {
  Random random(21);
  const std::vector<Text> texts = random_texts(10, random);
  Fixture first("u * %y\nu1:%x[-1,0] * %y[class]\n", texts), plain("u * %y\n", texts);
  first.training.run(exact_options(), go_on);
  const auto start = first.model();
  const auto said = [&](const JointTemplates& templates, const LabelClasses& of) {
    try {
      JointTraining training(first.extractor, templates, of, start.get());
      training.add(first.extracted(texts[0]));
      training.lay_out(exact_options());
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(said(plain.templates, classes()).find("\"%y[class]\" of the label"), std::string::npos);
  const LabelClasses others = {{"ab", "X"}, {"cb", "X"}, {"ac", "X"}};
  EXPECT_NE(said(first.templates, others).find("has the class"), std::string::npos);
  EXPECT_EQ(said(first.templates, classes()), "no error");
}

TEST(JointModel, GivesThePosteriorsOfTheWeightsThatItWasMadeOf) {
  Random random(9);
  const std::vector<NaiveTemplate> naive = naive_templates();
  const std::vector<Text> texts = random_texts(30, random), others = random_texts(20, random);
  Fixture f(template_text(naive), texts);
  f.training.run(exact_options(), go_on);
  const std::vector<std::string> labels = labels_of(texts);
  const std::vector<Key> keys = keys_of(f, naive, labels);
  std::map<Key, double> w;
  for (std::size_t k = 0; k < keys.size(); ++k) w[keys[k]] = f.training.weights()[k];
  const auto model = f.model();
  ASSERT_EQ(model->labels(), labels.size());
  SequenceModel::Scratch scratch;
  ChainScores<double> scores;
  ChainScores<float> narrow;
  for (const Text& text : others) {
    const TextSequence sequence = f.extracted(text);
    model->score(sequence, scratch, scores);
    model->score(sequence, scratch, narrow);
    for (std::size_t t = 0; t < text.size(); ++t) {
      for (Label y = 0; y < labels.size(); ++y) {
        const double expected =
            naive_score(naive, w, text, static_cast<std::ptrdiff_t>(t), labels[y]);
        EXPECT_NEAR(scores.state(t, y), expected, 2e-6);  // weights are float in the file
        EXPECT_NEAR(narrow.state(t, y), expected, 5e-6);
      }
    }
  }
}

// The model's file with one section replaced.
Container with_section(const JointModel& model, const std::string& name,
                       const std::vector<std::byte>& bytes) {
  using Kind = ContainerWriter::Kind;
  ContainerWriter out;
  for (const Container::Entry& entry : model.container().entries()) {
    const auto whole = model.container().section(entry.name);
    out.add(entry.name, entry.name == name ? bytes : std::vector(whole.begin(), whole.end()),
            entry.bulk       ? Kind::bulk
            : entry.required ? Kind::required
                             : Kind::small);
  }
  return Container::from_bytes(out.bytes(), "damaged.croft");
}

TEST(JointModel, RefusesSectionsThatDoNotFitTogether) {
  Random random(17);
  Fixture f(template_text(naive_templates()), random_texts(10, random));
  f.training.run(exact_options(), go_on);
  const auto model = f.model();
  const auto section = [&](const std::string& name) {
    const auto whole = model->container().section(name);
    return std::vector(whole.begin(), whole.end());
  };
  EXPECT_NO_THROW(JointModel(with_section(*model, "joint.groups", section("joint.groups"))));
  const auto refused = [&](const std::string& name, const std::vector<std::byte>& bytes) {
    try {
      JointModel damaged(with_section(*model, name, bytes));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string says = "damaged.croft: section joint.groups is damaged";
  std::vector<std::byte> groups = section("joint.groups");
  groups[0] = std::byte{200};  // a group that no label can have
  EXPECT_TRUE(refused("joint.groups", groups).starts_with(says));
  groups = section("joint.groups");
  groups.resize(groups.size() - 4);
  EXPECT_TRUE(refused("joint.groups", groups).starts_with(says));
  groups.resize(groups.size() + 8);
  EXPECT_TRUE(refused("joint.groups", groups).starts_with(says));
  std::vector<std::byte> text = section("joint.template");
  text.back() = std::byte{'%'};
  EXPECT_TRUE(refused("joint.template", text)
                  .starts_with("damaged.croft: section joint.template is damaged"));
  text = section("joint.template");
  text[0] = std::byte{'u'};  // the remark that it begins with is a template now
  text.resize(1);
  EXPECT_TRUE(
      refused("joint.template", text).starts_with("damaged.croft: section template is damaged"))
      << refused("joint.template", text);
}

TEST(JointTraining, AnObservationTimesTheLabelIsThePlainMaximumEntropyModel) {
  Random random(10);
  const std::vector<Text> texts = random_texts(40, random);
  Fixture f("u\nu1:%x[0,0] * %y\nu2:%x[-1,0]/%x[0,1]\n", texts);
  TrainOptions options = exact_options();
  options.features = FeatureSet::all;
  f.training.run(options, go_on);

  ExtractionConfig config;
  config.template_text = "u\nu1:%x[0,0]\nu2:%x[-1,0]/%x[0,1]\n";
  config.template_name = "plain";
  config.language = TemplateLanguage::wapiti;
  config.columns = 2;
  const Extractor extractor(config);
  ChainTraining plain(extractor, nullptr, ChainKind::maxent);
  Extractor::Scratch extraction;
  const auto extracted = [&](const Text& text) {
    ColumnSequence rows;
    for (const Row& row : text) {
      for (const std::string& each : row) rows.append_cell(each);
      rows.end_row();
    }
    TextSequence out;
    extractor.extract(rows, true, extraction, out);
    return out;
  };
  for (const Text& text : texts) plain.add(extracted(text));
  options.kind = ChainKind::maxent;
  const TrainResult result = plain.run(options, {}, go_on);
  EXPECT_EQ(result.dimension, f.training.weights().size());

  const ChainModel plain_model(
      Container::from_bytes(plain.model(Json::object()).bytes(), "plain.croft"));
  const auto model = f.model();
  SequenceModel::Scratch scratch, plain_scratch;
  ChainScores<double> scores, plain_scores;
  for (const Text& text : random_texts(20, random)) {
    model->score(f.extracted(text), scratch, scores);
    plain_model.score(extracted(text), plain_scratch, plain_scores);
    for (std::size_t t = 0; t < text.size(); ++t) {
      for (Label y = 0; y < model->labels(); ++y) {
        ASSERT_EQ(model->label(y), plain_model.label(y));
        EXPECT_NEAR(scores.state(t, y), plain_scores.state(t, y), 1e-6);
      }
    }
  }
}

// Two classes, five words: ten indicators f(x, y); without the tenth, w_25 is 0.
TEST(JointTraining, AFeatureThatIsLeftOutHasTheWeightZero) {
  std::vector<Text> texts;
  for (const auto& [word, label] : std::vector<std::pair<std::string, std::string>>{{"w1", "1"},
                                                                                    {"w1", "2"},
                                                                                    {"w2", "1"},
                                                                                    {"w2", "2"},
                                                                                    {"w2", "2"},
                                                                                    {"w3", "2"},
                                                                                    {"w3", "1"},
                                                                                    {"w4", "1"},
                                                                                    {"w4", "2"},
                                                                                    {"w5", "1"}}) {
    texts.push_back({{word, "-", label}});
  }
  Fixture all("u:%x[0,0] * %y\n", texts), nine("u:%x[0,0] * %y\n", texts);
  TrainOptions options;
  options.features = FeatureSet::all;
  all.training.lay_out(options);
  options.features = FeatureSet::observed;
  nine.training.lay_out(options);
  ASSERT_EQ(all.training.layout().dimension(), 10u);
  ASSERT_EQ(nine.training.layout().dimension(), 9u);
  const std::vector<NaiveTemplate> naive = {
      {"", [](const Text&, std::ptrdiff_t) { return ""; }, identity}};
  const std::vector<std::string> labels = {"1", "2"};
  Random random(11);
  std::map<Key, double> weight;
  for (const Key& key : keys_of(nine, naive, labels)) weight[key] = random.normal();
  std::map<Key, double> derivative[2];
  double value[2];
  ThreadPool pool(1);
  for (const Fixture* f : {&all, &nine}) {
    const std::vector<Key> keys = keys_of(*f, naive, labels);
    std::vector<double> w, gradient(keys.size());
    for (const Key& key : keys) w.push_back(weight.contains(key) ? weight[key] : 0);
    ChainBatchFunction<double> function(f->training.data(), f->training.layout(), pool, [&] {
      return std::make_unique<JointLikelihood<double>>(f->training.examples());
    });
    value[f == &nine] = function.evaluate(w, gradient);
    for (std::size_t k = 0; k < keys.size(); ++k) derivative[f == &nine][keys[k]] = gradient[k];
  }
  EXPECT_DOUBLE_EQ(value[0], value[1]);
  for (const auto& [key, d] : derivative[1]) EXPECT_DOUBLE_EQ(derivative[0][key], d);
  // With both classes' weights, only their difference matters: logistic regression.
  double logistic = 0;
  for (const Text& text : texts) {
    const std::string x = "u:" + text[0][0];
    const double margin =
        weight[{0, x, "1"}] - (weight.contains({0, x, "2"}) ? weight[{0, x, "2"}] : 0.0);
    logistic += std::log1p(std::exp(text[0][2] == "1" ? -margin : margin));
  }
  EXPECT_NEAR(value[0], logistic, 1e-12);
}

TEST(JointLikelihood, AFeatureThatDoesNotDependOnTheLabelChangesNothing) {
  for (const double c : {0.0, 3.25, -100.0}) {
    JointExamples examples;
    LabelPart plain, constant;
    plain.groups.count = 2;
    constant.groups = {.of = {0, 0}, .count = 1};
    examples.parts = LabelParts(2, {plain, constant});
    examples.label = {0};
    JointLikelihood<double> likelihood(examples);
    ChainScores<double> scores;
    TransitionScores<double> none(3);
    scores.reset(1, none);
    scores.state(0, 0) = 0.5;
    scores.state(0, 1) = 1.4;
    scores.state(0, 2) = c;
    Matrix<double> d(1, 3);
    const std::vector<Label> number = {0};
    const double loss = likelihood(scores, Gold(number), 1, {d.row(0), nullptr, nullptr});
    EXPECT_NEAR(loss, -std::log(0.289050), 2e-6);
    EXPECT_NEAR(d(0, 0), 0.289050 - 1, 1e-6);
    EXPECT_NEAR(d(0, 1), 0.710950, 1e-6);
    EXPECT_NEAR(d(0, 2), 0, 1e-12);
  }
}

TEST(JointTraining, LabelsOfOneSuffixShareTheWeight) {
  Random random(12);
  const std::vector<Text> texts = random_texts(30, random);
  Fixture f("u1:%x[-1,0] * %y[suffix,1]\n", texts);
  f.training.run(exact_options(), go_on);
  const auto model = f.model();
  SequenceModel::Scratch scratch;
  ChainScores<double> scores;
  model->score(f.extracted(texts[0]), scratch, scores);
  std::map<std::string, double> of_suffix;
  for (Label y = 0; y < model->labels(); ++y) {
    const auto [entry, is_new] =
        of_suffix.emplace(last_letter(model->label(y)), scores.state(0, y));
    EXPECT_EQ(entry->second, scores.state(0, y)) << model->label(y);
  }
  EXPECT_EQ(of_suffix.size(), 2u);  // ab, cb, xb; ac
  EXPECT_NE(of_suffix["b"], of_suffix["c"]);
}

TEST(JointTraining, AnyNumberOfThreadsGivesTheSameBytes) {
  Random random(13);
  const std::vector<Text> texts = random_texts(300, random);
  for (const Method method : {Method::lbfgs, Method::sgd_lbfgs, Method::truncated_newton}) {
    for (const Precision precision : {Precision::single, Precision::twice}) {
      std::vector<std::vector<std::byte>> bytes;
      for (const std::size_t threads : {1, 2, 3}) {
        Fixture f(template_text(naive_templates()), texts);
        TrainOptions options;
        options.method = method;
        options.precision = precision;
        options.threads = threads;
        options.stop.max_iterations = 8;
        f.training.run(options, go_on);
        bytes.push_back(f.training.model(Json::object()).bytes());
      }
      EXPECT_EQ(bytes[0], bytes[1]);
      EXPECT_EQ(bytes[0], bytes[2]);
    }
  }
}

TEST(JointTraining, EveryMethodFindsTheOptimum) {
  Random random(14);
  const std::vector<Text> texts = random_texts(60, random);
  const auto objective = [&](Method method) {
    Fixture f(template_text(naive_templates()), texts);
    TrainOptions options = exact_options();
    options.method = method;
    const bool passes = info(method).passes;
    options.stop.max_iterations = passes ? 300 : 1000;
    if (passes) options.stop.gradient_tolerance = 0;
    return f.training.run(options, go_on).optimization.objective;
  };
  const double best = objective(Method::lbfgs);
  for (const Method method :
       {Method::owlqn, Method::cg, Method::preconditioned_cg, Method::mixed_cg, Method::bfgs,
        Method::newton, Method::truncated_newton, Method::sgd_lbfgs}) {
    EXPECT_NEAR(objective(method), best, 1e-6 * best) << info(method).name;
  }
  for (const Method method :
       {Method::sgd, Method::averaged_sgd, Method::adagrad, Method::sag, Method::async_sgd}) {
    EXPECT_NEAR(objective(method), best, 0.02 * best) << info(method).name;
  }
}

// Templates of which each position has two, one or none with a label: the total is not that of all.
TEST(JointTraining, IterativeScalingFindsTheOptimumAndNeverLosesGround) {
  Random random(17);
  const std::vector<Text> texts = random_texts(60, random);
  const std::string text = "u * %y\nu1:%x[-1,1] * %y[suffix,1]\nu2 * %y in %x[..-1,0]\n";
  for (const Method method : {Method::gis, Method::iis}) {
    for (const double l2 : {0.0, 0.7}) {
      const auto run = [&](Method chosen) {
        Fixture f(text, texts);
        TrainOptions options = exact_options();
        options.method = chosen;
        options.regulariser.l2 = l2;
        options.stop.gradient_tolerance = 1e-6;
        options.stop.max_iterations = 20000;
        double before = INFINITY;
        return f.training
            .run(options,
                 [&](const TrainProgress& now) {
                   EXPECT_LE(now.iteration.objective, before * (1 + 1e-12));
                   before = now.iteration.objective;
                   return true;
                 })
            .optimization.objective;
      };
      const double best = run(Method::lbfgs);
      EXPECT_NEAR(run(method), best, 1e-7 * best) << info(method).name << " " << l2;
    }
  }
}

TEST(JointTraining, WeightTwoIsTheSequenceTwice) {
  Random random(15);
  const std::vector<Text> texts = random_texts(20, random);
  Fixture once(template_text(naive_templates()), {}), twice(template_text(naive_templates()), {});
  for (std::size_t n = 0; n < texts.size(); ++n) {
    TextSequence sequence = once.extracted(texts[n]);
    twice.training.add(sequence);
    if (n % 3 == 1) twice.training.add(sequence);
    sequence.weight = n % 3 == 1 ? 2 : 1;
    once.training.add(sequence);
  }
  const double a = once.training.run(exact_options(), go_on).optimization.objective;
  const double b = twice.training.run(exact_options(), go_on).optimization.objective;
  EXPECT_NEAR(a, b, 1e-9 * b);
}

TEST(JointTraining, RefusesWhatItCannotDo) {
  Random random(16);
  for (const Method method : {Method::sdca, Method::coordinate_descent, Method::eg}) {
    Fixture f("u:%x[-1,0] * %y\n", random_texts(5, random));
    TrainOptions options;
    options.method = method;
    try {
      f.training.run(options, go_on);
      FAIL() << info(method).name;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("lbfgs"), std::string::npos) << error.what();
    }
  }
  Fixture empty("u:%x[-1,0] * %y\n", {});
  EXPECT_THROW(empty.training.run(exact_options(), go_on), Error);
  Fixture rare("u:%x[-1,0] * %y\n", random_texts(2, random));
  TrainOptions options;
  options.min_count = 1000;
  EXPECT_THROW(rare.training.run(options, go_on), Error);
}

}  // namespace
}  // namespace croft::joint_training_test
