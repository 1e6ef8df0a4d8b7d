"""Small examples with known answers: estimates by counting, softmax, and the likelihood of a table."""
import itertools
import math

import numpy as np
import pytest

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
