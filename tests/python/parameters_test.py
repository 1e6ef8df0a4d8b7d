"""The estimators' parameters are the options of the library's table, and say so."""
import importlib.util
import inspect
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import croft
from croft import _core
from croft._params import Parameters

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("generate_parameters", ROOT / "scripts" / "generate_parameters.py")
generate_parameters = importlib.util.module_from_spec(spec)
sys.modules["generate_parameters"] = generate_parameters
spec.loader.exec_module(generate_parameters)
ESTIMATORS = generate_parameters.ESTIMATORS

X = [[["w=a", "n=b"], ["w=b", "n=a"], ["w=c"]], [["w=b"], ["w=a", "n=c"]]] * 3
Y = [["A", "B", "B"], ["B", "A"]] * 3
NUMBERS = numpy.array([[0.0, 1.0, 2.0], [1.0, 0.0, 0.0], [0.0, 2.0, 1.0], [2.0, 1.0, 0.0]])


def chain(words):
    g = croft.Cliques()
    for t, word in enumerate(words):
        g.variable(t, "tag")
        g.clique("word", [t], word)
        if t:
            g.clique("next", [t - 1, t])
    return g


def fitted(name, **parameters):
    if name in ("LogisticRegression", "NaiveBayes"):
        return getattr(croft, name)(**parameters).fit(NUMBERS, ["a", "b", "a", "b"])
    if name == "GraphCRF":
        return croft.GraphCRF(chain, domains={"tag": ["A", "B"]}, templates={
            "word": croft.Template(["tag"]), "next": croft.Template(["tag", "tag"])}, **parameters).fit(X, Y)
    few = "max_iterations" if "max_iterations" in PARAMETERS[name] else "rounds" if name == "BoostedCRF" else None
    return getattr(croft, name)(**{**({few: 3} if few else {}), **parameters}).fit(X, Y)


def saved(estimator, path):
    estimator.save(path)
    return path.read_bytes()


def parameters_of(name):
    return {each: about for each, about in inspect.signature(getattr(croft, name).__init__).parameters.items()
            if each != "self"}


PARAMETERS = {name: parameters_of(name) for name in ESTIMATORS}


def test_the_file_is_current():
    assert generate_parameters.FILE.read_text() == generate_parameters.generate(_core.option_rows), (
        "run scripts/generate_parameters.py")


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimator_has_the_options_of_its_kinds_and_no_others(name):
    about, estimator = ESTIMATORS[name], getattr(croft, name)
    options = {row["name"] for kind in about.kinds for row in _core.option_rows(kind)} - set(about.without)
    own = {each.name for each in (*about.own, *about.last)}
    given = {option: about.like[option].name if option in about.like and about.like[option].name else
             option.replace("-", "_") for option in options}
    assert set(PARAMETERS[name]) == set(given.values()) | own
    assert all(about.without.values())
    assert estimator._OWN and issubclass(estimator, Parameters)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_parameters_are_documented_and_cloned(name):
    estimator = getattr(croft, name)
    text = estimator.__doc__
    head, _, rest = text.partition("Parameters\n----------\n")
    assert head and text.count("Parameters\n----------\n") == 1
    said = {one.strip() for line in rest.partition("Attributes\n")[0].splitlines() if not line.startswith(" ")
            for one in line.partition(" : ")[0].split(",")}
    assert set(PARAMETERS[name]) <= said
    made = {each: object() for each in PARAMETERS[name]}
    assert estimator(**made).get_params(deep=False) == made


def test_help_is_in_the_words_of_python():
    for name in ESTIMATORS:
        assert "--" not in getattr(croft, name).__doc__.replace("----------", "")


# What is none of a parameter's values reaches the trainer, and is refused there.

UNFIT = {"flag": "no flag", "whole": "two", "number": "much", "choice": 7, "words": object(), "file": object(),
         "size": object(), "letter": object()}


@pytest.mark.parametrize("name, option", [
    (name, option) for name, about in ESTIMATORS.items()
    for option in {row["name"]: None for kind in about.kinds for row in _core.option_rows(kind)}
    if option not in (*about.without, "text-attribute") and not about.like.get(option, generate_parameters.As()).own])
def test_each_option_reaches_the_trainer(name, option):
    about = ESTIMATORS[name]
    row = next(row for kind in about.kinds for row in _core.option_rows(kind) if row["name"] == option)
    parameter = about.like[option].name if option in about.like and about.like[option].name else option.replace("-", "_")
    wrong = 7 if row["type"] == "flag" and row["choices"] else UNFIT[row["type"]]
    with pytest.raises((TypeError, ValueError)) as caught:
        fitted(name, **{parameter: wrong, **({"kind": "segment"} if name == "BoostedCRF" else {})})
    assert parameter in str(caught.value) or option.replace("-", "_") in str(caught.value)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_defaults_are_the_librarys(name, tmp_path):
    """A parameter that is not handed on means what its default says."""
    made = getattr(croft, name)
    base = next(base for base in made.__mro__ if Parameters in base.__bases__)
    silent = {each: about.default for each, about in PARAMETERS[name].items()
              if about.default is not None and each not in (*base._OWN, *base._ALWAYS)}
    model = saved(fitted(name), tmp_path / "silent")
    always = base._ALWAYS
    refused = []
    for each in silent:
        try:
            base._ALWAYS = (*always, each)
            assert saved(fitted(name), tmp_path / "said") == model, each
        except croft.Error as error:
            refused.append(each)
            assert "give it, too" in str(error) or "leave it out" in str(error), (each, str(error))
        finally:
            base._ALWAYS = always
    assert len(refused) <= 2, refused


# Both front ends refuse the same.

@pytest.mark.parametrize("kind, options", [
    ("hmm", {"l2": 1}), ("pool", {"early_stop": 3}), ("segment", {"order": 2}), ("hidden-chain", {"experts": "all"}),
    ("boosted-chain", {"max_length": 3}), ("chain", {"rounds": 3})])
def test_what_has_no_meaning_is_refused_as_the_program_refuses_it(kind, options, tmp_path):
    data = tmp_path / "data"
    data.write_text("A\tw=a\nB\tw=b\n\n")
    (name, value), = options.items()
    option = name.replace("_", "-")
    said = subprocess.run([os.environ["CROFT"], "train", "--model", kind, f"--{option}={value}", "--format",
                           "attributes", "-o", tmp_path / "m", data], capture_output=True, text=True).stderr
    assert f"--{option} has no meaning for --model {kind}" in said
    with pytest.raises(croft.Error) as caught:
        _core.train(kind, X, Y, None, None, None, {"format": "attributes", **options}, {}, None)
    assert str(caught.value) in said.replace(f"--{option}", name).replace("--model", "model")


@pytest.mark.parametrize("name", ["data", "output", "weights", "partial", "nonsense", "no-intercept", "standardize"])
def test_what_is_no_option_of_python_is_a_type_error(name):
    with pytest.raises(TypeError, match=f"there is no option {name}"):
        _core.train("chain", X, Y, None, None, None, {"format": "attributes", name: "1"}, {}, None)


@pytest.mark.parametrize("parameters, error, message", [
    ({"min_count": 0}, ValueError, '^min_count: "0" is not a whole number from 1 on$'),
    ({"order": 9}, ValueError, '^order: "9" is not a whole number from 1 to 8$'),
    ({"seed": -1}, ValueError, '^seed: "-1" is not a whole number'),
    ({"l2": float("inf")}, ValueError, '^l2: "inf" is not a finite number from 0 on$'),
    ({"features": "some"}, ValueError, '^features: "some" is none of auto, observed, all$'),
    ({"kit": ""}, ValueError, "^kit: its value is empty"),
    ({"induce_size": 3}, ValueError, "^induce_size goes with induce; give it, too$"),
    ({"intercept": "free"}, ValueError, '^intercept: "free" is none of none, penalised, unpenalised$'),
    ({"min_count": "1"}, TypeError, "^min_count is '1', and a whole number was expected$"),
    ({"l2": "1"}, TypeError, "^l2 is '1', and a number was expected$"),
    ({"boundaries": "yes"}, TypeError, "^boundaries is 'yes', and True or False was expected$"),
    ({"kit": 3}, TypeError, "^kit is 3, and a path was expected$"),
])
def test_messages_name_the_parameter(parameters, error, message):
    with pytest.raises(error, match=message):
        croft.ChainCRF(**parameters).fit(X, Y)


def said(fit):
    with pytest.raises(croft.Error) as caught:
        fit()
    return str(caught.value)


def test_words_of_the_user_that_look_like_options_are_shown_as_they_are(tmp_path):
    text = said(lambda: croft.ChainCRF(features="--min-count").fit(X, Y))
    assert text == 'features: "--min-count" is none of auto, observed, all'
    text = said(lambda: croft.HiddenChainCRF(hidden_states={"--l2": 2}).fit(X, Y))
    assert text.startswith('hidden_states --l2=2: the data has no label "--l2"')
    kit = tmp_path / "--init"
    kit.write_text("a = 1\n")
    text = said(lambda: croft.ChainCRF(kit=kit).fit(X, Y))
    assert text.startswith(f"{kit}:1:")


def test_places_in_sequences_are_positions_and_places_in_files_are_lines(tmp_path):
    text = said(lambda: croft.MEMM(intercept="penalised").fit([[["a"]], [["(intercept)"]]], [["A"], ["B"]]))
    assert text.startswith("X[1][0]: an attribute with the name of the intercept")
    kit = tmp_path / "kit[1]"
    kit.write_text("a = 1\n")
    text = said(lambda: croft.ChainCRF(kit=kit).fit(X, Y))
    assert text.startswith(f"{kit}:1:")


def test_numbers_of_all_sorts_are_numbers():
    crf = croft.ChainCRF(l2=numpy.float32(0.5), max_iterations=numpy.int64(3), history=4.0, optimizer="lbfgs").fit(X, Y)
    record = crf.inspect()["training"]
    assert record["l2"] == 0.5 and record["iterations"] <= 3


# What the command line had, and Python had not.

def test_a_memm_takes_a_kit_and_a_pool_an_intercept(tmp_path):
    (tmp_path / "kit.toml").write_text('[[gazetteer]]\nname = "place"\ncolumn = "w"\nfile = "places.txt"\n')
    (tmp_path / "places.txt").write_text("b\n")
    dicts = [[{"w": items[0][2:]} for items in sequence] for sequence in X]
    for name in ("MEMM", "SegmentCRF", "HiddenChainCRF", "PoolCRF", "ErrorCorrectingCRF", "BoostedCRF"):
        made = getattr(croft, name)(kit=tmp_path / "kit.toml").fit(dicts, Y)
        assert made.predict(dicts[:1])
        with pytest.raises(ValueError, match="nowhere"):
            getattr(croft, name)(kit=tmp_path / "nowhere.toml").fit(dicts, Y)
    pool = croft.PoolCRF(intercept="penalised").fit(X, Y)
    assert ("(intercept)", "A") in pool.state_features_


def test_a_graph_takes_a_prior_and_variances(tmp_path):
    first = fitted("GraphCRF", l2=0.1)
    first.save(tmp_path / "first")
    near = fitted("GraphCRF", prior=first, l2=1e6).weights("word")
    assert near == pytest.approx(first.weights("word"), abs=1e-3)
    assert fitted("GraphCRF", prior=tmp_path / "first", l2=1e6).weights("word") == near
    (tmp_path / "variances").write_text("word:* 1e-9\n")
    assert all(abs(w) < 1e-6 for w in fitted("GraphCRF", variances=tmp_path / "variances").weights("word").values())
    with pytest.raises(ValueError, match="decay means nothing to optimizer lbfgs"):
        fitted("GraphCRF", decay=0.5)


def test_naive_bayes_weighs_classes():
    rows, labels = NUMBERS[:3], ["a", "b", "a"]
    weighed = croft.NaiveBayes(class_weight="balanced").fit(rows, labels)
    assert weighed.class_count_.tolist() == [1.5, 1.5]
    assert croft.NaiveBayes(class_weight={"a": 3}).fit(rows, labels).class_count_.tolist() == [6, 1]
    with pytest.raises(ValueError, match="partial_fit"):
        croft.NaiveBayes(class_weight="balanced").partial_fit(rows, labels)
