"""Estimators of sequences, and what is compatible with other packages."""
from __future__ import annotations

import functools
import os
import tempfile
from typing import Any, Callable

import numpy as np

import croft
from croft.compat import pycrfsuite, sklearn_crfsuite
from hostile import REFUSED, Hostile, entry
from graphs import DOMAINS, unroll

WORDS = ["the", "old", "cat", "sees", "Rome", "a"]
TAGS = {"the": "O", "old": "B-X", "cat": "I-X", "sees": "O", "Rome": "B-Y", "a": "O"}
SEQUENCE_KINDS = (
    "ChainCRF",
    "MEMM",
    "SegmentCRF",
    "HiddenChainCRF",
    "PoolCRF",
    "ErrorCorrectingCRF",
    "BoostedCRF",
    "HMM",
)


def words_of(h: Hostile) -> list[str]:
    return [h.one(*WORDS) for _ in range(1 + h.below(5))]


def position(h: Hostile, word: str) -> Any:
    made = {
        "w": h.spoil(word),
        "length": h.spoil(len(word) / 2, h.number),
        "near": h.spoil({"end": word[-1], "all": [word, "x"]}),
    }
    if h.chance(h.rate):
        made[h.one(b"k", "\ud800", 3, None, "", ("a",), h.shaker())] = 1
    if h.chance(h.rate):
        deep: Any = "x"
        for _ in range(h.one(3, 90, 2000, 100000)):
            deep = {"d": deep}
        made["deep"] = deep
    return h.spoil(h.one(made, made, [word, "t=" + word], {word}))


def sequence(h: Hostile, form: str) -> tuple[Any, list[Any]]:
    """One in the form, and its labels."""
    words = words_of(h)
    y: list[Any] = [TAGS[word] for word in words]
    size = len(words)
    x: Any
    if form == "attributes":
        x = [position(h, word) for word in words]
    elif form == "columns":
        x = [h.spoil([h.spoil(word), h.spoil(word[-1])]) for word in words]
    elif form == "dense":
        x = h.spoil(h.array((size, 3), h.one("f8", "f4", "i4")), lambda: h.wrong_array((size, 3)), h.anything)
    else:
        x = h.spoil(h.csr(size, 3), lambda: h.wrong_csr(size, 3), h.anything)
    if h.chance(0.3):
        y = [h.spoil(each, lambda: None, lambda: {"O", "B-X"}, lambda: ["O"], h.text, h.anything) for each in y]
    return h.spoil(x), h.spoil(y)


def corpus(h: Hostile, form: str, least: int = 3) -> tuple[Any, Any]:
    pairs = [sequence(h, form) for _ in range(least + h.below(4))]
    X: Any = [x for x, _ in pairs]
    y: Any = [y for _, y in pairs]
    h.victims = [
        X,
        y,
        *(each for each in [*X, *y] if type(each) is list),
        *(item for each in X if type(each) is list for item in each if type(item) in (dict, list)),
    ]
    return h.spoil(X, lambda: tuple(X), lambda: iter(X), h.shaker, h.anything, h.buffer), h.spoil(
        y, lambda: y[1:], h.anything
    )


def small(name: str, **more: Any) -> dict[str, Any]:
    """Parameters that make training quick."""
    quick = {
        "HMM": {},
        "PoolCRF": {"experts": ["all", "labels"], "max_iterations": 3},
        "BoostedCRF": {"rounds": 2},
        "ErrorCorrectingCRF": {"max_iterations": 3},
    }
    return {**quick.get(name, {"max_iterations": 3}), "threads": 1, **more}


FORMS = ("attributes", "columns", "dense", "sparse")


@functools.lru_cache(None)
def fitted(name: str, form: str) -> Any:
    """An estimator of sequences."""
    h = Hostile("fitted", lambda text: None)
    h.rate = 0
    pairs = [sequence(h, form) for _ in range(12)]
    crf = getattr(croft, name)(**small(name, **({"format": "columns"} if form == "columns" else {})))
    return crf.fit([x for x, _ in pairs], [y for _, y in pairs])


def known_form(h: Hostile, name: str) -> str:
    return h.one("attributes", "columns") if name == "HMM" else h.one(*FORMS)


@entry
def fit(h: Hostile) -> None:
    name = h.one(*SEQUENCE_KINDS)
    form = known_form(h, name)
    X, y = corpus(h, form)
    weight = h.spoil(
        None, lambda: h.array((len(h.victims[0]),)), lambda: [h.number() for _ in h.victims[0]], h.anything
    )
    how: dict[str, Any] = {} if weight is None else {"sample_weight": weight}
    if name != "HMM" and h.chance(h.rate):
        how["X_dev"], how["y_dev"] = corpus(h, form)
    if h.chance(h.rate):
        how["callback"] = h.spoil(lambda event: h.misbehave((None, True, False, 0, "x")))
        h.liars = True
    crf = getattr(croft, name)(**small(name, **({"format": "columns"} if form == "columns" else {})))
    if h.call(crf.fit, X, y, **how) is REFUSED:
        return
    if hasattr(crf, "partial_fit") and h.chance(0.3):
        X, y = corpus(h, form)
        h.call(crf.partial_fit, X, y)
    if hasattr(crf, "model_"):
        ask(h, crf, form)


@entry
def predict(h: Hostile) -> None:
    name = h.one(*SEQUENCE_KINDS)
    form = known_form(h, name)
    for _ in range(3):
        ask(h, fitted(name, form), form)


def ask(h: Hostile, crf: Any, form: str) -> None:
    """One question."""
    X, y = corpus(h, h.spoil(form, lambda: h.one(*FORMS)))
    model = h.one(crf, crf.model_)
    how: dict[str, Any] = {}
    for name, good in (
        ("decode", "viterbi"),
        ("threads", 1),
        ("constrain", "bio"),
        ("rules", ["at-most 1 X"]),
        ("scheme", "bio"),
        ("limit", 9),
        ("known", y),
        ("penalties", "/nowhere"),
    ):
        if h.chance(h.rate / 2):
            how[name] = h.spoil(good, h.anything, h.count)
    what = h.one(
        "predict",
        "predict",
        "predict_proba",
        "predict_marginals",
        "k_best",
        "sample",
        "spans",
        "score",
        "entropy",
        "log_probability",
        "log_likelihood",
        "log_partition",
        "expected_counts",
        "edge_marginals",
        "evaluate",
        "posterior_chain",
        "hmm",
        "explain",
        "inspect",
        "predict_single",
        "predict_marginals_single",
        "predict_spans",
    )
    if not hasattr(model, what):
        model = crf.model_
    if not hasattr(model, what):
        return
    method = getattr(model, what)
    if what in ("score", "evaluate", "log_likelihood"):
        how = {} if what == "score" else how
        h.call(method, X, y, **how)
    elif what in ("posterior_chain", "predict_single", "predict_marginals_single", "explain"):
        if what == "explain":
            how = {
                key: h.spoil(value)
                for key, value in (
                    ("positions", h.spoil([0], lambda: [h.count()])),
                    ("top", h.spoil(2, h.count)),
                    ("against", "O"),
                    ("unknown", True),
                )
                if h.chance(0.4)
            }
        h.call(method, X[0] if isinstance(X, list) and X else X, **how)
    elif what == "hmm":
        h.call(method, X[0] if isinstance(X, list) and X else X, h.spoil(3, h.count))
    elif what == "inspect":
        h.call(method, h.spoil(3, h.count))
    elif what in ("k_best", "sample"):
        answer = h.call(method, X, h.spoil(2, h.count), **how)
    elif what == "edge_marginals":
        h.call(method, X, smallest=h.spoil(1e-6, h.number), **how)
    else:
        answer = h.call(method, X, **how)
        if answer is not REFUSED and isinstance(X, list) and not h.liars:
            h.check(len(answer) == len(X), f"{what} gives {len(answer)} answers for {len(X)} sequences")
            if what == "predict":
                h.check(all(set(each) <= set(crf.classes_) for each in answer), "labels that the model does not have")
            if what == "predict_proba":
                h.check(
                    all(np.allclose(each.sum(axis=1), 1, atol=1e-5) for each in answer),
                    "probabilities do not add up to 1",
                )


@entry
def parameters(h: Hostile) -> None:
    """Constructors with values of the wrong type or range."""
    name = h.one(*SEQUENCE_KINDS, "LogisticRegression", "NaiveBayes", "TextVectorizer", "GraphCRF")
    kind = getattr(croft, name)
    known = list(kind().get_params()) if name != "GraphCRF" else list(croft.GraphCRF(None).get_params())
    risky = {
        "max_iterations",
        "em_iterations",
        "starts",
        "threads",
        "checkpoint",
        "sgd_passes",
        "induce_rounds",
        "unroll",
    }
    given = {
        each: h.one(
            h.number, h.text, h.count, h.anything, lambda: h.one("auto", "l1:0.5", "lbfgs", "sgd", "all", "none", 2, 3)
        )()
        for each in h.random.sample(known, 1 + h.below(2))
        if each not in risky
    }
    h.huge = True
    rate, h.rate = h.rate, 0.0
    X, y = corpus(h, "attributes")
    h.rate = rate
    if name in SEQUENCE_KINDS:
        crf = h.call(kind, **{**small(name), **given})
    else:
        crf = h.call(kind, **given)
        X = np.abs(h.numpy.normal(size=(6, 3)))
        y = list("abcabc")
        if name == "TextVectorizer":
            X, y = ["the old cat", "a cat", "", "é É"], None
        if name == "GraphCRF":
            crf = h.call(kind, unroll, **{**DOMAINS, "max_iterations": 3, **given})
            X, y = [["a", "b"], ["b"]], [["N", "V"], ["N"]]
    if crf is not REFUSED and h.call(crf.fit, X, y) is not REFUSED:
        h.call(getattr(crf, "predict", getattr(crf, "transform", None)), X)


@entry
def compat(h: Hostile) -> None:
    X, y = corpus(h, "attributes")
    if h.chance(0.5):
        kind = h.one("lbfgs", "l2sgd", "ap", "pa", "arow")
        params = h.options(
            0.2,
            c2=1.0,
            epsilon=0.1,
            min_freq=1,
            all_possible_states=True,
            all_possible_transitions=True,
            period=3,
            delta=0.1,
        )
        crf = h.call(sklearn_crfsuite.CRF, h.spoil(kind), max_iterations=3, **params)
        if h.call(crf.fit, X, y) is not REFUSED:
            X, y = corpus(h, "attributes")
            h.call(h.one(crf.predict, crf.predict_marginals), X)
            h.call(crf.score, X, y)
        return
    trainer = pycrfsuite.Trainer(verbose=False)
    for x, labels in zip(h.victims[0], h.victims[1]):
        h.call(trainer.append, h.spoil(x), h.spoil(labels), h.spoil(0))
    h.call(trainer.set, h.spoil("max_iterations", h.text), h.spoil(3, h.count))
    if trainer.get("max_iterations") > 99:
        trainer.set("max_iterations", 3)
    if (
        h.call(trainer.train, h.spoil("", lambda: h.one("/nowhere/m", "\0", 3, None))) is REFUSED
        or trainer.model_ is None
    ):
        return
    tagger = pycrfsuite.Tagger.of(trainer.model_)
    h.call(tagger.set, sequence(h, "attributes")[0])
    h.call(tagger.marginal, h.spoil("O", h.text), h.spoil(0, h.count))
    h.call(tagger.probability, h.spoil(["O"]))
    items = h.call(pycrfsuite.ItemSequence, sequence(h, "attributes")[0])
    if items is not REFUSED:
        h.call(items.items), h.call(len, items), h.call(tagger.tag, items)
    h.call(tagger.open_inmemory, h.spoil(b"lCRF", h.anything))


@entry
def tools(h: Hostile) -> None:
    labels: Callable[[], Any] = lambda: h.spoil(
        [
            h.spoil(
                ["B-X", "O"],
                h.anything,
                lambda: np.array(["B-X", "O"]),
                lambda: (x for x in ["B-X", "O"]),
                lambda: "BO",
                lambda: [h.text(), h.text()],
            )
        ]
    )
    h.call(croft.evaluate, labels(), labels())
    model = fitted("ChainCRF", "attributes")
    paths: Callable[[], Any] = lambda: h.one("/nowhere/x", "a\0b", "\ud800", b"/\xff", "", 3, None, "/", h.anything())
    h.call(
        h.one(
            croft.load,
            croft.NaiveBayes.load,
            croft.LogisticRegression.load,
            croft.FactorGraph.read,
            croft.BayesNet.read,
        ),
        paths(),
    )
    h.call(croft.Model.from_bytes, h.spoil(b"CROFT", h.anything))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        h.call(croft.save, h.spoil(model), h.one("/nowhere/x", "m\0x", b"m", "", "/"))
        h.check(
            not any("\0" in name or name == "m" for name in os.listdir(folder)) or os.path.exists("m"),
            "a path was cut off",
        )
        h.call(
            croft.ChainCRF(
                max_iterations=1, **{h.one("template", "checkpoint", "cost", "constrain", "variances"): paths()}
            ).fit,
            [[["a", "b"]]] * 2,
            [["A"], ["B"]],
        )
        os.chdir("/")


@entry
def search(h: Hostile) -> None:
    X, y = corpus(h, "attributes", 9)
    grid = h.spoil(
        {
            "l2": h.spoil(
                [0.1, 1.0],
                h.anything,
                lambda: croft.Range(*h.spoil((0.1, 1.0, "log"), lambda: (h.number(), h.number()))),
            ),
            **h.spoil({}, lambda: {h.text(): [1]}),
        }
    )
    how = h.options(
        0.3,
        metric=h.one("accuracy", "log-loss", lambda crf, X, y: h.spoil(0.5, h.number)),
        folds=2,
        candidates=2,
        eta=2,
        seed=1,
        smallest=0.5,
        callback=lambda event: h.misbehave((None, False)),
    )
    h.liars = h.liars or "callback" in how
    h.call(croft.search, h.spoil(croft.ChainCRF(max_iterations=2, threads=1)), X, y, grid, **how)
