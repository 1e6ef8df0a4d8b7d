"""TableGraphCRF: a conditional random field over the graph that a spec and the tables of a database declare."""
from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import tempfile
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

from . import _core
from ._params import VariableReasons, graph_question
from ._params import a_type, check_count, raise_not_fitted
from .case_columns import columns_of, is_missing
from .estimator import Callback, TrainingLog, warn_if_interrupted
from .graph_crf import GraphCRF
from .tables import table

PathLike = Union[str, "os.PathLike[str]"]
Database = Union[PathLike, Sequence[PathLike], Mapping[str, Any]]


class TableGraphCRF:
    """A general CRF whose variables, cliques and features are queries of a spec (docs/graphs_from_tables.md).

        crf = croft.GraphCRF.from_tables("words.toml", {"token": train})   # a DataFrame named token
        crf.fit()
        crf.predict({"token": test})       # domain, instance, id, label, probability
        crf.evaluate({"token": test})      # as croft evaluate --json

    spec        a path, or the TOML itself (a text with a line end)
    database    what fit reads: a dict of tables by their names, each a DataFrame or a dict of columns; or a path of
                a SQLite database; or paths of files NAME.csv and NAME.tsv
    parameters  those of GraphCRF, without unroll, domains and templates

    The model is the one that ``croft train --model graph`` makes of the same tables, and answers are those of the
    program.  In a DataFrame a missing cell is NULL, and numbers that are whole, in a column with missing ones, are
    whole numbers.

    Attributes
    ----------
    training_log_ : TrainingLog, an entry for each iteration
    """

    _model: Any  # once fitted

    def __init__(self, spec: Optional[PathLike] = None, database: Optional[Database] = None, **parameters: Any) -> None:
        for name in ("unroll", "domains", "templates"):
            if name in parameters:
                raise TypeError(f"{name} makes graphs in Python; here the spec declares them")
        self.spec = spec
        self.database = database
        self._parameters = GraphCRF(**parameters)

    def fit(self, database: Optional[Database] = None, database_dev: Optional[Database] = None, *,
            database_unlabelled: Optional[Database] = None, callback: Optional[Callback] = None) -> TableGraphCRF:
        """Trains, on the database of the constructor or on another one; returns self.

        database_dev         another database, for a score after each iteration (see early_stop)
        database_unlabelled  another one, whose labels, if any, are not looked at, for entropy, expectations or
                             self_training; without it these are of the variables whose label is NULL
        callback             is called with each entry of training_log_; False stops
        """
        if self.spec is None:
            raise ValueError("there is no spec to train by")
        native = _native("train_tables")
        given = self._parameters
        log = TrainingLog()
        with _files(self._database(database), self.spec) as (paths, spec), \
                _files(() if database_dev is None else database_dev, None) as (held_out, _), \
                _files(() if database_unlabelled is None else database_unlabelled, None) as (more, _):
            init = self._model if given.warm_start and hasattr(self, "_model") else None
            self._model, log.result = native(given._given(), spec, paths, held_out, more, init,
                                             self._prior(), log.watching(callback))
        self.training_log_ = log
        warn_if_interrupted(log.result)
        return self

    def predict(self, database: Optional[Database] = None, *, use_known: bool = False, **how: Any) -> Any:
        """A row for each variable: domain, instance, id, label, probability.  A DataFrame where pandas is installed.

        database   another one than the constructor's
        use_known  labels in the database are known: the others are found given them
        how        decode ("best": of each instance the most probable labelling; "marginal": of each variable the
                   most probable label), method (for probabilities), search (for the best labelling),
                   max_iterations, memory (bytes), seed, threads; costs, a dict {(gold, predicted): cost}, or
                   thresholds, a dict {label: probability}, by which labels are chosen from their probabilities;
                   spec, with other queries for other tables
        """
        return table(("domain", "instance", "id", "label", "probability"),
                     self._ask("label_tables", database, how, use_known, False))

    def predict_marginals(self, database: Optional[Database] = None, *, use_known: bool = False, **how: Any) -> Any:
        """As predict, with a row for each label of each variable."""
        return table(("domain", "instance", "id", "label", "probability"),
                     self._ask("label_tables", database, how, use_known, True))

    def evaluate(self, database: Optional[Database] = None, *, use_known: bool = False, ranking: bool = False,
                 confusion: bool = False, **how: Any) -> dict[str, Any]:
        """What ``croft evaluate --json`` says (docs/evaluation.md).

        use_known  known labels are evidence: those that the column `known` says are, for the others; without the
                   column, of each variable those of all others
        ranking    of each label the area under the ROC curve and the average precision
        confusion  how often a label was predicted in the place of another one
        how        as for predict
        """
        found: dict[str, Any] = json.loads(self._ask("evaluate_tables", database, how, use_known, ranking, confusion))
        return found

    def calibrate(self, database: Optional[Database] = None, **how: Any) -> dict[str, Any]:
        """Divides all scores by the temperature that is best for labels the model was not trained on (CA.1).

        database  with labels; those that a column `known` says are known are evidence
        how       memory (bytes), seed, threads; spec, with other queries for other tables

        Returns temperature, before and after (log_loss, expected_calibration_error), warnings.  A calibration that
        the model has is replaced; as ``croft calibrate``.
        """
        self._model, found = self._ask("calibrate_tables", database, how)
        report: dict[str, Any] = json.loads(found)
        return report

    def explain(self, database: Optional[Database] = None, variables: Sequence[Any] = (), *,
                against: Optional[str] = None, top: int = 5, use_known: bool = False, **how: Any) -> VariableReasons:
        """Which cliques and features speak for each variable's label, and against another one (docs/explain.md).

        variables  ids, or "domain:id"; none: all whose label is not known
        against    the other label; None: the most probable one of the others
        top        features that are listed; the rest is summed
        """
        check_count("top", top, 0)
        found = self._ask("explain_tables", database, how, use_known, [str(v) for v in variables],
                          "" if against is None else against, top)
        return VariableReasons(found)

    def weights(self, template: str) -> dict[tuple[str, str], float]:
        """{(feature, cell): weight} of a template; a cell is named by the labels that have it."""
        self._check_fitted()
        names = [each["name"] for each in json.loads(self._model.meta())["graph"]["templates"]]
        if template not in names:
            raise ValueError(f"there is no template {template!r}; there are {', '.join(names)}")
        return {(name, cell): weight for name, cell, weight in self._model.weights(names.index(template))}

    def save(self, path: PathLike) -> None:
        """Writes the model file, whole or not at all; the spec's queries are in it."""
        self._check_fitted()
        self._model.save(os.fspath(path))

    @classmethod
    def load(cls, path: PathLike) -> TableGraphCRF:
        """A fitted one of a model file, of the program as well."""
        out = cls()
        out._model = _core.GraphModel.open(os.fspath(path))
        return out

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if "_model" in state:
            state["_model"] = state["_model"].bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        model = state.pop("_model", None)
        self.__dict__.update(state)
        if model is not None:
            self._model = _core.GraphModel.from_bytes(model, "the model")

    def _check_fitted(self) -> None:
        if not hasattr(self, "_model"):
            raise_not_fitted(self)

    def _prior(self) -> Any:
        prior = self._parameters.prior
        if isinstance(prior, TableGraphCRF):
            prior._check_fitted()
            return prior._model
        return self._parameters._prior()

    def _database(self, database: Optional[Database]) -> Database:
        chosen = self.database if database is None else database
        if chosen is None:
            raise ValueError("there is no database: give a dict of tables, or a path")
        return chosen

    def _ask(self, question: str, database: Optional[Database], how: dict[str, Any], *arguments: Any) -> Any:
        self._check_fitted()
        how = graph_question(how, "spec")
        spec = how.pop("spec", None)
        with _files(self._database(database), spec) as (paths, spec_path):
            return _native(question)(self._model, paths, spec_path, how, *arguments)


def _native(name: str) -> Any:
    if not hasattr(_core, name):
        raise _core.Error("this build of croft has no SQLite, which reads tables (CROFT_SQL)")
    return getattr(_core, name)


@contextlib.contextmanager
def _files(database: Database, spec: Optional[PathLike]) -> Iterator[tuple[list[str], Optional[str]]]:
    """The paths of a database's files and of a spec: of what is none yet, in a folder that goes away."""
    with tempfile.TemporaryDirectory(prefix="croft-") as folder:
        if isinstance(database, Mapping):
            path = Path(folder) / "tables.sqlite"
            _write_tables(database, path)
            paths = [str(path)]
        elif isinstance(database, (str, os.PathLike)):
            paths = [os.fspath(database)]
        else:
            paths = [os.fspath(each) for each in database]
        where: Optional[str] = None
        if isinstance(spec, str) and "\n" in spec:
            where = str(Path(folder) / "spec.toml")
            Path(where).write_text(spec, encoding="utf-8")
        elif spec is not None:
            where = os.fspath(spec)
        yield paths, where


def _write_tables(tables: Mapping[str, Any], path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as db:
        for name, each in tables.items():
            columns = columns_of(each, ())
            if not columns:
                raise TypeError(f"the table {name!r} is {a_type(each)}; a DataFrame or a dict of columns was "
                                "expected")
            names = ", ".join(_quoted(column) for column in columns)
            db.execute(f"create table {_quoted(name)} ({names})")
            marks = ", ".join("?" * len(columns))
            db.executemany(f"insert into {_quoted(name)} values ({marks})",
                           zip(*(_cells(name, column, cells) for column, cells in columns.items())))
        db.commit()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _cells(name: str, column: str, cells: Sequence[Any]) -> list[Any]:
    """As SQLite has them: None, int, float, str."""
    out = [_cell(name, column, cell) for cell in cells]
    there = [cell for cell in out if cell is not None]
    if len(there) < len(out) and all(isinstance(cell, float) and cell.is_integer() for cell in there):
        return [None if cell is None else int(cell) for cell in out]
    return out


def _cell(name: str, column: str, cell: Any) -> Any:
    if is_missing(cell):
        return None
    cell = cell.item() if hasattr(cell, "item") else cell
    if isinstance(cell, (bool, int)):
        return int(cell)
    if isinstance(cell, (float, str)):
        return cell
    raise TypeError(f"the column {column!r} of the table {name!r} has {cell!r}, a {type(cell).__name__}; cells are "
                    "numbers, texts, None")
