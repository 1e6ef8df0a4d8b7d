"""croft.BoostedCRF: training, prediction, scikit-learn's conventions, errors."""

import pickle
import random

import pytest

import croft


def observations(draw):
    """Attributes of positions, and whether a and b agree: an exclusive-or that is out of balance, a being x in a
    third of all positions, so that each test on the way to it gains something."""
    rows = [{"a": draw.choice("xyz"), "b": draw.random(), "size": draw.randint(0, 3)}
            for _ in range(draw.randint(2, 8))]
    return rows, [(row["a"] == "x") == (row["b"] > 0.5) for row in rows]


def data(sequences, seed):
    """Runs of positions where a and b agree: begin, inside, inside.  No sum of weights of a and b says which
    these are; where one begins follows from the label before."""
    draw = random.Random(seed)
    X, y = [], []
    for _ in range(sequences):
        rows, agree = observations(draw)
        X.append(rows)
        y.append([("inside" if t > 0 and agree[t - 1] else "begin") if agree[t] else "out"
                  for t in range(len(rows))])
    return X, y


def parity(sequences, seed):
    """The label changes where a and b disagree: which pairs of labels are likely depends on the attributes."""
    draw = random.Random(seed)
    X, y = [], []
    for _ in range(sequences):
        rows, agree = observations(draw)
        X.append([dict(row, first=t == 0) for t, row in enumerate(rows)])
        y.append([("even", "odd")[agree[1:t + 1].count(False) % 2] for t in range(len(rows))])
    return X, y


def test_it_learns_and_answers_as_a_chain_does():
    X, y = data(200, 1)
    crf = croft.BoostedCRF(rounds=30, threads=2).fit(X, y)
    assert set(crf.classes_) == {"begin", "inside", "out"}
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


def test_pair_trees_let_transitions_depend_on_attributes():
    X, y = parity(200, 3)
    X2, y2 = parity(100, 4)
    scores = [croft.BoostedCRF(rounds=40, pair_trees=pair_trees).fit(X, y).score(X2, y2)
              for pair_trees in (False, True)]
    assert scores[1] > 0.9 > scores[0] + 0.1


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
    y[1][0] = {"begin", "out"}
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
    ({"kind": "graph"}, "kind is"), ({"shrinkage": 0}, "shrinkage"), ({"leaves": 0}, "leaves"),
    ({"bins": 1}, "bins"), ({"trim": 1}, "trim"), ({"trees": "both"}, "trees"),
    ({"row_share": 0}, "row_share"), ({"kind": "maxent", "pair_trees": True}, "pair_trees"),
    ({"decode": "best"}, "decode")])
def test_wrong_parameters_are_named(wrong, message):
    X, y = data(5, 12)
    with pytest.raises(ValueError, match=message):
        croft.BoostedCRF(**wrong).fit(X, y)


def durations(sequences, seed):
    """Runs of one word: long ones are X, short ones Y."""
    draw = random.Random(seed)
    X, y = [], []
    for _ in range(sequences):
        rows, labels = [], []
        for _ in range(draw.randint(1, 4)):
            length = draw.randint(1, 7)
            rows += [{"word": "w"}] * length + [{"word": "o"}]
            labels += [f"{'B' if t == 0 else 'I'}-{'X' if length > 3 else 'Y'}" for t in range(length)] + ["O"]
        X.append(rows)
        y.append(labels)
    return X, y


def test_segments_have_trees_of_their_own():
    X, y = durations(80, 1)
    boosted = croft.BoostedCRF(kind="segment", rounds=40, progress=False).fit(X, y)
    X_test, y_test = durations(40, 2)
    right = sum(a == b for p, q in zip(boosted.predict(X_test), y_test) for a, b in zip(p, q))
    assert right > 0.97 * sum(map(len, y_test))
    assert "segment U1:" in boosted.feature_importances_
    assert any("of segments X" in tree for tree in boosted.inspect(2)["top"]["trees"])
    assert boosted.spans(X_test)[0]
    again = pickle.loads(pickle.dumps(boosted))
    assert again.predict(X_test) == boosted.predict(X_test)


def test_options_of_segments_go_with_segments():
    X, y = durations(5, 3)
    with pytest.raises(ValueError, match="max_length has no meaning for model boosted-chain"):
        croft.BoostedCRF(max_length=3, progress=False).fit(X, y)
    with pytest.raises(ValueError, match="pair_trees has no meaning"):
        croft.BoostedCRF(kind="segment", pair_trees=True, progress=False).fit(X, y)
