"""CRFsuite's training parameters, and what each is called here."""
from __future__ import annotations

import math
import warnings
from typing import Any, Mapping, NamedTuple, Optional, Union

from .._core import Error

Value = Union[float, int, bool, str]


class NotAvailable(Error, NotImplementedError):
    """The peer can do this and Croft cannot; the message says what to do instead."""


class DifferenceWarning(UserWarning):
    """An argument of the peer's that changes nothing here."""


class Parameter(NamedTuple):
    """One parameter: its type, default, smallest value, and help."""
    kind: type
    default: Value
    least: float
    help: str


# How algorithms may be called, and their full names.
ALGORITHMS = {
    "lbfgs": "L-BFGS", "l2sgd": "stochastic gradient descent", "ap": "the averaged perceptron",
    "averaged-perceptron": "the averaged perceptron", "pa": "passive-aggressive updates",
    "passive-aggressive": "passive-aggressive updates", "arow": "AROW",
}

LINE_SEARCHES = ("MoreThuente", "Backtracking", "StrongBacktracking")
UNLIMITED = 2147483647

LBFGS: dict[str, Parameter] = {
    "feature.minfreq": Parameter(float, 0.0, 0, "Occurrences that a feature needs, from 1 on."),
    "feature.possible_states": Parameter(
        bool, False, 0, "A feature for every pair of attribute and label, seen or not."),
    "feature.possible_transitions": Parameter(
        bool, False, 0, "A feature for every pair of labels, seen or not."),
    "c1": Parameter(float, 0.0, 0, "Weight of the L1 penalty, c1 |w|_1; above 0: OWL-QN."),
    "c2": Parameter(float, 1.0, 0, "Weight of the L2 penalty, c2 |w|_2^2 (without a half)."),
    "max_iterations": Parameter(int, UNLIMITED, 0, "Iterations at most; 0: no limit."),
    "num_memories": Parameter(int, 6, 1, "Pairs of steps that L-BFGS remembers, 1000 at most."),
    "epsilon": Parameter(float, 1e-5, 0, "Stop where |gradient| <= epsilon * max(1, |w|)."),
    "period": Parameter(int, 10, 0, "Iterations over which delta looks back; 0: no such rule."),
    "delta": Parameter(float, 1e-5, 0, "Stop where the objective falls by less than this share in "
                                       "period iterations."),
    "linesearch": Parameter(str, "MoreThuente", 0, "The peer's line search; Croft has one of its "
                                                   "own, whatever is chosen."),
    "max_linesearch": Parameter(
        int, 20, 1, "The peer's limit of trials in a line search; Croft's own is 20."),
}

# Parameters of the other algorithms only.
_OWNER = {
    "calibration.eta": "l2sgd", "calibration.rate": "l2sgd", "calibration.samples": "l2sgd",
    "calibration.candidates": "l2sgd", "calibration.max_trials": "l2sgd", "type": "pa", "c": "pa",
    "error_sensitive": "pa", "averaging": "pa", "variance": "arow", "gamma": "arow",
}


def check_algorithm(algorithm: Any) -> str:
    """The short name of an algorithm that there is."""
    name = algorithm.lower() if isinstance(algorithm, str) else algorithm
    if name not in ALGORITHMS:
        raise ValueError(f"algorithm is {algorithm!r}; choose one of: lbfgs, l2sgd, ap, pa, arow")
    if name != "lbfgs":
        raise NotAvailable(f"algorithm is {algorithm!r}: Croft does not train by "
                           f"{ALGORITHMS[name]} yet; use algorithm='lbfgs'")
    return "lbfgs"


def parameter(name: str, shown: Optional[str] = None) -> Parameter:
    """The parameter of that name; shown: what the caller knows it as."""
    if name in LBFGS:
        return LBFGS[name]
    shown = shown or name
    if name in _OWNER:
        raise ValueError(f"{shown} is a parameter of algorithm {_OWNER[name]!r}, and algorithm is "
                         "'lbfgs'")
    raise ValueError(f"there is no parameter {shown!r}; algorithm 'lbfgs' has {', '.join(LBFGS)}")


def cast(name: str, value: Any, shown: Optional[str] = None) -> Value:
    """`value`, or what the text `value` says, as the type of the parameter."""
    about = parameter(name, shown)
    wrong = f"{shown or name} is {value!r}"
    if about.kind is str:
        if value not in LINE_SEARCHES:
            raise ValueError(f"{wrong}; choose one of: {', '.join(LINE_SEARCHES)}")
        return str(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{wrong}, and a number was expected") from None
    if about.kind is bool:
        if number not in (0, 1):
            raise ValueError(f"{wrong}; it must be True or False")
        return bool(number)
    if not math.isfinite(number) or number < about.least:
        raise ValueError(f"{wrong}; it must be a finite number, {about.least:g} or more")
    if about.kind is int:
        if number != int(number):
            raise ValueError(f"{wrong}, and a whole number was expected")
        if name == "num_memories" and number > 1000:
            raise ValueError(f"{wrong}; it must be 1000 or less")
        return min(int(number), UNLIMITED)
    return number


def croft_options(values: Mapping[str, Any]) -> dict[str, Any]:
    """What croft's trainer is told for these values; warns of those that change nothing.

    CRFsuite minimises -sum log p + c1 |w|_1 + c2 |w|_2^2, Croft ... + l1 |w|_1 + (l2 / 2) |w|_2^2.
    """
    if values["linesearch"] != LBFGS["linesearch"].default:
        warnings.warn(f"linesearch={values['linesearch']!r} changes nothing: Croft has one line "
                      "search; the minimum is the same", DifferenceWarning, stacklevel=3)
    if values["max_linesearch"] != LBFGS["max_linesearch"].default:
        warnings.warn(f"max_linesearch={values['max_linesearch']} changes nothing: a line search "
                      "of Croft's has 20 trials at most", DifferenceWarning, stacklevel=3)
    return {
        "format": "attributes",
        "features": "all" if values["feature.possible_states"] else "observed",
        "min_count": max(1, math.ceil(values["feature.minfreq"])),
        "l1": values["c1"],
        "l2": 2 * values["c2"],
        "max_iterations": values["max_iterations"] or UNLIMITED,
        "history": values["num_memories"],
        "gradient_tolerance": values["epsilon"],
        "window": values["period"] or 1,
        "tolerance": values["delta"] if values["period"] else 0.0,
    }
