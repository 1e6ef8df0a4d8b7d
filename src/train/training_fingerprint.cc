#include "train/training_fingerprint.h"

#include <bit>

#include "train/functions/waves.h"

namespace croft {
namespace {

void add(Fingerprint& of, std::span<const std::string_view> names) {
  for (const std::string_view name : names) of.add(name);
}

void add(Fingerprint& of, const StringLists& lists) {
  for (std::size_t list = 0; list < lists.lists(); ++list) {
    for (std::size_t k = lists.list_begin(list); k < lists.list_end(list); ++k) {
      of.add(lists.item(k));
    }
  }
}

void add(Fingerprint& of, const AttributeLists& lists) {
  of.add(lists.begin, lists.id, lists.value);
}

void add(Fingerprint& of, const ChainData& data) {
  of.add(data.sequence_begin, data.label, data.label_sets.begin, data.label_sets.label,
         data.weight);
  add(of, data.node);
  add(of, data.edge);
}

// Sequence by sequence, wave by wave: the same for any share of them that a process has.
void add(Fingerprint& of, const ChainData& data, std::size_t labels, Ranks& ranks) {
  const std::vector<std::size_t> cut = wave_cuts(data.sequence_begin, labels, data.has_edges());
  std::vector<double> prints;  // bits of numbers
  const auto part = [](const auto& list, std::uint64_t first, std::uint64_t last) {
    return std::span(list).subspan(first, list.empty() ? 0 : last - first);
  };
  for (std::size_t k = 0; k + 1 < cut.size(); ++k) {
    Fingerprint wave;
    for (std::size_t n = cut[k]; n < cut[k + 1]; ++n) {
      const std::uint64_t first = data.sequence_begin[n], last = data.sequence_begin[n + 1];
      wave.add(part(data.label, first, last));
      wave.add({data.sequence_weight(n)});
      for (const AttributeLists* lists : {&data.node, &data.edge}) {
        if (lists->positions() == 0) continue;
        for (std::uint64_t p = first; p < last; ++p) {
          const std::uint64_t begin = lists->begin[p], end = lists->begin[p + 1];
          wave.add({static_cast<double>(end - begin)});
          wave.add(part(lists->id, begin, end));
          if (!lists->value.empty()) wave.add(part(lists->value, begin, end));
        }
      }
    }
    prints.push_back(std::bit_cast<double>(wave.value()));
  }
  of.add(lists_of_all(ranks, prints));
  of.add(data.label_sets.begin, data.label_sets.label);
}

void add(Fingerprint& of, const LabelRuns& runs) { of.add(runs.begin, runs.label); }

void add(Fingerprint& of, const ChainLayout& layout) {
  for (const RowLayout* rows : {&layout.tied, &layout.node, &layout.edge}) {
    of.add(rows->begin, rows->cell);
  }
  of.add(layout.shared.begin, layout.shared.cell);
  const std::size_t sizes[] = {layout.labels, layout.order()};
  of.add(std::span(sizes));
  if (layout.histories) {
    add(of, layout.histories->states);
    add(of, layout.histories->grams);
  }
  if (!layout.constraint) return;
  ChainConstraint constraint = *layout.constraint;
  StateArchive bits;
  bits(constraint.start, constraint.end, constraint.edge);
  of.add(bits.bytes());
}

// Each of these that is set, and that it is.
void add(StateArchive& options, MethodSettings s) {
  options(s.history, s.step, s.schedule, s.decay, s.batch, s.average_from, s.passes,
          s.aggressiveness, s.best, s.variance, s.gamma);
  if (!s.kernel) return;
  options(s.kernel->type, s.kernel->scale, s.kernel->offset, s.kernel->degree, s.kernel->gamma);
}

void add(Fingerprint& of, const ChainData& unlabelled, UnlabelledTerms terms) {
  add(of, unlabelled);
  StateArchive numbers;
  numbers(terms.entropy, terms.targets, terms.bounds);
  for (LabelTarget& each : terms.target) numbers(each.weights, each.share);
  for (LabelBound& each : terms.bound) {
    numbers(each.weights, each.label, each.at_least, each.share);
  }
  of.add(numbers.bytes());
}

void add(Fingerprint& of, ChainProblem problem) {
  add(of, problem.data, problem.layout.labels, problem.pool.ranks());
  add(of, problem.layout);
  if (problem.prior != nullptr) {
    of.add(problem.prior->mean, problem.prior->scale);
  }
  for (std::size_t y = 0; problem.cost != nullptr && y < problem.cost->labels(); ++y) {
    of.add(problem.cost->table[y]);
  }
  if (problem.unlabelled != nullptr) add(of, *problem.unlabelled, *problem.terms);
  StateArchive options;
  options(problem.objective, problem.block, problem.method, problem.twice, problem.regulariser.l1,
          problem.regulariser.l2);
  if (problem.regulariser.free.length > 0) {
    options(problem.regulariser.free.begin, problem.regulariser.free.length);
  }
  if (problem.observed_pieces) options(problem.observed_pieces);
  options(problem.seed);
  add(options, problem.settings);
  of.add(options.bytes());
}

}  // namespace

std::vector<std::string_view> row_names(const StringTable& table,
                                        const std::vector<std::uint32_t>& new_id,
                                        const RowLayout& layout) {
  std::vector<std::string_view> names(layout.rows());
  for (std::uint32_t a = 0; a < new_id.size(); ++a) {
    if (new_id[a] != kUnknown) names[new_id[a]] = table[a];
  }
  return names;
}

void add_to(Fingerprint& print, const StringTable& names) { add(print, names.strings()); }
void add_to(Fingerprint& print, const StringLists& lists) { add(print, lists); }
void add_to(Fingerprint& print, const ChainData& data) { add(print, data); }

std::uint64_t TrainingFingerprint::value() const {
  Fingerprint of;
  add(of, problem);
  for (const auto* each : {&names.labels, &names.tied, &names.node, &names.edge}) add(of, *each);
  of.add(start);
  const ChainHoldout none;
  const ChainHoldout& held_out = holdout != nullptr ? *holdout : none;
  add(of, held_out.data());
  for (std::size_t n = 0; n < held_out.sequences(); ++n) add(of, held_out[n].labels);
  if (held_out.sequences() > 0 && partial) {
    of.add(partial->any, std::span(&partial->separator, 1));
  }
  StateArchive options;
  const auto add_value = [&](auto value) { options(value); };
  add_value(early_stop);
  add_value(active_set != nullptr);
  if (active_set != nullptr) {
    add_value(active_set->violation_tolerance);
    add_value(active_set->screening_bytes);
  }
  of.add(options.bytes());
  return of.value();
}

}  // namespace croft
