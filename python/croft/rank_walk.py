"""RankedCRF: a CRF whose weights are learned by ranking the two ends of moves that Python proposes."""
from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any, Callable, Hashable, Iterable, Mapping, Optional, Sequence

from ._params import BaseEstimator, a_type, mapping, raise_not_fitted
from .graph_crf import Cliques, Template

World = dict[Hashable, str]
Cell = tuple[Any, ...]  # as Template.weights names it
Counts = Counter[tuple[str, str, Cell]]

_COUNTING = ("count", "at-most", "at-least", "exactly", "exactly-one", "and", "or", "implies")


class RankedCRF(BaseEstimator):  # type: ignore[misc]
    """SampleRank: of a world and its neighbour, the one that is less wrong is to score higher.

    A world is a dict ``{key: label}``.  A move changes some of it; only the cliques around the change are asked for,
    before and after it.  So no graph is ever made as a whole, cliques may depend on the labels (an edge that exists
    only for some of them), and a move may add and remove variables.

        def around(x, world, keys):            # the cliques that the labels of keys have a part in
            g = croft.Cliques()
            near = {s for t in keys for s in (t - 1, t, t + 1) if s in world}
            for t in near:
                g.variable(t, "tag")
            for t in keys:
                g.clique("word", [t], {"word": x[t]})
            for t in sorted(near):
                if t - 1 in near and (t in keys or t - 1 in keys):
                    g.clique("next", [t - 1, t])
            return g

        crf = croft.RankedCRF(around, start=lambda x: {t: "N" for t in range(len(x))},
                              domains={"tag": ["N", "V"]}, templates={...})
        crf.fit(X, y).predict(X_test)

    Parameters
    ----------
    around : function of x, world and a list of keys
        The Cliques that have, or that exist because of, the label of any of the keys; others may be among them if
        they are among those of both ends of a move.  A key that is not in the world has no cliques.
    start : function of x
        The world where walks begin.
    domains, templates : dicts
        As of GraphCRF.  Penalties, forbidden states and given weights hold, and are not trained; "known" is not a
        template of moves.
    propose : function of x, world and a random.Random
        A move: ``{key: label}``; None removes the variable, a new key adds one.  None, or no change: no move.
        Default: another label for one variable, all alike.
    loss : function of x, world and y[n]
        How wrong a world is, a number.  Default: how many keys of either have another label in the other.
    margin : float
        Of scores, for a loss that is less by 1.
    step : float
        How far the weights go with each correction.
    l2 : float
        Each correction shrinks weights by step * l2, before it.
    passes : int
        At most; a pass without a correction ends training.
    moves : int or None
        Proposals for each instance in a pass; None: as many as its start has variables.
    average : bool
        The weights are the mean over all proposals.
    seed : int

    Attributes
    ----------
    corrections_ : list of int, by pass
    """

    _average: dict[tuple[str, str, Cell], float]

    def __init__(self, around: Optional[Callable[[Any, World, Sequence[Hashable]], Cliques]] = None, *,
                 start: Optional[Callable[[Any], Mapping[Hashable, str]]] = None,
                 domains: Optional[Mapping[str, Sequence[str]]] = None,
                 templates: Optional[Mapping[str, Template]] = None,
                 propose: Optional[Callable[[Any, World, random.Random], Any]] = None,
                 loss: Optional[Callable[[Any, World, Any], float]] = None, margin: float = 1.0, step: float = 1.0,
                 l2: float = 0.0, passes: int = 10, moves: Optional[int] = None, average: bool = True,
                 seed: int = 1) -> None:
        self.around, self.start, self.domains, self.templates = around, start, domains, templates
        self.propose, self.loss, self.margin, self.step, self.l2 = propose, loss, margin, step, l2
        self.passes, self.moves, self.average, self.seed = passes, moves, average, seed

    def fit(self, X: Sequence[Any], y: Sequence[Any], sample_weight: Optional[Sequence[float]] = None) -> RankedCRF:
        """Trains; returns self.

        y              [N] of the default loss {key: label}; otherwise whatever the loss takes
        sample_weight  [N] factors of the corrections, >= 0
        """
        if len(X) != len(y):
            raise ValueError(f"X has {len(X)} instances, y has {len(y)}")
        if sample_weight is not None and not all(0 <= float(each) < math.inf for each in sample_weight):
            raise ValueError("sample_weight has numbers that are negative or not finite")
        if sample_weight is not None and len(sample_weight) != len(X):
            raise ValueError(f"X has {len(X)} instances, sample_weight has {len(sample_weight)} numbers")
        for name, least in (("margin", 0.0), ("l2", 0.0), ("step", math.ulp(0.0))):
            if not least <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} is {getattr(self, name)}, and must be {'positive' if least else '>= 0'}")
        if self.step * self.l2 >= 1:
            raise ValueError("step * l2 must be less than 1")
        rules = self._rules()
        rng = random.Random(self.seed)
        worlds = [self._start(x) for x in X]
        weights = _Weights(self.average)
        self.corrections_: list[int] = []
        for _ in range(self.passes):
            corrections = 0
            for n, (x, truth) in enumerate(zip(X, y)):
                weight = 1.0 if sample_weight is None else float(sample_weight[n])
                for _ in range(len(worlds[n]) if self.moves is None else self.moves):
                    corrections += self._learn(x, worlds[n], truth, weight, weights, rules, rng)
            self.corrections_.append(corrections)
            if corrections == 0:
                break
        self._weights = weights.final()
        return self

    def predict(self, X: Sequence[Any], *, start: Optional[Sequence[Mapping[Hashable, str]]] = None,
                moves: Optional[int] = None, sweeps: int = 50, seed: Optional[int] = None) -> list[World]:
        """Of each instance the best world that a walk comes across, which gets colder as it goes.

        start   [N] worlds to begin with, in the place of those of the parameter
        moves   proposals; None: `sweeps` times the variables that the world has at its start
        """
        self._check_fitted()
        rules, out = self._rules(), []
        rng = random.Random(self.seed if seed is None else seed)
        for n, x in enumerate(X):
            world = self._start(x) if start is None else dict(start[n])
            count = sweeps * len(world) if moves is None else moves
            best = dict(world)
            now = least = (0.0, 0.0)  # what is forbidden and the score, relative to the start
            for k in range(count):
                move = self._move(x, world, rng, rules)
                if move is None:
                    continue
                undo, before, after, _ = move
                change = self._change(before, after, rules, self._weights)
                heat = max(1e-9, 1 - (k + 1) / count)  # from 1 to 0
                if not _accepts(change, heat, rng):
                    undo(world)
                    continue
                now = now[0] + change[0], now[1] + change[1]
                if (now[0], -now[1]) < (least[0], -least[1]):
                    best, least = dict(world), now
            out.append(best)
        return out

    def score(self, X: Sequence[Any], y: Sequence[Mapping[Hashable, str]]) -> float:
        """The share of y's labels that predict gets right."""
        right = sum(world.get(key) == str(label)
                    for world, truth in zip(self.predict(X), y) for key, label in truth.items())
        return right / sum(len(truth) for truth in y)

    def difference(self, x: Any, world: Mapping[Hashable, str], move: Mapping[Hashable, Optional[str]]) -> float:
        """The score after a move less that before it; -inf: it leads to what is forbidden, inf: out of it."""
        self._check_fitted()
        rules, copy = self._rules(), dict(world)
        made = self._apply(x, copy, move, rules)
        if made is None:
            return 0.0
        forbidden, theta = self._change(made[1], made[2], rules, self._weights)
        return theta if forbidden == 0 else -math.copysign(math.inf, forbidden)

    def weights(self, template: str) -> dict[tuple[str, Cell], float]:
        """{(feature, cell): weight} of a template; cells are named as in Template.weights."""
        self._check_fitted()
        if template not in self._rules():
            raise ValueError(f"there is no template {template!r}; there are {', '.join(self._rules())}")
        return {(feature, cell): w for (t, feature, cell), w in self._weights.items() if t == template}

    def as_templates(self) -> dict[str, Template]:
        """The templates with these weights as given ones: for a GraphCRF, where graphs do not depend on labels."""
        self._check_fitted()
        out = {}
        for name, t in mapping("templates", self.templates).items():
            if t.penalty is None and t.weights is None:
                given = {(feature, *cell): w for (feature, cell), w in self.weights(name).items()}
                t = Template(t.domains, t.interaction, t.listed, t.states, t.k, t.counts, t.share, t.forbid,
                             weights=given)
            out[name] = t
        return out

    def _check_fitted(self) -> None:
        if not hasattr(self, "_weights"):
            raise_not_fitted(self)

    def _rules(self) -> dict[str, _Rule]:
        if not self.domains or not self.templates:
            raise ValueError("a RankedCRF needs domains and templates")
        self._labels = {name: [str(label) for label in labels] for name, labels in self.domains.items()}
        return {name: _Rule(name, t, self._labels) for name, t in mapping("templates", self.templates).items()}

    def _start(self, x: Any) -> World:
        if self.start is None:
            raise ValueError("a RankedCRF needs start, a function that gives a world of an instance")
        return {key: str(label) for key, label in self.start(x).items()}

    def _around(self, x: Any, world: World, keys: Sequence[Hashable]) -> Cliques:
        if self.around is None:
            raise ValueError("a RankedCRF needs around, a function that gives the Cliques around some variables")
        made = self.around(x, world, keys)
        if not isinstance(made, Cliques):
            raise TypeError(f"around gave {a_type(made)}, and croft.Cliques were expected")
        return made

    def _cliques(self, x: Any, world: World, keys: Sequence[Hashable], rules: Mapping[str, _Rule]) -> Counts:
        """How often each cell of each feature is used around the keys; (template, "", ()): a constraint is broken."""
        made = self._around(x, world, keys)
        out: Counts = Counter()
        for key, domain in made._variables:
            if key not in world:
                raise ValueError(f"around gave a variable {key!r} that is not in the world")
            if domain not in self._labels:
                raise ValueError(f"variable {key!r}: there is no domain {domain!r}")
            if world[key] not in self._labels[domain]:
                raise ValueError(f"the domain {domain!r} has no label {world[key]!r}; it has {self._labels[domain]}")
        for template, variables, features in made._cliques:
            if template not in rules:
                raise ValueError(f"there is no template {template!r}; there are {', '.join(rules)}")
            places = [[world[made._variables[v][0]] for v in (each if isinstance(each, list) else [each])]
                      for each in variables]
            rules[template].add(places, [("(bias)", 1.0)] if features is None else features, out)
        return out

    def _move(self, x: Any, world: World, rng: random.Random, rules: Mapping[str, _Rule]) -> Optional[_Made]:
        if self.propose is None:
            move = self._relabel(x, world, rng)
        else:
            move = self.propose(x, world, rng)
            if move is None:
                return None
            if not isinstance(move, Mapping):
                raise TypeError(f"propose gave {a_type(move)}, and a dict of labels by keys was expected")
        return self._apply(x, world, move, rules)

    def _relabel(self, x: Any, world: World, rng: random.Random) -> World:
        """Another label for one variable."""
        if not world:
            return {}
        key = rng.choice(list(world))
        for k, domain in self._around(x, world, [key])._variables:
            if k == key:
                others = [label for label in self._labels[domain] if label != world[key]]
                return {key: rng.choice(others)} if others else {}
        raise ValueError(f"around gave no variable {key!r} when asked for its cliques")

    def _apply(self, x: Any, world: World, move: Mapping[Hashable, Optional[str]],
               rules: Mapping[str, _Rule]) -> Optional[_Made]:
        """Makes the move; how it went."""
        changed = {key: None if label is None else str(label) for key, label in move.items()}
        changed = {key: label for key, label in changed.items() if world.get(key) != label}
        if not changed:
            return None
        kept = {key: world.get(key) for key in changed}
        order = list(world) if any(label is None for label in changed.values()) else None
        before = self._cliques(x, world, [key for key in changed if key in world], rules)
        _set(world, changed)
        after = self._cliques(x, world, [key for key in changed if key in world], rules)

        def undo(made: World) -> None:
            _set(made, kept)
            if order is not None:  # a removed key is where it was: draws of keys depend on their order
                labels = dict(made)
                made.clear()
                made.update((key, labels[key]) for key in order)
        return undo, before, after, kept

    @staticmethod
    def _change(before: Counts, after: Counts, rules: Mapping[str, _Rule],
                weights: Mapping[tuple[str, str, Cell], float]) -> tuple[float, float]:
        """Of what is forbidden how much more there is after the move, and theta(after) - theta(before) of the rest."""
        forbidden = theta = 0.0
        for sign, counts in ((-1, before), (1, after)):
            for place, count in counts.items():
                score = rules[place[0]].score(place, count, weights)
                if score == -math.inf:
                    forbidden += sign * count
                else:
                    theta += sign * score
        return forbidden, theta

    def _learn(self, x: Any, world: World, truth: Any, weight: float, weights: _Weights,
               rules: Mapping[str, _Rule], rng: random.Random) -> bool:
        """One proposal; whether it led to a correction."""
        weights.tick()
        loss = 0.0 if self.loss is None else self._loss_of(x, world, truth)
        move = self._move(x, world, rng, rules)
        if move is None:
            return False
        undo, before, after, kept = move
        if self.loss is None:  # by how much the new world is
            less_wrong = _wrong(kept, truth) - _wrong({key: world.get(key) for key in kept}, truth)
        else:
            less_wrong = loss - self._loss_of(x, world, truth)
        change = self._change(before, after, rules, weights.now)
        theta = change[1]
        lead, least = (theta, self.margin * less_wrong) if less_wrong > 0 else (-theta, -self.margin * less_wrong)
        # What is forbidden teaches nothing of weights.
        correct = less_wrong != 0 and change[0] == 0 and weight > 0 and not (lead >= least and lead > 0)
        if correct:
            sign = self.step * weight * (1 if less_wrong > 0 else -1)
            weights.shrink(1 - self.step * self.l2)
            for place in [*after, *before]:
                d = after[place] - before[place]
                if d and rules[place[0]].trained:
                    weights.add(place, sign * d)
                after[place] = before[place] = 0  # once, also where both have it
        if not _accepts(change, 1.0, rng):
            undo(world)
        return correct

    def _loss_of(self, x: Any, world: World, truth: Any) -> float:
        found = float(self.loss(x, world, truth))  # type: ignore[misc]
        if not math.isfinite(found):
            raise ValueError(f"the loss of a world is {found}, and must be a number")
        return found


# What undoes a move, the counts before and after it, and the labels that it has changed (None: there was none).
_Made = tuple[Callable[[World], None], Counts, Counts, dict[Hashable, Optional[str]]]


def _wrong(labels: Mapping[Hashable, Optional[str]], truth: Any) -> float:
    """How many have another label, or none, in the truth."""
    if not isinstance(truth, Mapping):
        raise TypeError(f"y has {a_type(truth)}, and a dict of labels by keys was expected; or give a loss")
    return float(sum(label != (str(truth[key]) if key in truth else None) for key, label in labels.items()))


def _set(world: World, labels: Mapping[Hashable, Optional[str]]) -> None:
    for key, label in labels.items():
        if label is None:
            world.pop(key, None)
        else:
            world[key] = label


def _accepts(change: tuple[float, float], heat: float, rng: random.Random) -> bool:
    """Metropolis' rule, by the score where as much is forbidden as before."""
    forbidden, theta = change
    if forbidden != 0 or theta >= 0:
        return forbidden <= 0
    return rng.random() < math.exp(max(-745.0, theta / heat))


class _Weights:
    """The present weights, and the sums of their means over all ticks (brought up to date when a weight moves)."""

    def __init__(self, average: bool) -> None:
        self.now: dict[tuple[str, str, Cell], float] = {}
        self._sum: dict[tuple[str, str, Cell], float] = {}
        self._seen: dict[tuple[str, str, Cell], int] = {}
        self._ticks, self._average = 0, average

    def tick(self) -> None:
        self._ticks += 1

    def _settle(self, place: tuple[str, str, Cell]) -> None:
        # ticks - 1: the correction counts from the proposal that brought it on
        past = self._ticks - 1 - self._seen.get(place, 0)
        self._sum[place] = self._sum.get(place, 0.0) + past * self.now.get(place, 0.0)
        self._seen[place] = self._ticks - 1

    def add(self, place: tuple[str, str, Cell], by: float) -> None:
        self._settle(place)
        self.now[place] = self.now.get(place, 0.0) + by

    def shrink(self, factor: float) -> None:
        if factor == 1:
            return
        for place in self.now:
            self._settle(place)
            self.now[place] *= factor

    def final(self) -> dict[tuple[str, str, Cell], float]:
        if not self._average or self._ticks == 0:
            return dict(self.now)
        self._ticks += 1
        for place in self.now:
            self._settle(place)
        return {place: total / (self._ticks - 1) for place, total in self._sum.items()}


class _Rule:
    """A template: which cell each clique is in."""

    def __init__(self, name: str, t: Template, domains: Mapping[str, list[str]]) -> None:
        if not isinstance(t, Template):
            raise TypeError(f"templates[{name!r}] is {a_type(t)}, and a croft.Template was expected")
        if t.interaction == "known":
            raise ValueError(f"template {name!r}: a known label is one that no move changes; leave 'known' out")
        self._name, self._t, self._kind = name, t, t.interaction
        kinds = ("table", "same", "same-label", "ordinal", "list", *_COUNTING)
        if self._kind not in kinds:
            raise ValueError(f"template {name!r}: there is no interaction {self._kind!r}; there are {', '.join(kinds)}")
        self._names = [d if isinstance(d, str) else d[0] for d in t.domains]
        for domain in self._names:
            if domain not in domains:
                raise ValueError(f"template {name!r}: there is no domain {domain!r}")
        self._labels = [domains[d] for d in self._names]
        self.trained = t.penalty is None and t.weights is None
        self._forbidden = {tuple(str(label) for label in joint) for joint in t.forbid}
        self._listed = {tuple(str(label) for label in joint) for joint in t.listed}
        self._group = {tuple(map(str, joint)): tuple(map(str, group[0])) for group in t.share for joint in group}
        self._given: dict[tuple[str, Cell], float] = {}
        for key, weight in (t.weights or {}).items():
            cell = key[1:] if self._kind in _COUNTING else tuple(map(str, key[1:]))
            if cell and self._kind not in _COUNTING:
                cell = self._canonical(cell)
            self._given[str(key[0]), cell] = float(weight)
        if self._kind in _COUNTING:
            each = [t.states] * len(self._names) if t.states and isinstance(t.states[0], str) else list(t.states)
            if len(each) != len(self._names):
                raise ValueError(f"template {name!r}: states has a list for each of the variables, or one for all")
            self._counts = [{str(label) for label in labels} for labels in each]
            self._from = sorted(t.counts)

    def add(self, places: Sequence[Sequence[str]], features: Iterable[tuple[str, float]], out: Counts) -> None:
        if len(places) != len(self._names):
            raise ValueError(f"template {self._name!r} is of {len(self._names)} variables, a clique has {len(places)}")
        cell, forbidden = self._cell(places)
        if forbidden:
            out[self._name, "", ()] += 1
        elif cell is not None and self._t.penalty is None:
            for feature, value in features:
                out[self._name, feature, cell] += value  # type: ignore[assignment]

    def score(self, place: tuple[str, str, Cell], count: float,
              weights: Mapping[tuple[str, str, Cell], float]) -> float:
        if count == 0:
            return 0.0
        if place[1] == "" and place[2] == () and (self._t.penalty is not None or self._forbidden):
            return -count * (math.inf if self._t.penalty is None else self._t.penalty)
        if self._t.weights is not None:
            return count * self._given.get(place[1:], 0.0)
        return count * weights.get(place, 0.0)

    def _cell(self, places: Sequence[Sequence[str]]) -> tuple[Optional[Cell], bool]:
        """The cell, None where there is none, and whether the clique breaks a constraint."""
        if self._kind in _COUNTING:
            counted = [sum(label in counts for label in place) for place, counts in zip(places, self._counts)]
            total, size = sum(counted), sum(len(place) for place in places)
            if self._kind == "count":
                return (max((c for c in self._from if c <= total), default=0),), False
            k = 1 if self._t.k is None else self._t.k
            holds = {"at-most": total <= k, "at-least": total >= k, "exactly": total == k, "exactly-one": total == 1,
                     "and": total == size, "or": total > 0,
                     "implies": counted[-1] > 0 or
                     any(c < len(place) for c, place in zip(counted[:-1], places[:-1]))}[self._kind]
            return (() if holds else None), self._t.penalty is not None and not holds
        labels = tuple(label for place in places for label in place)
        if len(labels) != len(self._names):
            raise ValueError(f"template {self._name!r}: a clique of the interaction {self._kind!r} has no lists")
        if labels in self._forbidden:
            return None, True
        alike = len(set(labels)) == 1
        if self._kind in ("same", "same-label") and not alike:
            return None, False
        if self._kind == "list" and labels not in self._listed:
            return None, False
        if self._kind == "ordinal" and alike:
            return None, False
        return self._canonical(labels), False

    def _canonical(self, labels: Cell) -> Cell:
        """One joint state for all of a cell."""
        if self._kind == "same":
            return ()
        if self._kind == "ordinal":
            first = self._labels[0]
            return first[0], first[abs(first.index(labels[0]) - first.index(labels[1]))]
        return self._group.get(labels, labels)
