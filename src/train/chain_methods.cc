#include "train/chain_methods.h"

#include <algorithm>
#include <string>

#include "objective/chain_objectives.h"
#include "objective/log_partition.h"
#include "train/dual/chain_dual.h"
#include "train/dual/maxent_span.h"
#include "train/functions/chain_expectations.h"
#include "train/functions/changing_precision.h"
#include "train/functions/softmax_columns.h"
#include "train/methods/optimise.h"
#include "train/unlabelled_terms.h"

namespace croft {
namespace {

template <class Real>
ObjectiveMaker<Real> objective_maker(const ChainProblem& problem, const ChainLayout& layout) {
  if (problem.own_objective != nullptr) {
    if constexpr (std::is_same_v<Real, float>) {
      return problem.own_objective->single;
    } else {
      return problem.own_objective->twice;
    }
  }
  const LabelCost* cost = problem.cost;
  const std::span<const Label> label_of = layout.histories
                                              ? std::span<const Label>(layout.histories->label_of)
                                              : std::span<const Label>();
  switch (problem.objective) {
    case Objective::likelihood:
      return make_likelihood<Real>;
    case Objective::pseudolikelihood:
      return [] { return std::make_unique<PseudoLikelihood<Real>>(); };
    case Objective::per_edge:
      return [] { return std::make_unique<CompositeLikelihood<Real>>(2, BlockCount::blocks); };
    case Objective::composite:
      return [block = problem.block] { return std::make_unique<CompositeLikelihood<Real>>(block); };
    case Objective::marginal:
      return [] { return std::make_unique<MarginalLikelihood<Real>>(); };
    case Objective::piecewise:
      if (problem.observed_pieces) return [] { return std::make_unique<ObservedPieces<Real>>(); };
      return [] { return std::make_unique<Piecewise<Real>>(); };
    case Objective::local:
      return [] { return std::make_unique<LocalLikelihood<Real>>(); };
    case Objective::softmax_margin:
      return [=] { return std::make_unique<SoftmaxMargin<Real>>(*cost, label_of); };
    case Objective::perceptron:
      return [] { return std::make_unique<ChainHinge<Real>>(); };
    default:  // max-margin, passive-aggressive, AROW
      break;
  }
  return [=] { return std::make_unique<ChainHinge<Real>>(*cost, label_of); };
}

template <class Real>
std::unique_ptr<ChainFunction> function_in(const ChainProblem& problem, const ChainData& data,
                                           const ChainLayout& layout) {
  return std::make_unique<ChainBatchFunction<Real>>(data, layout, problem.pool,
                                                    objective_maker<Real>(problem, layout));
}

// The functions of a chain's training, made as a method asks for them.
class ChainFunctions {
 public:
  explicit ChainFunctions(const ChainProblem& problem)
      : p_(problem), has_prior_(problem.prior != nullptr && !problem.prior->trivial()) {}

  ChainFunction& whole() {
    if (!whole_) whole_ = make_chain_function(p_, p_.data, p_.layout);
    return *whole_;
  }
  CurvedFunction& curved() {
    if (!has_prior_) return of_all_data();
    return of_variables_.emplace(of_all_data(), *p_.prior);
  }
  SampleSpace samples(std::size_t workers);
  bool preconditioned() const;
  PreconditionerMaker preconditioner();
  PreconditionerAt newton_preconditioner();
  std::unique_ptr<ExpectationFunction> expectations(bool groups) const;
  SoftmaxColumns columns() { return columns_.emplace(p_.data, p_.layout).view(); }
  template <class Real>
  std::unique_ptr<SpanFunction<Real>> span() const {
    return std::make_unique<MaxentSpan<Real>>(p_.data, p_.layout, p_.regulariser.free, p_.pool);
  }
  template <class Real>
  OptimizeResult ascent(const ChainAscentOptions& options, std::span<double> w,
                        const IterationCallback& callback, Checkpointer* checkpoints);
  DualProblem& dual();
  // Of what curved() has made.
  std::string warning() const {
    return with_unlabelled_ ? with_unlabelled_->warning() : std::string();
  }
  // Of what dual() has made.
  std::optional<KernelExpansion> kernel() const;

 private:
  CurvedFunction& of_all_data();

  const ChainProblem& p_;
  const bool has_prior_;
  std::unique_ptr<ChainFunction> whole_;
  std::optional<ChainBatchFunction<double>> log_partition_;
  std::optional<UnlabelledFunction> with_unlabelled_;
  std::optional<PriorFunction> of_variables_;
  std::optional<ColumnsOfPositions> columns_;
  std::unique_ptr<DualProblem> dual_;
};

CurvedFunction& ChainFunctions::of_all_data() {
  if (p_.unlabelled == nullptr) return whole();
  check_values(*p_.terms, *p_.unlabelled);
  const ObjectiveMaker<double> of_chains = [] {
    return std::make_unique<ChainLogPartition<double>>();
  };
  log_partition_.emplace(*p_.unlabelled, p_.layout, p_.pool,
                         p_.log_partition ? p_.log_partition : of_chains);
  return with_unlabelled_.emplace(whole(), *log_partition_, *p_.terms);
}

SampleSpace ChainFunctions::samples(std::size_t workers) {
  auto samples = std::make_unique<ChainSampleFunction>(p_.data, p_.layout, whole(), workers,
                                                       objective_maker<double>(p_, p_.layout));
  if (has_prior_) samples->set_prior(*p_.prior);
  if (p_.cost != nullptr) samples->set_cost(*p_.cost);
  return samples;
}

// Not where it does not apply, or would take too much memory on the way.
bool ChainFunctions::preconditioned() const {
  constexpr std::size_t kMostStates = std::size_t{1} << 27;  // 512 MB
  const Form form = info(p_.objective).form;
  return (form == Form::log_loss || form == Form::curved) && !p_.layout.histories && !has_prior_ &&
         p_.own_objective == nullptr &&
         sum_of_all(p_.pool.ranks(), p_.data.positions()) * p_.layout.labels <= kMostStates;
}

PreconditionerMaker ChainFunctions::preconditioner() {
  if (!preconditioned()) return {};
  return [this](std::span<const double> w) {
    return std::make_unique<RowPreconditioner>(p_.data, p_.layout, whole(), p_.regulariser.l2, w,
                                               p_.pool.ranks());
  };
}

// The same matrix, B = C^-T C^-1, at each iterate: B^-1 = C C'.
PreconditionerAt ChainFunctions::newton_preconditioner() {
  if (!preconditioned() || !(p_.regulariser.l2 > 0)) return {};
  return [make = preconditioner()](std::span<const double> w) -> Preconditioner {
    return [rows = std::shared_ptr<RowPreconditioner>(make(w))](std::span<double> r) {
      rows->transpose(r);
      rows->to_weights(r, r);
    };
  };
}

std::unique_ptr<ExpectationFunction> ChainFunctions::expectations(bool groups) const {
  if (p_.own_objective != nullptr) return p_.own_objective->expectations();
  return std::make_unique<ChainExpectations>(p_.data, p_.layout, p_.pool,
                                             groups ? ChainExpectations::kGroups : 1);
}

template <class Real>
OptimizeResult ChainFunctions::ascent(const ChainAscentOptions& options, std::span<double> w,
                                      const IterationCallback& callback,
                                      Checkpointer* checkpoints) {
  AscentObjective<Real> own;
  if (p_.own_objective != nullptr) {
    own = {objective_maker<Real>(p_, p_.layout), p_.own_objective->positions};
  }
  return chain_ascent<Real>(p_.data, p_.layout, whole(), options, w, p_.pool, callback, checkpoints,
                            own);
}

DualProblem& ChainFunctions::dual() {
  const ChainDualOptions options{
      .l2 = p_.regulariser.l2,
      .parts = p_.method == Method::sdca || p_.method == Method::smo ? ChainParts::by_position
                                                                     : ChainParts::tied,
      .loss = p_.objective == Objective::likelihood ? DualLoss::log_loss : DualLoss::hinge,
      .cost = p_.cost};
  if (p_.settings.kernel) {
    dual_ = std::make_unique<KernelDualProblem>(
        p_.data, p_.layout, KernelDualOptions{.kernel = *p_.settings.kernel, .dual = options});
  } else {
    dual_ = std::make_unique<ChainDualProblem>(p_.data, p_.layout, options);
  }
  return *dual_;
}

std::optional<KernelExpansion> ChainFunctions::kernel() const {
  const auto* dual = dynamic_cast<const KernelDualProblem*>(dual_.get());
  return dual == nullptr ? std::nullopt : std::optional(dual->expansion());
}

}  // namespace

std::unique_ptr<ChainFunction> make_chain_function(const ChainProblem& problem,
                                                   const ChainData& data,
                                                   const ChainLayout& layout) {
  if (problem.twice) return function_in<double>(problem, data, layout);
  return std::make_unique<ChangingPrecision>(function_in<float>(problem, data, layout), [&] {
    return function_in<double>(problem, data, layout);
  });
}

OptimizeResult train_chain(const ChainProblem& p, std::span<double> w,
                           const IterationCallback& callback, Checkpointer* checkpoints,
                           ChainFindings& findings) {
  constexpr double kSingle = 1e-6;  // as small as a gap is known in float
  ChainFunctions functions(p);
  const bool twice_dual = p.twice || p.stop.gap_tolerance < kSingle;
  using Span = decltype(OptimizeProblem::span)::result_type;
  const OptimizeProblem problem{
      .method = p.method,
      .settings = p.settings,
      .regulariser = p.regulariser,
      .stop = p.stop,
      .seed = p.seed,
      .pool = p.pool,
      .prior = p.prior,
      .show_weights = p.show_weights,
      .by_default = p.by_default,
      .batch = [&]() -> BatchFunction& { return functions.curved(); },
      .curved = [&]() -> CurvedFunction& { return functions.curved(); },
      .samples = [&](std::size_t workers) { return functions.samples(workers); },
      .preconditioner = functions.preconditioner(),
      .newton_preconditioner = functions.newton_preconditioner(),
      .expectations = [&](bool groups) { return functions.expectations(groups); },
      .columns = [&] { return functions.columns(); },
      .span = [&] { return p.twice ? Span(functions.span<double>()) : functions.span<float>(); },
      .ascent =
          [&](const auto&... arguments) {
            return twice_dual ? functions.ascent<double>(arguments...)
                              : functions.ascent<float>(arguments...);
          },
      .dual = [&]() -> DualProblem& { return functions.dual(); }};
  OptimizeResult result = optimise(problem, w, callback, checkpoints, &findings.vote);
  result.warning = functions.warning();
  findings.kernel = functions.kernel();
  if (findings.kernel) std::ranges::copy(findings.kernel->w, w.begin());
  return result;
}

}  // namespace croft
