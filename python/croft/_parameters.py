"""Parameters of the estimators.  scripts/generate_parameters.py makes this file of the library's table of options."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Union

from ._params import Parameters

if TYPE_CHECKING:
    from .estimator import ChainCRF
    from .graph_crf import Cliques, GraphCRF, Template
    from .model import Model

PathLike = Union[str, "os.PathLike[str]"]
Prior = Union["ChainCRF", "Model", PathLike]
Expert = Union[str, "ChainCRF", "Model", PathLike]


class ChainCRFParameters(Parameters):
    """Parameters
    ----------
    template : path, str or None
        A template file's path, or its text (CRF++'s or Wapiti's language), for rows.
    kit : path or None
        Further features: TOML that declares gazetteers, word clusters, embeddings, n-grams, patterns, binned
        numbers (docs/features.md).
    template_language : "auto", "crfpp" or "wapiti"
        auto, crfpp or wapiti: how template is read.
    intercept : "none", "penalised", "unpenalised" or None
        An attribute (intercept) of every position: a weight for each label whatever x says.
    boundaries : bool
        START and STOP as labels before the first and after the last position.
    features : "auto", "observed" or "all" or None
        observed: pairs of attribute and label that occur (CRFsuite); all: every pair (CRF++, Wapiti); auto: all
        with a template.  None: auto.
    min_count : int
        Occurrences a feature needs: of the attribute for all, of the pair for observed.
    induce : bool
        Find conjunctions of attributes that the model lacks, many a round, and train on.
    induce_size : int or None
        Attributes of a conjunction at most.  None: 2.
    induce_batch : int or None
        Features that a round adds at most.  None: 1000.
    induce_rounds : int or None
        Rounds at most.  None: 20.
    induce_iterations : int or None
        Iterations of training in a round.  None: 15.
    induce_gain : float or None
        Nats of likelihood, less its penalty, that a feature must gain.  None: 2.
    induce_count : int or None
        Positions labelled wrongly that a conjunction must be at.  None: 3.
    induce_from : "attributes" or "nothing" or None
        attributes: the features of single attributes are there from the start; nothing: they are found as
        conjunctions are.  None: attributes.
    induce_pairs : bool or None
        Find features of two neighbouring labels, too (chain).
    unsupported : float or None
        After some iterations add the features not seen in the data that could correct a mistake: of a label with
        more than this probability where it is not the true one.
    unsupported_after : int or None
        How many iterations.  None: 10.
    select_l1 : float or None
        Train with this l1, then what has a weight again, with l2 alone.
    order : int
        How many labels back scores look, 1 to 8: 2 also weighs runs of three labels, 3 of four, ...
    histories : "seen" or "allowed" or None
        With order 2 or more, the runs of labels that are possible: those seen in the data, or all that constrain
        allows.  None: seen.
    constrain : "bio", "bioes", path or None
        Labels that may follow each other: bio, bioes, or a file of rules; the model then has no other labellings.
    transition_groups : path or None
        Lines FROM TO GROUP: transitions that share a weight; those in - have none.
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
    block : int or None
        composite: labels in a block.  None: 3.
    l1 : float
        Weight of |w|_1.
    l2 : float or None
        Weight of |w|_2^2 / 2.  None: 1, and 0 for perceptron, passive-aggressive and arow, which have no penalty.
        CRFsuite's c1 is l1, its c2 is l2 / 2; Wapiti's rho2 is l2; CRF++'s C is 1 / l2.
    prior : ChainCRF (fitted), Model, path or None
        The l2 penalty is of the distance from this model's weights, where training starts; its labels and
        features are kept.  To adapt a model without forgetting it.
    variances : path or None
        Lines PATTERN VARIANCE: weights of features whose name fits are penalised by l2 / VARIANCE.
    max_iterations : int or None
        Stop after so many, or so many passes.  None: 1000, of perceptron and the like 100.
    tolerance : float or None
        Stop when the objective's relative change over window falls below; 0: never.  None: 1e-5, with l1 5e-6,
        boosted 0.
    window : int or None
        Iterations over which tolerance is measured.  None: 10.
    gradient_tolerance : float or None
        Stop when |gradient| falls below this times max(1, |w|).  None: 1e-5.
    gap : float or None
        Dual optimizers: stop at this duality gap, relative to the objective.  None: 1e-4.
    target : float or None
        Stop once the objective is this low (benchmarks).
    history : int or None
        Pairs of vectors L-BFGS keeps.  None: 12, of owlqn and with millions of weights 6.
    sgd_passes : int or None
        sgd-lbfgs: passes of SGD before L-BFGS.
    step : float or None
        The first step; by default tried out on some sequences.
    schedule : "bottou", "inverse", "inverse_sqrt" or "constant" or None
        sgd, averaged-sgd, async-sgd: how steps shrink: bottou, inverse, inverse_sqrt or constant (decay in each
        pass).  None: bottou, without l2 inverse.
    decay : float or None
        With schedule constant: factor of the step in each pass.  None: 0.9.
    batch : int or None
        Sequences a step; threads share those of a step.  None: 1, of smd 8.
    average_from : int or None
        averaged-sgd: the first pass to average.  None: 2.
    aggressiveness : float or None
        pa-1, pa-2, mira: the larger the bolder.  None: 1.
    best : int or None
        mira: labellings of a sequence to get right at once.  None: 5.
    variance : float or None
        arow: of every weight at first.  None: 1.
    gamma : float or None
        arow: the larger, the smaller the steps.  None: 1.
    kernel : str or None
        smo: linear, poly:DEGREE[:SCALE[:OFFSET]] or rbf:GAMMA, of the attributes of a position.
    precision : "auto", "single" or "double"
        single or double, of scores and recursions of optimizers that see all the data at once, others are in
        double; auto: double for less than 20,000 positions.
    holdout : float or None
        A fraction of X to set aside for a score as training goes on; or give X_dev and y_dev to fit.
    early_stop : int
        Stop after N iterations without a better hold-out score, and keep the best weights; 0: off.
    checkpoint : path or None
        A folder that fit keeps its state in, to go on from after a crash.  A training that ends by itself deletes
        its state; after Ctrl-C, and where the callback stops it, it stays.
    resume : bool
        Go on from the checkpoint, to the very model of a training without a break.
    checkpoint_interval : float
        Seconds between two states that are kept; 0: every iteration.
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
                 template_language: str = "auto", intercept: Optional[str] = None, boundaries: bool = False,
                 features: Optional[str] = None, min_count: int = 1, induce: bool = False,
                 induce_size: Optional[int] = None, induce_batch: Optional[int] = None,
                 induce_rounds: Optional[int] = None, induce_iterations: Optional[int] = None,
                 induce_gain: Optional[float] = None, induce_count: Optional[int] = None,
                 induce_from: Optional[str] = None, induce_pairs: Optional[bool] = None,
                 unsupported: Optional[float] = None, unsupported_after: Optional[int] = None,
                 select_l1: Optional[float] = None, order: int = 1, histories: Optional[str] = None,
                 constrain: Optional[PathLike] = None, transition_groups: Optional[PathLike] = None,
                 objective: str = "likelihood", optimizer: Optional[str] = None,
                 cost: Union[float, PathLike, None] = None, block: Optional[int] = None, l1: float = 0.0,
                 l2: Optional[float] = None, prior: Optional[Prior] = None, variances: Optional[PathLike] = None,
                 max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
                 window: Optional[int] = None, gradient_tolerance: Optional[float] = None,
                 gap: Optional[float] = None, target: Optional[float] = None, history: Optional[int] = None,
                 sgd_passes: Optional[int] = None, step: Optional[float] = None, schedule: Optional[str] = None,
                 decay: Optional[float] = None, batch: Optional[int] = None, average_from: Optional[int] = None,
                 aggressiveness: Optional[float] = None, best: Optional[int] = None,
                 variance: Optional[float] = None, gamma: Optional[float] = None, kernel: Optional[str] = None,
                 precision: str = "auto", holdout: Optional[float] = None, early_stop: int = 0,
                 checkpoint: Optional[PathLike] = None, resume: bool = False, checkpoint_interval: float = 30.0,
                 threads: int = 0, seed: int = 1, format: Optional[str] = None, decode: str = "viterbi",
                 warm_start: bool = False, progress: Optional[bool] = None) -> None:
        self.template, self.kit, self.template_language, self.intercept = template, kit, template_language, intercept
        self.boundaries, self.features, self.min_count, self.induce = boundaries, features, min_count, induce
        self.induce_size, self.induce_batch, self.induce_rounds = induce_size, induce_batch, induce_rounds
        self.induce_iterations, self.induce_gain, self.induce_count = induce_iterations, induce_gain, induce_count
        self.induce_from, self.induce_pairs, self.unsupported = induce_from, induce_pairs, unsupported
        self.unsupported_after, self.select_l1, self.order = unsupported_after, select_l1, order
        self.histories, self.constrain, self.transition_groups = histories, constrain, transition_groups
        self.objective, self.optimizer, self.cost, self.block, self.l1 = objective, optimizer, cost, block, l1
        self.l2, self.prior, self.variances, self.max_iterations = l2, prior, variances, max_iterations
        self.tolerance, self.window, self.gradient_tolerance, self.gap = tolerance, window, gradient_tolerance, gap
        self.target, self.history, self.sgd_passes, self.step = target, history, sgd_passes, step
        self.schedule, self.decay, self.batch, self.average_from = schedule, decay, batch, average_from
        self.aggressiveness, self.best, self.variance, self.gamma = aggressiveness, best, variance, gamma
        self.kernel, self.precision, self.holdout, self.early_stop = kernel, precision, holdout, early_stop
        self.checkpoint, self.resume, self.checkpoint_interval = checkpoint, resume, checkpoint_interval
        self.threads, self.seed, self.format, self.decode, self.warm_start = threads, seed, format, decode, warm_start
        self.progress = progress


class MEMMParameters(Parameters):
    """Parameters
    ----------
    template, kit, template_language, intercept, boundaries, features, min_count, induce, induce_size, induce_batch,
    induce_rounds, induce_iterations, induce_gain, induce_count, induce_from, induce_pairs, unsupported,
    unsupported_after, select_l1, order, histories, constrain, transition_groups, objective, optimizer, cost, block,
    l1, l2, prior, variances, max_iterations, tolerance, window, gradient_tolerance, gap, target, history, sgd_passes,
    step, schedule, decay, batch, average_from, aggressiveness, best, variance, gamma, kernel, precision, holdout,
    early_stop, checkpoint, resume, checkpoint_interval, threads, seed, format, decode, warm_start, progress
        As of ChainCRF.
    """

    _KIND = "memm"
    _RENAMED = {"select_l1": "select"}
    _OWN: tuple[str, ...] = ("prior", "format", "decode", "warm_start", "progress")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, template: Optional[PathLike] = None, kit: Optional[PathLike] = None,
                 template_language: str = "auto", intercept: Optional[str] = "none", boundaries: bool = False,
                 features: Optional[str] = None, min_count: int = 1, induce: bool = False,
                 induce_size: Optional[int] = None, induce_batch: Optional[int] = None,
                 induce_rounds: Optional[int] = None, induce_iterations: Optional[int] = None,
                 induce_gain: Optional[float] = None, induce_count: Optional[int] = None,
                 induce_from: Optional[str] = None, induce_pairs: Optional[bool] = None,
                 unsupported: Optional[float] = None, unsupported_after: Optional[int] = None,
                 select_l1: Optional[float] = None, order: int = 1, histories: Optional[str] = None,
                 constrain: Optional[PathLike] = None, transition_groups: Optional[PathLike] = None,
                 objective: str = "likelihood", optimizer: Optional[str] = None,
                 cost: Union[float, PathLike, None] = None, block: Optional[int] = None, l1: float = 0.0,
                 l2: Optional[float] = None, prior: Optional[Prior] = None, variances: Optional[PathLike] = None,
                 max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
                 window: Optional[int] = None, gradient_tolerance: Optional[float] = None,
                 gap: Optional[float] = None, target: Optional[float] = None, history: Optional[int] = None,
                 sgd_passes: Optional[int] = None, step: Optional[float] = None, schedule: Optional[str] = None,
                 decay: Optional[float] = None, batch: Optional[int] = None, average_from: Optional[int] = None,
                 aggressiveness: Optional[float] = None, best: Optional[int] = None,
                 variance: Optional[float] = None, gamma: Optional[float] = None, kernel: Optional[str] = None,
                 precision: str = "auto", holdout: Optional[float] = None, early_stop: int = 0,
                 checkpoint: Optional[PathLike] = None, resume: bool = False, checkpoint_interval: float = 30.0,
                 threads: int = 0, seed: int = 1, format: Optional[str] = None, decode: str = "viterbi",
                 warm_start: bool = False, progress: Optional[bool] = None) -> None:
        self.template, self.kit, self.template_language, self.intercept = template, kit, template_language, intercept
        self.boundaries, self.features, self.min_count, self.induce = boundaries, features, min_count, induce
        self.induce_size, self.induce_batch, self.induce_rounds = induce_size, induce_batch, induce_rounds
        self.induce_iterations, self.induce_gain, self.induce_count = induce_iterations, induce_gain, induce_count
        self.induce_from, self.induce_pairs, self.unsupported = induce_from, induce_pairs, unsupported
        self.unsupported_after, self.select_l1, self.order = unsupported_after, select_l1, order
        self.histories, self.constrain, self.transition_groups = histories, constrain, transition_groups
        self.objective, self.optimizer, self.cost, self.block, self.l1 = objective, optimizer, cost, block, l1
        self.l2, self.prior, self.variances, self.max_iterations = l2, prior, variances, max_iterations
        self.tolerance, self.window, self.gradient_tolerance, self.gap = tolerance, window, gradient_tolerance, gap
        self.target, self.history, self.sgd_passes, self.step = target, history, sgd_passes, step
        self.schedule, self.decay, self.batch, self.average_from = schedule, decay, batch, average_from
        self.aggressiveness, self.best, self.variance, self.gamma = aggressiveness, best, variance, gamma
        self.kernel, self.precision, self.holdout, self.early_stop = kernel, precision, holdout, early_stop
        self.checkpoint, self.resume, self.checkpoint_interval = checkpoint, resume, checkpoint_interval
        self.threads, self.seed, self.format, self.decode, self.warm_start = threads, seed, format, decode, warm_start
        self.progress = progress


class SegmentCRFParameters(Parameters):
    """Parameters
    ----------
    gazetteers : dict name -> list of names, or None
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
    template, kit, template_language, intercept, boundaries, features, min_count, objective, optimizer, cost, block,
    l1, l2, prior, variances, max_iterations, tolerance, window, gradient_tolerance, gap, target, history, sgd_passes,
    step, schedule, decay, batch, average_from, aggressiveness, variance, gamma, precision, holdout, early_stop,
    checkpoint, resume, checkpoint_interval, threads, seed, format, decode, warm_start, progress
        As of ChainCRF.
    """

    _KIND = "segment"
    _RENAMED = {"text": "text_attribute"}
    _OWN: tuple[str, ...] = ("gazetteers", "prior", "format", "decode", "warm_start", "progress")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, gazetteers: Optional[Mapping[str, Sequence[str]]] = None,
                 template: Optional[PathLike] = None, kit: Optional[PathLike] = None,
                 template_language: str = "auto", intercept: Optional[str] = None, boundaries: bool = False,
                 features: Optional[str] = None, min_count: int = 1, objective: str = "likelihood",
                 optimizer: Optional[str] = None, cost: Union[float, PathLike, None] = None,
                 block: Optional[int] = None, l1: float = 0.0, l2: Optional[float] = None,
                 prior: Optional[Prior] = None, variances: Optional[PathLike] = None,
                 max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
                 window: Optional[int] = None, gradient_tolerance: Optional[float] = None,
                 gap: Optional[float] = None, target: Optional[float] = None, history: Optional[int] = None,
                 sgd_passes: Optional[int] = None, step: Optional[float] = None, schedule: Optional[str] = None,
                 decay: Optional[float] = None, batch: Optional[int] = None, average_from: Optional[int] = None,
                 aggressiveness: Optional[float] = None, variance: Optional[float] = None,
                 gamma: Optional[float] = None, precision: str = "auto", segment_template: Optional[PathLike] = None,
                 max_length: Union[int, Mapping[str, int], None] = None, text: Optional[str] = None,
                 label_scheme: str = "auto", holdout: Optional[float] = None, early_stop: int = 0,
                 checkpoint: Optional[PathLike] = None, resume: bool = False, checkpoint_interval: float = 30.0,
                 threads: int = 0, seed: int = 1, format: Optional[str] = None, decode: str = "viterbi",
                 warm_start: bool = False, progress: Optional[bool] = None) -> None:
        self.gazetteers, self.template, self.kit = gazetteers, template, kit
        self.template_language, self.intercept, self.boundaries = template_language, intercept, boundaries
        self.features, self.min_count, self.objective, self.optimizer = features, min_count, objective, optimizer
        self.cost, self.block, self.l1, self.l2, self.prior, self.variances = cost, block, l1, l2, prior, variances
        self.max_iterations, self.tolerance, self.window = max_iterations, tolerance, window
        self.gradient_tolerance, self.gap, self.target, self.history = gradient_tolerance, gap, target, history
        self.sgd_passes, self.step, self.schedule, self.decay, self.batch = sgd_passes, step, schedule, decay, batch
        self.average_from, self.aggressiveness, self.variance = average_from, aggressiveness, variance
        self.gamma, self.precision, self.segment_template = gamma, precision, segment_template
        self.max_length, self.text, self.label_scheme, self.holdout = max_length, text, label_scheme, holdout
        self.early_stop, self.checkpoint, self.resume = early_stop, checkpoint, resume
        self.checkpoint_interval, self.threads, self.seed, self.format = checkpoint_interval, threads, seed, format
        self.decode, self.warm_start, self.progress = decode, warm_start, progress


class HiddenChainCRFParameters(Parameters):
    """Parameters
    ----------
    em_iterations : int or None
        Train by EM, so many E steps at most; None: by the gradient.
    starts : int
        Random starts, of which the best objective is kept.
    start_deviation : float
        Training starts at random weights of this standard deviation.
    hidden_states : int or dict
        States of each label; a dict label -> states has those of some, and 1 for the others.
    decode : "marginal", "viterbi", "labelling" or "risk"
        Each position's most probable label; the best path of states; the most probable labelling, by a search;
        under constraints, the fewest errors expected.
    template, kit, template_language, intercept, boundaries, features, min_count, constrain, objective, optimizer,
    cost, block, l1, l2, max_iterations, tolerance, window, gradient_tolerance, gap, target, history, sgd_passes,
    step, schedule, decay, batch, average_from, aggressiveness, best, variance, gamma, kernel, precision, holdout,
    early_stop, checkpoint, resume, checkpoint_interval, threads, seed, format, progress
        As of ChainCRF.
    """

    _KIND = "hidden-chain"
    _OWN: tuple[str, ...] = ("format", "decode", "progress")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, template: Optional[PathLike] = None, kit: Optional[PathLike] = None,
                 template_language: str = "auto", intercept: Optional[str] = None, boundaries: bool = False,
                 features: Optional[str] = None, min_count: int = 1, constrain: Optional[PathLike] = None,
                 objective: str = "likelihood", optimizer: Optional[str] = None,
                 cost: Union[float, PathLike, None] = None, block: Optional[int] = None, l1: float = 0.0,
                 l2: Optional[float] = None, max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
                 window: Optional[int] = None, gradient_tolerance: Optional[float] = None,
                 gap: Optional[float] = None, target: Optional[float] = None, history: Optional[int] = None,
                 sgd_passes: Optional[int] = None, step: Optional[float] = None, schedule: Optional[str] = None,
                 decay: Optional[float] = None, batch: Optional[int] = None, average_from: Optional[int] = None,
                 aggressiveness: Optional[float] = None, best: Optional[int] = None,
                 variance: Optional[float] = None, gamma: Optional[float] = None, kernel: Optional[str] = None,
                 precision: str = "auto", em_iterations: Optional[int] = None, starts: int = 1,
                 start_deviation: float = 0.1, hidden_states: Union[int, Mapping[str, int]] = 2,
                 holdout: Optional[float] = None, early_stop: int = 0, checkpoint: Optional[PathLike] = None,
                 resume: bool = False, checkpoint_interval: float = 30.0, threads: int = 0, seed: int = 1,
                 format: Optional[str] = None, decode: str = "marginal", progress: Optional[bool] = None) -> None:
        self.template, self.kit, self.template_language, self.intercept = template, kit, template_language, intercept
        self.boundaries, self.features, self.min_count, self.constrain = boundaries, features, min_count, constrain
        self.objective, self.optimizer, self.cost, self.block, self.l1 = objective, optimizer, cost, block, l1
        self.l2, self.max_iterations, self.tolerance, self.window = l2, max_iterations, tolerance, window
        self.gradient_tolerance, self.gap, self.target, self.history = gradient_tolerance, gap, target, history
        self.sgd_passes, self.step, self.schedule, self.decay, self.batch = sgd_passes, step, schedule, decay, batch
        self.average_from, self.aggressiveness, self.best = average_from, aggressiveness, best
        self.variance, self.gamma, self.kernel, self.precision = variance, gamma, kernel, precision
        self.em_iterations, self.starts, self.start_deviation = em_iterations, starts, start_deviation
        self.hidden_states, self.holdout, self.early_stop = hidden_states, holdout, early_stop
        self.checkpoint, self.resume, self.checkpoint_interval = checkpoint, resume, checkpoint_interval
        self.threads, self.seed, self.format, self.decode, self.progress = threads, seed, format, decode, progress


class PoolCRFParameters(Parameters):
    """Parameters
    ----------
    l2 : float or None
        Of each expert's training; None: 0.  The pool is what keeps experts from saying too much.
    experts : list
        Experts to train: "all" (every feature), "random:N" (features dealt to N experts), "random:N:FRACTION",
        "position" (past, present, future, by offsets in the attributes' names or the template), "labels" (one for
        each chunk type or label); or chains that are trained already.
    weights : "free", "dirichlet", "uniform" or "unit"
        Of the experts: free, dirichlet (on the simplex, with a prior), both learnt on holdout, or without it on
        X; uniform (1/N each) or unit (1 each).
    dirichlet : float
        Of the Dirichlet prior; above 1 it draws to equal weights, below to few experts.
    label_classes : dict or None
        label -> class, for experts "labels".
    holdout : float or None
        A fraction of X that the weights are learnt on; or give X_dev and y_dev to fit.
    template, kit, template_language, intercept, boundaries, features, min_count, constrain, objective, optimizer,
    cost, block, l1, max_iterations, tolerance, window, gradient_tolerance, gap, target, history, sgd_passes, step,
    schedule, decay, batch, average_from, aggressiveness, best, variance, gamma, kernel, precision, checkpoint,
    resume, checkpoint_interval, threads, seed, format, decode, progress
        As of ChainCRF.
    """

    _KIND = "pool"
    _RENAMED = {"weights": "pool_weights"}
    _OWN: tuple[str, ...] = ("experts", "format", "decode", "progress")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, template: Optional[PathLike] = None, kit: Optional[PathLike] = None,
                 template_language: str = "auto", intercept: Optional[str] = None, boundaries: bool = False,
                 features: Optional[str] = None, min_count: int = 1, constrain: Optional[PathLike] = None,
                 objective: str = "likelihood", optimizer: Optional[str] = None,
                 cost: Union[float, PathLike, None] = None, block: Optional[int] = None, l1: float = 0.0,
                 l2: Optional[float] = None, max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
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
        self.template, self.kit, self.template_language, self.intercept = template, kit, template_language, intercept
        self.boundaries, self.features, self.min_count, self.constrain = boundaries, features, min_count, constrain
        self.objective, self.optimizer, self.cost, self.block, self.l1 = objective, optimizer, cost, block, l1
        self.l2, self.max_iterations, self.tolerance, self.window = l2, max_iterations, tolerance, window
        self.gradient_tolerance, self.gap, self.target, self.history = gradient_tolerance, gap, target, history
        self.sgd_passes, self.step, self.schedule, self.decay, self.batch = sgd_passes, step, schedule, decay, batch
        self.average_from, self.aggressiveness, self.best = average_from, aggressiveness, best
        self.variance, self.gamma, self.kernel, self.precision = variance, gamma, kernel, precision
        self.experts, self.weights, self.dirichlet, self.label_classes = experts, weights, dirichlet, label_classes
        self.holdout, self.checkpoint, self.resume = holdout, checkpoint, resume
        self.checkpoint_interval, self.threads, self.seed, self.format = checkpoint_interval, threads, seed, format
        self.decode, self.progress = decode, progress


class ErrorCorrectingCRFParameters(Parameters):
    """Parameters
    ----------
    code : str or dict
        "one-vs-rest", "all-pairs", "random[:BITS]", "minimum-loss[:BITS[:CANDIDATES]]", or a dict label -> word
        of 0, 1 and - (a bit that does not matter).
    decoder : "product", "marginal", "distance" or "bits"
        How the chains' answers make a label, unless predict names another: product (a chain over labels),
        marginal, distance or bits.
    holdout : float or None
        A fraction of X that "minimum-loss" chooses its bits by; or give X_dev and y_dev to fit.
    template, kit, template_language, intercept, boundaries, features, min_count, objective, optimizer, cost, block,
    l1, l2, max_iterations, tolerance, window, gradient_tolerance, gap, target, history, sgd_passes, step, schedule,
    decay, batch, average_from, aggressiveness, best, variance, gamma, kernel, precision, checkpoint, resume,
    checkpoint_interval, threads, seed, format, decode, progress
        As of ChainCRF.
    """

    _KIND = "error-correcting"
    _OWN: tuple[str, ...] = ("format", "decode", "progress")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, template: Optional[PathLike] = None, kit: Optional[PathLike] = None,
                 template_language: str = "auto", intercept: Optional[str] = None, boundaries: bool = False,
                 features: Optional[str] = None, min_count: int = 1, objective: str = "likelihood",
                 optimizer: Optional[str] = None, cost: Union[float, PathLike, None] = None,
                 block: Optional[int] = None, l1: float = 0.0, l2: Optional[float] = None,
                 max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
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
        self.template, self.kit, self.template_language, self.intercept = template, kit, template_language, intercept
        self.boundaries, self.features, self.min_count, self.objective = boundaries, features, min_count, objective
        self.optimizer, self.cost, self.block, self.l1, self.l2 = optimizer, cost, block, l1, l2
        self.max_iterations, self.tolerance, self.window = max_iterations, tolerance, window
        self.gradient_tolerance, self.gap, self.target, self.history = gradient_tolerance, gap, target, history
        self.sgd_passes, self.step, self.schedule, self.decay, self.batch = sgd_passes, step, schedule, decay, batch
        self.average_from, self.aggressiveness, self.best = average_from, aggressiveness, best
        self.variance, self.gamma, self.kernel, self.precision, self.code = variance, gamma, kernel, precision, code
        self.decoder, self.holdout, self.checkpoint, self.resume = decoder, holdout, checkpoint, resume
        self.checkpoint_interval, self.threads, self.seed, self.format = checkpoint_interval, threads, seed, format
        self.decode, self.progress = decode, progress


class BoostedCRFParameters(Parameters):
    """Parameters
    ----------
    kind : "chain", "maxent" or "segment"
        With transitions, each position by itself, or segments, which have trees of their own.
    gazetteers : dict name -> list of names, or None
        For %gazetteer in the template; a name is its tokens with spaces between.
    l2 : float
        Of the values of leaves: v = -G / (H + l2).
    tolerance : float
        Stop where a round gains less than this share of the objective; 0: never.
    rounds : int
        Rounds, each with a tree for every label.
    shrinkage : float
        The share of each tree that is added, above 0 and not above 1.
    depth : int
        Tests on the way to a leaf at most; 0: trees are constants.
    leaves : int
        Leaves of a tree at most.
    min_child_weight : float
        Sum of second derivatives, p (1 - p) of each position, that a leaf has at least.
    min_child_count : int
        Positions that a leaf has at least.
    min_gain : float
        A test must lower the objective by more than this, to second order.
    row_share : float
        Of the sequences, drawn anew for each round.
    feature_share : float
        Of the attributes, drawn anew for each tree.
    trim : float
        Grow trees without the positions of the smallest gradients, which together have this share of the sum of
        all.
    bins : int
        Bins of a numeric attribute at most.
    trees : "label" or "shared"
        label: a tree for each label a round; shared: one, whose leaves have a value for each.
    pair_trees : bool
        boosted-chain: trees also for each pair of neighbouring labels that the data has.
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
    template, kit, template_language, boundaries, holdout, early_stop, checkpoint, resume, checkpoint_interval,
    threads, seed, format, decode, progress
        As of ChainCRF.
    """

    _KIND = "boosted-chain"
    _RENAMED = {"text": "text_attribute"}
    _OWN: tuple[str, ...] = ("kind", "gazetteers", "format", "decode", "progress")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, kind: str = "chain", gazetteers: Optional[Mapping[str, Sequence[str]]] = None,
                 template: Optional[PathLike] = None, kit: Optional[PathLike] = None,
                 template_language: str = "auto", boundaries: bool = False, l2: float = 1.0, tolerance: float = 0.0,
                 rounds: int = 100, shrinkage: float = 0.3, depth: int = 20, leaves: int = 31,
                 min_child_weight: float = 1.0, min_child_count: int = 1, min_gain: float = 0.0,
                 row_share: float = 1.0, feature_share: float = 1.0, trim: float = 0.1, bins: int = 255,
                 trees: str = "label", pair_trees: bool = False, holdout: Optional[float] = None,
                 early_stop: int = 0, checkpoint: Optional[PathLike] = None, resume: bool = False,
                 checkpoint_interval: float = 30.0, threads: int = 0, seed: int = 1,
                 segment_template: Optional[PathLike] = None, max_length: Union[int, Mapping[str, int], None] = None,
                 text: Optional[str] = None, label_scheme: str = "auto", format: Optional[str] = None,
                 decode: str = "viterbi", progress: Optional[bool] = None) -> None:
        self.kind, self.gazetteers, self.template, self.kit = kind, gazetteers, template, kit
        self.template_language, self.boundaries, self.l2 = template_language, boundaries, l2
        self.tolerance, self.rounds, self.shrinkage, self.depth = tolerance, rounds, shrinkage, depth
        self.leaves, self.min_child_weight, self.min_child_count = leaves, min_child_weight, min_child_count
        self.min_gain, self.row_share, self.feature_share, self.trim = min_gain, row_share, feature_share, trim
        self.bins, self.trees, self.pair_trees, self.holdout = bins, trees, pair_trees, holdout
        self.early_stop, self.checkpoint, self.resume = early_stop, checkpoint, resume
        self.checkpoint_interval, self.threads, self.seed = checkpoint_interval, threads, seed
        self.segment_template, self.max_length, self.text = segment_template, max_length, text
        self.label_scheme, self.format, self.decode, self.progress = label_scheme, format, decode, progress


class HMMParameters(Parameters):
    """Parameters
    ----------
    ends : bool
        Sequences end with a probability; otherwise p(x) is that of the observations given their number.
    tolerance : float
        Baum-Welch stops where its objective gains less than this share.
    smoothing : float
        Added to the count of every value of every label, that of all unknown ones too.
    transition_smoothing : float or None
        Added to the count of every start, transition and end; default: as smoothing.
    rare : int or None
        Values seen N times or less stand in for unknown ones; 0: none; default: 1, with suffix 10.
    suffix : int
        Tell unknown values apart by their last N letters, or less; 0: do not.
    states : int or None
        Labels in all; None: those of y.  Without y, how many hidden states there are (S1, S2, ...).
    em_iterations : int
        Iterations of Baum-Welch at most.
    starts : int or None
        Random starts, where labels without an example are to be found; the best is kept.  None: 5 where nothing
        is labelled, otherwise 1.
    holdout : float or None
        A fraction of X to set aside, whose labels the finished model is compared with.
    format : "attributes", "columns" or None
        What a sequence is; None: "columns" where the first position is a str, otherwise "attributes".
    early_stop, checkpoint, resume, checkpoint_interval, threads, seed, decode
        As of ChainCRF.
    """

    _KIND = "hmm"
    _RENAMED = {"ends": "boundaries"}
    _OWN: tuple[str, ...] = ("format", "decode")
    _ALWAYS: tuple[str, ...] = ("threads",)

    def __init__(self, *, ends: bool = False, tolerance: float = 1e-05, smoothing: float = 0.1,
                 transition_smoothing: Optional[float] = None, rare: Optional[int] = None, suffix: int = 0,
                 states: Optional[int] = None, em_iterations: int = 100, starts: Optional[int] = None,
                 holdout: Optional[float] = None, early_stop: int = 0, checkpoint: Optional[PathLike] = None,
                 resume: bool = False, checkpoint_interval: float = 30.0, threads: int = 0, seed: int = 1,
                 format: Optional[str] = None, decode: str = "viterbi") -> None:
        self.ends, self.tolerance, self.smoothing = ends, tolerance, smoothing
        self.transition_smoothing, self.rare, self.suffix, self.states = transition_smoothing, rare, suffix, states
        self.em_iterations, self.starts, self.holdout, self.early_stop = em_iterations, starts, holdout, early_stop
        self.checkpoint, self.resume, self.checkpoint_interval = checkpoint, resume, checkpoint_interval
        self.threads, self.seed, self.format, self.decode = threads, seed, format, decode


class GraphCRFParameters(Parameters):
    """Parameters
    ----------
    unroll : function
        Of an instance; it gives its Cliques.
    domains : dict
        name -> labels of the variables of this domain.
    templates : dict
        name -> Template.
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
    start_deviation : float or None
        Training starts at random weights of this standard deviation.  None: 0.1.
    memory : float (bytes), str or None
        What junction trees may take: a number with K, M, G or T (powers of 1024).  None: 8G.
    inference_iterations : int or None
        Iterations of inference in each evaluation, where it iterates.
    damping : float or None
        Share of the old message in the new one, in [0, 1).  None: 0.
    search : str or None
        How perceptron and max-margin find the best labelling: auto, junction-tree, max-product, trw-s, graph-cut,
        alpha-expansion.  None: auto.
    pairs : bool
        sample-rank: proposals that change two neighbouring variables at once, too.
    method : str
        How predict and predict_marginals infer, a method of FactorGraph.infer.
    min_count, optimizer, l1, l2, variances, max_iterations, tolerance, window, gradient_tolerance, gap, target,
    history, sgd_passes, step, schedule, decay, batch, average_from, aggressiveness, checkpoint, resume,
    checkpoint_interval, threads, seed
        As of ChainCRF.
    """

    _KIND = "graph"
    _OWN: tuple[str, ...] = ("unroll", "domains", "templates", "prior", "method")

    def __init__(self, unroll: Optional[Callable[[Any], Cliques]] = None, *,
                 domains: Optional[Mapping[str, Sequence[str]]] = None,
                 templates: Optional[Mapping[str, Template]] = None, features: str = "all", min_count: int = 1,
                 objective: str = "likelihood", optimizer: Optional[str] = None, cost: Optional[float] = None,
                 l1: float = 0.0, l2: Optional[float] = None, prior: Union[GraphCRF, PathLike, None] = None,
                 variances: Optional[PathLike] = None, max_iterations: Optional[int] = None,
                 tolerance: Optional[float] = None, window: Optional[int] = None,
                 gradient_tolerance: Optional[float] = None, gap: Optional[float] = None,
                 target: Optional[float] = None, history: Optional[int] = None, sgd_passes: Optional[int] = None,
                 step: Optional[float] = None, schedule: Optional[str] = None, decay: Optional[float] = None,
                 batch: Optional[int] = None, average_from: Optional[int] = None,
                 aggressiveness: Optional[float] = None, em_iterations: Optional[int] = None, starts: int = 1,
                 start_deviation: Optional[float] = None, memory: Union[float, str, None] = None,
                 inference_iterations: Optional[int] = None, damping: Optional[float] = None,
                 search: Optional[str] = None, pairs: bool = False, checkpoint: Optional[PathLike] = None,
                 resume: bool = False, checkpoint_interval: float = 30.0, threads: int = 1, seed: int = 1,
                 method: str = "auto") -> None:
        self.unroll, self.domains, self.templates, self.features = unroll, domains, templates, features
        self.min_count, self.objective, self.optimizer, self.cost, self.l1 = min_count, objective, optimizer, cost, l1
        self.l2, self.prior, self.variances, self.max_iterations = l2, prior, variances, max_iterations
        self.tolerance, self.window, self.gradient_tolerance, self.gap = tolerance, window, gradient_tolerance, gap
        self.target, self.history, self.sgd_passes, self.step = target, history, sgd_passes, step
        self.schedule, self.decay, self.batch, self.average_from = schedule, decay, batch, average_from
        self.aggressiveness, self.em_iterations, self.starts = aggressiveness, em_iterations, starts
        self.start_deviation, self.memory, self.inference_iterations = start_deviation, memory, inference_iterations
        self.damping, self.search, self.pairs, self.checkpoint = damping, search, pairs, checkpoint
        self.resume, self.checkpoint_interval, self.threads, self.seed = resume, checkpoint_interval, threads, seed
        self.method = method


class LogisticRegressionParameters(Parameters):
    """Parameters
    ----------
    intercept : "unpenalised", "penalised" or "none"
        b.
    class_weight : None, "balanced" or dict
        Factor of the weight of each row, by its label; labels that a dict does not have: 1.  "balanced": N / (L *
        rows of the label).
    l2 : float
        Weight of |w|_2^2 / 2.
    optimizer, l1, variances, max_iterations, tolerance, window, gradient_tolerance, gap, target, history, sgd_passes,
    step, schedule, decay, batch, average_from, precision, threads, seed
        As of ChainCRF.
    """

    _KIND = "maxent"
    _OWN: tuple[str, ...] = ("class_weight",)
    _ALWAYS: tuple[str, ...] = ("intercept", "l2", "threads")

    def __init__(self, *, intercept: str = "unpenalised", class_weight: Union[None, str, Mapping[Any, float]] = None,
                 optimizer: Optional[str] = None, l1: float = 0.0, l2: float = 1.0,
                 variances: Optional[PathLike] = None, max_iterations: Optional[int] = None,
                 tolerance: Optional[float] = None, window: Optional[int] = None,
                 gradient_tolerance: Optional[float] = None, gap: Optional[float] = None,
                 target: Optional[float] = None, history: Optional[int] = None, sgd_passes: Optional[int] = None,
                 step: Optional[float] = None, schedule: Optional[str] = None, decay: Optional[float] = None,
                 batch: Optional[int] = None, average_from: Optional[int] = None, precision: str = "auto",
                 threads: int = 0, seed: int = 1) -> None:
        self.intercept, self.class_weight, self.optimizer, self.l1 = intercept, class_weight, optimizer, l1
        self.l2, self.variances, self.max_iterations, self.tolerance = l2, variances, max_iterations, tolerance
        self.window, self.gradient_tolerance, self.gap, self.target = window, gradient_tolerance, gap, target
        self.history, self.sgd_passes, self.step, self.schedule = history, sgd_passes, step, schedule
        self.decay, self.batch, self.average_from, self.precision = decay, batch, average_from, precision
        self.threads, self.seed = threads, seed


class NaiveBayesParameters(Parameters):
    """Parameters
    ----------
    class_weight : None, "balanced" or dict
        Factor of the weight of each row, by its label; labels that a dict does not have: 1.  "balanced": N / (L *
        rows of the label).
    em_tolerance : float
        EM stops where its objective changes by less than this share.
    event : str, or a list of D of them
        What the numbers are: "multinomial" (counts of words), "bernoulli" (whether they are above ``binarize``),
        "complement" (Rennie and others 2003: counts, of all other labels), "gaussian" (measurements) or
        "categorical" (categories 0, 1, ...).  A list says it for each column.
    alpha : float
        Added to each count: 1 is Laplace's, less Lidstone's.
    priors : None, "uniform" or array [L]
        p(y); None: the shares of the labels in the data.
    binarize : float
        bernoulli: an attribute is there where its value is above this.
    var_smoothing : float
        gaussian: this share of the largest variance is added to all.
    norm : bool
        complement: the weights of a label sum to 1.
    em_iterations : int
        Of fit with X_unlabelled: iterations of EM at most.
    min_categories : None, int or array [D]
        Of categorical: categories of each column at least.
    """

    _KIND = "naive-bayes"
    _RENAMED = {"em_tolerance": "tolerance", "var_smoothing": "variance_floor", "norm": "complement_norm"}
    _OWN: tuple[str, ...] = ("class_weight", "event", "priors", "min_categories")

    def __init__(self, *, class_weight: Union[None, str, Mapping[Any, float]] = None, em_tolerance: float = 1e-06,
                 event: Union[str, Sequence[str]] = "multinomial", alpha: float = 1.0, priors: Any = None,
                 binarize: float = 0.0, var_smoothing: float = 1e-09, norm: bool = False, em_iterations: int = 100,
                 min_categories: Any = None) -> None:
        self.class_weight, self.em_tolerance, self.event, self.alpha = class_weight, em_tolerance, event, alpha
        self.priors, self.binarize, self.var_smoothing, self.norm = priors, binarize, var_smoothing, norm
        self.em_iterations, self.min_categories = em_iterations, min_categories
