"""LogisticRegression on matrices: against scikit-learn's, against its own definition, in files."""
import copy
import itertools
import os
import pickle
import subprocess
import warnings

import numpy
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed: nothing to compare with")
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import croft

CROFT = os.environ["CROFT"]
DATA = {"iris": load_iris, "digits": load_digits, "breast cancer": load_breast_cancer}
EXACT = {"tolerance": 0, "gradient_tolerance": 1e-12, "max_iterations": 20000, "precision": "double"}


def data(name, labels=None, standardised=True):
    X, y = DATA[name](return_X_y=True)
    if labels is not None:
        X, y = X[numpy.isin(y, labels)], y[numpy.isin(y, labels)]
    return (StandardScaler().fit_transform(X) if standardised else X), y


def trained(X, y, sample_weight=None, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return croft.LogisticRegression(**{**EXACT, **parameters}).fit(X, y, sample_weight)


def centred(intercept):
    """With three labels or more a number added to all of them changes nothing."""
    return intercept - intercept.mean() if len(intercept) > 1 else intercept


def expect_same(found, expected, X, relative=1e-6):
    """Weights relative to the largest, log-probabilities each relative to itself or to 1."""
    for ours, theirs in ((found.coef_, expected.coef_),
                         (centred(found.intercept_), centred(expected.intercept_))):
        assert ours.shape == theirs.shape
        assert abs(ours - theirs).max() <= relative * max(abs(theirs).max(), abs(expected.coef_).max())
    numpy.testing.assert_array_equal(found.classes_, expected.classes_)
    scores = expected.decision_function(X)
    if scores.ndim == 1:  # of two labels it takes the logarithm of 1 - p, which has lost its digits where p is near 1
        log_p = numpy.stack([-numpy.logaddexp(0, scores), -numpy.logaddexp(0, -scores)], axis=1)
    else:
        log_p = expected.predict_log_proba(X)
    numpy.testing.assert_allclose(found.predict_log_proba(X), log_p, rtol=relative, atol=relative)
    numpy.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=relative)
    if scores.ndim == 1:
        numpy.testing.assert_allclose(found.decision_function(X), scores, rtol=relative, atol=10 * relative)
    numpy.testing.assert_array_equal(found.predict(X), expected.predict(X))


# Against scikit-learn.

CASES = [("iris", None), ("iris", (1, 2)), ("digits", None), ("digits", (3, 8)), ("breast cancer", None)]


def scikit(X, y, sample_weight=None, **parameters):
    """Its newton-cg is the one of its solvers that goes on to the last digits; its lbfgs stops 1e-9 above the
    optimum, whatever tol is."""
    how = {"C": 1.0, "tol": 1e-9, "max_iter": 60, "solver": "newton-cg", **parameters}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # line searches at the limit of precision
        return LogisticRegression(**how).fit(X, y, sample_weight)


@pytest.mark.parametrize("C", [0.1, 1, 10])
@pytest.mark.parametrize("name, labels", CASES)
def test_it_has_the_optimum_of_scikit_learn(name, labels, C):
    X, y = data(name, labels)
    expect_same(trained(X, y, l2=1 / C), scikit(X, y, C=C), X)


@pytest.mark.parametrize("name, labels", [("iris", None), ("iris", (1, 2)), ("digits", (3, 8))])
def test_raw_columns_have_it_too(name, labels):
    X, y = data(name, labels, standardised=False)
    expect_same(trained(X, y), scikit(X, y), X)


@pytest.mark.parametrize("name, labels", CASES)
def test_without_an_intercept(name, labels):
    X, y = data(name, labels)
    found = trained(X, y, intercept="none")
    assert not found.intercept_.any()
    expected = scikit(X, y, fit_intercept=False)
    expected.intercept_ = numpy.zeros(len(found.intercept_))
    expect_same(found, expected, X)


@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize("name, labels", [("iris", None), ("iris", (1, 2)), ("breast cancer", None)])
def test_elastic_nets_have_the_optimum_of_saga(name, labels, share):
    X, y = data(name, labels)
    expected = scikit(X, y, C=0.5, penalty="elasticnet", solver="saga", l1_ratio=share, tol=1e-12,
                      max_iter=100000)
    found = trained(X, y, l1=2 * share, l2=2 * (1 - share), gradient_tolerance=1e-10)
    expect_same(found, expected, X, 1e-5 if share == 1 else 1e-6)
    assert ((found.coef_ == 0) == (abs(expected.coef_) < 1e-9)).all()
    assert (found.coef_ == 0).any()


# liblinear penalises the intercept as a weight of a column of ones.
def test_a_penalised_intercept_is_liblinears():
    X, y = data("breast cancer")
    for parameters, ours in (({"penalty": "l2"}, {"l2": 1}), ({"penalty": "l1"}, {"l1": 1, "l2": 0})):
        expected = scikit(X, y, solver="liblinear", max_iter=100000, random_state=1, **parameters)
        found = trained(X, y, intercept="penalised", gradient_tolerance=1e-9, **ours)
        expect_same(found, expected, X, 1e-5)


@pytest.mark.parametrize("name, labels", [("iris", None), ("breast cancer", None)])
def test_class_weights_and_sample_weights_are_scikit_learns(name, labels):
    X, y = data(name, labels)
    y, X = y[:-40], X[:-40]  # not balanced
    weight = numpy.random.default_rng(1).integers(0, 4, len(y)) / 2
    for class_weight in (None, "balanced", {0: 2.5, 1: 0.5}):
        for sample_weight in (None, weight):
            found = trained(X, y, sample_weight, class_weight=class_weight)
            expect_same(found, scikit(X, y, sample_weight, class_weight=class_weight), X)


# What it is.

def objective(model, X, y, l1, l2):
    """F of its definition, in which two labels have one vector."""
    log_p = model.predict_log_proba(X)[numpy.arange(len(y)), numpy.searchsorted(model.classes_, y)]
    return -log_p.sum() + l1 * abs(model.coef_).sum() + l2 / 2 * (model.coef_ ** 2).sum()


@pytest.mark.parametrize("labels", [(0, 1, 2), (1, 2)])
@pytest.mark.parametrize("l1, l2", [(0, 2), (1.5, 0), (1.5, 2)])
def test_the_objective_is_that_of_the_docstring(labels, l1, l2):
    X, y = data("iris", labels)
    found = trained(X, y, l1=l1, l2=l2, gradient_tolerance=1e-10)
    value = objective(found, X, y, l1, l2)
    assert found.training_log_.result["objective"] == pytest.approx(value, rel=1e-9)
    random = numpy.random.default_rng(2)
    for _ in range(20):  # and no point near has less
        other = copy.copy(found)
        other.coef_ = found.coef_ + 1e-3 * random.normal(size=found.coef_.shape)
        other.intercept_ = found.intercept_ + 1e-3 * random.normal(size=found.intercept_.shape)
        assert objective(other, X, y, l1, l2) > value


# Data and model agree in how often labels are; of columns they differ by l2 w.
def test_the_expectations_of_the_intercept_agree_and_others_differ_by_the_penalty():
    X, y = data("iris")
    found = trained(X, y, l2=3)
    difference = numpy.eye(3)[y] - found.predict_proba(X)
    numpy.testing.assert_allclose(difference.sum(axis=0), 0, atol=1e-8)
    numpy.testing.assert_allclose(difference.T @ X, 3 * found.coef_, atol=1e-8)


def test_a_row_with_weight_2_is_the_row_twice():
    X, y = data("iris")
    weight = numpy.arange(len(y)) % 3
    once = trained(X, y, weight)
    twice = trained(numpy.repeat(X, weight, axis=0), numpy.repeat(y, weight))
    numpy.testing.assert_allclose(once.coef_, twice.coef_, atol=1e-8)
    numpy.testing.assert_allclose(once.intercept_, twice.intercept_, atol=1e-8)


# 1 of 10 in a cell without a feature of its own is what the other says: overlapping labels, so that
# the optimum without a penalty is finite.
def test_a_feature_twice_leaves_the_unpenalised_posterior_unchanged():
    X = numpy.array([[0.0], [1.0], [2.0], [3.0], [1.0], [2.0]])
    y = ["a", "a", "b", "b", "b", "a"]
    once = trained(X, y, l2=0)
    twice = trained(numpy.hstack([X, X]), y, l2=0)
    numpy.testing.assert_allclose(once.predict_proba(X), twice.predict_proba(numpy.hstack([X, X])), atol=1e-9)
    assert abs(once.predict_proba(X) - 0.5).max() > 0.2
    bayes = [croft.NaiveBayes(event="gaussian").fit(Z, y).predict_proba(Z)[:, 0]
             for Z in (X, numpy.hstack([X, X]))]
    assert abs(bayes[0] - bayes[1]).max() > 0.01


def test_the_softmax_of_two_scores_is_the_sigmoid_of_their_difference():
    X, y = data("iris", (1, 2))
    found = trained(X, y)
    with_two = found.model_.state_features  # of the two labels, as the model file has them
    scores = found.decision_function(X)
    two = numpy.zeros((len(X), 2))
    for (name, label), weight in with_two.items():
        two[:, int(label) - 1] += weight * (1 if name == "(intercept)" else X[:, int(name[1:])])
    numpy.testing.assert_allclose(two[:, 1] - two[:, 0], scores, rtol=1e-5, atol=1e-5)
    softmax = numpy.exp(two) / numpy.exp(two).sum(axis=1, keepdims=True)
    numpy.testing.assert_allclose(softmax, found.predict_proba(X), atol=1e-5)
    numpy.testing.assert_allclose(1 / (1 + numpy.exp(-scores)), found.predict_proba(X)[:, 1], rtol=1e-12)


def test_far_scores_have_finite_log_probabilities():
    X, y = data("breast cancer", standardised=False)
    found = trained(X, y, max_iterations=100)
    log_p = found.predict_log_proba(1e6 * X)
    assert numpy.isfinite(log_p).all() and (log_p <= 0).all()
    many = trained(*data("digits"), max_iterations=50)
    assert numpy.isfinite(many.predict_log_proba(1e6 * data("digits")[0])).all()


def test_sparse_matrices_are_the_dense_ones():
    X, y = data("digits", standardised=False)
    S = scipy.sparse.csr_matrix(X)
    dense, sparse = (trained(each, y, max_iterations=30) for each in (X, S))
    numpy.testing.assert_array_equal(dense.coef_, sparse.coef_)
    for model, other in itertools.product((dense, sparse), (X, S, S.tocsc(), S.tocoo())):
        numpy.testing.assert_allclose(model.decision_function(other), dense.decision_function(X), rtol=1e-12)
    twice = scipy.sparse.csr_matrix((numpy.ones(4), [0, 0, 1, 1], [0, 2, 4]), (2, 64))  # 2 in the columns 0 and 1
    numpy.testing.assert_allclose(dense.decision_function(twice), dense.decision_function(twice.toarray()))


def test_threads_change_no_bit():
    X, y = data("digits")
    one, two = (trained(X, y, threads=n, max_iterations=20) for n in (1, 3))
    numpy.testing.assert_array_equal(one.coef_, two.coef_)


def test_optimizers_reach_the_same_optimum():
    X, y = data("iris")
    expected = trained(X, y)
    for optimizer in ("truncated-newton", "newton", "bfgs", "cg"):
        found = trained(X, y, optimizer=optimizer)
        numpy.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-6)
    penalised = trained(X, y, intercept="penalised")
    dual = croft.LogisticRegression(intercept="penalised", optimizer="sdca", gap=1e-14, tolerance=0,
                                    gradient_tolerance=0, max_iterations=5000).fit(X, y)
    numpy.testing.assert_allclose(dual.coef_, penalised.coef_, atol=1e-6)
    with pytest.raises(ValueError, match="cannot leave the intercept unpenalised; .*lbfgs"):
        trained(X, y, optimizer="sdca")


# Among scikit-learn's tools.

CHECKS = [(estimator, check) for parameters in ({}, {"l1": 0.1, "l2": 0.1}, {"intercept": "penalised", "l2": 0.1})
          for estimator, check in check_estimator(croft.LogisticRegression(**parameters), generate_only=True)]


@pytest.mark.parametrize("estimator, check", CHECKS,
                         ids=[f"{n}-{check.func.__name__}" for n, (_, check) in enumerate(CHECKS)])
def test_the_check_holds(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_it_goes_into_pipelines_and_searches():
    X, y = data("iris", standardised=False)
    search = GridSearchCV(make_pipeline(StandardScaler(), croft.LogisticRegression()),
                          {"logisticregression__l2": [0.1, 1e4]}, cv=3).fit(X, y)
    assert search.best_params_ == {"logisticregression__l2": 0.1}
    assert search.score(X, y) > 0.95


def test_copies_and_pickles_say_the_same(tmp_path):
    X, y = data("iris")
    names = numpy.array(["setosa", "versicolor", "virginica"])
    for labels in (y, names[y], names[y].astype(object), y == 1, y.astype(float)):
        found = croft.LogisticRegression(l2=0.5).fit(X, labels)
        found.save(tmp_path / "m.croft")
        for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
            numpy.testing.assert_array_equal(again.predict_proba(X), found.predict_proba(X))
        again = croft.LogisticRegression.load(tmp_path / "m.croft")  # weights are float32 there
        numpy.testing.assert_allclose(again.predict_proba(X), found.predict_proba(X), atol=1e-6)
        numpy.testing.assert_array_equal(again.predict(X), found.predict(X))
        assert again.classes_.dtype == found.classes_.dtype
        assert again.get_params() == found.get_params()
    with pytest.raises(NotFittedError):
        clone(found).predict(X)


# The program and the package share the file.

def as_attributes(X, names, path):
    path.write_text("".join("\t" + "\t".join(f"{n}:{v!r}" for n, v in zip(names, map(float, row))) + "\n\n"
                            for row in X))


def test_the_program_reads_the_file(tmp_path):
    X, y = data("iris")
    found = croft.LogisticRegression().fit(X, y)
    found.save(tmp_path / "m.croft")
    as_attributes(X, [f"x{d}" for d in range(4)], tmp_path / "data")
    lines = subprocess.run([CROFT, "predict", "-m", tmp_path / "m.croft", "--to", "labels", tmp_path / "data"],
                           check=True, capture_output=True, text=True).stdout.split()
    assert [int(line) for line in lines] == list(found.predict(X))
    said = subprocess.run([CROFT, "inspect", "-m", tmp_path / "m.croft"], check=True, capture_output=True,
                          text=True).stdout
    assert "unpenalised" in said
    model = croft.load(tmp_path / "m.croft")
    rows = [[{f"x{d}": value for d, value in enumerate(row)}] for row in X[:5]]
    assert [int(labels[0]) for labels in model.predict(rows)] == list(found.predict(X[:5]))


def program(tmp_path, text, *options):
    (tmp_path / "data").write_text(text)
    subprocess.run([CROFT, "train", "-o", tmp_path / "m.croft", "--quiet", *options, tmp_path / "data"], check=True)
    return tmp_path / "m.croft"


def table(X, y, names):
    rows = [[*names, "label"]] + [[*(repr(float(v)) for v in row), f"c{label}"] for row, label in zip(X, y)]
    return "".join(",".join(row) + "\n" for row in rows)


# zoo comes after alpha in the order of bytes, and 10 before 2.
def test_columns_of_models_of_the_program_are_in_the_order_of_its_data(tmp_path):
    X, y = data("iris")
    X = numpy.hstack([X, X * X, numpy.sin(X)])[:, :11]
    names = ["zoo", "alpha", "m", "b"] + [f"n{d}" for d in range(7)]
    exact = ("--tolerance", "0", "--gradient-tolerance", "1e-9", "--intercept=unpenalised")
    expected = trained(X, numpy.array([f"c{label}" for label in y]))
    csv = program(tmp_path, table(X, y, names), "--model", "maxent", "--format", "csv", *exact)
    found = croft.LogisticRegression.load(csv)
    assert list(found.feature_names_in_) == names and found.intercept == "unpenalised"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # X has no names
        numpy.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X)[
            :, [list(expected.classes_).index(label) for label in found.classes_]], atol=1e-5)
        svmlight = "".join(f"{label} " + " ".join(f"{d + 1}:{float(v)!r}" for d, v in enumerate(row)) + "\n"
                           for row, label in zip(X, y))
        found = croft.LogisticRegression.load(
            program(tmp_path, svmlight, "--model", "maxent", "--format", "svmlight", *exact))
        assert list(found.feature_names_in_) == [str(d + 1) for d in range(11)]
        numpy.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X)[
            :, [list(expected.classes_).index(f"c{label}") for label in found.classes_]], atol=1e-5)
        for format, text, order in (("csv", table(X, y, names), names), ("svmlight", svmlight, range(1, 12))):
            bayes = croft.NaiveBayes.load(program(tmp_path, text, "--model", "naive-bayes", "--format", format,
                                                  "--event", "gaussian"))
            assert list(bayes.feature_names_in_) == [str(name) for name in order]
            mine = croft.NaiveBayes(event="gaussian").fit(X, y).predict_proba(X)
            order = [int(label[-1]) for label in bayes.classes_]
            numpy.testing.assert_allclose(bayes.predict_proba(X), mine[:, order], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("labels", [(0, 1, 2), (1, 2)])
@pytest.mark.parametrize("penalties", [("--l2", "2"), ("--l1", "0.5", "--l2", "1")])
def test_the_penalties_of_a_model_of_the_program_find_it_again(tmp_path, labels, penalties):
    X, y = data("iris", labels)
    path = program(tmp_path, table(X, y, "abcd"), "--model", "maxent", "--format", "csv", "--intercept=unpenalised",
                   "--features", "all", "--tolerance", "0", "--gradient-tolerance", "1e-9", *penalties)
    found = croft.LogisticRegression.load(path)
    assert found.l2 == float(penalties[-1]) / (2 if len(labels) == 2 else 1)
    again = clone(found).set_params(**EXACT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # X has no names
        again.fit(X, numpy.array([f"c{label}" for label in y]))
        order = [list(again.classes_).index(label) for label in found.classes_]
        numpy.testing.assert_allclose(found.predict_proba(X), again.predict_proba(X)[:, order], atol=1e-5)


def test_columns_that_are_more_than_numbers_are_refused(tmp_path):
    text = "colour,size,label\nred,1,a\nblue,2,b\ngreen,3,b\n"
    with pytest.raises(croft.Error, match='"colour" of its table is one of categories'):
        croft.LogisticRegression.load(program(tmp_path, text, "--model", "maxent", "--format", "csv"))
    text = "size,width,label\n1,2,a\n2,5,b\n4,3,b\n"
    with pytest.raises(croft.Error, match="standardised the columns"):
        croft.LogisticRegression.load(program(tmp_path, text, "--model", "maxent", "--format", "csv", "--standardise"))
    with pytest.raises(ValueError, match="of kind chain"):
        croft.LogisticRegression.load(program(tmp_path, "a\tx\n\nb\ty\n\n", "--format", "attributes"))


# What is wrong is said.

@pytest.mark.parametrize("parameters, said", [
    ({"intercept": True}, "intercept is True; choose one of"), ({"class_weight": "equal"}, "class_weight is 'equal'"),
    ({"class_weight": {7: 1}}, "which is no label of y"), ({"class_weight": {0: -1}}, "^class_weight has -1 for 0"),
    ({"l2": -1}, '^l2: "-1" is not a finite number from 0 on'), ({"l1": 1, "optimizer": "lbfgs"}, "l1"),
    ({"optimizer": "best"}, "no optimizer"), ({"gap": 1e-3}, "gap"), ({"precision": "half"}, 'precision: "half"')])
def test_bad_parameters_are_named(parameters, said):
    X, y = data("iris")
    with pytest.raises(ValueError, match=said):
        croft.LogisticRegression(**parameters).fit(X, y)
    if "l2" in parameters or parameters.get("class_weight") == {0: -1}:  # of two labels the trainer has another l2
        with pytest.raises(ValueError, match=said):
            croft.LogisticRegression(**parameters).fit(X[:100], y[:100])


def test_bad_data_is_named():
    X, y = data("iris")
    with pytest.raises(ValueError, match="y has one class, 0"):
        croft.LogisticRegression().fit(X, numpy.zeros(len(y), int))
    with pytest.raises(ValueError, match="sample_weight has numbers that are below 0"):
        croft.LogisticRegression().fit(X, y, -numpy.ones(len(y)))
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: columns have no names")
    with pytest.raises(ValueError, match="the name of the intercept"):
        croft.LogisticRegression().fit(pandas.DataFrame({"(intercept)": X[:, 0]}), y)


def test_a_training_that_is_cut_short_warns():
    X, y = data("digits")
    with pytest.warns(ConvergenceWarning, match="iterations"):
        found = croft.LogisticRegression(max_iterations=2).fit(X, y)
    assert found.n_iter_ == 2 == found.training_log_[-1]["iteration"]


def test_a_callback_sees_each_iteration_and_stops():
    X, y = data("digits")
    seen = []
    found = croft.LogisticRegression().fit(X, y, callback=lambda event: seen.append(event) or len(seen) < 4)
    assert len(seen) == 4 and found.training_log_.result["reason"] == "stopped"
