"""Data without labels, in fit: the program's model, and the objective by its definition."""
import os
import random
import subprocess

import numpy
import pytest

import croft

CROFT = os.path.abspath(os.environ["CROFT"])


def sentences(count, seed):
    draw = random.Random(seed)
    X, y = [], []
    for _ in range(count):
        labels = [draw.choice("AB") for _ in range(draw.randint(2, 6))]
        X.append([[f"w={label.lower()}{draw.randrange(8)}"] for label in labels])
        y.append(labels)
    return X, y


def attribute_lines(X, y=None):
    return "".join("".join(f"{label}\t" + "\t".join(each) + "\n" for each, label in zip(x, labels)) + "\n"
                   for x, labels in zip(X, y or [[""] * len(x) for x in X]))


@pytest.mark.parametrize("options", [{"entropy": 0.5}, {"expectations": "labelled:3", "expectations_weight": 2.0},
                                     {"self_training": 2, "confidence": 0.8}])
def test_the_model_is_the_program_s(tmp_path, options):
    (X, y), (more, _) = sentences(12, 1), sentences(30, 2)
    crf = croft.ChainCRF(**options).fit(X, y, X_unlabelled=more)
    (tmp_path / "data").write_text(attribute_lines(X, y))
    (tmp_path / "more").write_text(attribute_lines(more))
    given = [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    subprocess.run([CROFT, "train", "--quiet", "--format", "attributes", "--unlabelled", "more", *given, "-o", "m",
                    "data"], cwd=tmp_path, check=True)
    crf.save(tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "m").read_bytes()


def test_rows_of_a_matrix_have_the_objective_of_the_definition():
    draw = numpy.random.default_rng(1)
    X, more = draw.normal(size=(20, 3)), draw.normal(size=(50, 3))
    y = numpy.where(X[:, 0] + 0.3 * draw.normal(size=20) > 0, "yes", "no")
    model = croft.LogisticRegression(entropy=0.5, intercept="penalised", gradient_tolerance=1e-9, tolerance=0)
    model.fit(X, y, X_unlabelled=more)
    p = model.predict_proba(more)
    entropy = -(p * numpy.log(p)).sum()
    loss = -model.predict_log_proba(X)[numpy.arange(20), (y == "yes").astype(int)].sum()
    w = numpy.append(model.coef_[0], model.intercept_[0])
    found = loss + 0.5 * (w ** 2).sum() + 0.5 * 20 / 50 * entropy
    assert found == pytest.approx(model.training_log_.result["objective"], rel=1e-6)
    plain = croft.LogisticRegression(intercept="penalised").fit(X, y).predict_proba(more)
    assert entropy < -(plain * numpy.log(plain)).sum()


def test_misuses_are_errors():
    X, y = sentences(5, 1)
    with pytest.raises(ValueError, match="is data for entropy"):
        croft.ChainCRF().fit(X, y, X_unlabelled=X)
    with pytest.raises(ValueError, match="are of data without labels"):
        croft.ChainCRF(entropy=1.0).fit(X, y)
    with pytest.raises(TypeError):
        croft.SegmentCRF().fit(X, y, X_unlabelled=X)
    with pytest.raises(ValueError, match="features"):
        croft.LogisticRegression(entropy=1.0).fit([[0.0, 1.0], [1.0, 0.0]], ["a", "b"], X_unlabelled=[[1.0]])
