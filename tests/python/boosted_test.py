"""croft.BoostedCRF: training, prediction, scikit-learn's conventions, errors."""

import pickle
import random

import pytest

import croft


def data(sequences, seed):
    """The label follows from a and b together, and from the label before."""
    draw = random.Random(seed)
    X, y = [], []
    for _ in range(sequences):
        features, labels, before = [], [], "even"
        for _ in range(draw.randint(2, 8)):
            a, b = draw.choice("xyz"), draw.random()
            same = (a == "x") == (b > 0.5)
            before = before if same else {"even": "odd", "odd": "even"}[before]
            features.append({"a": a, "b": b, "size": draw.randint(0, 3)})
            labels.append("start" if not labels and same else before)
        X.append(features)
        y.append(labels)
    return X, y


def test_it_learns_and_answers_as_a_chain_does():
    X, y = data(200, 1)
    crf = croft.BoostedCRF(rounds=30, threads=2).fit(X, y)
    assert set(crf.classes_) == {"even", "odd", "start"}
    assert crf.score(X, y) > 0.95
    X2, y2 = data(60, 2)
    assert crf.score(X2, y2) > 0.85
    assert crf.predict_single(X2[0]) == crf.predict(X2)[0]
    p = crf.predict_proba(X2[:1])[0]
    assert p.shape == (len(X2[0]), 3)
    assert p.sum(axis=1) == pytest.approx([1.0] * len(X2[0]), abs=1e-5)
    assert len(crf.k_best(X2[:1], 3)[0]) == 3


def test_conjunctions_beat_a_chain_without_them():
    X, y = data(200, 3)
    X2, y2 = data(100, 4)
    chain = croft.ChainCRF().fit(X, y)
    assert croft.BoostedCRF(rounds=40).fit(X, y).score(X2, y2) > chain.score(X2, y2) + 0.1


def test_importances_are_shares_of_the_gain():
    X, y = data(100, 5)
    importances = croft.BoostedCRF(rounds=10).fit(X, y).feature_importances_
    assert sum(importances.values()) == pytest.approx(1)
    shares = list(importances.values())
    assert shares == sorted(shares, reverse=True)
    assert importances["b"] > importances.get("size", 0)


def test_without_transitions():
    X, y = [[{"v": k / 50}] for k in range(100)], [["low" if k < 50 else "high"] for k in range(100)]
    model = croft.BoostedCRF(kind="maxent", rounds=20).fit(X, y)
    assert model.score(X, y) == 1
    assert model.inspect()["kind"] == "boosted-maxent"


def test_holdout_early_stop_and_log():
    X, y = data(100, 6)
    X_dev, y_dev = data(40, 7)
    crf = croft.BoostedCRF(rounds=80, early_stop=5).fit(X, y, X_dev=X_dev, y_dev=y_dev)
    scores = [each["holdout"]["token_accuracy"] for each in crf.training_log_]
    kept = crf.training_log_.result["iterations"]
    assert scores[kept] == max(scores)
    assert crf.inspect()["rounds"] == kept
    objectives = [each["objective"] for each in crf.training_log_]
    assert objectives == sorted(objectives, reverse=True)


def test_the_callback_stops_and_its_errors_come_out():
    X, y = data(50, 8)
    crf = croft.BoostedCRF(rounds=50).fit(X, y, callback=lambda event: event["iteration"] < 3)
    assert crf.inspect()["rounds"] == 3

    def fail(event):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        croft.BoostedCRF().fit(X, y, callback=fail)


def test_unknown_labels_and_weights():
    X, y = data(80, 9)
    y[0][1] = None
    y[1][0] = {"even", "odd"}
    crf = croft.BoostedCRF(rounds=10).fit(X, y, sample_weight=[1.0] * 79 + [0.0])
    assert crf.score(X[2:], y[2:]) > 0.8


def test_the_same_seed_gives_the_same_bytes_for_any_threads(tmp_path):
    X, y = data(60, 10)
    models = []
    for threads, seed in ((1, 1), (2, 1), (1, 2)):
        crf = croft.BoostedCRF(rounds=5, row_share=0.5, seed=seed, threads=threads).fit(X, y)
        crf.save(tmp_path / "m.croft")
        models.append((tmp_path / "m.croft").read_bytes())
    assert models[0] == models[1] != models[2]
    assert croft.load(tmp_path / "m.croft").predict(X) == crf.predict(X)


def test_it_is_a_scikit_learn_estimator():
    base = pytest.importorskip("sklearn.base")
    crf = croft.BoostedCRF(rounds=3, shrinkage=0.5)
    assert base.clone(crf).get_params() == crf.get_params()
    assert crf.set_params(depth=2).depth == 2
    with pytest.raises(ValueError, match="not fitted"):
        crf.predict([])
    X, y = data(20, 11)
    crf.fit(X, y)
    assert pickle.loads(pickle.dumps(crf)).predict(X) == crf.predict(X)
    with pytest.raises(croft.Error, match="trees"):
        crf.model_.state_features


@pytest.mark.parametrize("wrong, message", [
    ({"kind": "segment"}, "kind is"), ({"shrinkage": 0}, "shrinkage"), ({"leaves": 0}, "leaves"),
    ({"bins": 1}, "bins"), ({"trim": 1}, "trim"), ({"trees": "both"}, "trees"),
    ({"row_share": 0}, "row-share"), ({"kind": "maxent", "pair_trees": True}, "pair-trees"),
    ({"decode": "best"}, "decode")])
def test_wrong_parameters_are_named(wrong, message):
    X, y = data(5, 12)
    with pytest.raises(ValueError, match=message):
        croft.BoostedCRF(**wrong).fit(X, y)
