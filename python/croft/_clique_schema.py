"""Templates and cliques of a GraphCRF as the extension takes them."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Hashable, Iterable, Mapping, Sequence, Union

from . import _core

if TYPE_CHECKING:
    from .graph_crf import Cliques, Template

Features = Union[None, str, Mapping[str, Union[float, str, None]], Iterable[str]]


@dataclass(frozen=True)
class Shape:
    """What a template's cliques look like."""

    domains: Sequence[str]
    lists: Sequence[bool]
    constraint: bool


def domain_of(domain: Union[str, Sequence[str]]) -> str:
    if isinstance(domain, str):
        return domain
    if len(domain) != 1:
        raise ValueError(f"a list of variables is of one domain, and {domain!r} names {len(domain)}")
    return domain[0]


def is_constraint(t: Template) -> bool:
    return t.penalty is not None or t.interaction == "known"


class Schema:
    """Names of domains, labels and templates to numbers."""

    def __init__(self, domains: list[tuple[str, list[str]]], templates: Mapping[str, Shape]) -> None:
        self.labels = dict(domains)
        self._domain = {name: k for k, (name, _) in enumerate(domains)}
        self._state = {name: {label: s for s, label in enumerate(labels)} for name, labels in domains}
        for name, labels in domains:
            if len(self._state[name]) < len(labels):
                raise ValueError(f"two labels of the domain {name!r} are the same")
        self._template = {name: t for t, name in enumerate(templates)}
        self._shape = list(templates.values())

    def template(self, name: str) -> int:
        if name not in self._template:
            raise ValueError(f"there is no template {name!r}; there are {', '.join(self._template)}")
        return self._template[name]

    def native(self, name: str, t: Template) -> dict[str, Any]:
        shape = self._shape[self._template[name]]
        for domain in shape.domains:
            if domain not in self._domain:
                raise ValueError(f"template {name!r}: there is no domain {domain!r}")
        constraint = is_constraint(t)
        out: dict[str, Any] = {"name": name, "domains": [self._domain[d] for d in shape.domains],
                               "interaction": t.interaction, "from": list(t.counts)}
        if any(shape.lists):
            out["lists"] = list(shape.lists)
        if t.k is not None:
            out["k"] = t.k
        if constraint:
            out["penalty"] = math.inf if t.penalty is None else float(t.penalty)
        if t.states:
            flat = isinstance(t.states[0], str)
            each = [t.states] * len(shape.domains) if flat else t.states
            if len(each) != len(shape.domains):
                raise ValueError(f"template {name!r}: states has a list for each of the variables, or one for all")
            out["counted"] = [[self.state(d, label) for label in labels] for d, labels in zip(shape.domains, each)]
        joint = [self._joint(name, shape.domains, labels) for labels in t.listed]
        forbidden = sorted({self._joint(name, shape.domains, labels) for labels in t.forbid})
        if constraint and forbidden and t.interaction == "table":
            out["interaction"], joint, forbidden = "list", forbidden, []
        out["listed"], out["forbidden"] = sorted(set(joint)), forbidden
        out["shared"] = [[self._joint(name, shape.domains, labels) for labels in group] for group in t.share]
        out["weights"] = [_weight(name, key, weight) for key, weight in (t.weights or {}).items()]
        return out

    def _joint(self, name: str, domains: Sequence[str], labels: Sequence[str]) -> int:
        if len(labels) != len(domains):
            raise ValueError(f"template {name!r}: {labels!r} has {len(labels)} labels, a clique has "
                             f"{len(domains)} variables")
        joint = 0
        for domain, label in zip(domains, labels):
            joint = joint * len(self.labels[domain]) + self.state(domain, label)
        return joint

    def state(self, domain: str, label: Any) -> int:
        if label is None:
            return -1
        if str(label) not in self._state[domain]:
            raise ValueError(f"the domain {domain!r} has no label {label!r}; it has {self.labels[domain]}")
        return self._state[domain][str(label)]

    def add(self, native: Any, n: int, made: Cliques, labels: Any, of: str = "X") -> None:
        """Cliques of instance n; labels as fit has them, None: all hidden."""
        numbers = []
        for (key, domain), label in zip(made._variables, in_order(labels, made)):
            if domain not in self._domain:
                raise ValueError(f"{of}[{n}], variable {key!r}: there is no domain {domain!r}")
            numbers.append(native.add_variable(self._domain[domain], n, self.state(domain, label)))
        for template, variables, features in made._cliques:
            t = self.template(template)
            if features is None:
                features = [] if self._shape[t].constraint else [("(bias)", 1.0)]
            lists = self._shape[t].lists
            if any(lists) and [isinstance(v, list) for v in variables] != list(lists):
                raise ValueError(f"{of}[{n}], template {template!r}: the keys of a list of variables are a list, and "
                                 f"those of other variables are none")
            flat = [v for each in variables for v in (each if isinstance(each, list) else [each])]
            sizes = [len(each) if isinstance(each, list) else 1 for each in variables] if any(lists) else []
            try:
                native.add_clique(t, [numbers[v] for v in flat], features, sizes)
            except _core.Error as error:
                raise type(error)(f"{of}[{n}]: {error}") from None


def names_of(keys: list[Hashable]) -> list[str]:
    """A name of its own for each."""
    names = [str(key) for key in keys]
    return names if len(set(names)) == len(names) else [f"{v}:{name}" for v, name in enumerate(names)]


def in_order(labels: Any, made: Cliques) -> list[Any]:
    if labels is None:
        return [None] * len(made._variables)
    if isinstance(labels, Mapping):
        unknown = [key for key in labels if key not in made._number]
        if unknown:
            raise ValueError(f"y has a label of {unknown[0]!r}, which is no variable of the instance")
        return [labels.get(key) for key, _ in made._variables]
    if isinstance(labels, str) or len(labels) != len(made._variables):
        raise ValueError(f"y has {len(labels)} labels for an instance of {len(made._variables)} variables")
    return list(labels)


def _weight(name: str, key: Any, weight: float) -> tuple[str, list[str], float]:
    if not isinstance(key, tuple) or not key:
        raise ValueError(f"template {name!r}: weights has the key {key!r}; write (feature, label, ..., label)")
    return str(key[0]), [str(part) for part in key[1:]], float(weight)


def features_of(features: Features) -> list[tuple[str, float]]:
    if features is None:
        return []
    if isinstance(features, str):
        return [(features, 1.0)]
    if not isinstance(features, Mapping):
        return [(str(name), 1.0) for name in features]
    out = []
    for name, value in features.items():
        if value is None or (isinstance(value, float) and math.isnan(value)):
            continue
        if isinstance(value, str):
            out.append((f"{name}={value}", 1.0))
        else:
            out.append((str(name), float(value)))
    return out
