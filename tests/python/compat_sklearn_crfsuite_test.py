"""croft.compat.sklearn_crfsuite used as sklearn-crfsuite is, and what its arguments mean."""
import inspect
import itertools
import os
import pickle
import random
import subprocess
import sys
from collections import Counter

import numpy
import pytest
import scipy.stats
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import f1_score, fbeta_score, make_scorer, precision_score, recall_score
from sklearn.model_selection import RandomizedSearchCV, cross_val_predict, cross_val_score
from sklearn.utils.validation import check_is_fitted

import croft
from conftest import items, sentences
from croft.compat import DifferenceWarning, pycrfsuite, sklearn_crfsuite
from croft.compat.sklearn_crfsuite import metrics, scorers
from croft.compat.sklearn_crfsuite.trainer import LinePerIterationTrainer
from croft.compat.sklearn_crfsuite.utils import flatten

ARGUMENTS = ("algorithm min_freq all_possible_states all_possible_transitions c1 c2 max_iterations "
             "num_memories epsilon period delta linesearch max_linesearch calibration_eta "
             "calibration_rate calibration_samples calibration_candidates calibration_max_trials "
             "pa_type c error_sensitive averaging variance gamma verbose model_filename "
             "keep_tempfiles trainer_cls")


@pytest.fixture(scope="module")
def fitted(data):
    return sklearn_crfsuite.CRF(c1=0.1, c2=0.1).fit(*data)


def test_the_constructor_has_the_peers_arguments_in_their_order():
    names = list(inspect.signature(sklearn_crfsuite.CRF).parameters)
    assert names == ARGUMENTS.split()
    assert sorted(sklearn_crfsuite.CRF().get_params()) == sorted(names)


def test_the_tutorials_steps_run_unchanged(data, new_data):
    """Fit, report, search for penalties, look at what was learnt."""
    (X_train, y_train), (X_test, y_test) = data, new_data
    crf = sklearn_crfsuite.CRF(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=100,
                               all_possible_transitions=True)
    crf.fit(X_train, y_train)
    labels = list(crf.classes_)
    labels.remove("D")
    y_pred = crf.predict(X_test)
    score = metrics.flat_f1_score(y_test, y_pred, average="weighted", labels=labels)
    assert 0.85 < score <= 1
    report = metrics.flat_classification_report(y_test, y_pred, labels=sorted(labels), digits=3)
    assert all(f"\n{label:>12} " in report for label in labels)
    search = RandomizedSearchCV(
        sklearn_crfsuite.CRF(algorithm="lbfgs", max_iterations=30, all_possible_transitions=True),
        {"c1": scipy.stats.expon(scale=0.5), "c2": scipy.stats.expon(scale=0.05)}, cv=3, n_iter=3,
        random_state=0,
        scoring=make_scorer(metrics.flat_f1_score, average="weighted", labels=labels))
    search.fit(X_train, y_train)
    assert search.best_score_ > 0.85
    assert search.best_estimator_.size_ > 0
    assert Counter(crf.transition_features_).most_common(1)[0][1] > 0
    (attribute, label), weight = Counter(crf.state_features_).most_common(1)[0]
    assert attribute in crf.attributes_ and label in crf.classes_ and weight > 0


@pytest.mark.parametrize("peers, ours", [
    (dict(c1=0.3, c2=0.2, num_memories=9, min_freq=2, epsilon=1e-7, delta=1e-9, period=4),
     dict(l1=0.3, l2=0.4, history=9, min_count=2, gradient_tolerance=1e-7, tolerance=1e-9,
          window=4)),
    (dict(c2=0.2, epsilon=1e-2, delta=0),
     dict(optimizer="lbfgs", l2=0.4, gradient_tolerance=1e-2, tolerance=0)),
    (dict(c2=0.2, epsilon=0, delta=1e-2),
     dict(optimizer="lbfgs", l2=0.4, gradient_tolerance=0, tolerance=1e-2))])
def test_arguments_mean_what_the_peers_mean(data, peers, ours):
    fitted = sklearn_crfsuite.CRF(**peers).fit(*data)
    same = croft.ChainCRF(**{"history": 6, "max_iterations": 10**6, **ours}).fit(*data)
    assert len(fitted.training_log_.iterations) == same.training_log_.result["iterations"]
    assert fitted.state_features_ == same.state_features_
    assert fitted.transition_features_ == same.transition_features_


def test_the_defaults_are_crfsuites(data):
    fitted = sklearn_crfsuite.CRF().fit(*data)
    named = sklearn_crfsuite.CRF(
        algorithm="lbfgs", min_freq=0, all_possible_states=False, all_possible_transitions=False,
        c1=0, c2=1.0, max_iterations=2147483647, num_memories=6, epsilon=1e-5, period=10,
        delta=1e-5, linesearch="MoreThuente", max_linesearch=20).fit(*data)
    assert fitted.state_features_ == named.state_features_
    assert fitted.model_.to_bytes() == named.model_.to_bytes()


@pytest.mark.parametrize("states, transitions", itertools.product((None, True), repeat=2))
def test_all_possible_features_are_there(states, transitions):
    words, y = sentences(8, 7, noise=0)
    crf = sklearn_crfsuite.CRF(c2=0.3, all_possible_states=states,
                               all_possible_transitions=transitions).fit(items(words), y)
    seen = {pair for labels in y for pair in zip(labels, labels[1:])}
    every = set(itertools.product(crf.classes_, repeat=2))
    assert set(crf.transition_features_) == (every if transitions else seen)
    assert (("word:the", "N") in crf.state_features_) == bool(states)


def test_predictions_are_lists_and_agree_with_the_tagger(fitted, new_data):
    X, _ = new_data
    y = fitted.predict(X)
    assert isinstance(y, list) and type(y[0]) is list and type(y[0][0]) is str
    assert y == [fitted.predict_single(x) for x in X] == [fitted.tagger_.tag(x) for x in X]
    assert fitted.predict(iter(X)) == fitted.predict(numpy.array(X, dtype=object)) == y
    fitted.tagger_.set(X[0])
    marginals = fitted.predict_marginals(X)
    assert marginals[0] == fitted.predict_marginals_single(X[0])
    for t, position in enumerate(marginals[0]):
        assert sum(position.values()) == pytest.approx(1)
        for label, p in position.items():
            assert p == pytest.approx(fitted.tagger_.marginal(label, t))


def test_score_is_the_accuracy_of_positions(fitted, new_data):
    X, y = new_data
    expected = numpy.mean(numpy.array(flatten(y)) == numpy.array(flatten(fitted.predict(X))))
    assert fitted.score(X, y) == pytest.approx(expected)
    assert metrics.flat_accuracy_score(y, fitted.predict(X)) == pytest.approx(expected)
    assert scorers.flat_accuracy(fitted, X, y) == pytest.approx(expected)
    whole = sum(a == b for a, b in zip(y, fitted.predict(X))) / len(y)
    assert scorers.sequence_accuracy(fitted, X, y) == pytest.approx(whole)


def test_attributes_describe_the_model(fitted):
    assert set(fitted.classes_) == set("DJNV")
    assert fitted.size_ == len(fitted.model_.to_bytes())
    assert fitted.num_attributes_ == len(fitted.attributes_) == len(set(fitted.attributes_))
    assert {name for name, _ in fitted.state_features_} == set(fitted.attributes_)
    info = fitted.tagger_.info()
    assert info.transitions == fitted.transition_features_
    log = fitted.training_log_
    assert [each["num"] for each in log.iterations] == list(range(1, len(log.iterations) + 1))


def test_a_clone_a_pickle_and_cross_validation_work(fitted, data, new_data):
    X, y = data
    again = clone(fitted)
    assert again.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError, match="not fitted yet"):
        again.predict(X)
    check_is_fitted(fitted)
    with pytest.raises(NotFittedError):
        check_is_fitted(again)
    back = pickle.loads(pickle.dumps(fitted))
    assert back.predict(new_data[0]) == fitted.predict(new_data[0])
    assert back.training_log_.last_iteration == fitted.training_log_.last_iteration
    scores = cross_val_score(sklearn_crfsuite.CRF(), X, y, cv=3, scoring=scorers.sequence_accuracy)
    assert len(scores) == 3 and scores.min() > 0.3


def test_cross_val_predict_puts_sequences_of_any_length_together(data):
    X, y = data
    crf = sklearn_crfsuite.CRF(max_iterations=10)
    found = cross_val_predict(crf, X, y, cv=2)
    half = len(X) // 2
    assert list(found[half:]) == crf.fit(X[:half], y[:half]).predict(X[half:])
    assert cross_val_predict(crf, X, y, cv=2, method="predict_marginals").shape == (len(X),)
    same_length = crf.predict([X[0], X[0]])
    assert numpy.asarray(same_length).shape == (2,)


def test_processes_of_a_search_give_the_same_scores(data):
    one, two = (cross_val_score(sklearn_crfsuite.CRF(max_iterations=10), *data, cv=2, n_jobs=n)
                for n in (1, 2))
    assert list(one) == list(two)


def test_dev_data_is_scored_and_not_trained_on(data, new_data):
    with_dev = sklearn_crfsuite.CRF().fit(*data, *new_data)
    without = sklearn_crfsuite.CRF().fit(*data)
    assert with_dev.state_features_ == without.state_features_
    last = with_dev.training_log_.last_iteration
    assert float(last["item_accuracy"]) == pytest.approx(with_dev.score(*new_data))
    assert "item_accuracy" not in without.training_log_.last_iteration
    with pytest.raises(ValueError, match="X_dev and y_dev go together"):
        sklearn_crfsuite.CRF().fit(*data, new_data[0])


def test_model_filename_is_written_by_fit_and_read_without(data, new_data, tmp_path):
    name = str(tmp_path / "m.crfsuite")
    crf = sklearn_crfsuite.CRF(model_filename=name, keep_tempfiles=True).fit(*data)
    assert croft.load(name).predict(new_data[0]) == crf.predict(new_data[0])
    unfitted = sklearn_crfsuite.CRF(model_filename=name)
    assert unfitted.predict(new_data[0]) == crf.predict(new_data[0])
    assert unfitted.tagger_.labels() == crf.classes_
    with pytest.raises(NotFittedError, match="no file 'nowhere'"):
        sklearn_crfsuite.CRF(model_filename="nowhere").predict(new_data[0])
    croft.save(crf, tmp_path / "saved.croft")
    assert (tmp_path / "saved.croft").read_bytes() == crf.model_.to_bytes()


def test_verbose_prints_a_line_for_each_iteration(data, new_data, capsys):
    crf = sklearn_crfsuite.CRF(verbose=True, max_iterations=4).fit(*data, *new_data)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Iter ")]
    assert [int(line.split()[1]) for line in lines] == [1, 2, 3, 4]
    assert f"loss={crf.training_log_.iterations[2]['loss']:.2f}" in lines[2]
    sklearn_crfsuite.CRF(max_iterations=4).fit(*data)
    assert capsys.readouterr().out == ""


def test_trainer_cls_is_the_trainer(data):
    class Counting(LinePerIterationTrainer):
        calls = 0

        def on_iteration(self, log, info):
            Counting.calls += 1

    sklearn_crfsuite.CRF(verbose=True, max_iterations=3, trainer_cls=Counting).fit(*data)
    assert Counting.calls == 3
    with pytest.raises(TypeError, match="trainer_cls is <class 'int'>"):
        sklearn_crfsuite.CRF(trainer_cls=int).fit(*data)


@pytest.mark.parametrize("arguments, kind, message", [
    ({"algorithm": "ap", "c2": 1}, ValueError,
     "c2 is a parameter of algorithm 'lbfgs' and 'l2sgd', and algorithm is 'ap'"),
    ({"algorithm": "pa", "pa_type": 4}, ValueError, "pa_type is 4; it must be 0, 1 or 2"),
    ({"algorithm": "best"}, ValueError, "algorithm is 'best'; choose one of"),
    ({"calibration_eta": 0.1}, ValueError, "calibration_eta is a parameter of algorithm 'l2sgd'"),
    ({"pa_type": 1}, ValueError, "pa_type is a parameter of algorithm 'pa'"),
    ({"c": 1}, ValueError, "c is a parameter of algorithm 'pa'"),
    ({"gamma": 1}, ValueError, "gamma is a parameter of algorithm 'arow'"),
    ({"c1": -1}, ValueError, "c1 is -1"), ({"min_freq": "x"}, ValueError, "min_freq is 'x'"),
    ({"all_possible_states": "yes"}, ValueError, "all_possible_states is 'yes'"),
    ({"num_memories": 0}, ValueError, "num_memories is 0")])
def test_an_argument_that_cannot_be_followed_is_an_error(data, arguments, kind, message):
    with pytest.raises(kind, match=message):
        sklearn_crfsuite.CRF(**arguments).fit(*data)


@pytest.mark.parametrize("arguments, same", [
    (dict(algorithm="l2sgd", c2=0.1, max_iterations=30, period=5, delta=1e-4),
     dict(optimizer="sgd", l2=0.2, max_iterations=30, window=5, tolerance=1e-4,
          gradient_tolerance=0)),
    (dict(algorithm="ap", max_iterations=5), dict(objective="perceptron", max_iterations=5)),
    (dict(algorithm="pa", pa_type=2, c=0.5, max_iterations=5),
     dict(objective="passive-aggressive", optimizer="pa-2", aggressiveness=0.5, max_iterations=5)),
    (dict(algorithm="arow", variance=2, gamma=0.5, max_iterations=5, min_freq=2),
     dict(objective="arow", variance=2, gamma=0.5, max_iterations=5, min_count=2))])
def test_the_other_algorithms_train_too(data, new_data, arguments, same):
    crf = clone(sklearn_crfsuite.CRF(**arguments)).fit(*data)
    # The record has the options as they were given.
    assert crf.model_.to_bytes("crfsuite") == croft.ChainCRF(**same).fit(*data).model_.to_bytes("crfsuite")
    assert crf.score(*new_data) > 0.9
    assert crf.predict_marginals(new_data[0])[0][0].keys() == set("DJNV")


@pytest.mark.parametrize("seed, labels", [
    (1, "BBCACA"), (3, "BCAACAC"), (4, "AACBBAA"), (5, "BBABAAAC"), (11, "AAAACABBBCA"), (24, "CBCACBBACB")])
def test_the_averaged_perceptron_learns_what_crfsuites_does_from_one_sequence(seed, labels):
    """The labels are those of CRFsuite 0.12.2: with one sequence there is no order to draw."""
    draw = random.Random(seed)
    length = draw.randint(4, 12)
    x = [{draw.choice("abcdef"): draw.choice([1, 0.5, 2]), "w": draw.choice("xyz")} for _ in range(length)]
    y = [draw.choice("ABC") for _ in range(length)]
    assert "".join(sklearn_crfsuite.CRF("ap").fit([x], [y]).predict_single(x)) == labels


def test_an_argument_that_changes_nothing_warns(data):
    with pytest.warns(DifferenceWarning, match="averaging=False changes nothing"):
        sklearn_crfsuite.CRF(algorithm="pa", averaging=False, max_iterations=2).fit(*data)
    with pytest.warns(DifferenceWarning, match="calibration.eta=0.3 changes nothing"):
        sklearn_crfsuite.CRF(algorithm="l2sgd", calibration_eta=0.3, max_iterations=2).fit(*data)


@pytest.mark.parametrize("X, y, kind, message", [
    ([[["a"]]], [["A"], ["B"]], ValueError, "X has 1 sequences and y the labels of 2"),
    ([[["a"]], [["b"]]], [["A"], []], ValueError,
     r"X\[1\], y\[1\]: xseq has 1 positions and yseq 0"),
    ([["a"]], [["A"]], TypeError, r"X\[0\], y\[0\]: .*\[0\] is a str"),
    ([[["a"]]], [[None]], TypeError, r"yseq\[0\] is None"),
    ([[{"a": None}]], [["A"]], TypeError, "NoneType"),
    ([], [], croft.Error, "no sequence to train on")])
def test_data_that_is_wrong_is_an_error_that_says_where(X, y, kind, message):
    with pytest.raises(kind, match=message):
        sklearn_crfsuite.CRF().fit(X, y)


def test_flat_metrics_are_scikit_learns_of_all_positions():
    y_true, y_pred = [["A", "B", "A"], ["C"]], [["A", "A", "A"], ["C"]]
    flat = ["A", "B", "A", "C"], ["A", "A", "A", "C"]
    assert flatten(y_true) == flat[0]
    for ours, theirs in ((metrics.flat_precision_score, precision_score),
                         (metrics.flat_recall_score, recall_score),
                         (metrics.flat_f1_score, f1_score)):
        assert ours(y_true, y_pred, average="macro", zero_division=0) == \
            theirs(*flat, average="macro", zero_division=0)
    assert metrics.flat_fbeta_score(y_true, y_pred, 2, average="micro") == \
        metrics.flat_fbeta_score(y_true, y_pred, beta=2, average="micro") == \
        fbeta_score(*flat, beta=2, average="micro")
    table = metrics.flat_classification_report(y_true, y_pred, ["A", "B"], output_dict=True,
                                               zero_division=0)
    assert set(table) >= {"A", "B"} and "C" not in table
    assert metrics.sequence_accuracy_score(y_true, y_pred) == 0.5
    assert metrics.sequence_accuracy_score([["A"]], [numpy.array(["A"])]) == 1
    assert metrics.sequence_accuracy_score([], []) == 0
    with pytest.raises(ValueError, match=r"y_true\[1\] has 1 labels and y_pred\[1\] has 2"):
        metrics.flat_accuracy_score([["A"], ["A"]], [["A"], ["A", "B"]])
    with pytest.raises(ValueError, match="y_true has 1 sequences and y_pred 2"):
        metrics.sequence_accuracy_score([["A"]], [["A"], ["B"]])


def test_scikit_learn_is_only_needed_for_metrics():
    """With scikit-learn hidden, the estimator still trains, predicts and copies its parameters."""
    program = """
import sys
sys.modules["sklearn"] = sys.modules["sklearn.base"] = sys.modules["sklearn.metrics"] = None
from croft.compat.sklearn_crfsuite import CRF, metrics
crf = CRF(c2=0.5).fit([[["a"], ["b"]]], [["A", "B"]])
assert crf.predict([[["a"], ["b"]]]) == [["A", "B"]] and crf.get_params()["c2"] == 0.5
assert crf.score([[["a"], ["b"]]], [["A", "B"]]) == 1
assert metrics.sequence_accuracy_score([["A"]], [["A"]]) == 1
for call, kind, text in (
        (lambda: metrics.flat_f1_score([["A"]], [["A"]]), ImportError, "scikit-learn"),
        (lambda: CRF().predict([]), ValueError, "not fitted")):
    try:
        call()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_before_a_fit_what_is_learnt_is_none(fitted):
    names = ("tagger_ classes_ size_ num_attributes_ attributes_ state_features_ "
             "transition_features_ training_log_ _info").split()
    unfitted = sklearn_crfsuite.CRF()
    assert [getattr(unfitted, name) for name in names] == [None] * len(names)
    assert unfitted.modelfile.name is None
    assert None not in [getattr(fitted, name) for name in names]


def test_modelfile_is_a_file_that_crfsuite_reads(fitted, new_data, tmp_path):
    kept = []
    for keep in (False, True):
        crf = clone(fitted).set_params(keep_tempfiles=keep).fit(*new_data)
        assert crf.modelfile.auto and crf.modelfile.name == crf.modelfile.name
        kept.append(crf.modelfile.name)
        assert open(kept[-1], "rb").read() == crf.model_.to_bytes("crfsuite")
        tagger = pycrfsuite.Tagger()
        tagger.open(crf.modelfile.name)
        assert tagger.tag(new_data[0][0]) == crf.predict_single(new_data[0][0])
        file = pickle.loads(pickle.dumps(crf.modelfile))
        assert file.name != kept[-1] and open(file.name, "rb").read() == open(kept[-1], "rb").read()
        os.unlink(file.name)
        del crf, tagger, file
    assert [os.path.exists(name) for name in kept] == [False, True]
    os.unlink(kept[1])
    named = sklearn_crfsuite.CRF(model_filename=str(tmp_path / "m"))
    assert named.modelfile.name == str(tmp_path / "m") and not named.modelfile.auto


def test_the_layers_are_found_from_the_package():
    assert croft.compat.sklearn_crfsuite.CRF is sklearn_crfsuite.CRF
    assert croft.compat.pycrfsuite is pycrfsuite
