"""croft.SegmentCRF."""

import pytest

import croft

X = [[["saw"], ["Bad"], ["Sulz"]], [["in"], ["Bad"], ["Sulz"], ["am"], ["See"]],
     [["Ulm"], ["and"], ["Bad"], ["Berg"]]]
Y = [["O", "B-LOC", "I-LOC"], ["O", "B-LOC", "I-LOC", "I-LOC", "I-LOC"],
     ["B-LOC", "O", "B-LOC", "I-LOC"]]


def as_dicts(X):
    return [[{"word": row[0], "first": row[0][0]} for row in x] for x in X]


def test_segments_of_rows_are_found_and_saved(tmp_path):
    crf = croft.SegmentCRF(format="columns", segment_template="U1:%length\nU2:%gazetteer[fold]\n",
                           gazetteers={"town": ["bad sulz", "ulm", "new ham"]}, progress=False)
    assert crf.fit(X, Y) is crf
    x = [["near"], ["New"], ["Ham"]]
    assert crf.predict_single(x) == ["O", "B-LOC", "I-LOC"]
    spans = crf.spans([x])[0]
    assert (spans[0].start, spans[0].end, spans[0].label) == (1, 3, "LOC")
    assert 0 < spans[0].probability < 1
    path = tmp_path / "m.croft"
    crf.save(path)
    model = croft.load(path)
    assert model.predict([x]) == crf.predict([x])
    assert "town" in str(crf.inspect())
    assert len(crf.k_best([x], 3)[0]) == 3


def test_dicts_say_which_attribute_is_the_word():
    crf = croft.SegmentCRF(segment_template="U:%lower\n", text="word", progress=False)
    crf.fit(as_dicts(X), Y)
    assert crf.predict(as_dicts(X)) == Y


def test_lengths_are_limited_by_label_and_end_at_the_longest_sequence():
    for most, found in (4, 4), (60, max(len(x) for x in X)):
        crf = croft.SegmentCRF(format="columns", max_length={"LOC": most}, progress=False).fit(X, Y)
        longest = {each["name"]: each["longest"] for each in crf.inspect()["segments"]}
        assert longest["LOC"] == found
    with pytest.raises(ValueError, match="at most 2"):
        croft.SegmentCRF(format="columns", max_length=2, progress=False).fit(X, Y)


def test_segments_of_length_one_are_the_chain():
    y = [["n" if row[0][0].isupper() else "v" for row in x] for x in X]
    options = {"format": "columns", "optimizer": "lbfgs", "tolerance": 0, "progress": False}
    one = croft.SegmentCRF(max_length=1, **options).fit(X, y)
    two = croft.ChainCRF(**options).fit(X, y)
    for a, b in zip(one.predict_proba(X), two.predict_proba(X)):
        assert abs(a - b).max() < 1e-5


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match="no macro"):
        croft.SegmentCRF(format="columns", segment_template="U:%size\n", progress=False).fit(X, Y)
    with pytest.raises(ValueError, match="gazetteer"):
        croft.SegmentCRF(format="columns", segment_template="U:%gazetteer[fold]\n",
                         progress=False).fit(X, Y)
    with pytest.raises(ValueError, match="looks at words"):
        croft.SegmentCRF(segment_template="U:%lower\n", progress=False).fit(as_dicts(X), Y)
