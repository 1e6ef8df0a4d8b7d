"""GraphCRF: a conditional random field over graphs that a function makes of each instance."""
from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Hashable, Mapping, Optional, Sequence, Union

from . import _core
from ._clique_schema import Features, Schema, Shape, domain_of, features_of, in_order, is_constraint, names_of
from ._params import VariableReasons, graph_question
from ._parameters import GraphCRFParameters
from ._params import BaseEstimator, a_type, check_count, mapping, raise_not_fitted
from .estimator import Callback, TrainingLog, warn_if_interrupted
from .graph import FactorGraph, Inference

if TYPE_CHECKING:
    from .table_graph import TableGraphCRF


@dataclass(frozen=True)
class Template:
    """How cliques of one sort are scored: sum over features of value * weight[feature, cell].

    domains      of each variable of a clique, in order; ``["page"]`` in the place of ``"page"`` is a list of
                 variables, as many as a clique has, for interactions that count
    interaction  what the cells are: "table" (each joint state), "same" (one: all labels equal), "same-label" (one
                 for each label that all have), "ordinal" (each distance of two labels) or "list".  By how many
                 variables have a label of `states`: "count" (a cell for each range of counts), and with one cell,
                 where the rule holds, "at-most", "at-least", "exactly" (k), "exactly-one", "and" (all), "or" (some),
                 "implies" (a variable of the last place counts, or one of the others does not)
    listed       of "list": the joint states that have a cell, each a tuple of labels
    states       of interactions that count: the labels that count, for all variables, or a list for each
    k            of "at-most", "at-least" and "exactly"; default 1
    counts       of "count": where each cell begins: (0, 1, 3) are the cells 0, 1 to 2, and 3 or more
    share        of "table" and "list": lists of joint states that share a weight
    forbid       joint states that are forbidden: they have probability 0, in training and prediction
    penalty      instead of weights, a constraint: its cliques cost this where they are in a state of `forbid`, where
                 the rule is broken, or (interaction "known") where the variable is not what the clique says;
                 float("inf") forbids
    weights      {(feature, label, ..., label): weight}: weights that are given and not trained.  A cell is named by
                 the labels of its variables; of "count" by a count; by nothing where there is one
    """

    domains: Sequence[Union[str, Sequence[str]]]
    interaction: str = "table"
    listed: Sequence[Sequence[str]] = ()
    states: Sequence[Union[str, Sequence[str]]] = ()
    k: Optional[int] = None
    counts: Sequence[int] = ()
    share: Sequence[Sequence[Sequence[str]]] = ()
    forbid: Sequence[Sequence[str]] = ()
    penalty: Optional[float] = None
    weights: Optional[Mapping[tuple[Any, ...], float]] = None


class Cliques:
    """The graph of one instance: what the function that a GraphCRF is given makes.

        g = croft.Cliques()
        g.variable("page 1", "topic")
        g.variable("page 2", "topic")
        g.clique("words", ["page 1"], {"crf": 2, "graph": 1})
        g.clique("link", ["page 1", "page 2"])
    """

    def __init__(self) -> None:
        self._variables: list[tuple[Hashable, str]] = []
        self._number: dict[Hashable, int] = {}
        self._cliques: list[tuple[str, list[Union[int, list[int]]], Optional[list[tuple[str, float]]]]] = []

    def variable(self, key: Hashable, domain: str) -> Hashable:
        """Adds a variable, known by any key; returns the key."""
        if key in self._number:
            raise ValueError(f"there is a variable {key!r} already")
        self._number[key] = len(self._variables)
        self._variables.append((key, domain))
        return key

    def clique(self, template: str, variables: Sequence[Any], features: Features = None) -> None:
        """Adds a clique.

        variables  their keys; where the template has a list of variables, a list of keys
        features   {name: number}, {name: str} ("name=str" is then a feature), {name: None} (absent), a list of
                   names, one name; None: the feature "(bias)".  Of a constraint none; of a known value its label
        """
        numbers: list[Union[int, list[int]]] = [
            [self._numbered(template, key) for key in each] if isinstance(each, list)
            else self._numbered(template, each) for each in variables]
        self._cliques.append((template, numbers, None if features is None else features_of(features)))

    def _numbered(self, template: str, key: Hashable) -> int:
        if key not in self._number:
            raise ValueError(f"template {template!r}: there is no variable {key!r}")
        return self._number[key]

    @property
    def keys(self) -> list[Hashable]:
        """Of the variables, in order."""
        return [key for key, _ in self._variables]


class GraphCRF(GraphCRFParameters, BaseEstimator):  # type: ignore[misc]
    """p(y | x) = exp(sum over cliques of x's graph of theta_c(y_c, x)) / Z(x), weights tied by templates.

        def unroll(sentence):
            g = croft.Cliques()
            for t, word in enumerate(sentence):
                g.variable(t, "tag")
                g.clique("word", [t], {"word": word})
                if t:
                    g.clique("next", [t - 1, t])
            return g

        crf = croft.GraphCRF(unroll, domains={"tag": ["N", "V"]},
                             templates={"word": croft.Template(["tag"]), "next": croft.Template(["tag", "tag"])})
        crf.fit(X, y).predict(X_test)

    The graph may depend on the instance in any way.  ``y`` has a list of labels for each instance, in the order of
    its variables, or a dict of labels by their keys; None, or a key that is absent, is a hidden variable.

    Attributes
    ----------
    training_log_ : TrainingLog, an entry for each iteration
    """

    _model: Any  # once fitted

    def fit(self, X: Sequence[Any], y: Sequence[Any], sample_weight: Optional[Sequence[float]] = None,
            X_dev: Optional[Sequence[Any]] = None, y_dev: Optional[Sequence[Any]] = None, *,
            X_unlabelled: Optional[Sequence[Any]] = None, callback: Optional[Callback] = None) -> GraphCRF:
        """Trains; returns self.

        sample_weight [N] weight of each instance, >= 0; those of 0 are left out
        X_dev, y_dev  labelled instances for a score after each iteration (see early_stop)
        X_unlabelled  instances without labels, for entropy, expectations or self_training; without them these are
                      of the hidden variables of y
        callback      is called with each entry of training_log_; False stops

        Ctrl-C stops after the iteration under way, keeps its weights and warns (TrainingInterrupted).
        """
        if not self.domains or not self.templates:
            raise ValueError("a GraphCRF needs domains and templates")
        if len(X) != len(y):
            raise ValueError(f"X has {len(X)} instances, y has {len(y)}")
        if X_dev is None or y_dev is None:
            if X_dev is not y_dev:
                raise ValueError("X_dev and y_dev go together: give both or neither")
        elif len(X_dev) != len(y_dev):
            raise ValueError(f"X_dev has {len(X_dev)} instances, y_dev has {len(y_dev)}")
        domains = [(name, [str(label) for label in labels])
                   for name, labels in mapping("domains", self.domains).items()]
        templates = mapping("templates", self.templates)
        for name, t in templates.items():
            if not isinstance(t, Template):
                raise TypeError(f"templates[{name!r}] is {a_type(t)}, and a croft.Template was expected")
        schema = Schema(domains, {name: Shape([domain_of(d) for d in t.domains],
                                                [not isinstance(d, str) for d in t.domains], is_constraint(t))
                                   for name, t in templates.items()})
        native = _core.Cliques(domains, [schema.native(name, t) for name, t in templates.items()])
        for n, (x, labels) in enumerate(zip(X, y)):
            schema.add(native, n, self._unroll(x, n), labels)
        held_out = None if X_dev is None else _core.Cliques(native)
        for n, (x, labels) in enumerate(zip(X_dev or (), y_dev or ())):
            schema.add(held_out, n, self._unroll(x, n, "X_dev"), labels, "X_dev")
        more = None if X_unlabelled is None else _core.Cliques(native)
        for n, x in enumerate(X_unlabelled or ()):
            schema.add(more, n, self._unroll(x, n, "X_unlabelled"), None, "X_unlabelled")
        weights = [] if sample_weight is None else [float(each) for each in sample_weight]
        if sample_weight is not None and len(weights) != len(X):
            raise ValueError(f"X has {len(X)} instances, sample_weight has {len(weights)} numbers")
        log = TrainingLog()
        init = self._model if self.warm_start and hasattr(self, "_model") else None
        self._model, log.result = native.train(self._given(), "{}", init, self._prior(), held_out, more, weights,
                                               log.watching(callback))
        self._schema = schema
        self.training_log_ = log
        warn_if_interrupted(log.result)
        return self

    @staticmethod
    def from_tables(spec: Union[str, os.PathLike[str]], database: Any = None, **parameters: Any) -> TableGraphCRF:
        """A CRF whose graph a spec's queries of tables declare, in the place of a function (TableGraphCRF).

        spec        a path, or the TOML itself
        database    a dict of DataFrames by the names of the tables, or a path
        parameters  as of the constructor
        """
        from .table_graph import TableGraphCRF
        return TableGraphCRF(spec, database, **parameters)

    def graph(self, x: Any) -> FactorGraph:
        """The factor graph of an instance, scored: for questions of all kinds.

        Its variables are named str(key), or "number:key" where two keys have the same str; its states by their
        labels.
        """
        return self._graphs([x])[0]

    def predict(self, X: Sequence[Any], *, known: Optional[Sequence[Any]] = None, **how: Any) -> list[list[str]]:
        """The best labels of each instance, in the order of its variables.

        known  what is known of some labels, as y of fit
        how    for FactorGraph.infer: method, time, max_iterations, ...
        """
        found = [each for _, each in self._infer(X, "map", known, how)]
        return [[str(label) for label in (each.assignment or {}).values()] for each in found]

    def predict_marginals(self, X: Sequence[Any], *, known: Optional[Sequence[Any]] = None,
                          **how: Any) -> list[list[dict[str, float]]]:
        """Of each instance, for each variable: {label: probability}."""
        return [[{str(label): float(p) for label, p in zip(graph.states(v), each.marginals[v])}
                 for v in graph.variables]
                for graph, each in self._infer(X, "marginals", known, how)]

    def score(self, X: Sequence[Any], y: Sequence[Any]) -> float:
        """The share of labels, of those that y knows, that predict gets right."""
        right = total = 0
        for n, (x, labels, found) in enumerate(zip(X, y, self.predict(X))):
            for want, got in zip(in_order(labels, self._unroll(x, n)), found):
                total += want is not None
                right += want is not None and str(want) == got
        if total == 0:
            raise ValueError("y knows no label")
        return right / total

    def evaluate(self, X: Sequence[Any], y: Sequence[Any], *, known: Optional[Sequence[Any]] = None,
                 use_known: bool = False, ranking: bool = False, confusion: bool = False,
                 **how: Any) -> dict[str, Any]:
        """What ``croft evaluate --json`` says of a graph model (docs/evaluation.md): accuracy, of each domain the
        scores of labels and chunks, log-loss, calibration.

        known      labels that are evidence, as y; they are not counted
        use_known  of each variable the label given those of all others
        ranking    of each label the area under the ROC curve and the average precision
        confusion  how often a label was predicted in the place of another one
        how        decode ("best": of each instance the most probable labelling; "marginal": of each variable the
                   most probable label), method (for probabilities), search (for the best labelling),
                   max_iterations, memory (bytes), seed, threads; costs, a dict {(gold, predicted): cost}, or
                   thresholds, a dict {label: probability}, by which labels are chosen from their probabilities

        A label in y that the model has not counts as wrong.
        """
        native, gold = self._labelled(X, y, known)
        found: dict[str, Any] = json.loads(native.evaluate(gold, graph_question(self._how(how)), use_known, ranking,
                                                           confusion))
        return found

    def calibrate(self, X: Sequence[Any], y: Sequence[Any], *, known: Optional[Sequence[Any]] = None,
                  **how: Any) -> dict[str, Any]:
        """Divides all scores by the temperature that is best for labels the model was not trained on (CA.1).

        known  labels that are evidence, as y
        how    memory (bytes), seed, threads

        Returns temperature, before and after (log_loss, expected_calibration_error), warnings.  A calibration that
        the model has is replaced; as ``croft calibrate``.
        """
        native, gold = self._labelled(X, y, known)
        self._model, found = native.calibrate(gold, graph_question(how))
        report: dict[str, Any] = json.loads(found)
        return report

    def explain(self, x: Any, variables: Sequence[Hashable] = (), *, known: Any = None,
                against: Optional[str] = None, top: int = 5, **how: Any) -> VariableReasons:
        """Which cliques and features speak for each variable's label in one instance, and against another one
        (docs/explain.md).

        variables  their keys; none: all whose label is not known
        known      labels that are evidence, as y of fit has them of an instance
        against    the other label; None: the most probable one of the others
        top        features that are listed; the rest is summed
        how        method, search, max_iterations, memory, seed, threads
        """
        check_count("top", top, 0)
        made = self._unroll(x, 0)
        native, labels = self._labelled([x], [None], [known])
        missing = [key for key in variables if key not in made._number]
        if missing:
            raise ValueError(f"there is no variable {missing[0]!r}")
        evidence = in_order(known, made)
        wanted = [made._number[key] for key in variables] or [v for v in range(len(labels)) if evidence[v] is None]
        return VariableReasons(native.explain(sorted(set(wanted)), not variables, names_of(made.keys),
                                              graph_question(self._how(how)), "" if against is None else str(against),
                                              top))

    def weights(self, template: str) -> dict[tuple[str, str], float]:
        """{(feature, cell): weight} of a template; a cell is named by the labels that have it."""
        self._check_fitted()
        return {(name, cell): weight for name, cell, weight in self._model.weights(self._schema.template(template))}

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the model file, whole or not at all.  The function `unroll` is not in it."""
        self._check_fitted()
        self._model.save(os.fspath(path))

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]], unroll: Callable[[Any], Cliques]) -> GraphCRF:
        """A fitted GraphCRF of a model file, with the function that makes graphs of instances."""
        out = cls(unroll)
        out._restore(_core.GraphModel.open(os.fspath(path)))
        return out

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__()) if hasattr(super(), "__getstate__") else dict(self.__dict__)
        if "_model" in state:
            state["_model"] = state["_model"].bytes()
        state.pop("_schema", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        model = state.pop("_model", None)
        self.__dict__.update(state)
        if model is not None:
            self._restore(_core.GraphModel.from_bytes(model, "the model"))

    def _restore(self, model: Any) -> None:
        record = json.loads(model.meta())["graph"]
        domains = [(each["name"], each["labels"]) for each in record["domains"]]
        names = [name for name, _ in domains]
        self._model = model
        self._schema = Schema(domains, {each["name"]: Shape([names[d] for d in each["domains"]],
                                                              each.get("lists", [False] * len(each["domains"])),
                                                              "penalty" in each)
                                         for each in record["templates"]})

    def _prior(self) -> Any:
        """The native model that the parameter stands for."""
        if self.prior is None:
            return None
        if isinstance(self.prior, GraphCRF):
            self.prior._check_fitted()
            return self.prior._model
        if isinstance(self.prior, (str, os.PathLike)):
            return _core.GraphModel.open(os.fspath(self.prior))
        raise TypeError(f"prior is {a_type(self.prior)}; give a fitted GraphCRF or a path")

    def _check_fitted(self) -> None:
        if not hasattr(self, "_model"):
            raise_not_fitted(self)

    def _unroll(self, x: Any, n: int, of: str = "X") -> Cliques:
        if self.unroll is None:
            raise ValueError("a GraphCRF needs unroll, a function that gives the Cliques of an instance")
        made = self.unroll(x)
        if not isinstance(made, Cliques):
            raise TypeError(f"unroll gave {a_type(made)} for {of}[{n}], and croft.Cliques were expected")
        return made

    def _how(self, how: dict[str, Any]) -> dict[str, Any]:
        return {"method": self.method, "seed": self.seed, **how}

    def _cliques(self, X: Sequence[Any], known: Optional[Sequence[Any]] = None) -> tuple[Any, list[Cliques]]:
        """Graphs of the model's templates.

        known  labels that are evidence; None: there are none
        """
        self._check_fitted()
        native = _core.Cliques(self._model)
        unrolled = [self._unroll(x, n) for n, x in enumerate(X)]
        for n, each in enumerate(unrolled):
            if not each._variables:
                raise ValueError(f"X[{n}] has no variable")
            self._schema.add(native, n, each, None if known is None else known[n])
        return native, unrolled

    def _labelled(self, X: Sequence[Any], y: Sequence[Any],
                  known: Optional[Sequence[Any]]) -> tuple[Any, list[Optional[str]]]:
        """Graphs, and the labels of all variables that are no evidence."""
        for name, labels in ("y", y), ("known", known):
            if labels is not None and len(labels) != len(X):
                raise ValueError(f"X has {len(X)} instances, {name} has {len(labels)}")
        native, unrolled = self._cliques(X, known)
        gold: list[Optional[str]] = []
        for n, made in enumerate(unrolled):
            evidence = in_order(None if known is None else known[n], made)
            gold += [None if label is None or given is not None else str(label)
                     for label, given in zip(in_order(y[n], made), evidence)]
        return native, gold

    def _graphs(self, X: Sequence[Any]) -> list[FactorGraph]:
        native, unrolled = self._cliques(X)
        out = []
        for each, graph in zip(unrolled, native.graphs()):
            graph.set_names(names_of(each.keys),
                            [self._schema.labels[domain] for _, domain in each._variables])
            out.append(FactorGraph._of(graph))
        return out

    def _infer(self, X: Sequence[Any], task: str, known: Optional[Sequence[Any]],
               how: dict[str, Any]) -> list[tuple[FactorGraph, Inference]]:
        how = self._how(how)
        if known is not None and len(known) != len(X):
            raise ValueError(f"X has {len(X)} instances, known has {len(known)}")
        found = []
        for n, graph in enumerate(self._graphs(X)):
            evidence = {}
            if known is not None:
                labels = in_order(known[n], self._unroll(X[n], n))
                evidence = {name: str(label) for name, label in zip(graph.variables, labels) if label is not None}
            found.append((graph, graph.infer(task, evidence=evidence, **how)))
        return found
