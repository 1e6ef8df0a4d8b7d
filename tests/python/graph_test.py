"""croft.FactorGraph against sums over all assignments; its files and its errors."""
import itertools
import math
import os
import signal
import threading

import numpy as np
import pytest

import croft


def test_an_estimate_of_log_z_has_bounds():
    graph = random_graph(3)
    found = graph.infer("partition", method="mini-bucket-sampling", seed=1)
    truth = graph.infer("partition", method="brute-force")
    assert found.log_partition_least <= truth.log_partition + 1e-9
    assert found.log_partition_most >= truth.log_partition - 1e-9
    assert truth.log_partition_least is None and truth.log_partition_most is None


def random_graph(seed, zeros=0.0):
    rng = np.random.default_rng(seed)
    graph = croft.FactorGraph()
    for v in range(rng.integers(3, 6)):
        graph.add_variable(int(rng.integers(2, 4)), f"v{v}" if seed % 2 else None)
    names = graph.variables
    for _ in range(6):
        scope = [names[k] for k in rng.permutation(len(names))[:rng.integers(1, 4)]]
        scores = rng.normal(size=[len(graph.states(v)) for v in scope])
        scores[rng.random(scores.shape) < zeros] = -np.inf
        graph.add_factor(scope, scores)
    return graph


def enumerate_all(graph, evidence={}):
    """log Z, marginals, the best score, each from the definition."""
    names = graph.variables
    z, best = 0.0, -math.inf
    marginals = {v: np.zeros(len(graph.states(v))) for v in names}
    for x in itertools.product(*(graph.states(v) for v in names)):
        x = dict(zip(names, x))
        if any(x[v] != s for v, s in evidence.items()):
            continue
        score = 0.0
        for f in range(graph.factors):
            at = tuple(graph.states(v).index(x[v]) for v in graph.scope(f))
            score += graph.table(f)[at]
        assert score == pytest.approx(graph.score(x))
        z += math.exp(score)
        best = max(best, score)
        for v in names:
            marginals[v][graph.states(v).index(x[v])] += math.exp(score)
    return math.log(z), {v: p / z for v, p in marginals.items()}, best


@pytest.mark.parametrize("seed", range(30))
def test_answers_are_those_of_all_assignments(seed):
    graph = random_graph(seed)
    evidence = {graph.variables[0]: 1} if seed % 3 == 0 else {}
    log_z, marginals, best = enumerate_all(graph, evidence)
    for method in ("auto", "brute-force", "junction-tree"):
        found = graph.infer("partition", method, evidence=evidence)
        assert found.kind == "exact" and found.converged
        assert found.value == found.log_partition == pytest.approx(log_z, abs=1e-10)
        found = graph.infer(method=method, evidence=evidence)
        assert list(found.marginals) == graph.variables
        for v, p in marginals.items():
            assert found.marginals[v] == pytest.approx(p, abs=1e-10)
        found = graph.infer("map", method, evidence=evidence)
        assert found.value == pytest.approx(best) == pytest.approx(graph.score(found.assignment))
        assert all(found.assignment[v] == s for v, s in evidence.items())


def test_the_k_best_assignments_have_names_and_probabilities():
    graph = croft.FactorGraph()
    rain = graph.add_variable(["no", "yes"], "rain")
    wet = graph.add_variable(["no", "yes"], "wet")
    graph.add_factor([rain], weights=[0.8, 0.2])
    graph.add_factor([rain, wet], weights=[[0.9, 0.1], [0.25, 0.75]])
    found = graph.infer("map", k_best=3)
    assert [each.assignment for each in found.k_best] == [
        {"rain": "no", "wet": "no"}, {"rain": "yes", "wet": "yes"}, {"rain": "no", "wet": "yes"}]
    assert [each.probability for each in found.k_best] == pytest.approx([0.72, 0.15, 0.08])
    assert found.k_best[0].log_score == found.log_score
    searched = graph.infer("map", "branch-and-bound", k_best=3)
    assert [each.assignment for each in searched.k_best] == [each.assignment for each in found.k_best]
    assert searched.k_best[0].probability is None
    with pytest.raises(ValueError, match="k_best"):
        graph.infer("map", k_best=0)
    with pytest.raises(ValueError, match="is for the task map"):
        graph.infer("marginals", k_best=2)


@pytest.mark.parametrize("seed", range(12))
def test_the_best_states_of_some_variables_have_the_largest_marginal(seed):
    graph = random_graph(seed)
    over = graph.variables[::2][::-1]
    joint = graph.joint_marginal(over)
    found = graph.infer("marginal-map", over=over)
    assert found.kind == "exact" and list(found.assignment) == over
    at = tuple(graph.states(v).index(s) for v, s in found.assignment.items())
    assert joint[at] == pytest.approx(joint.max()) == pytest.approx(found.probability)
    assert found.value == pytest.approx(found.log_partition + math.log(joint.max()))
    assert graph.infer("marginal-map", "and-or-search", over=over).value == pytest.approx(found.value)
    for wrong in ({"task": "map", "over": over}, {"task": "marginal-map"}, {"task": "marginal-map", "over": over * 2}):
        with pytest.raises(ValueError):
            graph.infer(**wrong)


def test_states_have_names():
    graph = croft.FactorGraph()
    assert graph.add_variable(["no", "yes"], "rain") == "rain"
    assert graph.add_variable(2) == 1
    graph.add_factor(["rain", 1], weights=[[8, 1], [0, 1]])
    assert graph.variables == ["rain", 1] and graph.states("rain") == ["no", "yes"] and graph.states(1) == [0, 1]
    assert graph.infer("map").assignment == {"rain": "no", 1: 0}
    assert graph.infer("map", evidence={"rain": "yes"}).assignment == {"rain": "yes", 1: 1}
    assert graph.infer("partition", evidence={0: 1}).value == pytest.approx(0)
    assert graph.score({"rain": "yes", 1: 0}) == -math.inf
    samples = graph.infer("sample", samples=50).samples
    assert len(samples) == 50 and {"rain": "no", 1: 0} in samples


def test_structured_factors_are_their_tables():
    graph = croft.FactorGraph()
    a, b = graph.add_variable(3, "a"), graph.add_variable(4, "b")
    bits = [graph.add_variable(2) for _ in range(3)]
    i, j = np.indices((3, 4))
    assert (graph.table(graph.add_potts([a, b], 2, -1)) == np.where(i == j, 2, -1)).all()
    assert (graph.table(graph.add_truncated_linear([a, b], 2, 3)) == -np.minimum(2 * abs(i - j), 3)).all()
    assert (graph.table(graph.add_truncated_quadratic([a, b], 1, 5)) == -np.minimum((i - j)**2, 5)).all()
    count = np.indices((2, 2, 2)).sum(axis=0)
    assert (graph.table(graph.add_parity(bits, odd=True)) == np.where(count % 2 == 1, 0, -np.inf)).all()
    assert (graph.table(graph.add_cardinality(bits, [1, 2, 4, 8])) == 2**count).all()
    assert (graph.table(graph.add_at_most(bits, 1)) == np.where(count <= 1, 0, -np.inf)).all()
    sparse = graph.table(graph.add_sparse([b, a], {(3, 2): 1.5, (0, 1): 0.5}, others=-2))
    assert sparse[3, 2] == 1.5 and sparse[0, 1] == 0.5 and (sparse == -2).sum() == 10
    log_z, marginals, best = enumerate_all(graph)
    assert graph.infer("partition").value == pytest.approx(log_z)
    assert graph.infer("map").value == pytest.approx(best)


def test_factors_that_count_are_their_tables():
    graph = croft.FactorGraph()
    a, b = graph.add_variable(["x", "y", "z"], "a"), graph.add_variable(["x", "y", "z"], "b")
    bits = [graph.add_variable(2) for _ in range(3)]
    count = np.indices((2, 2, 2)).sum(axis=0)
    i, j = np.indices((3, 3))
    never = -np.inf
    assert (graph.table(graph.add_at_least(bits, 2, penalty=1.5)) == np.where(count >= 2, 0, -1.5)).all()
    assert (graph.table(graph.add_exactly(bits)) == np.where(count == 1, 0, never)).all()
    assert (graph.table(graph.add_all(bits, penalty=2)) == np.where(count == 3, 0, -2)).all()
    assert (graph.table(graph.add_any(bits, state=0)) == np.where(count < 3, 0, never)).all()
    implied = np.where((i == 2) & (j != 2), -3.0, 0)
    assert (graph.table(graph.add_implies([a], b, state="z", penalty=3)) == implied).all()
    either = graph.table(graph.add_exactly([a, b], state={a: ["x", "y"], b: "z"}))
    assert (either == np.where((i < 2) != (j == 2), 0, never)).all()
    assert (graph.table(graph.add_cardinality([a, b], [0, 1, 3], state=["x", "z"]))
            == np.array([0, 1, 3])[(i != 1) * 1 + (j != 1)]).all()
    assert (graph.table(graph.add_parity([a, b], state="x")) == np.where((i == 0) == (j == 0), 0, never)).all()


def test_three_hundred_variables_are_counted_exactly():
    graph = croft.FactorGraph()
    people = [graph.add_variable(["no", "yes", "perhaps"], f"p{k}") for k in range(300)]
    graph.add_exactly(people, 2, state="yes")
    found = graph.infer("marginals")
    assert found.kind == "exact" and set(found.marginals) == set(people)
    assert found.value == pytest.approx(math.log(300 * 299 / 2) + 298 * math.log(2))
    assert found.marginals["p7"] == pytest.approx([149 / 300, 2 / 300, 149 / 300])
    drawn = graph.infer("sample", samples=5).samples
    assert all(list(x.values()).count("yes") == 2 and len(x) == 300 for x in drawn)
    assert graph.infer("marginals", "belief-propagation").value == pytest.approx(found.value)


def test_arrays_of_any_layout_are_read_as_numpy_shows_them():
    graph = croft.FactorGraph()
    a, b = graph.add_variable(2), graph.add_variable(3)
    table = np.arange(6.0).reshape(3, 2)
    graph.add_factor([a, b], table.T)
    graph.add_factor([b, a], table.astype(np.float32)[:, :])
    graph.add_factor([a, b], [[0, 1, 2], [3, 4, 5]])
    assert (graph.table(0) == table.T).all() and (graph.table(1) == table).all()
    assert (graph.table(2) == np.arange(6).reshape(2, 3)).all()


def test_gibbs_says_how_sure_it_is_and_repeats_itself():
    graph = random_graph(7)
    log_z, marginals, _ = enumerate_all(graph)
    found = graph.infer("marginals", "gibbs", max_iterations=8000, seed=3, chains=2, blocks="trees")
    assert found.kind == "estimate" and found.effective_samples > 100
    for v, p in marginals.items():
        assert (abs(found.marginals[v] - p) <= 7 * found.standard_errors[v]).all()
    again = graph.infer("marginals", "gibbs", max_iterations=8000, seed=3, chains=2, blocks="trees", threads=2)
    assert all((found.marginals[v] == again.marginals[v]).all() for v in marginals)


def test_zeros_that_single_moves_may_not_cross_are_noted():
    graph = croft.FactorGraph()
    a, b = graph.add_variable(2), graph.add_variable(2)
    graph.add_factor([a, b], weights=[[1, 0], [0, 1]])
    assert any("reduc" in note or "zero" in note for note in graph.infer("marginals", "gibbs").notes)


def test_files_come_back_as_they_were(tmp_path):
    for seed in range(10):
        graph = random_graph(seed)
        again = croft.FactorGraph.from_uai(graph.to_uai())
        assert again.infer("partition").value == pytest.approx(graph.infer("partition").value)
        graph.write(tmp_path / "a.LG", "lg")
        again = croft.FactorGraph.read(tmp_path / "a.LG")
        for f in range(graph.factors):
            assert (again.table(f) == graph.table(f)).all()
            assert again.scope(f) == [graph.variables.index(v) for v in graph.scope(f)]


ALARM = """network x {}
variable rain { type discrete [ 2 ] { no, yes }; }
variable hose { type discrete [ 2 ] { no, yes }; }
variable wet { type discrete [ 2 ] { no, yes }; }
probability ( rain ) { table 0.8, 0.2; }
probability ( hose ) { table 0.5, 0.5; }
probability ( wet | rain, hose ) { (no, no) 1, 0; (no, yes) 0.1, 0.9; (yes, no) 0.2, 0.8; (yes, yes) 0, 1; }
"""


def test_a_bayesian_network_has_names_parents_and_d_separation(tmp_path):
    (tmp_path / "a.bif").write_text(ALARM)
    graph = croft.FactorGraph.read(tmp_path / "a.bif")
    assert graph.directed and graph.variables == ["rain", "hose", "wet"] and graph.states("wet") == ["no", "yes"]
    assert graph.infer("partition").value == pytest.approx(0, abs=1e-12)
    given = graph.infer("partition", evidence={"wet": "yes"}).value
    assert math.exp(given) == pytest.approx(0.8 * 0.5 * 0.9 + 0.2 * 0.5 * (0.8 + 1))
    assert graph.separated(["rain"], ["hose"]) and not graph.separated(["rain"], ["hose"], ["wet"])
    assert graph.blanket("rain") == ["hose", "wet"]
    graph.write(tmp_path / "b.bif", "bif")
    assert croft.FactorGraph.read(tmp_path / "b.bif").variables == graph.variables
    graph.add_factor(["rain"], [0, 1])
    assert not graph.directed and not graph.separated(["rain"], ["hose"])


def test_networkx_takes_and_gives_graphs():
    networkx = pytest.importorskip("networkx")
    for seed in range(10):
        graph = random_graph(seed)
        drawn = graph.to_networkx()
        assert sum(data["kind"] == "factor" for _, data in drawn.nodes(data=True)) == graph.factors
        again = croft.FactorGraph.from_networkx(drawn)
        assert again.variables == graph.variables
        for f in range(graph.factors):
            assert again.scope(f) == graph.scope(f) and (again.table(f) == graph.table(f)).all()
    grid = networkx.grid_2d_graph(3, 3)
    for edge in grid.edges:
        grid.edges[edge]["J"] = [[0.3, -0.3], [-0.3, 0.3]]
    grid.nodes[(0, 0)]["h"] = [0, 1]
    ising = croft.FactorGraph.from_networkx(grid, 2, node="h", edge="J")
    assert ising.factors == 13 and "(2, 1)" in ising.variables
    log_z, marginals, _ = enumerate_all(ising)
    assert ising.infer("partition").value == pytest.approx(log_z)
    with pytest.raises(ValueError, match="states"):
        croft.FactorGraph.from_networkx(grid)


def test_a_proposal_of_ones_own_draws_from_the_same_distribution():
    graph = croft.FactorGraph()
    for name in "abc":
        graph.add_variable(["x", "y", "z"], name)
    # An odd number of steps apart is forbidden: no change of one variable alone leads from one to the other.
    graph.add_factor(["a", "b"], weights=[[2, 0, 1], [0, 3, 0], [1, 0, 2]])
    graph.add_factor(["b", "c"], weights=[[1, 2, 3], [3, 2, 1], [2, 2, 2]])
    exact = graph.infer("marginals").marginals

    def both(x, random):
        """a and b together, or c; a and b go to "y" twice as often as they would by chance."""
        if random.random() < 0.5:
            return {"c": random.choice("xyz")}
        weight = {"x": 1, "y": 2, "z": 1}
        a, b = random.choices("xyz", [1, 2, 1], k=2)
        back = weight[x["a"]] * weight[x["b"]]
        return {"a": a, "b": b}, math.log(back / (weight[a] * weight[b]))

    ask = dict(max_iterations=3000, chains=2, seed=3, proposal=both)
    found = graph.infer("marginals", "metropolis-hastings", **ask)
    for name in "abc":
        assert (abs(found.marginals[name] - exact[name]) < 6 * found.standard_errors[name] + 1e-9).all()
        assert (found.standard_errors[name] < 0.05).all()
    again = graph.infer("marginals", "metropolis-hastings", **ask)
    assert all((found.marginals[name] == again.marginals[name]).all() for name in "abc")
    # What is observed is seen as it is, and stays.
    seen = set()

    def alone(x, random):
        seen.add(x["b"])
        return {"a": random.choice("xyz"), "b": x["b"], "c": random.choice("xyz")}

    given = {"b": "z"}
    found = graph.infer("marginals", "metropolis-hastings", evidence=given, max_iterations=3000, proposal=alone)
    assert seen == {"z"}
    exact = graph.infer("marginals", evidence=given).marginals
    for name in "abc":
        assert (abs(found.marginals[name] - exact[name]) < 6 * found.standard_errors[name] + 1e-9).all()


def test_what_a_proposal_does_wrong_ends_the_call():
    graph = croft.FactorGraph()
    a = graph.add_variable(2)
    graph.add_factor([a], [0, 1])
    ask = lambda proposal, **options: graph.infer("marginals", "metropolis-hastings", proposal=proposal, **options)
    with pytest.raises(ZeroDivisionError):
        ask(lambda x, random: 1 / 0)
    with pytest.raises(ValueError, match="no state 7"):
        ask(lambda x, random: {a: 7})
    with pytest.raises(ValueError, match="no variable"):
        ask(lambda x, random: {"b": 0})
    with pytest.raises(TypeError, match="must return"):
        ask(lambda x, random: 0)
    with pytest.raises(ValueError, match="no number"):
        ask(lambda x, random: ({a: 0}, math.nan))
    with pytest.raises(ValueError, match="observed"):
        ask(lambda x, random: {a: 1 - x[a]}, evidence={a: 1})
    with pytest.raises(ValueError, match="metropolis-hastings"):
        graph.infer("marginals", "gibbs", proposal=lambda x, random: {})
    with pytest.raises(ValueError, match="metropolis-hastings"):
        graph.infer("marginals", proposal=lambda x, random: {})


@pytest.mark.parametrize("make, message", [
    (lambda g: g.add_variable(0), "at least 1"),
    (lambda g: g.add_variable(2, "a"), "already"),
    (lambda g: g.add_variable(["x", "x"]), "same name"),
    (lambda g: g.add_variable("xy"), "list of names"),
    (lambda g: g.add_factor(["a"], [1.0, 2.0, 3.0]), r"shape \[3\]"),
    (lambda g: g.add_factor(["a", "b"], np.zeros((3, 2))), r"states \[2, 3\]"),
    (lambda g: g.add_factor(["a"], [float("nan"), 0]), "nan"),
    (lambda g: g.add_factor(["a"], weights=[-1, 0]), ">= 0"),
    (lambda g: g.add_factor(["a"]), "either"),
    (lambda g: g.add_factor(["z"], [0, 0]), "no variable 'z'"),
    (lambda g: g.add_factor([5], [0, 0]), "no variable 5"),
    (lambda g: g.add_factor(["a", "a"], np.zeros((2, 2))), "twice"),
    (lambda g: g.add_potts(["a"], 1), "two"),
    (lambda g: g.add_parity(["b"]), "two states"),
    (lambda g: g.add_at_most(["a"], -1), "0 or more"),
    (lambda g: g.add_exactly(["a"], penalty=-1), "penalty is -1"),
    (lambda g: g.add_any(["a", "b"], state={"a": 1}), "nothing of variable 'b'"),
    (lambda g: g.add_all(["b"]), "which count"),
    (lambda g: g.add_any(["b"], state=3), "no state 3"),
    (lambda g: g.add_sparse(["a", "b"], {(0,): 1.0}), "2 variables"),
    (lambda g: g.infer("answer"), "partition, marginals, map, marginal-map, sample"),
    (lambda g: g.infer("map", "guess"), "junction-tree"),
    (lambda g: g.infer("map", "gibbs"), "gibbs"),
    (lambda g: g.infer("partition", "junction-tree", tolerance=1e-3), "tolerance"),
    (lambda g: g.infer("marginals", "gibbs", bloks="trees"), "bloks"),
    (lambda g: g.infer("marginals", "gibbs", blocks="squares"), "none, pairs, trees"),
    (lambda g: g.infer(evidence={"a": 2}), "no state 2"),
    (lambda g: g.infer(evidence={"a": "yes"}), "states are numbers"),
    (lambda g: g.infer(memory=0), "above 0"),
    (lambda g: g.infer(memory="4X"), "memory is '4X'; it must be above 0 bytes"),
    (lambda g: g.infer(memory=math.nan), "memory is nan"),
    (lambda g: g.infer("partition", "recursive-conditioning", memory=[1]), r"memory is \[1\]"),
    (lambda g: g.infer("partition", "junction-tree", memory="0.01K"), "allowed"),
    (lambda g: g.joint_marginal(["a"], memory="much"), "memory is 'much'"),
    (lambda g: g.infer("marginals", "gibbs", memory=1e9), "junction-tree, cutset-conditioning"),
    (lambda g: g.infer("map", samples=3), "task sample"),
    (lambda g: g.infer(time=-1), "time is -1"),
    (lambda g: g.infer(time="3"), "time is '3'"),
    (lambda g: g.infer(time=math.nan), "time is nan"),
    (lambda g: g.infer("sample", samples=0), "samples is 0"),
    (lambda g: g.infer("map", max_iterations=2**70), "max_iterations is"),
    (lambda g: g.infer(threads=-1), "threads is -1"),
    (lambda g: g.infer(seed=1.5), "seed is 1.5"),
    (lambda g: g.score({"a": 0}), "no state for variable 'b'"),
    (lambda g: g.table(9), "no factor 9"),
    (lambda g: croft.FactorGraph.from_uai("MARKOV 1 2 1 1 7 2 1 1"), "text"),
])
def test_what_is_wrong_is_said_in_words(make, message):
    graph = croft.FactorGraph()
    graph.add_variable(2, "a")
    graph.add_variable(3, "b")
    graph.add_factor(["a", "b"], np.zeros((2, 3)))
    with pytest.raises(ValueError, match=message):
        make(graph)


def test_the_expectation_of_a_function_of_nothing_is_its_value():
    graph = croft.FactorGraph()
    graph.add_variable(2)
    assert graph.joint_marginal([]) == 1
    assert graph.expectation(lambda: 3.5, []) == 3.5


def test_memory_may_be_a_text_with_a_unit():
    graph = croft.FactorGraph()
    graph.add_factor([graph.add_variable(2, "a"), graph.add_variable(3)], np.zeros((2, 3)))
    for memory in ("4G", "1.5M", "2000000", 2**20, np.float64(1e6)):
        assert graph.infer("partition", memory=memory).kind == "exact"
        assert graph.joint_marginal(["a"], memory=memory).tolist() == [0.5, 0.5]


def test_a_contradiction_has_no_marginals_but_a_partition():
    graph = croft.FactorGraph()
    a = graph.add_variable(2)
    graph.add_factor([a], weights=[1, 0])
    graph.add_factor([a], weights=[0, 1])
    assert graph.infer("partition").value == -math.inf
    for task in ("marginals", "map", "sample"):
        with pytest.raises(ValueError, match="no assignment is allowed"):
            graph.infer(task)


def test_a_graph_without_variables_has_an_empty_assignment():
    graph = croft.FactorGraph()
    graph.add_factor([], 2.5)
    found = graph.infer("map")
    assert (found.assignment, found.value) == ({}, 2.5)
    assert graph.infer("partition").assignment is None


def grid_of(side):
    graph = croft.FactorGraph()
    for _ in range(side * side):
        graph.add_variable(2)
    for v in range(side * side):
        if (v + 1) % side:
            graph.add_factor([v, v + 1], [[0.3, -0.3], [-0.3, 0.3]])
        if v + side < side * side:
            graph.add_factor([v, v + side], [[0.3, -0.3], [-0.3, 0.3]])
    return graph


def test_a_callback_sees_progress_and_may_stop():
    graph = grid_of(10)
    seen = []

    def stop_at_third(event):
        seen.append(event["iteration"])
        return len(seen) < 4

    found = graph.infer("marginals", "gibbs", max_iterations=10**5, callback=stop_at_third)
    assert len(seen) == 4 and seen == sorted(seen)
    assert found.stopped and not found.converged and found.iterations == seen[-1]

    def fail(event):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        graph.infer("marginals", "gibbs", callback=fail)


def test_other_threads_run_and_ctrl_c_ends_it():
    graph = grid_of(40)
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()  # would not fire if the lock were held
    with pytest.raises(KeyboardInterrupt):
        graph.infer("marginals", "gibbs", max_iterations=10**8)
    assert graph.infer("marginals", "gibbs", max_iterations=10**8, time=0.3).seconds < 60
