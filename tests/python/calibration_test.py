"""Calibrated models and class weights, against scikit-learn's."""
import copy
import json
import os
import pickle
import subprocess
import warnings
from pathlib import Path

import numpy
import pytest

import croft

sklearn = pytest.importorskip("sklearn")
from sklearn.datasets import load_breast_cancer, load_digits  # noqa: E402
from sklearn.isotonic import IsotonicRegression  # noqa: E402
from sklearn.naive_bayes import GaussianNB, MultinomialNB  # noqa: E402
from sklearn.utils.class_weight import compute_class_weight  # noqa: E402

CROFT = os.environ.get("CROFT", "")
if not Path(CROFT).is_file():
    pytest.skip("CROFT does not name the program", allow_module_level=True)


def run(*arguments):
    done = subprocess.run([CROFT, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write_svmlight(path, X, y):
    with open(path, "w", encoding="utf-8") as out:
        for row, label in zip(X, y):
            cells = [f"{j + 1}:{x!r}" for j, x in enumerate(row.tolist()) if x]
            out.write(" ".join([str(label), *cells]) + "\n")
    return path


def write_csv(path, X, y):
    with open(path, "w", encoding="utf-8") as out:
        out.write(",".join(f"x{j}" for j in range(X.shape[1])) + ",label\n")
        for row, label in zip(X, y):
            out.write(",".join(repr(x) for x in row.tolist()) + f",{label}\n")
    return path


def marginals(model, path, labels):
    rows = [json.loads(line)["marginals"][0] for line in
            run("predict", "-m", model, "--to", "json", "--marginals=all", path).splitlines()]
    return numpy.array([[row[str(label)] for label in labels] for row in rows])


@pytest.fixture(scope="module")
def cancer(tmp_path_factory):
    """A Gaussian model of two labels in a file, held-out data, and scikit-learn's log-odds of it."""
    folder = tmp_path_factory.mktemp("cancer")
    X, y = load_breast_cancer(return_X_y=True)
    train, held = slice(0, 300), slice(300, None)
    model = folder / "m.croft"
    run("train", "--quiet", "--model", "naive-bayes", "--format", "csv", "-o", model,
        write_csv(folder / "train.csv", X[train], y[train]))
    joint = GaussianNB().fit(X[train], y[train]).predict_joint_log_proba(X[held])
    data = write_csv(folder / "held.csv", X[held], y[held])
    shown = json.loads(run("inspect", "-m", model, "--json"))["labels"]
    second = int(shown[1])  # one curve of two labels is of the second
    return model, data, joint[:, second] - joint[:, 1 - second], (y[held] == second), second


def calibrated(cancer, method):
    model, data, *_ = cancer
    out = model.with_name(method + ".croft")
    run("calibrate", "-m", model, "--method", method, data, "-o", out)
    return out


def test_isotonic_is_scikit_learns(cancer):
    _, data, odds, right, second = cancer
    found = marginals(calibrated(cancer, "isotonic"), data, [second])[:, 0]
    expected = IsotonicRegression(out_of_bounds="clip").fit(odds, right).predict(odds)
    n = len(right)
    expected = numpy.clip(expected, 1 / (n + 2), (n + 1) / (n + 2))
    assert found == pytest.approx(expected, abs=2e-6)  # a millionth is the model's own


def test_platt_is_scikit_learns_sigmoid(cancer):
    from sklearn.calibration import _SigmoidCalibration
    _, data, odds, right, second = cancer
    found = marginals(calibrated(cancer, "platt"), data, [second])[:, 0]
    expected = _SigmoidCalibration().fit(odds, right).predict(odds)
    assert found == pytest.approx(expected, abs=2e-4)  # its optimiser stops early


def test_a_calibrated_model_from_a_file_is_used_without_an_option(cancer):
    model, data, odds, _, second = cancer
    path = calibrated(cancer, "temperature")
    t = json.loads(run("inspect", "-m", path, "--json"))["calibration"]["temperature"]
    found = marginals(path, data, [second])[:, 0]
    assert found == pytest.approx(1 / (1 + numpy.exp(-odds / t)), rel=1e-6, abs=1e-9)
    text = model.with_name("t.tsv")
    text.write_text("A\tone two\nB\ttwo three\nA\tone\nB\tthree two\nA\ttwo\n", "utf-8")
    plain = model.with_name("t.croft")
    run("train", "--quiet", "--model", "maxent", "--format", "attributes", "-o", plain,
        _attributes(model.with_name("a"), ["A one", "B two", "A one", "B two", "A two"]))
    tempered = model.with_name("tt.croft")
    run("calibrate", "-m", plain, _attributes(model.with_name("b"), ["A one", "B two", "B one"]),
        "-o", tempered)
    before, after = croft.load(str(plain)), croft.load(str(tempered))
    x = [[["one"]], [["two"]]]
    t = json.loads(run("inspect", "-m", tempered, "--json"))["calibration"]["temperature"]
    for p, q in zip(before.predict_proba(x), after.predict_proba(x)):
        powers = p ** (1 / t)
        assert q == pytest.approx(powers / powers.sum(axis=1, keepdims=True), rel=1e-6)
    assert before.predict(x) == after.predict(x)


def estimator(kind, path):
    return {"maxent": croft.LogisticRegression, "naive-bayes": croft.NaiveBayes}[kind].load(path)


@pytest.mark.parametrize("kind", ["maxent", "naive-bayes"])
@pytest.mark.parametrize("name, method", [("cancer", "temperature"), ("cancer", "platt"), ("cancer", "isotonic"),
                                          ("digits", "temperature"), ("digits", "platt"), ("digits", "isotonic")])
def test_estimators_of_a_calibrated_model_say_what_the_program_says(tmp_path, kind, name, method):
    X, y = {"cancer": load_breast_cancer, "digits": load_digits}[name](return_X_y=True)
    X = X[:, X[:400].any(axis=0)]  # what no row has is no attribute of a model
    train, held = slice(0, 400), slice(400, 550)
    plain, path = tmp_path / "p.croft", tmp_path / "m.croft"
    run("train", "--quiet", "--model", kind, "--format", "csv", "-o", plain,
        *(["--variance-floor", "0.1"] if kind == "naive-bayes" else []),  # or digits are beyond calibration
        write_csv(tmp_path / "train.csv", X[train], y[train]))
    data = write_csv(tmp_path / "held.csv", X[held], y[held])
    run("calibrate", "-m", plain, "--method", method, data, "-o", path)
    before, found = estimator(kind, plain), estimator(kind, path)
    X = X[held]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # X has no names
        assert before.calibration_ is None and found.calibration_["method"] == method
        expected = marginals(path, data, found.classes_)
        assert found.predict_proba(X) == pytest.approx(expected, rel=1e-3, abs=1e-5)
        assert abs(found.predict_proba(X) - before.predict_proba(X)).max() > 1e-3
        said = [line.split()[0] for line in run("predict", "-m", path, "--to", "labels", data).splitlines()]
        sure = numpy.sort(expected, axis=1)[:, -1] - numpy.sort(expected, axis=1)[:, -2] > 1e-4
        assert (found.predict(X) == said)[sure].all() and sure.mean() > 0.9
        found.save(tmp_path / "again.croft")
        for again in (estimator(kind, tmp_path / "again.croft"), pickle.loads(pickle.dumps(found)),
                      copy.deepcopy(found)):
            assert again.calibration_ == found.calibration_
            numpy.testing.assert_array_equal(again.predict_proba(X), found.predict_proba(X))


def test_a_calibration_ends_with_the_next_fit(cancer):
    X, y = load_breast_cancer(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # X has no names
        fitted = croft.NaiveBayes.load(calibrated(cancer, "platt"))
        assert fitted.fit(X, y.astype(str)).calibration_ is None
    more = croft.NaiveBayes.load(calibrated(cancer, "platt"))
    with pytest.warns(UserWarning, match="calibrate the new one"):
        more.partial_fit(X[300:], y[300:].astype(str))
    assert more.calibration_ is None
    expected = GaussianNB().fit(X, y).predict_proba(X)[:, [int(label) for label in more.classes_]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert more.predict_proba(X) == pytest.approx(expected, rel=1e-4, abs=1e-6)


def _attributes(path, lines):
    path.write_text("".join(line.replace(" ", "\t") + "\n\n" for line in lines), "utf-8")
    return path


def test_balanced_weights_are_scikit_learns(tmp_path):
    X, y = load_digits(return_X_y=True)
    rare = numpy.flatnonzero((y > 2) | (numpy.arange(len(y)) % 4 == 0))
    X, y = X[rare], y[rare]
    X = X[:, X.any(axis=0)]  # what no row has is no attribute of a file
    classes = numpy.unique(y)
    weight = compute_class_weight("balanced", classes=classes, y=y)
    expected = MultinomialNB().fit(X, y, sample_weight=weight[y]).predict_proba(X)
    data = write_svmlight(tmp_path / "d.svm", X, y)
    model = tmp_path / "m.croft"
    run("train", "--quiet", "--model", "naive-bayes", "--format", "svmlight", "--class-weights",
        "balanced", "-o", model, data)
    found = marginals(model, data, classes)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-12)
    same = croft.NaiveBayes(event="multinomial").fit(X, y, sample_weight=weight[y])
    assert found == pytest.approx(same.predict_proba(X), rel=1e-6, abs=1e-12)
