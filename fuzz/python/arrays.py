"""Matrices, texts, and chains in arrays."""
from __future__ import annotations

import functools
import math
from typing import Any, Callable

import numpy as np

import croft
from hostile import REFUSED, Hostile, entry


@functools.lru_cache(None)
def rows_fitted(name: str, event: str = "multinomial") -> Any:
    X = np.random.default_rng(1).integers(0, 4, (30, 3)).astype(float)
    y = ["a" if row[0] > row[1] else "b" if row[2] > 1 else "c" for row in X]
    return (croft.NaiveBayes(event=event) if name == "NaiveBayes" else croft.LogisticRegression(max_iterations=20)).fit(
        X, y
    )


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
    event = h.one(
        "multinomial", "bernoulli", "complement", "gaussian", "categorical", ["gaussian", "categorical", "multinomial"]
    )
    name = h.one("NaiveBayes", "LogisticRegression")
    est = croft.NaiveBayes(event=event) if name == "NaiveBayes" else croft.LogisticRegression(max_iterations=4)

    def matrix(rows: int) -> Any:
        good = h.one(
            lambda: h.laid_out(h.numpy.integers(0, 4, (rows, 3)).astype(float)), lambda: h.csr(rows, 3).ceil()
        )()
        return h.spoil(
            good,
            lambda: h.wrong_array((rows, 3)),
            lambda: h.wrong_csr(rows, 3),
            h.anything,
            lambda: h.with_number(np.ones((rows, 3))),
            lambda: Frame(np.ones((rows, 3)), h.one(["a"], list("abcd"), 3, [])),
        )

    y = h.spoil(
        h.one(list("abcabc"), [1, 2, 1, 2, 3, 1], np.array([True, False] * 3)),
        lambda: h.wrong_array((6,)),
        h.anything,
        lambda: list("abcab"),
        lambda: ["a"] * 6,
        lambda: [h.text() for _ in range(6)],
    )
    how = (
        {"sample_weight": h.spoil(h.array((6,)), lambda: h.wrong_array((6,)), h.number, h.anything)}
        if h.chance(0.3)
        else {}
    )
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
    documents = h.spoil(
        [
            h.spoil(h.one("the old cat", "a cat sees a cat", "", "Zürich é"), h.text, h.anything)
            for _ in range(1 + h.below(5))
        ]
    )
    how = h.options(
        0.3,
        analyzer=h.one("word", "char", "char_wb"),
        ngram_range=h.spoil((1, 2), lambda: (1, h.one(0, 1 << 31, 1 << 62, 1 << 64, "a"))),
        stop_words=h.one("english", ["the"]),
        min_df=h.one(1, 0.1),
        max_df=1.0,
        max_features=3,
        weighting=h.one("counts", "binary", "tf-idf"),
        sublinear_tf=True,
        norm=h.one("l1", "l2", None, "auto"),
        hash_bits=h.one(None, 3, 28),
        lowercase=False,
    )
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


@entry
def chain(h: Hostile) -> None:
    real, T, L, N = h.one("f4", "f8"), h.below(5), 1 + h.below(4), h.below(4)
    layout = h.one("single", "padded", "flat", "list")
    front: Any = {"single": (T,), "padded": (N, T), "flat": (N * T,), "list": (T,)}[layout]

    def batch(*tail: int, dtype: Any = real, high: float = 3.0) -> Any:
        one: Callable[[], Any] = lambda: h.spoil(
            h.array((*front, *tail), dtype, high), lambda: h.wrong_array((*front, *tail)), h.anything
        )
        return [one() for _ in range(N)] if layout == "list" else one()

    def tied(*shape: int) -> Any:
        return h.spoil(
            h.array(shape, real), lambda: h.wrong_array(shape), h.anything, lambda: h.with_number(h.array(shape, real))
        )

    state = h.spoil(batch(L), h.anything, lambda: h.wrong_array((*front, L)), lambda: h.huge_array(real))
    how: dict[str, Any] = {
        "transition": tied(L, L),
        "start": tied(L),
        "end": tied(L),
        "edge": batch(L, L),
        "threads": h.spoil(1, h.count),
        "allowed": batch(L, dtype="?", high=1.9),
    }
    how = {key: value for key, value in how.items() if key == "threads" or h.chance(0.5)}
    if h.chance(0.3):
        how["constraint"] = h.spoil(
            h.call(croft.chain.Constraint, *(h.spoil(np.ones(s, bool)) for s in ((L,), (L,), (L, L))))
        )
    if layout == "flat" or (layout == "padded" and h.chance(0.5)) or h.chance(h.rate):
        how["lengths"] = h.spoil([T] * N, lambda: h.wrong_array((N,)), lambda: [h.count()] * N, h.anything)
    labels = h.spoil(batch(dtype=h.one("i8", "i4", "u1"), high=L - 0.01), lambda: batch(dtype="i8", high=9))
    weight = h.spoil(None, lambda: h.array((N,)), h.number, h.anything)
    call: tuple[Any, ...] = h.one(
        (croft.chain.log_partition, state),
        (croft.chain.marginals, state),
        (croft.chain.viterbi, state),
        (croft.chain.log_likelihood, state, how.pop("transition", None), labels),
        (croft.chain.k_best, state, how.pop("transition", None), h.spoil(3, h.count)),
        (
            croft.chain.sample,
            state,
            how.pop("transition", None),
            h.spoil(2, lambda: h.one(-1, 0, True, "a", 1 << 32, 1 << 64)),
        ),
    )
    if call[0] in (croft.chain.log_partition, croft.chain.log_likelihood) and h.chance(0.5):
        how.update(grad=True, weight=weight)
    if call[0] is croft.chain.marginals:
        how["edges"] = h.chance(0.5)
    answer = h.call(call[0], *call[1:], **how)
    if (
        answer is not REFUSED
        and call[0] is croft.chain.marginals
        and isinstance(answer, np.ndarray)
        and layout == "single"
    ):
        h.check(np.allclose(answer.sum(axis=-1), 1, atol=1e-4), "marginals do not add up to 1")
    if answer is not REFUSED and h.rate == 0 and call[0] is croft.chain.log_partition and "grad" not in how:
        plain = {
            key: np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value for key, value in how.items()
        }
        again = croft.chain.log_partition(
            np.array(state) if isinstance(state, np.ndarray) else [np.array(x) for x in state], **plain
        )
        h.check(np.array_equal(answer, again), "the layout of an array changes the answer")


@entry
def entropy(h: Hostile) -> None:
    table = h.spoil(h.array((4, 2)), lambda: h.wrong_array((4, 2)), lambda: h.with_number(h.array((4, 2))), h.anything)
    constraints = h.spoil(
        [
            h.spoil((h.spoil(0, h.number), h.spoil(h.one("=", "<=", ">=")), h.spoil(1.0, h.number)))
            for _ in range(h.below(4))
        ]
    )
    how = h.options(0.3, base=h.array((4,)) + 0.1, tolerance=1e-6, max_iterations=50)
    found = h.call(croft.maximum_entropy, table, constraints, **how)
    if found is not REFUSED:
        h.check(
            not len(found.p) or math.isclose(found.p.sum(), 1, abs_tol=1e-6) or found.status == "infeasible",
            "p does not add up to 1",
        )
