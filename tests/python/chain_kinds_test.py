"""HiddenChainCRF, PoolCRF, ErrorCorrectingCRF, JointMaxent and Mixture: estimators, and the program's models."""
import math
import os
import pickle
import subprocess

import numpy
import pytest
from sklearn.base import clone

import croft

CROFT = os.environ["CROFT"]
X = [[["w[0]=a", "w[1]=b"], ["w[0]=b", "w[-1]=a"]], [["w[0]=b"], ["w[0]=a"], ["w[0]=c", "w[-1]=a"]],
     [["w[0]=c"], ["w[0]=a"]], [["w[0]=a"], ["w[0]=c"]]] * 3
y = [["A", "B"], ["B", "A", "A"], ["C", "B"], ["A", "C"]] * 2 + [["A", "B"], ["B", "A", "B"], ["C", "A"], ["B", "C"]]
ESTIMATORS = [croft.HiddenChainCRF(hidden_states=2, max_iterations=10),
              croft.PoolCRF(experts=["all", "random:2"], max_iterations=10),
              croft.ErrorCorrectingCRF(code="random:6", max_iterations=10)]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_it_is_an_estimator(estimator, tmp_path):
    crf = clone(estimator).fit(X, y)
    assert sorted(crf.classes_) == ["A", "B", "C"]
    assert crf.score(X, y) > 0.5
    assert [p.shape for p in crf.predict_proba(X[:2])] == [(2, 3), (3, 3)]
    assert pickle.loads(pickle.dumps(crf)).predict(X) == crf.predict(X)
    crf.save(tmp_path / "m.croft")
    assert croft.load(tmp_path / "m.croft").predict(X, decode=crf.decode) == crf.predict(X)
    assert set(clone(estimator).get_params()) == set(estimator.get_params())


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_threads_do_not_change_a_prediction(estimator):
    one, three = [clone(estimator).set_params(threads=n).fit(X, y) for n in (1, 3)]
    assert [p.tolist() for p in one.predict_proba(X)] == [p.tolist() for p in three.predict_proba(X)]


@pytest.mark.parametrize("estimator", [*ESTIMATORS, croft.HiddenChainCRF(em_iterations=6, starts=2)])
def test_a_training_that_was_stopped_goes_on_to_the_same_model(estimator, tmp_path):
    whole = clone(estimator).set_params(threads=1).fit(X, y)
    part = clone(whole).set_params(checkpoint=tmp_path / "state", checkpoint_interval=0)
    seen = []
    part.fit(X, y, callback=lambda event: seen.append(event) or len(seen) < 5)
    assert os.listdir(tmp_path / "state") == ["checkpoint"]
    again = clone(part).set_params(resume=True).fit(X, y)
    for name, crf in (("whole", whole), ("again", again)):
        crf.save(tmp_path / name)
    assert (tmp_path / "again").read_bytes() == (tmp_path / "whole").read_bytes()
    assert os.listdir(tmp_path / "state") == []


def test_hidden_states_of_some_labels_and_em():
    crf = croft.HiddenChainCRF(hidden_states={"A": 3}, em_iterations=5, starts=2).fit(X, y)
    assert crf.predict(X[:1], decode="labelling")
    one = croft.HiddenChainCRF(hidden_states=1, optimizer="lbfgs").fit(X, y)
    chain = croft.ChainCRF(optimizer="lbfgs").fit(X, y)
    assert [p.tolist() for p in one.predict_proba(X)] == [p.tolist() for p in chain.predict_proba(X)]
    with pytest.raises(ValueError, match="decode"):
        croft.HiddenChainCRF(decode="best").fit(X, y)
    with pytest.raises(ValueError, match="em_iterations"):
        croft.HiddenChainCRF(em_iterations=3, max_iterations=3).fit(X, y)


def test_a_pool_of_models():
    chain = croft.ChainCRF(l2=0.5).fit(X, y)
    pool = croft.PoolCRF(experts=[chain, "position"], weights="dirichlet").fit(X, y)
    experts = pool.experts_
    assert [each["name"] for each in experts][1:] == ["past", "present", "future"]
    assert sum(each["weight"] for each in experts) == pytest.approx(1)
    assert pool.state_features_
    same = croft.PoolCRF(experts=[chain], weights="unit").fit(X, y)
    assert same.predict(X) == chain.predict(X)
    with pytest.raises(TypeError, match="list"):
        croft.PoolCRF(experts="all").fit(X, y)
    with pytest.raises(ValueError, match="experts"):
        croft.PoolCRF(experts=["some"]).fit(X, y)


def test_a_code_of_ones_own():
    words = {"A": "011", "B": "101", "C": "110"}
    crf = croft.ErrorCorrectingCRF(code=words, decoder="bits").fit(X, y)
    assert crf.predict(X)
    with pytest.raises(ValueError, match="probabilities"):
        crf.predict_proba(X)
    with pytest.raises(ValueError, match="word"):
        croft.ErrorCorrectingCRF(code={"A": "01", "B": "1"}).fit(X, y)


def test_the_program_writes_the_same_model(tmp_path):
    lines = "\n\n".join("\n".join("\t".join([label, *attributes]) for attributes, label in zip(x, labels))
                        for x, labels in zip(X, y)) + "\n\n"
    (tmp_path / "data").write_text(lines)
    for model, estimator, options in [
            ("hidden-chain", ESTIMATORS[0], ["--hidden-states", "2"]),
            ("pool", ESTIMATORS[1], ["--experts", "all", "--experts", "random:2"]),
            ("error-correcting", ESTIMATORS[2], ["--code", "random:6"])]:
        path = tmp_path / "m.croft"
        subprocess.run([CROFT, "train", "--quiet", "--model", model, "--format", "attributes", "--max-iterations",
                        "10", *options, "-o", path, tmp_path / "data"], check=True)
        clone(estimator).fit(X, y).save(tmp_path / "python.croft")
        assert path.read_bytes() == (tmp_path / "python.croft").read_bytes()


# Joint features: the next word, of rows of a word and its class.

TEMPLATE = """u * %y
u1:%x[-1,0] * %y
u2:%x[-1,1] * %y[suffix,1]
u3:%x[-1,1] * %y[class]
any %x[..-1,0] = dog * %y
u4 * %y in %x[..-1,0]
"""
CLASSES = {"the": "DET", "a": "DET", "dog": "N", "cat": "N", "sleeps": "V", "runs": "V"}
TEXTS = [["the DET", "dog N", "sleeps V", ". ."], ["the DET", "cat N", "runs V", ". ."],
         ["a DET", "cat N", "sleeps V", ". ."]] * 2
ROWS = [[row.split() for row in text] for text in TEXTS]
NEXT = [[row[0] for row in text] for text in ROWS]


def joint(**options):
    return croft.JointMaxent(**{"joint_template": TEMPLATE, "label_classes": CLASSES, "progress": False, **options})


def test_joint_features_are_an_estimator(tmp_path):
    model = clone(joint(l2=0.1)).fit(ROWS, NEXT)
    assert model.score(ROWS, NEXT) > 0.7
    assert sorted(model.classes_) == sorted([*CLASSES, "."])
    found = model.predict_proba(ROWS[:2])
    assert [p.shape for p in found] == [(4, 7), (4, 7)]
    assert numpy.allclose(found[0].sum(axis=1), 1)
    assert pickle.loads(pickle.dumps(model)).predict(ROWS) == model.predict(ROWS)
    model.save(tmp_path / "m.croft")
    assert croft.load(tmp_path / "m.croft").predict(ROWS) == model.predict(ROWS)
    assert model.get_params()["joint_template"] == TEMPLATE
    assert len(model.training_log_) > 1
    assert model.inspect(1)["kind"] == "joint-maxent"


def test_the_program_writes_the_same_model_of_joint_features(tmp_path):
    (tmp_path / "data").write_text("\n\n".join("\n".join(f"{row} {row.split()[0]}" for row in text)
                                               for text in TEXTS) + "\n\n")
    (tmp_path / "template").write_text(TEMPLATE)
    (tmp_path / "classes").write_text("".join(f"{label}\t{name}\n" for label, name in CLASSES.items()))
    subprocess.run([CROFT, "train", "--quiet", "--model", "maxent", "--joint-template", tmp_path / "template",
                    "--label-classes", tmp_path / "classes", "-o", tmp_path / "m.croft", tmp_path / "data"], check=True)
    for options in ({}, {"joint_template": tmp_path / "template", "label_classes": tmp_path / "classes"}):
        joint(**options).fit(ROWS, NEXT).save(tmp_path / "python.croft")
        assert (tmp_path / "m.croft").read_bytes() == (tmp_path / "python.croft").read_bytes()


def test_joint_features_that_were_stopped_go_on_to_the_same_model(tmp_path):
    whole = joint(optimizer="lbfgs", threads=1).fit(ROWS, NEXT)
    part = clone(whole).set_params(checkpoint=tmp_path / "state", checkpoint_interval=0)
    seen = []
    part.fit(ROWS, NEXT, callback=lambda event: seen.append(event) or len(seen) < 4)
    assert os.listdir(tmp_path / "state") == ["checkpoint"]
    again = clone(part).set_params(resume=True).fit(ROWS, NEXT)
    for name, model in (("whole", whole), ("again", again)):
        model.save(tmp_path / name)
    assert (tmp_path / "again").read_bytes() == (tmp_path / "whole").read_bytes()


def test_joint_features_hold_out_stop_early_and_start_from_the_model():
    held = joint(l2=1e-6, early_stop=2).fit(ROWS, NEXT, X_dev=ROWS[:2], y_dev=NEXT[:2])
    assert held.inspect(1)["training"]["holdout"]["sequences"] == 2
    assert joint(holdout=0.34).fit(ROWS, NEXT).inspect(1)["training"]["sequences"] < 6
    model = joint(optimizer="lbfgs", warm_start=True).fit(ROWS, NEXT)
    first = len(model.training_log_)
    assert len(model.fit(ROWS, NEXT).training_log_) < first
    model.set_params(joint_template=TEMPLATE + "any %x[..-1,0] = cat * %y\n").fit(ROWS, NEXT)
    with pytest.raises(ValueError, match="no such line"):
        model.set_params(joint_template="u * %y\n", label_classes=None).fit(ROWS, NEXT)


def test_what_is_wrong_with_joint_features_is_said():
    with pytest.raises(ValueError, match="joint_template"):
        croft.JointMaxent().fit(ROWS, NEXT)
    with pytest.raises(croft.Error, match="unknown function of the label"):
        joint(joint_template="u * %y[stem]\n").fit(ROWS, NEXT)
    with pytest.raises(croft.Error, match="column 5"):
        joint(joint_template="any %x[-1,5] = a * %y\n", label_classes=None).fit(ROWS, NEXT)
    with pytest.raises(ValueError, match="label_classes"):
        joint(label_classes=None).fit(ROWS, NEXT)
    with pytest.raises(ValueError, match="label_classes"):
        joint(joint_template="u * %y\n").fit(ROWS, NEXT)
    with pytest.raises((TypeError, ValueError), match="template"):
        joint(joint_template=3).fit(ROWS, NEXT)


def test_joint_features_and_mixtures_need_labels_that_are_known():
    X = [[["a"], ["b"]]]
    bayes = croft.NaiveBayes().fit([[0, 1], [1, 0]], ["O", "P"])
    for label in (None, {"O", "P"}):
        with pytest.raises(TypeError, match=r"y\[0\]\[1\] .* needs labels that are known"):
            croft.JointMaxent(joint_template="u:%x[0,0] * %y").fit(X, [["O", label]])
        with pytest.raises(TypeError, match="needs labels that are known"):
            croft.Mixture(experts=[bayes.model_] * 2).fit(X, [["O", label]])


def test_naive_bayes_is_a_component_of_a_mixture():
    bayes = croft.NaiveBayes().fit([[0, 1], [1, 0], [0, 2], [2, 0]], ["a", "b", "a", "b"])
    mixture = croft.Mixture(experts=[bayes, bayes]).fit([[{"x[1]": 1.0}]], [["a"]])
    assert mixture.predict([[{"x[0]": 3.0}]]) == [["b"]]
    with pytest.raises(ValueError, match="an expert is a ChainCRF that is not fitted"):
        croft.Mixture(experts=[croft.ChainCRF()] * 2).fit([[["a"]]], [["a"]])


def test_probabilities_of_joint_features_are_those_of_the_weights_by_hand():
    model = joint(joint_template="u1:%x[-1,0] * %y\nany %x[..-1,0] = dog * %y\n", label_classes=None).fit(ROWS, NEXT)
    top = model.inspect(1000)["top"][0]
    weights = {(w["attribute"], w["group"]): w["weight"] for w in top["largest"] + top["smallest"]}
    words = ["dog", "the", "cat"]
    found = model.predict_proba([[[word, "N"] for word in words]])[0]
    for t in range(3):
        scores = []
        for label in model.classes_:
            score = weights.get((f"u1:{words[t - 1] if t else '_x-1'}", label), 0)
            score += weights.get(("any %x[..-1,0] = dog", label), 0) if t else 0
            scores.append(math.exp(score))
        assert numpy.allclose(found[t], numpy.array(scores) / sum(scores), atol=1e-5)


def test_a_mixture_is_the_weighted_sum_and_the_programs_model(tmp_path):
    first, second = joint(l2=0.1).fit(ROWS, NEXT), joint(joint_template="u * %y\n", label_classes=None).fit(ROWS, NEXT)
    mixture = croft.Mixture(experts=[first, second]).fit(ROWS, NEXT)
    weights = mixture.weights_
    assert sum(weights) == pytest.approx(1)
    a, b = first.predict_proba(ROWS), second.predict_proba(ROWS)
    for found, one, other in zip(mixture.predict_proba(ROWS), a, b):
        assert numpy.allclose(found, weights[0] * one + weights[1] * other, atol=1e-6)
    assert mixture.score(ROWS, NEXT) > 0.5
    again = croft.Mixture(experts=[first.model_, second.model_])
    assert clone(again).fit(ROWS, NEXT).weights_ == weights
    likelihood = [-each["objective"] for each in mixture.training_log_]
    assert likelihood == sorted(likelihood)
    mixture.save(tmp_path / "python.croft")
    first.save(tmp_path / "first")
    second.save(tmp_path / "second")
    (tmp_path / "data").write_text("\n\n".join("\n".join(f"{row} {row.split()[0]}" for row in text)
                                               for text in TEXTS) + "\n\n")
    subprocess.run([CROFT, "train", "--quiet", "--model", "mixture", "--expert", tmp_path / "first", "--expert",
                    tmp_path / "second", "-o", tmp_path / "m.croft", tmp_path / "data"], check=True)
    assert (tmp_path / "m.croft").read_bytes() == (tmp_path / "python.croft").read_bytes()
    assert croft.load(tmp_path / "m.croft").predict(ROWS) == mixture.predict(ROWS)
    with pytest.raises(ValueError, match="two models"):
        croft.Mixture(experts=[first]).fit(ROWS, NEXT)
    with pytest.raises(ValueError, match="whole sequences"):
        croft.Mixture(experts=[first, croft.ChainCRF(format="columns", progress=False).fit(ROWS, NEXT)]).fit(ROWS, NEXT)
    with pytest.raises(TypeError, match="list"):
        croft.Mixture(experts="all").fit(ROWS, NEXT)
