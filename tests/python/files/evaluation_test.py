"""How good labels are, where they are wrong, and why: as the program says it."""
import json
import os
import subprocess

import pytest

import croft

CROFT = os.environ.get("CROFT", os.path.join(os.path.dirname(croft.__file__), "..", "..", "croft"))
WORDS = [(word, "B-X" if word < "b" else "I-X" if word < "c" else "O") for word in "abcdabdcabcd" * 6]


def program(*arguments):
    if not os.access(CROFT, os.X_OK):
        pytest.skip("the program is not built")
    return json.loads(subprocess.run([CROFT, *map(str, arguments)], check=True, capture_output=True).stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Data, and two models of it."""
    path = tmp_path_factory.mktemp("evaluation")
    data = path / "d.conll"
    data.write_text("".join(f"{w} {y if k % 7 else 'O'}\n" + ("\n" if k % 4 == 3 else "")
                            for k, (w, y) in enumerate(WORDS)))
    for name, l2 in (("a", 0.01), ("b", 300)):
        subprocess.run([CROFT, "train", "--quiet", f"--l2={l2}", "-o", path / f"{name}.croft", data], check=True)
    return path


@pytest.fixture(scope="module")
def sequences(folder):
    blocks = [block.splitlines() for block in (folder / "d.conll").read_text().split("\n\n") if block]
    return ([[row.split()[:1] for row in block] for block in blocks],
            [[row.split()[1] for row in block] for block in blocks])


def test_a_comparison_has_the_programs_names(folder, sequences):
    X, y = sequences
    a, b = (croft.load(folder / f"{name}.croft").predict(X) for name in "ab")
    for options, flags in (({}, []), ({"show": 2, "draws": 50, "seed": 3, "confidence": 0.5, "chunks": "none"},
                                      ["--show=2", "--draws=50", "--seed=3", "--confidence=0.5", "--chunks=none"])):
        expected = program("compare", "--json", *flags, "-m", folder / "a.croft", "-m", folder / "b.croft",
                           folder / "d.conll")
        assert expected["differences"]
        for each in expected["differences"]:
            del each["line"]
            for label in each["labels"]:
                del label["text"]
        assert croft.compare(y, a, b, **options) == expected
    assert croft.compare(map(iter, y), map(iter, a), map(iter, b)) == croft.compare(y, a, b)


def test_errors_and_card_take_a_path(folder):
    path, data = folder / "b.croft", folder / "d.conll"
    expected = program("errors", "--json", "-m", path, "--chunks=raw", "--top=3", data)
    assert croft.errors(path, data, chunks="raw", top=3) == expected
    assert croft.errors(str(path), data) == croft.errors(croft.load(path), data)
    assert croft.card(path, data) == croft.card(croft.load(path), data)
    with pytest.raises(FileNotFoundError):
        croft.errors(folder / "none.croft", data)


def test_chunks_can_be_read_in_another_scheme(folder, sequences):
    X, y = sequences
    model = croft.load(folder / "b.croft")
    for scheme in ("raw", "none", "bio"):
        expected = program("evaluate", "--json", "-m", folder / "b.croft", f"--chunks={scheme}", folder / "d.conll")
        found = model.evaluate(X, y, chunks=scheme)
        assert found.get("chunk") == expected.get("chunk") and ("chunk" in found) == (scheme != "none")
    assert croft.chunk_f1(y, y, chunks="raw") == 1
    with pytest.raises(croft.Error, match="choose one of auto"):
        croft.evaluate(y, y, chunks="bi")


def test_of_nothing_but_o_the_f1_is_0():
    assert croft.chunk_f1([["O", "O"]], [["O", "O"]]) == 0
    for labels, message in ((["N", "V"], "no chunks"), ([], "no labelled sequence")):
        with pytest.raises(ValueError, match=message):
            croft.chunk_f1([labels], [labels])


def test_a_fold_of_nothing_but_o_has_a_score():
    selection = pytest.importorskip("sklearn.model_selection")
    metrics = pytest.importorskip("sklearn.metrics")
    X, y = [[["a"], ["b"]]] * 6, [["B-X", "O"]] * 3 + [["O", "O"]] * 3
    crf = croft.ChainCRF(max_iterations=5, optimizer="lbfgs", progress=False)
    scores = selection.cross_val_score(crf, X[3:] * 2, y[3:] * 2, cv=2, scoring=metrics.make_scorer(croft.chunk_f1))
    assert scores.tolist() == [0, 0]
    found = croft.search(crf, X, y, {"l2": [1]}, metric="chunk-f1", contiguous=True, folds=2, refit=False)
    assert 0 in found.candidates[0].scores[0]


@pytest.mark.parametrize("flags, options", [
    (["--below=0.833"], {"below": 0.833}), (["--wrong"], {"wrong": True}),
    (["--wrong", "--below=0.833"], {"wrong": True, "below": 0.833}),
    (["--wrong", "--against=I-X", "--positions=0,2", "--top=2"],
     {"wrong": True, "against": "I-X", "positions": [0, 2], "top": 2})])
def test_an_explanation_is_of_the_wrong_and_the_unsure(folder, sequences, flags, options):
    lines = subprocess.run([CROFT, "explain", "--json", "-m", folder / "a.croft", *flags, folder / "d.conll"],
                           check=True, capture_output=True).stdout.splitlines()
    model, found = croft.load(folder / "a.croft"), []
    for x, labels in zip(*sequences):
        how = {**options, "wrong": labels} if "wrong" in options else options
        found.append(model.explain(x, **how))
    left = [each for each in found if each.get("positions") or each.get("stretches")]
    assert 0 < len(left) < len(found)
    for mine, line in zip(left, lines, strict=True):
        theirs = json.loads(line)
        for key in ("positions", "stretches"):
            for one, other in zip(mine.get(key, ()), theirs.get(key, ()), strict=True):
                assert {**one, "row": 0, "given": 0, "rows": 0} == {**other, "row": 0, "given": 0, "rows": 0}


def test_where_nothing_is_left_to_explain_nothing_is(folder, sequences):
    model, x = croft.load(folder / "a.croft"), sequences[0][0]
    right = model.predict_single(x)
    for options in ({"below": 0}, {"wrong": right}, {"wrong": right, "against": "O"}, {"positions": []}):
        found = model.explain(x, **options)
        assert found["stretches" if options == {"wrong": right} else "positions"] == []
        assert len(str(found).splitlines()) == 1 and found["labels"] == right
    segments = croft.SegmentCRF(progress=False).fit([[["a"], ["b"]]], [["B-X", "I-X"]])
    assert segments.explain([["a"], ["b"]], below=0)["explained"] == []


LABELS = [["A", "B"]]


@pytest.mark.parametrize("call, error, message", [
    (lambda m, d: croft.compare(LABELS, LABELS, LABELS, show=-1), ValueError, "show is -1"),
    (lambda m, d: croft.compare(LABELS, LABELS, LABELS, draws=0), ValueError, "draws is 0"),
    (lambda m, d: croft.compare(LABELS, LABELS, LABELS, seed=-1), ValueError, "seed is -1"),
    (lambda m, d: croft.compare(LABELS, LABELS, LABELS, confidence="high"), TypeError, "confidence is 'high'"),
    (lambda m, d: croft.errors(m, d, top=-1), ValueError, "top is -1"),
    (lambda m, d: croft.card(m, top=-1), ValueError, "top is -1"),
    (lambda m, d: croft.card(m, top="many"), ValueError, "top is 'many'"),
    (lambda m, d: m.explain([["a"]], top=-1), ValueError, "top is -1"),
    (lambda m, d: m.explain([["a"]], positions=[-1]), ValueError, "a position is -1"),
    (lambda m, d: m.explain([["a"]], positions=[3], below=0.5), ValueError, "no position 3"),
    (lambda m, d: m.explain([["a"]], below=1.5), ValueError, "below is 1.5"),
    (lambda m, d: m.explain([["a"]], wrong=["O", "O"]), ValueError, "wrong has 2 labels, and x 1 positions"),
    (lambda m, d: m.inspect(top=-1), ValueError, "top is -1"),
])
def test_a_wrong_count_is_one_clear_error(folder, call, error, message):
    with pytest.raises(error, match=message) as raised:
        call(croft.load(folder / "a.croft"), folder / "d.conll")
    assert "incompatible function arguments" not in str(raised.value)
