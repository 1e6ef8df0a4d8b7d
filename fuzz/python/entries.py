"""The entry points, by kind: each function makes the calls of one case."""
from __future__ import annotations

import functools
import io
import math
import os
import pickle
import tempfile
import threading
from typing import Any, Callable

import numpy as np

import croft
from croft import _core
from croft.compat import pycrfsuite, sklearn_crfsuite
from hostile import REFUSALS_OF_LIARS, REFUSED, Hostile, describe
import images

ENTRIES: dict[str, Callable[[Hostile], None]] = {}
WORDS = ["the", "old", "cat", "sees", "Rome", "a"]
TAGS = {"the": "O", "old": "B-X", "cat": "I-X", "sees": "O", "Rome": "B-Y", "a": "O"}
SEQUENCE_KINDS = ("ChainCRF", "MEMM", "SegmentCRF", "HiddenChainCRF", "PoolCRF", "ErrorCorrectingCRF", "BoostedCRF", "HMM")


def entry(function: Callable[[Hostile], None]) -> Callable[[Hostile], None]:
    ENTRIES[function.__name__] = function
    return function


# --- Sequences -------------------------------------------------------------------------------------

def words_of(h: Hostile) -> list[str]:
    return [h.one(*WORDS) for _ in range(1 + h.below(5))]


def position(h: Hostile, word: str) -> Any:
    made = {"w": h.spoil(word), "length": h.spoil(len(word) / 2, h.number), "near": h.spoil({"end": word[-1], "all": [word, "x"]})}
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
    h.victims = [X, y, *(each for each in [*X, *y] if type(each) is list),
                 *(item for each in X if type(each) is list for item in each if type(item) in (dict, list))]
    return h.spoil(X, lambda: tuple(X), lambda: iter(X), h.shaker, h.anything, h.buffer), h.spoil(y, lambda: y[1:], h.anything)


def small(name: str, **more: Any) -> dict[str, Any]:
    """Parameters that make training quick."""
    quick = {"HMM": {}, "PoolCRF": {"experts": ["all", "labels"], "max_iterations": 3}, "BoostedCRF": {"rounds": 2},
             "ErrorCorrectingCRF": {"max_iterations": 3}}
    return {**quick.get(name, {"max_iterations": 3}), "threads": 1, **more}


FORMS = ("attributes", "columns", "dense", "sparse")


@functools.lru_cache(None)
def fitted(name: str, form: str) -> Any:
    """An estimator of sequences, and two sequences that it knows."""
    h = Hostile("fitted", lambda text: None)
    h.rate = 0
    pairs = [sequence(h, form) for _ in range(12)]
    crf = getattr(croft, name)(**small(name, **({"format": "columns"} if form == "columns" else {})))
    return crf.fit([x for x, _ in pairs], [[TAGS[w] for w in WORDS][:0] + y for _, y in pairs])


def known_form(h: Hostile, name: str) -> str:
    return h.one("attributes", "columns") if name == "HMM" else h.one(*FORMS)


@entry
def fit(h: Hostile) -> None:
    name = h.one(*SEQUENCE_KINDS)
    form = known_form(h, name)
    X, y = corpus(h, form)
    weight = h.spoil(None, lambda: h.array((len(h.victims[0]),)), lambda: [h.number() for _ in h.victims[0]], h.anything)
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
    for name, good in (("decode", "viterbi"), ("threads", 1), ("constrain", "bio"), ("rules", ["at-most 1 X"]), ("scheme", "bio"),
                       ("limit", 9), ("known", y), ("penalties", "/nowhere")):
        if h.chance(h.rate / 2):
            how[name] = h.spoil(good, h.anything, h.count)
    what = h.one("predict", "predict", "predict_proba", "predict_marginals", "k_best", "sample", "spans", "score", "entropy",
                 "log_probability", "log_likelihood", "log_partition", "expected_counts", "edge_marginals", "evaluate",
                 "posterior_chain", "hmm", "explain", "inspect", "predict_single", "predict_marginals_single", "predict_spans")
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
            how = {key: h.spoil(value) for key, value in (("positions", h.spoil([0], lambda: [h.count()])), ("top", h.spoil(2, h.count)),
                                                          ("against", "O"), ("unknown", True)) if h.chance(0.4)}
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
                h.check(all(np.allclose(each.sum(axis=1), 1, atol=1e-5) for each in answer), "probabilities do not add up to 1")


@entry
def parameters(h: Hostile) -> None:
    """Constructors with values of the wrong type or range."""
    name = h.one(*SEQUENCE_KINDS, "LogisticRegression", "NaiveBayes", "TextVectorizer", "GraphCRF")
    kind = getattr(croft, name)
    known = list(kind().get_params()) if name != "GraphCRF" else list(croft.GraphCRF(None).get_params())
    risky = {"max_iterations", "em_iterations", "starts", "threads", "checkpoint", "sgd_passes", "induce_rounds", "unroll"}
    given = {each: h.one(h.number, h.text, h.count, h.anything, lambda: h.one("auto", "l1:0.5", "lbfgs", "sgd", "all", "none", 2, 3))()
             for each in h.random.sample(known, 1 + h.below(2)) if each not in risky}
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


# --- Matrices ---------------------------------------------------------------------------------------

@functools.lru_cache(None)
def rows_fitted(name: str, event: str = "multinomial") -> Any:
    X = np.random.default_rng(1).integers(0, 4, (30, 3)).astype(float)
    y = ["a" if row[0] > row[1] else "b" if row[2] > 1 else "c" for row in X]
    return (croft.NaiveBayes(event=event) if name == "NaiveBayes" else croft.LogisticRegression(max_iterations=20)).fit(X, y)


class Frame:
    """Looks like a table whose columns are not as many as its data has."""

    def __init__(self, data: Any, columns: Any) -> None:
        self.data, self.columns, self.shape, self.ndim, self.dtype = data, columns, data.shape, 2, data.dtype

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.data, dtype)

    def __len__(self) -> int:
        return len(self.data)


@entry
def matrices(h: Hostile) -> None:
    event = h.one("multinomial", "bernoulli", "complement", "gaussian", "categorical", ["gaussian", "categorical", "multinomial"])
    name = h.one("NaiveBayes", "LogisticRegression")
    est = croft.NaiveBayes(event=event) if name == "NaiveBayes" else croft.LogisticRegression(max_iterations=4)

    def matrix(rows: int) -> Any:
        good = h.one(lambda: h.laid_out(h.numpy.integers(0, 4, (rows, 3)).astype(float)), lambda: h.csr(rows, 3).ceil())()
        return h.spoil(good, lambda: h.wrong_array((rows, 3)), lambda: h.wrong_csr(rows, 3), h.anything,
                       lambda: h.with_number(np.ones((rows, 3))), lambda: Frame(np.ones((rows, 3)), h.one(["a"], list("abcd"), 3, [])))

    y = h.spoil(h.one(list("abcabc"), [1, 2, 1, 2, 3, 1], np.array([True, False] * 3)), lambda: h.wrong_array((6,)), h.anything,
                lambda: list("abcab"), lambda: ["a"] * 6, lambda: [h.text() for _ in range(6)])
    how = {"sample_weight": h.spoil(h.array((6,)), lambda: h.wrong_array((6,)), h.number, h.anything)} if h.chance(0.3) else {}
    done = h.call(est.fit, matrix(6), y, **how)
    if name == "NaiveBayes" and h.chance(0.5):
        more = {"classes": h.spoil(list("abc"))} if h.chance(0.3) else {}
        h.call(est.partial_fit, matrix(6), y, **more)
    if done is REFUSED or h.chance(0.3):
        est = rows_fitted(name, event if isinstance(event, str) else "gaussian")
    for what in ("predict", "predict_proba", "predict_log_proba", "score"):
        X = matrix(6)
        answer = h.call(getattr(est, what), X, *([list("abcabc")] if what == "score" else []))
        if what == "predict_proba" and answer is not REFUSED and not h.liars:
            h.check(np.allclose(answer.sum(axis=1), 1, atol=1e-6), "probabilities do not add up to 1")
    good = h.numpy.integers(0, 4, (6, 3)).astype(float)
    if h.chance(0.3):
        plain, other = (h.call(est.predict_log_proba, X) for X in (good, h.laid_out(good.copy())))
        if plain is not REFUSED and other is not REFUSED:
            h.check(np.array_equal(plain, other), "the layout of an array changes the answer")


@entry
def text(h: Hostile) -> None:
    documents = h.spoil([h.spoil(h.one("the old cat", "a cat sees a cat", "", "Zürich é"), h.text, h.anything) for _ in range(1 + h.below(5))])
    how = {key: h.spoil(value, h.number, h.count, h.text, h.anything) for key, value in (
        ("analyzer", h.one("word", "char", "char_wb")), ("ngram_range", h.spoil((1, 2), lambda: (1, h.one(0, 1 << 31, 1 << 62, 1 << 64, "a")))),
        ("stop_words", h.one("english", ["the"])), ("min_df", h.one(1, 0.1)), ("max_df", 1.0), ("max_features", 3),
        ("weighting", h.one("counts", "binary", "tf-idf")), ("sublinear_tf", True), ("norm", h.one("l1", "l2", None, "auto")),
        ("hash_bits", h.one(None, 3, 28)), ("lowercase", False)) if h.chance(0.3)}
    h.huge = True
    made = h.call(croft.TextVectorizer, **how)
    if made is REFUSED:
        return
    answer = h.call(h.one(made.fit, made.fit_transform), documents)
    if h.chance(h.rate):
        setattr(made, *h.one(("weighting", "tf-idf"), ("hash_bits", 4), ("hash_bits", None), ("weighting", "counts")))
    matrix = h.call(made.transform, documents)
    if matrix is not REFUSED and answer is not REFUSED:
        h.check(np.isfinite(matrix.data).all(), "a value that is no number")
        matrix.check_format()
    for what in ("vocabulary_", "idf_", "get_feature_names_out"):
        h.also = (AttributeError,)
        found = h.call(lambda: getattr(made, what))
        if callable(found):
            h.call(lambda: len(found()) if made.hash_bits != 28 else None)


# --- Chains in arrays ------------------------------------------------------------------------------

@entry
def chain(h: Hostile) -> None:
    real, T, L, N = h.one("f4", "f8"), h.below(5), 1 + h.below(4), h.below(4)
    layout = h.one("single", "padded", "flat", "list")
    front: Any = {"single": (T,), "padded": (N, T), "flat": (N * T,), "list": (T,)}[layout]

    def batch(*tail: int, dtype: Any = real, high: float = 3.0) -> Any:
        one: Callable[[], Any] = lambda: h.spoil(h.array((*front, *tail), dtype, high), lambda: h.wrong_array((*front, *tail)), h.anything)
        return [one() for _ in range(N)] if layout == "list" else one()

    def tied(*shape: int) -> Any:
        return h.spoil(h.array(shape, real), lambda: h.wrong_array(shape), h.anything, lambda: h.with_number(h.array(shape, real)))

    state = h.spoil(batch(L), h.anything, lambda: h.wrong_array((*front, L)), lambda: np.broadcast_to(np.dtype(real).type(0), h.huge_array().shape))
    how: dict[str, Any] = {"transition": tied(L, L), "start": tied(L), "end": tied(L), "edge": batch(L, L), "threads": h.spoil(1, h.count),
                           "allowed": batch(L, dtype="?", high=1.9)}
    how = {key: value for key, value in how.items() if key == "threads" or h.chance(0.5)}
    if h.chance(0.3):
        how["constraint"] = h.spoil(h.call(croft.chain.Constraint, *(h.spoil(np.ones(s, bool)) for s in ((L,), (L,), (L, L)))))
    if layout == "flat" or (layout == "padded" and h.chance(0.5)) or h.chance(h.rate):
        how["lengths"] = h.spoil([T] * N, lambda: h.wrong_array((N,)), lambda: [h.count()] * N, h.anything)
    labels = h.spoil(batch(dtype=h.one("i8", "i4", "u1"), high=L - 0.01), lambda: batch(dtype="i8", high=9))
    weight = h.spoil(None, lambda: h.array((N,)), h.number, h.anything)
    call: tuple[Any, ...] = h.one(
        (croft.chain.log_partition, state), (croft.chain.marginals, state), (croft.chain.viterbi, state),
        (croft.chain.log_likelihood, state, how.pop("transition", None), labels),
        (croft.chain.k_best, state, how.pop("transition", None), h.spoil(3, h.count)),
        (croft.chain.sample, state, how.pop("transition", None), h.spoil(2, lambda: h.one(-1, 0, True, "a", 1 << 32, 1 << 64))))
    if call[0] in (croft.chain.log_partition, croft.chain.log_likelihood) and h.chance(0.5):
        how.update(grad=True, weight=weight)
    if call[0] is croft.chain.marginals:
        how["edges"] = h.chance(0.5)
    answer = h.call(call[0], *call[1:], **how)
    if answer is not REFUSED and call[0] is croft.chain.marginals and isinstance(answer, np.ndarray) and layout == "single":
        h.check(np.allclose(answer.sum(axis=-1), 1, atol=1e-4), "marginals do not add up to 1")
    if answer is not REFUSED and h.rate == 0 and call[0] is croft.chain.log_partition and "grad" not in how:
        plain = {key: np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value for key, value in how.items()}
        again = croft.chain.log_partition(np.array(state) if isinstance(state, np.ndarray) else [np.array(x) for x in state], **plain)
        h.check(np.array_equal(answer, again), "the layout of an array changes the answer")


# --- Graphs -----------------------------------------------------------------------------------------

@entry
def graph(h: Hostile) -> None:
    made = croft.FactorGraph()
    names: list[Any] = []
    for v in range(1 + h.below(5)):
        states = h.spoil(h.one(2, 3, ["no", "yes"]), h.count, h.anything, lambda: [h.text(), h.text()])
        added = h.call(made.add_variable, states, h.spoil(h.one(None, f"v{v}"), h.text, h.anything))
        if added is not REFUSED:
            names.append(added)
    if not names:
        return
    scope: Callable[[], Any] = lambda: h.spoil([h.spoil(each, h.text, h.count) for each in h.random.sample(names, min(len(names), 1 + h.below(2)))])
    for _ in range(1 + h.below(5)):
        of = scope()
        sizes = [h.call(made.states, each) for each in of] if isinstance(of, list) else []
        shape = tuple(len(each) for each in sizes if each is not REFUSED and len(each) < 9)
        table = h.spoil(h.array(shape), lambda: h.wrong_array(shape or (1,)), lambda: h.with_number(h.array(shape)), h.anything)
        h.call(*h.one((made.add_factor, of, table), (made.add_factor, of, table), (made.add_potts, of, h.spoil(1, h.number), h.number()),
                      (made.add_truncated_linear, of, h.number(), h.number()), (made.add_parity, of, h.spoil(True)),
                      (made.add_truncated_quadratic, of, h.number(), 2.0), (made.add_at_most, of, h.spoil(1, h.count)),
                      (made.add_cardinality, of, h.spoil([0.0, 1.0, 2.0], h.anything)),
                      (made.add_sparse, of, h.spoil({(0,) * len(shape): 1.0, (1,) * len(shape): h.number()}), h.spoil(0.0, h.number))))
    method: Any = h.one("auto", "auto", *(each["name"] for each in croft.FactorGraph.methods()))
    how: dict[str, Any] = {key: h.spoil(value, h.number, h.count, h.text, h.anything) for key, value in (
        ("memory", h.one("4G", 1e6)), ("time", 0.2), ("tolerance", 1e-3), ("max_iterations", 20), ("samples", 3), ("seed", 3), ("threads", 1),
        ("damping", 0.5), ("evidence", {names[0]: h.spoil(0, h.count, h.text)})) if h.chance(0.2)}

    def callback(event: Any) -> Any:
        if h.chance(0.3):
            h.call(h.one(lambda: made.add_variable(2), lambda: made.add_factor([names[0]], np.zeros(len(made.states(names[0])))),
                         lambda: made.infer("partition"), lambda: [made.add_variable(3) for _ in range(300)]))
        return h.misbehave((None, True, False, "x"))

    if h.chance(0.3):
        how["callback"] = callback
        h.liars = True
    if h.chance(0.15):
        h.liars = True
        method, how["proposal"] = "metropolis-hastings", lambda x, source: callback(x) or h.one({}, {names[0]: 1}, ({names[0]: 0}, h.number()), 3)
    how.setdefault("time", 0.3) if method not in ("auto",) and h.chance(0.5) else None
    found = h.call(made.infer, h.spoil(h.one("marginals", "map", "partition", "sample"), h.text), method, **how)
    if found is not REFUSED and not h.liars:
        h.check(all(math.isclose(sum(p), 1, abs_tol=1e-5) for p in found.marginals.values()), "marginals do not add up to 1")
    h.call(*h.one((made.score, h.spoil({name: 0 for name in names})), (made.blanket, h.spoil(names[0])), (made.table, h.spoil(0, h.count)),
                  (made.separated, names[:1], h.spoil(names[1:2]), h.spoil(())), (made.to_uai,), (made.joint_marginal, scope()),
                  (made.scope, h.spoil(0, h.count)), (made.states, h.spoil(names[0])), (made.to_networkx,),
                  (made.expectation, lambda *states: h.spoil(1.0), scope()), (pickle.dumps, made)))
    if h.chance(0.2):
        words = h.one("MARKOV 2 2 2 1 2 0 1 4 1 2 3 4", "BAYES 1 2 1 1 0 2 0.5 0.5").split(" ")
        words[h.below(len(words))] = str(h.number())
        h.call(croft.FactorGraph.from_uai, " ".join(words))


@entry
def bayes(h: Hostile) -> None:
    names = h.one(["rain", "wet", "cold"], ["a b", 'q"', "é"])
    states = {h.spoil(name, h.text): h.spoil(h.one(["no", "yes"], ["1", "2", "3"]), h.anything, lambda: [h.text(), h.text()], list) for name in names}
    parents = {name: h.spoil([other for other in names[:k] if h.chance(0.6)], lambda: names, h.anything) for k, name in enumerate(names)}
    net = h.call(croft.BayesNet, h.spoil(states), h.spoil(parents))
    if net is REFUSED:
        return
    h.check(net.graph.variables == list(states), f"the variables {list(states)} became {net.graph.variables}")
    h.check([net.graph.states(name) for name in states] == [list(each) for each in states.values()], "states were renamed")
    cases = h.spoil([h.spoil({name: h.spoil(h.one(*of, None) if isinstance(of, list) else None, h.text) for name, of in states.items()}) for _ in range(6)])
    how = {key: h.spoil(value, h.number, h.anything) for key, value in (("smoothing", 1.0), ("tolerance", 1e-3), ("seed", 2), ("from_tables", True),
                                                                        ("em_iterations", 5)) if h.chance(0.3)}
    h.call(net.fit, cases, **{"em_iterations": 5, **how})
    h.call(*h.one((net.log_likelihood, cases), (net.infer,), (net.table, h.spoil(names[0])), (net.parents, h.spoil(names[0])),
                  (croft.BayesNet.from_bif, mutated(h, net.to_bif().encode()).decode("utf-8", "replace"))))


def unroll(x: Any) -> croft.Cliques:
    g = croft.Cliques()
    for t, word in enumerate(x):
        g.variable(t, "tag")
        g.clique("word", [t], {"w": word})
        if t:
            g.clique("next", [t - 1, t])
    return g


DOMAINS: dict[str, Any] = {"domains": {"tag": ["N", "V"]},
                           "templates": {"word": croft.Template(["tag"]), "next": croft.Template(["tag", "tag"])}}


@functools.lru_cache(None)
def graph_crf_fitted() -> Any:
    return croft.GraphCRF(unroll, max_iterations=3, **DOMAINS).fit([["a", "b"], ["b"]], [["N", "V"], ["V"]])


@entry
def graph_crf(h: Hostile) -> None:
    def make(x: Any) -> Any:
        g = croft.Cliques()
        for t, word in enumerate(x):
            h.call(g.variable, h.spoil(t), h.spoil("tag"))
        for t in range(len(x)):
            h.call(g.clique, h.spoil("word"), h.spoil([t]), h.spoil({"w": h.spoil(x[t]), "n": h.spoil(1.5, h.number)}))
            if t:
                h.call(g.clique, "next", h.spoil([t - 1, t], lambda: [t, t], lambda: [t]), None)
        return h.spoil(g)

    domains = h.spoil({"tag": h.spoil(["N", "V"], list, h.anything, lambda: [h.text()] * 2)})
    templates = h.spoil({"word": h.spoil(croft.Template(h.spoil(["tag"]), h.spoil(h.one("table", "same-label"), h.text))), "next": croft.Template(
        ["tag", "tag"], *h.spoil(("table",), lambda: ("list", [("N", "V")]), lambda: ("list", h.container()), lambda: ("ordinal",)))})
    crf = croft.GraphCRF(make, domains=domains, templates=templates, max_iterations=3)
    X, y = [["a", "b"], ["b", "b", "a"]], [h.spoil(["N", "V"]), h.spoil(["V", None, h.spoil("N", h.text)], lambda: {0: "N"})]
    if h.call(crf.fit, h.spoil(X), h.spoil(y)) is not REFUSED:
        h.call(h.one(crf.predict, crf.predict_marginals), X, known=h.spoil(None, lambda: y))
        h.call(crf.weights, h.spoil("word"))


@entry
def entropy(h: Hostile) -> None:
    table = h.spoil(h.array((4, 2)), lambda: h.wrong_array((4, 2)), lambda: h.with_number(h.array((4, 2))), h.anything)
    constraints = h.spoil([h.spoil((h.spoil(0, h.number), h.spoil(h.one("=", "<=", ">=")), h.spoil(1.0, h.number))) for _ in range(h.below(4))])
    how = {key: h.spoil(value, h.number, h.anything) for key, value in (("base", h.array((4,)) + 0.1), ("tolerance", 1e-6), ("max_iterations", 50))
           if h.chance(0.3)}
    found = h.call(croft.maximum_entropy, table, constraints, **how)
    if found is not REFUSED:
        h.check(not len(found.p) or math.isclose(found.p.sum(), 1, abs_tol=1e-6) or found.status == "infeasible", "p does not add up to 1")


# --- Pickles and images ----------------------------------------------------------------------------

def mutated(h: Hostile, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(h.one(1, 1, 2, 5)):
        at = h.below(max(1, len(out)))
        how = h.below(5)
        if how == 0:
            out[at:at + 1] = bytes([h.below(256)])
        elif how == 1:
            del out[at:at + h.one(1, 4, 40, 4000)]
        elif how == 2:
            out[at:at] = out[:h.one(1, 8, 64)]
        elif how == 3 and out:
            out[at % len(out)] ^= 1 << h.below(8)
        else:
            del out[at:]
    return bytes(out)


@functools.lru_cache(None)
def pickles() -> list[tuple[Any, bytes]]:
    vectorizers = [croft.TextVectorizer(weighting="tf-idf").fit(["a cat", "the old cat"]),
                   croft.TextVectorizer(hash_bits=4, weighting="tf-idf").fit(["a cat", "the old"]), croft.TextVectorizer().fit(["old cat"])]
    net = croft.BayesNet({"a": ["n", "y"], "b": ["n", "y"]}, {"b": ["a"]})
    compat = sklearn_crfsuite.CRF(max_iterations=3).fit([[{"w": "a"}, ["b"]]], [["N", "V"]])
    made = [fitted(name, "attributes") for name in SEQUENCE_KINDS] + vectorizers + [
        rows_fitted("NaiveBayes"), rows_fitted("NaiveBayes", "categorical"), rows_fitted("LogisticRegression"), graph_crf_fitted(), net, compat]
    return [(each, pickle.dumps(each)) for each in made]


ANY_PICKLE = (AttributeError, LookupError, EOFError, ImportError, pickle.PickleError, RuntimeError, AssertionError, NotImplementedError)


class _Plain(pickle.Unpickler):
    """Builds nothing but what croft and numpy have: a byte may turn one name into another."""

    def find_class(self, module: str, name: str) -> Any:
        if module.split(".")[0] in ("croft", "numpy", "scipy", "sklearn", "__main__", "entries", "builtins", "collections", "copyreg") \
                and not module.startswith("croft._core") and name not in ("eval", "exec", "input", "exit", "quit", "open", "breakpoint", "help"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(name)


def use(h: Hostile, made: Any) -> None:
    """Whatever was loaded is asked."""
    h.liars = True
    h.also = ANY_PICKLE
    X = [[{"w": "the"}, {"w": "cat"}]]
    for what, data in (("predict", X), ("predict_proba", X), ("transform", ["the old cat"]), ("predict", np.ones((2, 3))), ("idf_", None),
                       ("vocabulary_", None), ("predict", [["a", "b"]]), ("feature_log_prob_", None), ("log_likelihood", [{"a": "y"}]),
                       ("coef_", None), ("partial_fit", None), ("calibration_", None), ("__getstate__", None)):
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
        made = h.call(lambda: _Plain(io.BytesIO(mutated(h, data))).load())
    else:
        state = estimator.__getstate__()
        key = h.one(*state)
        value = state[key]
        if isinstance(value, bytes):
            value = h.one(mutated(h, value), images.mutated(h, value))
        elif isinstance(value, tuple) and value and h.chance(0.7):
            k = h.below(len(value))
            part = value[k]
            new = mutated(h, part) if isinstance(part, bytes) else h.one(h.number(), h.count())
            value = (*value[:k], new, *value[k + 1:])
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
        found = [h.call(croft.Model.from_bytes, data), h.call(croft.load, path), h.call(croft.NaiveBayes.load, path),
                 h.call(croft.LogisticRegression.load, path), h.call(croft.GraphCRF.load, path, unroll),
                 h.call(pycrfsuite.Tagger().open_inmemory, data)]
        for each in found:
            if isinstance(each, croft.Model):
                for what in ("labels", "order", "attributes", "state_features", "transition_features", "edge_features"):
                    h.call(lambda: getattr(each, what))
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
                X = np.ones((2, getattr(each, "n_features_in_", 3))) if getattr(each, "n_features_in_", 3) < 99 else None
                for what in ("predict", "predict_proba"):
                    h.call(getattr(each, what, lambda X: None), X)
                h.call(lambda: getattr(each, "calibration_", None))
            elif each is not REFUSED:
                h.call(each.predict, [["a", "b"]])
                h.call(each.weights, "word")


# --- The extension by itself -------------------------------------------------------------------------

@entry
def core(h: Hostile) -> None:
    """Functions of the extension as the package calls them, with arguments that it would not give."""
    f8: Callable[..., Any] = lambda *shape: h.spoil(h.array(shape), lambda: h.wrong_array(shape), h.buffer, lambda: np.zeros(shape, "i8"))
    i8: Callable[..., Any] = lambda values: h.spoil(np.array(values, "i8"), lambda: np.array(values, "f8"), h.buffer, lambda: np.array(values, "i8") + h.one(-9, 9, 1 << 40))
    csr = (f8(4), i8([0, 1, 2, 0]), i8([0, 2, 4]))
    dense = (f8(2, 3), None, None)
    table = _core.NaiveBayesTable(3, [], ["multinomial"])
    table.fit(np.ones((2, 3)), None, None, np.array([0, 1]), None, 2, {}, None)
    native = fitted("ChainCRF", "attributes").model_._native
    graph_ = _core.Graph()
    for _ in range(3):
        graph_.add_variable(2)
    graph_.add_factor([0, 1], graph_.add_table(np.zeros((2, 2))))
    encoder = croft.TextVectorizer(hash_bits=3)._new_encoder()
    cliques = _core.Cliques([("tag", ["N", "V"])], [("word", [0], "table", [])])
    plan = _core.Plan(native, {})
    options: dict[str, Any] = {"task": "marginals", "method": "auto", "memory": 0.0, "time": None, "tolerance": None, "max_iterations": None,
                               "samples": None, "seed": 1, "threads": 1, "proposal": None, "settings": []}
    calls: list[Any] = [
        (_core.linear_scores, 3, *h.one(csr, dense), f8(3, 2), f8(2), f8(2, 2)),
        (_core.train_matrix, 3, *h.one(csr, dense), i8([0, 1]), h.spoil(None, lambda: f8(2)), h.spoil([], lambda: ["a"]), ["a", "b"],
         {"max_iterations": 2}, h.spoil("{}", h.text), f8(4, 2), None),
        (table.fit, *h.one(csr, dense), i8([0, 1]), h.spoil(None, lambda: f8(2)), h.spoil(2, h.count), {}, h.spoil(None, lambda: [0.5])),
        (table.joint, *h.one(csr, dense), f8(2, 2)), (table.rows, h.spoil("counts"), 0, f8(3, 2)), (table.calibrate, f8(2, 2)),
        (table.reserve_categories, h.spoil(0, h.count), h.spoil(2, h.count)), (table.to_bytes, ["a", "b"], h.spoil("{}", h.text)),
        (_core.NaiveBayesTable, h.spoil(3, h.count), h.spoil([], lambda: ["a"]), h.spoil(["categorical"], list, lambda: ["x"], lambda: ["gaussian"] * 2)),
        (_core.model_weights, native, [b"w:the"], f8(1, len(native.labels))), (native.calibrate, f8(2, 3)), (native.inspect, h.spoil(1, h.count)),
        (graph_.states, h.spoil(0, lambda: 3, h.count)), (graph_.scope, h.spoil(0, lambda: 3, h.count)), (graph_.table, h.spoil(0, lambda: 3, h.count)),
        (graph_.score, h.spoil([0, 0, 0], lambda: [0], lambda: [9, 9, 9])), (graph_.add_table, f8(2, 2)),
        (graph_.add_factor, h.spoil([0, 1], lambda: [7]), h.spoil(0, lambda: 5)), (graph_.blanket, h.spoil(0, lambda: 9)),
        (graph_.set_names, h.spoil(list("abc"), lambda: ["a"]), h.spoil([["n", "y"]] * 3, list)), (graph_.write, h.one("uai", "lg", "bif", "x")),
        (graph_.infer, h.spoil([], lambda: [9], lambda: [9] * 3), {**options, h.one(*options): h.anything()} if h.chance(h.rate) else options, None),
        (graph_.joint_marginal, h.spoil([0, 1], lambda: [9]), h.spoil([], lambda: [3]), h.spoil(None, h.number)),
        (graph_.separated, [0], h.spoil([1], lambda: [9]), h.spoil([], lambda: [9])),
        (_core.labels_of_spans, h.spoil([(0, h.spoil(1, h.count), h.spoil("X", h.text))]), h.spoil(3, lambda: h.one(0, -1, 1.5)), h.spoil("bio", lambda: h.one("raw", "none", "ioe"))),
        (_core.spans_of_labels, h.spoil(["B-X", "O"], lambda: [h.text()]), h.spoil("bio")), (_core.span_scheme, h.spoil(["B-X"], lambda: [h.text()])),
        (_core.evaluate, h.spoil([["B-X"]], lambda: [np.array(["B-X"])], lambda: [iter(["B-X"])]), h.spoil([["O"]])), (_core.option_rows, h.spoil("chain", h.text)),
        (encoder.idf,), (encoder.terms,), (encoder.state,), (encoder.set_state, h.spoil(2, h.count), h.spoil(b""), h.spoil(bytes(32))),
        (encoder.transform, h.spoil(["a"], lambda: [h.text()])), (_core.Cliques, h.spoil(None)), (_core.Plan, h.spoil(None), {}),
        (cliques.add_variable, h.spoil(0, lambda: 4), 0, h.spoil(0, lambda: 9, lambda: 1 << 32)), (cliques.add_clique, h.spoil(0, lambda: 3), h.spoil([0]), [("f", 1.0)]),
        (cliques.train, {}, h.spoil("{}", h.text), None, None), (_core.GraphModel.from_bytes, h.spoil(b"", h.anything), "m"),
        (plan.tag, h.spoil([[{"w": "the"}]]), None, h.spoil({"k_best": 2}, lambda: {h.text(): 1}, lambda: {"k_best": h.count()}), 1, h.spoil(0, h.count)),
        (plan.hmm, h.spoil([{"w": "the"}] * 3, list, lambda: [{}]), h.spoil(3, lambda: h.one(0, 1, -1))), (plan.explain, [{"w": "the"}], [h.spoil(0, lambda: 9)], None, 2, False),
        (_core.train, h.spoil("pool", h.text), [[{"w": "a"}]] * 3, [["A"], ["B"], ["A"]], None, None, None, {"experts": ["all", "labels"], "format": "attributes", "max_iterations": 2},
         h.spoil({}, lambda: {"experts": [None]}, lambda: {"init": 3}, lambda: {"prior": None}), None),
        (_core.chain_constraint, h.spoil("bio"), h.spoil(["B-X", "O"], lambda: [h.text()])),
        (_core.maximum_entropy, f8(3, 2), h.spoil([], lambda: [1.0]), h.spoil([(0, "=", 1.0)], lambda: [(9, "=", 1.0)]), 1e-6, 9),
        (_core.ChainArrays64, h.one("single", "list", "flat", "padded"), h.spoil([2], lambda: [1 << 40], lambda: [-1]), h.spoil(2, h.count), h.spoil(2, h.count), {"state": f8(2, 2)}),
        (_core.bayes_net, h.spoil(["a", "b"], lambda: ["a"]), h.spoil([["n", "y"]] * 2, list), h.spoil([[], [0]], lambda: [[], [9]], lambda: [[]])),
        (_core.bayes_net_log_likelihood, _core.bayes_net(["a"], [["n", "y"]], [[]]), h.spoil([[0]], lambda: [[9]], lambda: [[]], lambda: [[0, 0]]))]
    h.also = (LookupError, BufferError)
    for _ in range(4):
        h.call(*h.one(*calls))


# --- The rest -----------------------------------------------------------------------------------------

@entry
def compat(h: Hostile) -> None:
    X, y = corpus(h, "attributes")
    if h.chance(0.5):
        kind = h.one("lbfgs", "l2sgd", "ap", "pa", "arow")
        params = {name: h.spoil(value, h.number, h.text, h.anything) for name, value in (
            ("c2", 1.0), ("epsilon", 0.1), ("min_freq", 1), ("all_possible_states", True), ("all_possible_transitions", True), ("period", 3), ("delta", 0.1)) if h.chance(0.2)}
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
    if h.call(trainer.train, h.spoil("", lambda: h.one("/nowhere/m", "\0", 3, None))) is REFUSED or trainer.model_ is None:
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
    labels: Callable[[], Any] = lambda: h.spoil([h.spoil(["B-X", "O"], h.anything, lambda: np.array(["B-X", "O"]), lambda: (x for x in ["B-X", "O"]),
                                                         lambda: "BO", lambda: [h.text(), h.text()])])
    h.call(croft.evaluate, labels(), labels())
    model = fitted("ChainCRF", "attributes")
    paths: Callable[[], Any] = lambda: h.one("/nowhere/x", "a\0b", "\ud800", b"/\xff", "", 3, None, "/", h.anything())
    h.call(h.one(croft.load, croft.NaiveBayes.load, croft.LogisticRegression.load, croft.FactorGraph.read, croft.BayesNet.read), paths())
    h.call(croft.Model.from_bytes, h.spoil(b"CROFT", h.anything))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        h.call(croft.save, h.spoil(model), h.one("/nowhere/x", "m\0x", b"m", "", "/"))
        h.check(not any("\0" in name or name == "m" for name in os.listdir(folder)) or os.path.exists("m"), "a path was cut off")
        h.call(croft.ChainCRF(max_iterations=1, **{h.one("template", "checkpoint", "cost", "constrain", "variances"): paths()}).fit,
               [[["a", "b"]]] * 2, [["A"], ["B"]])
        os.chdir("/")


@entry
def search(h: Hostile) -> None:
    X, y = corpus(h, "attributes", 9)
    grid = h.spoil({"l2": h.spoil([0.1, 1.0], h.anything, lambda: croft.Range(*h.spoil((0.1, 1.0, "log"), lambda: (h.number(), h.number())))),
                    **h.spoil({}, lambda: {h.text(): [1]})})
    how: dict[str, Any] = {key: h.spoil(value, h.number, h.anything) for key, value in (
        ("metric", h.one("accuracy", "log-loss", lambda crf, X, y: h.spoil(0.5, h.number))), ("folds", 2), ("candidates", 2), ("eta", 2), ("seed", 1), ("smallest", 0.5),
        ("callback", lambda event: h.misbehave((None, False)))) if h.chance(0.3)}
    h.liars = h.liars or "callback" in how
    h.call(croft.search, h.spoil(croft.ChainCRF(max_iterations=2, threads=1)), X, y, grid, **how)


@entry
def threads(h: Hostile) -> None:
    """One object that several threads use while it is fitted, and data that one of them writes to."""
    h.rate = 0
    what = h.one("NaiveBayes", "LogisticRegression", "TextVectorizer", "FactorGraph", "ChainCRF", "GraphCRF", "csr")
    stop = threading.Event()
    failed: list[BaseException] = []

    def again(act: Callable[[], Any]) -> None:
        while not stop.is_set():
            try:
                act()
            except (*h_allowed,):
                pass
            except BaseException as error:
                failed.append(error)

    h_allowed = (ValueError, TypeError, AttributeError, *REFUSALS_OF_LIARS)
    X = h.numpy.integers(0, 4, (400, 30)).astype(float)
    y = np.array([str(int(row[0])) for row in X])
    acts: list[Callable[[], Any]]
    if what in ("NaiveBayes", "LogisticRegression"):
        est = croft.NaiveBayes(event=h.one("multinomial", "gaussian", "categorical")) if what == "NaiveBayes" else croft.LogisticRegression(max_iterations=3)
        est.fit(X, y)
        acts = [lambda: est.fit(X, y), lambda: est.predict_proba(X), lambda: est.predict(X)] + (
            [lambda: est.partial_fit(X[:50], y[:50]), lambda: est.feature_log_prob_] if what == "NaiveBayes" else [])
    elif what == "csr":
        import scipy.sparse
        sparse = scipy.sparse.csr_matrix(X)
        sparse.indices, sparse.indptr = sparse.indices.astype("i8"), sparse.indptr.astype("i8")
        lr = croft.LogisticRegression(max_iterations=2).fit(X, y)
        good, begin = sparse.indices.copy(), sparse.indptr.copy()

        def disturb() -> None:
            sparse.indices[:] = 1 << 40
            sparse.indptr[1:-1] = 1 << 40
            sparse.indices[:], sparse.indptr[:] = good, begin
        acts = [disturb, lambda: lr.decision_function(sparse), lambda: croft.NaiveBayes().fit(sparse, y)]
    elif what == "TextVectorizer":
        vectorizer = croft.TextVectorizer(weighting="tf-idf")
        texts = [" ".join(h.one(*WORDS) + str(h.below(50)) for _ in range(50)) for _ in range(50)]
        acts = [lambda: vectorizer.fit(texts), lambda: vectorizer.transform(texts), lambda: vectorizer.idf_, lambda: vectorizer.fit_transform(texts[:9])]
    elif what == "FactorGraph":
        graph_ = croft.FactorGraph()
        for v in range(30):
            graph_.add_variable(3)
            graph_.add_factor([v - 1, v] if v else [0], np.ones((3, 3) if v else 3))
        acts = [lambda: graph_.infer("marginals", "belief-propagation", max_iterations=50), lambda: graph_.infer("partition"), lambda: [graph_.add_variable(2) for _ in range(9)]]
    elif what == "GraphCRF":
        crf = pickle.loads(pickle.dumps(graph_crf_fitted()))
        acts = [lambda: crf.predict_marginals([["a", "b"]] * 3), lambda: [h.check(len(each) == 1, "of another thread's graph")
                                                                          for each in crf.predict_marginals([["a"]] * 3)], lambda: crf.fit([["a", "b"]], [["N", "V"]])]
    else:
        chain_ = pickle.loads(pickle.dumps(fitted("ChainCRF", "attributes")))
        data = [[{"w": word} for word in WORDS]] * 20
        acts = [lambda: chain_.predict(data), lambda: chain_.fit(data, [[TAGS[w] for w in WORDS]] * 20), lambda: chain_.predict_proba(data), lambda: chain_.model_.inspect()]
    h.log(f"threads at {what}")
    running = [threading.Thread(target=again, args=(act,)) for act in acts]
    for each in running:
        each.start()
    stop.wait(0.4)
    stop.set()
    for each in running:
        each.join()
    if failed:
        raise failed[0]
