"""Model.tag_many: what predict of one sequence after the other gives, whatever the form and the threads."""
import collections
import os
import signal
import threading
import time

import pytest

import croft
from conftest import Number, items, sentences
from croft import _core
from croft.compat import pycrfsuite, sklearn_crfsuite

THREADS = (1, 2, 5)


@pytest.fixture(scope="module")
def model():
    words, y = sentences(80, 3)
    return croft.ChainCRF(threads=1, l2=0.3).fit(items(words), y).model_


def forms():
    """name -> what a position is made of: the same attributes, or others that the model has not seen."""
    return {
        "dicts": lambda item: item,
        "mappings": lambda item: collections.ChainMap(item),
        "lists": lambda item: [f"word:{item['word']}", "upper", "upper"],
        "tuples": lambda item: (f"word:{item['word']}",),
        "sets": lambda item: {f"word:{item['word']}", "upper", "near:left:^"},
        "keys": lambda item: {f"word:{item['word']}": 1, "upper": 1}.keys(),
        "bytes": lambda item: {b"word": item["word"].encode(), b"upper": True},
        "bytes in lists": lambda item: [f"word:{item['word']}".encode()],
        "nothing": lambda item: {},
        "unknown": lambda item: {"never": item["word"], "word": item["word"]},
        "zeros": lambda item: {"word": item["word"], "upper": 0, "length": 0.0, "never": False},
        "numbers": lambda item: {"length": 3, "upper": -1.5, "word": {item["word"]: 2**40}},
        "deep": lambda item: {"near": {"left": ["^", {"a": {"b": "c"}}]}, "word": {item["word"]: True}},
    }


def one_by_one(model, X, **how):
    return [model.predict_single(_core.Items(x), **how) for x in X]


@pytest.mark.parametrize("form", forms())
@pytest.mark.parametrize("threads", THREADS)
def test_every_form_gives_the_labels_of_its_sequences_one_by_one(model, form, threads):
    words, _ = sentences(300, 8)
    X = [[forms()[form](item) for item in sequence] for sequence in items(words)]
    X[7] = []
    expected = one_by_one(model, X)
    for given in (X, tuple(X), iter(X), (x for x in X), [_core.Items(x) for x in X], [iter(x) for x in X],
                  [tuple(x) for x in X]):
        assert model.tag_many(given, threads) == expected
    assert expected[7] == [] and model.predict(X, threads=threads) == expected


def test_all_questions_have_the_same_bits_as_with_attributes_that_were_read_as_strings(model):
    X = items(sentences(60, 9)[0])
    as_strings = [_core.Items(x) for x in X]
    for ask in (lambda X: model.log_partition(X), lambda X: model.k_best(X, 3), lambda X: model.predict_marginals(X),
                lambda X: model.sample(X, 2, seed=3), lambda X: model.predict(X, decode="marginal"),
                lambda X: model.predict(X, rules=["at-most 1 label N"]), lambda X: model.entropy(X),
                lambda X: model.predict(X, known=[[None] * len(x) for x in X])):
        assert ask(X) == ask(as_strings)


@pytest.mark.parametrize("trained", [
    lambda X, y: croft.MEMM(max_iterations=8).fit(X, y),
    lambda X, y: croft.ChainCRF(order=2, max_iterations=8).fit(X, y),
    lambda X, y: croft.ChainCRF(boundaries=True, max_iterations=8).fit(X, y),
    lambda X, y: croft.ChainCRF(induce=True, max_iterations=8).fit(X, y), lambda X, y: croft.HMM().fit(X, y),
    lambda X, y: croft.BoostedCRF(rounds=3).fit(X, y), lambda X, y: croft.SegmentCRF(max_iterations=8).fit(X, y),
    lambda X, y: croft.ChainCRF(objective="perceptron").fit(X, y),
    lambda X, y: croft.ChainCRF(objective="max-margin", optimizer="smo", kernel="poly:2", max_iterations=8).fit(X, y)],
    ids=["memm", "order 2", "boundaries", "conjunctions", "hmm", "trees", "segments", "perceptron", "kernel"])
def test_models_of_every_kind_take_many_sequences(trained):
    words, y = sentences(30, 4)
    X = [[[f"w={word}", word[-1]] for word in sentence] for sentence in words]
    model = trained(X, y).model_
    function = croft.FeatureFunction(lambda word: [f"w={word}", word[-1]])
    expected = one_by_one(model, X)
    for threads in THREADS:
        assert model.tag_many(X, threads) == model.tag_many(words, threads, function) == expected


def test_models_of_rows_and_of_matrices_take_many_sequences():
    import numpy
    words, y = sentences(30, 4)
    rows = [[[word, word[-1]] for word in sentence] for sentence in words]
    of_rows = croft.ChainCRF(format="columns", max_iterations=8).fit(rows, y).model_
    generator = numpy.random.default_rng(1)
    matrices = [generator.normal(size=(len(sentence), 3)) for sentence in words]
    of_matrices = croft.ChainCRF(max_iterations=8).fit(matrices, y).model_
    for threads in THREADS:
        assert of_rows.tag_many(iter(rows), threads) == [of_rows.predict_single(x) for x in rows]
        assert of_matrices.tag_many(iter(matrices), threads) == [of_matrices.predict_single(x) for x in matrices]


def test_the_labels_of_all_sequences_are_the_same_objects(model):
    labels = model.tag_many(items(sentences(50, 2)[0]))
    assert len({id(label) for sequence in labels for label in sequence}) <= len(model.labels)
    again = model.tag_many(items(sentences(50, 2)[0]))
    assert {id(label) for sequence in again for label in sequence} <= {id(y) for x in labels for y in x}


@pytest.mark.parametrize("nothing", [[], (), iter([]), (x for x in []), set()])
def test_of_nothing_there_is_nothing(model, nothing):
    assert model.tag_many(nothing) == []


def test_what_is_known_goes_with_a_generator(model):
    X = items(sentences(20, 5)[0])
    known = [["N", *[None] * (len(x) - 1)] for x in X]
    assert model.tag_many((x for x in X), known=known) == model.predict(X, known=known)
    with pytest.raises(ValueError, match="X has 20 sequences and known the labels of 19"):
        model.tag_many((x for x in X), known=known[1:])


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("bad,error,message", [
    ({"w": object()}, TypeError, r"X\[2999\]\[1\]\['w'\] is an object"),
    (5, TypeError, r"X\[2999\]\[1\] is an int, and a dict or a list"),
    ("ab", TypeError, r"X\[2999\]\[1\] is a str, and a dict or a list"),
    ([5], TypeError, r"X\[2999\]\[1\] is an int, and a str was expected"),
    ({5: 1}, TypeError, r"X\[2999\]\[1\] is an int, and a str was expected"),
    ({5: False}, TypeError, r"X\[2999\]\[1\] is an int, and a str was expected"),
    ({"w": float("nan")}, ValueError, r"X\[2999\]\[1\] has an attribute with the value nan"),
    ({"w": 1e16}, ValueError, r"X\[2999\]\[0\]: an attribute value of more than 1e15"),
    ({"never seen": -1e16}, ValueError, r"X\[2999\]\[0\]: an attribute value of more than 1e15"),
    ({"w": "\ud800"}, ValueError, r"X\[2999\]\[1\] has a lone surrogate")])
def test_a_bad_position_is_named(model, threads, bad, error, message):
    X = items(sentences(2999, 5)[0])
    with pytest.raises(error, match=message):
        model.tag_many([*X, [X[0][0], bad]], threads)
    assert model.tag_many(X[:3], threads) == model.predict(X[:3])


@pytest.mark.parametrize("threads", THREADS)
def test_a_sequence_that_is_none_is_named(model, threads):
    for bad in ("a text", 5, None, {"a": 1}):
        with pytest.raises(TypeError, match=r"X\[1\] is an? .* and a list with the attributes of each position"):
            model.tag_many([[{"a": 1}], bad], threads)
    for bad in ("a text", 5, None, {"a": [1]}):
        with pytest.raises(TypeError):
            model.tag_many(bad, threads)


def test_what_the_iterator_raises_arrives(model):
    def broken():
        yield [{"word": "the"}]
        raise ZeroDivisionError
    for threads in THREADS:
        with pytest.raises(ZeroDivisionError):
            model.tag_many(broken(), threads)


@pytest.mark.parametrize("threads", THREADS)
def test_lists_that_change_while_they_are_read_are_noticed_or_read_as_they_are(model, threads):
    sequence = [{"word": "the"}, {"n": 0}, {"word": "cat"}]
    X = [[{"word": "the"}]] * 3 + [sequence] + [[{"word": "cat"}]] * 3
    sequence[1]["n"] = Number(sequence.clear)
    with pytest.raises(ValueError, match="changed while it was read"):
        model.tag_many(X, threads)
    X[3] = [{"n": Number(X.clear)}]
    with pytest.raises(IndexError):
        model.tag_many(X, threads)
    X = [[{"word": "the"}], [{"n": Number(lambda: X.append([{"word": "cat"}]))}]]
    assert len(model.tag_many(X, threads)) == 2 and len(model.tag_many(iter(X), threads)) == 4


def test_a_model_may_be_asked_while_it_reads(model):
    inner = []
    X = items(sentences(400, 6)[0])
    asking = Number(lambda: inner.append(model.tag_many(X, 2)))
    labels = model.tag_many([[{**x[0], "n": asking}, *x[1:]] for x in X[:4]])
    assert len(labels) == 4 and inner == [model.predict(X)] * 4


def test_threads_of_the_caller_share_a_model(model):
    X = items(sentences(400, 6)[0])
    expected, found = model.predict(X), []

    def ask():
        for _ in range(5):
            found.append(model.tag_many(iter(X), 2) == expected)
    callers = [threading.Thread(target=ask) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert found == [True] * 20


@pytest.mark.parametrize("threads", (1, 3))
def test_ctrl_c_stops_between_sequences_and_leaves_the_model_as_it_was(model, threads):
    sequence = items([["the", "old", "cat"]])[0]

    def endless():
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        while True:
            yield sequence
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        model.tag_many(endless(), threads)
    assert time.monotonic() - start < 20
    assert model.tag_many([sequence], threads) == model.predict([sequence])


def test_attributes_without_end_are_forgotten_and_found_again(model):
    words = sentences(2, 5)[0][1]
    known = items([words])[0]
    X = [[{"never": f"{n}-{k}-{'x' * 80}"} for k in range(200)] for n in range(700)]
    X = [known, *X, known]
    labels = model.tag_many(X)
    assert labels[0] == labels[-1] == model.predict_single(known)
    with pytest.warns(UserWarning, match="knows no attribute"):
        assert labels[1:-1] == [model.predict_single([{"never": "1"}] * 200)] * 700


def test_a_model_that_knows_nothing_of_what_it_is_asked_says_so(model):
    for X in ([[{"a": 1}]], [[{"a": 0}]], [[["b"], ["c"]]], [[{"a": False}], [{"b": "c"}]]):
        with pytest.warns(UserWarning, match="knows no attribute of X"):
            model.tag_many(X)
    with pytest.warns(UserWarning, match="knows no attribute of X"):
        model.tag_many([["x"]], features=croft.FeatureFunction(lambda token: {"a": token}))


def test_the_layers_for_other_packages_take_many_sequences(tmp_path):
    words, y = sentences(40, 3)
    X = items(words)
    crf = sklearn_crfsuite.CRF(max_iterations=20).fit(X, y)
    expected = [crf.predict_single(x) for x in X]
    tagger = pycrfsuite.Tagger.of(crf.model_)
    assert crf.predict(X) == crf.predict(iter(X)) == expected
    assert tagger.tag_many(X) == tagger.tag_many(map(pycrfsuite.ItemSequence, X), threads=2) == expected
    tagger.close()
    with pytest.raises(ValueError, match="the tagger has no model"):
        tagger.tag_many(X)
