"""ChainCRF: what it learns from every form of input, and how it behaves among scikit-learn's tools."""
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import types
import warnings

import numpy
import pandas
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

import croft
from conftest import items, sentences

CROFT = os.environ["CROFT"]


def attribute_line(label, item):
    """A position as a line of CRFsuite's format."""
    def escape(text):
        return text.replace("\\", "\\\\").replace(":", "\\:")
    cells = [label]
    for key, value in item.items():
        if key == "near":
            cells.append(escape(f"near:left:{value['left']}"))
            cells += [escape(f"near:ends:{end}") for end in value["ends"]]
        elif isinstance(value, str):
            cells.append(escape(f"{key}:{value}"))
        else:
            cells.append(f"{escape(key)}:{float(value)}")
    return "\t".join(cells)


def write_attributes(path, X, y):
    with open(path, "w", encoding="utf-8") as file:
        for x, labels in zip(X, y):
            file.writelines(attribute_line(label, item) + "\n" for label, item in zip(labels, x))
            file.write("\n")


def run(*arguments):
    return subprocess.run([CROFT, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def same_model(a, b):
    return a.model_.to_bytes() == b.model_.to_bytes()


# The same as the program.

@pytest.mark.parametrize("options, flags", [
    ({}, []),
    ({"l1": 0.3, "l2": 0.1}, ["--l1", "0.3", "--l2", "0.1"]),
    ({"order": 2, "features": "all", "min_count": 2}, ["--order", "2", "--features", "all", "--min-count", "2"]),
    ({"objective": "softmax-margin", "cost": 0.5}, ["--objective", "softmax-margin", "--cost", "0.5"]),
    ({"boundaries": True, "precision": "single"}, ["--boundaries", "--precision", "single"]),
    ({"holdout": 0.25, "seed": 7, "early_stop": 3}, ["--holdout", "0.25", "--seed", "7", "--early-stop", "3"]),
])
def test_the_model_is_that_of_the_command_line_byte_for_byte(data, tmp_path, options, flags):
    X, y = data
    write_attributes(tmp_path / "train.attr", X, y)
    run("train", "--quiet", "--format", "attributes", *flags, "-o", tmp_path / "cli.croft", tmp_path / "train.attr")
    crf = croft.ChainCRF(**options).fit(X, y)
    assert crf.model_.to_bytes() == (tmp_path / "cli.croft").read_bytes()


def test_rows_with_a_template_give_the_model_of_the_command_line(tmp_path):
    words, y = sentences(60, 3)
    rows = [[[word, word[-1]] for word in sentence] for sentence in words]
    template = "U00:%x[0,0]\nU01:%x[-1,0]/%x[0,1]\nB\n"
    (tmp_path / "t.txt").write_text(template)
    with open(tmp_path / "train.txt", "w") as file:
        for sentence, labels in zip(rows, y):
            file.writelines(f"{' '.join(row)} {label}\n" for row, label in zip(sentence, labels))
            file.write("\n")
    run("train", "--quiet", "--template", tmp_path / "t.txt", "-o", tmp_path / "cli.croft", tmp_path / "train.txt")
    from_text = croft.ChainCRF(template=template).fit(rows, y)
    from_file = croft.ChainCRF(template=tmp_path / "t.txt").fit(rows, y)
    assert from_text.model_.to_bytes() == (tmp_path / "cli.croft").read_bytes()
    assert same_model(from_text, from_file)
    said = run("predict", "-m", tmp_path / "cli.croft", "--to", "labels", tmp_path / "train.txt")
    assert from_text.predict(rows) == [block.split("\n") for block in said.strip().split("\n\n")]


def test_words_without_a_template_have_the_default_features(tmp_path):
    words, y = sentences(60, 3)
    crf = croft.ChainCRF(format="columns").fit([[[word] for word in sentence] for sentence in words], y)
    assert crf.score([[[word] for word in sentence] for sentence in words], y) > 0.9
    assert crf.predict(words) == crf.predict([[[word] for word in sentence] for sentence in words])


# Forms of input.

def test_lists_tuples_and_sets_of_str_are_attributes_of_value_1(data):
    X, y = [[["a", "b"], ["c"]], [["b"], ["a", "c"]]], [["A", "B"], ["B", "A"]]
    as_dicts = [[dict.fromkeys(position, 1) for position in x] for x in X]
    as_tuples = [[tuple(position) for position in x] for x in X]
    as_sets = [[set(position) for position in x] for x in X]
    as_flags = [[dict.fromkeys(position, True) for position in x] for x in X]
    as_array = [numpy.array(x, dtype=object) for x in as_dicts]
    expected = croft.ChainCRF().fit(X, y)
    for other in (as_dicts, as_tuples, as_sets, as_flags, as_array):
        assert same_model(croft.ChainCRF().fit(other, y), expected)


def test_a_str_value_joins_its_key_and_nested_ones_join_too():
    nested = [[{"w": "the", "near": {"left": "a", "deep": {"er": ["x", "y"]}, "weight": 0.5}}]]
    flat = [[{"w:the": 1.0, "near:left:a": 1.0, "near:deep:er:x": 1.0, "near:deep:er:y": 1.0, "near:weight": 0.5}]]
    assert same_model(croft.ChainCRF().fit(nested, [["A"]]), croft.ChainCRF().fit(flat, [["A"]]))


def matrices(count, seed):
    generator = numpy.random.default_rng(seed)
    sparse, dense, y = [], [], []
    for _ in range(count):
        length = generator.integers(1, 8)
        labels = generator.integers(0, 3, length)
        mean = numpy.eye(3)[labels]
        dense.append(mean + 0.4 * generator.normal(size=(length, 3)))
        sparse.append(scipy.sparse.csr_matrix((generator.random((length, 6)) < 0.3) * 1.0
                                              + numpy.pad(mean, ((0, 0), (0, 3)))))
        y.append(["ABC"[label] for label in labels])
    return sparse, dense, y


def test_sparse_and_dense_matrices_and_both_together_are_attributes_with_values():
    sparse, dense, y = matrices(40, 5)
    both = list(zip(sparse, dense))

    def as_dicts(kind, matrix):
        rows = matrix.toarray() if scipy.sparse.issparse(matrix) else matrix
        return [{f"{kind}[{j}]": value for j, value in enumerate(row) if value} for row in rows]

    for X, dicts in [(sparse, [as_dicts("x", m) for m in sparse]), (dense, [as_dicts("d", m) for m in dense]),
                     (both, [[{**a, **b} for a, b in zip(as_dicts("x", s), as_dicts("d", d))] for s, d in both])]:
        crf = croft.ChainCRF().fit(X, y)
        named = croft.ChainCRF().fit(dicts, y)
        assert crf.state_features_ == named.state_features_
        assert crf.transition_features_ == named.transition_features_
        assert crf.predict(X) == named.predict(dicts)
    assert croft.ChainCRF().fit(both, y).score(both, y) > 0.9
    single = [m.astype(numpy.float32) for m in dense]
    assert croft.ChainCRF().fit(single, y).score(single, y) == croft.ChainCRF().fit(dense, y).score(dense, y)


def test_labels_may_be_any_str(data):
    X = [[["a"], ["b"], ["c"], ["d"]]] * 3
    y = [["B X", "ünï", "-", "a|b?"]] * 3
    crf = croft.ChainCRF().fit(X, y)
    assert crf.predict(X) == y
    assert crf.classes_ == ["B X", "ünï", "-", "a|b?"]
    assert crf.fit(X, numpy.array(y)).predict(X) == y


def test_empty_sequences_are_left_out_of_training_and_have_empty_predictions(data):
    X, y = data
    crf = croft.ChainCRF().fit(X[:20] + [[]], y[:20] + [[]])
    assert same_model(crf, croft.ChainCRF().fit(X[:20], y[:20]))
    assert crf.predict([[], X[0], []]) == [[], crf.predict_single(X[0]), []]
    assert crf.predict([]) == []


# What is trained.

def test_partial_labels_sum_over_the_labellings_that_fit(data):
    X, y = data
    crf = croft.ChainCRF(gradient_tolerance=1e-9, tolerance=0).fit(X, y)
    sets = [[{label} for label in labels] for labels in y]
    same = croft.ChainCRF(gradient_tolerance=1e-9, tolerance=0).fit(X, sets)
    assert same_model(crf, same)
    part = [[None if t % 3 == 2 else {label, "N"} if t % 3 == 1 else label for t, label in enumerate(labels)]
            for labels in y]
    weak = croft.ChainCRF().fit(X, part)
    assert weak.training_log_.data["partial_positions"] > 0
    assert 0.8 < weak.score(X, y) <= 1
    # The objective is -sum log p(what is known), with the penalty: of the model itself.
    known = weak.model_._ask(X, {"probability": True}, {"known": part})["log_partial"]
    squares = sum(w * w for w in [*weak.state_features_.values(), *weak.transition_features_.values()])
    assert -sum(known) + squares / 2 == pytest.approx(weak.training_log_.result["objective"], abs=1e-3)


def test_a_weight_counts_a_sequence_as_often_and_0_leaves_it_out(data):
    X, y = data[0][:30], data[1][:30]
    exact = {"tolerance": 0, "gradient_tolerance": 1e-8}
    weights = [n % 3 for n in range(30)]
    weighted = croft.ChainCRF(**exact).fit(X, y, sample_weight=weights)
    repeated = croft.ChainCRF(**exact).fit([x for x, w in zip(X, weights) for _ in range(w)],
                                           [v for v, w in zip(y, weights) for _ in range(w)])
    assert weighted.training_log_.result["objective"] == pytest.approx(
        repeated.training_log_.result["objective"], abs=1e-6)
    assert weighted.state_features_ == pytest.approx(repeated.state_features_, abs=1e-5)
    ones = croft.ChainCRF(**exact).fit(X, y, sample_weight=numpy.ones(30))
    assert same_model(ones, croft.ChainCRF(**exact).fit(X, y))


def test_the_number_of_threads_changes_no_byte(data):
    X, y = data
    one = croft.ChainCRF(threads=1).fit(X, y)
    assert same_model(one, croft.ChainCRF(threads=3).fit(X, y))
    assert one.predict(X, threads=1) == one.predict(X, threads=3)
    assert one.sample(X, 4, threads=1) == one.sample(X, 4, threads=3)


def test_the_development_set_is_scored_and_stops_training(data, new_data):
    X, y = data
    seen = []
    crf = croft.ChainCRF(l2=1e-4, early_stop=2).fit(X, y, X_dev=new_data[0], y_dev=new_data[1], callback=seen.append)
    assert [event["iteration"] for event in seen] == list(range(len(seen)))
    scores = [event["holdout"]["token_accuracy"] for event in seen]
    result = crf.training_log_.result
    assert result["holdout"]["token_accuracy"] == max(scores) == scores[result["best_iteration"]]
    assert crf.score(*new_data) == pytest.approx(max(scores))
    assert list(crf.training_log_) == seen


def test_warm_start_and_partial_fit_go_on_from_the_model(data, new_data):
    X, y = data
    crf = croft.ChainCRF(warm_start=True).fit(X, y)
    first = crf.training_log_.result
    again = crf.fit(X, y).training_log_.result
    assert again["iterations"] < first["iterations"] / 2
    assert again["objective"] == pytest.approx(first["objective"], rel=1e-4)
    crf.partial_fit([[["new"]]], [["Z"]])
    assert crf.classes_ == ["D", "J", "N", "V", "Z"] or sorted(crf.classes_) == ["D", "J", "N", "V", "Z"]
    assert ("new", "Z") in crf.state_features_
    fresh = croft.ChainCRF().partial_fit(X, y)
    assert same_model(fresh, croft.ChainCRF().fit(X, y))


def test_the_log_has_an_entry_for_each_iteration(data):
    crf = croft.ChainCRF(optimizer="lbfgs").fit(*data)
    log = crf.training_log_
    objectives = [event["objective"] for event in log]
    assert objectives == sorted(objectives, reverse=True)
    assert log.result["objective"] == objectives[-1]
    assert log.result["converged"] is True
    assert log.result["iterations"] == len(log) - 1
    assert log.data["sequences"] == 120 and log.data["positions"] == sum(map(len, data[1]))
    assert list(log.table()["objective"]) == objectives


# Stopping.

def test_a_callback_that_returns_false_stops_and_the_model_stays(data):
    crf = croft.ChainCRF().fit(*data, callback=lambda event: event["iteration"] < 3)
    assert crf.training_log_.result["reason"] == "stopped"
    assert crf.training_log_.result["iterations"] == 3
    assert crf.score(*data) > 0.5


def test_an_error_in_a_callback_comes_through(data):
    def fail(event):
        raise RuntimeError("mine")
    crf = croft.ChainCRF()
    with pytest.raises(RuntimeError, match="mine"):
        crf.fit(*data, callback=fail)
    assert not hasattr(crf, "model_")


def test_ctrl_c_keeps_the_model_of_the_iteration_and_warns(data):
    def interrupt(event):
        if event["iteration"] == 2:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
    with pytest.warns(croft.TrainingInterrupted, match="after iteration [23]"):
        crf = croft.ChainCRF().fit(*data, callback=interrupt)
    assert crf.training_log_.result["reason"] == "interrupted"
    assert crf.score(*data) > 0.5


def test_other_threads_run_while_training_does(data):
    counted = []
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted.append(1)
            time.sleep(0.001)
    thread = threading.Thread(target=count)
    thread.start()
    croft.ChainCRF(l2=1e-6, tolerance=0, gradient_tolerance=0, max_iterations=300, order=2).fit(*data)
    stop.set()
    thread.join()
    assert len(counted) > 5


def test_two_threads_may_predict_with_one_model(data):
    crf = croft.ChainCRF().fit(*data)
    expected = crf.predict(data[0])
    answers = [None] * 8

    def predict(k):
        answers[k] = crf.predict(data[0], threads=2)
    threads = [threading.Thread(target=predict, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(answer == expected for answer in answers)


# Among scikit-learn's tools.

def test_parameters_are_got_set_and_cloned(data):
    crf = croft.ChainCRF(l2=0.3, order=2, constrain="bio")
    params = crf.get_params()
    assert params["l2"] == 0.3 and params["order"] == 2 and params["threads"] == 0
    assert clone(crf).get_params() == params
    assert "l2=0.3" in repr(crf)
    with pytest.raises(ValueError, match="nonsense"):
        crf.set_params(nonsense=1)
    fitted = croft.ChainCRF().fit(*data)
    assert not hasattr(clone(fitted), "model_")


def test_grid_search_cross_validation_and_pipelines_work(data, new_data):
    X, y = data
    search = GridSearchCV(croft.ChainCRF(max_iterations=20), {"l2": [0.1, 1000]}, cv=3).fit(X, y)
    assert search.best_params_ == {"l2": 0.1}
    assert search.score(*new_data) > 0.8
    scores = cross_val_score(croft.ChainCRF(), X, y, cv=KFold(4))
    assert len(scores) == 4 and min(scores) > 0.8
    predicted = cross_val_predict(croft.ChainCRF(), X, y, cv=KFold(4))
    assert [len(labels) for labels in predicted] == [len(labels) for labels in y]
    first = slice(len(X) // 4)
    rest = croft.ChainCRF().fit(X[len(X) // 4:], y[len(X) // 4:])
    assert list(predicted[first]) == rest.predict(X[first])
    words, tags = sentences(50, 9)
    pipeline = Pipeline([("features", FunctionTransformer(items)), ("crf", croft.ChainCRF())])
    assert pipeline.fit(words, tags).score(words, tags) > 0.8
    assert pipeline.predict(words) == croft.ChainCRF().fit(items(words), tags).predict(items(words))
    parallel = cross_val_score(croft.ChainCRF(threads=1), X, y, cv=KFold(4), n_jobs=2)
    assert list(parallel) == list(scores)


def test_pickles_hold_the_model(data):
    crf = croft.ChainCRF(l2=0.5).fit(*data)
    copy = pickle.loads(pickle.dumps(crf))
    assert copy.get_params() == crf.get_params()
    assert copy.predict(data[0]) == crf.predict(data[0])
    assert same_model(copy, crf)
    assert copy.training_log_.result == crf.training_log_.result
    assert pickle.loads(pickle.dumps(croft.ChainCRF(l2=2))).l2 == 2


def test_before_fit_questions_say_that_it_is_not_fitted(data):
    for ask in (lambda c: c.predict(data[0]), lambda c: c.score(*data), lambda c: c.size_,
                lambda c: c.state_features_, lambda c: c.inspect()):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            ask(croft.ChainCRF())


def test_fitting_twice_forgets_the_first_data(data):
    X, y = data
    crf = croft.ChainCRF().fit([[["other"]]], [["Q"]])
    assert same_model(crf.fit(X, y), croft.ChainCRF().fit(X, y))


def test_fit_changes_neither_its_data_nor_its_parameters(data):
    before = pickle.dumps(data)
    crf = croft.ChainCRF()
    params = crf.get_params()
    crf.fit(*data)
    assert pickle.dumps(data) == before and crf.get_params() == params


# Bad input.

@pytest.mark.parametrize("X, y, error, message", [
    ([[3]], [["A"]], TypeError, r"X\[0\]\[0\] is an int, and a dict or a list"),
    (["abc"], [["A"]], TypeError, r"X\[0\] is a str, and a list"),
    ([["ab"]], [["A"]], TypeError, r"X\[0\]\[0\] is a str"),
    (7, [["A"]], TypeError, "X is an int, and a list was expected"),
    ([[["a"]]], 7, TypeError, "y is an int"),
    ([[["a"]]], None, ValueError, "y is None"),
    ([[["a"]], [["b"]]], [["A"]], ValueError, "X has 2 sequences and y the labels of 1"),
    ([[["a"]], [["b"]]], [["A"], ["A", "B"]], ValueError, r"y\[1\] has 2 labels and X\[1\] has 1 positions"),
    ([[["a"]]], [[1]], TypeError, r"y\[0\]\[0\] is an int, and a str was expected"),
    ([[["a"]]], [[set()]], ValueError, r"y\[0\]\[0\] is empty; write None"),
    ([[{"a": float("nan")}]], [["A"]], ValueError, r"X\[0\]\[0\] .* nan; values must be finite"),
    ([[{"a": float("inf")}]], [["A"]], ValueError, r"X\[0\]\[0\] .* inf"),
    ([[{"a": object()}]], [["A"]], TypeError, r"X\[0\]\[0\]\['a'\] is an object"),
    ([[{3: 1.0}]], [["A"]], TypeError, r"X\[0\]\[0\] is an int, and a str was expected"),
    ([[{"a": 1e300}]], [["A"]], ValueError, r"X\[0\]\[0\]: an attribute value of more than 1e15"),
    ([numpy.zeros(3)], [["A"]], ValueError, r"X\[0\] is an array of 1 dimensions"),
    ([numpy.zeros((1, 3), dtype=complex)], [["A"]], TypeError, r"X\[0\] has elements of the kind .*convert"),
    ([(numpy.ones((1, 2)), scipy.sparse.csr_matrix(numpy.ones((2, 2))))], [["A"]], ValueError,
     r"X\[0\] has matrices of 1 and of 2 rows"),
    ([numpy.array([[numpy.nan]])], [["A"]], ValueError, r"X\[0\]\[0\] .* nan"),
    ([[["a\ud800"]]], [["A"]], ValueError, r"X\[0\]\[0\] has a lone surrogate"),
    ([], [], ValueError, "there is no sequence to train on"),
    ([[["a"]]], [[None]], ValueError, "no position of the training data says which label"),
    ([[["a"]]], [[{"A", "A\x1f"}]], ValueError, r"y\[0\]\[0\] has the byte"),
])
def test_bad_data_is_one_clear_error(X, y, error, message):
    with pytest.raises(error, match=message):
        croft.ChainCRF().fit(X, y)


@pytest.mark.parametrize("params, message", [
    ({"l2": -1}, "l2"), ({"l1": float("nan")}, "l1"),
    ({"min_count": 0}, 'min_count: "0" is not a whole number from 1 on'),
    ({"order": 9}, 'order: "9" is not a whole number from 1 to 8'),
    ({"histories": "seen"}, "histories goes with order 2"),
    ({"features": "some"}, 'features: "some" is none of auto, observed, all'),
    ({"objective": "hinge"}, "there are likelihood, pseudolikelihood, .*, arow"),
    ({"cost": 2}, "cost is what a mistake"),
    ({"constrain": "bio"}, "the constraint bio needs labels"), ({"constrain": "/nowhere"}, "/nowhere"),
    ({"early_stop": 2}, "early_stop needs holdout"), ({"holdout": 2}, "holdout 2 is not between 0 and 1"),
    ({"history": 0}, 'history: "0" is not a whole number'), ({"max_iterations": -1}, 'max_iterations: "-1" is not'),
    ({"window": 0}, "window"), ({"template": "/nowhere"}, "/nowhere"),
    ({"precision": "half"}, "is none of auto, single, double"),
])
def test_a_parameter_out_of_range_is_an_error_of_fit(data, params, message):
    with pytest.raises(ValueError, match=message):
        croft.ChainCRF(**params).fit(*data)


@pytest.mark.parametrize("params, message", [
    ({"l2": "x"}, "l2 is 'x', and a number"), ({"min_count": 1.5}, "min_count is 1.5, and a whole number"),
    ({"features": 3}, "features is 3"),
])
def test_a_parameter_of_the_wrong_type_is_a_type_error(data, params, message):
    with pytest.raises(TypeError, match=message):
        croft.ChainCRF(**params).fit(*data)


def test_rows_of_another_width_are_an_error(data):
    rows = [[["a", "b"]], [["c", "d"], ["e"]]]
    with pytest.raises(ValueError, match=r"X\[1\]\[1\] has 1 cell, and the first row has 2"):
        croft.ChainCRF(format="columns").fit(rows, [["A"], ["A", "B"]])
    crf = croft.ChainCRF(format="columns").fit(rows[:1], [["A"]])
    with pytest.raises(ValueError, match=r"X\[0\]\[0\] has 4 cells"):
        crf.predict([[["a", "b", "c", "d"]]])


def test_weights_that_are_none_are_errors(data):
    X, y = data
    for weights, message in [([1.0], "sample_weight has 1 numbers and X has 120"),
                             ([-1.0] * 120, r"sample_weight\[0\] is -1"), ([numpy.nan] * 120, r"sample_weight\[0\]")]:
        with pytest.raises(ValueError, match=message):
            croft.ChainCRF().fit(X, y, sample_weight=weights)


def test_an_unfinished_progress_bar_does_not_spoil_the_terminal(data, capsys):
    croft.ChainCRF(progress=True).fit(*data)
    shown = capsys.readouterr().err
    assert shown.endswith("\n") and "iterations, objective" in shown
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        croft.ChainCRF(progress=False).fit(*data)
    assert capsys.readouterr().err == ""


def test_labels_that_break_the_constraint_are_named_with_their_place():
    X, y = [[["a"]], [["a"], ["b"], ["c"]]], [["B-X"], ["B-X", "O", "I-X"]]
    with pytest.raises(ValueError, match=r'^X\[1\]\[2\]: .*"?I-X'):
        croft.ChainCRF(constrain="bio").fit(X, y)
    with pytest.raises(ValueError, match=r"^X\[1\]\[1\]: one label twice"):
        croft.ChainCRF().fit(X, [["B-X"], ["O", ("O", "O"), "O"]])
    with pytest.raises(ValueError, match=r'^known\[1\]\[1\] has "Q", which is no label of the model'):
        croft.ChainCRF().fit(X, y).model_.predict(X, known=[[None], ["O", "Q", None]])


def test_in_a_notebook_one_bar_is_shown_and_updated(data, monkeypatch, capsys):
    shown = []

    class ZMQInteractiveShell:
        pass

    class Handle:
        def update(self, page):
            shown.append(page)

    def display(page, display_id):
        shown.append(page)
        return Handle()

    ipython, module = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    ipython.get_ipython = ZMQInteractiveShell
    module.HTML, module.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    croft.ChainCRF().fit(*data)
    assert len(shown) >= 2 and shown[0].startswith("<progress")
    assert "120 sequences" in shown[0] and 'value="1.000"' in shown[-1]
    assert capsys.readouterr().err == ""


# What one would not think of.

def test_a_series_of_pandas_is_read_by_position(data):
    X, y = data[0][:30], data[1][:30]
    order = list(range(30))[::-1]
    series, labels = pandas.Series(X, index=order), pandas.Series(y, index=order)
    weights = pandas.Series([1.0 + n for n in range(30)], index=order)
    plain = croft.ChainCRF().fit(X, y, sample_weight=list(weights))
    assert same_model(croft.ChainCRF().fit(series, labels, sample_weight=weights), plain)
    assert plain.predict(series) == plain.predict(X)
    assert plain.model_.predict(series, known=labels) == y
    parts = train_test_split(pandas.Series(X), pandas.Series(y), random_state=0)
    assert croft.ChainCRF().fit(parts[0], parts[2]).score(parts[1], parts[3]) > 0.5


def test_all_sequences_have_one_form_and_matrices_one_width():
    _, dense, y = matrices(10, 7)
    sparse = matrices(10, 7)[0]
    narrow = [m[:, :2] for m in dense]
    crf = croft.ChainCRF().fit(dense, y)
    for X, message in [(narrow, r"X\[0\] is an array of 2 columns, and the model was trained on such as an array of 3"),
                       (sparse, r"X\[0\] is a sparse matrix of 6 columns, and the model"),
                       ([[{"a": 1}]], r"X\[0\] is a list of positions, and the model was trained")]:
        with pytest.raises(ValueError, match=message):
            crf.predict(X)
    with pytest.raises(ValueError, match=r"X\[1\] is an array of 2 columns, and the first sequence is an array of 3"):
        croft.ChainCRF().fit([dense[0], narrow[1]], y[:2])
    with pytest.raises(ValueError, match=r"X\[1\] is a list of positions, and the first"):
        croft.ChainCRF().fit([dense[0], [{"a": 1}] * len(y[1])], y[:2])
    with pytest.raises(ValueError, match="two matrices of one kind"):
        croft.ChainCRF().fit([(dense[0], dense[0])], y[:1])
    with pytest.raises(ValueError, match="is an array of 3 columns, and the model"):
        croft.ChainCRF().fit([[{"a": 1}]], [["A"]]).predict(dense)
    assert crf.predict([dense[0], dense[0][:0]]) == [crf.predict_single(dense[0]), []]
    again = croft.Model.from_bytes(crf.model_.to_bytes())
    with pytest.raises(ValueError, match="2 columns"):
        again.predict(narrow)


@pytest.mark.parametrize("ask, error, message", [
    (lambda crf, X: crf.predict_single(X), TypeError, r"X\[0\]\[0\] is a dict, and a str was expected"),
    (lambda crf, X: crf.predict({0: X[0]}), TypeError, "X is a dict, and a list was expected"),
    (lambda crf, X: crf.predict("abc"), TypeError, "X is a str, and a list"),
    (lambda crf, X: crf.predict(iter(X)), TypeError, "X is a list_iterator, and a list"),
    (lambda crf, X: crf.fit(X[:1], [[b"A"] * len(X[0])]), TypeError, r"y\[0\]\[0\] is a bytes, and a str"),
    (lambda crf, X: croft.ChainCRF(decode="best").fit(X, X), ValueError, "decode is 'best'; choose one of"),
    (lambda crf, X: crf.fit(X, X, callback=5), TypeError, "callback is an int"),
    (lambda crf, X: crf.inspect(top=-1), ValueError, "top is -1"),
    (lambda crf, X: crf.model_.predict(X[:1], known=[["D"], ["D"]]), ValueError, "known the labels of 2"),
    (lambda crf, X: crf.score(X[:1], [["N"] * len(X[0])], sample_weight=[-1]), ValueError, r"sample_weight\[0\] is -1"),
])
def test_mistakes_are_named(data, ask, error, message):
    crf = croft.ChainCRF(max_iterations=3).fit(*data)
    with pytest.raises(error, match=message):
        ask(crf, data[0])


def test_any_mapping_is_a_position(data):
    X, y = [[{"a": 1, "b": "x"}], [{"a": 2}]], [["A"], ["B"]]
    other = [[types.MappingProxyType(position) for position in x] for x in X]
    assert same_model(croft.ChainCRF().fit(other, y), croft.ChainCRF().fit(X, y))


def test_damage_of_a_pickle_or_of_bytes_is_noticed(data):
    good = croft.ChainCRF().fit(*data).model_.to_bytes()
    for at in range(0, len(good), 97):
        bad = bytearray(good)
        bad[at] ^= 4
        with pytest.raises(croft.Error):
            croft.Model.from_bytes(bytes(bad))
