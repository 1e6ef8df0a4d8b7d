"""HiddenChainCRF, PoolCRF and ErrorCorrectingCRF: as scikit-learn estimators, and as the program's models."""
import os
import pickle
import subprocess

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
