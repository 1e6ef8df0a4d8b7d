"""Trained models: label data with them, ask for probabilities, look inside, keep them in files."""
from __future__ import annotations

import json
import numbers
import operator
import os
import re
from collections import defaultdict
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, Optional, Sequence, Union

from . import _core
from ._data import (DataFile, Report, check_order, file_of, format_of, format_of_sequences, is_path, label_lists)
from ._params import a_type, check_count, check_seed, counted, warn
from .features import FeatureFunction
from .tables import table

if TYPE_CHECKING:
    import numpy

PathLike = Union[str, "os.PathLike[str]"]
Labels = list[str]

_OF_ROWS = {"maxent": "LogisticRegression", "naive-bayes": "NaiveBayes"}


class Labelling(NamedTuple):
    """One labelling of a sequence."""
    labels: Labels
    log_probability: float  # log p(labels | x), nats


class Span(NamedTuple):
    """A chunk (entity, phrase) of the predicted labelling: positions [start, end)."""
    start: int
    end: int
    label: str
    probability: float  # that exactly this chunk is there, p(chunk | x)


class MarkovChain(NamedTuple):
    """p(y) = start[y_0] prod_t transitions[t - 1, y_{t-1}, y_t]."""
    start: numpy.ndarray  # [L]
    transitions: numpy.ndarray  # [T - 1, L, L]; a row is 0 where its label cannot be reached or left


class PositionHmm(NamedTuple):
    """A hidden Markov model of sequences of T positions, whose transitions depend on the position."""
    start: numpy.ndarray  # [L]
    transitions: numpy.ndarray  # [T - 1, L, L], as in MarkovChain
    emissions: numpy.ndarray  # [V, L], p(observation | label): each column sums to 1


class Model:
    """A trained model of sequences: immutable, to be shared between threads.

    ``X`` is a list of sequences in the form that the model was trained with (``ChainCRF`` lists them);
    methods ending in ``_single`` take one sequence.  For a model of texts (``--format text``) a str is a
    sequence of one position.  A UserWarning says where the model knows no attribute of X at all.  All label
    questions take the same keyword
    arguments, which limit or change the labellings that are considered:

    constrain : "bio", "bioes", or the path of a constraint file (docs/constraints.md)
    rules : list of str, rules on whole labellings such as ``"at-most 1 PER"`` (docs/predict.md)
    limit : int, steps of a search where rules need one
    penalties : path of a file of soft penalties (docs/predict.md)
    decode : "viterbi" (default), "marginal" (each position's most probable label), "labelling" (of hidden states,
        whose "viterbi" is the best path) or "risk" (the fewest errors to be expected among the labellings that are
        allowed)
    scheme : how labels spell chunks, for spans and rules: "auto", "bio", "bio1", "ioe", "bioes", "raw"
    known : for each sequence a list with what is known of each position: a label, a set of labels, or None
    features : a ``FeatureFunction``, which makes sequences of what is in ``X``: lists of tokens
    threads : int, 0 for one a processor (default); results do not depend on it

    Errors are ``croft.Error`` (a ValueError), ValueError or TypeError, and say which argument and where.
    Cost of a labelling: O(T L^2), and a look-up for each attribute.  The interpreter's lock is held only
    while ``X`` is read and the answer is made; where there are several threads they label what was read
    meanwhile.
    """

    def __init__(self, native: _core.Model) -> None:
        self._native = native
        self._plans: dict[Any, _core.Plan] = {}
        self._warns = True

    @classmethod
    def _quiet(cls, native: _core.Model) -> Model:
        """A model that does not warn where it knows no attribute."""
        model = cls(native)
        model._warns = False
        return model

    @classmethod
    def load(cls, path: PathLike) -> Model:
        """Opens a model file; it is mapped, so that a large one costs no time before it is used."""
        return cls(_core.Model.open(os.fspath(path)))

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """The model that ``to_bytes`` gave, or what a file holds."""
        if not isinstance(data, bytes):
            raise TypeError(f"data is {a_type(data)}; the bytes of a model file were expected")
        return cls(_core.Model.from_bytes(data))

    def to_bytes(self, format: str = "croft") -> bytes:
        """What the model's file holds.

        format : "croft"; "crfsuite", "wapiti" or "crfpp" for a chain that the format of that program can
            express (else ``croft.Error`` says what it cannot; docs/other_models.md)
        """
        return self._native.bytes(format)

    def save(self, path: PathLike, format: str = "croft") -> None:
        """Writes the file whole or not at all (a temporary file, synced and renamed); format as in ``to_bytes``."""
        self._native.save(os.fspath(path), format)

    def verify(self) -> None:
        """Reads the whole file and raises ``croft.Error`` where its checksums say that it is damaged."""
        self._native.verify()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.to_bytes())

    def __repr__(self) -> str:
        kind = json.loads(self._native.meta())["kind"]
        return f"<croft.Model: {kind}, {len(self.labels)} labels, {self.size} bytes>"

    # What it is.

    @property
    def labels(self) -> Labels:
        """The labels, in the order of their numbers: the columns of marginals."""
        return self._native.labels

    @property
    def order(self) -> int:
        """How many labels back scores look."""
        return self._native.order

    @property
    def rows(self) -> bool:
        """Whether sequences are rows of columns rather than attributes."""
        return self._native.rows

    @property
    def size(self) -> int:
        """Bytes of the model file."""
        return self._native.size

    @property
    def attributes(self) -> list[str]:
        """Names of all attributes with a weight.  Cost: all of them."""
        return self._native.attributes

    # Labels and probabilities.

    def predict(self, X: Sequence[Any], **how: Any) -> list[Labels]:
        """The labelling of each sequence: a list of str as long as the sequence."""
        return PerSequence(self._ask(X, {}, how)["labels"])

    def tag_many(self, sequences: Iterable[Any], threads: int = 1, features: Optional[FeatureFunction] = None,
                 **how: Any) -> list[Labels]:
        """``predict``, of whatever can be iterated over, on one thread unless more are asked for.

        sequences : N sequences in any form that the model takes, read as they come: a list, a generator, ...
        threads : how many label, beside the caller's, which reads; 0: one a processor.  With 1 the caller's labels,
            too.  The answer does not depend on it
        features : what makes attributes of each sequence's tokens; None: the sequences are the model's own

        Answers N lists of str, each as long as its sequence; equal labels are one object.  A bad sequence is an
        exception that names it and the position (``X[3][5]``).  Ctrl-C is heeded between some thousand positions.
        Cost of dicts and lists of attributes: some 8 ns for each attribute that was seen before in a
        name, and the labelling.  Memory beyond the answer: of some thousand positions.
        """
        how = {"threads": threads, "features": features, **how}
        given = sequences if _indexed(sequences) else iter(sequences)
        return PerSequence(self._ask(given, {}, how, streams=True)["labels"])

    def predict_single(self, x: Any, **how: Any) -> Labels:
        """The labelling of one sequence."""
        return self.predict([x], **_single(how))[0]

    def predict_proba(self, X: Sequence[Any], **how: Any) -> list[numpy.ndarray]:
        """p(y_t = j | x) for each sequence: a float64 array [T, L], columns as in ``labels``."""
        answers = self._ask(X, {"marginals": True}, how)["marginals"]
        return PerSequence(_array(each) for each in answers)

    def predict_marginals(self, X: Sequence[Any], **how: Any) -> list[list[dict[str, float]]]:
        """The same as a dict label -> probability for each position."""
        answers = self._ask(X, {"marginals": True}, how)["marginals"]
        return PerSequence(_dicts(each, self.labels) for each in answers)

    def predict_marginals_single(self, x: Any, **how: Any) -> list[dict[str, float]]:
        """The same of one sequence."""
        return self.predict_marginals([x], **_single(how))[0]

    def edge_marginals(self, X: Sequence[Any], *, smallest: float = 1e-6,
                       **how: Any) -> list[list[tuple[int, str, str, float]]]:
        """p(y_{t-1} = i, y_t = j | x) for each sequence: (t, i, j, probability), those from `smallest` on;
        with L labels up to L^2 smallest may be missing at an edge."""
        return self._ask(X, {"edges": True, "smallest_edge": float(smallest)}, how)["edges"]

    def k_best(self, X: Sequence[Any], k: int, **how: Any) -> list[list[Labelling]]:
        """The k most probable labellings of each sequence, best first; all of them where there are fewer."""
        check_count("k", k)
        answers = self._ask(X, {"k_best": k, "probability": True}, how)["k_best"]
        return [[Labelling(*each) for each in labellings] for labellings in answers]

    def spans(self, X: Sequence[Any], **how: Any) -> list[list[Span]]:
        """The chunks of each predicted labelling, with their probabilities."""
        answers = self._ask(X, {"spans": True}, how)["spans"]
        return [[Span(*each) for each in spans] for spans in answers]

    def sample(self, X: Sequence[Any], n: int = 1, *, seed: int = 1, **how: Any) -> list[list[Labels]]:
        """n exact draws from p(y | x) for each sequence.  The same seed gives the same draws."""
        check_count("n", n)
        return self._ask(X, {"samples": n, "seed": seed}, how)["samples"]

    def entropy(self, X: Sequence[Any], **how: Any) -> list[float]:
        """-sum_y p(y|x) log p(y|x) of each sequence, in nats."""
        return self._ask(X, {"entropy": True}, how)["entropy"]

    def log_probability(self, X: Sequence[Any], **how: Any) -> list[Labelling]:
        """The predicted labelling of each sequence with log p(y | x)."""
        answers = self._ask(X, {"probability": True}, how)
        return [Labelling(*each) for each in zip(answers["labels"], answers["log_probability"])]

    def log_likelihood(self, X: Sequence[Any], y: Sequence[Sequence[str]], **how: Any) -> list[float]:
        """log p(y_n | x_n) of each sequence, nats; -inf where a label is unknown or forbidden."""
        if "known" in how:
            raise TypeError("known goes with predictions; log_likelihood is told all labels by y")
        return self._ask(X, {"log_likelihood": True}, how, y)["log_likelihood"]

    def log_partition(self, X: Sequence[Any], **how: Any) -> list[float]:
        """log Z(x) of each sequence, nats."""
        return self._ask(X, {"probability": True}, how)["log_partition"]

    def expected_counts(self, X: Sequence[Any], **how: Any) -> list[dict[str, float]]:
        """How often each label is to be expected in each sequence."""
        answers = self._ask(X, {"expected_counts": True}, how)["label_counts"]
        return [dict(zip(self.labels, counts)) for counts in answers]

    def evaluate(self, X: Sequence[Any], y: Sequence[Sequence[str]], *, chunks: str = "auto",
                 **how: Any) -> dict[str, Any]:
        """Accuracy, precision, recall and F1 of labels and chunks (docs/evaluation.md); chunks as `croft.evaluate`
        has it."""
        return evaluate(y, self.predict(X, **how), chunks=chunks)

    def posterior_chain(self, x: Any, **how: Any) -> MarkovChain:
        """p(y | x) of one sequence as what it is, a Markov chain: p(y_0 | x) and p(y_t | y_{t-1}, x), from
        the backward vector (docs/math/hidden_markov.md, HM.11), edge observations and constraints included.
        Labels are in the order of ``labels``.  For models of order 1.  Cost O(T L^2) exponentials."""
        import numpy
        how.pop("threads", None)
        start, transitions = self._plan(how, False).posterior_chain(x)
        return MarkovChain(numpy.array(start), _stack(transitions, len(self.labels)))

    def hmm(self, observations: Sequence[Any], length: int) -> PositionHmm:
        """The hidden Markov model that has p(y | x) of this chain for every sequence x of `length` positions,
        each one of the `observations`: exactly (docs/math/hidden_markov.md, HM.12).

        observations : V positions, each in the form that the model was trained with

        For chains of order 1 that were trained on attributes, without features of two labels and the data
        (ValueError).  Which observations there are decides about p(x), not about p(y | x).
        Cost O(T L^2 + V L).
        """
        import numpy
        check_count("length", length)
        given = list(observations)
        if not given:
            raise ValueError("observations is empty: a hidden Markov model emits one of them at each position")
        padded = [given[0], *given, given[-1]]  # so that start and end are told from the observation
        start, transitions, emissions = self._plan({}, False).hmm(padded, length)
        return PositionHmm(numpy.array(start), _stack(transitions, len(self.labels)), _array(emissions))

    # What is in it.

    def inspect(self, top: int = 10) -> Inspection:
        """What the model is, how it was trained, and its strongest features; prints as text."""
        check_count("top", top, 0)
        return Inspection(self._native, top)

    def explain(self, x: Any, *, positions: Optional[Iterable[int]] = None, wrong: Optional[Sequence[str]] = None,
                below: Optional[float] = None, against: Optional[str] = None, top: int = 5, unknown: bool = False,
                **how: Any) -> Explanation:
        """Why one sequence gets its labels: at each position what speaks for the predicted label and for
        another one (docs/explain.md).

        positions : those to be explained, from 0; None: all
        wrong : the labels that x has, one a position: explain what is wrong alone, compared with these (or with
            `against`); wrong chunks as wholes, under "stretches"
        below : explain those alone whose label has a smaller probability, from 0 to 1
        against : the other label; None: the most probable of the others
        top : attributes that are shown one by one; the others are summed
        unknown : name the attributes that the model does not know

        Where nothing is left to be explained, the list of what is explained is empty.
        """
        if how.keys() - {"constrain", "penalties"}:
            raise TypeError(f"explain takes constrain and penalties, not {', '.join(sorted(how))}")
        check_count("top", top, 0)
        asked = None if positions is None else [operator.index(t) for t in positions]
        for t in asked or ():
            check_count("a position", t, 0)
        plan = self._plan(how, False)
        return Explanation(*plan.explain(x, asked, against, top, bool(unknown), None if wrong is None else list(wrong),
                                         None if below is None else float(below)))

    @property
    def state_features(self) -> dict[tuple[str, str], float]:
        """(attribute, label) -> weight, those that are not 0.  Cost: all of them."""
        return self._native.state_features()

    @property
    def transition_features(self) -> dict[tuple[str, str], float]:
        """(from, to) -> weight of the transitions that hold at every position."""
        return self._native.transition_features()

    @property
    def edge_features(self) -> dict[tuple[str, Optional[str], Optional[str]], float]:
        """(attribute, from, to) -> weight where transitions look at the data; from (to) is None before the
        first (after the last) position."""
        return self._native.edge_features()

    def weights(self) -> Any:
        """All weights as a table (pandas, where it is installed): kind, attribute, from, to, weight."""
        return table(("kind", "attribute", "from", "to", "weight"), self._weight_rows())

    def _weight_rows(self) -> Iterable[tuple[Any, ...]]:
        for (before, after), weight in self.transition_features.items():
            yield "transition", None, before, after, weight
        for (attribute, label), weight in self.state_features.items():
            yield "state", attribute, None, label, weight
        for (attribute, first, second), weight in self.edge_features.items():
            yield "edge", attribute, first, second, weight

    def _ask(self, X: Any, questions: dict[str, Any], how: dict[str, Any],
             y: Optional[Sequence[Any]] = None, streams: bool = False) -> dict[str, list[Any]]:
        how = dict(how)
        threads = how.pop("threads", 0)
        check_count("threads", threads, 0, 1024)
        known = how.pop("known", None)
        features = how.pop("features", None)
        if features is not None and not isinstance(features, FeatureFunction):
            raise TypeError(f"features is {a_type(features)}; give a croft.FeatureFunction of a token, or "
                            "FeatureFunction.of_sequence(f)")
        told = None if features is None else features._for(self._native)
        check_order(X, "X", features is None)
        for given, name in ((known, "known"), (y, "y")):
            check_order(given, name)
        plan = self._plan(how, known is not None)
        try:
            answers = defaultdict(list, plan.tag(X, known if y is None else y, questions, int(threads), streams, told))
        except (TypeError, ValueError) as fault:
            kind = json.loads(self._native.meta())["kind"]
            if kind in _OF_ROWS and getattr(X, "ndim", 1) == 2:
                raise type(fault)(f"{fault}; this model of kind {kind} labels sequences, and the estimator that "
                                  f"croft.{_OF_ROWS[kind]}.load gives takes the rows of a matrix") from None
            raise
        for warning in answers.pop("warning", ()):
            if self._warns:
                warn(warning)
        return answers

    def _plan(self, how: dict[str, Any], partial: bool) -> _core.Plan:
        key = (partial, *sorted((name, tuple(value) if name == "rules" and value else value)
                                for name, value in how.items() if value is not None))
        plan = self._plans.get(key)
        if plan is None:
            plan = _core.Plan(self._native, {**how, "partial": partial})
            if not {"constrain", "penalties"} & how.keys():  # files may change
                self._plans[key] = plan
        return plan


class PerSequence(list[Any]):
    """A list with an element for each sequence, which numpy takes as [N] objects, however long they
    are; so scikit-learn can put parts of it together (``cross_val_predict``)."""

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        import numpy
        array = numpy.empty(len(self), dtype=object)
        for n, each in enumerate(self):
            array[n] = each
        return array


class _Shown(dict[str, Any]):
    """Nested dicts, which ``str()`` and ``print`` show as text."""

    def __init__(self, text: str, document: str) -> None:
        super().__init__(json.loads(document))
        self._text = text

    def __str__(self) -> str:
        return self._text

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # of IPython
        printer.text(self._text)


class Explanation(_Shown):
    """Reasons for the labels of a sequence as nested dicts; ``str()`` and ``print`` show them as text."""

    def __init__(self, text: str, document: str) -> None:
        super().__init__(text, document)
        for name in ("file", "line"):
            self.pop(name, None)


class Inspection(_Shown):
    """The summary of a model as nested dicts; ``str()`` and ``print`` show it as text."""

    def __init__(self, native: _core.Model, top: int) -> None:
        super().__init__(*native.inspect(top))


def load(path: PathLike) -> Model:
    """Opens a model file."""
    return Model.load(path)


def save(model: Any, path: PathLike, format: str = "croft") -> None:
    """Writes a ``Model``, or the model of a fitted estimator, to a file; format as in ``Model.to_bytes``."""
    found = model if isinstance(model, Model) else getattr(model, "model_", None)
    if not isinstance(found, Model):
        raise TypeError(f"model is {a_type(model)}; give a Model or a fitted ChainCRF")
    found.save(path, format)


def model_of(model: Any) -> Model:
    """The ``Model`` that this is, that a fitted estimator has, or of this path; TypeError for what is neither."""
    if isinstance(model, (str, os.PathLike)):
        return Model.load(model)
    found = model if isinstance(model, Model) else getattr(model, "model_", None)
    if not isinstance(found, Model):
        raise TypeError(f"model is {a_type(model)}; give a Model, a fitted estimator or the path of a model "
                        "file")
    return found


class Evaluation(_Shown):
    """Scores as nested dicts, under the names of ``croft evaluate --json``; ``str()`` and ``print`` show the report."""

    def table(self) -> Any:
        """Precision, recall, F1 and support of each type of chunk, or else of each label (pandas, where it is
        installed)."""
        chunk = self.get("chunk")
        classes: dict[str, Any] = chunk["types"] if chunk else self["labels"]
        names = ("precision", "recall", "f1", "support")
        return table(("type" if chunk else "label", *names),
                     [(name, *(each[key] for key in names)) for name, each in classes.items()])


def evaluate(y_true: Sequence[Sequence[str]], y_pred: Sequence[Sequence[str]], *more: Any,
             chunks: str = "auto") -> Evaluation:
    """Compares labels: token accuracy, per-label and chunk precision, recall, F1 (docs/evaluation.md).

    Fractions, under the names of ``croft evaluate --json``, such as ``["tokens"]["accuracy"]``; prints as ``croft
    evaluate`` does.

    chunks : how labels spell chunks: auto, bio, bio1, ioe, bioes, raw, or none
    """
    if more or hasattr(y_true, "predict"):
        raise TypeError("evaluate takes labels, y_true and y_pred; of a model give evaluate(y, model.predict(X))")
    gold, predicted = label_lists(y_true, "y_true"), label_lists(y_pred, "y_pred")
    found = Evaluation(*_core.evaluate(gold, predicted, chunks))
    if not any(map(len, gold)):
        raise ValueError("there is no labelled sequence to evaluate")
    return found


def chunk_f1(y_true: Sequence[Sequence[str]], y_pred: Sequence[Sequence[str]], *, chunks: str = "auto") -> float:
    """The F1 of chunks, as conlleval counts it: for ``sklearn.metrics.make_scorer``.

    0 where all labels are O: there is no chunk on either side.  chunks : as `evaluate` has it.

    Raises ValueError where the labels spell no chunks.
    """
    f1 = f1_of_chunks(evaluate(y_true, y_pred, chunks=chunks))
    if f1 is None:
        raise ValueError("the labels spell no chunks (B-X, I-X, O and the like)")
    return f1


def f1_of_chunks(found: Evaluation) -> Optional[float]:
    """0 of nothing but O, as of any fraction whose denominator is 0; None of labels that spell no chunks."""
    if "chunk" in found:
        return float(found["chunk"]["f1"])
    return 0.0 if found["labels"].keys() == {"O"} else None


def errors(model: Any, data: Any, y: Optional[Sequence[Any]] = None, *, train: Optional[PathLike] = None,
           kind: Optional[str] = None, top: int = 20, explain: bool = False, chunks: str = "auto") -> Report:
    """Where a model is wrong on labelled data, the surest mistakes first (docs/evaluation.md); prints as a table.

    Under "kinds" how many there are of each, under "errors" the surest: kind, sequence, position, gold, predicted,
    context, of a file line, and probability where the model has one.  The names are those of ``croft errors --json``.

    model : a Model, a fitted estimator, or the path of a model file; data : the path of a file, or sequences, as
    predict has them, whose labels are y; top : how many are listed;
    train : the file that the model was trained on, to tell words that it has not; kind : list these alone;
    explain : with what speaks for the predicted label against the gold one; chunks : as `evaluate` has it
    """
    check_count("top", top, 0)
    opened = model_of(model)
    _check_labelled(data, y)
    data = as_predicted(opened, data)
    with file_of(data, y, format_of(opened)) as file:
        document: dict[str, Any] = json.loads(_core.errors(
            opened._native, file.path, "" if train is None else os.fspath(train), kind or "", top, bool(explain),
            chunks))
    columns = ["kind", *([] if file.starts else ["line"]), "sequence", "position", "gold", "predicted", "probability",
               "context"]
    for each in document["errors"]:
        if file.starts:
            del each["line"]
            for name in ("file", "line"):
                each.get("why", {}).pop(name, None)
        if not opened.rows:
            each.update((name, _counted_from_0(each[name])) for name in ("gold", "predicted"))
    heading = (f"{document['found']} of {document['gold']} {document['of']} found, {document['wrong_sequences']} of "
               f"{counted(document['sequences'], 'sequence')} with an error")
    return Report(document, heading, columns,
                  [[each.get(name, "") for name in columns] for each in document["errors"]])


def card(model: Any, data: Any = None, y: Optional[Sequence[Any]] = None, *, name: str = "model", notes: str = "",
         top: int = 5, format: str = "markdown") -> str:
    """A page about a model: labels, scores and mistakes on ``data``, strongest features, how to train it again.

    model : a Model, a fitted estimator, or the path of a model file;
    data : labelled data that it was not trained on: the path of a file, or sequences, whose labels are y;
    notes : Markdown to be put on the page;
    top : features of each label; format : markdown, html, or json, as ``croft card --json``
    """
    check_count("top", top, 0)
    opened = model_of(model)
    if data is None:
        return _core.card(opened._native, name, "", notes, top, format)
    _check_labelled(data, y)
    data = as_predicted(opened, data)
    with file_of(data, y, format_of(opened)) as file:
        page = _core.card(opened._native, name, file.path, notes, top, format)
    return _by_sequence(page, file, format) if file.starts else page


def _counted_from_0(chunk: str) -> str:
    """The text of a chunk without words, whose positions the program counts from 1."""
    place = re.search(r" at positions? [0-9 to]+$", chunk)
    return chunk if place is None else chunk[:place.start()] + re.sub(
        "[0-9]+", lambda found: str(int(found[0]) - 1), place[0])


def _by_sequence(page: str, file: DataFile, format: str) -> str:
    """The card's mistakes by sequence, from 0 on, and not by lines of a file that is no longer there."""
    if format == "json":
        document = json.loads(page)
        for each in document["errors"]["errors"]:
            del each["line"]
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    heading, end = ("<tr><th>line</th>", "</table>") if format == "html" else ("\n| line | kind ", "\n\n")
    before, line, after = page.partition(heading)
    table, end, after = after.partition(end)
    table = re.sub(r"^(\| |<tr><td>)([0-9]+)", lambda cell: f"{cell[1]}{file.place(int(cell[2]))['sequence']}", table,
                   flags=re.MULTILINE)
    return before + line.replace("line", "sequence") + table + end + after


def check(train: Any, *tests: Any, format: Optional[str] = None,
          show: int = 5, label_column: Optional[int | str] = None, ignore_lines: Optional[str] = None,
          tokenizer: Optional[str] = None, misaligned: Optional[str] = None,
          label: Optional[str] = None, delimiter: Optional[str] = None, text_column: Optional[str] = None,
          numeric: str | Sequence[str] = (), categorical: str | Sequence[str] = (), ignore: str | Sequence[str] = (),
          missing: str | Sequence[str] = (), standardise: bool = False) -> Report:
    """What is strange in labelled data: under "train" and "tests" the numbers of sequences and labels, and
    "findings" by name, each with a count and some cases (docs/formats.md); prints as a table.

    train, tests : each the path of a file, or a pair (X, y) of sequences, as fit has them, with all labels;
        check(X, y) is check((X, y)); cases of files have the line, those of sequences the sequence and the position,
        from 0 on
    format : of files, as ``croft train`` has it: columns (None), spans, csv, conllu, doccano, ...; show : cases of
        each finding
    label_column : the one with the labels: of columns its number, from 1 on, of conllu its name; None: the last
        one, upos
    ignore_lines : of columns a regular expression: lines that it is found in are skipped, such as "^#"
    tokenizer, misaligned : of prodigy, doccano and brat, as `read` has them
    label, delimiter, text_column, numeric, categorical, ignore, missing, standardise : of tables, as ``croft train``
        has them
    """
    if len(tests) == 1 and not any(is_path(each) or isinstance(each, tuple) for each in (train, *tests)):
        train, tests = (train, tests[0]), ()
    given = [train, *tests]
    in_memory = [not is_path(each) for each in given]
    if any(in_memory) and not all(in_memory):
        raise ValueError("some of the data is in files and some in memory: give all of it in one way")
    if any(in_memory) and format is not None:
        raise ValueError("format is of a file, and the data is sequences: leave it out")
    for each in given if any(in_memory) else ():
        if not isinstance(each, tuple) or len(each) != 2:
            raise TypeError(f"data is {a_type(each)}; give the path of a file, or a pair (X, y) of sequences")
        check_order(each[0], "X")
    if any(in_memory):
        format = format_of_sequences(train[0])
    names = ["train", *(f"tests[{n}]" for n in range(len(tests)))]
    with ExitStack() as stack:
        files = [stack.enter_context(file_of(each, None, "") if is_path(each) else
                                     file_of(each[0], each[1], format or "", f"{name}[0]" if tests else "X",
                                             f"{name}[1]" if tests else "y"))
                 for each, name in zip(given, names)]
        options = {"format": format or "columns", "show": show, "label_column": label_column,
                   "ignore_lines": ignore_lines, "tokenizer": tokenizer, "misaligned": misaligned, "label": label,
                   "delimiter": delimiter, "text_column": text_column, "numeric": numeric, "categorical": categorical,
                   "ignore": ignore, "missing": missing, "standardise": standardise}
        document: dict[str, Any] = json.loads(_core.check(files[0].path, [each.path for each in files[1:]], options))
    reports = [document["train"], *document["tests"]]
    for file, report, name in zip(files, reports, names):
        if file.starts:
            report["file"] = name
            _name_places(report, file, files)
    rows = [[report["file"], name, found["count"], found["cases"][0]["what"] if found["cases"] else ""]
            for report in reports for name, found in report["findings"].items()]
    heading = "\n".join(f"{each['file']}: {counted(each['sequences'], 'sequence')}, "
                        f"{counted(each['positions'], 'position')}, {counted(len(each['labels']), 'label')}"
                        for each in reports) + ("" if rows else "\nnothing that is strange")
    return Report(document, heading, ["data", "finding", "count", "such as"], rows)


def _name_places(report: dict[str, Any], file: DataFile, files: list[DataFile]) -> None:
    """Cases by sequence and position, and not by lines of a file that is no longer there."""
    for name, found in report["findings"].items():
        for case in found["cases"]:
            case.update(file.place(case.pop("line")))
            if "other_line" in case:
                other = files[0] if "training" in name else file
                case["other_sequence"] = other.place(case.pop("other_line"))["sequence"]


def _check_labelled(data: Any, y: Any) -> None:
    if not is_path(data) and y is None:
        raise ValueError("y is None; data is sequences, whose labels it has")


def as_predicted(model: Model, data: Any) -> Any:
    """Sequences as a list, or paths; raises what predict raises of sequences that the model cannot read."""
    if is_path(data):
        return data
    check_order(data, "X")
    sequences = list(data)
    model.predict(sequences)
    return sequences


def compare(y_true: Sequence[Sequence[str]], y_first: Sequence[Sequence[str]], y_second: Sequence[Sequence[str]], *,
            chunks: str = "auto", draws: int = 10_000, confidence: float = 0.95, seed: int = 1,
            show: int = 10) -> Report:
    """Whether one labelling of the same sequences is better than another (docs/evaluation.md).

    Under "metrics" accuracy and, of chunk labels, precision, recall and F1: of each labelling, their difference,
    its interval by the bootstrap, and p by approximate randomisation, both over sequences.  Under "differences" the
    sequences on which the two differ most, each with its "labels": position, gold, first, second.  The names are
    those of ``croft compare --json``, without "line" and "text": labels are in no file and have no words.  Prints as a
    table of the metrics.

    chunks : as `evaluate` has it; draws : of each test; confidence : of the interval, between 0 and 1;
    seed : what is drawn; show : how many sequences are under "differences"
    """
    check_count("draws", draws, 1, 10_000_000)
    check_count("show", show, 0)
    check_seed(seed)
    if not isinstance(confidence, numbers.Real):
        raise TypeError(f"confidence is {confidence!r}, and a number was expected")
    # A str is no list of labels, which the extension says.
    given = ([each if isinstance(each, str) else list(each) for each in label_lists(labels, name)]
             for labels, name in ((y_true, "y_true"), (y_first, "y_first"), (y_second, "y_second")))
    document: dict[str, Any] = json.loads(_core.compare(*given, chunks, draws, float(confidence), seed, show))
    columns = ["first", "second", "difference", "low", "high", "p"]
    return Report(document, f"{document['differing']} of {counted(document['sequences'], 'sequence')} differ",
                  ["metric", *columns],
                  [[name, *(found[each] for each in columns)] for name, found in document["metrics"].items()])


def _restore(cls: type[Model], data: bytes) -> Model:
    return cls.from_bytes(data)


def _indexed(sequences: Any) -> bool:
    return hasattr(sequences, "__len__") and hasattr(sequences, "__getitem__")


def _single(how: dict[str, Any]) -> dict[str, Any]:
    how = {"threads": 1, **how}
    if how.get("known") is not None:
        how["known"] = [how["known"]]
    return how


def _stack(matrices: list[Any], labels: int) -> numpy.ndarray:
    import numpy
    return numpy.array([_array(each) for each in matrices]).reshape(-1, labels, labels)


def _array(answer: tuple[bytes, int, int]) -> numpy.ndarray:
    import numpy
    data, rows, columns = answer
    return numpy.frombuffer(bytearray(data), dtype=numpy.float64).reshape(rows, columns)


def _dicts(answer: tuple[bytes, int, int], labels: Labels) -> list[dict[str, float]]:
    data, rows, columns = answer
    values = memoryview(data).cast("d") if data else []
    return [dict(zip(labels, values[t * columns:(t + 1) * columns])) for t in range(rows)]
