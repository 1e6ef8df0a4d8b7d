"""MEMM: against its definition, and the program's models of the same kind."""
import inspect
import itertools
import math
import os
import pickle
import subprocess

import pytest

import croft

CROFT = os.environ["CROFT"]
X = [[["w=a", "x"], ["w=b"]], [["w=b", "x"], ["w=a"], ["w=c"]], [["w=c"], ["w=a", "x"]], [["w=a"], ["w=c"]]] * 3
y = [["A", "B"], ["B", "A", "A"], ["C", "B"], ["A", "C"]] * 2 + [["A", "B"], ["B", "A", "B"], ["C", "A"], ["B", "C"]]


def softmax(scores):
    largest = max(scores.values())
    total = sum(math.exp(score - largest) for score in scores.values())
    return {label: math.exp(score - largest) / total for label, score in scores.items()}


def probability(model, x, labels):
    """p(labels | x): each label by a softmax, given the one before."""
    state, transition = model.state_features_, model.transition_features_
    product, before = 1.0, None
    for attributes, label in zip(x, labels):
        scores = {each: sum(state.get((a, each), 0.0) for a in attributes) +
                  (transition.get((before, each), 0.0) if before is not None else 0.0)
                  for each in model.classes_}
        product *= softmax(scores)[label]
        before = label
    return product


@pytest.mark.parametrize("parameters", [{}, {"l2": 0.1, "features": "all"}, {"l1": 0.3, "l2": 0.0}])
def test_a_labelling_has_the_product_of_its_steps(parameters):
    model = croft.MEMM(**parameters).fit(X, y)
    for x in X[:4]:
        every = {labels: probability(model, x, labels) for labels in itertools.product(model.classes_, repeat=len(x))}
        assert sum(every.values()) == pytest.approx(1)
        best = model.k_best([x], 5)[0]
        for labels, log_p in best:
            assert log_p == pytest.approx(math.log(every[tuple(labels)]), abs=1e-5)
        assert best[0].log_probability == pytest.approx(math.log(max(every.values())), abs=1e-5)
        for t, row in enumerate(model.predict_proba([x])[0]):
            for j, label in enumerate(model.classes_):
                assert row[j] == pytest.approx(sum(p for labels, p in every.items() if labels[t] == label), abs=1e-5)


def test_fit_minimises_its_own_likelihood():
    model = croft.MEMM(l2=0.5, tolerance=0, gradient_tolerance=1e-10).fit(X, y)

    def objective():
        weights = [*model.state_features_.values(), *model.transition_features_.values()]
        return (-sum(math.log(probability(model, x, labels)) for x, labels in zip(X, y)) +
                0.25 * sum(w * w for w in weights))

    assert model.training_log_.result["objective"] == pytest.approx(objective(), rel=1e-5)
    assert model.inspect()["kind"] == "memm"
    assert croft.ChainCRF(l2=0.5).fit(X, y).training_log_.result["objective"] != pytest.approx(objective(), rel=1e-4)


@pytest.mark.parametrize("parameters, options", [
    ({}, []), ({"l2": 0.3, "optimizer": "cg"}, ["--l2", "0.3", "--optimizer", "cg"]),
    ({"intercept": "unpenalised", "l2": 2}, ["--intercept=unpenalised", "--l2", "2"])])
def test_it_is_the_programs_model(parameters, options, tmp_path):
    (tmp_path / "data").write_text("\n".join(
        "".join(f"{label}\t" + "\t".join(attributes) + "\n" for attributes, label in zip(x, labels))
        for x, labels in zip(X, y)))
    subprocess.run([CROFT, "train", "-o", tmp_path / "m.croft", "--quiet", "--model", "memm", "--format",
                    "attributes", *options, tmp_path / "data"], check=True)
    model = croft.MEMM(**parameters).fit(X, y)
    model.save(tmp_path / "n.croft")
    assert (tmp_path / "m.croft").read_bytes() == (tmp_path / "n.croft").read_bytes()
    assert croft.load(tmp_path / "m.croft").predict(X) == model.predict(X)
    assert pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)


def test_its_parameters_are_those_of_chains_but_for_other_objectives_and_orders():
    chains = set(inspect.signature(croft.ChainCRF.__init__).parameters)
    own = set(inspect.signature(croft.MEMM.__init__).parameters)
    assert own == chains - {"order", "histories", "transition_groups", "induce_pairs", "cost", "block", "gap",
                            "aggressiveness", "best", "variance", "gamma", "kernel", "pieces", "entropy",
                            "expectations", "expectations_weight", "self_training", "confidence", "view"}
    assert set(croft.MEMM().get_params()) == own - {"self"}


def test_what_does_not_go_with_it_is_refused():
    with pytest.raises(ValueError, match="optimizer sdca does not minimise objective local"):
        croft.MEMM(optimizer="sdca").fit(X, y)
    with pytest.raises(ValueError, match="cannot leave the intercept unpenalised; .*lbfgs"):
        croft.MEMM(optimizer="sgd", intercept="unpenalised").fit(X, y)
    with pytest.raises(ValueError, match='intercept: "free" is none of none, penalised, unpenalised'):
        croft.MEMM(intercept="free").fit(X, y)
    with pytest.raises(croft.Error, match=r"X\[1\].*the name of the intercept"):
        croft.MEMM(intercept="penalised").fit([[["a"]], [["(intercept)"]]], [["A"], ["B"]])
