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


class ChainCRFParameters(Parameters):
    """template : path, str or None
        A template file's path, or its text (CRF++'s or Wapiti's language), for rows.
    intercept : "none", "penalised", "unpenalised" or None
        An attribute (intercept) of every position: a weight for each label whatever x says.
    select_l1 : float or None
        Train with this l1, then what has a weight again, with l2 alone.
    constrain : "bio", "bioes", path or None
        Labels that may follow each other: bio, bioes, or a file of rules; the model then has no other labellings.
    objective : str
        What to minimise: "likelihood"; "pseudolikelihood", "per-edge", "composite", "marginal", "piecewise",
        "softmax-margin", "max-margin", "perceptron", "passive-aggressive" or "arow" (docs/training.md).  The last
        three minimise no F: they correct mistakes, pass by pass.
    optimizer : str or None
        How: "sgd-lbfgs", "lbfgs", "owlqn", "sgd", "frank-wolfe", ...; None: what suits the objective.  A pair
        that does not go together is a ValueError that lists those that do.
    cost : float, path or None
        What a mistake costs (softmax-margin, max-margin, passive-aggressive, arow): a number, or a file of lines
        GOLD PREDICTED COST; None: 1.
    l2 : float or None
        Weight of |w|_2^2 / 2.  None: 1, and 0 for perceptron, passive-aggressive and arow, which have no penalty.
        CRFsuite's c1 is l1, its c2 is l2 / 2; Wapiti's rho2 is l2; CRF++'s C is 1 / l2.
    prior : ChainCRF (fitted), Model, path or None
        The l2 penalty is of the distance from this model's weights, where training starts; its labels and
        features are kept.  To adapt a model without forgetting it.
    holdout : float or None
        A fraction of X to set aside for a score as training goes on; or give X_dev and y_dev to fit.
    checkpoint : path or None
        A folder that fit keeps its state in, to go on from after a crash.  A training that ends by itself deletes
        its state; after Ctrl-C, and where the callback stops it, it stays.
    threads : int
        0 is one a processor.  The same seed gives the same model, byte for byte, for any number of threads, and
        the same as the command line gives.
    seed : int
        Of whatever is drawn at random.
    format : "attributes", "columns" or None
        What a sequence is; None: "columns" with a template, otherwise "attributes".
    decode : "viterbi", "marginal" or "risk"
        How predict chooses a labelling.
    warm_start : bool
        fit goes on from the model that is there.
    progress : bool or None
        A bar in a terminal or a notebook; None: where there is one.
    """

    _KIND = "chain"
    _RENAMED = {"select_l1": "select"}
    _OWN: tuple[str, ...] = ("prior", "format", "decode", "warm_start", "progress")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, template: Optional[PathLike] = None, kit: Optional[PathLike] = None,
                 documents: Optional[str] = None, document_column: Optional[int] = None,
                 document_parts: Optional[int] = None, template_language: str = "auto",
                 intercept: Optional[str] = None, boundaries: bool = False, features: Optional[str] = None,
                 min_count: int = 1, induce: bool = False, induce_size: Optional[int] = None,
                 induce_batch: Optional[int] = None, induce_rounds: Optional[int] = None,
                 induce_iterations: Optional[int] = None, induce_gain: Optional[float] = None,
                 induce_count: Optional[int] = None, induce_from: Optional[str] = None,
                 induce_pairs: Optional[bool] = None, unsupported: Optional[float] = None,
                 unsupported_after: Optional[int] = None, select_l1: Optional[float] = None, order: int = 1,
                 histories: Optional[str] = None, constrain: Optional[PathLike] = None,
                 transition_groups: Optional[PathLike] = None, objective: str = "likelihood",
                 optimizer: Optional[str] = None, cost: Union[float, PathLike, None] = None,
                 block: Optional[int] = None, pieces: Optional[str] = None, l1: float = 0.0,
                 l2: Optional[float] = None, prior: Optional[Prior] = None, variances: Optional[PathLike] = None,
                 max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
                 window: Optional[int] = None, gradient_tolerance: Optional[float] = None,
                 gap: Optional[float] = None, target: Optional[float] = None, history: Optional[int] = None,
                 sgd_passes: Optional[int] = None, step: Optional[float] = None, schedule: Optional[str] = None,
                 decay: Optional[float] = None, batch: Optional[int] = None, average_from: Optional[int] = None,
                 aggressiveness: Optional[float] = None, best: Optional[int] = None,
                 variance: Optional[float] = None, gamma: Optional[float] = None, kernel: Optional[str] = None,
                 precision: str = "auto", entropy: Optional[float] = None, expectations: Optional[str] = None,
                 expectations_weight: Optional[float] = None, self_training: Optional[int] = None,
                 confidence: Optional[float] = None, view: Optional[str] = None, holdout: Optional[float] = None,
                 early_stop: int = 0, checkpoint: Optional[PathLike] = None, resume: bool = False,
                 checkpoint_interval: float = 30.0, threads: int = 0, seed: int = 1, format: Optional[str] = None,
                 decode: str = "viterbi", warm_start: bool = False, progress: Optional[bool] = None) -> None:
        keep(self, locals())


class MEMMParameters(Parameters):
    _KIND = "memm"
    _RENAMED = {"select_l1": "select"}
    _OWN: tuple[str, ...] = ("prior", "format", "decode", "warm_start", "progress")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, template: Optional[PathLike] = None, kit: Optional[PathLike] = None,
                 documents: Optional[str] = None, document_column: Optional[int] = None,
                 document_parts: Optional[int] = None, template_language: str = "auto",
                 intercept: Optional[str] = "none", boundaries: bool = False, features: Optional[str] = None,
                 min_count: int = 1, induce: bool = False, induce_size: Optional[int] = None,
                 induce_batch: Optional[int] = None, induce_rounds: Optional[int] = None,
                 induce_iterations: Optional[int] = None, induce_gain: Optional[float] = None,
                 induce_count: Optional[int] = None, induce_from: Optional[str] = None,
                 unsupported: Optional[float] = None, unsupported_after: Optional[int] = None,
                 select_l1: Optional[float] = None, constrain: Optional[PathLike] = None,
                 objective: str = "likelihood", optimizer: Optional[str] = None, l1: float = 0.0,
                 l2: Optional[float] = None, prior: Optional[Prior] = None, variances: Optional[PathLike] = None,
                 max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
                 window: Optional[int] = None, gradient_tolerance: Optional[float] = None,
                 target: Optional[float] = None, history: Optional[int] = None, sgd_passes: Optional[int] = None,
                 step: Optional[float] = None, schedule: Optional[str] = None, decay: Optional[float] = None,
                 batch: Optional[int] = None, average_from: Optional[int] = None, precision: str = "auto",
                 holdout: Optional[float] = None, early_stop: int = 0, checkpoint: Optional[PathLike] = None,
                 resume: bool = False, checkpoint_interval: float = 30.0, threads: int = 0, seed: int = 1,
                 format: Optional[str] = None, decode: str = "viterbi", warm_start: bool = False,
                 progress: Optional[bool] = None) -> None:
        keep(self, locals())


class SegmentCRFParameters(Parameters):
    """gazetteers : dict name -> list of names, or None
        For %gazetteer in the template; a name is its tokens with spaces between.
    segment_template : path, text, "none" or None
        Lines such as U1:%length or U2:%lower: features of a segment as a whole; none: there are none; without:
        the length (docs/segments.md).
    max_length : int, dict label -> int, or None
        Positions that a segment may have; None: as the longest in y.
    text : str or None
        With attributes, the key of a position's word: {"word": "Rome"} and text="word".  Rows have cells.
    label_scheme : "auto", "bio", "bio1", "ioe", "bioes", "raw" or "none"
        How labels spell segments, and what spans become ("auto": "bio"); "raw": each label is a segment, "none":
        runs of a label.
    """

    _KIND = "segment"
    _RENAMED = {"text": "text_attribute"}
    _OWN: tuple[str, ...] = ("gazetteers", "prior", "format", "decode", "warm_start", "progress")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, gazetteers: Optional[Mapping[str, Sequence[str]]] = None,
                 template: Optional[PathLike] = None, kit: Optional[PathLike] = None,
                 documents: Optional[str] = None, document_column: Optional[int] = None,
                 document_parts: Optional[int] = None, template_language: str = "auto",
                 intercept: Optional[str] = None, boundaries: bool = False, features: Optional[str] = None,
                 min_count: int = 1, objective: str = "likelihood", optimizer: Optional[str] = None,
                 cost: Union[float, PathLike, None] = None, block: Optional[int] = None, l1: float = 0.0,
                 l2: Optional[float] = None, prior: Optional[Prior] = None, variances: Optional[PathLike] = None,
                 max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
                 window: Optional[int] = None, gradient_tolerance: Optional[float] = None,
                 gap: Optional[float] = None, target: Optional[float] = None, history: Optional[int] = None,
                 sgd_passes: Optional[int] = None, step: Optional[float] = None, schedule: Optional[str] = None,
                 decay: Optional[float] = None, batch: Optional[int] = None, average_from: Optional[int] = None,
                 aggressiveness: Optional[float] = None, variance: Optional[float] = None,
                 gamma: Optional[float] = None, precision: str = "auto", entropy: Optional[float] = None,
                 expectations: Optional[str] = None, expectations_weight: Optional[float] = None,
                 self_training: Optional[int] = None, confidence: Optional[float] = None, view: Optional[str] = None,
                 segment_template: Optional[PathLike] = None, max_length: Union[int, Mapping[str, int], None] = None,
                 text: Optional[str] = None, label_scheme: str = "auto", holdout: Optional[float] = None,
                 early_stop: int = 0, checkpoint: Optional[PathLike] = None, resume: bool = False,
                 checkpoint_interval: float = 30.0, threads: int = 0, seed: int = 1, format: Optional[str] = None,
                 decode: str = "viterbi", warm_start: bool = False, progress: Optional[bool] = None) -> None:
        keep(self, locals())


class HiddenChainCRFParameters(Parameters):
    """em_iterations : int or None
        Train by EM, so many E steps at most; None: by the gradient.
    starts : int
        Random starts, of which the best objective is kept.
    hidden_states : int or dict
        States of each label; a dict label -> states has those of some, and 1 for the others.
    decode : "marginal", "viterbi", "labelling" or "risk"
        Each position's most probable label; the best path of states; the most probable labelling, by a search;
        under constraints, the fewest errors expected.
    """

    _KIND = "hidden-chain"
    _OWN: tuple[str, ...] = ("format", "decode", "progress")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, template: Optional[PathLike] = None, kit: Optional[PathLike] = None,
                 documents: Optional[str] = None, document_column: Optional[int] = None,
                 document_parts: Optional[int] = None, template_language: str = "auto",
                 intercept: Optional[str] = None, boundaries: bool = False, features: Optional[str] = None,
                 min_count: int = 1, constrain: Optional[PathLike] = None, objective: str = "likelihood",
                 optimizer: Optional[str] = None, l1: float = 0.0, l2: Optional[float] = None,
                 max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
                 window: Optional[int] = None, gradient_tolerance: Optional[float] = None,
                 target: Optional[float] = None, history: Optional[int] = None, sgd_passes: Optional[int] = None,
                 step: Optional[float] = None, schedule: Optional[str] = None, decay: Optional[float] = None,
                 batch: Optional[int] = None, average_from: Optional[int] = None, precision: str = "auto",
                 em_iterations: Optional[int] = None, starts: int = 1, start_deviation: float = 0.1,
                 hidden_states: Union[int, Mapping[str, int]] = 2, holdout: Optional[float] = None,
                 early_stop: int = 0, checkpoint: Optional[PathLike] = None, resume: bool = False,
                 checkpoint_interval: float = 30.0, threads: int = 0, seed: int = 1, format: Optional[str] = None,
                 decode: str = "marginal", progress: Optional[bool] = None) -> None:
        keep(self, locals())


class PoolCRFParameters(Parameters):
    """l2 : float or None
        Of each expert's training; None: 0.  The pool is what keeps experts from saying too much.
    experts : list
        Experts to train: "all" (every feature), "random:N" (features dealt to N experts), "random:N:FRACTION",
        "position" (past, present, future, by offsets in the attributes' names or the template), "labels" (one for
        each chunk type or label); or chains that are trained already.
    label_classes : dict or None
        label -> class, for experts "labels".
    holdout : float or None
        A fraction of X that the weights are learnt on; or give X_dev and y_dev to fit.
    """

    _KIND = "pool"
    _RENAMED = {"weights": "pool_weights"}
    _OWN: tuple[str, ...] = ("experts", "format", "decode", "progress")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, template: Optional[PathLike] = None, kit: Optional[PathLike] = None,
                 documents: Optional[str] = None, document_column: Optional[int] = None,
                 document_parts: Optional[int] = None, template_language: str = "auto",
                 intercept: Optional[str] = None, boundaries: bool = False, features: Optional[str] = None,
                 min_count: int = 1, constrain: Optional[PathLike] = None, objective: str = "likelihood",
                 optimizer: Optional[str] = None, cost: Union[float, PathLike, None] = None,
                 block: Optional[int] = None, l1: float = 0.0, l2: Optional[float] = None,
                 max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
                 window: Optional[int] = None, gradient_tolerance: Optional[float] = None,
                 gap: Optional[float] = None, target: Optional[float] = None, history: Optional[int] = None,
                 sgd_passes: Optional[int] = None, step: Optional[float] = None, schedule: Optional[str] = None,
                 decay: Optional[float] = None, batch: Optional[int] = None, average_from: Optional[int] = None,
                 aggressiveness: Optional[float] = None, best: Optional[int] = None,
                 variance: Optional[float] = None, gamma: Optional[float] = None, kernel: Optional[str] = None,
                 precision: str = "auto", experts: Sequence[Expert] = ("all", "random:4"), weights: str = "free",
                 dirichlet: float = 1.0, label_classes: Optional[Mapping[str, str]] = None,
                 holdout: Optional[float] = None, checkpoint: Optional[PathLike] = None, resume: bool = False,
                 checkpoint_interval: float = 30.0, threads: int = 0, seed: int = 1, format: Optional[str] = None,
                 decode: str = "viterbi", progress: Optional[bool] = None) -> None:
        keep(self, locals())


class ErrorCorrectingCRFParameters(Parameters):
    """code : str or dict
        "one-vs-rest", "all-pairs", "random[:BITS]", "minimum-loss[:BITS[:CANDIDATES]]", or a dict label -> word
        of 0, 1 and - (a bit that does not matter).
    holdout : float or None
        A fraction of X that "minimum-loss" chooses its bits by; or give X_dev and y_dev to fit.
    """

    _KIND = "error-correcting"
    _OWN: tuple[str, ...] = ("format", "decode", "progress")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, template: Optional[PathLike] = None, kit: Optional[PathLike] = None,
                 documents: Optional[str] = None, document_column: Optional[int] = None,
                 document_parts: Optional[int] = None, template_language: str = "auto",
                 intercept: Optional[str] = None, boundaries: bool = False, features: Optional[str] = None,
                 min_count: int = 1, objective: str = "likelihood", optimizer: Optional[str] = None,
                 cost: Union[float, PathLike, None] = None, block: Optional[int] = None, l1: float = 0.0,
                 l2: Optional[float] = None, max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
                 window: Optional[int] = None, gradient_tolerance: Optional[float] = None,
                 gap: Optional[float] = None, target: Optional[float] = None, history: Optional[int] = None,
                 sgd_passes: Optional[int] = None, step: Optional[float] = None, schedule: Optional[str] = None,
                 decay: Optional[float] = None, batch: Optional[int] = None, average_from: Optional[int] = None,
                 aggressiveness: Optional[float] = None, best: Optional[int] = None,
                 variance: Optional[float] = None, gamma: Optional[float] = None, kernel: Optional[str] = None,
                 precision: str = "auto", code: Union[str, Mapping[str, str]] = "one-vs-rest",
                 decoder: str = "product", holdout: Optional[float] = None, checkpoint: Optional[PathLike] = None,
                 resume: bool = False, checkpoint_interval: float = 30.0, threads: int = 0, seed: int = 1,
                 format: Optional[str] = None, decode: str = "viterbi", progress: Optional[bool] = None) -> None:
        keep(self, locals())


class BoostedCRFParameters(Parameters):
    """kind : "chain", "maxent" or "segment"
        With transitions, each position by itself, or segments, which have trees of their own.
    gazetteers : dict name -> list of names, or None
        For %gazetteer in the template; a name is its tokens with spaces between.
    l2 : float
        Of the values of leaves: v = -G / (H + l2).
    tolerance : float
        Stop where a round gains less than this share of the objective; 0: never.
    segment_template : path, text, "none" or None
        Lines such as U1:%length or U2:%lower: features of a segment as a whole; none: there are none; without:
        the length (docs/segments.md).
    max_length : int, dict label -> int, or None
        Positions that a segment may have; None: as the longest in y.
    text : str or None
        With attributes, the key of a position's word: {"word": "Rome"} and text="word".  Rows have cells.
    label_scheme : "auto", "bio", "bio1", "ioe", "bioes", "raw" or "none"
        How labels spell segments, and what spans become ("auto": "bio"); "raw": each label is a segment, "none":
        runs of a label.
    """

    _KIND = "boosted-chain"
    _RENAMED = {"text": "text_attribute"}
    _OWN: tuple[str, ...] = ("kind", "gazetteers", "format", "decode", "progress")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, kind: str = "chain", gazetteers: Optional[Mapping[str, Sequence[str]]] = None,
                 template: Optional[PathLike] = None, kit: Optional[PathLike] = None,
                 documents: Optional[str] = None, document_column: Optional[int] = None,
                 document_parts: Optional[int] = None, template_language: str = "auto", boundaries: bool = False,
                 l2: float = 1.0, tolerance: float = 0.0, rounds: int = 100, shrinkage: float = 0.3, depth: int = 20,
                 leaves: int = 31, min_child_weight: float = 1.0, min_child_count: int = 1, min_gain: float = 0.0,
                 row_share: float = 1.0, feature_share: float = 1.0, trim: float = 0.1, bins: int = 255,
                 trees: str = "label", pair_trees: bool = False, holdout: Optional[float] = None,
                 early_stop: int = 0, checkpoint: Optional[PathLike] = None, resume: bool = False,
                 checkpoint_interval: float = 30.0, threads: int = 0, seed: int = 1,
                 segment_template: Optional[PathLike] = None, max_length: Union[int, Mapping[str, int], None] = None,
                 text: Optional[str] = None, label_scheme: str = "auto", format: Optional[str] = None,
                 decode: str = "viterbi", progress: Optional[bool] = None) -> None:
        keep(self, locals())


class JointMaxentParameters(Parameters):
    """features : "auto", "observed" or "all" or None
        The pairs of a string and a group of labels that the data has, or each group for each string; auto: those
        that the data has.
    joint_template : path, text or None
        The joint templates: a file's path, or their text (docs/templates.md).
    label_classes : dict, path or None
        label -> class, for %y[class]; or a file of lines LABEL CLASS.
    """

    _KIND = "joint-maxent"
    _OWN: tuple[str, ...] = ("decode", "warm_start", "progress")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, features: Optional[str] = None, min_count: int = 1, objective: str = "likelihood",
                 optimizer: Optional[str] = None, l1: float = 0.0, l2: Optional[float] = None,
                 max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
                 window: Optional[int] = None, gradient_tolerance: Optional[float] = None,
                 target: Optional[float] = None, history: Optional[int] = None, sgd_passes: Optional[int] = None,
                 step: Optional[float] = None, schedule: Optional[str] = None, decay: Optional[float] = None,
                 batch: Optional[int] = None, average_from: Optional[int] = None, precision: str = "auto",
                 joint_template: Optional[PathLike] = None,
                 label_classes: Union[Mapping[str, str], PathLike, None] = None, holdout: Optional[float] = None,
                 early_stop: int = 0, checkpoint: Optional[PathLike] = None, resume: bool = False,
                 checkpoint_interval: float = 30.0, threads: int = 0, seed: int = 1, decode: str = "viterbi",
                 warm_start: bool = False, progress: Optional[bool] = None) -> None:
        keep(self, locals())


class MixtureParameters(Parameters):
    """experts : list
        The components: fitted estimators, Models or paths, of single labels.
    tolerance : float
        EM stops where its objective gains less than this share.
    em_iterations : int
        E steps at most.
    format : "attributes", "columns" or None
        What a sequence is; None: "columns" where a component says so, otherwise "attributes".
    """

    _KIND = "mixture"
    _OWN: tuple[str, ...] = ("experts", "format", "decode")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, experts: Sequence[Expert] = (), tolerance: float = 1e-09, em_iterations: int = 1000,
                 checkpoint: Optional[PathLike] = None, resume: bool = False, checkpoint_interval: float = 30.0,
                 threads: int = 0, seed: int = 1, format: Optional[str] = None, decode: str = "viterbi") -> None:
        keep(self, locals())


class HMMParameters(Parameters):
    """ends : bool
        Sequences end with a probability; otherwise p(x) is that of the observations given their number.
    objective : str
        "likelihood", "conditional", "multi-conditional" or "hybrid" of docs/hmm.md#objectives.
    tolerance : float
        Training stops where its objective gains less than this share.
    states : int or None
        Labels in all; None: those of y.  Without y, how many hidden states there are (S1, S2, ...).
    em_iterations : int
        Iterations of Baum-Welch, or of L-BFGS, at most.
    starts : int or None
        Random starts, where labels without an example are to be found; the best is kept.  None: 5 where nothing
        is labelled, otherwise 1.
    holdout : float or None
        A fraction of X to set aside, whose labels the finished model is compared with.
    format : "attributes", "columns" or None
        What a sequence is; None: "columns" where the first position is a str, otherwise "attributes".
    """

    _KIND = "hmm"
    _RENAMED = {"ends": "boundaries"}
    _OWN: tuple[str, ...] = ("format", "decode")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, ends: bool = False, objective: str = "likelihood", tolerance: float = 1e-05,
                 smoothing: float = 0.1, transition_smoothing: Optional[float] = None, rare: Optional[int] = None,
                 suffix: int = 0, states: Optional[int] = None, generative_weight: Optional[float] = None,
                 coupling: Optional[float] = None, em_iterations: int = 100, starts: Optional[int] = None,
                 holdout: Optional[float] = None, early_stop: int = 0, checkpoint: Optional[PathLike] = None,
                 resume: bool = False, checkpoint_interval: float = 30.0, threads: int = 0, seed: int = 1,
                 format: Optional[str] = None, decode: str = "viterbi") -> None:
        keep(self, locals())


class GraphCRFParameters(Parameters):
    """unroll : function
        Of an instance; it gives its Cliques.
    domains : dict
        name -> labels of the variables of this domain.
    templates : dict
        name -> Template.
    class_weights : None, "balanced" or path
        Factors of variables by their labels, where terms of the objective are of one variable each
        ("pseudolikelihood") or each instance has one label; a file has lines LABEL TAB WEIGHT.  "balanced": N /
        (L * variables of the label).
    features : "all" or "observed"
        Each cell of each feature, or the pairs that the training data has.
    objective : str
        "likelihood" (exact), "bethe", "mean-field", "pseudolikelihood", "per-edge", "composite", "piecewise",
        "piecewise-pseudolikelihood", "perceptron", "max-margin", or another of docs/objectives.md.
    cost : float or None
        What a mistake costs; None: 1.
    prior : GraphCRF (fitted), path or None
        The l2 penalty is of the distance from this model's weights, where training starts; its labels and
        features are kept.  To adapt a model without forgetting it.
    em_iterations : int or None
        With hidden variables: E steps at most, in the place of max_iterations; None: by the gradient.
    starts : int
        Random starts where variables are hidden, of which the best is kept.
    memory : float (bytes), str or None
        What junction trees may take: a number with K, M, G or T (powers of 1024).  None: 8G.
    holdout : float or None
        A share of the instances to set aside, for a score as training goes on.
    method : str
        How predict and predict_marginals infer, a method of FactorGraph.infer.
    """

    _KIND = "graph"
    _OWN: tuple[str, ...] = ("unroll", "domains", "templates", "prior", "method", "warm_start")

    def __init__(self, unroll: Optional[Callable[[Any], Cliques]] = None, *,
                 domains: Optional[Mapping[str, Sequence[str]]] = None,
                 templates: Optional[Mapping[str, Template]] = None,
                 class_weights: Union[None, str, PathLike] = None, features: str = "all", min_count: int = 1,
                 objective: str = "likelihood", optimizer: Optional[str] = None, cost: Optional[float] = None,
                 pieces: Optional[str] = None, l1: float = 0.0, l2: Optional[float] = None,
                 prior: Union[GraphCRF, PathLike, None] = None, variances: Optional[PathLike] = None,
                 max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
                 window: Optional[int] = None, gradient_tolerance: Optional[float] = None,
                 gap: Optional[float] = None, target: Optional[float] = None, history: Optional[int] = None,
                 sgd_passes: Optional[int] = None, step: Optional[float] = None, schedule: Optional[str] = None,
                 decay: Optional[float] = None, batch: Optional[int] = None, average_from: Optional[int] = None,
                 aggressiveness: Optional[float] = None, entropy: Optional[float] = None,
                 expectations: Optional[str] = None, expectations_weight: Optional[float] = None,
                 self_training: Optional[int] = None, confidence: Optional[float] = None,
                 em_iterations: Optional[int] = None, starts: int = 1, start_deviation: Optional[float] = None,
                 memory: Union[float, str, None] = None, inference_iterations: Optional[int] = None,
                 damping: Optional[float] = None, search: Optional[str] = None, pairs: bool = False,
                 holdout: Optional[float] = None, early_stop: int = 0, checkpoint: Optional[PathLike] = None,
                 resume: bool = False, checkpoint_interval: float = 30.0, threads: int = 1, seed: int = 1,
                 method: str = "auto", warm_start: bool = False) -> None:
        keep(self, locals())


class LogisticRegressionParameters(Parameters):
    """intercept : "unpenalised", "penalised" or "none"
        b.
    class_weight : None, "balanced" or dict
        Factor of the weight of each row, by its label; labels that a dict does not have: 1.  "balanced": N / (L *
        rows of the label).
    features : "all" or "observed"
        A weight for each column and label, or for those where the column is not 0 in a row of the label.
    objective : str
        What to minimise: "likelihood", "softmax-margin", "max-margin", "perceptron", "passive-aggressive" or
        "arow"; the last four want intercept="penalised" or "none".
    prior : LogisticRegression (fitted), Model, path or None
        The l2 penalty is of the distance from this model's weights, where training starts; its labels and
        features are kept.  To adapt a model without forgetting it.
    holdout : float or None
        A fraction of the rows to set aside for a score as training goes on.
    """

    _KIND = "maxent"
    _RENAMED = {"select_l1": "select"}
    _OWN: tuple[str, ...] = ("class_weight", "prior")
    _ALWAYS: tuple[str, ...] = ("intercept", "features", "threads")

    def __init__(self, *, documents: Optional[str] = None, document_column: Optional[int] = None,
                 document_parts: Optional[int] = None, intercept: str = "unpenalised",
                 class_weight: Union[None, str, Mapping[Any, float]] = None, features: str = "all",
                 min_count: int = 1, unsupported: Optional[float] = None, unsupported_after: Optional[int] = None,
                 select_l1: Optional[float] = None, objective: str = "likelihood", optimizer: Optional[str] = None,
                 cost: Union[float, PathLike, None] = None, l1: float = 0.0, l2: Optional[float] = None,
                 prior: Optional[Prior] = None, variances: Optional[PathLike] = None,
                 max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
                 window: Optional[int] = None, gradient_tolerance: Optional[float] = None,
                 gap: Optional[float] = None, target: Optional[float] = None, history: Optional[int] = None,
                 sgd_passes: Optional[int] = None, step: Optional[float] = None, schedule: Optional[str] = None,
                 decay: Optional[float] = None, batch: Optional[int] = None, average_from: Optional[int] = None,
                 aggressiveness: Optional[float] = None, best: Optional[int] = None,
                 variance: Optional[float] = None, gamma: Optional[float] = None, precision: str = "auto",
                 entropy: Optional[float] = None, expectations: Optional[str] = None,
                 expectations_weight: Optional[float] = None, self_training: Optional[int] = None,
                 confidence: Optional[float] = None, view: Optional[str] = None, holdout: Optional[float] = None,
                 early_stop: int = 0, checkpoint: Optional[PathLike] = None, resume: bool = False,
                 checkpoint_interval: float = 30.0, threads: int = 0, seed: int = 1) -> None:
        keep(self, locals())


class NaiveBayesParameters(Parameters):
    """class_weight : None, "balanced" or dict
        Factor of the weight of each row, by its label; labels that a dict does not have: 1.  "balanced": N / (L *
        rows of the label).
    em_tolerance : float
        EM stops where its objective changes by less than this share.
    event : str, or a list of D of them
        What the numbers are: "multinomial" (counts of words), "bernoulli" (whether they are above ``binarize``),
        "complement" (Rennie and others 2003: counts, of all other labels), "gaussian" (measurements) or
        "categorical" (categories 0, 1, ...).  A list says it for each column.
    priors : None, "uniform" or array [L]
        p(y); None: the shares of the labels in the data.
    em_iterations : int
        Of fit with X_unlabelled: iterations of EM at most.
    holdout : float or None
        A fraction of the labelled rows to set aside, whose labels the model is compared with.
    early_stop : int
        With X_unlabelled: EM stops after so many iterations without a better score of the rows held out, and
        keeps the best; 0: never.
    checkpoint : path or None
        With X_unlabelled: a folder that EM keeps its state in, to go on from.
    min_categories : None, int or array [D]
        Of categorical: categories of each column at least.
    """

    _KIND = "naive-bayes"
    _RENAMED = {"em_tolerance": "tolerance", "var_smoothing": "variance_floor", "norm": "complement_norm"}
    _OWN: tuple[str, ...] = ("class_weight", "event", "priors", "min_categories")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, class_weight: Union[None, str, Mapping[Any, float]] = None, em_tolerance: float = 1e-06,
                 event: Union[str, Sequence[str]] = "multinomial", alpha: float = 1.0, priors: Any = None,
                 binarize: float = 0.0, var_smoothing: float = 1e-09, norm: bool = False, em_iterations: int = 100,
                 holdout: Optional[float] = None, early_stop: int = 0, checkpoint: Optional[PathLike] = None,
                 resume: bool = False, checkpoint_interval: float = 30.0, threads: int = 0, seed: int = 1,
                 min_categories: Any = None) -> None:
        keep(self, locals())
