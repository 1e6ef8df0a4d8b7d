// A hidden Markov model by its definition: labellings one by one, counts in maps.  Nothing is
// shared with the recursions, layouts and tables that it checks.
#pragma once
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "croft/core/random.h"
#include "croft/data/text_sequence.h"
#include "features/chain_data.h"
#include "model/kinds/hmm_parameters.h"
#include "support/all_sequences.h"

namespace croft::testing_support {

struct HmmPosition {
  std::vector<std::pair<std::string, double>> seen;  // attribute, value
  std::set<Label> known;                             // labels that it may have
};
struct HmmSequence {
  std::vector<HmmPosition> positions;
  double weight = 1;
};

// What naive counting counts, by name.
struct NaiveCounts {
  std::map<Label, double> start, end;
  std::map<std::pair<Label, Label>, double> transition;
  std::map<std::pair<std::string, Label>, double> emission;
  double log_likelihood = 0;
};

// Probabilities, not logarithms.
struct NaiveHmm {
  std::size_t labels = 0;
  bool has_end = false;
  std::map<Label, double> start, end;
  std::map<std::pair<Label, Label>, double> transition;
  std::map<std::pair<std::string, Label>, double> emission;  // of known values

  double joint(const HmmSequence& x, const std::vector<Label>& y) const {
    double p = start.at(y[0]);
    for (std::size_t t = 0; t < y.size(); ++t) {
      if (t > 0) p *= transition.at({y[t - 1], y[t]});
      for (const auto& [name, value] : x.positions[t].seen) {
        p *= std::pow(emission.at({name, y[t]}), value);
      }
    }
    return has_end ? p * end.at(y.back()) : p;
  }

  NaiveCounts expect(const std::vector<HmmSequence>& data) const {
    NaiveCounts counts;
    for (const HmmSequence& x : data) {
      std::vector<std::pair<std::vector<Label>, double>> fits;
      double total = 0;
      for_each_sequence(labels, x.positions.size(), [&](const std::vector<Label>& y) {
        for (std::size_t t = 0; t < y.size(); ++t) {
          if (!x.positions[t].known.contains(y[t])) return;
        }
        fits.emplace_back(y, joint(x, y));
        total += fits.back().second;
      });
      counts.log_likelihood += x.weight * std::log(total);
      for (const auto& [y, p] : fits) {
        const double q = x.weight * p / total;
        counts.start[y.front()] += q;
        counts.end[y.back()] += q;
        for (std::size_t t = 0; t < y.size(); ++t) {
          if (t > 0) counts.transition[{y[t - 1], y[t]}] += q;
          for (const auto& [name, value] : x.positions[t].seen) {
            counts.emission[{name, y[t]}] += q * value;
          }
        }
      }
    }
    return counts;
  }

  // values: the known ones.
  void estimate(NaiveCounts counts, const std::set<std::string>& values, double emission_count,
                double transition_count) {
    double starts = 0;
    for (Label j = 0; j < labels; ++j) starts += counts.start[j] + transition_count;
    for (Label i = 0; i < labels; ++i) {
      start[i] = (counts.start[i] + transition_count) / starts;
      double whole = has_end ? counts.end[i] + transition_count : 0;
      for (Label j = 0; j < labels; ++j) whole += counts.transition[{i, j}] + transition_count;
      for (Label j = 0; j < labels; ++j) {
        transition[{i, j}] = (counts.transition[{i, j}] + transition_count) / whole;
      }
      end[i] = (counts.end[i] + transition_count) / whole;
      std::map<std::string, double> of_track;
      for (const std::string& value : values) {
        double& sum = of_track[std::string(track_of(value))];
        if (sum == 0) sum = emission_count;  // all unknown values together
        sum += counts.emission[{value, i}] + emission_count;
      }
      for (const std::string& value : values) {
        emission[{value, i}] =
            (counts.emission[{value, i}] + emission_count) / of_track[std::string(track_of(value))];
      }
    }
  }
};

struct RandomHmmShape {
  std::size_t labels = 3, sequences = 6, longest = 4;
  double complete = 0.3;  // share of sequences with every label known
  double known = 0.3;     // of positions elsewhere; 0: none is
  bool values = true;     // other than 1
};

// Sequences over the tracks u (sometimes missing, sometimes twice) and the nameless one.
inline std::vector<HmmSequence> random_hmm_data(const RandomHmmShape& shape, Random& random) {
  std::vector<HmmSequence> data;
  for (std::size_t n = 0; n < shape.sequences; ++n) {
    HmmSequence& x = data.emplace_back();
    x.weight = random.below(3) == 0 ? 2.5 : 1;
    const bool complete = random.uniform() < shape.complete;
    x.positions.resize(1 + random.below(shape.longest));
    for (HmmPosition& position : x.positions) {
      const auto word = random.below(5);
      position.seen.emplace_back("w" + std::to_string(word), 1);
      const auto others = random.below(3);
      for (std::size_t k = 0; k < others; ++k) {
        const double value = shape.values && random.below(3) == 0 ? 0.5 : 1;
        position.seen.emplace_back("u=" + std::to_string(random.below(3)), value);
      }
      if (complete || random.uniform() < shape.known) {
        position.known.insert(static_cast<Label>(random.below(shape.labels)));
        if (!complete && random.below(2) == 0) {
          position.known.insert(static_cast<Label>(random.below(shape.labels)));
        }
      } else {
        for (Label y = 0; y < shape.labels; ++y) position.known.insert(y);
      }
    }
  }
  return data;
}

inline std::set<std::string> values_of(const std::vector<HmmSequence>& data) {
  std::set<std::string> values;
  for (const HmmSequence& x : data) {
    for (const HmmPosition& position : x.positions) {
      for (const auto& [name, value] : position.seen) values.insert(name);
    }
  }
  return values;
}

inline std::string hmm_label(Label y) { return std::string(1, static_cast<char>('A' + y)); }

// As a reader would hand it on: A, A|B or ?.
inline TextSequence to_text(const HmmSequence& x, std::size_t labels) {
  TextSequence text;
  for (const HmmPosition& position : x.positions) {
    for (const auto& [name, value] : position.seen) text.node.append(name, value);
    text.node.end_list();
    std::string known;
    for (const Label y : position.known) known += (known.empty() ? "" : "|") + hmm_label(y);
    text.labels.append(position.known.size() == labels && labels > 1 ? "?" : known);
  }
  text.labels.end_list();
  text.weight = x.weight;
  return text;
}

// Labels are numbered A, B, …
inline ChainEncoder encoded(const std::vector<HmmSequence>& data, std::size_t labels) {
  ChainEncoder encoder;
  encoder.partial = PartialLabels();
  for (Label y = 0; y < labels; ++y) encoder.label_names.insert(hmm_label(y));
  for (const HmmSequence& x : data) encoder.add(to_text(x, labels));
  return encoder;
}

// Any probabilities at all, for the values.
inline NaiveHmm random_hmm(std::size_t labels, bool has_end, const std::set<std::string>& values,
                           Random& random) {
  NaiveHmm hmm;
  hmm.labels = labels;
  hmm.has_end = has_end;
  NaiveCounts counts;
  for (Label i = 0; i < labels; ++i) {
    counts.start[i] = random.uniform();
    counts.end[i] = random.uniform();
    for (Label j = 0; j < labels; ++j) counts.transition[{i, j}] = random.uniform();
    for (const std::string& value : values) counts.emission[{value, i}] = random.uniform();
  }
  hmm.estimate(counts, values, 0.1, 0.1);
  return hmm;
}

}  // namespace croft::testing_support
