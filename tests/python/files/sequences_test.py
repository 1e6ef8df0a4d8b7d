"""What reads files of data takes sequences, too, and says the same of them; results print as tables."""
import json
import warnings

import pytest

import croft

ROWS = [[["a"], ["b"]], [["a"], ["c"]], [["c"], ["b"], ["a"]]] * 4
DICTS = [[{"w": word, "x:y\\": 2.5} for word, in rows] for rows in ROWS]
Y = [["B-X", "O"], ["O", "B-Y"], ["B-Y", "O", "B-X"]] * 4
WRONG = [["O", "O"], ["O", "B-Y"], ["B-X", "O", "B-X"]] * 4


@pytest.fixture(params=["columns", "attributes"])
def case(request, tmp_path):
    """A model, its sequences and labels, and the same data as a file."""
    rows = request.param == "columns"
    X = ROWS if rows else DICTS
    path = tmp_path / "data"
    with open(path, "w") as file:
        for x, y in zip(X, WRONG):
            for position, label in zip(x, y):
                file.write(f"{position[0]}\t{label}\n" if rows else
                           f"{label}\tw\\:{position['w']}\tx\\:y\\\\:2.5\n")
            file.write("\n")
    return croft.ChainCRF(format=request.param).fit(X, Y), X, str(path)


def without_lines(errors):
    return [{name: value for name, value in each.items() if name != "line"} for each in errors]


def test_errors_of_sequences_are_those_of_the_file(case):
    model, X, path = case
    found, of_file = croft.errors(model, X, WRONG), croft.errors(model, path)
    assert found["errors"] == without_lines(of_file["errors"])
    assert {**found, "errors": []} == {**of_file, "errors": []}
    assert "sequences with an error" in str(found) and "predicted" in str(found) and "line" not in str(found)
    assert len(found.table()) == len(found["errors"]) > 0


def test_card_and_calibrate_and_stack_of_sequences_are_those_of_the_file(case):
    model, X, path = case
    ours, theirs = (json.loads(croft.card(model, *data, format="json")) for data in ((X, WRONG), (path,)))
    assert ours["scores"] == theirs["scores"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = croft.calibrate(model, X, y=WRONG), croft.calibrate(model, path)
    assert ours.report == theirs.report
    assert "before" in str(ours) and "log_loss" in str(ours) and len(ours.table()) == len(ours.report["before"])
    assert croft.stack(model, X, y=WRONG) == croft.stack(model, path)
    assert croft.stack(model, X).y is None
    assert croft.stack(model, X).X == croft.stack(model, path).X


def test_check_of_sequences_names_sequence_and_position():
    for X in (ROWS, DICTS):
        found = croft.check((X, Y), (X[:2], WRONG[:2]))
        case = found["train"]["findings"]["repeated_sequences"]["cases"][0]
        assert (case["sequence"], case["position"], case["other_sequence"]) == (3, 0, 0)
        assert "line" not in case
        assert found["tests"][0]["findings"]["in_training_data"]["cases"]
        assert "repeated_sequences" in str(found) and "train: 12 sequences" in str(found)


def test_texts_are_sequences_of_their_own(tmp_path):
    texts, labels = ["nice day", "awful rain"] * 20, ["good", "bad"] * 20
    found = croft.check((texts, labels))
    assert found["train"]["labels"] == {"good": 20, "bad": 20}


@pytest.mark.parametrize("call, kind, message", [
    (lambda m: croft.errors(m, ROWS), ValueError, "y is None"),
    (lambda m: croft.calibrate(m, ROWS), ValueError, "y is None"),
    (lambda m: croft.errors(m, "file", Y), ValueError, "y is the labels of sequences"),
    (lambda m: croft.errors(m, ROWS, Y[:2]), ValueError, "12 sequences, and y the labels of 2"),
    (lambda m: croft.errors(m, [[["a b"]]], [["O"]]), ValueError, r"X\[0\]\[0\] has 'a b'"),
    (lambda m: croft.errors(m, [[["a"]]], [["O", "O"]]), ValueError, r"X\[0\] has 1 positions, and y\[0\] 2 labels"),
    (lambda m: croft.errors(m, [[]], [[]]), ValueError, r"X\[0\] is empty"),
    (lambda m: croft.errors(m, [[[3]]], [["O"]]), TypeError, "an int, and a str was expected"),
    (lambda m: croft.check("file", (ROWS, Y)), ValueError, "some of the data is in files"),
    (lambda m: croft.check(ROWS), TypeError, r"a pair \(X, y\)"),
    (lambda m: croft.check((ROWS, Y), format="text"), ValueError, "format is of a file"),
])
def test_what_is_wrong_with_sequences_is_said(call, kind, message):
    model = croft.ChainCRF(format="columns").fit(ROWS, Y)
    with pytest.raises(kind, match=message):
        call(model)
