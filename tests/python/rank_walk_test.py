"""croft.RankedCRF: scores of moves against whole graphs, what it learns, structure that moves change, errors."""
import itertools
import math
import random

import pytest

import croft

TAGS = ["A", "B", "C"]


def graph(x, world):
    """All cliques of a world: a chain with factors of every sort."""
    g = croft.Cliques()
    for t in range(len(x)):
        g.variable(t, "tag")
    for t in range(len(x)):
        g.clique("word", [t], {x[t]: 1.5, "any": -0.5})
        if t:
            g.clique("table", [t - 1, t])
            g.clique("same", [t - 1, t], {x[t]: 1})
            g.clique("alike", [t - 1, t])
            g.clique("steps", [t - 1, t])
            g.clique("some", [t - 1, t])
            g.clique("soft", [t - 1, t])
    g.clique("number", [list(range(len(x)))])
    g.clique("few", [list(range(len(x)))])
    g.clique("one", [list(range(len(x)))])
    return g


TEMPLATES = {
    "word": croft.Template(["tag"]), "table": croft.Template(["tag", "tag"], share=[[("A", "B"), ("B", "A")]]),
    "same": croft.Template(["tag", "tag"], "same"), "alike": croft.Template(["tag", "tag"], "same-label"),
    "steps": croft.Template(["tag", "tag"], "ordinal"),
    "some": croft.Template(["tag", "tag"], "list", listed=[("A", "C"), ("C", "A")]),
    "soft": croft.Template(["tag", "tag"], forbid=[("C", "C")], penalty=0.7),
    "number": croft.Template([["tag"]], "count", states=["A"], counts=(0, 1, 3)),
    "few": croft.Template([["tag"]], "at-most", states=["B", "C"], k=2),
    "one": croft.Template([["tag"]], "exactly-one", states=["C"], penalty=1.3)}


def around(x, world, keys):
    return graph(x, world)  # more than is asked for: what both ends have does not matter


def texts(count, seed=0, length=5, share=0.4):
    """Words that say what their tag is, or (u) that it is that of the word before."""
    rng = random.Random(seed)
    X, y = [], []
    for _ in range(count):
        tags, words = [], []
        for t in range(length):
            tag = rng.choice(TAGS)
            if t and rng.random() < share:
                tag, word = tags[-1], "u"
            else:
                word = tag.lower()
            tags.append(tag)
            words.append(word)
        X.append(words)
        y.append(dict(enumerate(tags)))
    return X, y


def tied(x, world, keys):
    """The cliques around some positions alone."""
    g = croft.Cliques()
    near = sorted({s for t in keys for s in (t - 1, t, t + 1) if s in world})
    for t in near:
        g.variable(t, "tag")
    for t in keys:
        g.clique("word", [t], {x[t]: 1})
    for t in near:
        if t - 1 in near and (t in keys or t - 1 in keys):
            g.clique("same", [t - 1, t], {x[t]: 1})
    return g


def start(x):
    return {t: "A" for t in range(len(x))}


def tagger(**options):
    return croft.RankedCRF(tied, start=start, domains={"tag": TAGS},
                           templates={"word": TEMPLATES["word"], "same": TEMPLATES["same"]}, **options)


def test_the_difference_of_a_move_is_that_of_the_whole_graphs():
    X, y = texts(6, length=4)
    ranked = croft.RankedCRF(around, start=start, domains={"tag": TAGS}, templates=TEMPLATES, passes=3).fit(X, y)
    whole = croft.GraphCRF(lambda x: graph(x, None), domains={"tag": TAGS}, templates=ranked.as_templates())
    whole.fit(X, [list(each.values()) for each in y])
    rng = random.Random(2)
    used = set()
    for x in X:
        factors = whole.graph(x)

        def score(world):
            return factors.infer("map", evidence={str(t): label for t, label in world.items()}).log_score

        for _ in range(10):
            world = {t: rng.choice(TAGS) for t in range(len(x))}
            move = {t: rng.choice(TAGS) for t in rng.sample(range(len(x)), 2)}
            found = ranked.difference(x, world, move)
            assert found == pytest.approx(score({**world, **move}) - score(world), abs=1e-9)
            used.add(round(found, 9))
    assert len(used) > 20
    for name in ("word", "table", "same", "alike", "steps", "some", "number", "few"):
        assert ranked.weights(name), name
    assert ranked.weights("soft") == ranked.weights("one") == {}


def test_it_learns_what_can_be_told_and_stops():
    X, y = texts(40, share=0)
    crf = tagger(passes=60, average=False).fit(X, y)
    assert crf.corrections_[-1] == 0 and len(crf.corrections_) < 60
    assert crf.score(*texts(20, seed=9, share=0)) == 1


def test_averages_learn_as_well():
    X, y = texts(60)
    assert tagger(passes=10).fit(X, y).score(*texts(20, seed=9)) > 0.95


def test_the_mean_is_that_of_the_weights_after_each_proposal():
    X, y = texts(3)
    plain = {moves: tagger(passes=1, moves=moves, average=False).fit(X[:1], y[:1]) for moves in range(1, 9)}
    mean = tagger(passes=1, moves=8).fit(X[:1], y[:1])
    for name in ("word", "same"):
        for place, weight in mean.weights(name).items():
            each = [crf.weights(name).get(place, 0.0) for crf in plain.values()]
            assert weight == pytest.approx(sum(each) / 8, abs=1e-12)


def test_the_same_seed_gives_the_same_weights():
    X, y = texts(10)
    first, second = (tagger(passes=2, seed=4).fit(X, y) for _ in range(2))
    assert first.weights("word") == second.weights("word") != tagger(passes=2, seed=5).fit(X, y).weights("word")
    assert first.predict(X) == second.predict(X)


def test_predict_finds_the_best_world():
    X, y = texts(6)
    crf = tagger(passes=3).fit(X, y)
    for x, found in zip(X, crf.predict(X, sweeps=100)):
        worlds = [dict(enumerate(tags)) for tags in itertools.product(TAGS, repeat=len(x))]
        assert max(crf.difference(x, found, world) for world in worlds) <= 1e-9


# Mentions are put into groups: each move changes which pairs have a clique.

def pairs(x, world, keys):
    g = croft.Cliques()
    for m in world:
        g.variable(m, "group")
    for a, b in itertools.combinations(sorted(world), 2):
        if (a in keys or b in keys) and world[a] == world[b]:
            g.clique("together", [a, b], {"alike" if x[a][0] == x[b][0] else "different": 1})
    return g


def grouping(world):
    return {(a, b) for a, b in itertools.combinations(sorted(world), 2) if world[a] == world[b]}


def disagreement(x, world, truth):
    return len(grouping(world) ^ grouping(truth))


def mentions(count, seed):
    rng = random.Random(seed)
    X = [[rng.choice("abc") + str(k) for k in range(6)] for _ in range(count)]
    return X, [{m: "g" + str("abc".index(each[0])) for m, each in enumerate(x)} for x in X]


def test_moves_change_which_cliques_there_are():
    groups = ["g0", "g1", "g2", "g3", "g4", "g5"]
    crf = croft.RankedCRF(pairs, start=lambda x: {m: groups[m] for m in range(len(x))}, domains={"group": groups},
                          templates={"together": croft.Template(["group", "group"], "same")}, loss=disagreement,
                          passes=30)
    crf.fit(*mentions(10, 1))
    weights = crf.weights("together")
    assert weights["alike", ()] > 0 > weights["different", ()]
    X, y = mentions(10, 2)
    for found, truth in zip(crf.predict(X), y):
        assert grouping(found) == grouping(truth)


def test_proposals_may_add_and_remove_variables():
    """Each letter of a word is a variable only while it is marked."""
    def propose(x, world, rng):
        t = rng.randrange(len(x))
        return {t: None if t in world else "on"}

    def letters(x, world, keys):
        g = croft.Cliques()
        for t in keys:
            g.variable(t, "mark")
            g.clique("letter", [t], {x[t]: 1})
        return g

    crf = croft.RankedCRF(letters, start=lambda x: {}, domains={"mark": ["on"]}, moves=20, propose=propose,
                          templates={"letter": croft.Template(["mark"])})
    X = ["banana", "nab", "abba"]
    y = [{t: "on" for t, c in enumerate(word) if c == "a"} for word in X]
    crf.fit(X, y)
    assert crf.predict(["baab", "nn"], moves=400) == [{1: "on", 2: "on"}, {}]


def test_what_is_forbidden_is_left_and_not_entered():
    templates = {"word": TEMPLATES["word"], "same": croft.Template(["tag", "tag"], forbid=[("A", "A"), ("C", "B")])}
    X, _ = texts(10)
    y = [dict(enumerate(["A", "B", "C", "C", "A"]))] * 10
    crf = croft.RankedCRF(tied, start=start, domains={"tag": TAGS}, templates=templates).fit(X, y)
    for found in crf.predict(X):
        assert not {("A", "A"), ("C", "B")} & set(zip(found.values(), list(found.values())[1:]))
    assert crf.difference(X[0], {0: "B", 1: "B", 2: "B", 3: "B", 4: "A"}, {3: "A"}) == -math.inf
    assert crf.difference(X[0], start(X[0]), {0: "B"}) == math.inf


def test_weights_of_instances_scale_corrections_and_l2_shrinks():
    X, y = texts(10)
    assert tagger(passes=1).fit(X, y, sample_weight=[0] * 10).weights("word") == {}
    size = [sum(w * w for w in tagger(passes=2, l2=l2).fit(X, y).weights("word").values()) for l2 in (0, 0.3)]
    assert size[1] < size[0]


@pytest.mark.parametrize("options, data, message", [
    ({"margin": -1}, None, "margin is -1"),
    ({"step": 0}, None, "step is 0, and must be positive"),
    ({"l2": 1.0}, None, "step * l2"),
    ({"propose": lambda x, world, rng: 3}, None, "propose gave an int"),
    ({"propose": lambda x, world, rng: {0: "Q"}}, None, "has no label 'Q'"),
    ({"loss": lambda x, world, truth: math.nan}, None, "the loss of a world is nan"),
    ({}, ([["a"]], []), "X has 1 instances, y has 0"),
])
def test_what_is_wrong_is_said(options, data, message):
    X, y = data if data else texts(2)
    with pytest.raises((ValueError, TypeError)) as error:
        tagger(**options).fit(X, y)
    assert message in str(error.value)


def test_functions_that_give_the_wrong_thing_are_errors():
    X, y = texts(1)

    def fit(make, templates=TEMPLATES):
        return croft.RankedCRF(make, start=start, domains={"tag": TAGS}, templates=templates).fit(X, y)

    def unknown(x, world, keys):
        g = croft.Cliques()
        for key in ["elsewhere", *keys]:
            g.variable(key, "tag")
        return g

    with pytest.raises(TypeError, match="around gave a list"):
        fit(lambda x, world, keys: [])
    with pytest.raises(ValueError, match="'elsewhere' that is not in the world"):
        fit(unknown)
    with pytest.raises(ValueError, match="around gave no variable"):
        fit(lambda x, world, keys: croft.Cliques())
    with pytest.raises(ValueError, match="no interaction 'nand'"):
        fit(tied, {"word": croft.Template(["tag"], "nand")})
    with pytest.raises(ValueError, match="needs start"):
        croft.RankedCRF(tied, domains={"tag": TAGS}, templates=TEMPLATES).fit(X, y)
    with pytest.raises(ValueError, match="there is no template 'x'"):
        tagger().fit(X, y).weights("x")
