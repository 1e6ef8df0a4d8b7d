"""Labelling as sequences come, and features that are told once a token."""
from __future__ import annotations

from typing import Any, Callable

import croft
from hostile import REFUSED, Hostile, entry
from sequences import FORMS, SEQUENCE_KINDS, corpus, fitted, known_form, position, words_of


def tokens_of(h: Hostile) -> Any:
    words: list[Any] = [h.spoil(word, h.anything, lambda: (word, "x"), lambda: (word, 3)) for word in words_of(h)]
    h.victims.append(words)
    return h.spoil(words, lambda: tuple(words), lambda: iter(words), h.shaker, h.anything)


def function(h: Hostile) -> Callable[[Any], Any]:
    """Of a token: always the same for the same token, unless something is spoilt."""
    told: dict[str, Any] = {}

    def features(token: Any) -> Any:
        if h.chance(h.rate / 3):
            h.liars = True
            return h.misbehave((None, [], "x", {"w": 1}))
        return told.setdefault(repr(type(token)) + str(hash(token)), position(h, str(token)[:9]))

    return features


def feature_function(h: Hostile) -> Any:
    marks = h.options(0.4, first="BOS", last={"EOS": 0.5}, marked=True)
    if h.chance(0.2):
        of_token = function(h)
        return h.call(croft.FeatureFunction.of_sequence, h.spoil(lambda tokens: [of_token(each) for each in tokens]))
    near = {
        name: h.spoil(h.one(0, 1, 2, ["next"]), h.count, h.anything)
        for name in ("before", "after")
        if h.chance(0.5)
    }
    how: dict[str, Any] = {**near, **marks}
    if h.chance(0.3):
        how["neighbour"] = h.spoil(function(h))
    return h.call(croft.FeatureFunction, h.spoil(function(h)), **how)


@entry
def tag_many(h: Hostile) -> None:
    """The labels are those of predict."""
    name = h.one(*SEQUENCE_KINDS)
    form = known_form(h, name)
    model = fitted(name, form).model_
    X, _ = corpus(h, h.spoil(form, lambda: h.one(*FORMS)))
    how = h.options(0.3, decode="viterbi")
    given = h.one(list(X), (x for x in X), X) if isinstance(X, list) else X
    answer = h.call(model.tag_many, given, **how, **h.options(0.3, threads=2))
    if answer is not REFUSED and isinstance(X, list) and not h.liars and h.rate == 0:
        h.check(answer == model.predict(X, **how), "tag_many and predict differ")


@entry
def features(h: Hostile) -> None:
    """Labels of tokens are those of the dicts that the function makes of them."""
    model = fitted(h.one(*SEQUENCE_KINDS), "attributes").model_
    told = feature_function(h)
    if told is REFUSED:
        return
    for _ in range(2):  # the second time it remembers
        texts: Any = [tokens_of(h) for _ in range(1 + h.below(5))]
        answer = h.call(model.tag_many, texts, features=h.spoil(told), **h.options(0.3, threads=2))
        if answer is REFUSED or h.liars or h.rate > 0:
            continue
        made = [told(tokens) for tokens in texts]
        h.check(answer == model.predict(made), "labels of tokens and of what the function makes of them differ")
