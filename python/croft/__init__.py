"""Conditional random fields and the log-linear models around them.

    import croft
    crf = croft.ChainCRF(l2=1).fit(X_train, y_train)
    y_pred = crf.predict(X_test)
    croft.save(crf, "tagger.croft")            # the same file that the program `croft` writes

``ChainCRF``      a scikit-learn estimator for sequences
``HMM``           a hidden Markov model, likewise
``MEMM``          a maximum-entropy Markov model, likewise
``HiddenChainCRF, PoolCRF, ErrorCorrectingCRF``  chains with hidden states, pools of chains, chains of a code's bits
``JointMaxent``   maximum entropy with features of the observations and the label
``Mixture``       the weighted mean of several models' probabilities
``LogisticRegression, NaiveBayes``  scikit-learn estimators for rows of a matrix
``TextVectorizer``  texts to a sparse matrix of counts or tf-idf weights
``Model``         a trained model: labels, probabilities, spans, samples, what is in it
``FeatureFunction``  the features of a token, told once, for ``Model.tag_many``
``load, save``    model files
``convert``       from one format of data to another, models to those of other programs
``calibrate, stack, cluster, suggest``  what the program does with files of data: probabilities that mean what they
                  say, posteriors as features, classes of words, what to label next
``read``          data of other programs: CoNLL-U, Prodigy, doccano, BRAT, plain text, …
``search``        settings of an estimator by cross-validation with successive halving (``Range``)
``learning_curve``  how much better an estimator gets with more data
``FactorGraph``   a graph of variables and factors: log Z, marginals, the best assignment, samples
``BayesNet``      a Bayesian network: tables from cases, complete or not (BIF, UAI)
``GraphCRF``      a CRF over graphs that a function makes of each instance (``Cliques``, ``Template``)
``TableGraphCRF``  the same of a spec and tables, such as DataFrames (``GraphCRF.from_tables``)
``RankedCRF``     the same by SampleRank: moves, losses and the cliques around a move are functions
``Logic``         a Markov logic network: rules with weights, and what follows from them
``Bugs``          a BUGS model: draws from its posterior, as JAGS does
``maximum_entropy``  the distribution of largest entropy with given expectations
``croft.chain``   functions on numpy arrays: a CRF layer for scores of your own
``croft.plot``    pictures (needs matplotlib)
``croft.compat``  drop-in layers for sklearn-crfsuite and python-crfsuite

Nothing but the standard library is needed; numpy, scikit-learn, pandas and matplotlib are used where they
are installed and asked for.  Parts are imported when they are first used.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _core
from ._core import Error

if TYPE_CHECKING:
    from . import chain, compat, plot
    from .bayes_net import BayesNet
    from .boosted import BoostedCRF
    from .bugs import Bugs, BugsResult
    from .curve import LearningCurve, learning_curve
    from .error_correcting import ErrorCorrectingCRF
    from .hidden_chain import HiddenChainCRF
    from .pool import Mixture, PoolCRF
    from .halving import Range, SearchResult, search
    from .entropy import MaximumEntropy, maximum_entropy
    from .estimator import ChainCRF, TrainingInterrupted
    from .features import FeatureFunction
    from .files import Calibration, Stacked, calibrate, cluster, convert, read, stack, suggest
    from .graph import FactorGraph, Inference
    from .graph_crf import Cliques, GraphCRF, Template
    from .hmm import HMM
    from .joint import JointMaxent
    from .logic import Logic, LogicAnswer
    from .logistic_regression import LogisticRegression
    from .memm import MEMM
    from .model import (Labelling, Evaluation, Model, Span, card, check, chunk_f1, compare, errors, evaluate, load,
                        save)
    from .naive_bayes import NaiveBayes
    from .rank_walk import RankedCRF
    from .segment import SegmentCRF
    from .table_graph import TableGraphCRF
    from .text import TextVectorizer

__version__: str = _core.version
__all__ = ["BayesNet", "BoostedCRF", "Bugs", "BugsResult", "Calibration", "ChainCRF", "Cliques", "Error",
           "ErrorCorrectingCRF", "Evaluation", "FactorGraph", "FeatureFunction", "GraphCRF", "HMM", "HiddenChainCRF",
           "Inference", "JointMaxent", "Labelling", "LearningCurve", "Logic", "LogicAnswer", "LogisticRegression",
           "MEMM", "MaximumEntropy", "Mixture", "Model", "NaiveBayes", "PoolCRF", "Range", "RankedCRF", "SearchResult",
           "SegmentCRF", "Span", "Stacked", "TableGraphCRF", "Template", "TextVectorizer", "TrainingInterrupted",
           "calibrate", "card", "chain", "check", "chunk_f1", "cluster", "compare", "compat", "convert", "errors",
           "evaluate", "learning_curve", "load", "maximum_entropy", "plot", "read", "save", "search", "stack",
           "suggest"]

_PLACE = {"Calibration": "files", "calibrate": "files", "cluster": "files", "Stacked": "files", "stack": "files",
          "suggest": "files",
          "convert": "files",
          "BayesNet": "bayes_net", "BoostedCRF": "boosted", "Bugs": "bugs", "BugsResult": "bugs",
          "ChainCRF": "estimator", "card": "model", "check": "model", "chunk_f1": "model", "compare": "model",
          "errors": "model", "Cliques": "graph_crf", "ErrorCorrectingCRF": "error_correcting", "Evaluation": "model",
          "FactorGraph": "graph", "FeatureFunction": "features", "GraphCRF": "graph_crf", "HMM": "hmm",
          "HiddenChainCRF": "hidden_chain", "Inference": "graph", "JointMaxent": "joint",
          "Labelling": "model", "LearningCurve": "curve", "learning_curve": "curve", "Logic": "logic",
          "LogicAnswer": "logic", "LogisticRegression": "logistic_regression", "MEMM": "memm",
          "MaximumEntropy": "entropy", "maximum_entropy": "entropy", "Mixture": "pool",
          "Model": "model", "NaiveBayes": "naive_bayes",
          "PoolCRF": "pool", "Range": "halving", "RankedCRF": "rank_walk", "SearchResult": "halving",
          "search": "halving", "SegmentCRF": "segment", "Span": "model",
          "TableGraphCRF": "table_graph", "Template": "graph_crf", "TextVectorizer": "text",
          "TrainingInterrupted": "estimator", "read": "files", "evaluate": "model", "load": "model",
          "save": "model"}
_PARTS = {"chain", "compat", "plot"}


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return importlib.import_module("." + name, __name__)
    if name in _PLACE:
        value = getattr(importlib.import_module("." + _PLACE[name], __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """What is meant for users."""
    return sorted([*__all__, "__doc__", "__version__"])
