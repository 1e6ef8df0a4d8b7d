"""Pickles, states and model files that are not what they were."""
from __future__ import annotations

import functools
import io
import os
import pickle
import tempfile
from typing import Any

import numpy as np

import croft
from croft.compat import pycrfsuite, sklearn_crfsuite
from hostile import REFUSED, Hostile, describe, entry
import images
from sequences import SEQUENCE_KINDS, fitted
from arrays import rows_fitted
from graphs import graph_crf_fitted, unroll


@functools.lru_cache(None)
def pickles() -> list[tuple[Any, bytes]]:
    vectorizers = [
        croft.TextVectorizer(weighting="tf-idf").fit(["a cat", "the old cat"]),
        croft.TextVectorizer(hash_bits=4, weighting="tf-idf").fit(["a cat", "the old"]),
        croft.TextVectorizer().fit(["old cat"]),
    ]
    net = croft.BayesNet({"a": ["n", "y"], "b": ["n", "y"]}, {"b": ["a"]})
    compat = sklearn_crfsuite.CRF(max_iterations=3).fit([[{"w": "a"}, ["b"]]], [["N", "V"]])
    made = (
        [fitted(name, "attributes") for name in SEQUENCE_KINDS]
        + vectorizers
        + [
            rows_fitted("NaiveBayes"),
            rows_fitted("NaiveBayes", "categorical"),
            rows_fitted("LogisticRegression"),
            graph_crf_fitted(),
            net,
            compat,
        ]
    )
    return [(each, pickle.dumps(each)) for each in made]


ANY_PICKLE = (
    AttributeError,
    LookupError,
    EOFError,
    ImportError,
    pickle.PickleError,
    RuntimeError,
    AssertionError,
    NotImplementedError,
)


class _Plain(pickle.Unpickler):
    """Builds nothing but what croft and numpy have: a byte may turn one name into another."""

    def find_class(self, module: str, name: str) -> Any:
        if (
            module.split(".")[0]
            in ("croft", "numpy", "scipy", "sklearn", "__main__", "graphs", "builtins", "collections", "copyreg")
            and not module.startswith("croft._core")
            and name not in ("eval", "exec", "input", "exit", "quit", "open", "breakpoint", "help")
        ):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(name)


def use(h: Hostile, made: Any) -> None:
    """Whatever was loaded is asked."""
    h.liars = True
    h.also = ANY_PICKLE
    X = [[{"w": "the"}, {"w": "cat"}]]
    for what, data in (
        ("predict", X),
        ("predict_proba", X),
        ("transform", ["the old cat"]),
        ("predict", np.ones((2, 3))),
        ("idf_", None),
        ("vocabulary_", None),
        ("predict", [["a", "b"]]),
        ("feature_log_prob_", None),
        ("log_likelihood", [{"a": "y"}]),
        ("coef_", None),
        ("partial_fit", None),
        ("calibration_", None),
        ("__getstate__", None),
    ):
        method = h.call(lambda: getattr(made, what, None))
        if what == "partial_fit" and callable(method) and isinstance(made, croft.NaiveBayes):
            h.call(method, np.ones((2, 3)), ["a", "b"])
        elif callable(method) and data is not None:
            h.call(method, data)
    h.call(pickle.dumps, made)


@entry
def pickled(h: Hostile) -> None:
    estimator, data = h.one(*pickles())
    h.also = ANY_PICKLE
    h.huge = h.liars = True
    if h.chance(0.5):
        made = h.call(lambda: _Plain(io.BytesIO(h.mutated(data))).load())
    else:
        state = estimator.__getstate__()
        key = h.one(*state)
        value = state[key]
        if isinstance(value, bytes):
            value = h.one(h.mutated(value), images.mutated(h, value))
        elif isinstance(value, tuple) and value and h.chance(0.7):
            k = h.below(len(value))
            part = value[k]
            new = h.mutated(part) if isinstance(part, bytes) else h.one(h.number(), h.count())
            value = (*value[:k], new, *value[k + 1 :])
        else:
            value = h.anything()
        made = type(estimator).__new__(type(estimator))
        h.log(f"state[{key!r}] = {describe(value)}")
        made = made if h.call(made.__setstate__, {**state, key: value}) is not REFUSED else REFUSED
    if made is not REFUSED:
        use(h, made)


@entry
def image(h: Hostile) -> None:
    """Model files with good checksums whose metadata, tables or sizes were changed."""
    estimator, _ = h.one(*pickles())
    data = images.bytes_of(estimator)
    if data is None:
        return
    if h.chance(0.2):
        data = images.bytes_of(h.one(*pickles())[0]) or data
    data = images.mutated(h, data)
    h.huge = True
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.croft")
        with open(path, "wb") as file:
            file.write(data)
        found = [
            h.call(croft.Model.from_bytes, data),
            h.call(croft.load, path),
            h.call(croft.NaiveBayes.load, path),
            h.call(croft.LogisticRegression.load, path),
            h.call(croft.GraphCRF.load, path, unroll),
            h.call(pycrfsuite.Tagger().open_inmemory, data),
        ]
        for each in found:
            if isinstance(each, croft.Model):
                for what in ("labels", "order", "attributes", "state_features", "transition_features", "edge_features"):
                    h.call(lambda: getattr(each, what))
                other = h.call(each.to_bytes, h.one("crfsuite", "wapiti", "crfpp"))
                if isinstance(other, bytes):
                    h.call(pycrfsuite.Tagger().open_inmemory, h.mutated(other))
                h.call(each.inspect, 3)
                h.call(repr, each)
                X = [[{"w": "the"}, {"w": "cat"}]] if not each.rows else [[["the", "e"], ["cat", "t"]]]
                for ask_it in (each.predict, each.predict_proba, each.entropy, each.spans):
                    h.call(ask_it, X)
                h.call(each.k_best, X, 3)
                h.call(each.explain, X[0])
                h.call(each.posterior_chain, X[0])
                h.call(each.hmm, X[0], 2)
            elif each is not REFUSED and not isinstance(each, croft.GraphCRF):
                X = (
                    np.ones((2, getattr(each, "n_features_in_", 3)))
                    if getattr(each, "n_features_in_", 3) < 99
                    else None
                )
                for what in ("predict", "predict_proba"):
                    h.call(getattr(each, what, lambda X: None), X)
                h.call(lambda: getattr(each, "calibration_", None))
            elif each is not REFUSED:
                h.call(each.predict, [["a", "b"]])
                h.call(each.weights, "word")
