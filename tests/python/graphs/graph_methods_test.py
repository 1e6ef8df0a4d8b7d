"""Every method of every task on small random graphs, against sums over all assignments.

The graphs have zeros, scores of 1e15, variables in no factor, variables of one state, factors of no
variable, and every kind of factor.  `python graph_methods_test.py FIRST LAST` tries other seeds.
"""
import math
import re
import sys
import warnings

import numpy as np
import pytest

import croft

# What a method says of graphs that it is not made for.
NOT_FOR = re.compile("no graph cut|no roof duality|factors of at most two|the graph is no Bayesian network|"
                     "moves by cuts|Swendsen-Wang")
IMPOSSIBLE = re.compile("no assignment is allowed|has found no allowed assignment|allows no assignment|"
                        "no allowed assignment to start from")
SMALL = {"annealed-importance-sampling": {"max_iterations": 20, "steps": 50},
         "likelihood-weighting": {"max_iterations": 2000}, "annealing": {"max_iterations": 30},
         "gibbs": {"max_iterations": 300, "burn_in": 50, "chains": 2},
         "swendsen-wang": {"max_iterations": 300, "burn_in": 50, "chains": 2},
         "parallel-tempering": {"max_iterations": 200, "burn_in": 50, "chains": 2},
         "metropolis-hastings": {"max_iterations": 300, "burn_in": 50, "chains": 2},
         "block-search": {"annealing_sweeps": 10, "restarts": 1, "max_iterations": 20},
         "branch-and-bound": {"annealing_sweeps": 10, "root_iterations": 50},
         "mean-field": {"max_iterations": 200}, "structured-mean-field": {"max_iterations": 200},
         "double-loop": {"max_iterations": 300}, "fractional": {"max_iterations": 300},
         "belief-propagation": {"max_iterations": 300}, "max-product": {"max_iterations": 100},
         "tree-reweighted": {"max_iterations": 100}, "generalised-belief-propagation": {"max_iterations": 300},
         "trw-s": {"max_iterations": 100}, "mplp": {"max_iterations": 100},
         "dual-decomposition": {"max_iterations": 100}}


class Case:
    """A graph, and what is true of it."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        self.kind = ["plain", "zeros", "extremes", "ties"][seed % 4]
        self.states = [int(rng.choice([1, 2, 2, 2, 3, 3, 4])) for _ in range(rng.integers(1, 7))]
        if seed % 3 == 0:
            self.states = [min(each, 2) for each in self.states]
        self.pairs = seed % 5 < 2  # no larger factors
        self.graph = croft.FactorGraph()
        for states in self.states:
            self.graph.add_variable(states)
        shape = self.states or [1]
        self.score = np.zeros(shape)
        self.factors = []  # in words
        self.local_most = 0.0  # sum of the largest scores
        if seed % 7 == 6:
            self.add_tables_of_a_network()
        else:
            for _ in range(rng.integers(0, 9)):
                self.add_factor()
        self.known = {}
        if seed % 5 == 4:
            v = int(rng.integers(len(self.states)))
            self.known[v] = int(rng.integers(self.states[v]))
            others = np.arange(self.states[v]) != self.known[v]
            self.score[(slice(None),) * v + (others,)] = -math.inf
        self.make_truth()

    def number(self):
        rng = self.rng
        if self.kind == "zeros" and rng.random() < 0.4:
            return -math.inf
        if self.kind == "extremes" and rng.random() < 0.5:
            return float(rng.choice([-1e15, 1e15, 2e15]))
        if self.kind == "extremes":
            return float(rng.integers(-3, 4))
        return float(rng.choice([0.0, 1.0])) if self.kind == "ties" else float(rng.normal(scale=1.5))

    def add_tables_of_a_network(self):
        self.kind = "zeros"
        for v, own in enumerate(self.states):
            parents = [int(u) for u in self.rng.permutation(v)[:self.rng.integers(0, 3)]]
            shape = [self.states[u] for u in parents] + [own]
            p = self.rng.random(shape) * (self.rng.random(shape) < 0.7)
            p[p.sum(axis=-1) == 0] = 1
            with np.errstate(divide="ignore"):
                self.add_table([*parents, v], np.log(p / p.sum(axis=-1, keepdims=True)))

    def add_table(self, scope, table):
        self.graph.add_factor(scope, table)
        self.remember("table", scope)

    def remember(self, way, scope):
        """The last factor."""
        table = self.graph.table(self.graph.factors - 1)
        self.factors.append((str(way), scope, table.tolist()))
        self.local_most += table.max()
        order = np.argsort(scope) if scope else []
        wide = [self.states[v] if v in scope else 1 for v in range(len(self.states))]
        self.score = self.score + table.transpose(order).reshape(wide)

    def add_factor(self):
        rng = self.rng
        size = int(rng.choice([0, 1, 1, 2, 2, 2, 2, 3, 3]))
        scope = [int(v) for v in rng.permutation(len(self.states))[:min(size, 2) if self.pairs else size]]
        shape = [self.states[v] for v in scope]
        way = rng.choice(["table", "table", "sparse", "potts", "linear", "quadratic", "parity", "cardinality"])
        graph = self.graph
        if way == "sparse":
            listed = {at: self.number() for at in np.ndindex(*shape) if rng.random() < 0.5}
            graph.add_sparse(scope, listed, self.number())
        elif way in ("potts", "linear", "quadratic") and len(scope) == 2:
            if way == "potts":
                graph.add_potts(scope, self.number(), self.number())
            else:
                add = graph.add_truncated_linear if way == "linear" else graph.add_truncated_quadratic
                add(scope, abs(float(rng.normal())), abs(float(rng.normal())) + 0.1)
        elif way in ("parity", "cardinality") and scope and all(each > 1 for each in shape):
            if way == "parity":
                graph.add_parity(scope, bool(rng.integers(2)), state=1)
            else:
                graph.add_cardinality(scope, [self.number() for _ in range(len(scope) + 1)], state=1)
        else:
            graph.add_factor(scope, np.array([self.number() for _ in np.ndindex(*shape)]).reshape(shape))
        self.remember(way, scope)

    def make_truth(self):
        """Of what is allowed; the largest score is taken out first."""
        self.best = self.score.max()
        self.possible = self.best > -math.inf
        self.eps = 1e-8 if self.kind != "extremes" else 32.0  # the last digit of 1e15 is 0.125
        if not self.possible:
            return
        self.weights = np.exp(self.score - self.best)
        self.log_z = self.best + math.log(self.weights.sum())
        p = self.weights / self.weights.sum()
        self.marginals = [p.sum(axis=tuple(u for u in range(p.ndim) if u != v)) for v in range(p.ndim)]
        inside = p > 0
        self.entropy = -(p[inside] * np.log(p[inside])).sum()

    def sums(self, over):
        """log of the sum over all others, by the states of `over`."""
        rest = tuple(v for v in range(len(self.states)) if v not in over)
        most = self.score.max(axis=rest, keepdims=True)
        shift = np.where(most > -math.inf, most, 0)
        with np.errstate(divide="ignore"):
            return (shift + np.log(np.exp(self.score - shift).sum(axis=rest, keepdims=True))).squeeze(rest)

    def near(self, a, b):
        return a == b or abs(a - b) <= self.eps * max(1, 1e-15 * abs(b) if self.kind == "extremes" else abs(b))


def ask(case, task, method, **options):
    """None where the method is not for such graphs; the message where nothing is allowed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return case.graph.infer(task, method, evidence=case.known, **{**SMALL.get(method, {}), **options})
    except croft.Error as error:
        text = str(error)
        if IMPOSSIBLE.search(text):
            return text
        if NOT_FOR.search(text):
            return None
        raise


def check_sum(case, r):
    truth = case.log_z if case.possible else -math.inf
    if r.kind == "exact":
        assert case.near(r.log_partition, truth), (r.log_partition, truth)
    elif r.kind == "lower bound":
        assert r.log_partition <= truth + case.eps * max(1, abs(truth)), (r.log_partition, truth)
    elif r.kind == "upper bound":
        assert r.log_partition >= truth - case.eps * max(1, abs(truth)), (r.log_partition, truth)
    else:
        assert not math.isnan(r.log_partition) and r.log_partition < math.inf
        if not case.possible:
            assert r.log_partition == -math.inf or r.notes, r
        elif r.converged and r.log_partition_error is None and not r.notes and case.kind != "extremes":  # no draws
            most = case.local_most + sum(map(math.log, case.states))
            slack = 1e-6 * max(1, abs(most))
            assert case.best - slack <= r.log_partition <= most + slack, (case.best, r.log_partition, most)


def check_marginals(case, r):
    assert case.possible, "nothing is allowed, and there are marginals"
    for v, truth in enumerate(case.marginals):
        p = r.marginals[v]
        assert np.isfinite(p).all() and (p >= 0).all() and abs(p.sum() - 1) < 1e-6, (v, p)
        if r.kind == "exact":
            assert np.allclose(p, truth, atol=1e-7 if case.kind != "extremes" else 0.3), (v, p, truth)
    if r.kind == "exact" and r.log_partition is not None:
        assert case.near(r.log_partition, case.log_z)


def check_best(case, r, scores, own):
    """scores: by the states of what is asked for."""
    assert case.possible
    best = scores.max()
    here = scores[own]
    assert here > -math.inf, (own, "is not allowed")
    if not (r.task == "marginal-map" and r.kind == "estimate"):
        assert case.near(r.log_score, here), (r.log_score, here)
    if r.kind == "exact":
        assert case.near(here, best), (here, best)
    if r.bound is not None:
        assert r.bound >= best - case.eps * max(1, abs(best) if case.kind != "extremes" else 1), (r.bound, best)


def check_all(case, task, method, over):
    options = {"over": over} if task == "marginal-map" else {"samples": 20} if task == "sample" else {}
    r = ask(case, task, method, **options)
    if r is None:
        return 0
    if isinstance(r, str):
        assert not case.possible or "has found no" in r or "to start from" in r, r
        return 1
    if task == "partition":
        check_sum(case, r)
    elif task == "marginals":
        check_marginals(case, r)
    elif task == "map":
        check_best(case, r, case.score, tuple(r.assignment[v] for v in range(len(case.states))))
    elif task == "marginal-map":
        assert case.possible
        ordered = sorted(over)
        check_best(case, r, case.sums(ordered), tuple(r.assignment[v] for v in ordered))
    else:
        assert case.possible
        for x in r.samples:
            assert case.score[tuple(x[v] for v in range(len(case.states)))] > -math.inf, x
    return 1


def check_case(seed):
    case = Case(seed)
    over = [int(v) for v in case.rng.permutation(len(case.states))[:case.rng.integers(1, len(case.states) + 1)]]
    answered, failures = 0, []
    for task in ("partition", "marginals", "map", "marginal-map", "sample"):
        for method in ["auto"] + [each["name"] for each in croft.FactorGraph.methods(task)]:
            try:
                answered += check_all(case, task, method, over)
            except Exception as error:
                failures.append((seed, task, method, over, f"{type(error).__name__}: {error}"))
    if case.possible:
        entropy = case.graph.entropy(evidence=case.known)["entropy"]
        if case.kind != "extremes" and not abs(entropy - case.entropy) <= 1e-7:  # log Z has no digits left there
            failures.append((seed, "entropy", entropy, case.entropy))
        joint = case.graph.joint_marginal(over, evidence=case.known)
        weights = case.weights.sum(axis=tuple(v for v in range(len(case.states)) if v not in over))
        truth = (weights / weights.sum()).transpose(np.argsort(np.argsort(over)))
        if not np.allclose(joint, truth, atol=1e-7 if case.kind != "extremes" else 0.3):
            failures.append((seed, "joint_marginal", over, joint, truth))
    return case, answered, failures


@pytest.mark.parametrize("first", range(0, 300, 30))
def test_every_method_agrees_with_all_assignments(first):
    for seed in range(first, first + 30):
        case, answered, failures = check_case(seed)
        assert not failures, (case.states, case.factors)
        assert answered > 20


def test_a_variable_that_comes_twice_is_an_error():
    graph = croft.FactorGraph()
    for _ in range(2):
        graph.add_variable(2)
    for ask_twice in (lambda: graph.add_factor([0, 0], np.zeros((2, 2))), lambda: graph.add_potts([1, 1], 1.0),
                      lambda: graph.infer("marginal-map", over=[0, 1, 0]), lambda: graph.joint_marginal([1, 1]),
                      lambda: croft.FactorGraph.from_uai("MARKOV 2 2 2 1 2 0 0 4 1 2 3 4")):
        with pytest.raises(croft.Error, match="twice"):
            ask_twice()


if __name__ == "__main__":
    for each in range(int(sys.argv[1]), int(sys.argv[2])):
        one, count, wrong = check_case(each)
        for line in wrong:
            print(line, one.states, one.factors if "-v" in sys.argv else "")
    print("done")
