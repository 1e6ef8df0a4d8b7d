"""NaiveBayes against scikit-learn's on its data sets, and scikit-learn's own checks of estimators."""
import copy
import doctest
import os
import pickle
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy
import pytest
import scipy.sparse
import sklearn.naive_bayes
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

import croft

DATA = {"iris": load_iris, "digits": load_digits, "breast cancer": load_breast_cancer}
PEER = {
    "gaussian": lambda **how: sklearn.naive_bayes.GaussianNB(),
    "bernoulli": lambda **how: sklearn.naive_bayes.BernoulliNB(**how, binarize=2.0),
    "multinomial": lambda **how: sklearn.naive_bayes.MultinomialNB(**how),
    "complement": lambda **how: sklearn.naive_bayes.ComplementNB(**how),
    "complement, norm": lambda **how: sklearn.naive_bayes.ComplementNB(**how, norm=True),
    "categorical": lambda **how: sklearn.naive_bayes.CategoricalNB(**how),
}


def ours(event, **how):
    if event == "bernoulli":
        how["binarize"] = 2.0
    return croft.NaiveBayes(event=event.split(",")[0], norm="norm" in event, **how)


def data_set(name, event):
    X, y = DATA[name](return_X_y=True)
    return (numpy.floor(X), y) if event == "categorical" else (X, y)


def same(a, b, tolerance=1e-6):
    numpy.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("event", PEER)
@pytest.mark.parametrize("weighted", [False, True])
def test_log_probabilities_equal_scikit_learns(name, event, weighted):
    X, y = data_set(name, event)
    # scikit-learn's var_smoothing is of the variance without weights: there a row of weight 2 is not the row twice.
    weight = numpy.random.default_rng(1).integers(1, 4, len(y)) if weighted else numpy.ones(len(y), int)
    peer = PEER[event](**({} if event == "gaussian" else {"alpha": 0.5}))
    peer.fit(numpy.repeat(X, weight, axis=0), numpy.repeat(y, weight))
    model = ours(event, alpha=0.5).fit(X, y, weight if weighted else None)
    joint = peer._joint_log_likelihood(peer._check_X(X))
    numpy.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-6)
    same(model.predict_log_proba(X), peer.predict_log_proba(X))
    same(model.predict_proba(X), peer.predict_proba(X))
    assert (model.predict(X) == peer.predict(X)).all()
    assert model.score(X, y) == peer.score(X, y)
    same(model.class_count_, peer.class_count_)
    if event == "gaussian":
        same(model.theta_, peer.theta_)
        same(model.var_, peer.var_)
        assert model.epsilon_ == pytest.approx(peer.epsilon_, rel=1e-9)
    elif event == "categorical":
        for ours_, theirs in zip(model.feature_log_prob_, peer.feature_log_prob_):
            same(ours_, theirs)
        for ours_, theirs in zip(model.category_count_, peer.category_count_):
            same(ours_, theirs)
    else:
        same(model.feature_log_prob_, peer.feature_log_prob_)
        same(model.feature_count_, peer.feature_count_)
        same(model.class_log_prior_, peer.class_log_prior_)


@pytest.mark.parametrize("event", ["multinomial", "bernoulli", "complement"])
def test_sparse_matrices_are_as_dense_ones(event):
    X, y = load_digits(return_X_y=True)
    dense = ours(event).fit(X, y)
    for form in (scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_matrix):
        sparse = ours(event).fit(form(X), y)
        same(sparse.predict_joint_log_proba(form(X)), dense.predict_joint_log_proba(X), 1e-12)


def test_gaussian_naive_bayes_gets_six_of_the_irises_wrong():
    X, y = load_iris(return_X_y=True)
    assert (croft.NaiveBayes(event="gaussian").fit(X, y).predict(X) != y).sum() == 6


@pytest.mark.parametrize("event", PEER)
def test_adding_rows_is_fitting_all_of_them(event):
    X, y = data_set("digits", event)
    model = ours(event, min_categories=int(X.max()) + 1)
    for begin in range(0, len(y), 400):
        part = slice(begin, begin + 400)
        model.partial_fit(X[part], y[part], classes=numpy.arange(10))
    whole = ours(event, min_categories=int(X.max()) + 1).fit(X, y)
    same(model.predict_joint_log_proba(X), whole.predict_joint_log_proba(X), 1e-9)


def test_labels_that_were_not_named_are_refused():
    model = croft.NaiveBayes().partial_fit([[1.0]], ["a"], classes=["a", "b"])
    with pytest.raises(ValueError, match="'c' in y is not among classes"):
        model.partial_fit([[1.0]], ["c"])
    with pytest.raises(ValueError, match="first call"):
        model.partial_fit([[1.0]], ["a"], classes=["a", "c"])


def test_columns_of_several_kinds_add_up():
    X, y = load_iris(return_X_y=True)
    X = numpy.column_stack([X[:, :2], numpy.floor(X[:, 2:]), X[:, 0] > 5])
    events = ["gaussian", "gaussian", "categorical", "categorical", "bernoulli"]
    model = croft.NaiveBayes(event=events).fit(X, y)
    parts = [sklearn.naive_bayes.GaussianNB().fit(X[:, :2], y), sklearn.naive_bayes.CategoricalNB().fit(X[:, 2:4], y),
             sklearn.naive_bayes.BernoulliNB().fit(X[:, 4:], y)]
    joint = sum(part._joint_log_likelihood(part._check_X(columns)) for part, columns in
                zip(parts, [X[:, :2], X[:, 2:4], X[:, 4:]]))
    same(model.predict_joint_log_proba(X), joint - 2 * numpy.log(1 / 3))  # one prior of the three
    with pytest.raises(AttributeError, match="theta_ is there with event gaussian alone"):
        model.theta_


def test_priors_are_learnt_uniform_or_given():
    X, y = load_iris(return_X_y=True)
    X, y = X[20:], y[20:]
    for priors, peer in ((None, None), ("uniform", [1 / 3] * 3), ([0.5, 0.2, 0.3], [0.5, 0.2, 0.3])):
        model = croft.NaiveBayes(event="gaussian", priors=priors).fit(X, y)
        other = sklearn.naive_bayes.GaussianNB(priors=peer).fit(X, y)
        same(model.predict_log_proba(X), other.predict_log_proba(X))
        same(numpy.exp(model.class_log_prior_), other.class_prior_)
    with pytest.raises(ValueError, match="priors has 2 numbers"):
        croft.NaiveBayes(event="gaussian", priors=[0.5, 0.5]).fit(X, y)
    with pytest.raises(ValueError, match="labels sum to 0"):
        croft.NaiveBayes(event="gaussian", priors=[0.5, 0.2, 0.2]).fit(X, y)


def test_rows_without_labels_help_where_few_have_one():
    X, y = load_digits(return_X_y=True)
    known = numpy.concatenate([numpy.flatnonzero(y == digit)[:2] for digit in range(10)])
    rest = numpy.delete(X, known, axis=0)
    alone = croft.NaiveBayes().fit(X[known], y[known])
    model = croft.NaiveBayes().fit(X[known], y[known], X_unlabelled=rest)
    assert model.score(X, y) > alone.score(X, y) + 0.03
    assert all(b <= a + 1e-9 * abs(a) for a, b in zip(model.objective_, model.objective_[1:]))
    assert alone.objective_ == []
    assert model.class_count_.sum() == pytest.approx(len(y))
    sparse = croft.NaiveBayes().fit(X[known], y[known], X_unlabelled=scipy.sparse.csr_matrix(rest))
    same(sparse.predict_proba(X), model.predict_proba(X), 1e-9)
    with pytest.warns(UserWarning, match="em_iterations=2"):
        croft.NaiveBayes(em_iterations=2, em_tolerance=0).fit(X[known], y[known], X_unlabelled=rest)


def test_ctrl_c_ends_em_and_keeps_the_model_of_the_iteration(monkeypatch):
    X, y = load_digits(return_X_y=True)
    rest = numpy.tile(X[40:], (10, 1)) + numpy.linspace(0, 1, 10 * len(X[40:]))[:, None]
    arrays = croft.naive_bayes._arrays

    def begin(matrix):  # the last thing before the counting
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        return arrays(matrix)
    monkeypatch.setattr(croft.naive_bayes, "_arrays", begin)
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.warns(croft.TrainingInterrupted, match="after iteration"):
            model = croft.NaiveBayes(em_iterations=10**7, em_tolerance=0, event="gaussian").fit(
                X[:40], y[:40], X_unlabelled=rest)
    finally:
        monkeypatch.undo()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert len(model.objective_) > 0 and model.score(X, y) > 0.3


@pytest.mark.parametrize("alpha", [1, 0.25])
@pytest.mark.parametrize("event", ["multinomial", "bernoulli"])
def test_the_objective_of_em_is_that_of_the_docstring(event, alpha):
    X, y = load_digits(return_X_y=True)
    known, rest = X[:200], X[200:400]
    start = ours(event, alpha=alpha).fit(known, y[:200])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one iteration is not enough
        model = ours(event, alpha=alpha, em_iterations=1).fit(known, y[:200], X_unlabelled=rest)
    of_known = start.predict_joint_log_proba(known)[numpy.arange(200), y[:200]].sum()
    of_rest = numpy.logaddexp.reduce(start.predict_joint_log_proba(rest), axis=1).sum()
    smoothed = start.feature_log_prob_.sum()
    if event == "bernoulli":
        smoothed += numpy.log1p(-numpy.exp(start.feature_log_prob_)).sum()
    assert model.objective_ == [pytest.approx(-(of_known + of_rest) - alpha * smoothed, rel=1e-9)]


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_a_model_of_texts_has_one_event(tmp_path):
    (tmp_path / "t").write_text("a\tone two two\nb\tthree\n")
    subprocess.run([os.environ["CROFT"], "train", "--quiet", "--model", "naive-bayes", "--format", "text", "-o",
                    tmp_path / "m.croft", tmp_path / "t"], check=True)
    model = croft.NaiveBayes.load(tmp_path / "m.croft")
    assert model.event == "multinomial" and list(model.feature_names_in_) == ["one", "three", "two"]
    assert sklearn.base.clone(model).fit([[1, 0], [0, 1]], ["a", "b"]).n_features_in_ == 2
    (tmp_path / "t").write_text("x,label\n1,b\n2,a\n3,a\n1.5,b\n")  # b is the first of its labels
    subprocess.run([os.environ["CROFT"], "train", "--quiet", "--model", "naive-bayes", "--format", "csv", "-o",
                    tmp_path / "m.croft", tmp_path / "t"], check=True)
    table = croft.NaiveBayes.load(tmp_path / "m.croft")
    counts = dict(zip(table.classes_, table.partial_fit([[9.0]], ["a"]).class_count_))
    assert table.event == "gaussian" and counts == {"a": 3, "b": 2}


@pytest.mark.parametrize("labels", [[3, 5, 9], ["a", "b", "c"], [3.0, 5.0, 9.0]])
@pytest.mark.parametrize("event", ["gaussian", "categorical", "multinomial"])
def test_a_saved_model_is_the_model(tmp_path, labels, event):
    X, y = data_set("iris", event)
    y = numpy.array(labels)[y]
    model = croft.NaiveBayes(event=event, priors=[0.5, 0.25, 0.25]).fit(X, y)
    model.save(tmp_path / "m.croft")
    for again in (croft.NaiveBayes.load(tmp_path / "m.croft"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert (again.predict(X) == model.predict(X)).all()
        assert again.classes_.dtype == model.classes_.dtype
        numpy.testing.assert_array_equal(again.predict_joint_log_proba(X), model.predict_joint_log_proba(X))
        assert again.get_params() == model.get_params()
        same(again.partial_fit(X, y).class_count_, 2 * model.class_count_)


def test_the_program_labels_with_a_saved_model(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = croft.NaiveBayes(event="gaussian").fit(X, y)
    model.save(tmp_path / "m.croft")
    lines = ["\t".join(["?"] + [f"x[{d}]:{x!r}" for d, x in enumerate(row)]) + "\n\n" for row in X.tolist()]
    (tmp_path / "iris").write_text("".join(lines))
    out = subprocess.run([os.environ["CROFT"], "predict", "-m", tmp_path / "m.croft", tmp_path / "iris"],
                         capture_output=True, text=True, check=True).stdout
    assert out.split() == [str(label) for label in model.predict(X)]


def test_what_numbers_must_be_is_said():
    y = ["a", "b"]
    for event in ("multinomial", "complement", "categorical"):
        with pytest.raises(ValueError, match="Negative values in data passed to NaiveBayes.*column 1"):
            croft.NaiveBayes(event=event).fit([[1, 0], [0, -1]], y)
    with pytest.raises(ValueError, match="column 0 that is no category"):
        croft.NaiveBayes(event="categorical").fit([[1.5, 0], [0, 1]], y)
    with pytest.raises(ValueError, match="event is 'poisson'; choose among multinomial"):
        croft.NaiveBayes(event="poisson").fit([[1, 0], [0, 1]], y)
    with pytest.raises(ValueError, match="event has 1 names"):
        croft.NaiveBayes(event=["gaussian"]).fit([[1, 0], [0, 1]], y)
    with pytest.raises(ValueError, match='^alpha: "-1" is not'):
        croft.NaiveBayes(alpha=-1).fit([[1, 0], [0, 1]], y)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        croft.NaiveBayes().predict([[1.0]])
    with pytest.raises(ValueError, match="probability 0 under every label"):
        croft.NaiveBayes(alpha=0).fit([[1, 0], [0, 1]], y).predict_proba([[1, 1]])


def test_categories_that_were_not_seen_say_nothing():
    model = croft.NaiveBayes(event="categorical").fit([[0, 1], [1, 0]], ["a", "b"])
    same(model.predict_joint_log_proba([[7, 1]]),
         model.predict_joint_log_proba([[0, 1]]) - numpy.log([[2 / 3, 1 / 3]]), 1e-12)
    wide = croft.NaiveBayes(event="categorical", min_categories=3).fit([[0, 1], [1, 0]], ["a", "b"])
    same(numpy.exp(wide.feature_log_prob_[0]), [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]], 1e-12)


class ComplementNB(croft.NaiveBayes):
    """By this name scikit-learn's checks know whose labels they cannot all expect to be predicted."""


def test_a_fit_that_failed_leaves_what_was_learnt():
    X, y = numpy.array([[0, 1], [1, 0], [1, 1]]), ["a", "b", "b"]
    model = croft.NaiveBayes(event="categorical").fit(X, y)
    before = model.predict_joint_log_proba(X)
    with pytest.raises(ValueError, match='alpha: "-1"'):
        model.set_params(alpha=-1).partial_fit([[5, 5]], ["a"])
    numpy.testing.assert_array_equal(model.predict_joint_log_proba(X), before)
    model.predict([[5, 5]])
    assert model.feature_log_prob_[0].shape == (2, 2)
    assert model.set_params(alpha=1).partial_fit([[5, 5]], ["a"]).feature_log_prob_[0].shape == (2, 6)


WITHOUT_SKLEARN = """
import sys
sys.modules["sklearn"] = sys.modules["sklearn.base"] = sys.modules["sklearn.utils.multiclass"] = None
sys.modules["sklearn.exceptions"] = None
import croft, numpy, scipy.sparse
X = numpy.array([[2, 0], [1, 1], [0, 3]])
for matrix in (X, scipy.sparse.csc_matrix(X), X.tolist()):
    model = croft.NaiveBayes().fit(matrix, ["a", "a", "b"])
    assert list(model.predict(matrix)) == ["a", "a", "b"] and model.score(matrix, ["a", "a", "a"]) == 2 / 3
    assert model.get_params()["alpha"] == 1
def fails(what, *words):
    try:
        what()
    except ValueError as error:
        assert all(word in str(error) for word in words), error
    else:
        raise SystemExit(f"no error: {words}")
fails(lambda: model.predict([[1]]), "1 features", "expecting 2")
fails(lambda: model.predict([1]), "1 axes")
fails(lambda: model.fit([[float("nan")]], ["a"]), "not finite")
fails(lambda: model.fit(X, ["a"]), "shape (1,)", "3 rows")
fails(lambda: croft.NaiveBayes().predict(X), "not fitted yet")
"""


def test_scikit_learn_is_not_needed():
    subprocess.run([sys.executable, "-c", WITHOUT_SKLEARN], check=True)


def test_the_example_of_the_document_prints_what_it_says():
    document = Path(__file__).resolve().parents[2] / "docs" / "naive_bayes.md"
    failed, run = doctest.testfile(str(document), module_relative=False)
    assert failed == 0 and run == 6


# The check of class_weight has numbers below 0, which counts are not.
CHECKS = [(event, *each) for event in ("gaussian", "multinomial", "bernoulli", "complement")
          for each in check_estimator((ComplementNB if event == "complement" else croft.NaiveBayes)(event=event),
                                      generate_only=True)
          if event in ("gaussian", "bernoulli") or each[1].func.__name__ != "check_class_weight_classifiers"]


@pytest.mark.parametrize("event, estimator, check", CHECKS,
                         ids=[f"{event}-{check.func.__name__}" for event, _, check in CHECKS])
def test_the_check_holds(event, estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)
