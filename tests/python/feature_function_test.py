"""FeatureFunction: what a function says of each token, kept, is what it says when it is asked each time."""
import functools
import gc
import pickle
import sys
import threading
import tracemalloc
import weakref

import pytest

import croft
from conftest import sentences
from croft import _core
from croft.compat import pycrfsuite

WORDS, TAGS = sentences(80, 3)


def features(token):
    """Values of every kind; those of False and 0 are no attributes of a plain list."""
    return {"word": token, "upper": token[:1].isupper(), "length": len(token) / 4, "end": {token[-1:], token[-2:]},
            "vowels": {"first": next((c for c in token if c in "aeiou"), False), "count": 0}, "none": False}


def by_hand(tokens):
    """With the neighbours under their names, and marks that these see as well."""
    positions = [features(token) for token in tokens]
    plain = [dict(position) for position in positions]
    plain[0]["start"] = plain[-1]["stop"] = True
    for t, position in enumerate(positions):
        if t > 0:
            position["previous"] = plain[t - 1]
        if t + 1 < len(tokens):
            position["next"] = plain[t + 1]
    positions[0]["start"] = positions[-1]["stop"] = True
    return positions


def function(f=features, **other):
    return croft.FeatureFunction(f, **{"before": ["previous"], "after": ["next"], "first": {"start": True},
                                       "last": "stop", "marked": True, **other})


@pytest.fixture(scope="module")
def model():
    return croft.ChainCRF(threads=1, l2=0.3).fit([by_hand(sentence) for sentence in WORDS], TAGS).model_


def attributes(positions):
    """Sorted, and without those that change nothing."""
    return [sorted((name, value) for name, value in position.items() if value != 0)
            for position in _core.Items(positions).items()]


def test_a_function_gives_what_is_written_by_hand(model):
    new = sentences(300, 11)[0] + [["the"], ["Oslo", "Oslo"]]
    expected = model.predict([by_hand(sentence) for sentence in new])
    for threads in (1, 2, 5):
        assert model.tag_many(new, threads, function()) == expected
        assert model.tag_many(iter(new), threads, croft.FeatureFunction.of_sequence(by_hand)) == expected
    assert model.predict(new, features=function()) == expected
    for sentence in new:
        assert attributes(function()(sentence)) == attributes(by_hand(sentence))
    told, written = (model.log_partition(new, features=function()), model.log_partition(list(map(by_hand, new))))
    assert told == pytest.approx(written, rel=1e-12)


@pytest.mark.parametrize("arguments", [
    {}, {"before": 2}, {"after": 3}, {"before": 1, "after": 1, "first": "BOS", "last": "EOS"},
    {"before": ["a", "b"], "after": ["c"], "first": ["x", "y"], "marked": True},
    {"before": 2, "after": 2, "neighbour": lambda token: [f"w={token}"], "last": {"n": 0.5}, "marked": True},
    {"before": ["previous"], "neighbour": lambda token: {"word": token, "k": {"l": ["m"]}}}])
@pytest.mark.parametrize("f", [features, lambda token: [f"w={token}", token[-1], token[-1]],
                               lambda token: {token, token[-1]}, lambda token: {b"w": token.encode()}])
def test_what_is_kept_equals_what_is_asked_each_time(f, arguments):
    told = croft.FeatureFunction(f, **arguments)
    model = croft.ChainCRF(threads=1, max_iterations=10).fit([told(sentence) for sentence in WORDS], TAGS).model_
    plain = croft.FeatureFunction.of_sequence(told)
    for new in (WORDS, sentences(60, 12)[0]):
        assert model.tag_many(new, 2, told) == model.tag_many(new, 2, plain) == model.predict([told(x) for x in new])
        assert model.log_partition(new, features=told) == pytest.approx(
            model.log_partition([told(x) for x in new]), rel=1e-12)


def two_kinds(token):
    return {"word": token, "shape": "long" if len(token) > 3 else "short", "more": {"first": token[0]}}


@pytest.mark.parametrize("arguments", [
    {"before": ["near"], "after": ["near"]}, {"before": ["near", "near"]},
    {"first": "end", "last": "end"}, {"first": {"end": 1, "more": ["first:x", "y"]}, "last": {"end": 2.5}},
    {"first": {"word": False, "shape": "long"}},
    {"before": 1, "after": 1, "first": "end", "last": "end", "marked": True}])
def test_names_that_come_twice_are_added_up_in_dicts_as_in_the_model(arguments):
    told = croft.FeatureFunction(two_kinds, **arguments)
    tokens = sentences(40, 5)[0] + [["one"], ["the", "the", "the"]]
    y = [[f"{(len(word) + t) % 3}" for t, word in enumerate(words)] for words in tokens]
    trained = croft.ChainCRF(l2=0.1, max_iterations=20).fit([told(words) for words in tokens], y).model_
    by_dicts = trained.predict_proba([told(words) for words in tokens])
    by_function = trained.predict_proba(tokens, features=told)
    assert trained.tag_many(tokens, features=told) == trained.predict([told(words) for words in tokens])
    for one, other in zip(by_dicts, by_function):
        for p, q in zip(one, other):
            assert p == pytest.approx(q, abs=1e-6)


def test_positions_and_tokens_are_as_many(model):
    short = croft.FeatureFunction.of_sequence(lambda tokens: [{"a": True}])
    with pytest.raises(ValueError, match="gave 1 positions for 3 tokens"):
        model.tag_many([["a", "b", "c"]], features=short)
    assert len(model.tag_many([["a"]], features=short)[0]) == 1


@pytest.mark.parametrize("threads", [-1, None, 1.5, True, 10**30, 1025, "2"])
def test_a_number_of_threads_that_is_none_is_said_shortly(model, threads):
    with pytest.raises(ValueError, match="threads is .*; it must be a whole number from 0 to 1024") as raised:
        model.tag_many([[{"a": True}] * 1000], threads=threads)
    assert len(str(raised.value)) < 120


def test_the_same_token_is_asked_once(model):
    asked = []
    counted = function(lambda token: asked.append(token) or features(token))
    for _ in range(3):
        model.tag_many(WORDS, 1, counted)
    assert sorted(asked) == sorted({word for sentence in WORDS for word in sentence})
    other = croft.Model.from_bytes(model.to_bytes())
    assert other.tag_many(WORDS, 1, counted) == model.tag_many(WORDS, 1, counted)
    assert len(asked) == 2 * len(set(asked))  # each model has numbers of its own


@functools.total_ordering
class Odd(str):
    """A str that is equal to all, and is none that is compared by its text."""

    def __eq__(self, other):
        return True

    def __lt__(self, other):
        return False

    def __hash__(self):
        return 1


def test_tokens_may_be_anything(model):
    def say(token):
        return features(str(token))
    for tokens in ([1, True, 1.0, "1"], [("a", "b"), ("a", 1), ("a", True), ("a", 1.0)], [["the"], ["cat"], {"a": 1}],
                   [None, b"the", "the", frozenset()], [Odd("the"), Odd("cat"), "the"], ["", "\ud7ff", "\U0001F600"],
                   [("the", "D"), ("cat", "N"), ("the", "D")]):
        told = function(say)
        for _ in range(2):
            assert model.tag_many([tokens], 1, told) == [model.predict_single([*map(dict, told(tokens))])]
    assert model.tag_many([[], ("the", "cat"), iter(["the", "cat"])], 1, function())[1:] == [
        model.predict_single(by_hand(["the", "cat"]))] * 2


def test_what_the_function_gives_may_be_shared_and_changed_later(model):
    shared = {}

    def reuse(token):
        shared.clear()
        shared.update(features(token))
        return shared
    assert model.tag_many(WORDS, 1, function(reuse)) == model.tag_many(WORDS, 1, function())


@pytest.mark.parametrize("threads", (1, 3))
@pytest.mark.parametrize("bad,error,message", [
    (5, TypeError, r"X\[2\]\[1\] is an int, and a dict or a list of the position's attributes"),
    (None, TypeError, r"X\[2\]\[1\] is a NoneType"), ("word", TypeError, r"X\[2\]\[1\] is a str"),
    ({"a": [[]]}, TypeError, r"X\[2\]\[1\] is a list, and a str was expected"),
    ([{"a": 1}], TypeError, r"X\[2\]\[1\] is a dict, and a str was expected"),
    ({"a": float("inf")}, ValueError, r"X\[2\]\[1\] has an attribute with the value inf"),
    ({"a": 1e16}, ValueError, r"X\[2\]\[0\]: an attribute value of more than 1e15")])
def test_what_is_no_position_is_named_with_its_token(model, threads, bad, error, message):
    told = function(lambda token: bad if token == "bad" else features(token))
    for _ in range(2):
        with pytest.raises(error, match=message):
            model.tag_many([["the"], ["a", "cat"], ["the", "bad"]], threads, told)
    assert model.tag_many(WORDS, threads, told) == model.tag_many(WORDS, threads, function())


@pytest.mark.parametrize("threads", (1, 3))
def test_what_the_function_raises_arrives_and_is_forgotten(model, threads):
    failing = True

    def fail(token):
        if failing and token == "cat":
            raise KeyError(token)
        return features(token)
    told = function(fail)
    for given in (told, croft.FeatureFunction.of_sequence(lambda tokens: [fail(token) for token in tokens])):
        with pytest.raises(KeyError) as caught:
            model.tag_many([["the"], ["the", "cat"]], threads, given)
        if sys.version_info >= (3, 11):
            where = "X[1][1]" if given is told else "X[1]"
            assert caught.value.__notes__ == [f"in the feature function, at {where}"]
    failing = False
    assert model.tag_many([["the", "cat"]], threads, told) == [model.predict_single(by_hand(["the", "cat"]))]
    for error in (KeyboardInterrupt, SystemExit):
        def stop(token, error=error):
            raise error
        with pytest.raises(error):
            model.tag_many([["the"]], threads, function(stop))


def test_the_function_may_ask_the_model_and_itself(model):
    inner = []

    def ask(token):
        if token == "cat" and not inner:
            inner.append(None)
            inner.append(model.tag_many(WORDS, 2, told))
        return features(token)
    told = function(ask)
    expected = model.tag_many(WORDS, 1, function())
    assert model.tag_many(WORDS, 1, told) == expected == inner[1]


def test_threads_of_the_caller_share_a_function(model):
    told, found = function(), []
    expected = model.predict([by_hand(sentence) for sentence in WORDS])
    callers = [threading.Thread(target=lambda: found.append(model.tag_many(WORDS * 5, 2, told) == expected * 5))
               for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert found == [True] * 4


def test_tokens_without_end_are_forgotten_and_found_again(model):
    told = function(lambda token: {"word": token})
    before = model.tag_many(WORDS[:3], 1, told)
    model.tag_many([[f"never {n}"] for n in range(70_000)], 1, told)
    assert model.tag_many(WORDS[:3], 1, told) == before


def test_a_function_keeps_nothing_alive_but_what_it_was_given():
    class Owner:
        def __init__(self):
            self.told = function(self.say)

        def say(self, token):
            return features(token)
    model = croft.ChainCRF(threads=1, max_iterations=3).fit([by_hand(sentence) for sentence in WORDS], TAGS).model_
    owner = Owner()
    model.tag_many(WORDS, 1, owner.told)
    lives = weakref.ref(owner)
    native = weakref.ref(model._native)
    del owner
    gc.collect()
    assert lives() is None
    told = function()
    model.tag_many(WORDS, 1, told)
    del model
    gc.collect()
    assert native() is None


def test_a_function_goes_through_pickle(model):
    told = function(features)
    expected = model.tag_many(WORDS, 1, told)
    assert model.tag_many(WORDS, 1, pickle.loads(pickle.dumps(told))) == expected
    again = pickle.loads(pickle.dumps(croft.FeatureFunction.of_sequence(by_hand)))
    assert model.tag_many(WORDS, 1, again) == expected


def test_the_layer_for_python_crfsuite_takes_a_function(model):
    tagger = pycrfsuite.Tagger.of(model)
    assert tagger.tag_many(WORDS, features=function()) == [tagger.tag(by_hand(sentence)) for sentence in WORDS]


@pytest.mark.parametrize("make,error,message", [
    (lambda: croft.FeatureFunction(5), TypeError, "f is an int, and a function was expected"),
    (lambda: croft.FeatureFunction.of_sequence(None), TypeError, "f is a NoneType, and a function was expected"),
    (lambda: function(neighbour=3), TypeError, "neighbour is an int, and a function"),
    (lambda: function(before="previous"), TypeError, "before is 'previous'; give the number of neighbours, or a list"),
    (lambda: function(before=True), TypeError, "before is True"),
    (lambda: function(after=-1), ValueError, "after is -1"),
    (lambda: function(after=[1]), TypeError, r"after is \[1\]"), (lambda: function()(["the", 5]), TypeError, None),
    (lambda: croft.FeatureFunction(str)(["the"]), TypeError, "a feature function gave 'the', and a dict or a list")])
def test_mistakes_are_named(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_features_of_another_kind_are_refused(model):
    for given in (features, 5, "features"):
        with pytest.raises(TypeError, match="give a croft.FeatureFunction of a token"):
            model.tag_many(WORDS, features=given)
    with pytest.raises(TypeError, match=r"X\[0\] is a str, and a list of tokens was expected"):
        model.tag_many(["the cat"], features=function())
    with pytest.raises(TypeError, match=r"first\[0\] is an int"):
        model.tag_many(WORDS, features=function(first=5))
    native = _core.TokenFeatures(croft.Model.from_bytes(model.to_bytes())._native, [], [], None, None, False)
    plan = _core.Plan(model._native, {})
    with pytest.raises(ValueError, match="features are of another model"):
        plan.tag(WORDS, None, {}, 1, False, (native, features, features))


def test_what_is_kept_of_long_tokens_is_bounded(model):
    kilobytes = 100

    def tokens():
        for n in range(1500):
            yield [f"{n} " * (1024 * kilobytes // len(f"{n} "))]

    tracemalloc.start()
    try:
        labels = model.tag_many(tokens(), 1, function(lambda token: {"word": token[:4]}))
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert len(labels) == 1500
    assert kept < 80e6
