"""The estimators' parameters are the options of the library's table, and say so."""
import functools
import importlib.util
import inspect
import os
import subprocess
import sys
import warnings
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
EXCEPTIONS = generate_parameters.EXCEPTIONS

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


@functools.cache
def components():
    return [croft.BoostedCRF(kind="maxent", rounds=rounds).fit(X, Y).model_ for rounds in (1, 2)]


def fitted(name, **parameters):
    if name == "Mixture":
        return croft.Mixture(**{"experts": components(), **parameters}).fit(X, Y)
    if name == "JointMaxent":
        rows = [[[items[0], items[-1]] for items in sequence] for sequence in X]
        return croft.JointMaxent(**{"joint_template": "u * %y\nu1:%x[0,0] * %y\n", "max_iterations": 3,
                                    **parameters}).fit(rows, Y)
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


def options_of(name):
    """{option: row of the library's table} of the kinds of an estimator."""
    kinds = ("bayes-net",) if name == "BayesNet" else ESTIMATORS[name].kinds
    return {row["name"]: row for kind in kinds for row in _core.option_rows(kind)}


def arguments_of(name):
    """Keyword arguments: of a BayesNet those that make it and train it."""
    if name != "BayesNet":
        return PARAMETERS[name]
    both = {**inspect.signature(croft.BayesNet).parameters, **inspect.signature(croft.BayesNet.fit).parameters}
    return {each: about for each, about in both.items() if each not in ("self", "X", "callback")}


CLASSES = [*ESTIMATORS, "BayesNet"]


def test_the_files_are_current():
    assert generate_parameters.FILE.read_text() == generate_parameters.generate(_core.option_rows), (
        "run scripts/generate_parameters.py")
    assert generate_parameters.PAGE.read_text() == generate_parameters.page(), "run scripts/generate_parameters.py"


@pytest.mark.parametrize("name", CLASSES)
def test_keyword_arguments_are_the_options_of_the_kind_and_what_the_table_of_exceptions_says(name):
    expected = set()
    for option, row in options_of(name).items():
        differs = generate_parameters.difference(name, option)
        assert differs or not row["front_end"], f"what has {name} in the place of {option}?"
        expected.update((generate_parameters.parameter_name(name, option) or "").split())
    for row in EXCEPTIONS:
        if not row.options and name in row.estimators.split():
            expected.update(row.parameter.split())
    assert set(arguments_of(name)) == expected


@pytest.mark.parametrize("row", EXCEPTIONS)
def test_each_exception_has_a_reason_and_is_of_an_option(row):
    assert row.why and set(row.estimators.split()) <= set(CLASSES)
    for name in row.estimators.split():
        assert not row.options or set(row.options.split()) & set(options_of(name)), f"{name} has none of {row.options}"
    for option in row.options.split():
        assert any(option in options_of(name) for name in row.estimators.split() or CLASSES), option


@pytest.mark.parametrize("name", CLASSES)
def test_a_default_is_the_tables_or_an_exception(name):
    for option, row in options_of(name).items():
        if row["front_end"] or generate_parameters.difference(name, option):
            continue
        default = arguments_of(name)[option.replace("-", "_")].default
        table = float(row["initial"]) if isinstance(default, float) and row["initial"] else row["initial"]
        assert default in (None, False, table) or not table or str(default) == table, option


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
    (name, option) for name, about in ESTIMATORS.items() for option, row in options_of(name).items()
    if not row["front_end"] and option != "text-attribute" and generate_parameters.parameter_name(name, option)
    and not about.like.get(option, generate_parameters.As()).own])
def test_each_option_reaches_the_trainer(name, option):
    row = options_of(name)[option]
    parameter = generate_parameters.parameter_name(name, option)
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
    ({"holdout": "dev"}, TypeError, "^holdout is 'dev', and a number was expected$"),
    ({"holdout": 1.5}, ValueError, "^holdout 1.5 is not between 0 and 1; give a fraction such as 0.1$"),
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


def pictures(rows=120):
    random = numpy.random.default_rng(1)
    x = random.normal(size=(rows, 4))
    return x, numpy.where(x[:, 0] + 0.5 * random.normal(size=rows) > 0, "up", "down")


def test_rows_are_held_out_and_end_a_training(tmp_path):
    x, y = pictures()
    plain = croft.LogisticRegression().fit(x, y)
    watched = croft.LogisticRegression(holdout=0.3, early_stop=2, seed=5).fit(x, y)
    scores = [each["holdout"]["token_accuracy"] for each in watched.training_log_]
    assert len(scores) >= watched.n_iter_ > 0 and watched.training_log_.data["holdout_sequences"] > 20
    assert watched.score(x, y) == pytest.approx(plain.score(x, y), abs=0.1)
    assert watched.coef_.shape == plain.coef_.shape and not numpy.array_equal(watched.coef_, plain.coef_)
    watched.save(tmp_path / "m")
    assert croft.LogisticRegression.load(tmp_path / "m").coef_ == pytest.approx(watched.coef_)
    with pytest.raises(ValueError, match="^early_stop needs holdout"):
        croft.LogisticRegression(early_stop=2).fit(x, y)
    with pytest.raises(ValueError, match="^holdout 1.5 is not between 0 and 1; give a fraction such as 0.1$"):
        croft.LogisticRegression(holdout=1.5).fit(x, y)


def test_sequences_of_rows_are_trained_as_encoded_ones_are():
    """What is not held out gives the weights of a training on it alone."""
    x, y = pictures()
    watched = croft.LogisticRegression(holdout=0.3, tolerance=0, gradient_tolerance=1e-9).fit(x, y)
    random_rows = watched.training_log_.data["holdout_sequences"]
    assert 20 < random_rows < 60
    near = croft.LogisticRegression(prior=croft.LogisticRegression(l2=1e-6).fit(x, y), l2=1e9).fit(x, y)
    assert near.coef_ == pytest.approx(croft.LogisticRegression(l2=1e-6).fit(x, y).coef_, rel=1e-3)


@pytest.mark.parametrize("objective", ["max-margin", "perceptron", "passive-aggressive", "arow", "softmax-margin"])
def test_a_classifier_of_rows_has_the_objectives_of_the_program(objective):
    x, y = pictures()
    made = croft.LogisticRegression(objective=objective, intercept="penalised", max_iterations=30).fit(x, y)
    assert made.score(x, y) > 0.75


def test_a_training_on_rows_goes_on_from_its_checkpoint(tmp_path):
    x, y = pictures()
    whole = croft.LogisticRegression(optimizer="lbfgs").fit(x, y)
    how = {"optimizer": "lbfgs", "checkpoint": tmp_path / "state", "checkpoint_interval": 0}
    croft.LogisticRegression(**how).fit(x, y, callback=lambda now: now["iteration"] < 4)
    again = croft.LogisticRegression(**how, resume=True).fit(x, y)
    assert numpy.array_equal(again.coef_, whole.coef_)
    assert not (tmp_path / "state").exists() or not list((tmp_path / "state").iterdir())


def test_rows_may_be_selected_and_counted():
    x, y = pictures()
    some = croft.LogisticRegression(select_l1=8).fit(x, y)
    assert 0 < numpy.count_nonzero(some.coef_) < 4 and some.coef_[0, 0] != 0
    rare = numpy.column_stack([x, numpy.eye(len(x))[:, 0]])
    assert croft.LogisticRegression(min_count=2).fit(rare, y).coef_[0, 4] == 0
    assert croft.LogisticRegression().fit(rare, y).coef_[0, 4] != 0


def test_em_of_naive_bayes_holds_rows_out_and_keeps_its_state(tmp_path):
    x, y = pictures()
    counts = numpy.exp(x).round()
    how = {"holdout": 0.5, "early_stop": 2, "em_tolerance": 0, "em_iterations": 50}
    stopped = croft.NaiveBayes(**how).fit(counts[:60], y[:60], X_unlabelled=counts[60:])
    assert len(stopped.objective_) < 50 and 0.3 < stopped.holdout_["token_accuracy"] <= 1
    assert croft.NaiveBayes().fit(counts, y).holdout_ is None
    with pytest.raises(ValueError, match="^early_stop needs holdout"):
        croft.NaiveBayes(early_stop=2).fit(counts[:60], y[:60], X_unlabelled=counts[60:])
    whole = croft.NaiveBayes(em_iterations=6, em_tolerance=0)
    kept = croft.NaiveBayes(em_iterations=6, em_tolerance=0, checkpoint=tmp_path / "state", checkpoint_interval=0)
    with pytest.warns(UserWarning):
        assert numpy.array_equal(kept.fit(counts[:60], y[:60], X_unlabelled=counts[60:]).feature_log_prob_,
                                 whole.fit(counts[:60], y[:60], X_unlabelled=counts[60:]).feature_log_prob_)
    with pytest.raises(ValueError, match="is of EM: give X_unlabelled"):
        kept.fit(counts, y)


def test_cases_of_a_bayesian_network_are_held_out():
    random = numpy.random.default_rng(2)
    cases = [{"rain": rain, "wet": None if random.random() < 0.3 else rain}
             for rain in numpy.where(random.random(200) < 0.4, "yes", "no")]
    net = croft.BayesNet({"rain": ["no", "yes"], "wet": ["no", "yes"]}, parents={"wet": ["rain"]})
    net.fit(cases, smoothing=1, holdout=0.25, early_stop=3, tolerance=0)
    assert -60 < net.fit_["holdout_log_likelihood"] < -10
    with pytest.raises(ValueError, match="^early_stop needs holdout"):
        net.fit(cases, early_stop=3)
    with pytest.raises(ValueError, match="is not between 0 and 1"):
        net.fit(cases, holdout=1.5)


@pytest.mark.parametrize("made", [croft.ChainCRF, croft.MEMM, croft.SegmentCRF, croft.LogisticRegression,
                                  croft.PoolCRF])
def test_an_unknown_parameter_is_named_with_the_one_that_may_be_meant(made):
    with pytest.raises(TypeError, match=rf"^{made.__name__} has no parameter 'L2' \(did you mean 'l2'\?\)$"):
        made(L2=1)
    with pytest.raises(TypeError, match=rf"^{made.__name__} has no parameter 'qqqqqqq'; it has .*, l2, "):
        made(qqqqqqq=1)
    with pytest.raises(TypeError, match=rf"^{made.__name__} takes its parameters by name"):
        made(*range(70))


@pytest.mark.parametrize("given", [{"var_smoothing": -1}, {"var_smoothing": "a"}, {"em_tolerance": -1}])
def test_errors_name_parameters_as_python_has_them(given):
    name, = given
    with pytest.raises((ValueError, TypeError), match=f"^{name}"):
        croft.NaiveBayes(**given).fit([[0.0], [1.0]], ["a", "b"])


def test_numbers_as_labels_are_an_error_with_a_remedy():
    selection = pytest.importorskip("sklearn.model_selection")
    X, y = [[{"a": 1}, {"b": 1}], [{"a": 1}, {"c": 1}]] * 5, [["A", "B"], ["A", "A"]] * 5
    with pytest.raises(TypeError, match="write numbers as str.*cross_val_predict.*KFold"):
        selection.cross_val_predict(croft.ChainCRF(), X, y, method="predict_proba")
    parts = selection.KFold(2).split(X)
    found = {n: p for train, test in parts
             for n, p in zip(test, croft.ChainCRF().fit([X[k] for k in train], [y[k] for k in train]).predict_proba(
                 [X[k] for k in test]))}
    assert len(found) == len(X)


def test_a_model_with_one_label_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert croft.ChainCRF().fit([[{"a": 1}]], [["A"]]).predict([[{"b": 1}]]) == [["A"]]
