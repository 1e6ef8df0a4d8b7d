"""Factor graphs, Bayesian networks, GraphCRF."""
from __future__ import annotations

import functools
import math
import pickle
from typing import Any, Callable

import numpy as np

import croft
from hostile import REFUSED, Hostile, entry


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
    scope: Callable[[], Any] = lambda: h.spoil(
        [h.spoil(each, h.text, h.count) for each in h.random.sample(names, min(len(names), 1 + h.below(2)))]
    )
    for _ in range(1 + h.below(5)):
        of = scope()
        sizes = [h.call(made.states, each) for each in of] if isinstance(of, list) else []
        shape = tuple(len(each) for each in sizes if each is not REFUSED and len(each) < 9)
        table = h.spoil(
            h.array(shape), lambda: h.wrong_array(shape or (1,)), lambda: h.with_number(h.array(shape)), h.anything
        )
        h.call(
            *h.one(
                (made.add_factor, of, table),
                (made.add_factor, of, table),
                (made.add_potts, of, h.spoil(1, h.number), h.number()),
                (made.add_truncated_linear, of, h.number(), h.number()),
                (made.add_parity, of, h.spoil(True)),
                (made.add_truncated_quadratic, of, h.number(), 2.0),
                (made.add_at_most, of, h.spoil(1, h.count)),
                (made.add_cardinality, of, h.spoil([0.0, 1.0, 2.0], h.anything)),
                (
                    made.add_sparse,
                    of,
                    h.spoil({(0,) * len(shape): 1.0, (1,) * len(shape): h.number()}),
                    h.spoil(0.0, h.number),
                ),
            )
        )
    method: Any = h.one("auto", "auto", *(each["name"] for each in croft.FactorGraph.methods()))
    how = h.options(
        0.2,
        memory=h.one("4G", 1e6),
        time=0.2,
        tolerance=1e-3,
        max_iterations=20,
        samples=3,
        seed=3,
        threads=1,
        damping=0.5,
        evidence={names[0]: h.spoil(0, h.count, h.text)},
    )

    def callback(event: Any) -> Any:
        if h.chance(0.3):
            h.call(
                h.one(
                    lambda: made.add_variable(2),
                    lambda: made.add_factor([names[0]], np.zeros(len(made.states(names[0])))),
                    lambda: made.infer("partition"),
                    lambda: [made.add_variable(3) for _ in range(300)],
                )
            )
        return h.misbehave((None, True, False, "x"))

    if h.chance(0.3):
        how["callback"] = callback
        h.liars = True
    if h.chance(0.15):
        h.liars = True
        method, how["proposal"] = "metropolis-hastings", lambda x, source: callback(x) or h.one(
            {}, {names[0]: 1}, ({names[0]: 0}, h.number()), 3
        )
    how.setdefault("time", 0.3) if method not in ("auto",) and h.chance(0.5) else None
    found = h.call(made.infer, h.spoil(h.one("marginals", "map", "partition", "sample"), h.text), method, **how)
    if found is not REFUSED and not h.liars:
        h.check(
            all(math.isclose(sum(p), 1, abs_tol=1e-5) for p in found.marginals.values()), "marginals do not add up to 1"
        )
    h.call(
        *h.one(
            (made.score, h.spoil({name: 0 for name in names})),
            (made.blanket, h.spoil(names[0])),
            (made.table, h.spoil(0, h.count)),
            (made.separated, names[:1], h.spoil(names[1:2]), h.spoil(())),
            (made.to_uai,),
            (made.joint_marginal, scope()),
            (made.scope, h.spoil(0, h.count)),
            (made.states, h.spoil(names[0])),
            (made.to_networkx,),
            (made.expectation, lambda *states: h.spoil(1.0), scope()),
            (pickle.dumps, made),
        )
    )
    if h.chance(0.2):
        words = h.one("MARKOV 2 2 2 1 2 0 1 4 1 2 3 4", "BAYES 1 2 1 1 0 2 0.5 0.5").split(" ")
        words[h.below(len(words))] = str(h.number())
        h.call(croft.FactorGraph.from_uai, " ".join(words))


@entry
def bayes(h: Hostile) -> None:
    names = h.one(["rain", "wet", "cold"], ["a b", 'q"', "é"])
    states = {
        h.spoil(name, h.text): h.spoil(
            h.one(["no", "yes"], ["1", "2", "3"]), h.anything, lambda: [h.text(), h.text()], list
        )
        for name in names
    }
    parents = {
        name: h.spoil([other for other in names[:k] if h.chance(0.6)], lambda: names, h.anything)
        for k, name in enumerate(names)
    }
    net = h.call(croft.BayesNet, h.spoil(states), h.spoil(parents))
    if net is REFUSED:
        return
    h.check(net.graph.variables == list(states), f"the variables {list(states)} became {net.graph.variables}")
    h.check(
        [net.graph.states(name) for name in states] == [list(each) for each in states.values()], "states were renamed"
    )
    cases = h.spoil(
        [
            h.spoil(
                {
                    name: h.spoil(h.one(*of, None) if isinstance(of, list) else None, h.text)
                    for name, of in states.items()
                }
            )
            for _ in range(6)
        ]
    )
    how = h.options(0.3, smoothing=1.0, tolerance=1e-3, seed=2, from_tables=True, em_iterations=5)
    h.call(net.fit, cases, **{"em_iterations": 5, **how})
    h.call(
        *h.one(
            (net.log_likelihood, cases),
            (net.infer,),
            (net.table, h.spoil(names[0])),
            (net.parents, h.spoil(names[0])),
            (croft.BayesNet.from_bif, h.mutated(net.to_bif().encode()).decode("utf-8", "replace")),
        )
    )


def unroll(x: Any) -> croft.Cliques:
    g = croft.Cliques()
    for t, word in enumerate(x):
        g.variable(t, "tag")
        g.clique("word", [t], {"w": word})
        if t:
            g.clique("next", [t - 1, t])
    return g


DOMAINS: dict[str, Any] = {
    "domains": {"tag": ["N", "V"]},
    "templates": {"word": croft.Template(["tag"]), "next": croft.Template(["tag", "tag"])},
}


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
    templates = h.spoil(
        {
            "word": h.spoil(croft.Template(h.spoil(["tag"]), h.spoil(h.one("table", "same-label"), h.text))),
            "next": croft.Template(
                ["tag", "tag"],
                *h.spoil(
                    ("table",), lambda: ("list", [("N", "V")]), lambda: ("list", h.container()), lambda: ("ordinal",)
                ),
            ),
        }
    )
    crf = croft.GraphCRF(make, domains=domains, templates=templates, max_iterations=3)
    X, y = [["a", "b"], ["b", "b", "a"]], [
        h.spoil(["N", "V"]),
        h.spoil(["V", None, h.spoil("N", h.text)], lambda: {0: "N"}),
    ]
    if h.call(crf.fit, h.spoil(X), h.spoil(y)) is not REFUSED:
        h.call(h.one(crf.predict, crf.predict_marginals), X, known=h.spoil(None, lambda: y))
        h.call(crf.weights, h.spoil("word"))
