"""Small examples with known answers: estimates by counting, softmax, the likelihood of a table; and scipy's tests."""
import itertools
import math
import random

import numpy as np
import pytest
from scipy import stats

import croft


def rates(event, alpha, X, y):
    """p(value | label) of the first label as the model has it."""
    model = croft.NaiveBayes(event=event, alpha=alpha).fit(X, y)
    return np.exp(model.feature_log_prob_[0])


def test_bernoulli_of_100_throws_with_10_heads():
    X = np.array([[1]] * 10 + [[0]] * 90 + [[1]])
    assert rates("bernoulli", 1e-10, X, ["coin"] * 100 + ["other"])[0] == pytest.approx(0.1)


def test_multinomial_from_counts_3_2_0():
    X, y = np.array([[3, 2, 0], [1, 1, 1]]), ["a", "b"]
    assert rates("multinomial", 1e-10, X, y) == pytest.approx([3 / 5, 2 / 5, 0], abs=1e-9)
    assert rates("multinomial", 1, X, y) == pytest.approx([4 / 8, 3 / 8, 1 / 8])


# 5! / (2! 2! 1!): the coefficient belongs to log p(x), and is the same for every label.
def test_a_document_of_counts_2_2_1_stands_for_30_ordered_ones_with_one_posterior():
    model = croft.NaiveBayes().fit(np.array([[3, 2, 1], [1, 5, 2], [0, 1, 4]]), ["a", "b", "c"])
    counted = model.predict_proba(np.array([[2, 2, 1]]))[0]
    documents = set(itertools.permutations((0, 0, 1, 1, 2)))
    assert len(documents) == 30
    log_p = np.array(model.feature_log_prob_)
    for document in documents:
        joint = np.array(model.class_log_prior_) + sum(log_p[:, word] for word in document)
        assert np.exp(joint) / np.exp(joint).sum() == pytest.approx(counted)


def test_softmax_of_three_scores():
    p = croft.chain.marginals(np.array([[[5.6, -3.2, 1.5]]]))
    state = np.asarray(p[0] if isinstance(p, tuple) else p).ravel()[:3]
    assert state == pytest.approx([0.983552, 0.000148, 0.016300], abs=5e-7)


# Data (1, 4), (1, 4), (2, 5): the mean is 2/3 log p(4 | 1) + 1/3 log p(5 | 2).
def test_the_mean_log_likelihood_of_a_table():
    X, y = np.array([[1, 0], [1, 0], [0, 1]]), ["4", "4", "5"]
    model = croft.LogisticRegression().fit(X, y)
    p = model.predict_proba(X)
    by_hand = 2 / 3 * math.log(p[0, 0]) + 1 / 3 * math.log(p[2, 1])
    assert np.mean(np.log(p[[0, 1, 2], [0, 0, 1]])) == pytest.approx(by_hand)
    weighted = croft.LogisticRegression().fit(X[1:], y[1:], sample_weight=[2, 1])
    assert weighted.predict_proba(X) == pytest.approx(p, abs=1e-4)


def two_labellings(sequences, seed=1):
    draw = random.Random(seed)
    labels = "abc"
    gold, first, second = [], [], []
    for _ in range(sequences):
        row = [draw.choice(labels) for _ in range(draw.randint(1, 5))]
        gold.append(row)
        first.append([y if draw.random() < 0.7 else draw.choice(labels) for y in row])
        second.append([y if draw.random() < 0.8 else draw.choice(labels) for y in row])
    return gold, first, second


def right(gold, labels):
    return np.array([sum(a == b for a, b in zip(*pair)) for pair in zip(gold, labels)], float)


def test_the_interval_is_that_of_scipys_bootstrap():
    gold, first, second = two_labellings(300)
    length = np.array([len(row) for row in gold], float)
    one, two = right(gold, first), right(gold, second)

    def difference(index):
        index = index.astype(int)
        return (two[index] - one[index]).sum() / length[index].sum()

    expected = stats.bootstrap((np.arange(300.0),), difference, method="percentile", n_resamples=9999,
                               vectorized=False, random_state=3).confidence_interval
    found = croft.compare(gold, first, second)["metrics"]["accuracy"]
    width = expected.high - expected.low
    assert found["difference"] == pytest.approx((two - one).sum() / length.sum())
    assert found["low"] == pytest.approx(expected.low, abs=0.05 * width)
    assert found["high"] == pytest.approx(expected.high, abs=0.05 * width)


def test_p_is_that_of_scipys_permutation_test():
    gold, first, second = two_labellings(60, seed=4)
    one, two = right(gold, first), right(gold, second)
    expected = stats.permutation_test((two, one), lambda a, b: a.sum() - b.sum(), permutation_type="samples",
                                      n_resamples=9999, random_state=5).pvalue
    assert croft.compare(gold, first, second)["metrics"]["accuracy"]["p"] == pytest.approx(expected, abs=0.02)


def test_what_differs_most_and_what_is_wrong():
    found = croft.compare([["a", "a"], ["b"]], [["a", "a"], ["a"]], [["b", "b"], ["a"]], draws=10)
    apart = found["differences"][0]
    assert apart["sequence"] == 0
    assert [(each["first"], each["gold"], each["second"]) for each in apart["labels"]] == [("a", "a", "b")] * 2
    with pytest.raises(ValueError, match=r"y_true has 1 sequences and y_second 0"):
        croft.compare([["a"]], [["a"]], [])
    with pytest.raises(ValueError, match=r"y_true\[0\] has 1 labels and y_first has 2"):
        croft.compare([["a"]], [["a", "a"]], [["a"]])
    with pytest.raises(ValueError, match="draws"):
        croft.compare([["a"]], [["a"]], [["a"]], draws=0)


def test_what_is_strange_in_data(tmp_path):
    train, test = tmp_path / "train", tmp_path / "test"
    train.write_text("a X\n\na Y\n\nb X\n\n")
    test.write_text("b X\n\nc Z\n\n")
    found = croft.check(train, test)
    assert found["train"]["labels"] == {"X": 2, "Y": 1}
    assert found["train"]["findings"]["labelled_differently"]["cases"] == [
        {"line": 3, "what": "a: Y, and X", "other_line": 1}]
    assert found["tests"][0]["findings"]["in_training_data"]["count"] == 1
    with pytest.raises(ValueError, match="raw"):
        croft.check(train, format="raw")
