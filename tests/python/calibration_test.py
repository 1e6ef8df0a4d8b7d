"""Calibrated models and class weights, against scikit-learn's."""
import json
import os
import subprocess
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
            run("predict", "-m", model, "--output", "json", "--marginals=all", path).splitlines()]
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
