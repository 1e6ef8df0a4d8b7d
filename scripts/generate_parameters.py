#!/usr/bin/env python3
"""Writes python/croft/_parameters.py: the parameters of the estimators, of the library's table of options.

    PYTHONPATH=build/release/python scripts/generate_parameters.py

An estimator has every option of its kinds of model, under the option's name and with its default, but for those of
EXCEPTIONS, which are also the last section of docs/options.md.
"""
from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import textwrap
import types
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple, Optional

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "python" / "croft" / "_parameters.py"
PAGE = ROOT / "docs" / "options.md"
HEADING = "\n## Python\n"  # of the last section of the page
WIDTH = 118

HEAD = '''\
"""Parameters of the estimators.  scripts/generate_parameters.py makes this file of the library's table of options."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Union

from ._params import Parameters, keep

if TYPE_CHECKING:
    from .estimator import ChainCRF
    from .graph_crf import Cliques, GraphCRF, Template
    from .model import Model

PathLike = Union[str, "os.PathLike[str]"]
Prior = Union["ChainCRF", "Model", PathLike]
Expert = Union[str, "ChainCRF", "Model", PathLike]
'''


class As(NamedTuple):
    """How Python has an option; what is None is as the table says it."""
    type: Optional[str] = None
    default: Any = ...
    shown: Optional[str] = None  # the type, in documentation
    help: Optional[str] = None
    own: bool = False  # the estimator hands it on by itself
    always: bool = False  # its default is not the table's


class Own(NamedTuple):
    """A parameter that is no option."""
    name: str
    type: str
    default: Any
    shown: str
    help: str


class Estimator(NamedTuple):
    kinds: tuple[str, ...]
    own: tuple[Own, ...] = ()  # the first ones
    last: tuple[Own, ...] = ()
    like: dict[str, As] = {}
    positional: int = 0  # of `own`


class Differs(NamedTuple):
    """Options that Python has in another way, or not; parameters that are no options."""
    options: str  # with blanks between; empty: none
    estimators: str  # likewise; empty: all that have the option
    parameter: Optional[str]  # empty: under its own name, with another default; None: there is none
    why: str


INDUCTION = ("induce induce-size induce-batch induce-rounds induce-iterations induce-gain induce-count induce-from")
TEXTS = ("analyzer ngrams keep-case stop-words term-weights sublinear norm min-documents max-documents max-terms "
         "hash-bits")
SEQUENCES = "ChainCRF MEMM SegmentCRF HiddenChainCRF PoolCRF ErrorCorrectingCRF BoostedCRF"
JOINT = "JointMaxent Mixture"
ROWS = "LogisticRegression NaiveBayes"
EXCEPTIONS = [
    Differs("DATA", "", None, "`fit` is handed X and y"),
    Differs("output", "", None, "`save` writes the model; the tables of a BayesNet `write`"),
    Differs("model", "", None, "each class is of its kind"),
    Differs("format", f"{SEQUENCES} HMM Mixture", "format", "attributes or columns: the others are formats of files"),
    Differs("format", ROWS, None, "X is a matrix"),
    Differs("format", "JointMaxent", None, "X has rows of cells"),
    Differs("format", "BayesNet", None, "X is a list of dicts"),
    Differs("partial partial-separator", "", None, "None and sets in y are labels that are known in part"),
    Differs("weights", "", None, "`fit` is handed sample_weight"),
    Differs(TEXTS, "", None, "TextVectorizer has them"),
    Differs("delimiter label text-column numeric categorical ignore missing standardise", "", None,
            "what makes X of a table, such as pandas, has them; `croft.check` has them"),
    Differs("init", "ChainCRF MEMM SegmentCRF GraphCRF JointMaxent", "warm_start", "the model is the estimator's own"),
    Differs("init", "LogisticRegression", None, "`prior` starts from a model"),
    Differs("init", "NaiveBayes", None, "`partial_fit` adds rows to those that were counted"),
    Differs("init", "BayesNet", "from_tables", "the tables are the network's own"),
    Differs("log", "", None, "`training_log_`, and the callback of `fit`"),
    Differs("quiet", f"{SEQUENCES} JointMaxent", "progress", "a bar in a notebook or a terminal"),
    Differs("quiet", f"HMM Mixture GraphCRF BayesNet {ROWS}", None, "nothing is shown"),
    Differs("expert", "", None, "`experts` takes models, too"),
    Differs("gazetteer", "SegmentCRF BoostedCRF", "gazetteers", "names, and no files"),
    Differs("unlabelled", "HMM", None, "y has None for a sequence without labels"),
    Differs("unlabelled", "ChainCRF SegmentCRF LogisticRegression GraphCRF", None, "`fit` is handed X_unlabelled"),
    Differs("group-by", "", None, "X_dev takes whole groups, as scikit-learn's GroupShuffleSplit makes them"),
    Differs("contiguous", "", None, "X_dev takes the end of the data"),
    Differs("label-column", "", None, "rows are lists of cells; `croft.check` has it"),
    Differs("ignore-lines", "", None, "rows are lists of cells; `croft.check` has it"),
    Differs("misaligned", "", None, "`croft.read` has it; positions are handed over"),
    Differs("tokenizer", "", None, "`croft.read` cuts texts; positions are handed over"),
    Differs("structure", "BayesNet", "states", "with `parents`; BayesNet.read has them of a file"),
    Differs("edges", "BayesNet", None, "`edge_confidence_` has them"),
    Differs("spec database query-seconds query-memory", "", None, "unroll, domains and templates make the graph"),
    Differs("no-intercept", "", None, 'intercept="none"'),
    Differs("select", "", "select_l1", "a number in the place of l1:NUMBER"),
    Differs("class-weights", ROWS, "class_weight", "scikit-learn's name; a dict in the place of a file"),
    Differs("class-weights", "BoostedCRF", None, "sample_weight has them: sequences have many labels"),
    Differs("prior-probabilities", "NaiveBayes", "priors", "scikit-learn's name; an array in the place of a file"),
    Differs("variance-floor", "NaiveBayes", "var_smoothing", "scikit-learn's name"),
    Differs("complement-norm", "NaiveBayes", "norm", "scikit-learn's name"),
    Differs("tolerance", "NaiveBayes", "em_tolerance", "the name that it had before the table"),
    Differs("boundaries", "HMM", "ends", "the name that it had before the table"),
    Differs("pool-weights", "PoolCRF", "weights", "the name that it had before the table"),
    Differs("text-attribute", "", "text", "the name that it had before the table"),
    Differs("threads", f"{SEQUENCES} {JOINT} HMM GraphCRF {ROWS}", "", "0: all processors; no result depends on it"),
    Differs("intercept", "MEMM", "", '"none", as its features are those of X alone'),
    Differs("intercept", "LogisticRegression", "", '"unpenalised", as of scikit-learn'),
    Differs("features", "LogisticRegression", "", '"all", as of scikit-learn: columns have a weight for each label'),
    Differs("event", "NaiveBayes", "", '"multinomial": numbers do not say what they are'),
    Differs("experts", "PoolCRF", "", '"all" and "random:4": a pool needs some'),
    Differs("template template-language kit", ROWS, None, "a row is numbers already: its columns are the features"),
    Differs(f"{INDUCTION} kernel boundaries", "LogisticRegression", None,
            "`coef_` has weights of single columns and no others"),
    Differs("", f"{SEQUENCES} {JOINT} HMM", "decode", "as predict has it"),
    Differs("", "Mixture", "experts", "its components are models"),
    Differs("", "BoostedCRF", "kind", "of the three kinds that are boosted"),
    Differs("", "GraphCRF", "unroll domains templates", "the graph of an instance"),
    Differs("", "GraphCRF", "method", "as predict has it"),
    Differs("", "NaiveBayes", "min_categories", "as of scikit-learn's CategoricalNB"),
    Differs("", "BayesNet", "parents", "of each variable"),
]


def difference(estimator: str, option: str) -> Optional[Differs]:
    """The row of an option that the estimator has in another way."""
    return next((row for row in EXCEPTIONS if option in row.options.split()
                 and estimator in (row.estimators or estimator).split()), None)


def parameter_name(estimator: str, option: str) -> Optional[str]:
    """None: the estimator has no parameter for it."""
    row = difference(estimator, option)
    return option.replace("-", "_") if row is None or row.parameter == "" else row.parameter


LIKE = {
    "threads": As(default=0, always=True, help="0 is one a processor.  The same seed gives the same model, byte for "
                  "byte, for any number of threads, and the same as the command line gives"),
    "seed": As(help="Of whatever is drawn at random"),
    "template": As(shown="path, str", help="A template file's path, or its text (CRF++'s or Wapiti's language), for "
                   "rows"),
    "prior": As("Optional[Prior]", shown="ChainCRF (fitted), Model, path or None", own=True,
                help="The l2 penalty is of the distance from this model's weights, where training starts; its labels "
                     "and features are kept.  To adapt a model without forgetting it"),
    "cost": As("Union[float, PathLike, None]", shown="float, path or None", help="What a mistake costs "
               "(softmax-margin, max-margin, passive-aggressive, arow): a number, or a file of lines GOLD PREDICTED "
               "COST; None: 1"),
    "objective": As(help='What to minimise: "likelihood"; "pseudolikelihood", "per-edge", "composite", "marginal", '
                         '"piecewise", "softmax-margin", "max-margin", "perceptron", "passive-aggressive" or "arow" '
                         "(docs/training.md).  The last three minimise no F: they correct mistakes, pass by pass"),
    "optimizer": As(help='How: "sgd-lbfgs", "lbfgs", "owlqn", "sgd", "frank-wolfe", ...; None: what suits the '
                         "objective.  A pair that does not go together is a ValueError that lists those that do"),
    "l2": As(help="Weight of |w|_2^2 / 2.  None: 1, and 0 for perceptron, passive-aggressive and arow, which have no "
                  "penalty.  CRFsuite's c1 is l1, its c2 is l2 / 2; Wapiti's rho2 is l2; CRF++'s C is 1 / l2"),
    "label-scheme": As(help='How labels spell segments, and what spans become ("auto": "bio"); "raw": each label is a '
                            'segment, "none": runs of a label'),
    "constrain": As("Optional[PathLike]", shown='"bio", "bioes", path or None'),
    "holdout": As("Optional[float]", shown="float or None", help="A fraction of X to set aside for a score as training "
                  "goes on; or give X_dev and y_dev to fit"),
    "intercept": As("Optional[str]", None, '"none", "penalised", "unpenalised" or None',
                    "An attribute (intercept) of every position: a weight for each label whatever x says"),
    "induce-pairs": As("Optional[bool]", None),
    "checkpoint-interval": As(default=30.0),
    "select": As("Optional[float]", shown="float or None",
                 help="Train with this l1, then what has a weight again, with l2 alone"),
    "checkpoint": As(help="A folder that fit keeps its state in, to go on from after a crash.  A training that ends by "
                     "itself deletes its state; after Ctrl-C, and where the callback stops it, it stays"),
    "resume": As(help="Go on from the checkpoint, to the very model of a training without a break"),
    "max-length": As("Union[int, Mapping[str, int], None]", None, "int, dict label -> int, or None",
                     "Positions that a segment may have; None: as the longest in y"),
    "segment-template": As(shown='path, text, "none" or None'),
    "text-attribute": As(help="With attributes, the key of a position's word: {\"word\": \"Rome\"} and "
                         "text=\"word\".  Rows have cells"),
}
FORMAT = Own("format", "Optional[str]", None, '"attributes", "columns" or None',
             'What a sequence is; None: "columns" with a template, otherwise "attributes".')
DECODE = Own("decode", "str", "viterbi", '"viterbi", "marginal" or "risk"', "How predict chooses a labelling.")
WARM_START = Own("warm_start", "bool", False, "bool", "fit goes on from the model that is there.")
PROGRESS = Own("progress", "Optional[bool]", None, "bool or None",
               "A bar in a terminal or a notebook; None: where there is one.")
GAZETTEERS = Own("gazetteers", "Optional[Mapping[str, Sequence[str]]]", None, "dict name -> list of names, or None",
                 "For %gazetteer in the template; a name is its tokens with spaces between.")
CLASS_WEIGHT = As("Union[None, str, Mapping[Any, float]]", None, 'None, "balanced" or dict',
                  'Factor of the weight of each row, by its label; labels that a dict does not have: 1.  "balanced": '
                  "N / (L * rows of the label)", own=True)

ESTIMATORS = {
    "ChainCRF": Estimator(
        ("chain",), last=(FORMAT, DECODE, WARM_START, PROGRESS), like=LIKE),
    "MEMM": Estimator(
        ("memm",), last=(FORMAT, DECODE, WARM_START, PROGRESS),
        like={**LIKE, "intercept": LIKE["intercept"]._replace(default="none")}),
    "SegmentCRF": Estimator(
        ("segment",), (GAZETTEERS,), (FORMAT, DECODE, WARM_START, PROGRESS), LIKE),
    "HiddenChainCRF": Estimator(
        ("hidden-chain",),
        last=(FORMAT, DECODE._replace(
            default="marginal", shown='"marginal", "viterbi", "labelling" or "risk"',
            help="Each position's most probable label; the best path of states; the most probable labelling, by a "
                 "search; under constraints, the fewest errors expected."), PROGRESS),
        like={**LIKE, "hidden-states": As("Union[int, Mapping[str, int]]", 2, "int or dict",
                                          "States of each label; a dict label -> states has those of some, and 1 for "
                                          "the others"),
              "starts": As(default=1, help="Random starts, of which the best objective is kept"),
              "start-deviation": As(default=0.1),
              "em-iterations": As(help="Train by EM, so many E steps at most; None: by the gradient")}),
    "PoolCRF": Estimator(
        ("pool",), last=(FORMAT, DECODE, PROGRESS),
        like={**LIKE, "experts": As("Sequence[Expert]", ("all", "random:4"), "list", own=True, help=(
                  'Experts to train: "all" (every feature), "random:N" (features dealt to N experts), '
                  '"random:N:FRACTION", "position" (past, present, future, by offsets in the attributes\' names or the '
                  'template), "labels" (one for each chunk type or label); or chains that are trained already')),
              "dirichlet": As(default=1.0),
              "label-classes": As("Optional[Mapping[str, str]]", shown="dict or None",
                                  help='label -> class, for experts "labels"'),
              "l2": As(help="Of each expert's training; None: 0.  The pool is what keeps experts from saying too "
                            "much"),
              "holdout": LIKE["holdout"]._replace(help="A fraction of X that the weights are learnt on; or give X_dev "
                                                       "and y_dev to fit")}),
    "ErrorCorrectingCRF": Estimator(
        ("error-correcting",), last=(FORMAT, DECODE, PROGRESS),
        like={**LIKE, "code": As("Union[str, Mapping[str, str]]", shown="str or dict", help=(
                  '"one-vs-rest", "all-pairs", "random[:BITS]", "minimum-loss[:BITS[:CANDIDATES]]", or a dict label -> '
                  "word of 0, 1 and - (a bit that does not matter)")),
              "holdout": LIKE["holdout"]._replace(help='A fraction of X that "minimum-loss" chooses its bits by; or '
                                                       "give X_dev and y_dev to fit")}),
    "BoostedCRF": Estimator(
        ("boosted-chain", "boosted-maxent", "boosted-segment"),
        (Own("kind", "str", "chain", '"chain", "maxent" or "segment"', "With transitions, each position by itself, or "
             "segments, which have trees of their own."), GAZETTEERS),
        (FORMAT, DECODE, PROGRESS),
        {**LIKE, "l2": As("float", 1.0, help="Of the values of leaves: v = -G / (H + l2)"),
         "tolerance": As("float", 0.0, help="Stop where a round gains less than this share of the objective; 0: "
                                            "never")}),
    "JointMaxent": Estimator(
        ("joint-maxent",), last=(DECODE, WARM_START, PROGRESS),
        like={**LIKE, "joint-template": As("Optional[PathLike]", shown="path, text or None", help=(
                  "The joint templates: a file's path, or their text (docs/templates.md)")),
              "label-classes": As("Union[Mapping[str, str], PathLike, None]", shown="dict, path or None",
                                  help="label -> class, for %y[class]; or a file of lines LABEL CLASS"),
              "features": As(help="The pairs of a string and a group of labels that the data has, or each group for "
                                  "each string; auto: those that the data has")}),
    "Mixture": Estimator(
        ("mixture",), (Own("experts", "Sequence[Expert]", (), "list", "The components: fitted estimators, Models or "
                           "paths, of single labels."),),
        (FORMAT._replace(help='What a sequence is; None: "columns" where a component says so, otherwise '
                         '"attributes".'), DECODE),
        like={**LIKE, "em-iterations": As(default=1000, help="E steps at most"),
              "tolerance": As(default=1e-9, help="EM stops where its objective gains less than this share")}),
    "HMM": Estimator(
        ("hmm",), last=(Own("format", "Optional[str]", None, '"attributes", "columns" or None', 'What a sequence is; '
                            'None: "columns" where the first position is a str, otherwise "attributes".'), DECODE),
        like={**LIKE, "boundaries": As(help="Sequences end with a probability; otherwise p(x) is that of "
                                       "the observations given their number"),
              "smoothing": As(default=0.1),
              "objective": As(help='"likelihood", "conditional", "multi-conditional" or "hybrid" of '
                                   "docs/hmm.md#objectives"),
              "em-iterations": As(default=100, help="Iterations of Baum-Welch, or of L-BFGS, at most"),
              "tolerance": As(default=1e-5, help="Training stops where its objective gains less than this share"),
              "starts": As(help="Random starts, where labels without an example are to be found; the best is kept.  "
                                "None: 5 where nothing is labelled, otherwise 1"),
              "holdout": As("Optional[float]", shown="float or None", help="A fraction of X to set aside, whose labels "
                            "the finished model is compared with"),
              "states": As(help="Labels in all; None: those of y.  Without y, how many hidden states there are (S1, "
                                "S2, ...)")}),
    "GraphCRF": Estimator(
        ("graph",),
        (Own("unroll", "Optional[Callable[[Any], Cliques]]", None, "function",
             "Of an instance; it gives its Cliques."),
         Own("domains", "Optional[Mapping[str, Sequence[str]]]", None, "dict",
             "name -> labels of the variables of this domain."),
         Own("templates", "Optional[Mapping[str, Template]]", None, "dict", "name -> Template.")),
        (Own("method", "str", "auto", "str",
             "How predict and predict_marginals infer, a method of FactorGraph.infer."), WARM_START),
        {**LIKE, "features": As(default="all", shown='"all" or "observed"', help="Each cell of each feature, or the "
                                "pairs that the training data has"),
         "objective": As(help='"likelihood" (exact), "bethe", "mean-field", "pseudolikelihood", "per-edge", '
                              '"composite", "piecewise", "piecewise-pseudolikelihood", "perceptron", "max-margin", or '
                              "another of docs/objectives.md"),
         "em-iterations": As(help="With hidden variables: E steps at most, in the place of max_iterations; None: by "
                                  "the gradient"),
         "starts": As(default=1, help="Random starts where variables are hidden, of which the best is kept"),
         "threads": As(help=LIKE["threads"].help),
         "cost": As("Optional[float]", shown="float or None", help="What a mistake costs; None: 1"),
         "class-weights": As("Union[None, str, PathLike]", shown='None, "balanced" or path', help=(
             'Factors of variables by their labels, where terms of the objective are of one variable each '
             '("pseudolikelihood") or each instance has one label; a file has lines LABEL TAB WEIGHT.  "balanced": N / '
             "(L * variables of the label)")),
         "holdout": LIKE["holdout"]._replace(help="A share of the instances to set aside, for a score as training goes "
                                                  "on"),
         "memory": As("Union[float, str, None]", shown="float (bytes), str or None"),
         "prior": LIKE["prior"]._replace(type='Union[GraphCRF, PathLike, None]',
                                         shown="GraphCRF (fitted), path or None")},
        positional=1),
    "LogisticRegression": Estimator(
        ("maxent",),
        like={**LIKE, "features": As(default="all", shown='"all" or "observed"', always=True, help=(
                  "A weight for each column and label, or for those where the column is not 0 in a row of the label")),
              "objective": As(help='What to minimise: "likelihood", "softmax-margin", "max-margin", "perceptron", '
                                   '"passive-aggressive" or "arow"; the last four want intercept="penalised" or '
                                   '"none"'),
              "prior": LIKE["prior"]._replace(shown="LogisticRegression (fitted), Model, path or None"),
              "intercept": As("str", "unpenalised", '"unpenalised", "penalised" or "none"', "b", always=True),
              "holdout": LIKE["holdout"]._replace(help="A fraction of the rows to set aside for a score as training "
                                                       "goes on"),
              "class-weights": CLASS_WEIGHT}),
    "NaiveBayes": Estimator(
        ("naive-bayes",),
        last=(Own("min_categories", "Any", None, "None, int or array [D]",
                  "Of categorical: categories of each column at least."),),
        like={"threads": LIKE["threads"], "seed": LIKE["seed"], "checkpoint-interval": LIKE["checkpoint-interval"],
              "holdout": As("Optional[float]", shown="float or None", help="A fraction of the labelled rows to set "
                            "aside, whose labels the model is compared with"),
              "early-stop": As(help="With X_unlabelled: EM stops after so many iterations without a better score of "
                                    "the rows held out, and keeps the best; 0: never"),
              "checkpoint": As(help="With X_unlabelled: a folder that EM keeps its state in, to go on from"),
              "event": As("Union[str, Sequence[str]]", "multinomial", "str, or a list of D of them", (
                  'What the numbers are: "multinomial" (counts of words), "bernoulli" (whether they are above '
                  '``binarize``), "complement" (Rennie and others 2003: counts, of all other labels), "gaussian" '
                  '(measurements) or "categorical" (categories 0, 1, ...).  A list says it for each column'), own=True),
              "alpha": As(default=1.0), "binarize": As(default=0.0),
              "prior-probabilities": As("Any", None, 'None, "uniform" or array [L]',
                                        "p(y); None: the shares of the labels in the data", own=True),
              "variance-floor": As(default=1e-9),
              "em-iterations": As(default=100, help="Of fit with X_unlabelled: iterations of EM at most"),
              "tolerance": As(default=1e-6, help="EM stops where its objective changes by less than this share"),
              "class-weights": CLASS_WEIGHT}),
}
TYPES = {"flag": "bool", "whole": "int", "number": "float", "choice": "str", "words": "str", "file": "PathLike",
         "size": "str", "letter": "str"}


def module(name: str) -> Any:
    """Of the package, which is not imported itself: it needs the file."""
    if "croft" not in sys.modules:
        found = importlib.util.find_spec("croft")
        if found is None:
            raise SystemExit("there is no croft on PYTHONPATH: build it, and name build/release/python")
        package = types.ModuleType("croft")
        package.__path__ = list(found.submodule_search_locations or ())
        sys.modules["croft"] = package
    return importlib.import_module("croft." + name)


class Parameter(NamedTuple):
    name: str
    type: str
    default: Any
    doc: str  # type and help
    table: str = ""  # what the table says in its place
    option: Optional[str] = None  # that it is
    always: bool = False


def initial(row: dict[str, Any]) -> Any:
    if row["type"] == "flag":
        return False
    if not row["initial"] or row["needs"]:
        return None
    return {"whole": int, "number": float}.get(row["type"], str)(row["initial"])


def of_row(row: dict[str, Any], names: dict[str, str], like: As) -> Parameter:
    default = initial(row) if like.default is ... else like.default
    kind = like.type or (TYPES[row["type"]] if default is not None else f"Optional[{TYPES[row['type']]}]")
    text = module("_params").option_text
    doc, table = text(row, default, names, like.shown, like.help), text(row, default, names)
    return Parameter(names[row["name"]], kind, default, doc, table, None if like.own else row["name"], like.always)


def of_own(own: Own) -> Parameter:
    return Parameter(own.name, own.type, own.default, module("_params").parameter_text(own.shown, own.help))


def parameters(called: str, estimator: Estimator,
               option_rows: Callable[[str], list[dict[str, Any]]]) -> Iterator[Parameter]:
    rows = {row["name"]: row for kind in estimator.kinds for row in option_rows(kind) if not row["front_end"]}
    names = {name: parameter_name(called, name) for name in rows}
    known = {name: python or name.replace("-", "_") for name, python in names.items()}
    yield from map(of_own, estimator.own)
    for name, row in rows.items():
        if names[name] is not None:
            yield of_row(row, known, estimator.like.get(name, As()))
    yield from map(of_own, estimator.last)


def literal(value: Any) -> str:
    """As the package writes it."""
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))})"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def filled(items: list[str], first: str, rest: str, end: str = "") -> str:
    """Items with commas between, in lines."""
    lines, line = [], first
    for k, item in enumerate(items):
        item += "," if k + 1 < len(items) else end
        if len(line) + len(item) + 1 > WIDTH and line not in (first, rest):
            lines.append(line.rstrip())
            line = rest
        line += item + " "
    return "\n".join([*lines, line.rstrip()])


def source(name: str, estimator: Estimator, of: list[Parameter], known: dict[str, str], table: set[str]) -> str:
    """known, table : what is not written: what ChainCRF says, and the options that the table speaks of."""
    renamed = {each.name: each.option.replace("-", "_") for each in of
               if each.option and each.option.replace("-", "_") != each.name}
    always = [each.name for each in of if each.always]
    own = [each.name for each in of if not each.option]
    arguments = [f"{each.name}: {each.type} = {literal(each.default)}" for each in of]
    arguments.insert(estimator.positional, "*")
    text = "\n".join(f"{each.name} : {each.doc}" for each in of
                     if known.get(each.name, each.table if each.option in table else None) != each.doc)
    lines = [f"class {name}Parameters(Parameters):",
             *([textwrap.indent(f'"""{text}\n"""\n', "    ")] if text else []),
             f"    _KIND = {literal(estimator.kinds[0])}"]
    if renamed:
        lines.append(f"    _RENAMED = {json.dumps(renamed)}")
    lines.append(filled([literal(each) for each in own], "    _OWN: tuple[str, ...] = (", " " * 12,
                        ",)" if len(own) == 1 else ")"))
    if always:
        lines.append(filled([literal(each) for each in always], "    _ALWAYS: tuple[str, ...] = (", " " * 15,
                            ",)" if len(always) == 1 else ")"))
    lines += ["", filled(["self", *arguments], "    def __init__(", " " * 17, ") -> None:")]
    lines.append("        keep(self, locals())")
    return "\n".join(lines)


def generate(option_rows: Callable[[str], list[dict[str, Any]]]) -> str:
    """The text of the file."""
    known: dict[str, str] = {}
    classes = []
    for name, estimator in ESTIMATORS.items():
        of = list(parameters(name, estimator, option_rows))
        table = {row["name"] for row in option_rows(estimator.kinds[0])}
        classes.append(source(name, estimator, of, known, table))
        known = known or {each.name: each.doc for each in of}
    return HEAD + "".join("\n\n" + each + "\n" for each in classes)


def section() -> str:
    """What the page of the options says of Python."""
    def marked(names: str) -> str:
        return ", ".join(f"`{name}`" for name in names.split())

    lines = ["An estimator has the options of its kind of model as keyword arguments, with `_` for `-`; BayesNet has "
             "those of `fit`.", "What differs:", "", "| option | estimators | in Python | why |", "|---|---|---|---|"]
    for row in EXCEPTIONS:
        python = "" if row.parameter is None else marked(row.parameter) or "another default"
        lines.append(f"| {marked(row.options)} | {row.estimators.replace(' ', ', ') or 'all'} | {python} | {row.why} |")
    return HEADING + "\n" + "\n".join(lines) + "\n"


def page() -> str:
    """docs/options.md with that section; the rest is made by tests/app/train/training_options_table_test.cc."""
    return PAGE.read_text(encoding="utf-8").partition(HEADING)[0] + section()


def main() -> None:
    FILE.write_text(generate(module("_core").option_rows), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
