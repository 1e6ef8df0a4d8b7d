"""The extension by itself, and objects that several threads use."""
from __future__ import annotations

import pickle
import threading
from typing import Any, Callable

import numpy as np

import croft
from croft import _core
from hostile import REFUSALS_OF_LIARS, Hostile, entry
from sequences import TAGS, WORDS, fitted
from graphs import graph_crf_fitted


@entry
def core(h: Hostile) -> None:
    """Functions of the extension as the package calls them, with arguments that it would not give."""

    def f8(*shape: int) -> Any:
        return h.spoil(h.array(shape), lambda: h.wrong_array(shape), h.buffer, np.zeros(shape, "i8"))

    def i8(*values: int) -> Any:
        good = np.array(values, "i8")
        return h.spoil(good, good.astype("f8"), h.buffer, good + h.one(-9, 9, 1 << 40))

    matrix = h.one((f8(4), i8(0, 1, 2, 0), i8(0, 2, 4)), (f8(2, 3), None, None))
    table = _core.NaiveBayesTable(3, [], ["multinomial"])
    table.fit(np.ones((2, 3)), None, None, np.array([0, 1]), None, 2, {}, None)
    native = fitted("ChainCRF", "attributes").model_._native
    graph_ = _core.Graph()
    for _ in range(3):
        graph_.add_variable(2)
    graph_.add_factor([0, 1], graph_.add_table(np.zeros((2, 2))))
    encoder = croft.TextVectorizer(hash_bits=3)._new_encoder()
    cliques = _core.Cliques([("tag", ["N", "V"])], [{"name": "word", "domains": [0], "interaction": "table"}])
    plan = _core.Plan(native, {})
    net = _core.bayes_net(["a"], [["n", "y"]], [[]])
    how: dict[str, Any] = {
        "task": "marginals",
        "method": "auto",
        "memory": 0.0,
        "time": None,
        "tolerance": None,
        "max_iterations": None,
        "samples": None,
        "seed": 1,
        "threads": 1,
        "proposal": None,
        "settings": [],
    }
    small = {"experts": ["all", "labels"], "format": "attributes", "max_iterations": 2}
    calls: list[Any] = [
        (_core.linear_scores, 3, *matrix, f8(3, 2), f8(2), f8(2, 2)),
        (
            _core.train_matrix,
            3,
            *matrix,
            i8(0, 1),
            h.spoil(None, f8(2)),
            h.spoil([], ["a"]),
            ["a", "b"],
            {"max_iterations": 2},
            h.spoil(None, native),
            h.spoil("{}", h.text),
            f8(4, 2),
            None,
        ),
        (_core.model_weights, native, [b"w:the"], f8(1, len(native.labels))),
        (native.calibrate, f8(2, 3)),
        (native.inspect, h.spoil(1, h.count)),
        (
            _core.NaiveBayesTable,
            h.spoil(3, h.count),
            h.spoil([], ["a"]),
            h.spoil(["categorical"], [], ["x"], ["gaussian"] * 2),
        ),
        (table.fit, *matrix, i8(0, 1), h.spoil(None, f8(2)), h.spoil(2, h.count), {}, h.spoil(None, [0.5])),
        (table.joint, *matrix, f8(2, 2)),
        (table.rows, h.spoil("counts"), 0, f8(3, 2)),
        (table.calibrate, f8(2, 2)),
        (table.reserve_categories, h.spoil(0, h.count), h.spoil(2, h.count)),
        (table.to_bytes, ["a", "b"], h.spoil("{}", h.text)),
        (graph_.states, h.spoil(0, 3, h.count)),
        (graph_.scope, h.spoil(0, 3, h.count)),
        (graph_.table, h.spoil(0, 3, h.count)),
        (graph_.score, h.spoil([0, 0, 0], [0], [9, 9, 9])),
        (graph_.add_table, f8(2, 2)),
        (graph_.add_factor, h.spoil([0, 1], [7]), h.spoil(0, 5)),
        (graph_.blanket, h.spoil(0, 9)),
        (graph_.set_names, h.spoil(list("abc"), ["a"]), h.spoil([["n", "y"]] * 3, [])),
        (graph_.write, h.one("uai", "lg", "bif", "x")),
        (graph_.infer, h.spoil([], [9], [9] * 3), {**how, **h.spoil({}, lambda: {h.one(*how): h.anything()})}, None),
        (graph_.joint_marginal, h.spoil([0, 1], [9]), h.spoil([], [3]), h.spoil(None, h.number)),
        (graph_.separated, [0], h.spoil([1], [9]), h.spoil([], [9])),
        (
            _core.labels_of_spans,
            h.spoil([(0, h.spoil(1, h.count), h.spoil("X", h.text))]),
            h.spoil(3, 0, -1, 1.5),
            h.spoil("bio", "raw", "none", "ioe"),
        ),
        (_core.spans_of_labels, h.spoil(["B-X", "O"], lambda: [h.text()]), h.spoil("bio")),
        (_core.span_scheme, h.spoil(["B-X"], lambda: [h.text()])),
        (_core.evaluate, h.spoil([["B-X"]], [np.array(["B-X"])], [iter(["B-X"])]), h.spoil([["O"]])),
        (_core.option_rows, h.spoil("chain", h.text)),
        (encoder.idf,),
        (encoder.terms,),
        (encoder.state,),
        (encoder.set_state, h.spoil(2, h.count), h.spoil(b""), h.spoil(bytes(32))),
        (encoder.transform, h.spoil(["a"], lambda: [h.text()])),
        (_core.Cliques, h.spoil(None)),
        (cliques.add_variable, h.spoil(0, 4), 0, h.spoil(0, 9, 1 << 32)),
        (cliques.add_clique, h.spoil(0, 3), h.spoil([0]), [("f", 1.0)]),
        (cliques.train, {}, h.spoil("{}", h.text), None, None),
        (_core.GraphModel.from_bytes, h.spoil(b"", h.anything), "m"),
        (_core.Plan, h.spoil(None), {}),
        (
            plan.tag,
            h.spoil([[{"w": "the"}]]),
            None,
            h.spoil({"k_best": 2}, lambda: {h.text(): 1}, lambda: {"k_best": h.count()}),
            1,
            h.spoil(0, h.count),
        ),
        (plan.hmm, h.spoil([{"w": "the"}] * 3, [], [{}]), h.spoil(3, 0, 1, -1)),
        (plan.explain, [{"w": "the"}], [h.spoil(0, 9)], None, 2, False),
        (
            _core.train,
            h.spoil("pool", h.text),
            [[{"w": "a"}]] * 3,
            [["A"], ["B"], ["A"]],
            None,
            None,
            None,
            small,
            h.spoil({}, {"experts": [None]}, {"init": 3}, {"prior": None}),
            None,
        ),
        (_core.chain_constraint, h.spoil("bio"), h.spoil(["B-X", "O"], lambda: [h.text()])),
        (_core.maximum_entropy, f8(3, 2), h.spoil([], [1.0]), h.spoil([(0, "=", 1.0)], [(9, "=", 1.0)]), 1e-6, 9),
        (
            _core.ChainArrays64,
            h.one("single", "list", "flat", "padded"),
            h.spoil([2], [1 << 40], [-1]),
            h.spoil(2, h.count),
            h.spoil(2, h.count),
            {"state": f8(2, 2)},
        ),
        (
            _core.bayes_net,
            h.spoil(["a", "b"], ["a"]),
            h.spoil([["n", "y"]] * 2, []),
            h.spoil([[], [0]], [[], [9]], [[]]),
        ),
        (_core.bayes_net_log_likelihood, net, h.spoil([[0]], [[9]], [[]], [[0, 0]])),
    ]
    h.also = (LookupError, BufferError)
    for _ in range(4):
        h.call(*h.one(*calls))


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
        est = (
            croft.NaiveBayes(event=h.one("multinomial", "gaussian", "categorical"))
            if what == "NaiveBayes"
            else croft.LogisticRegression(max_iterations=3)
        )
        est.fit(X, y)
        acts = [lambda: est.fit(X, y), lambda: est.predict_proba(X), lambda: est.predict(X)] + (
            [lambda: est.partial_fit(X[:50], y[:50]), lambda: est.feature_log_prob_] if what == "NaiveBayes" else []
        )
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
        acts = [
            lambda: vectorizer.fit(texts),
            lambda: vectorizer.transform(texts),
            lambda: vectorizer.idf_,
            lambda: vectorizer.fit_transform(texts[:9]),
        ]
    elif what == "FactorGraph":
        graph_ = croft.FactorGraph()
        for v in range(30):
            graph_.add_variable(3)
            graph_.add_factor([v - 1, v] if v else [0], np.ones((3, 3) if v else 3))
        acts = [
            lambda: graph_.infer("marginals", "belief-propagation", max_iterations=50),
            lambda: graph_.infer("partition"),
            lambda: [graph_.add_variable(2) for _ in range(9)],
        ]
    elif what == "GraphCRF":
        crf = pickle.loads(pickle.dumps(graph_crf_fitted()))
        acts = [
            lambda: crf.predict_marginals([["a", "b"]] * 3),
            lambda: crf.fit([["a", "b"]], [["N", "V"]]),
            lambda: [
                h.check(len(each) == 1, "of another thread's graph") for each in crf.predict_marginals([["a"]] * 3)
            ],
        ]
    else:
        chain_ = pickle.loads(pickle.dumps(fitted("ChainCRF", "attributes")))
        data = [[{"w": word} for word in WORDS]] * 20
        acts = [
            lambda: chain_.predict(data),
            lambda: chain_.fit(data, [[TAGS[w] for w in WORDS]] * 20),
            lambda: chain_.predict_proba(data),
            lambda: chain_.model_.inspect(),
        ]
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
