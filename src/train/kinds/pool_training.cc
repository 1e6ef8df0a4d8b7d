#include "train/kinds/pool_training.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "core/json.h"
#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "data/settings/field_files.h"
#include "model/file/extraction_record.h"
#include "train/part_checkpoints.h"

namespace croft {
namespace {

constexpr std::string_view kOtherLabels = "(other)";

[[noreturn]] void fail_experts(const std::string& text) {
  throw UsageError("--experts ", text,
                   " is none of all, random:N, random:N:FRACTION, position and labels, where N is "
                   "2 to 1000 and FRACTION above 0 and below 1");
}

template <class Number>
Number read_number(const std::string& text, const std::string& field) {
  Number value{};
  const auto [rest, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (field.empty() || error != std::errc() || rest != field.data() + field.size()) {
    fail_experts(text);
  }
  return value;
}

struct RandomExperts {
  std::size_t count;
  std::optional<double> fraction;
};

RandomExperts read_random(const std::string& text) {
  const std::vector<std::string> fields = split_at(text, ':');
  if (fields.size() < 2 || fields.size() > 3) fail_experts(text);
  RandomExperts out{read_number<std::size_t>(text, fields[1]), std::nullopt};
  if (fields.size() == 3) out.fraction = read_number<double>(text, fields[2]);
  if (out.count < 2 || out.count > 1000 ||
      (out.fraction && !(*out.fraction > 0 && *out.fraction < 1))) {
    fail_experts(text);
  }
  return out;
}

// The offsets that a text names: [-1], [-1..0], and of a template's macros [-1,0].
struct Reach {
  int from = 0, to = 0;
  bool any = false;
  void add(int offset) {
    from = any ? std::min(from, offset) : offset;
    to = any ? std::max(to, offset) : offset;
    any = true;
  }
  FeaturePosition position() const {
    if (any && from < 0 && to <= 0) return FeaturePosition::past;
    return any && to > 0 && from >= 0 ? FeaturePosition::future : FeaturePosition::present;
  }
};

const char* read_offset(const char* at, const char* end, int& offset) {
  while (at != end && (*at == ' ' || *at == '+')) ++at;
  const auto [rest, error] = std::from_chars(at, end, offset);
  return error == std::errc() && offset > -1000 && offset < 1000 ? rest : nullptr;
}

// The type of a chunk label, "X" of "B-X"; none where it is no such label.
std::optional<std::string> chunk_type(std::string_view label) {
  const bool is = label.size() > 2 && label[1] == '-' &&
                  std::string_view("BIESLUM").find(label[0]) != std::string_view::npos;
  return is ? std::optional(std::string(label.substr(2))) : std::nullopt;
}

void keep_only(const std::vector<bool>& kept, AttributeLists& lists) {
  if (kept.empty() || lists.positions() == 0) return;
  std::size_t out = 0, from = 0;
  for (std::size_t p = 0; p < lists.positions(); ++p) {
    const std::uint64_t end = lists.begin[p + 1];
    for (; from < end; ++from) {
      if (!kept[lists.id[from]]) continue;
      lists.id[out] = lists.id[from];
      if (!lists.value.empty()) lists.value[out] = lists.value[from];
      ++out;
    }
    lists.begin[p + 1] = out;
  }
  lists.id.resize(out);
  if (!lists.value.empty()) lists.value.resize(out);
}

void cut_lists(std::size_t positions, AttributeLists& lists) {
  if (lists.positions() == 0) return;
  lists.begin.resize(positions + 1);
  lists.id.resize(lists.begin.back());
  if (!lists.value.empty()) lists.value.resize(lists.begin.back());
}

// Template, kit with all that it names, conjunctions and terms, as a model file has them.
std::vector<std::byte> extraction_sections(const ExtractionConfig& config) {
  ContainerWriter out;
  write_extraction_sections(config, out);
  return out.bytes();
}

// The first `sequences` of them.
void cut(std::size_t sequences, ChainData& data) {
  data.sequence_begin.resize(sequences + 1);
  const std::size_t positions = data.sequence_begin.back();
  data.label.resize(positions);
  cut_lists(positions, data.node);
  cut_lists(positions, data.edge);
  if (!data.weight.empty()) data.weight.resize(sequences);
  data.first_line.resize(sequences);
}

}  // namespace

FeaturePosition position_of_name(std::string_view name) {
  const std::size_t at = name.find('[');
  Reach reach;
  if (at == name.npos) return reach.position();
  const char* end = name.data() + name.size();
  int offset = 0;
  const char* rest = read_offset(name.data() + at + 1, end, offset);
  if (rest == nullptr || rest == end) return reach.position();
  Reach found;
  found.add(offset);
  if (end - rest > 2 && rest[0] == '.' && rest[1] == '.') {
    rest = read_offset(rest + 2, end, offset);
    if (rest == nullptr || rest == end) return reach.position();
    found.add(offset);
  }
  return *rest == ']' ? found.position() : reach.position();
}

NamePosition positions_of_template(const TemplateSet& templates) {
  std::map<std::string, FeaturePosition, std::less<>> by_beginning;
  for (std::size_t k = 0; k < templates.size(); ++k) {
    const std::string& line = templates.line(k);
    Reach reach;
    std::size_t at = line.find('%');
    std::string beginning = line.substr(0, at);
    if (!beginning.empty() && beginning[0] == '*') beginning[0] = 'u';
    for (; at != line.npos; at = line.find('%', at + 1)) {
      const std::size_t open = line.find('[', at);
      if (open != at + 2) continue;
      int offset = 0;
      if (read_offset(line.data() + open + 1, line.data() + line.size(), offset) != nullptr) {
        reach.add(offset);
      }
    }
    const auto [known, is_new] = by_beginning.emplace(beginning, reach.position());
    if (is_new || known->second == reach.position()) continue;
    throw UsageError("--experts position: two lines of the template begin with ",
                     in_quotes(beginning),
                     " and look in different directions; begin each line with a name of its own");
  }
  return [by_beginning](std::string_view name) {
    for (std::size_t size = name.size() + 1; size-- > 0;) {
      const auto at = by_beginning.find(name.substr(0, size));
      if (at != by_beginning.end()) return at->second;
    }
    return FeaturePosition::present;
  };
}

void PoolOptions::validate() const {
  for (const std::string& text : experts) {
    if (text == "all" || text == "position" || text == "labels") continue;
    if (!text.starts_with("random")) fail_experts(text);
    read_random(text);
  }
  if (!classes.empty() && std::ranges::find(experts, "labels") == experts.end()) {
    throw UsageError("--label-classes goes with --experts labels, which is not there");
  }
  if (weights.alpha != 1 && weights.weights != PoolWeights::dirichlet) {
    throw UsageError("--dirichlet is the prior of --pool-weights dirichlet; add it");
  }
  weights.validate();
}

PoolTraining::PoolTraining(const Extractor& extractor) : extractor_(extractor) {}

void PoolTraining::add_expert(const ChainModel& model) {
  const ExtractionConfig &theirs = model.extractor().config(), &ours = extractor_.config();
  if (extraction_sections(theirs) != extraction_sections(ours) ||
      extraction_record(theirs) != extraction_record(ours)) {
    throw UsageError(
        model.container().name(),
        ": this expert makes features of its data in another way (format, template, columns, "
        "feature kit or conjunctions); train all with the same --format, --template and --kit");
  }
  if (model.constraint()) {
    throw UsageError(
        model.container().name(),
        ": this expert has a constraint; train it without one, and give the pool --constrain");
  }
  experts_.push_back(expert_of(model, extractor_.tied_names(), encoder_));
}

void PoolTraining::plan(const std::string& text, const PoolOptions& pool, std::uint64_t seed,
                        std::vector<Plan>& out) const {
  if (text == "all") {
    out.push_back({.name = "all", .node = {}, .edge = {}, .label_of = {}, .labels = {}});
  } else if (text == "position") {
    plan_positions(out);
  } else if (text == "labels") {
    plan_labels(pool, out);
  } else {
    plan_random(text, seed, out);
  }
}

// What an attribute draws depends on its name and the seed alone.
void PoolTraining::plan_random(const std::string& text, std::uint64_t seed,
                               std::vector<Plan>& out) const {
  const RandomExperts random = read_random(text);
  const std::size_t first = out.size();
  for (std::size_t e = 0; e < random.count; ++e) {
    Plan& plan = out.emplace_back();
    plan.name = text + " " + std::to_string(e + 1);
    plan.node.resize(encoder_.node_names.size());
    plan.edge.resize(encoder_.edge_names.size());
  }
  const auto deal = [&](const StringTable& names, std::vector<bool> Plan::*kept) {
    for (std::uint32_t a = 0; a < names.size(); ++a) {
      Random draw(hash_string(names[a]) ^ Random(seed).next());
      if (!random.fraction) {
        (out[first + draw.below(random.count)].*kept)[a] = true;
        continue;
      }
      for (std::size_t e = 0; e < random.count; ++e) {
        (out[first + e].*kept)[a] = draw.uniform() < *random.fraction;
      }
    }
  };
  deal(encoder_.node_names, &Plan::node);
  deal(encoder_.edge_names, &Plan::edge);
}

void PoolTraining::plan_positions(std::vector<Plan>& out) const {
  const NamePosition position =
      extractor_.has_template() ? positions_of_template(extractor_.templates()) : position_of_name;
  constexpr std::array kParts = {FeaturePosition::past, FeaturePosition::present,
                                 FeaturePosition::future};
  constexpr std::array<std::string_view, 3> kPartNames = {"past", "present", "future"};
  const std::size_t before = out.size();
  for (std::size_t part = 0; part < kParts.size(); ++part) {
    Plan plan;
    plan.name = kPartNames[part];
    const auto choose = [&](const StringTable& names, std::vector<bool>& kept) {
      bool any = false;
      for (std::uint32_t a = 0; a < names.size(); ++a) {
        kept.push_back(position(names[a]) == kParts[part]);
        any = any || kept.back();
      }
      return any;
    };
    const bool nodes = choose(encoder_.node_names, plan.node);
    if (choose(encoder_.edge_names, plan.edge) || nodes) out.push_back(std::move(plan));
  }
  if (out.size() - before >= 2) return;
  throw UsageError(
      "--experts position: the names of the attributes do not tell the past from the future; they "
      "say it by offsets, as in w[-1]=the, or a template's lines do");
}

void PoolTraining::plan_labels(const PoolOptions& pool, std::vector<Plan>& out) const {
  const std::size_t count = labels();
  const std::vector<std::string> names = label_list();
  const bool chunks = std::ranges::all_of(
      names, [](const std::string& name) { return name == "O" || chunk_type(name); });
  for (const auto& [label, name] : pool.classes) {
    if (std::ranges::find(names, label) != names.end()) continue;
    throw UsageError("--label-classes: the data has no label ", in_quotes(label),
                     "; delete its line");
  }
  std::map<std::string, std::vector<Label>> classes;
  for (Label y = 0; y < count; ++y) {
    if (!pool.classes.empty()) {
      const auto at = pool.classes.find(names[y]);
      if (at != pool.classes.end()) classes[at->second].push_back(y);
    } else if (!chunks) {
      classes[names[y]].push_back(y);
    } else if (const auto type = chunk_type(names[y])) {
      classes[*type].push_back(y);
    }
  }
  if (classes.size() < 2) {
    throw UsageError("--experts labels: the labels are of ", classes.size(),
                     " class; give --label-classes, or other experts");
  }
  for (const auto& [name, members] : classes) {
    Plan& plan = out.emplace_back();
    plan.name = "labels " + name;
    plan.label_of.assign(count, 0);
    plan.labels.emplace_back(kOtherLabels);
    for (const Label y : members) {
      plan.label_of[y] = static_cast<Label>(plan.labels.size());
      plan.labels.push_back(names[y]);
    }
  }
}

ChainEncoder PoolTraining::data_of(const Plan& plan) const {
  ChainEncoder out = encoder_;
  cut(sequences(), out.data);
  keep_only(plan.node, out.data.node);
  keep_only(plan.edge, out.data.edge);
  if (plan.label_of.empty()) return out;
  out.label_names = StringTable();
  for (const std::string& name : plan.labels) out.label_names.insert(name);
  const auto merged = [&](std::span<const Label> labels) {
    std::set<Label> set;
    for (const Label y : labels) set.insert(plan.label_of[y]);
    return set;
  };
  LabelSets sets;
  for (std::size_t n = 0; n < encoder_.data.label_sets.size(); ++n) {
    const std::set<Label> set = merged(encoder_.data.label_sets[n]);
    sets.label.insert(sets.label.end(), set.begin(), set.end());
    sets.begin.push_back(static_cast<std::uint32_t>(sets.label.size()));
  }
  out.data.label_sets = std::move(sets);
  for (Label& known : out.data.label) {
    if (is_one_label(known)) known = plan.label_of[known];
  }
  return out;
}

// Experts that are given count by their weights.
std::uint64_t PoolTraining::fingerprint(const TrainOptions& options, const PoolOptions& pool,
                                        std::shared_ptr<const ChainConstraint> constraint) const {
  StateArchive own;
  std::vector<std::string> texts = pool.experts;
  for (const auto& [label, name] : pool.classes) texts.insert(texts.end(), {label, name});
  PoolWeightOptions how = pool.weights;
  std::size_t trained_on = sequences();
  own(texts, how.weights, how.alpha, trained_on);
  for (ChainExpert expert : experts_) own(expert);
  return parts_fingerprint(encoder_, options, std::move(constraint), own.bytes());
}

PoolTraining::Result PoolTraining::run(const TrainOptions& options, const PoolOptions& pool,
                                       const Callback& callback) {
  pool.validate();
  if (sequences() == 0) throw Error("there is no sequence to train on");
  const auto constraint = checked_constraint(options.constraint, *options.ranks);
  std::vector<Plan> plans;
  for (const std::string& text : pool.experts) plan(text, pool, options.seed, plans);
  const std::size_t given = experts_.size(), count = given + plans.size();
  if (count == 0) {
    throw UsageError(
        "a pool needs experts: --experts all, random:N, position or labels, or "
        "--expert MODEL");
  }
  Result result;
  bool stopped = false;
  std::vector<std::optional<OptimizeResult>> trained(given);
  if (options.checkpoints != nullptr) {
    options.checkpoints->set_fingerprint(fingerprint(options, pool, constraint));
  }
  PartCheckpoints checkpoints(options.checkpoints, plans.size() + 1, [&](StateArchive& state) {
    std::size_t done = experts_.size();
    state(done);
    experts_.resize(done);
    trained.resize(done);
    for (std::size_t e = given; e < done; ++e) {
      state(experts_[e]);
      if (!trained[e]) trained[e].emplace();
      archive_result(state, *trained[e]);
    }
  });
  checkpoints.resume();
  for (std::size_t e = experts_.size() - given; e < plans.size() && !stopped; ++e) {
    ChainTraining training(extractor_);
    training.set_data(data_of(plans[e]));
    TrainOptions own = options;
    own.checkpoints = checkpoints.part(e);
    // Merged labels are of no constraint.
    if (!plans[e].label_of.empty()) own.constraint = nullptr;
    const TrainResult found = training.run(own, {}, [&](const TrainProgress& now) {
      return !callback || callback(given + e, count, now);
    });
    stopped = found.optimization.reason == StopReason::stopped;
    ChainExpert expert =
        expert_of(training, found, encoder_.node_names.size(), encoder_.edge_names.size());
    expert.name = plans[e].name;
    if (!plans[e].label_of.empty()) expert = with_labels(expert, plans[e].label_of);
    const auto keep = [&] {
      trained.push_back(found.optimization);
      experts_.push_back(std::move(expert));
    };
    if (stopped) {
      keep();
    } else {
      checkpoints.done(e, keep);
    }
  }
  ThreadPool threads(options.threads, no_other_ranks(), *options.helpers);
  PoolFunction f(encoder_.data, trained_on_.value_or(0), encoder_.data.sequences(), experts_,
                 constraint.get(), threads);
  PoolWeightOptions how = pool.weights;
  if (stopped) how.weights = PoolWeights::uniform;
  const auto see = [&](const Iteration& now) {
    const TrainProgress progress{now, how.stop.max_iterations, std::nullopt};
    return !callback || callback(count, count, progress);
  };
  const PoolFit fit = fit_pool_weights(f, how, threads, see, checkpoints.part(plans.size()));
  result.loss = fit.loss;
  result.train.optimization = fit.optimization;
  if (how.weights == PoolWeights::uniform || how.weights == PoolWeights::unit) {
    result.train.optimization.objective = fit.loss;
    result.train.optimization.reason =
        stopped ? StopReason::stopped : StopReason::converged_objective;
    result.train.optimization.message =
        stopped ? "stopped; the experts so far have equal weights" : "the weights are fixed";
  }
  const std::vector<double> divergence = f.divergences(fit.weights);
  const auto summed = static_cast<double>(encoder_.data.sequences() - trained_on_.value_or(0));
  for (std::size_t e = 0; e < experts_.size(); ++e) {
    result.experts.push_back({experts_[e].name, fit.weights[e], divergence[e] / summed,
                              experts_[e].features, trained[e]});
  }
  merge(fit.weights);
  layout_.constraint = constraint;
  result.train.dimension = layout_.dimension();
  result.train.active = count_nonzero(weights_);
  return result;
}

// The chain with weights sum_i a_i w_i.
void PoolTraining::merge(std::span<const double> a) {
  weights_.clear();
  layout_ = ChainLayout();
  layout_.labels = labels();
  const auto add = [&](RowLayout ChainExpert::*part, std::size_t cells, std::size_t rows,
                       RowLayout& out) {
    out.cells = cells;
    out.begin.assign(1, weights_.size());
    std::map<std::uint32_t, double> row;
    for (std::size_t r = 0; r < rows; ++r) {
      row.clear();
      for (std::size_t e = 0; e < experts_.size(); ++e) {
        const RowLayout& from = experts_[e].*part;
        if (r >= from.rows()) continue;
        for (std::size_t k = 0; k < from.length(r); ++k) {
          row[from.cell_of(r, k)] += a[e] * experts_[e].weights[from.begin[r] + k];
        }
      }
      for (const auto& [cell, weight] : row) {
        out.cell.push_back(cell);
        weights_.push_back(weight);
      }
      out.begin.push_back(weights_.size());
    }
  };
  const std::size_t pairs = labels() * labels();
  add(&ChainExpert::tied, pairs, extractor_.tied_names().size(), layout_.tied);
  add(&ChainExpert::node, labels(), encoder_.node_names.size(), layout_.node);
  add(&ChainExpert::edge, pairs, encoder_.edge_names.size(), layout_.edge);
}

ContainerWriter PoolTraining::model(const Json& training) const {
  ChainModelParts parts;
  parts.kind = "pool";
  parts.labels = label_list();
  parts.extraction = &extractor_.config();
  parts.layout = &layout_;
  parts.tied_names.assign(extractor_.tied_names().begin(), extractor_.tied_names().end());
  parts.node_names = encoder_.node_names.strings();
  parts.edge_names = encoder_.edge_names.strings();
  parts.weights = weights_;
  parts.training = &training;
  return make_chain_model(parts);
}

}  // namespace croft
