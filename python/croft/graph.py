"""Factor graphs: variables of finitely many states, factors that score them, questions to both."""
from __future__ import annotations

import hashlib
import json
import numbers
import os
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Hashable, Mapping, NamedTuple, Optional, Sequence, Union

from . import _core
from ._graph_counts import CountingFactors
from ._params import mapping, warn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Name = Union[str, int]
# {variable: state}, or {variable: likelihoods of its states} for a finding that leaves doubt.
Evidence = Mapping[Name, Union[Name, Sequence[float], Mapping[Name, float]]]


class RankedAssignment(NamedTuple):
    """One of the K best: {variable: state}, its log-score, and p where the method has log Z, else None."""

    assignment: dict[Name, Name]
    log_score: float
    probability: Optional[float]


@dataclass(frozen=True)
class Inference:
    """What :meth:`FactorGraph.infer` found; what the task or the method has not is None or empty.

    task, method      that was asked, that answered (never "auto")
    reason            of "auto": why this method
    kind              "exact", "lower bound", "upper bound" or "estimate": what `value` and the marginals are worth
    converged         whether the method came to its end
    stopped           before its end, by the callback or by `time`
    seconds           of the call
    iterations, residual  of methods that iterate; the residual is the last change, of what the method says
    log_partition     log Z, nats
    log_partition_error  its standard error, where it is estimated by draws
    log_partition_least, log_partition_most  bounds of log Z, where an estimate has them
    marginals         {variable: array (states,)} of p(variable | evidence)
    standard_errors   likewise, of methods that sample
    effective_samples by sampling: of the state that has the fewest
    assignment        {variable: state}; states by name where they have names
    log_score         sum of the factors' log-scores of the assignment; of "marginal-map" the logarithm of the
                      sum over all others
    probability       of the assignment of "marginal-map", where log Z was found, too
    bound             that no assignment's log-score exceeds
    k_best            list of RankedAssignment, the best first, where they are asked for
    bound_of_others   that the log-score of no assignment exceeds which is not in k_best
    samples           list of assignments
    memory            bytes that the method takes at most, as predicted
    notes             sentences that one must know to trust the numbers
    warnings          sentences that say why the numbers are not to be trusted; also given by warnings.warn
    """

    task: str
    method: str
    reason: str
    kind: str
    converged: bool
    stopped: bool
    seconds: float
    iterations: Optional[int] = None
    residual: Optional[float] = None
    log_partition: Optional[float] = None
    marginals: dict[Name, NDArray[np.float64]] = field(default_factory=dict)
    standard_errors: dict[Name, NDArray[np.float64]] = field(default_factory=dict)
    effective_samples: Optional[float] = None
    assignment: Optional[dict[Name, Name]] = None
    log_score: Optional[float] = None
    probability: Optional[float] = None
    bound: Optional[float] = None
    k_best: list[RankedAssignment] = field(default_factory=list)
    bound_of_others: Optional[float] = None
    samples: list[dict[Name, Name]] = field(default_factory=list)
    memory: Optional[float] = None
    notes: list[str] = field(default_factory=list)
    log_partition_error: Optional[float] = None
    log_partition_least: Optional[float] = None
    log_partition_most: Optional[float] = None
    warnings: list[str] = field(default_factory=list)

    @property
    def value(self) -> Optional[float]:
        """log Z, or the log-score of the assignment where the task is "map" or "marginal-map"."""
        return self.log_score if self.task.endswith("map") else self.log_partition


class FactorGraph(CountingFactors):
    """p(x) = exp(sum over factors of theta_f(x_f)) / Z over variables of finitely many states.

        graph = croft.FactorGraph()
        rain = graph.add_variable(["no", "yes"], "rain")
        wet = graph.add_variable(["no", "yes"], "wet")
        graph.add_factor([rain], weights=[0.8, 0.2])
        graph.add_factor([rain, wet], weights=[[0.9, 0.1], [0.2, 0.8]])
        graph.infer("marginals", evidence={"wet": "yes"}).marginals["rain"]

    A variable is known by its name, or without one by its number, from 0; a state likewise.  Scores
    are natural logarithms of weights, -inf forbids.  What is wrong raises ValueError.
    """

    def __init__(self) -> None:
        self._native = _core.Graph()
        self._names: list[Optional[str]] = []
        self._number: dict[str, int] = {}
        self._states: list[Optional[list[str]]] = []
        self._potentials: dict[Hashable, int] = {}

    # --- Building ------------------------------------------------------------------------------
    def add_variable(self, states: Union[int, Sequence[str]], name: Optional[str] = None) -> Name:
        """Adds a variable; returns what it is known by: its name, or else its number.

        states  how many, or their names
        """
        if name is not None and not isinstance(name, str):
            raise ValueError(f"the name of a variable is a string, not {name!r}")
        if name in self._number:
            raise ValueError(f"there is a variable {name!r} already")
        names = None
        if not _is_whole(states):
            if isinstance(states, str) or not all(isinstance(each, str) for each in states):  # type: ignore[union-attr]
                raise ValueError(f"states are a number or a list of names, not {states!r}")
            names = list(states)  # type: ignore[arg-type]
            if len(set(names)) < len(names):
                raise ValueError(f"two of the states {names} have the same name")
        count = len(names) if names is not None else int(states)  # type: ignore[arg-type]
        if count < 1:
            raise ValueError(f"a variable with {count} states; it must have at least 1")
        number = self._native.add_variable(count)
        self._names.append(name)
        self._states.append(names)
        if name is not None:
            self._number[name] = number
        return number if name is None else name

    def add_factor(self, scope: Sequence[Name], scores: Optional[Any] = None, *,
                   weights: Optional[Any] = None) -> int:
        """A factor with a number for each joint state of its scope; returns the factor's number.

        scope    variables, each once
        scores   array (states of the first, states of the second, ...) of log-scores, or -inf
        weights  instead: numbers >= 0, whose logarithms are the scores
        """
        import numpy as np
        if (scores is None) == (weights is None):
            raise ValueError("a factor has either scores or weights")
        numbers = [self._variable(each) for each in scope]
        table = np.array(scores if weights is None else weights, dtype=np.float64, order="C")
        shape = tuple(self._native.states(v) for v in numbers)
        if table.shape != shape:
            raise ValueError(f"{'scores' if weights is None else 'weights'} has shape {list(table.shape)}; the "
                             f"scope has the states {list(shape)}")
        if weights is not None:
            if not (table >= 0).all() or np.isinf(table).any():
                raise ValueError("a weight is a number >= 0")
            with np.errstate(divide="ignore"):
                table = np.log(table)
        # Equal tables are one: what works on shared tables has less to do.
        key = ("table", hashlib.blake2b(table.tobytes(), digest_size=16).digest())
        return self._add(numbers, key, lambda: self._native.add_table(table))

    def add_sparse(self, scope: Sequence[Name], scores: Mapping[Sequence[Name], float],
                   others: float = float("-inf")) -> int:
        """A factor that scores some joint states, {(state, ...): log-score}, and all others alike."""
        numbers = [self._variable(each) for each in scope]
        listed = {}
        for states, score in mapping("scores", scores).items():
            if len(states) != len(numbers):
                raise ValueError(f"{states!r} has {len(states)} states; the scope has {len(numbers)} variables")
            joint = 0
            for v, state in zip(numbers, states):
                joint = joint * self._native.states(v) + self._state(v, state)
            if joint in listed:
                raise ValueError(f"the joint state {states!r} is there twice")
            listed[joint] = float(score)
        rows = sorted(listed)
        return self._native.add_factor(numbers, self._native.add_sparse(rows, [listed[k] for k in rows], float(others)))

    def add_potts(self, scope: Sequence[Name], equal: float, unequal: float = 0.0) -> int:
        """Of two variables: one score where their states have the same number, another where not."""
        return self._add_of_two(scope, self._native.add_potts, equal, unequal)

    def add_truncated_linear(self, scope: Sequence[Name], weight: float, limit: float) -> int:
        """Of two variables in states i and j: -min(weight |i - j|, limit)."""
        return self._add_of_two(scope, self._native.add_truncated_linear, weight, limit)

    def add_truncated_quadratic(self, scope: Sequence[Name], weight: float, limit: float) -> int:
        """Of two variables in states i and j: -min(weight (i - j)^2, limit)."""
        return self._add_of_two(scope, self._native.add_truncated_quadratic, weight, limit)

    # --- What is there -------------------------------------------------------------------------
    @property
    def variables(self) -> list[Name]:
        """Names, or numbers of those without, in order."""
        return [self._name(v) for v in range(len(self._names))]

    @property
    def factors(self) -> int:
        """How many there are."""
        return self._native.factors

    @property
    def directed(self) -> bool:
        """Whether it came from a file of a Bayesian network and has no other factors."""
        return self._native.directed

    def states(self, variable: Name) -> list[Name]:
        """Names, or numbers of those without, in order."""
        v = self._variable(variable)
        names = self._states[v]
        return list(names) if names is not None else list(range(self._native.states(v)))

    def scope(self, factor: int) -> list[Name]:
        return [self._name(v) for v in self._native.scope(self._factor(factor))]

    def table(self, factor: int) -> NDArray[np.float64]:
        """Log-scores, (states of the first, states of the second, ...); a copy.  ValueError beyond 2^28."""
        import numpy as np
        scope = self._native.scope(self._factor(factor))
        return np.frombuffer(self._native.table(factor)).reshape([self._native.states(v) for v in scope])

    def score(self, assignment: Mapping[Name, Name]) -> float:
        """Sum of the factors' log-scores; the assignment has a state for each variable."""
        x: list[Optional[int]] = [None] * len(self._names)
        for variable, state in mapping("assignment", assignment).items():
            v = self._variable(variable)
            x[v] = self._state(v, state)
        if None in x:
            raise ValueError(f"the assignment has no state for variable {self._name(x.index(None))!r}")
        return self._native.score([s for s in x if s is not None])

    def blanket(self, variable: Name) -> list[Name]:
        """The variables given which it is independent of all others: its neighbours; in a directed
        graph its parents, its children and their other parents."""
        return [self._name(v) for v in self._native.blanket(self._variable(variable))]

    def separated(self, a: Sequence[Name], b: Sequence[Name], given: Sequence[Name] = ()) -> bool:
        """Whether the shape alone makes a independent of b given the third (d-separation in a directed graph)."""
        return self._native.separated(*([self._variable(v) for v in each] for each in (a, b, given)))

    # --- Questions -----------------------------------------------------------------------------
    def infer(self, task: str = "marginals", method: str = "auto", *, evidence: Optional[Evidence] = None,
              memory: Union[float, str, None] = None, time: Optional[float] = None, tolerance: Optional[float] = None,
              max_iterations: Optional[int] = None, samples: Optional[int] = None, k_best: Optional[int] = None,
              over: Sequence[Name] = (), seed: int = 1, threads: int = 1,
              callback: Optional[Callable[[dict[str, Any]], Optional[bool]]] = None,
              proposal: Optional[Callable[[dict[Name, Name], random.Random], Any]] = None,
              **settings: Any) -> Inference:
        """Answers "partition" (log Z), "marginals", "map" (the best assignment), "marginal-map" (the best
        states of some variables, all others summed out) or "sample".

        method    "auto" takes the junction tree where it fits and says why if not; others are listed by
                  FactorGraph.methods().  They are those of `croft infer`
        evidence  {variable: state} of what is known; log Z is then that of the rest, log p(evidence) in a
                  Bayesian network.  {variable: [0.3, 0.7]} or {variable: {"no": 0.3, "yes": 0.7}} is a finding
                  that leaves doubt: the likelihood of each state, 0 of those that are not named
        memory    bytes that tables may take, or a text such as "4G", of methods that look at it; None: half of
                  the machine's
        time      seconds, of methods that can stop before their end
        tolerance, max_iterations  of methods that iterate
        samples   how many, of the task "sample"; None: 1
        k_best    how many of the best assignments, of the tasks "map" and "marginal-map"; None: the best one
        over      of the task "marginal-map": the variables whose best states are looked for
        threads   changes no result
        callback  gets {"iteration", "residual", and "value", "best", "bound" where they are known} after each
                  iteration; False stops the method with what it has
        proposal  of "metropolis-hastings": from the present {variable: state} and a random.Random, seeded
                  by `seed`, to what it would change, {variable: state} or that and
                  log q(back) - log q(there), which is 0 where both directions are as likely.  A sweep is
                  as many proposals as there are variables.  That they lead everywhere is yours to know;
                  None: one variable, any, to another state, any.  Its cost is Python's: about 1 µs for
                  each variable
        settings  that the method alone knows, such as damping=0.5 or blocks="trees"

        Raises ValueError where no assignment is allowed, where the memory is too little, and for an option
        that the method ignores.  Ctrl-C ends methods that iterate, with KeyboardInterrupt.
        """
        options = {
            "task": task, "method": method, "memory": _memory(memory) or 0.0,
            "time": time, "tolerance": tolerance,
            "max_iterations": None if max_iterations is None else _at_least("max_iterations", max_iterations, 1),
            "samples": None if samples is None else _at_least("samples", samples, 1),
            "k_best": None if k_best is None else _at_least("k_best", k_best, 1),
            "over": [self._variable(each) for each in over],
            "seed": _at_least("seed", seed, 0), "threads": _at_least("threads", threads, 0),
            "proposal": None if proposal is None else self._proposal(proposal, seed),
            "settings": [(name.replace("_", "-"), _setting(value)) for name, value in settings.items()]}
        if time is not None and not (isinstance(time, numbers.Real) and 0 <= time < float("inf")):
            raise ValueError(f"time is {time!r}; it must be a number of seconds")
        known, options["soft"] = self._findings(evidence or {})
        found = self._native.infer(known, options, callback)
        for each in ("marginals", "standard_errors"):
            found[each] = self._arrays(found[each])
        asked = found.pop("over") or range(len(self._names))
        if found["assignment"] is not None:
            found["assignment"] = self._assignment(found["assignment"], asked)
        found["k_best"] = [RankedAssignment(self._assignment(x, asked), *rest) for x, *rest in found["k_best"]]
        found["samples"] = [self._assignment(x) for x in found["samples"]]
        for text in found["warnings"]:
            warn(text, RuntimeWarning)
        return Inference(**found)

    def joint_marginal(self, variables: Sequence[Name], *, evidence: Optional[Mapping[Name, Name]] = None,
                       memory: Union[float, str, None] = None) -> NDArray[np.float64]:
        """p(joint state | evidence), (states of the first, states of the second, ...); exact.

        variables  any, in any order, each once
        memory     bytes that the junction tree may take, or a text such as "4G"; None: whatever it needs

        Costs a junction tree in which the variables are a clique.  ValueError where no assignment is
        allowed, and for more than 2^28 joint states.
        """
        import numpy as np
        numbers = [self._variable(each) for each in variables]
        p = self._native.joint_marginal(numbers, self._evidence(evidence or {}), _memory(memory))
        return np.frombuffer(p).reshape([self._native.states(v) for v in numbers])

    def expectation(self, function: Callable[..., float], variables: Sequence[Name], *,
                    evidence: Optional[Mapping[Name, Name]] = None,
                    memory: Union[float, str, None] = None) -> float:
        """E[function(state, ...) | evidence], exact: the function gets the state of each of `variables`,
        and is called for each of their joint states that is possible.  As joint_marginal otherwise."""
        import numpy as np
        p = self.joint_marginal(variables, evidence=evidence, memory=memory)
        states = [self.states(each) for each in variables]
        return float(sum(p[joint] * function(*(names[s] for names, s in zip(states, joint)))
                         for joint in np.ndindex(p.shape) if p[joint] > 0))

    def probability(self, query: Union[str, Mapping[Name, Any]], *, evidence: Optional[Evidence] = None,
                    memory: Union[float, str, None] = None) -> float:
        """p(query | evidence).

        query   {variable: state, or a list of states}, or a text as of `croft infer --query`: "A=yes, B!=no",
                "A=B" (variables in states of the same name)
        memory  as of infer()
        """
        terms = []
        if not isinstance(query, str):
            for variable, states in mapping("query", query).items():
                v = self._variable(variable)
                listed = [states] if isinstance(states, str) or _is_whole(states) else list(states)
                terms.append((v, [self._state(v, each) for each in listed]))
            query = ""
        answer = self._ask("query", query, evidence, memory, terms)[0]
        for text in answer.get("warnings", []):
            warn(text, RuntimeWarning)
        return float(answer["probability"])

    def entropy(self, *, evidence: Optional[Evidence] = None, memory: Union[float, str, None] = None) -> dict[str, Any]:
        """{"entropy": of all variables together, nats, "variables": [{"variable", "entropy", and "mean" and
        "deviation" where all states are numbers}]}, given the evidence; exact."""
        return self._ask("entropy", "", evidence, memory)

    def sensitivity(self, query: str, *, evidence: Optional[Evidence] = None,
                    memory: Union[float, str, None] = None) -> dict[str, Any]:
        """How p(query | evidence) depends on each number t of a Bayesian network's tables, the rest of its row
        in proportion: {"probability", "parameters": [{"parameter", "value", "derivative", "a", "b", "c", "d"}]},
        largest derivative first, where p(t) = (a t + b) / (c t + d)."""
        return self._ask("sensitivity", query, evidence, memory)

    def decide(self, *, evidence: Optional[Evidence] = None) -> dict[str, Any]:
        """Of a network with decisions and utilities (from .xdsl, .net, .xmlbif): what is best to decide,
        {"expected_utility", "decisions": [{"decision", "given", "choices", "rules": [{"given", "best",
        "utilities"}]}]}, as `croft infer --decide --json` has it."""
        return self._ask("decide", "", evidence, None)

    @property
    def decisions(self) -> dict[Name, list[Name]]:
        """{decision: what is known when it is taken}, of a network that has some."""
        return {self._name(v): [self._name(u) for u in known] for v, known in self._native.decisions()}

    @staticmethod
    def methods(task: Optional[str] = None) -> list[dict[str, Any]]:
        """What `infer` offers: name, summary, tasks, options and settings of each method."""
        return [each for each in _core.infer_methods() if task is None or task in each["tasks"]]

    # --- Files and other graphs ----------------------------------------------------------------
    @classmethod
    def read(cls, path: Union[str, os.PathLike[str]], format: Optional[str] = None) -> FactorGraph:
        """Reads a file: "uai", "lg", "fg", "bif", "xmlbif", "net" (Hugin) or "xdsl" (GeNIe); None: what its name
        or its beginning says."""
        native = _core.Graph.read(os.fspath(path), format)
        for note in native.notes:
            warn(note)
        return cls._of(native)

    @classmethod
    def from_uai(cls, text: str) -> FactorGraph:
        """Of the text of a UAI file."""
        return cls._of(_core.Graph.parse(text, "uai"))

    def to_uai(self) -> str:
        """The text of a UAI file: weights, not logarithms; names are lost.  ValueError for a weight that is
        no double but 0 or infinity: write such with format "lg"."""
        return self._native.write("uai")

    def write(self, path: Union[str, os.PathLike[str]], format: str = "uai") -> None:
        """Writes "uai", "lg" (log-scores), or, of a directed graph, "bif"."""
        self._tell_names()
        text = self._native.write(format)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def to_networkx(self) -> Any:
        """A networkx.Graph with two sorts of nodes: variables, with the attribute `states`, and factors,
        ("factor", number), with `scope` and `scores`; an edge joins a factor with each of its variables."""
        import networkx
        out = networkx.Graph()
        for variable in self.variables:
            out.add_node(variable, kind="variable", states=self.states(variable))
        for f in range(self.factors):
            out.add_node(("factor", f), kind="factor", scope=self.scope(f), scores=self.table(f))
            out.add_edges_from((("factor", f), variable) for variable in self.scope(f))
        return out

    @classmethod
    def from_networkx(cls, graph: Any, states: Union[int, Sequence[str], str] = "states", *,
                      node: str = "scores", edge: str = "scores") -> FactorGraph:
        """Of what `to_networkx` gave, or of any networkx graph with a variable for each node and a factor
        for each edge (u, v), by its attribute `edge`: log-scores (states of u, states of v).  Where edges have
        no direction, u is the node that was added first.

        states  of each node: how many, their names, or the node attribute that says so
        node    the node attribute with log-scores (states,), where a node has it

        Nodes are variables of the name str(node).
        """
        import numpy as np
        out = cls()
        kinds = dict(graph.nodes(data="kind"))
        if "factor" in kinds.values():
            for each, data in graph.nodes(data=True):
                if data["kind"] == "variable":
                    given = data["states"]
                    out.add_variable(given if given and isinstance(given[0], str) else len(given),
                                     None if _is_whole(each) else each)
            factors = [(each, data) for each, data in graph.nodes(data=True) if data["kind"] == "factor"]
            for _, data in sorted(factors, key=lambda item: item[0][1]):
                out.add_factor(data["scope"], data["scores"])
            return out
        for each, data in graph.nodes(data=True):
            given = data.get(states) if isinstance(states, str) else states
            if given is None:
                raise ValueError(f"node {each!r} has no attribute {states!r}; give states=, how many or their names")
            out.add_variable(given, str(each))
        for each, data in graph.nodes(data=True):
            if node in data:
                out.add_factor([str(each)], data[node])
        for u, v, data in graph.edges(data=True):
            if edge not in data:
                raise ValueError(f"the edge {u!r}, {v!r} has no attribute {edge!r}")
            scores = np.asarray(data[edge], dtype=float)
            if u == v:
                raise ValueError(f"node {u!r} is joined with itself; its scores are a node attribute {node!r}")
            out.add_factor([str(u), str(v)], scores)
        return out

    def __repr__(self) -> str:
        return f"FactorGraph({len(self._names)} variables, {self.factors} factors)"

    def _tell_names(self) -> None:
        names = [str(name) for name in self.variables]
        if any(self._names) or any(self._states):
            self._native.set_names(names, [[str(s) for s in self.states(v)] for v in range(len(names))])

    def _ask(self, question: str, text: str, evidence: Optional[Evidence], memory: Union[float, str, None],
             terms: Sequence[tuple[int, Sequence[int]]] = ()) -> Any:
        self._tell_names()
        known, soft = self._findings(evidence or {})
        return json.loads(self._native.ask(question, text, terms, known, soft, _memory(memory) or 0.0))

    # --- Names and numbers ---------------------------------------------------------------------
    def _proposal(self, proposal: Callable[[dict[Name, Name], random.Random], Any],
                  seed: int) -> Callable[[list[int]], tuple[list[tuple[int, int]], float]]:
        """The same of numbers."""
        source = random.Random(seed)

        def ask(states: list[int]) -> tuple[list[tuple[int, int]], float]:
            answer = proposal(self._assignment(states), source)
            changes, log_ratio = answer if isinstance(answer, tuple) else (answer, 0.0)
            if not isinstance(changes, Mapping):
                raise TypeError(f"a proposal returned {answer!r}; it must return {{variable: state}}, or that and "
                                "log q(back) - log q(there)")
            numbers = ((self._variable(variable), state) for variable, state in changes.items())
            return [(v, self._state(v, state)) for v, state in numbers], float(log_ratio)
        return ask

    @classmethod
    def _of(cls, native: _core.Graph) -> FactorGraph:
        out = cls()
        out._native = native
        names, states = native.names()
        out._names = list(names) if names else [None] * native.variables
        out._states = list(states) if states else [None] * native.variables
        out._number = {name: v for v, name in enumerate(names)}
        return out

    def _add_of_two(self, scope: Sequence[Name], make: Callable[[float, float], int], a: float, b: float) -> int:
        a, b = float(a), float(b)
        return self._add_scope(scope, (make.__name__, a, b), lambda: make(a, b))

    def _add_scope(self, scope: Sequence[Name], key: Hashable, make: Callable[[], int]) -> int:
        return self._add([self._variable(each) for each in scope], key, make)

    def _add(self, scope: list[int], key: Hashable, make: Callable[[], int]) -> int:
        if key not in self._potentials:
            self._potentials[key] = make()
        return self._native.add_factor(scope, self._potentials[key])

    def _name(self, v: int) -> Name:
        name = self._names[v]
        return v if name is None else name

    def _variable(self, variable: Name) -> int:
        if isinstance(variable, str):
            if variable in self._number:
                return self._number[variable]
            raise ValueError(f"there is no variable {variable!r}")
        if not _is_whole(variable) or not 0 <= variable < len(self._names):
            raise ValueError(f"there is no variable {variable!r}; there are {len(self._names)}, counted from 0")
        return int(variable)

    def _state(self, v: int, state: Name) -> int:
        names = self._states[v]
        if isinstance(state, str):
            if names is not None and state in names:
                return names.index(state)
            raise ValueError(f"variable {self._name(v)!r} has no state {state!r}" +
                             (f"; it has {names}" if names else "; its states are numbers"))
        if not _is_whole(state) or not 0 <= state < self._native.states(v):
            raise ValueError(f"variable {self._name(v)!r} has no state {state!r}; it has "
                             f"{self._native.states(v)}, counted from 0")
        return int(state)

    def _factor(self, factor: int) -> int:
        if not _is_whole(factor) or not 0 <= factor < self.factors:
            raise ValueError(f"there is no factor {factor!r}; there are {self.factors}, counted from 0")
        return int(factor)

    def _evidence(self, evidence: Mapping[Name, Name]) -> list[int]:
        known: list[int] = []
        if evidence:
            known = [0xffffffff] * len(self._names)
            for variable, state in mapping("evidence", evidence).items():
                v = self._variable(variable)
                known[v] = self._state(v, state)
        return known

    def _findings(self, evidence: Evidence) -> tuple[list[int], list[tuple[int, list[float]]]]:
        """States, and likelihoods of what leaves doubt."""
        hard: dict[Name, Any] = {}
        soft = []
        for variable, value in mapping("evidence", evidence).items():
            if isinstance(value, str) or _is_whole(value) or value is None:
                hard[variable] = value
                continue
            v = self._variable(variable)
            if isinstance(value, Mapping):
                likelihoods = [0.0] * self._native.states(v)
                for state, likelihood in value.items():
                    likelihoods[self._state(v, state)] = float(likelihood)
            else:
                likelihoods = [float(each) for each in value]
            soft.append((v, likelihoods))
        return self._evidence(hard), soft

    def _assignment(self, x: Sequence[int], asked: Optional[Sequence[int]] = None) -> dict[Name, Name]:
        states = self._states
        return {self._name(v): x[v] if states[v] is None else states[v][x[v]]  # type: ignore[index]
                for v in (range(len(x)) if asked is None else asked)}

    def _arrays(self, rows: Sequence[Sequence[float]]) -> dict[Name, NDArray[np.float64]]:
        import numpy as np
        return {self._name(v): np.array(row) for v, row in enumerate(rows)}


def _is_whole(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def _at_least(name: str, value: Any, least: int) -> int:
    if not _is_whole(value) or not least <= value < 2**64:
        raise ValueError(f"{name} is {value!r}; it must be a whole number, {least} or more")
    return int(value)


def _memory(value: Union[float, str, None]) -> Optional[float]:
    """Bytes; of a text such as "4G", too, as --memory takes it."""
    if value is None:
        return None
    number, power = value, 0
    if isinstance(value, str):
        power = "KMGT".find(value[-1:]) + 1 if value else 0
        number = value[:-1] if power else value
    try:
        found = float(number) * 1024.0**power
    except (TypeError, ValueError, OverflowError):
        found = float("nan")
    if not 0 < found < float("inf"):
        raise ValueError(f"memory is {value!r}; it must be above 0 bytes, a number or a text such as \"4G\"")
    return found


def _setting(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
