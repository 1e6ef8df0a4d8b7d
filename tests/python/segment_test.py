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


def test_segments_are_explained_and_their_reasons_add_up():
    crf = croft.SegmentCRF(format="columns", l2=0.1, progress=False).fit(X, Y)
    found = crf.model_.explain(X[1], top=2)
    assert found["segments"] == [[0, 1, "O"], [1, 5, "LOC"]]
    for each in found["explained"]:
        reasons = sum(reason["difference"] for reason in each["reasons"])
        assert reasons + each["rest"]["difference"] == pytest.approx(each["difference"])
    [one] = crf.model_.explain(X[1], positions=[2], against="O")["explained"]
    assert {label for *_, label in one["other"]} == {"O"}
    assert "1-4" in str(found)
    with pytest.raises(ValueError, match='against is "B-LOC"'):
        crf.model_.explain(X[1], against="B-LOC")


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match="no macro"):
        croft.SegmentCRF(format="columns", segment_template="U:%size\n", progress=False).fit(X, Y)
    with pytest.raises(ValueError, match="gazetteer"):
        croft.SegmentCRF(format="columns", segment_template="U:%gazetteer[fold]\n",
                         progress=False).fit(X, Y)
    with pytest.raises(ValueError, match="looks at words"):
        croft.SegmentCRF(segment_template="U:%lower\n", progress=False).fit(as_dicts(X), Y)


SPANS = [[(1, 3, "LOC")], [(1, 5, "LOC")], [(2, 4, "LOC"), (0, 1, "LOC")]]


def test_spans_are_labels_in_other_words():
    options = {"format": "columns", "progress": False}
    one = croft.SegmentCRF(**options).fit(X, Y)
    two = croft.SegmentCRF(**options).fit(X, SPANS)
    assert one.predict(X) == two.predict(X) == Y
    expected = [sorted(spans) for spans in SPANS]
    assert one.predict_spans(X) == two.predict_spans(X) == expected
    assert two.score(X, SPANS) == two.score(X, Y) == 1
    assert [[(s.start, s.end, s.label) for s in spans] for spans in two.spans(X)] == expected
    bioes = croft.SegmentCRF(label_scheme="bioes", **options).fit(X, SPANS, X_dev=X, y_dev=SPANS)
    assert "S-LOC" in bioes.classes_ and bioes.predict_spans(X) == expected
    runs = croft.SegmentCRF(label_scheme="none", **options).fit(X, [[label[-3:] for label in y] for y in Y])
    assert runs.predict_spans(X[:2]) == expected[:2]


def test_what_is_no_list_of_spans_is_said():
    crf = croft.SegmentCRF(format="columns", progress=False)
    for spans, says in (([(0, 9, "LOC")], "3 positions"), ([(0, 2, "LOC"), (1, 3, "PER")], "overlap"),
                        ([(0, "LOC")], r"\(start, end, label\)")):
        with pytest.raises(ValueError, match=r"y\[0\].*" + says):
            crf.fit(X, [spans, [], []])
    with pytest.raises(ValueError, match="cannot spell"):
        croft.SegmentCRF(label_scheme="raw", progress=False).fit(X, SPANS)


def test_training_goes_on_from_a_model():
    options = {"format": "columns", "segment_template": "U1:%length\nU2:%lower\nU3:%gazetteer[fold]\n",
               "gazetteers": {"town": ["bad sulz", "ulm"]}, "progress": False}
    first = croft.SegmentCRF(**options).fit(X, Y)
    strong = croft.SegmentCRF(format="columns", prior=first, l2=1e8, progress=False).fit(X[:1], Y[:1])
    assert strong.predict(X) == first.predict(X)
    for a, b in zip(first.predict_proba(X), strong.predict_proba(X)):
        assert abs(a - b).max() < 1e-4
    again = croft.SegmentCRF(warm_start=True, **options).fit(X, Y)
    before = again.training_log_.result["objective"]
    again.fit(X, Y)
    assert again.training_log_[0]["objective"] == pytest.approx(before, abs=1e-4)
    again.partial_fit([[["Acme"], ["Inc"], ["saw"]]], [["B-ORG", "I-ORG", "O"]])
    assert set(again.classes_) == {"O", "B-LOC", "I-LOC", "B-ORG", "I-ORG"}
    with pytest.raises(ValueError, match="kind chain"):
        croft.SegmentCRF(prior=croft.ChainCRF(format="columns", progress=False).fit(X, Y), format="columns",
                         progress=False).fit(X, Y)


def test_sequences_without_labels_train_too(tmp_path):
    X = [[{"w": word} for word in text.split()] for text in ("the k a", "x l b", "the m c") * 2]
    y = [["B-N", "I-N", "O"]] * len(X)
    more = [[{"w": word} for word in text.split()] for text in ("the m b", "x k c", "the l l a")]
    plain = croft.SegmentCRF().fit(X, y)
    surer = croft.SegmentCRF(entropy=1.0).fit(X, y, X_unlabelled=more)

    def sureness(model):
        return sum(max(p.values()) for x in model.predict_marginals(more) for p in x)
    assert sureness(surer) > sureness(plain)
    taught = croft.SegmentCRF(self_training=2, confidence=0.6).fit(X, y, X_unlabelled=more)
    assert taught.predict(more) == surer.predict(more)
    with pytest.raises(ValueError, match="unlabelled"):
        croft.SegmentCRF(entropy=1.0).fit(X, y)


def test_the_first_label_may_be_unknown():
    X = [[["a"], ["b"], ["c"]], [["b"], ["a"], ["c"]]]
    y = [[None, "B-X", "I-X"], ["O", "O", "B-X"]]
    assert croft.SegmentCRF(template="U:%x[0,0]\n").fit(X, y).predict(X)[1] == y[1]
