"""croft.search: successive halving, as `croft search` has it."""
import json
import math
import os
import random
import subprocess

import numpy
import pytest

import croft

CROFT = os.environ["CROFT"]


def chunks(count=90, seed=2):
    draw = random.Random(seed)
    X, y = [], []
    for _ in range(count):
        x, labels, inside = [], [], False
        for _ in range(draw.randrange(2, 7)):
            noun = draw.random() < 0.4
            x.append(["w=" + draw.choice(["cat", "dog", "Rome"] if noun else ["runs", "the", "in"]), "t=x"])
            labels.append(("I-NP" if inside else "B-NP") if noun and draw.random() < 0.9 else "O")
            inside = labels[-1] != "O"
        X.append(x)
        y.append(labels)
    return X, y


X, y = chunks()
QUICK = croft.ChainCRF(optimizer="lbfgs", max_iterations=20, progress=False)


def written(path, X, y):
    path.write_text("".join("".join("\t".join([label, *at]) + "\n" for at, label in zip(x, labels)) + "\n"
                            for x, labels in zip(X, y)))
    return str(path)


def by_program(tmp_path, *options, verb="search", data=(X, y)):
    done = subprocess.run([CROFT, verb, "--json", "--quiet", "--format", "attributes", "--optimizer", "lbfgs",
                           *options, written(tmp_path / "data", *data)], check=True, capture_output=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("metric", ["accuracy", "chunk-f1", "log-loss"])
def test_the_table_is_the_programs(metric, tmp_path):
    shown = by_program(tmp_path, "--range", "l2=0.01:10:log", "--values", "min-count=1,2", "--candidates", "6",
                       "--metric", metric, "--max-iterations", "20", "--seed", "7")
    found = croft.search(QUICK.set_params(seed=7), X, y,
                         {"l2": croft.Range(0.01, 10, "log"), "min_count": [1, 2]}, candidates=6,
                         metric=metric, seed=7)
    assert found.rungs == shown["rungs"]
    for mine, theirs in zip(found.candidates, shown["candidates"], strict=True):
        assert [str(value) for value in (mine.params["l2"], mine.params["min_count"])] == [
            str(float(theirs["settings"]["l2"])), theirs["settings"]["min-count"]]
        assert mine.scores == [pytest.approx(each["folds"], rel=1e-12) for each in theirs["scores"]]


def test_no_fold_has_a_part_of_a_group():
    groups = [("a", "b", "c", "d", "e")[k % 5] for k in range(len(X))]
    number = {id(x): k for k, x in enumerate(X)}
    tests = set()

    def metric(crf, some, labels):
        tests.add(frozenset(groups[number[id(x)]] for x in some))
        return 1.0

    found = croft.search(QUICK, X, y, {"l2": [1]}, groups=groups, metric=metric, refit=False)
    assert "in 5 groups" in str(found)
    assert len(tests) == 3 and set().union(*tests) == set("abcde") and sum(map(len, tests)) == 5
    with pytest.raises(ValueError, match="groups the values of 3"):
        croft.search(QUICK, X, y, {"l2": [1]}, groups=[1, 2, 3])
    with pytest.raises(ValueError, match="the data has 2 groups"):
        croft.search(QUICK, X, y, {"l2": [1]}, groups=[k % 2 for k in range(len(X))])


def test_contiguous_folds_are_neighbours():
    number = {id(x): k for k, x in enumerate(X)}
    parts = []

    def metric(crf, some, labels):
        parts.append([number[id(x)] for x in some])
        return 1.0

    croft.search(QUICK, X, y, {"l2": [1]}, contiguous=True, metric=metric, refit=False)
    assert sorted(parts) == [list(range(30)), list(range(30, 60)), list(range(60, 90))]


def test_iterations_can_be_what_grows(tmp_path):
    shown = by_program(tmp_path, "--values", "l2=0.1,1,10", "--resource", "iterations", "--max-iterations", "18")
    found = croft.search(croft.ChainCRF(optimizer="lbfgs", max_iterations=18), X, y, {"l2": [0.1, 1, 10]},
                         resource="iterations")
    assert [each["iterations"] for each in found.rungs] == [6, 18]
    for mine, theirs in zip(found.candidates, shown["candidates"], strict=True):
        assert mine.scores == [pytest.approx(each["folds"], rel=1e-12) for each in theirs["scores"]]


def test_settings_can_be_scored_on_other_data_as_the_program_does(tmp_path):
    dev = written(tmp_path / "dev", X[60:], y[60:])
    shown = by_program(tmp_path, "--values", "l2=0.1,1,10", "--dev", dev, "--max-iterations", "20", "--smallest",
                       "0.3", data=(X[:60], y[:60]))
    found = croft.search(QUICK, X[:60], y[:60], {"l2": [0.1, 1, 10]}, X_dev=X[60:], y_dev=y[60:], smallest=0.3)
    for mine, theirs in zip(found.candidates, shown["candidates"], strict=True):
        assert mine.scores == [pytest.approx(each["folds"], rel=1e-12) for each in theirs["scores"]]
    assert str(found).startswith("accuracy (%) of X_dev, trained on 60 sequences\n")


@pytest.mark.parametrize("prefer", ["l2", "l2:smallest"])
def test_the_simplest_of_the_good_ones_is_chosen_as_the_program_does(prefer, tmp_path):
    shown = by_program(tmp_path, "--values", "l2=0.5,1,2,4", "--prefer", prefer, "--max-iterations", "20",
                       "--smallest", "1")
    found = croft.search(QUICK, X, y, {"l2": [0.5, 1, 2, 4]}, prefer=prefer, smallest=1)
    assert [str(found.best_params["l2"])] == shown["chosen"]
    assert found.best_estimator.l2 == found.best_params["l2"]
    assert found.best_score == next(each.score for each in found.candidates if each.params == found.best_params)


def test_a_holdout_that_nothing_asks_for_is_refused():
    crf = croft.ChainCRF(holdout=0.3, max_iterations=3, optimizer="lbfgs", progress=False)
    with pytest.raises(ValueError, match="holdout is 0.3.*give early_stop"):
        croft.search(crf, X, y, {"l2": [1]})
    croft.search(crf.set_params(early_stop=2), X, y, {"l2": [1]}, refit=False)
    croft.search(crf.set_params(early_stop=None), X, y, {"early_stop": [2, 3]}, refit=False)


@pytest.mark.parametrize("metric", ["accuracy", "chunk-f1", "log-loss"])
def test_a_learning_curve_is_the_programs(metric, tmp_path):
    test = written(tmp_path / "test", X[70:], y[70:])
    shown = by_program(tmp_path, "--test", test, "--shares", "0.2,0.5,1", "--repeats", "2", "--metric", metric,
                       "--max-iterations", "20", "--seed", "8", verb="learning-curve", data=(X[:70], y[:70]))
    events = []
    found = croft.learning_curve(QUICK.set_params(seed=8), X[:70], y[:70], X[70:], y[70:], shares=[0.2, 0.5, 1],
                                 repeats=2, metric=metric, seed=8, callback=events.append)
    assert found.metric == shown["metric"] == metric
    for mine, theirs in zip(found.points, shown["points"], strict=True):
        assert (mine.share, mine.sequences) == (theirs["share"], theirs["sequences"])
        assert mine.scores == pytest.approx([math.inf if x is None else x for x in theirs["scores"]], rel=1e-12)
        assert mine.training_scores == pytest.approx(theirs["training_scores"], rel=1e-12)
        error = theirs.get("standard_error")
        assert mine.standard_error == (pytest.approx(error, rel=1e-12) if error is not None else mine.standard_error)
    assert [len(each.scores) for each in found.points] == [2, 2, 1] and found.points[2].standard_error is None
    assert events[-1] == {"done": 5, "all": 5} and len(events) == 5
    assert str(found).splitlines()[0].split() == ["share", "sequences", metric, "training"]
    assert found._repr_svg_().startswith("<svg")
    assert list(found.table().columns) == ["share", "sequences", "draws", metric, "standard_error",
                                           f"training_{metric}"]
    assert found.table()[metric].tolist() == [each.mean for each in found.points]
    assert not hasattr(QUICK, "model_")


def test_no_share_divides_a_group():
    groups = [k // 7 for k in range(len(X))]
    number = {id(x): k for k, x in enumerate(X)}
    seen = []

    def metric(crf, some, labels):
        seen.append({number[id(x)] for x in some})
        return 1.0

    found = croft.learning_curve(QUICK, X, y, X[:1], y[:1], shares=[0.3, 0.6], repeats=2, groups=groups, metric=metric)
    trained = [each for each in seen if each != {0}]
    for each in trained:
        whole = {groups[k] for k in each}
        assert each == {k for k, group in enumerate(groups) if group in whole} and len(whole) in (4, 8)
    assert trained[0] < trained[1] and trained[2] < trained[3] and trained[0] != trained[2]
    assert found.metric == "score" and found.points[0].sequences == len(trained[0])


@pytest.mark.parametrize("given, error, message", [
    ({"shares": [0.5, 0.2]}, ValueError, "shares is"),
    ({"shares": []}, ValueError, "shares is"),
    ({"shares": [0.5, 1.1]}, ValueError, "shares is"),
    ({"shares": [math.nan]}, ValueError, "shares is"),
    ({"repeats": 0}, ValueError, "repeats is 0"),
    ({"repeats": -1}, ValueError, "repeats is -1"),
    ({"seed": -1}, ValueError, "seed is -1"),
    ({"metric": "f1"}, ValueError, "accuracy, chunk-f1, log-loss"),
    ({"metric": lambda crf, some, true: math.nan}, ValueError, "nan"),
    ({"groups": [1]}, ValueError, "groups the values of 1"),
    ({"X_test": None, "y_test": None}, ValueError, "X_test and y_test"),
    ({"y_test": y[1:]}, ValueError, "X_test has 90 sequences and y_test the labels of 89"),
    ({"X": [], "y": []}, ValueError, "X is empty"),
    ({"estimator": 3}, TypeError, "no fit"),
])
def test_what_makes_no_learning_curve_is_refused(given, error, message):
    arguments = {"estimator": QUICK, "X": X, "y": y, "X_test": X, "y_test": y, "shares": [0.1], **given}
    with pytest.raises(error, match=message):
        croft.learning_curve(**arguments)


def test_what_it_returns():
    found = croft.search(QUICK, X, y, {"l2": [0.1, 1000.0], "features": ["observed", "all"]}, smallest=0.3)
    assert found.best_params == found.candidates[0].params
    assert found.best_params["l2"] == 0.1 and found.best_params["features"] in ("observed", "all")
    assert found.best_score == pytest.approx(sum(found.candidates[0].scores[-1]) / 3)
    assert found.best_score == max(each.score for each in found.candidates if len(each.scores) == 2)
    assert len(found.candidates) == 4 and [each["candidates"] for each in found.rungs] == [4, 2]
    assert found.best_estimator.get_params()["l2"] == 0.1
    assert found.best_estimator.score(X, y) > 0.8
    assert str(found).startswith("accuracy (%) of 3 folds of 90 sequences\n")
    assert found._repr_svg_().startswith("<?xml")
    assert list(found.table().columns) == ["l2", "features", "rung 1", "rung 2"]
    assert len(found.table()) == 4
    assert not hasattr(QUICK, "model_")
    with pytest.raises(AttributeError):
        croft.search(QUICK, X, y, {"l2": [1, 2]}, refit=False).best_estimator


def test_the_result_depends_on_the_seed_alone():
    ranges = {"l2": croft.Range(0.01, 10, "log"), "max_iterations": croft.Range(3, 9, "int")}
    once, again, other = [str(croft.search(QUICK, X, y, ranges, candidates=5, seed=seed, refit=False))
                          for seed in (3, 3, 4)]
    assert once == again
    assert once != other


def test_a_broken_search_goes_on_to_the_same_table(tmp_path):
    state = tmp_path / "state.json"
    ranges = {"l2": croft.Range(0.01, 10, "log")}
    whole = croft.search(QUICK, X, y, ranges, candidates=6, refit=False)
    seen = []

    def breaks(event):
        seen.append(event)
        if event["done"] == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        croft.search(QUICK, X, y, ranges, candidates=6, refit=False, state=state, callback=breaks)
    assert len(json.loads(state.read_text())["scores"]) == 7
    later = []
    found = croft.search(QUICK, X, y, ranges, candidates=6, refit=False, state=state, resume=True,
                         callback=later.append)
    assert str(found) == str(whole)
    assert found.svg == whole.svg
    assert len(later) == later[-1]["all"] - 7
    with pytest.raises(croft.Error, match="state of a search of other data"):
        croft.search(QUICK, X[1:], y[1:], ranges, candidates=6, state=state, resume=True)
    with pytest.raises(croft.Error, match="state of a search of other data"):
        croft.search(QUICK.set_params(l1=1), X, y, ranges, candidates=6, state=state, resume=True)
    QUICK.set_params(l1=0.0)
    with pytest.raises(croft.Error, match="resume"):
        croft.search(QUICK, X, y, ranges, candidates=6, state=state)


def test_other_estimators_and_metrics():
    draw = numpy.random.RandomState(1)
    table = draw.normal(size=(120, 4))
    labels = numpy.where(table[:, 0] + 0.5 * draw.normal(size=120) > 0, "yes", "no")
    found = croft.search(croft.LogisticRegression(), table, labels, {"l2": croft.Range(0.01, 100, "log")},
                         candidates=4, metric="log-loss")
    assert found.best_score < math.log(2)
    assert found.best_estimator.predict(table).shape == (120,)

    def errors(crf, some, true):
        return -sum(a != b for mine, theirs in zip(crf.predict(some), true) for a, b in zip(mine, theirs))

    found = croft.search(QUICK, X, y, {"l2": [0.1, 1e6]}, metric=errors, smallest=1)
    assert found.best_params == {"l2": 0.1}
    assert str(found).startswith("score of 3 folds")
    found = croft.search(croft.HMM(), X, y, {"smoothing": [0.1, 1.0]}, smallest=1)
    assert found.best_score > 0.5


@pytest.mark.parametrize("given, error, message", [
    ({"parameters": {}}, ValueError, "nothing to search over"),
    ({"parameters": {"l3": [1]}}, ValueError, "no parameter 'l3'"),
    ({"parameters": {"l2": []}}, ValueError, "is empty"),
    ({"parameters": {"l2": [1, 1]}}, ValueError, "has 1 twice"),
    ({"parameters": {"l2": "0.1:10"}}, TypeError, "croft.Range was expected"),
    ({"parameters": {"l2": croft.Range(3, 1)}}, ValueError, "lower end"),
    ({"parameters": {"l2": croft.Range(0, 1, "log")}}, ValueError, "logarithmic"),
    ({"parameters": {"l2": croft.Range(0, 1, "lin")}}, ValueError, "linear, log, int"),
    ({"metric": "f1"}, ValueError, "accuracy, chunk-f1, log-loss"),
    ({"folds": 1}, ValueError, "folds"),
    ({"folds": 1000}, ValueError, "sequences"),
    ({"eta": 1}, ValueError, "eta"),
    ({"resource": "iterations", "estimator": croft.ChainCRF()}, ValueError, "max_iterations"),
    ({"resume": True}, ValueError, "state"),
    ({"budget": 1.1, "candidates": 2, "smallest": 1}, ValueError, "budget"),
    ({"estimator": 3}, TypeError, "no fit"),
    ({"metric": lambda crf, some, true: math.nan}, ValueError, "nan"),
    ({"prefer": "l1"}, ValueError, "prefer is 'l1'"),
    ({"prefer": "l2:largest"}, ValueError, "prefer is 'l2:largest'"),
    ({"prefer": "features", "parameters": {"features": ["all"]}}, ValueError, "no numbers: 'all'"),
    ({"X_dev": X}, ValueError, "X_dev and y_dev go together"),
    ({"X_dev": X, "y_dev": y[1:]}, ValueError, "X_dev has 90 sequences and y_dev the labels of 89"),
    ({"X_dev": X, "y_dev": y, "folds": 3}, ValueError, "folds is about folds"),
    ({"X_dev": X, "y_dev": y, "prefer": "l2"}, ValueError, "prefer is about folds"),
])
def test_what_makes_no_sense_is_refused(given, error, message):
    arguments = {"estimator": QUICK, "parameters": {"l2": [1, 2]}, **given}
    with pytest.raises(error, match=message):
        croft.search(arguments.pop("estimator"), X, y, arguments.pop("parameters"), **arguments)


def test_nothing_is_chosen_among_infinite_log_losses():
    rare = [*y[:-1], ["RARE"] * len(y[-1])]
    with pytest.raises(croft.Error, match="infinite"):
        croft.search(QUICK, X, rare, {"l2": [1, 2]}, metric="log-loss", smallest=1)
