"""Constraints, groups, shared and given weights of GraphCRF, against their definition."""
import itertools
import math
import random

import pytest

import croft

INF = float("inf")
LABELS = ["no", "yes"]


def unroll(x):
    g = croft.Cliques()
    for name, size in x["things"].items():
        g.variable(name, "keep")
        g.clique("size", [name], {"size": size})
    for box, names in x["boxes"].items():
        g.clique("box", [list(names)], {"(bias)": 1, "wide": x["wide"]})
        g.clique("most", [list(names)])
    for a, b in x["pairs"]:
        g.clique("pair", [a, b])
        g.clique("fixed", [a, b], "near")
        g.clique("implies", [[a], b])
    if x["seen"] is not None:
        g.clique("seen", [x["seen"]], "no")
    return g


TEMPLATES = {
    "size": croft.Template(["keep"]),
    "box": croft.Template([["keep"]], "count", states=["yes"], counts=[0, 1, 2]),
    "most": croft.Template([["keep"]], "at-most", states=["yes"], k=2, penalty=INF),
    "pair": croft.Template(["keep", "keep"], share=[[("no", "yes"), ("yes", "no")]]),
    "fixed": croft.Template(["keep", "keep"], "same", weights={("near",): 0.75}),
    "implies": croft.Template([["keep"], "keep"], "implies", states=["yes"], penalty=0.5),
    "seen": croft.Template(["keep"], "known"),
}


def examples(count, seed=1):
    rng = random.Random(seed)
    X, y = [], []
    for _ in range(count):
        names = [f"t{k}" for k in range(5)]
        labels = dict.fromkeys(names, "no")
        for box in (names[:3], names[3:]):
            for name in rng.sample(box, rng.randint(0, 2)):
                labels[name] = "yes"
        seen = next((n for n in names if labels[n] == "no"), None)
        X.append({"things": {n: rng.random() + (labels[n] == "yes") for n in names}, "wide": rng.random(),
                  "boxes": {"a": names[:3], "b": names[3:]}, "pairs": [(names[0], names[3]), (names[1], names[4])],
                  "seen": seen if rng.random() < 0.5 else None})
        y.append(labels)
    return X, y


def score(crf, x, state):
    size, box, pair = crf.weights("size"), crf.weights("box"), crf.weights("pair")
    total = sum(size.get(("size", state[n]), 0) * v for n, v in x["things"].items())
    for names in x["boxes"].values():
        count = sum(state[n] == "yes" for n in names)
        cell = ["0", "1", "2 or more"][min(count, 2)]
        total += box["(bias)", cell] + x["wide"] * box["wide", cell]
        total -= INF if count > 2 else 0
    for a, b in x["pairs"]:
        cell = "no, yes | yes, no" if state[a] != state[b] else f"{state[a]}, {state[b]}"
        total += pair["(bias)", cell] + (0.75 if state[a] == state[b] else 0)
        total -= 0.5 if state[a] == "yes" and state[b] == "no" else 0
    return -INF if x["seen"] is not None and state[x["seen"]] == "yes" else total


def by_definition(crf, x):
    """Marginals of yes, and the best score."""
    names = list(x["things"])
    total, yes, best = 0.0, dict.fromkeys(names, 0.0), -INF
    for labels in itertools.product(LABELS, repeat=len(names)):
        state = dict(zip(names, labels))
        this = score(crf, x, state)
        best = max(best, this)
        total += math.exp(this)
        for n in names:
            yes[n] += math.exp(this) * (state[n] == "yes")
    return {n: p / total for n, p in yes.items()}, best, math.log(total)


def check(crf, X):
    for x, best, marginals in zip(X, crf.predict(X), crf.predict_marginals(X)):
        yes, top, _ = by_definition(crf, x)
        assert score(crf, x, dict(zip(x["things"], best))) == pytest.approx(top, abs=1e-4)
        for name, p in zip(x["things"], marginals):
            assert p["yes"] == pytest.approx(yes[name], abs=1e-5)


def test_answers_are_those_of_the_definition(tmp_path):
    X, y = examples(40)
    crf = croft.GraphCRF(unroll, domains={"keep": LABELS}, templates=TEMPLATES).fit(X, y)
    assert crf.weights("fixed") == {} and crf.weights("most") == {}
    check(crf, X[:8])
    crf.save(tmp_path / "m.croft")
    check(croft.GraphCRF.load(tmp_path / "m.croft", unroll), X[:8])


def test_training_is_normalised_over_what_is_allowed():
    X, y = examples(20)
    crf = croft.GraphCRF(unroll, domains={"keep": LABELS}, templates=TEMPLATES).fit(X, y)
    loss = sum(by_definition(crf, x)[2] - score(crf, x, labels) for x, labels in zip(X, y))
    loss += 0.5 * sum(w * w for t in ("size", "box", "pair") for w in crf.weights(t).values())
    assert loss == pytest.approx(crf.training_log_.result["objective"], abs=1e-3)


def test_a_label_that_breaks_a_constraint_is_an_error():
    X, y = examples(5)
    y[3] = dict.fromkeys(y[3], "yes")
    X[3]["seen"] = None
    crf = croft.GraphCRF(unroll, domains={"keep": LABELS}, templates=TEMPLATES)
    with pytest.raises(croft.Error, match=r"X\[3\]: template 'most': its labels \(yes, yes, yes\) break the rule "
                                          r"'at-most 2'"):
        crf.fit(X, y)


def test_forbidden_states_are_never_predicted():
    def chain(x):
        g = croft.Cliques()
        for t, word in enumerate(x):
            g.variable(t, "tag")
            g.clique("word", [t], word)
            if t:
                g.clique("next", [t - 1, t])
        return g

    templates = {"word": croft.Template(["tag"]),
                 "next": croft.Template(["tag", "tag"], forbid=[("O", "I"), ("I", "O")])}
    crf = croft.GraphCRF(chain, domains={"tag": ["B", "I", "O"]}, templates=templates)
    crf.fit([["b", "i", "b"], ["o", "b", "i"]], [["B", "I", "B"], ["O", "B", "I"]])
    assert crf.predict([["o", "i"], ["i", "o", "o"]]) != [["O", "I"], ["I", "O", "O"]]
    assert ("(bias)", "O, I") not in crf.weights("next")
    soft = {**templates, "next": croft.Template(["tag", "tag"], forbid=[("O", "I")], penalty=2)}
    crf = croft.GraphCRF(chain, domains={"tag": ["B", "I", "O"]}, templates=soft).fit([["b", "i"]], [["B", "I"]])
    graph = crf.graph(["x", "x"])
    assert graph.score({"0": "O", "1": "I"}) == pytest.approx(-2)


@pytest.mark.parametrize("template, message", [
    (croft.Template([["keep"]], "or"), "\"t\": the interaction 'or' needs the states that count"),
    (croft.Template([["keep"]]), "\"t\": lists of variables go with an interaction that counts"),
    (croft.Template(["keep"], penalty=1), "a penalty is of joint states, of a rule that is broken, or of known"),
    (croft.Template(["keep"], forbid=[["no"], ["yes"]]), "\"t\": all joint states are forbidden"),
    (croft.Template(["keep"], weights={("x", "maybe"): 1}), "\"t\": there is no label \"maybe\""),
    (croft.Template(["keep"], weights={"x": 1}), r"weights has the key 'x'; write \(feature, label"),
    (croft.Template([["keep", "keep"]], "or", states=["yes"]), "a list of variables is of one domain"),
    (croft.Template([["keep"]], "or", states=["maybe"]), "has no label 'maybe'"),
    (croft.Template([["keep"]], "at-least", states=["yes"], k=0), "at least 0 is always so"),
])
def test_what_does_not_fit_is_named(template, message):
    crf = croft.GraphCRF(unroll, domains={"keep": LABELS}, templates={"t": template})
    with pytest.raises(ValueError, match=message):
        crf.fit([], [])
