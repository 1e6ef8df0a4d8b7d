"""The distribution of largest entropy with given expectations."""
from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, Optional, Sequence, Union

from . import _core

_SIGNS = {"=": "=", "==": "=", "<=": "<=", ">=": ">="}


@dataclass(frozen=True)
class MaximumEntropy:
    """A solution of :func:`croft.maximum_entropy`; lists are in the order of the arguments.

    status        "optimal"; "boundary" where the constraints leave some outcomes probability 0, and
                  the multipliers hold among the others; "infeasible"; or "not_converged"
    message       the same in words
    p             (outcomes,) probabilities
    expectations  (constraints,) E_p[f]
    multipliers   (constraints,) lambda in p = q exp(sum lambda f) / Z; of an inequality >= 0, and 0
                  where it has slack (of <= it is -lambda)
    entropy       of p, nats
    divergence    KL(p || base), the primal value
    dual          a lower bound of it; equal at the optimum
    kkt           {"stationarity", "primal", "normalisation", "dual", "slackness"}: each 0 for an exact solution
    certificate   where infeasible: (constraints,) d with sum |d| = 1, for which sum d (E_p[f] - b) is
                  -margin at most whatever p is, and would have to be >= 0; otherwise empty
    margin        where infeasible: what every distribution misses some constraint by, at least
    iterations    Newton steps
    """

    status: str
    message: str
    p: Any
    expectations: Any
    multipliers: Any
    entropy: float
    divergence: float
    dual: float
    kkt: dict[str, float]
    certificate: Any
    margin: float
    iterations: int


def maximum_entropy(features: Any, constraints: Sequence[tuple[Union[int, str], str, float]] = (), *,
                    base: Optional[Any] = None, tolerance: float = 1e-9,
                    max_iterations: int = 1000) -> MaximumEntropy:
    """The distribution p of largest entropy, or nearest to `base`, whose expectations are as asked for.

    Minimises KL(p || base) over all p with E_p[f_k] = b, <= b or >= b for each constraint (k, sign, b).

    features     (outcomes, features) numbers; a pandas DataFrame has names for its columns
    constraints  triples (feature, sign, bound): the feature a column's number, or its name in a
                 DataFrame; the sign "=", "<=" or ">="
    base         (outcomes,) positive numbers, up to a factor; None: all outcomes alike
    tolerance    largest violation of a constraint, relative to the largest abs(f - b) of its column

    Raises ValueError for shapes that do not fit and numbers that are not finite.  Constraints that no
    distribution meets are no error: `status` says so.  Cost: some 5 to 30 Newton steps of
    O(outcomes C^2 + C^3) for C constraints.  Mathematics: docs/math/maximum_entropy.md.
    """
    import numpy as np
    names = list(features.columns) if hasattr(features, "columns") else []
    table = np.ascontiguousarray(features, dtype=float)
    if table.ndim != 2:
        raise ValueError(f"features has {table.ndim} dimensions; a row is an outcome, a column a feature")

    def column(feature: Union[int, str]) -> int:
        if isinstance(feature, str):
            if feature not in names:
                raise ValueError(f"there is no feature {feature!r}" + (f"; there are {names}" if names else
                                 ": features has no names; give the column's number"))
            return names.index(feature)
        number = operator.index(feature)
        if not 0 <= number < table.shape[1]:
            raise ValueError(f"there is no feature {feature}: there are {table.shape[1]}, counted from 0")
        return number

    asked = []
    for constraint in constraints:
        if len(constraint) != 3:
            raise ValueError(f"{constraint!r} is not (feature, sign, bound)")
        feature, sign, bound = constraint
        if sign not in _SIGNS:
            raise ValueError(f"{sign!r} is none of the signs =, <= and >=")
        asked.append((column(feature), _SIGNS[sign], float(bound)))
    weights = [] if base is None else np.asarray(base, dtype=float).ravel().tolist()
    if base is not None and len(weights) != table.shape[0]:
        raise ValueError(f"base has {len(weights)} numbers, and there are {table.shape[0]} outcomes")
    found = _core.maximum_entropy(table, weights, asked, tolerance, max_iterations)
    for name in ("p", "expectations", "multipliers", "certificate"):
        found[name] = np.array(found[name])
    return MaximumEntropy(**found)
