"""Golden files of the Python package: its signatures and what it says of wrong parameters.

    PYTHONPATH=build/release/python golden_python.py [--record]

python_signatures.txt has every public class, function and method with its parameters and their defaults,
python_errors.txt a line for each estimator and parameter that is given what it may not take, and for each objective
with each optimizer.
"""

import argparse
import importlib
import importlib.util
import inspect
import pathlib
import pkgutil
import re
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cases  # noqa: E402
import golden  # noqa: E402


def modules():
    """The public modules of the package by name."""
    import croft
    names = ["croft"] + [each.name for each in pkgutil.walk_packages(croft.__path__, "croft.")]
    for name in sorted(names):
        if any(part.startswith("_") for part in name.split(".")):
            continue
        yield name, importlib.import_module(name)


def signature(value):
    try:
        return re.sub(r" at 0x[0-9a-f]+", "", str(inspect.signature(value)))
    except (TypeError, ValueError):
        return "(...)"


def public(value):
    names = getattr(value, "__all__", None)
    return sorted(names if names is not None else (name for name in dir(value) if not name.startswith("_")))


def of_package(value):
    """Whether it is the package's own; what estimators share with each other in _params is not public."""
    module = getattr(value, "__module__", None) or ""
    return module.split(".")[0] == "croft" and module != "croft._params"


def members(path, cls):
    """Lines for the methods and properties of a class that the package itself defines."""
    for name in sorted(dir(cls)):
        if name.startswith("_") and name not in ("__init__", "__call__", "__len__", "__getitem__"):
            continue
        owner = next((c for c in cls.__mro__ if name in vars(c)), None)
        # Of scikit-learn, where it is installed, and otherwise of _params: not the package's own.
        if owner is None or not of_package(owner):
            continue
        value = vars(owner)[name]
        if isinstance(value, property):
            yield f"{path}.{name}: property"
        elif callable(getattr(cls, name)):
            yield f"{path}.{name}{signature(getattr(cls, name))}"


def bases(cls):
    """The ones of the package but for what stands in for scikit-learn's."""
    return ", ".join(base.__name__ for base in cls.__bases__
                     if of_package(base) and base.__module__ != "croft._params")


def parameters(path, cls):
    """Defaults of get_params, where an object can be made without arguments."""
    try:
        found = cls().get_params()
    except (AttributeError, TypeError):
        return
    yield from (f"{path} {name}={value!r}" for name, value in sorted(found.items()))


def signatures():
    lines, listed = set(), {}  # where each object stands first
    for module_name, module in modules():
        lines.add(module_name)
        for name in public(module):
            value, path = getattr(module, name), f"{module_name}.{name}"
            if not of_package(value) or not (inspect.isclass(value) or inspect.isroutine(value)):
                continue
            if listed.setdefault(id(value), path) != path:
                lines.update([f"{path} = {listed[id(value)]}"] * (value.__module__ == module_name))
            elif inspect.isclass(value):
                lines.add(f"{path}({bases(value)})")
                lines.update([*members(path, value), *parameters(path, value)])
            else:
                lines.add(f"{path}{signature(value)}")
    return "\n".join(sorted(lines)) + "\n"


# Sequences of two labels for estimators of sequences, rows for the others.
SEQUENCES = ([[{"w": "a"}, {"w": "b"}], [{"w": "b"}], [{"w": "a"}, {"w": "a"}]], [["X", "Y"], ["Y"], ["X", "X"]])
JOINT = ([[["a", "N"], ["b", "V"]], [["b", "V"]], [["a", "N"], ["a", "N"]]], [["X", "Y"], ["Y"], ["X", "X"]])
ROWS = ([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.5]], ["p", "q", "p", "q"])
ESTIMATORS = {"ChainCRF": SEQUENCES, "MEMM": SEQUENCES, "HMM": SEQUENCES, "HiddenChainCRF": SEQUENCES,
              "PoolCRF": SEQUENCES, "ErrorCorrectingCRF": SEQUENCES, "BoostedCRF": SEQUENCES,
              "SegmentCRF": SEQUENCES, "JointMaxent": JOINT, "LogisticRegression": ROWS, "NaiveBayes": ROWS}
WRONG = [-1, 0, 1.5, "none", "", True, [], {"a": 1}, object]


def described(error):
    text = re.sub(r" at 0x[0-9a-f]+", "", str(error))
    return f"{type(error).__name__}: {' | '.join(text.splitlines())}"


def said(name, data, **given):
    """What fitting says: the error, or that there is none."""
    import croft
    try:
        getattr(croft, name)(**given).fit(*data)
    except Exception as error:  # whatever it is, it is to be kept
        return described(error)
    return "fits"


# They write files, or say what differs between machines.
LEFT_OUT = {"checkpoint", "progress", "threads"}


def parameter_names(name):
    import croft
    return sorted(set(getattr(croft, name)().get_params()) - LEFT_OUT)


def unfitted(name, data):
    import croft
    try:
        getattr(croft, name)().predict(data[0])
    except Exception as error:  # as above
        return described(error)
    return "predicts"


def errors():
    lines = []
    for name, data in ESTIMATORS.items():
        short = {"max_iterations": 2} if "max_iterations" in parameter_names(name) else {}
        lines += [f"{name}(nothing=1): {said(name, data, nothing=1)}", f"{name}().predict: {unfitted(name, data)}"]
        lines += [f"{name}({parameter}={value!r}): {said(name, data, **(short | {parameter: value}))}"
                  for parameter in parameter_names(name) for value in WRONG]
        if {"objective", "optimizer"} <= set(parameter_names(name)):
            lines += [f"{name}({objective} {optimizer}): "
                      + said(name, data, objective=objective, optimizer=optimizer, max_iterations=1)
                      for objective in cases.OBJECTIVES for optimizer in cases.OPTIMIZERS]
    return "\n".join(lines) + "\n"


FILES = {"python_errors.txt": errors, "python_signatures.txt": signatures}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true", help="write the files instead of comparing")
    options = parser.parse_args()
    if missing := [name for name in ("numpy", "sklearn") if not importlib.util.find_spec(name)]:
        print(f"{golden.SKIPPED}: there is no {' and no '.join(missing)}")
        return 0
    warnings.simplefilter("ignore")
    handle = golden.record if options.record else golden.compare
    wrong = [name for name, make in FILES.items() if not handle(name, make())]
    print(f"{len(FILES)} files {'recorded' if options.record else 'compared'}, {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
