"""Bayesian networks: tables and edges from cases, and questions to the result."""
from __future__ import annotations

import itertools
import json
import math
import os
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Union

from . import _core
from ._params import check_count, mapping
from .estimator import TrainingLog, warn_if_interrupted
from .case_columns import columns_of, is_missing, state_text
from .graph import Evidence, FactorGraph, Inference, _at_least
from .slice_stream import SliceStream

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Case = Mapping[str, Optional[str]]
# Cases: a sequence of {variable: state}, a pandas DataFrame, {variable: column}, or a two-dimensional array whose
# columns are the network's variables.
Cases = Any


def _place_of_state(state: str) -> tuple[bool, float, str]:
    try:
        number = float(state)
    except ValueError:
        number = math.nan
    return (False, number, state) if math.isfinite(number) else (True, 0.0, state)


class BayesNet:
    """p(x) = product over variables of p(x_v | its parents), a table for each.

        net = croft.BayesNet({"rain": ["no", "yes"], "wet": ["no", "yes"]}, parents={"wet": ["rain"]})
        net.fit([{"rain": "yes", "wet": "yes"}, {"rain": "no", "wet": None}, ...], smoothing=1)
        net.infer(evidence={"wet": "yes"}).marginals["rain"]

    states   {variable: [state, ...]}, names
    parents  {variable: [parent, ...]}; variables that are not in it have none

    Before fit() all rows of the tables are uniform.  Directed cycles and unknown names raise ValueError.
    """

    def __init__(self, states: Mapping[str, Sequence[str]],
                 parents: Optional[Mapping[str, Sequence[str]]] = None) -> None:
        names = list(mapping("states", states))
        for each in itertools.chain(names, *states.values()):
            if not isinstance(each, str):
                raise TypeError(f"{each!r} names a variable or a state, and a str was expected")
        number = {name: v for v, name in enumerate(names)}
        parents = mapping("parents", parents or {})
        for name, of in parents.items():
            for each in (name, *of):
                if each not in number:
                    raise ValueError(f"there is no variable {each!r}")
            if name in of or len(set(of)) < len(of):
                raise ValueError(f"{name!r} is a parent of its own, or has one twice: {list(of)}")
        self._set(_core.bayes_net(names, [list(states[name]) for name in names],
                                  [[number[each] for each in parents.get(name, [])] for name in names]))

    @classmethod
    def read(cls, path: Union[str, os.PathLike[str]]) -> BayesNet:
        """Of a file in BIF, XMLBIF, Hugin's .net, GeNIe's .xdsl, or UAI's BAYES, without decisions."""
        native = _core.Graph.read(os.fspath(path), None)
        if not native.directed:
            raise ValueError(f"{os.fspath(path)} is no Bayesian network: it must be BIF, XMLBIF, .net, .xdsl, or "
                             "UAI's BAYES")
        return cls.from_bif(native.write("bif"))

    @classmethod
    def from_cases(cls, X: Cases) -> BayesNet:
        """The variables of cases, with the states that they have there and no edges.

        X  a sequence of {variable: state}, a DataFrame, or {variable: column}

        States that are numbers come first, by value; then the others, by their characters."""
        if getattr(X, "shape", None) is not None and not hasattr(X, "columns"):
            raise TypeError("the columns of an array have no names: give a DataFrame, or {variable: column}")
        columns = columns_of(X, [])
        cells = ([cell for n, case in enumerate(X) for cell in mapping(f"case {n}", case).items()] if columns is None
                 else [(name, value) for name, column in columns.items() for value in column])
        states: dict[str, set[str]] = {}
        for name, value in cells:
            of = states.setdefault(name, set())
            if not is_missing(value):
                of.add(value if isinstance(value, str) else state_text(value))
        for name, of in states.items():
            if not of:
                raise ValueError(f"{name!r} has no state in any case; leave it out")
        return cls({name: sorted(of, key=_place_of_state) for name, of in states.items()})

    @classmethod
    def from_bif(cls, text: str) -> BayesNet:
        net = cls.__new__(cls)
        net._set(_core.Graph.parse(text, "bif").write("bif"))
        return net

    def to_bif(self) -> str:
        """The text of a BIF file; its numbers keep all their digits."""
        return self._text

    def write(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes it in BIF."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._text)

    # --- Training ------------------------------------------------------------------------------
    def fit(self, X: Cases, *, smoothing: float = 0.0, em_iterations: int = 100, tolerance: float = 1e-6,
            starts: Optional[int] = None, from_tables: bool = False, holdout: Optional[float] = None,
            early_stop: int = 0, seed: int = 1, threads: int = 1,
            checkpoint: Union[None, str, os.PathLike[str]] = None, resume: bool = False,
            checkpoint_interval: float = 30.0, learn_structure: Optional[str] = None,
            network_score: Optional[str] = None, equivalent_sample_size: Optional[float] = None,
            max_parents: Optional[int] = None, tabu: Optional[int] = None, significance: Optional[float] = None,
            bootstrap: Optional[int] = None,
            callback: Optional[Callable[[dict[str, Any]], Optional[bool]]] = None) -> BayesNet:
        """Estimates the tables, by counting where every value is known, by EM where some are missing.

        X              cases: a sequence of {variable: state}, a DataFrame, {variable: column}, or an array whose
                       columns are the variables in their order; what is absent, None or NaN is not known
        smoothing      pseudo-counts, added to each cell; 0 is maximum likelihood
        em_iterations, tolerance, starts  of EM: steps at most; it stops where it gains less than this share of
                       its objective; the best start is kept (1)
        from_tables    EM starts from the tables that are there, hill climbing from the edges
        holdout        a fraction of X to set aside, whose log-likelihood the result has
        early_stop     EM stops after so many steps without a better one; 0: never
        threads        changes no result
        checkpoint, resume, checkpoint_interval  a folder that EM keeps its state in, whether to go on from it,
                       seconds between two states
        learn_structure  the edges are learnt, too, of the cases whose values are all known: "hill-climbing" (by
                       score, with a tabu list and 10 `starts`), "exact" (the best score, up to 20 variables) or "pc"
                       (tests of independence)
        network_score  of the first two: "bic" (default) or "bdeu", whose prior weighs as
                       `equivalent_sample_size` cases (1)
        max_parents    parents that a variable may have; of pc: variables that a test is given
        tabu           of hill climbing: steps for which a changed edge is left alone (10)
        significance   of pc: variables are independent where the p-value is above (0.01)
        bootstrap      samples of X from which the structure is learnt, too, for `edge_confidence_`
        callback       gets {"start", "iteration", "objective", "log_likelihood"} after each E step; False
                       stops EM and keeps the tables

        Sets `fit_`: {"log_likelihood", "objective", "iterations", "converged", "parameters", "unseen_rows", and with
        a holdout "holdout_log_likelihood"; with learn_structure "structure_score", "edges", "left_out"}, and with
        bootstrap `edge_confidence_`: a list of (from, to, share of the samples with an edge between the two, share of
        these in which it goes this way).
        """
        options = {"smoothing": smoothing, "em_iterations": em_iterations, "tolerance": tolerance, "starts": starts,
                   "holdout": holdout, "early_stop": early_stop or None, "seed": seed, "threads": threads,
                   "checkpoint": checkpoint, "resume": resume,
                   "checkpoint_interval": checkpoint_interval if checkpoint is not None else None,
                   "learn_structure": learn_structure, "network_score": network_score,
                   "equivalent_sample_size": equivalent_sample_size, "max_parents": max_parents, "tabu": tabu,
                   "significance": significance, "bootstrap": bootstrap}
        text, self.fit_ = _core.train_bayes_net(self._text, self._rows(X), options, from_tables,
                                                TrainingLog().watching(callback))
        self._set(text)
        confidence = self.fit_.pop("edge_confidence", None)
        if bootstrap is not None:
            self.edge_confidence_ = confidence
        warn_if_interrupted(self.fit_)
        return self

    def log_likelihood(self, X: Cases) -> float:
        """sum of log p(what is known of a case), nats; -inf where a case is impossible."""
        return _core.bayes_net_log_likelihood(self._text, self._rows(X))

    # --- Predictions ---------------------------------------------------------------------------
    def predict_proba(self, X: Cases, target: str, *, threads: int = 1) -> NDArray[np.float64]:
        """p(target | what else a case knows), (cases, states of the target), exact; NaN where a case is
        impossible.  What cases know of the target is left aside."""
        import numpy as np
        check_count("threads", threads, 0, 1024)
        v = self._number(target)
        p = _core.bayes_net_posteriors(self._text, self._rows(X), v, threads)
        unknown = [float("nan")] * len(self._graph.states(target))
        return np.array([each or unknown for each in p]).reshape(len(p), len(unknown))

    def predict(self, X: Cases, target: str, *, threads: int = 1) -> list[Optional[str]]:
        """The most probable state of the target in each case; None where a case is impossible."""
        states = [str(each) for each in self._graph.states(target)]
        return [None if p[0] != p[0] else states[p.argmax()] for p in self.predict_proba(X, target, threads=threads)]

    def evaluate(self, X: Cases, target: Optional[str] = None, *, threads: int = 1) -> dict[str, Any]:
        """{"cases", "impossible", "log_likelihood", "parameters", "bic"}, and with a target "target": accuracy,
        log-loss, F1 of each state, "confusion", "auc"; as `croft evaluate -m net.bif --json` has it."""
        check_count("threads", threads, 0, 1024)
        v = None if target is None else self._number(target)
        return json.loads(_core.bayes_net_evaluation(self._text, self._rows(X), v, threads))

    # --- What is there -------------------------------------------------------------------------
    @property
    def graph(self) -> FactorGraph:
        """The network as a factor graph: a copy."""
        return FactorGraph._of(_core.Graph.parse(self._text, "bif"))

    def parents(self, variable: str) -> list[str]:
        return [str(each) for each in self._graph.scope(self._factor(variable))[:-1]]

    @property
    def edges(self) -> list[tuple[str, str]]:
        """(parent, child) of each."""
        return [(parent, str(name)) for name in self._graph.variables for parent in self.parents(str(name))]

    def structural_distance(self, truth: BayesNet) -> dict[str, int]:
        """How its edges differ from another network's, up to what independence tells apart.

        {"missing": edges that only `truth` has, "extra": that only this one has, "turned": of another direction,
        "total": the structural Hamming distance of the two classes of equivalent networks}
        """
        return _core.bayes_net_distance(self._text, truth.to_bif())

    def table(self, variable: str) -> NDArray[np.float64]:
        """p(variable | parents), (states of the first parent, ..., states of the variable)."""
        import numpy as np
        return np.exp(self._graph.table(self._factor(variable)))

    def infer(self, task: str = "marginals", method: str = "auto", **options: Any) -> Inference:
        """:meth:`FactorGraph.infer` of the network."""
        return self._graph.infer(task, method, **options)

    # --- Two slices of time --------------------------------------------------------------------
    def stream(self, *, endings: Sequence[str] = ("_0", "_1"), history: Optional[int] = 0) -> SliceStream:
        """A stream of evidence, if this is a network of two slices: the tables of rain_0 are those of the first
        slice, and those of rain_1, whose parents may be in both, of all later ones.

        endings  what the names of the variables of the first and of the next slice end in
        history  how many slices before the present one smoothing may ask for; None: all, with memory that grows
        """
        return SliceStream(self._text, endings, history)

    def best_path(self, rows: Sequence[Evidence], *,
                  endings: Sequence[str] = ("_0", "_1")) -> tuple[list[dict[str, str]], float]:
        """The most probable states of all slices, given the evidence of each, and their log-probability together
        with the evidence."""
        slices = self.stream(endings=endings)._graph
        first, second = endings
        log_score, path = _core.best_path(self._text, (first, second), [slices._findings(row or {}) for row in rows])
        return [{str(name): str(state) for name, state in slices._assignment(x).items()} for x in path], log_score

    def unroll(self, slices: int, *, endings: Sequence[str] = ("_0", "_1")) -> BayesNet:
        """The plain network of so many slices, of variables rain_0, rain_1, rain_2, ..."""
        first, second = endings
        return BayesNet.from_bif(_core.unrolled(self._text, (first, second), _at_least("slices", slices, 1)))

    def __repr__(self) -> str:
        return f"BayesNet({len(self._graph.variables)} variables)"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_") or name == "_text"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._set(self._text)

    def _set(self, text: str) -> None:
        self._text = text
        self._graph = self.graph
        self._factors = {self._graph.scope(f)[-1]: f for f in range(self._graph.factors)}

    def _factor(self, variable: str) -> int:
        if variable not in self._factors:
            raise ValueError(f"there is no variable {variable!r}")
        return self._factors[variable]

    def _number(self, variable: str) -> int:
        self._factor(variable)
        return self._graph.variables.index(variable)

    def _rows(self, X: Cases) -> list[list[int]]:
        names = [str(name) for name in self._graph.variables]
        place = {name: v for v, name in enumerate(names)}
        state = [{name: s for s, name in enumerate(self._graph.states(each))} for each in names]

        def number(n: int, name: str, value: Any) -> int:
            if name not in place:
                raise ValueError(f"case {n}: there is no variable {name!r}")
            if isinstance(value, str):
                found = state[place[name]].get(value)
            elif is_missing(value):
                return -1
            else:
                found = state[place[name]].get(state_text(value))
            if found is None:
                raise ValueError(f"case {n}: {name!r} has no state {value!r}; it has {list(state[place[name]])}")
            return found

        columns = columns_of(X, names)
        if columns is None:
            rows = []
            for n, case in enumerate(X):
                row = [-1] * len(names)
                for name, value in mapping(f"case {n}", case).items():
                    row[place.get(name, 0)] = number(n, name, value)
                rows.append(row)
            return rows
        count = len(next(iter(columns.values()))) if columns else 0
        rows = [[-1] * len(names) for _ in range(count)]
        for name, column in columns.items():
            for n, value in enumerate(column):
                rows[n][place.get(name, 0)] = number(n, name, value)
        return rows
