"""Data in memory: every function reads it as predict does, names what is wrong as Python has it, and prints tables."""
import os
import re
import subprocess

import numpy
import pytest

import croft

X = [[["a"], ["b"]], [["b"], ["a"]], [["a"], ["a"]]]
Y = [["A", "B"], ["B", "A"], ["A", "A"]]
TEXTS = ["who is he", "how many"]


@pytest.fixture(scope="module")
def crf():
    return croft.ChainCRF(max_iterations=5).fit(X, Y)


@pytest.fixture(scope="module")
def columns():
    return croft.ChainCRF(format="columns").fit([[["It", "PRP"], ["is", "VBZ"]]] * 3, [["A", "B"]] * 3)


@pytest.fixture(scope="module")
def texts_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    (folder / "data").write_text("H\twho is he\nN\thow many\nH\twho are you\nN\thow much\n")
    subprocess.run([os.environ["CROFT"], "train", "--quiet", "--format", "text", "-o", folder / "m.croft",
                    folder / "data"], check=True)
    return folder / "m.croft"


@pytest.fixture(scope="module")
def texts(texts_file):
    return croft.load(texts_file)


def says(error, message, ask, *given):
    with pytest.raises(error) as found:
        ask(*given)
    assert message in str(found.value)
    assert "/tmp" not in str(found.value) and "--" not in str(found.value)


@pytest.mark.parametrize("ask", [
    croft.errors, croft.card, lambda m, X, y: croft.stack(m, X, y=y), lambda m, X, y: croft.calibrate(m, X, y=y),
    lambda m, X, y: croft.suggest(m, X), lambda m, X, y: croft.stack(m, X)])
def test_tokens_that_are_str_are_no_rows_of_letters(columns, ask):
    says(ValueError, "X[0][0] has 1 cell, and the model was trained on rows of 2", ask, columns, [["It", "is"]],
         [["A", "A"]])


def test_rows_of_one_cell_may_be_str():
    one = croft.ChainCRF(format="columns").fit([["2", "cups"]] * 3, [["A", "B"]] * 3)
    assert croft.errors(one, [["2", "cups"]], [["A", "A"]])["errors"][0]["context"] == "2 [cups]"
    assert croft.check(([["2", "cups"]], [["A", "A"]]))["train"]["positions"] == 2


def test_texts_are_read_as_predict_reads_them(texts):
    given = ["who\nis he", "", "how\tmany\r\n"]
    assert croft.errors(texts, given, [label for label, in texts.predict(given)])["wrong_sequences"] == 0


@pytest.mark.parametrize("given", [{"A", "B"}, frozenset("AB")])
def test_sets_have_no_order(crf, given):
    for ask in (lambda: croft.evaluate([given], Y[:1]), lambda: croft.evaluate(Y[:1], [given]),
                lambda: croft.chunk_f1([given], Y[:1]), lambda: croft.compare([given], Y[:1], Y[:1]),
                lambda: croft.compare(Y[:1], Y[:1], [given]), lambda: croft.errors(crf, X[:1], [given]),
                lambda: croft.ChainCRF().fit(X[:1], [given]), lambda: croft.HMM().fit(X[:1], [given]),
                lambda: crf.score(X[:1], [given]), lambda: crf.model_.log_likelihood(X[:1], [given])):
        says(TypeError, "[0] is a " + type(given).__name__ + ", which has no order; give a list", ask)


def test_a_set_of_sequences_has_no_order(crf):
    for ask in (lambda: croft.evaluate({("A", "B")}, Y[:1]), lambda: croft.compare(Y[:1], {("A", "B")}, Y[:1]),
                lambda: croft.errors(crf, {("a", "b")}, Y[:1]), lambda: crf.predict({("a", "b")}),
                lambda: croft.suggest(crf, {("a", "b")}), lambda: croft.TextVectorizer().fit(set(TEXTS))):
        says(TypeError, "is a set, which has no order; give a list", ask)


def tables():
    table = {"text": TEXTS, "label": ["H", "N"]}
    return [table, pytest.importorskip("pandas").DataFrame(table)]


def test_a_table_is_no_list_of_texts_or_sequences(texts):
    for table in tables():
        for ask in (texts.predict, texts.tag_many, lambda table: croft.errors(texts, table, ["H", "N"]),
                    lambda table: croft.errors(texts, TEXTS, table), lambda table: croft.suggest(texts, table),
                    croft.TextVectorizer().fit, lambda table: croft.evaluate(table, table),
                    lambda table: croft.calibrate(texts, table, y=["H", "N"]),
                    lambda table: croft.check((table, ["H", "N"])), lambda table: croft.ChainCRF().fit(table, Y),
                    lambda table: croft.ChainCRF().fit(X, table), lambda table: croft.HMM().fit(table, Y)):
            says(TypeError, "give one column, such as ", ask, table)
        assert texts.predict(table["text"]) == [["H"], ["N"]]


def test_a_table_is_no_sequence(columns):
    frame = tables()[1]
    says(TypeError, "X[0].values.tolist()", croft.ChainCRF(format="columns").fit, [frame], [["A", "B"]])
    says(TypeError, "X[0].values.tolist()", columns.predict, [frame])
    says(TypeError, "X[0] is a dict", croft.ChainCRF(format="columns").fit, [{"a": "b"}], [["A"]])
    assert columns.predict([frame.values.tolist()])


def test_a_frame_is_a_matrix():
    frame = pytest.importorskip("pandas").DataFrame({"a": [0.0, 1.0], "b": [1.0, 0.0]})
    for model in (croft.LogisticRegression(), croft.NaiveBayes()):
        assert list(model.fit(frame, ["x", "y"]).predict(frame)) == ["x", "y"]


@pytest.mark.parametrize("label", ["", "x\ny", "x\r", "x\ty"])
def test_labels_that_no_line_can_hold_are_refused(label):
    says(ValueError, f"y[1][0] is {label!r}; a label must not be empty", croft.ChainCRF().fit, X[:2],
         [["A", "B"], [label, "A"]])
    says(ValueError, f"y[0][1] is {label!r}", croft.HMM().fit, X[:1], [["A", {"B", label}]])
    says(ValueError, f"y_dev[0][0] is {label!r}",
         lambda: croft.ChainCRF().fit(X, Y, X_dev=X[:1], y_dev=[[label, "A"]]))
    for model in (croft.LogisticRegression(), croft.NaiveBayes()):
        says(ValueError, f"y[1] is {label!r}", model.fit, numpy.eye(2), ["A", label])


@pytest.mark.parametrize("y", [["a", None, "b"], ["a", float("nan"), "b"], [0, float("nan"), 1.0],
                               numpy.array([0, numpy.nan, 1]), [1, None, 2]])
def test_what_is_no_label_is_no_class(y):
    for model in (croft.LogisticRegression(), croft.NaiveBayes()):
        says(ValueError, f"y[1] is {y[1]}: no label", model.fit, numpy.eye(3), y)
    says(ValueError, "classes[1] is None: no label",
         lambda: croft.NaiveBayes().partial_fit(numpy.eye(2), ["a", "b"], classes=["a", None, "b"]))


def test_arguments_in_another_order_are_named(crf):
    for ask in (croft.calibrate, croft.stack):
        says(TypeError, "output is a list; labels are y=..., and output is the path of a file", ask, crf, X, Y)
    for given in ((crf, X), (crf, X, Y), (crf.model_, X, Y)):
        says(TypeError, "of a model give evaluate(y, model.predict(X))", croft.evaluate, *given)
    says(TypeError, "y_first is a ChainCRF, and a list with the labels", croft.compare, Y, crf, crf)
    says(TypeError, "name the others, X_dev=... and y_dev=...", croft.ChainCRF().fit, X, Y, X, Y)
    assert croft.check(X, Y) == croft.check((X, Y))


def test_errors_of_data_in_memory_name_no_file(crf, texts):
    says(TypeError, "y[0] is a NoneType, and a label", croft.errors, texts, ["who is"], [None])
    for ask in (croft.errors, croft.card, lambda *given: croft.calibrate(*given[:2], y=given[2])):
        says(ValueError, "X is empty", ask, crf, [], [])
    says(TypeError, "y[1] is a NoneType", croft.errors, crf, X, [Y[0], None, Y[2]])
    says(TypeError, "y[1][1] is a NoneType", croft.errors, crf, X, [Y[0], ["A", None], Y[2]])
    says(ValueError, "give the labels as y", lambda: croft.stack(crf, X, jackknife=2))
    says(ValueError, "and the model is of attribute lines", lambda: croft.stack(crf, X, elsewhere=2))
    says(ValueError, "the model: method platt", lambda: croft.calibrate(crf, X, y=Y, method="platt"))
    says(ValueError, "method platt", lambda: croft.calibrate(texts, TEXTS, y=["H", "N"]))
    says(ValueError, "X[0][0] has 'a b', which must not be empty, and must have no blank", croft.check,
         [[["a b"]]], [["A"]])


def test_results_print_whole_tables(crf, columns):
    y = [["A", "A"]] * 3
    printed = str(croft.errors(columns, [[["It", "PRP"], ["is", "VBZ"]]] * 3, y))
    assert re.search("^kind +sequence +position +gold +predicted +probability +context$", printed, re.MULTILINE)
    assert "..." not in printed
    assert re.search("^data +finding +count +such as$", str(croft.check((X * 2, Y * 2))), re.MULTILINE)
    assert str(croft.check((X, Y))).endswith("nothing that is strange")
    printed = str(croft.stack(crf, X * 100, y=Y * 100))
    assert printed.startswith("300 sequences, 600 positions\nsequence") and len(printed) < 1000
    assert "without labels" in str(croft.stack(crf, X))
    assert str(croft.compare(Y, Y, y)).startswith("2 of 3 sequences differ\nmetric")
    assert re.match("score +sequence +labels\n", str(croft.suggest(crf, X)))


def test_positions_of_chunks_count_from_0():
    chunks = croft.ChainCRF().fit([[["a"], ["b"], ["c"]]] * 3, [["O", "B-P", "I-P"]] * 3)
    found = croft.errors(chunks, [[["a"], ["b"], ["c"]]], [["O", "B-P", "O"]], explain=True)["errors"][0]
    assert (found["position"], found["gold"], found["predicted"]) == (2, "P at position 1", "P at positions 1 to 2")
    assert "file" not in found["why"] and "line" not in found["why"]


@pytest.mark.parametrize("format", ["markdown", "html", "json"])
def test_a_card_of_sequences_has_no_lines(crf, format):
    page = croft.card(crf, X, [Y[0], Y[1], ["B", "B"]], format=format)
    assert {"markdown": "| sequence | kind |", "html": "<th>sequence</th>", "json": '"sequence": 2'}[format] in page
    assert {"markdown": "\n| 2 | label |", "html": "<td>2</td><td>label</td>", "json": '"kind"'}[format] in page
    assert '"line"' not in page


def test_a_str_is_no_list_of_labels(crf, texts):
    says(TypeError, "y is a str", croft.errors, texts, TEXTS, "HN")
    says(TypeError, "y[0] is a str", croft.errors, crf, X, ["AB", "BA", "AA"])
    says(TypeError, "y_true is a str", croft.evaluate, "AB", ["AB"])


def test_of_nothing_there_are_no_scores():
    for y in ([], [[]]):
        says(ValueError, "no labelled sequence", croft.evaluate, y, y)


def test_texts_are_no_matrix(texts_file):
    model = croft.LogisticRegression.load(texts_file)
    for ask in (model.predict, model.predict_proba, model.decision_function):
        says(TypeError, "X is texts, and LogisticRegression takes a matrix of numbers", ask, TEXTS)
    says(ValueError, "this model of kind maxent labels sequences", croft.load(texts_file).predict, numpy.eye(2))
