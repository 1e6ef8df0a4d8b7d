// Sends messages by a schedule, in one semiring.  Internal to inference/.
#pragma once
#include <cmath>
#include <deque>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/core/random.h"
#include "croft/inference/belief_propagation.h"
#include "inference/chain/semirings.h"
#include "inference/graph/cuts/bucket_queue.h"
#include "inference/graph/messages/binary_messages.h"
#include "inference/graph/messages/factor_messages.h"
#include "inference/graph/messages/message_layout.h"

namespace croft {

template <class S>
class MessageEngine {
 public:
  MessageEngine(const MessageLayout& layout, const BeliefPropagationOptions& options);

  // LogSum: goes on from those of an engine that is out of range.
  void take_messages(const MessageEngine<ScaledSum>& other);

  // Begins with these [layout.numbers()], the variables' own aside.
  void start_from(const BeliefMessages& before);
  std::span<const double> messages() const { return messages_; }

  // At most `iterations` of them; adds to `end`.
  void run(std::size_t iterations, const GraphCallback& callback, Convergence& end);

  bool contradiction() const { return empty_; }
  // ScaledSum: a product may not fit a double; the messages are still right.
  bool out_of_range() const { return out_of_range_; }
  std::uint64_t updates() const { return updates_; }

  double constant() const { return constant_; }  // logarithm of what is left out of all numbers
  double bethe() const;
  // The product of all that enters v, relative to its largest number; in the semiring.
  std::vector<double> product(Variable v) const;
  // Without what factor edge `edge` sends.
  std::vector<double> product_without(std::size_t edge) const;
  // Adds the logarithms of all that enters v but for what factors send of which leave_out(factor).
  template <class LeaveOut>
  void add_logarithms(Variable v, const LeaveOut& leave_out, std::vector<double>& sum) const {
    const double* at = messages_.data() + layout_.block(v);
    const auto add = [&] {
      for (double& each : sum) {
        each += std::is_same_v<S, ScaledSum> ? std::log(*at) : *at;
        ++at;
      }
    };
    add();
    for (const Factor f : layout_.factors_of(v)) {
      if (leave_out(f)) {
        at += sum.size();
      } else {
        add();
      }
    }
  }
  // What factor f would send for what enters it; as long as `in`.
  void send(Factor f, const double* in, double* out) const;

 private:
  template <class Other>
  friend class MessageEngine;

  void convert_potentials();
  void set_own_scores();
  void set_factor(Factor f);
  double limit_of_numbers() const;
  bool send_linear(Factor f, const double* in, double* out) const;

  // The product of what enters v but for `skip`, normalised; adds its logarithm to *scale.
  bool gather(Variable v, std::size_t skip, double* out, double* scale = nullptr) const;
  bool multiply(const double* at, std::size_t slots, std::size_t skip, std::size_t states,
                double* out) const;
  bool gather_hub(std::size_t hub, Variable v, std::size_t skip, double* out) const;
  bool normalise(double* numbers, std::size_t count, double* scale = nullptr) const;
  double update(Factor f, double* target);
  bool gather_two(std::size_t edge, double& zero, double& one) const;
  double update_two(Factor f, double* target);
  void notify(Factor f, std::size_t edge, double change);
  double finish_message(std::size_t edge, double* message, double* target);
  void set_message(std::size_t edge, const double* message, double* target);
  void refresh_hubs();
  void check_totals();

  double sweep(std::span<const Factor> order);
  double core_sweep();
  double parallel_iteration();
  void fill_queue();
  double residual_iteration();
  double automatic_iteration();
  void keep_rest(Factor f, double change);
  double tree_iteration();
  double iterate();
  bool stopped() const { return empty_ || out_of_range_; }

  const MessageLayout& layout_;
  const FactorGraph& graph_;
  const BeliefPropagationOptions options_;
  Random random_;
  AlignedVector<double> messages_, next_;  // [layout.numbers()]
  std::vector<double> numbers_;            // of all potentials, in the semiring
  std::vector<double> shift_;              // [potentials] logarithm of their largest number
  std::vector<FactorView> factor_;         // [factors]
  // LogSum: the potentials as scaled numbers, and the logarithm of their smallest that is not 0.
  std::vector<double> linear_numbers_, linear_low_;  // [as numbers_], [potentials]
  std::vector<std::uint8_t> is_two_;          // [factors] tables of two variables with two states
  std::deque<std::vector<double>> expanded_;  // tables of truncated distances
  std::deque<SparseTree> trees_;
  double damping_ = 0;    // of what is being sent
  double constant_ = 0;   // logarithm of what is left out of all numbers
  double smallest_ = 0;   // of ScaledSum: what a message may have, but for 0
  std::size_t fits_ = 0;  // messages whose product fits a double
  mutable FactorScratch scratch_;
  mutable std::vector<double> in_, out_, linear_in_;  // [states of the largest scope]

  // Variables with many factors keep the product of all that enters, and count its zeros.
  std::vector<std::uint32_t> hub_of_;  // [variables]
  std::vector<Variable> hubs_;
  std::vector<std::size_t> hub_at_;
  std::vector<double> total_;
  std::vector<std::uint32_t> zeros_;

  std::optional<BucketQueue> queue_;
  std::vector<double> priority_;  // [factors] largest change since it has sent; -1: in a tree
  std::vector<Factor> order_;
  bool queued_ = false, started_ = false;
  std::optional<BinaryMessages> binary_;  // where the core allows it, and the schedule
  std::vector<double> course_;            // changes of the sweeps of the automatic schedule
  mutable bool empty_ = false, out_of_range_ = false;
  std::uint64_t updates_ = 0;
};

}  // namespace croft
