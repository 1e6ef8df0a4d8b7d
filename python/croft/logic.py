"""Markov logic networks: probabilities of atoms, the best world, and weights, from rules and facts in files."""
from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

from . import _core
from ._params import check_count, check_run, warn

if TYPE_CHECKING:
    import pandas as pd

Path = Union[str, "os.PathLike[str]"]


@dataclass
class LogicAnswer:
    """What :meth:`Logic.infer` found."""

    task: str
    method: str
    kind: str
    """exact, estimate, or a bound"""
    converged: bool
    seconds: float
    ground_atoms: int
    ground_clauses: int
    atoms: dict[str, float]
    """{"Smokes(Anna)": probability}; of the task map 1.0 or 0.0"""
    standard_errors: dict[str, float] = field(default_factory=dict)
    """Of estimated probabilities."""
    known: frozenset[str] = frozenset()
    """Atoms that the evidence decides."""
    log_partition: Optional[float] = None
    cost: Optional[float] = None
    """Of the task map: the weight that the world misses."""
    clause_cost: Optional[float] = None
    """Of the cost, the part that the evidence has not decided."""
    effective_samples: Optional[float] = None
    reason: str = ""
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def world(self) -> set[str]:
        """Of the task map: the atoms that are true."""
        return {atom for atom, truth in self.atoms.items() if truth == 1.0}

    def table(self) -> pd.DataFrame:
        """A row for each atom: atom, probability, known, and standard_error where there is one."""
        import pandas
        columns: dict[str, Any] = {"atom": list(self.atoms), "probability": list(self.atoms.values()),
                                   "known": [atom in self.known for atom in self.atoms]}
        if self.standard_errors:
            columns["standard_error"] = [self.standard_errors.get(atom, 0.0) for atom in self.atoms]
        return pandas.DataFrame(columns)


class Logic:
    """A Markov logic network (.mln) with databases of facts (.db); `croft logic` in Python.

        friends = croft.Logic("friends.mln", ["friends.db"])
        friends.infer("marginals", "Cancer").atoms["Cancer(Anna)"]
        friends.infer("map", "Smokes, Cancer").world

    Predicates of a query are open, and those of which the databases say nothing; `open` and `closed` name others.
    weights: "formula" or "clausal", what a weight means; None: formula, with the dialect alchemy clausal.
    soft_hard: hard rules become soft ones of this weight.
    """

    def __init__(self, network: Path, evidence: Sequence[Path] = (), *, dialect: str = "any",
                 weights: Optional[str] = None, soft_hard: Optional[float] = None, open: Sequence[str] = (),
                 closed: Sequence[str] = ()) -> None:
        self._native = _core.Logic(os.fspath(network), [os.fspath(each) for each in evidence], dialect, weights,
                                   soft_hard, list(open), list(closed))

    @property
    def text(self) -> str:
        """The network as a file has it, with all brackets."""
        return self._native.text

    @property
    def warnings(self) -> list[str]:
        """Of the network as it was read."""
        return self._native.warnings

    def infer(self, task: str = "marginals", query: str = "", *, method: str = "auto", memory: float = 0,
              time: Optional[float] = None, tolerance: Optional[float] = None, max_iterations: Optional[int] = None,
              grounding: str = "auto", settings: Optional[Mapping[str, object]] = None, seed: int = 1,
              threads: int = 1) -> LogicAnswer:
        """marginals, map or partition of the atoms of `query`: "Cancer, Friends(Anna, x)"; empty: of all open ones.

        Methods, memory (bytes), time (seconds), grounding ("auto", "lazy", "full") and settings are those of
        `croft logic`."""
        check_run(seed, threads, max_iterations)
        pairs = [(name, str(value)) for name, value in (settings or {}).items()]
        answer = json.loads(self._native.infer(query, task, method, memory, time, tolerance, max_iterations, pairs,
                                               seed, threads, grounding))
        atoms = answer.pop("atoms", [])
        values = {each["atom"]: float(each.get("probability", each.get("true", 0))) for each in atoms}
        errors = {each["atom"]: float("nan") if each["standard_error"] is None else each["standard_error"]
                  for each in atoms if "standard_error" in each}
        known = frozenset(each["atom"] for each in atoms if each["known"])
        return LogicAnswer(atoms=values, standard_errors=errors, known=known, **answer)

    def learn(self, query: str, output: Path, *, objective: str = "pseudo-likelihood", l2: float = 0,
              prior: str = "zero", worlds: Sequence[Path] = (), hidden: Sequence[str] = (),
              max_iterations: Optional[int] = None, settings: Optional[Mapping[str, object]] = None, seed: int = 1,
              threads: int = 1) -> list[float]:
        """Weights of the soft rules, learnt from the databases; the network with them goes to the file `output`.

        Of the predicates of `query`, atoms that no database names are false.  objective, settings: those of
        `croft logic --learn`.  prior: where l2 pulls the weights to, "zero" or what is "written".  worlds: databases
        that are worlds of their own, in each of which the facts of the evidence are true.  hidden: predicates whose
        atoms are not known where no database names them."""
        if prior not in ("zero", "written"):
            raise ValueError(f"prior is {prior!r}; it is 'zero' or 'written'")
        check_run(seed, threads, max_iterations)
        pairs = [(name.replace("_", "-"), str(value)) for name, value in (settings or {}).items()]
        weights, _, _, _, _, found = self._native.learn(
            query, os.fspath(output), objective, l2, prior == "written", max_iterations,
            [os.fspath(each) for each in worlds], list(hidden), pairs, seed, threads)
        for warning in found:
            warn(warning)
        return weights

    def learn_structure(self, query: str, output: Path, *, beam: int = 20, literals: int = 4, variables: int = 4,
                        clauses: int = 10, least_gain: float = 3, groundings: float = 300_000,
                        l2: float = 0.1) -> list[tuple[str, float]]:
        """Clauses that tell atoms of `query` from all others, beside the rules that are there, by a beam search.

        Each with the log-pseudo-likelihood that it leads to; the first has no clause.  The network goes to the file
        `output`.  The options are the settings of `croft logic --learn-structure`."""
        for name, value in (("beam", beam), ("literals", literals), ("variables", variables), ("clauses", clauses)):
            check_count(name, value, 0)
        return self._native.learn_structure(query, os.fspath(output), beam, literals, variables, clauses, least_gain,
                                            groundings, l2)

    def inspect(self) -> pd.DataFrame:
        """A row for each rule: rule, weight (NaN: hard), groundings, and how many the evidence makes true."""
        import pandas
        rules = json.loads(self._native.inspect())["rules"]
        return pandas.DataFrame({"rule": [each["rule"] for each in rules],
                                 "weight": [each.get("weight", float("nan")) for each in rules],
                                 "hard": [each["hard"] for each in rules],
                                 "groundings": [int(each["groundings"]) for each in rules],
                                 "true": [int(each["true"]) for each in rules]})

    def explain(self, atom: str, query: str = "", *, picture: Optional[Path] = None, method: str = "auto",
                max_iterations: Optional[int] = None, seed: int = 1, threads: int = 1) -> pd.DataFrame:
        """Which ground clauses speak for the atom (amount > 0) and against it, all others given as in the best world.

        The amounts add up to the atom's log-odds there; hard clauses have an infinite one.  An atom that the evidence
        decides has none.  query: what is open, as for :meth:`infer`; empty: the atom's predicate.  picture: a file
        (.svg) for the ground network around the atom."""
        check_run(seed, threads, max_iterations)
        import pandas
        found = json.loads(self._native.explain(atom, query, None if picture is None else os.fspath(picture), method,
                                                max_iterations, seed, threads))
        amounts = [each["amount"] if "amount" in each else math.inf if each["hard"] == "demands" else -math.inf
                   for each in found["reasons"]]
        return pandas.DataFrame({"amount": amounts, "clause": [each["clause"] for each in found["reasons"]],
                                 "rule": [each["rule"] for each in found["reasons"]]})
