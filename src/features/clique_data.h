// Data for a general CRF: variables, and cliques of them with features, unrolled to factor graphs.
//
//   p(y | x) = 1/Z(x) exp( sum_T sum_{c in T(x)} sum_k x_ck w_T[k, cell_T(y_c)] )          (GC.1)
//
// A clique template T says how its cliques are scored, once for all of them; which cliques there
// are, the data says.  Sutton & McCallum (2012) section 2.4; docs/math/general_crf.md.
//
//   CliqueData data(schema);
//   const auto a = data.add_variable(word_domain, "sentence 1", noun);
//   …
//   data.add_clique(pair_template, {a, b}, {{bias, 1.0}});
//   std::vector<GraphInstance> instances = data.unroll();
#pragma once
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/error.h"
#include "features/vocabulary.h"
#include "structure/interaction.h"

namespace croft {

// Names of states: what variables of one kind may be.
struct Domain {
  std::string name;
  std::vector<std::string> labels;
};

// A weight that is not trained.
struct GivenWeight {
  std::string feature;
  std::uint32_t cell = 0;
  double weight = 0;
  bool operator==(const GivenWeight&) const = default;
};

struct CliqueTemplate {
  std::string name;
  std::vector<std::uint32_t> domain;  // of each place of a clique
  Interaction interaction;
  // It has no weights: a clique's features are scores, a feature's id the cell, and its value what
  // that cell scores, as from a density p(x | y) or another model.
  bool scores = false;
  // Places that have a list of variables, of an interaction that counts; empty: each has one.
  std::vector<bool> lists = {};
  // With `scores`, a constraint: all cells score minus this, > 0; infinity forbids them.  Of
  // InteractionKind::known, all cells but the one that a clique says.
  std::optional<double> penalty = {};
  // With `scores`: what features score, in place of weights.
  std::vector<GivenWeight> given = {};

  bool has_lists() const { return !lists.empty(); }
  bool is_known() const { return interaction.kind() == InteractionKind::known; }
  // Throws UsageError where parts of it contradict each other.
  void check() const;
};

struct CliqueSchema {
  std::vector<Domain> domains;
  std::vector<CliqueTemplate> templates;
};

// A feature of a clique: its number in the template's vocabulary, and its value.
struct CliqueFeature {
  std::uint32_t id = 0;
  double value = 1;
  bool operator==(const CliqueFeature&) const = default;
};

// Lists of features, each once: cliques of a template that have the same features share a row, and
// so a potential.
class CliqueRows {
 public:
  // The number of the row, new or not.
  //   sizes : of places, where they decide about the potential (Interaction::needs_sizes)
  std::uint32_t insert(std::uint32_t clique_template, std::span<const CliqueFeature> features,
                       std::span<const std::uint32_t> sizes = {});
  std::size_t size() const { return template_.size(); }
  std::uint32_t template_of(std::uint32_t row) const { return template_[row]; }
  std::span<const std::uint32_t> sizes(std::uint32_t row) const {
    return shape_.empty() ? std::span<const std::uint32_t>() : shapes_[shape_[row]];
  }
  std::span<const CliqueFeature> features(std::uint32_t row) const {
    return std::span(feature_).subspan(begin_[row], begin_[row + 1] - begin_[row]);
  }
  void forget_hashes() {  // no insert() finds a row again: gives memory back
    slots_ = {};
    number_of_shape_ = {};
  }

 private:
  // Open addressing; at least a quarter is free.
  struct Slot {
    std::uint32_t fingerprint, row;  // row == kUnknown: free
  };
  std::size_t home(std::uint32_t print) const { return print * std::uint64_t{slots_.size()} >> 32; }
  void grow();
  std::uint32_t shape_of(std::span<const std::uint32_t> sizes);

  std::vector<std::uint16_t> template_;
  std::vector<std::uint64_t> begin_{0};
  std::vector<CliqueFeature> feature_;
  std::vector<Slot> slots_;
  // Sizes that rows have; the first is none.
  std::vector<std::vector<std::uint32_t>> shapes_{{}};
  std::map<std::vector<std::uint32_t>, std::uint32_t> number_of_shape_;
  std::vector<std::uint32_t> shape_;  // [rows]; empty: all have none
};

// Sets of variables by name, of any size: the pieces or blocks of an objective.
struct VariableBlocks {
  std::string name;
  std::vector<std::vector<std::uint32_t>> blocks;  // each of variables of one group
};

// An independent part of the data: a factor graph whose potentials are rows.
struct GraphInstance {
  FactorGraph graph;                    // numbers: scores; 0 until a scorer has set them
  std::vector<std::uint32_t> variable;  // [variables] number in the data
  Evidence known;                       // [variables]; kUnobserved: hidden
  std::vector<std::uint32_t> row;       // [potentials]
  // By name, those of CliqueData::add_blocks() that are here; of each name in every instance.
  std::map<std::string, std::vector<std::vector<Variable>>, std::less<>> blocks = {};
  double weight = 1;  // what its part of an objective counts for, >= 0
};

// A clique that its template or the data does not allow: what() names the template first.
class CliqueError : public UsageError {
 public:
  CliqueError(const std::string& clique_template, const std::string& problem)
      : UsageError("template '" + clique_template + "': " + problem), problem_(problem) {}
  const std::string& problem() const { return problem_; }

 private:
  std::string problem_;
};

class CliqueData {
 public:
  // Keeps the schema by reference.
  explicit CliqueData(const CliqueSchema& schema) : schema_(schema) {}

  //   group : variables of different groups are independent, and in no clique together
  //   known : its state, kUnobserved
  // Returns its number, from 0.
  std::uint32_t add_variable(std::uint32_t domain, std::string_view group,
                             State known = kUnobserved);
  // Features of the same id are added up; an empty list is no feature: the clique scores 0.
  // Scores (CliqueTemplate::scores) are numbers or -inf.
  // Of a constraint (CliqueTemplate::penalty) there are no features; of a known value one: the
  // state, with the value 1.
  //   sizes : with CliqueTemplate::lists, how many of the variables each place has
  // Throws CliqueError for a variable that is not there, is in the clique twice, is of another
  // domain than the template's or of another group than the first, and for a clique that what is
  // known of its variables makes impossible.
  void add_clique(std::uint32_t clique_template, std::span<const std::uint32_t> variables,
                  std::span<const CliqueFeature> features,
                  std::span<const std::uint32_t> sizes = {});
  void add_clique(std::uint32_t clique_template, std::initializer_list<std::uint32_t> variables,
                  std::initializer_list<CliqueFeature> features) {
    add_clique(clique_template, std::span(variables.begin(), variables.size()),
               std::span(features.begin(), features.size()));
  }

  // Throws UsageError for a block that is empty or not of one group.
  void add_blocks(VariableBlocks blocks);

  // Instances that are not trained on: known() is what their labels are compared with.
  //   groups : [groups] whether the group is one; empty: none is
  void hold_out(std::vector<bool> groups) { held_out_ = std::move(groups); }
  bool held_out(std::uint32_t variable) const {
    return !held_out_.empty() && held_out_[group_[variable]];
  }

  // GraphInstance::weight of each group.  Throws UsageError for a number below 0 or not finite, and
  // for another number of them than there are groups.
  void weigh(std::vector<double> weights);
  bool has_weights() const { return !weight_.empty(); }
  double weight(std::uint32_t variable) const {
    return weight_.empty() ? 1 : weight_[group_[variable]];
  }

  std::size_t variables() const { return domain_.size(); }
  std::size_t groups() const { return group_names_.size(); }
  std::size_t cliques() const;
  State known(std::uint32_t variable) const { return known_[variable]; }
  std::uint32_t domain(std::uint32_t variable) const { return domain_[variable]; }
  std::uint32_t group(std::uint32_t variable) const { return group_[variable]; }
  std::string_view group_name(std::uint32_t variable) const {
    return group_names_[group_[variable]];
  }
  const CliqueSchema& schema() const { return schema_; }
  const CliqueRows& rows() const { return rows_; }

  // A graph for each group, in the order of their first variables; factors in the order of
  // templates and of add_clique().  Empties the lists of cliques.
  std::vector<GraphInstance> unroll();
  // unroll() of other data with the same schema and numbers of features, whose instances have rows
  // of this data from here on.
  std::vector<GraphInstance> adopt(CliqueData& other);

 private:
  struct Cliques {                        // of one template
    std::vector<std::uint32_t> variable;  // [cliques][variables]
    std::vector<std::uint64_t> end;       // [cliques] into `variable`, with lists
    std::vector<std::uint32_t> row;       // [cliques]
  };
  std::size_t place_of(const CliqueTemplate& t, std::size_t k,
                       std::span<const std::uint32_t> sizes) const;
  void check_variables(const CliqueTemplate& t, std::span<const std::uint32_t> variables,
                       std::span<const std::uint32_t> sizes) const;
  void check_possible(const CliqueTemplate& t, std::span<const std::uint32_t> variables,
                      std::span<const CliqueFeature> features,
                      std::span<const std::uint32_t> sizes) const;
  void set_penalties(const CliqueTemplate& t);
  const CliqueSchema& schema_;
  StringTable group_names_;
  std::vector<std::uint32_t> domain_, group_;  // [variables]
  std::vector<State> known_;                   // [variables]
  std::vector<bool> held_out_;                 // [groups], or empty
  std::vector<double> weight_;                 // likewise
  std::vector<VariableBlocks> blocks_;
  std::vector<Cliques> cliques_;  // [templates]
  CliqueRows rows_;
  std::vector<CliqueFeature> sorted_;  // scratch
};

}  // namespace croft
