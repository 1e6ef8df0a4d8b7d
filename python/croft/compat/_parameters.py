"""CRFsuite's algorithms and their parameters, and what each is called here."""
from __future__ import annotations

import math
from typing import Any, Mapping, NamedTuple, Optional, Union

from .._params import warn

Value = Union[float, int, bool, str]


class DifferenceWarning(UserWarning):
    """An argument of the peer's that changes nothing here."""


class Parameter(NamedTuple):
    """One parameter: its type, default, smallest value, and help."""
    kind: type
    default: Value
    least: float
    help: str


# How algorithms may be called, and their short names.
ALGORITHMS = {
    "lbfgs": "lbfgs", "l2sgd": "l2sgd", "ap": "ap", "averaged-perceptron": "ap", "pa": "pa",
    "passive-aggressive": "pa", "arow": "arow",
}

# What the log calls them.
TITLES = {
    "lbfgs": "L-BFGS", "l2sgd": "Stochastic gradient descent", "ap": "Averaged perceptron",
    "pa": "Passive-aggressive", "arow": "AROW",
}

LINE_SEARCHES = ("MoreThuente", "Backtracking", "StrongBacktracking")
UNLIMITED = 2147483647

_FEATURES: dict[str, Parameter] = {
    "feature.minfreq": Parameter(float, 0.0, 0, "Occurrences that a feature needs, from 1 on."),
    "feature.possible_states": Parameter(
        bool, False, 0, "A feature for every pair of attribute and label, seen or not."),
    "feature.possible_transitions": Parameter(
        bool, False, 0, "A feature for every pair of labels, seen or not."),
}
_C2 = Parameter(float, 1.0, 0, "Weight of the L2 penalty, c2 |w|_2^2 (without a half).")
_PERIOD = Parameter(int, 10, 0, "Iterations over which delta looks back; 0: no such rule.")
_PASSES = Parameter(int, 100, 0, "Passes over the data at most.")
_MEAN_LOSS = Parameter(float, 0.0, 0, "Stop where the mean loss of a pass's sequences is not more; "
                                      "0: where a pass changes nothing.")

# By algorithm, by name.
PARAMETERS: dict[str, dict[str, Parameter]] = {
    "lbfgs": {
        **_FEATURES,
        "c1": Parameter(float, 0.0, 0, "Weight of the L1 penalty, c1 |w|_1; above 0: OWL-QN."),
        "c2": _C2,
        "max_iterations": Parameter(int, UNLIMITED, 0, "Iterations at most; 0: no limit."),
        "num_memories": Parameter(int, 6, 1, "Pairs of steps that L-BFGS remembers, 1000 at most."),
        "epsilon": Parameter(float, 1e-5, 0, "Stop where |gradient| <= epsilon * max(1, |w|)."),
        "period": _PERIOD,
        "delta": Parameter(float, 1e-5, 0, "Stop where the objective falls by less than this share "
                                           "in period iterations."),
        "linesearch": Parameter(str, "MoreThuente", 0, "The peer's line search; Croft has one of "
                                                       "its own, whatever is chosen."),
        "max_linesearch": Parameter(
            int, 20, 1, "The peer's limit of trials in a line search; Croft's own is 20."),
    },
    "l2sgd": {
        **_FEATURES,
        "c2": _C2,
        "max_iterations": Parameter(int, 1000, 0, "Passes over the data at most."),
        "period": _PERIOD,
        "delta": Parameter(float, 1e-6, 0, "Stop where the objective changes by less than this "
                                           "share in period passes."),
        "calibration.eta": Parameter(float, 0.1, 0, "The peer's first trial of a step; Croft's "
                                                    "own is 0.1."),
        "calibration.rate": Parameter(float, 2.0, 0, "The peer's factor between trials; Croft's "
                                                     "own is 2."),
        "calibration.samples": Parameter(int, 1000, 0, "The peer's sequences to try steps on; "
                                                       "Croft's own are 1000."),
        "calibration.candidates": Parameter(int, 10, 1, "The peer's number of steps that do; Croft "
                                                        "goes on while the objective falls."),
        "calibration.max_trials": Parameter(int, 20, 1, "The peer's limit of trials; see "
                                                        "calibration.candidates."),
    },
    "ap": {
        **_FEATURES,
        "max_iterations": _PASSES,
        "epsilon": Parameter(float, 0.0, 0, "The peer's share of wrong labels to stop at; Croft "
                                            "stops where a pass changes nothing."),
    },
    "pa": {
        **_FEATURES,
        "type": Parameter(int, 1, 0, "0: the margin whatever it takes; 1: a change of c at most; "
                                     "2: a change that costs its square."),
        "c": Parameter(float, 1.0, 0, "Aggressiveness of types 1 and 2: the larger the bolder."),
        "error_sensitive": Parameter(bool, True, 0, "The peer's margin grows with the root of the "
                                                    "wrong labels, or is 1; Croft's is their "
                                                    "number."),
        "averaging": Parameter(bool, True, 0, "The weights are the average of those on the way; "
                                              "in Croft always."),
        "max_iterations": _PASSES,
        "epsilon": _MEAN_LOSS,
    },
    "arow": {
        **_FEATURES,
        "variance": Parameter(float, 1.0, 0, "Of every weight at first."),
        "gamma": Parameter(float, 1.0, 0, "The larger, the smaller the steps."),
        "max_iterations": _PASSES,
        "epsilon": _MEAN_LOSS,
    },
}


def check_algorithm(algorithm: Any) -> str:
    """The short name of an algorithm that there is."""
    name = algorithm.lower() if isinstance(algorithm, str) else algorithm
    if name not in ALGORITHMS:
        raise ValueError(f"algorithm is {algorithm!r}; choose one of: {', '.join(PARAMETERS)}")
    return ALGORITHMS[name]


def parameter(algorithm: str, name: str, shown: Optional[str] = None) -> Parameter:
    """The parameter of that name; shown: what the caller knows it as."""
    own = PARAMETERS[algorithm]
    if name in own:
        return own[name]
    shown = shown or name
    owners = [repr(other) for other, parameters in PARAMETERS.items() if name in parameters]
    if owners:
        raise ValueError(f"{shown} is a parameter of algorithm {' and '.join(owners)}, and "
                         f"algorithm is {algorithm!r}")
    raise ValueError(f"there is no parameter {shown!r}; algorithm {algorithm!r} has "
                     f"{', '.join(own)}")


def cast(algorithm: str, name: str, value: Any, shown: Optional[str] = None) -> Value:
    """`value`, or what the text `value` says, as the type of the parameter."""
    about = parameter(algorithm, name, shown)
    wrong = f"{shown or name} is {value!r}"
    if about.kind is str:
        if value not in LINE_SEARCHES:
            raise ValueError(f"{wrong}; choose one of: {', '.join(LINE_SEARCHES)}")
        return str(value)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
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
        if name == "type" and number > 2:
            raise ValueError(f"{wrong}; it must be 0, 1 or 2")
        return min(int(number), UNLIMITED)
    return number


# Why a parameter changes nothing, by algorithm, by name.
_WITHOUT_EFFECT: dict[str, dict[str, str]] = {
    "lbfgs": {"linesearch": "Croft has one line search; the minimum is the same",
              "max_linesearch": "a line search of Croft's has 20 trials at most"},
    "l2sgd": {name: "Croft tries out the first step in its own way" for name in PARAMETERS["l2sgd"]
              if name.startswith("calibration.")},
    "ap": {"epsilon": "Croft stops where a pass changes nothing"},
    "pa": {"error_sensitive": "the cost of a labelling in Croft is the number of its wrong labels",
           "averaging": "the weights in Croft are always averaged"},
    "arow": {},
}


def _warn_of_differences(algorithm: str, values: Mapping[str, Any]) -> None:
    reasons = dict(_WITHOUT_EFFECT[algorithm])
    if values.get("type") == 0:
        reasons["c"] = "with type=0 there is no limit to a change, here as there"
    for name, reason in reasons.items():
        if values[name] != PARAMETERS[algorithm][name].default:
            value = values[name]
            shown = repr(value) if isinstance(value, (str, bool)) else f"{value:g}"
            warn(f"{name}={shown} changes nothing: {reason}", DifferenceWarning)


def croft_options(algorithm: str, values: Mapping[str, Any], sequences: int) -> dict[str, Any]:
    """What croft's trainer is told for these values; warns of those that change nothing.

    CRFsuite minimises -sum log p + c1 |w|_1 + c2 |w|_2^2, Croft ... + l1 |w|_1 + (l2 / 2) |w|_2^2.
    sequences : those that are trained on
    """
    _warn_of_differences(algorithm, values)
    options: dict[str, Any] = {
        "format": "attributes",
        "features": "all" if values["feature.possible_states"] else "observed",
        "min_count": max(1, math.ceil(values["feature.minfreq"])),
        "max_iterations": values["max_iterations"],
    }
    if algorithm in ("lbfgs", "l2sgd"):
        tolerance = values["delta"] if values["period"] else 0.0
        options.update(l2=2 * values["c2"], tolerance=tolerance,
                       window=values["period"] if tolerance else None)
    if algorithm == "lbfgs":
        options.update(optimizer="owlqn" if values["c1"] > 0 else "lbfgs", l1=values["c1"],
                       max_iterations=values["max_iterations"] or UNLIMITED,
                       history=values["num_memories"], gradient_tolerance=values["epsilon"])
    elif algorithm == "l2sgd":
        options.update(optimizer="sgd", schedule="bottou", gradient_tolerance=0.0)
    elif algorithm == "ap":
        options.update(objective="perceptron", optimizer="averaged-perceptron")
    elif algorithm == "pa":
        options.update(objective="passive-aggressive",
                       optimizer=("pa", "pa-1", "pa-2")[values["type"]])
        if values["type"] != 0:
            options["aggressiveness"] = values["c"]
    else:
        options.update(objective="arow", optimizer="arow", variance=values["variance"],
                       gamma=values["gamma"])
    if algorithm in ("pa", "arow") and values["epsilon"] > 0:
        options["target"] = values["epsilon"] * sequences  # of the sum of a pass's losses
    return options
