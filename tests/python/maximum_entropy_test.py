"""croft.maximum_entropy, against identities and scipy; and what naive Bayes has to do with it."""
import doctest
import itertools
import math
from pathlib import Path

import numpy as np
import pytest

import croft

DIE = np.array([[1, 1], [1, 2], [0, 3], [0, 4], [0, 5], [0, 6]])


def test_a_die_with_no_constraint_is_fair():
    assert croft.maximum_entropy(DIE).p == pytest.approx(np.full(6, 1 / 6))
    assert croft.maximum_entropy(DIE).entropy == pytest.approx(math.log(6))


def test_a_die_whose_two_lowest_have_one_half():
    found = croft.maximum_entropy(DIE, [(0, "=", 0.5)])
    assert found.p == pytest.approx(np.array([2, 2, 1, 1, 1, 1]) / 8)
    assert found.status == "optimal" and found.multipliers == pytest.approx([math.log(2)])
    assert max(found.kkt.values()) < 1e-8


def test_a_multiplier_is_0_where_the_inequality_is_slack_and_above_0_where_it_binds():
    found = croft.maximum_entropy(DIE, [(1, "<=", 3), (0, ">=", 0.1)])
    assert found.multipliers[0] > 0 and found.multipliers[1] == 0
    assert found.expectations[0] == pytest.approx(3)


def test_the_optimum_is_that_of_another_solver():
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(1)
    for _ in range(5):
        f, base = rng.normal(size=(8, 3)), rng.uniform(0.1, 1, size=8)
        inside = rng.dirichlet(np.ones(8)) @ f
        asked = [(0, "=", inside[0]), (1, "<=", inside[1] + 0.1), (2, ">=", inside[2])]
        found = croft.maximum_entropy(f, asked, base=base)
        q = base / base.sum()
        other = optimize.minimize(
            lambda p: (p * np.log(p / q)).sum(), q, jac=lambda p: np.log(p / q) + 1,
            bounds=[(1e-12, 1)] * 8, method="SLSQP", options={"maxiter": 1000, "ftol": 1e-14},
            constraints=[{"type": "eq", "fun": lambda p: p.sum() - 1},
                         {"type": "eq", "fun": lambda p: p @ f[:, 0] - inside[0]},
                         {"type": "ineq", "fun": lambda p: inside[1] + 0.1 - p @ f[:, 1]},
                         {"type": "ineq", "fun": lambda p: p @ f[:, 2] - inside[2]}])
        assert found.p == pytest.approx(other.x, abs=1e-5)


def test_infeasible_constraints_have_a_certificate():
    found = croft.maximum_entropy(DIE, [(0, ">=", 0.5), (1, ">=", 4.1)])
    assert found.status == "infeasible" and found.margin > 0
    assert max((DIE - [0.5, 4.1]) @ found.certificate) <= -found.margin + 1e-12


def test_names_of_a_data_frame_are_those_of_features():
    pandas = pytest.importorskip("pandas")
    found = croft.maximum_entropy(pandas.DataFrame(DIE, columns=["low", "mean"]),
                                  [("mean", "==", 3.5)])
    assert found.p == pytest.approx(np.full(6, 1 / 6))
    with pytest.raises(ValueError, match="no feature 'low'"):
        croft.maximum_entropy(DIE, [("low", "=", 1)])


@pytest.mark.parametrize("arguments, message", [
    ((DIE, [(2, "=", 1)]), "no feature 2"), ((DIE, [(0, "<", 1)]), "none of the signs"),
    ((DIE, [(0, "=")]), "is not"), ((DIE[0],), "1 dimensions"),
    ((DIE, [(0, "=", math.nan)]), "not a finite number"),
    ((np.array([[math.inf]]),), "not a finite number")])
def test_what_is_no_problem_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        croft.maximum_entropy(*arguments)


def test_a_base_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="6 outcomes"):
        croft.maximum_entropy(DIE, base=[1, 2])
    with pytest.raises(ValueError, match="> 0"):
        croft.maximum_entropy(DIE, base=[1, 1, 1, 1, 1, 0])


# p(y, x) ~ exp(theta.f(y, x)) with features [y] and [x_k = v, y], fitted to the joint distribution.
def test_the_joint_likelihood_of_the_log_linear_model_is_maximised_by_naive_bayes():
    data = [("a", 0, 0), ("a", 0, 1), ("a", 1, 1), ("a", 1, 1), ("b", 0, 0), ("b", 1, 0),
            ("b", 0, 0)]
    outcomes = list(itertools.product("ab", (0, 1), (0, 1)))
    features = [(y, k, v) for y in "ab" for k in (1, 2) for v in (0, 1)] + [("a",), ("b",)]

    def f(outcome):
        return [float(outcome[0] == each[0] and (len(each) == 1 or outcome[each[1]] == each[2]))
                for each in features]

    table = np.array([f(each) for each in outcomes])
    mean = np.mean([f(each) for each in data], axis=0)
    found = croft.maximum_entropy(table, [(k, "=", b) for k, b in enumerate(mean)])
    for (y, *x), p in zip(outcomes, found.p):
        of_y = [row for row in data if row[0] == y]
        expected = len(of_y) / len(data)
        for k, v in enumerate(x, start=1):
            expected *= sum(row[k] == v for row in of_y) / len(of_y)
        assert p == pytest.approx(expected, abs=1e-7)


def test_the_example_of_the_document_prints_what_it_says():
    page = Path(__file__).resolve().parents[2] / "docs" / "maximum_entropy.md"
    failed, run = doctest.testfile(str(page), module_relative=False)
    assert failed == 0 and run > 0
