"""What is given in memory is used, or refused."""
import warnings

import pytest

import croft
from croft.compat.sklearn_crfsuite import metrics

WORDS = [[["2", "CD"], ["cups", "NNS"]], [["salt", "NN"]]]
LABELS = [["QTY", "UNIT"], ["NAME"]]


def test_a_flat_list_of_labels_is_no_list_of_sequences():
    flat, other = ["B-LOC", "O"], ["B-PER", "O"]
    nested = [["B-LOC", "O"]]
    for question in (lambda: croft.evaluate(flat, other), lambda: croft.evaluate(nested * 2, other),
                     lambda: croft.compare(flat, other, other), lambda: croft.chunk_f1(flat, other),
                     lambda: metrics.flat_accuracy_score(flat, other),
                     lambda: metrics.sequence_accuracy_score(flat, other),
                     lambda: metrics.flat_f1_score(nested * 2, other, average="macro")):
        with pytest.raises(TypeError, match=r"y_(true|pred|first)\[0\] is a str, and a list with a label for each"):
            question()
    assert croft.evaluate(nested, [["B-PER", "O"]])["tokens"]["accuracy"] == 0.5


def test_an_extra_cell_of_a_row_is_refused():
    model = croft.ChainCRF(format="columns").fit(WORDS, LABELS).model_
    labelled = [[[*row, label] for row, label in zip(rows, labels)] for rows, labels in zip(WORDS, LABELS)]
    for question in (lambda: model.predict(labelled), lambda: model.tag_many(iter(labelled)),
                     lambda: model.predict_single(labelled[0]), lambda: model.predict_marginals(labelled),
                     lambda: croft.suggest(model, labelled)):
        with pytest.raises(ValueError, match=r"\[0\] has 3 cells, and the model was trained on rows of 2: leave out"):
            question()
    assert model.predict(WORDS) == LABELS


def test_rows_of_one_sequence_are_not_taken_for_sequences_in_silence():
    model = croft.ChainCRF(format="columns").fit([["2", "cups"], ["salt"]], LABELS).model_
    with pytest.warns(UserWarning, match=r"each of the 2 sequences of X has one position; .* put them into a list"):
        assert [len(labels) for labels in model.predict([["2"], ["cups"]])] == [1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict([[["2"], ["cups"]]]) == model.predict([["2", "cups"]]) == LABELS[:1]
        model.predict([["2", "cups"], ["salt"]])
        model.predict_single(["salt"])


def test_check_and_suggest_take_other_programs_data(tmp_path):
    data = tmp_path / "d.jsonl"
    data.write_text('{"text": "Ana lives", "label": [[0, 3, "PER"]]}\n')
    assert croft.check(data, format="doccano")["train"]["labels"] == {"B-PER": 1, "O": 1}
