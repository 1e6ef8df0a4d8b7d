"""Keyword arguments of the estimators.  scripts/generate_parameters.py makes this file of _parameters.py."""
from typing import Any, Mapping, Optional, Sequence, TypedDict, Union

from ._parameters import Expert, PathLike, Prior
from .graph_crf import GraphCRF as _Graphs, Template

_Template = TypedDict("_Template", {"template": Optional[PathLike], "kit": Optional[PathLike],
    "template_language": str, "boundaries": bool, "progress": Optional[bool]}, total=False)
_Intercept = TypedDict("_Intercept", {"intercept": Optional[str], "features": Optional[str],
    "cost": Union[float, PathLike, None], "block": Optional[int], "variance": Optional[float],
    "gamma": Optional[float]}, total=False)
_MinCount = TypedDict("_MinCount", {"min_count": int, "objective": str, "l2": Optional[float],
    "aggressiveness": Optional[float]}, total=False)
_Induce = TypedDict("_Induce", {"induce": bool, "induce_size": Optional[int], "induce_batch": Optional[int],
    "induce_rounds": Optional[int], "induce_iterations": Optional[int], "induce_gain": Optional[float],
    "induce_count": Optional[int], "induce_from": Optional[str], "induce_pairs": Optional[bool],
    "unsupported": Optional[float], "unsupported_after": Optional[int], "select_l1": Optional[float], "order": int,
    "histories": Optional[str], "transition_groups": Optional[PathLike]}, total=False)
_Constrain = TypedDict("_Constrain", {"constrain": Optional[PathLike]}, total=False)
_Optimizer = TypedDict("_Optimizer", {"optimizer": Optional[str], "l1": float, "max_iterations": Optional[int],
    "tolerance": Optional[float], "window": Optional[int], "gradient_tolerance": Optional[float],
    "gap": Optional[float], "target": Optional[float], "history": Optional[int], "sgd_passes": Optional[int],
    "step": Optional[float], "schedule": Optional[str], "decay": Optional[float], "batch": Optional[int],
    "average_from": Optional[int]}, total=False)
_Prior = TypedDict("_Prior", {"prior": Optional[Prior], "warm_start": bool}, total=False)
_Variances = TypedDict("_Variances", {"variances": Optional[PathLike]}, total=False)
_Best = TypedDict("_Best", {"best": Optional[int], "kernel": Optional[str]}, total=False)
_Precision = TypedDict("_Precision", {"precision": str}, total=False)
_Holdout = TypedDict("_Holdout", {"holdout": Optional[float], "format": Optional[str], "decode": str}, total=False)
_EarlyStop = TypedDict("_EarlyStop", {"early_stop": int}, total=False)
_Checkpoint = TypedDict("_Checkpoint", {"checkpoint": Optional[PathLike], "resume": bool,
    "checkpoint_interval": float}, total=False)
_Threads = TypedDict("_Threads", {"threads": int, "seed": int}, total=False)
_Gazetteers = TypedDict("_Gazetteers", {"gazetteers": Optional[Mapping[str, Sequence[str]]],
    "segment_template": Optional[PathLike], "max_length": Union[int, Mapping[str, int], None], "text": Optional[str],
    "label_scheme": str}, total=False)
_EmIterations = TypedDict("_EmIterations", {"em_iterations": Optional[int], "starts": int}, total=False)
_StartDeviation = TypedDict("_StartDeviation", {"start_deviation": float,
    "hidden_states": Union[int, Mapping[str, int]]}, total=False)
_Experts = TypedDict("_Experts", {"experts": Sequence[Expert], "weights": str, "dirichlet": float,
    "label_classes": Optional[Mapping[str, str]]}, total=False)
_Code = TypedDict("_Code", {"code": Union[str, Mapping[str, str]], "decoder": str}, total=False)
_Kind = TypedDict("_Kind", {"kind": str, "rounds": int, "shrinkage": float, "depth": int, "leaves": int,
    "min_child_weight": float, "min_child_count": int, "min_gain": float, "row_share": float, "feature_share": float,
    "trim": float, "bins": int, "trees": str, "pair_trees": bool}, total=False)
_L2 = TypedDict("_L2", {"l2": float}, total=False)
_Tolerance = TypedDict("_Tolerance", {"tolerance": float}, total=False)
_Ends = TypedDict("_Ends", {"ends": bool, "smoothing": float, "transition_smoothing": Optional[float],
    "rare": Optional[int], "suffix": int, "states": Optional[int], "starts": Optional[int]}, total=False)
_EmIterations2 = TypedDict("_EmIterations2", {"em_iterations": int}, total=False)
_Domains = TypedDict("_Domains", {"domains": Optional[Mapping[str, Sequence[str]]],
    "templates": Optional[Mapping[str, Template]], "features": str, "cost": Optional[float],
    "prior": Union[_Graphs, PathLike, None], "start_deviation": Optional[float], "memory": Union[float, str, None],
    "inference_iterations": Optional[int], "damping": Optional[float], "search": Optional[str], "pairs": bool,
    "method": str}, total=False)
_Intercept2 = TypedDict("_Intercept2", {"intercept": str}, total=False)
_ClassWeight = TypedDict("_ClassWeight", {"class_weight": Union[None, str, Mapping[Any, float]]}, total=False)
_EmTolerance = TypedDict("_EmTolerance", {"em_tolerance": float, "event": Union[str, Sequence[str]], "alpha": float,
    "priors": Any, "binarize": float, "var_smoothing": float, "norm": bool, "min_categories": Any}, total=False)

class ChainCRF(_Template, _Intercept, _MinCount, _Induce, _Constrain, _Optimizer, _Prior, _Variances, _Best,
               _Precision, _Holdout, _EarlyStop, _Checkpoint, _Threads, total=False): ...

class MEMM(_Template, _Intercept, _MinCount, _Induce, _Constrain, _Optimizer, _Prior, _Variances, _Best, _Precision,
           _Holdout, _EarlyStop, _Checkpoint, _Threads, total=False): ...

class SegmentCRF(_Template, _Intercept, _MinCount, _Optimizer, _Prior, _Variances, _Precision, _Holdout, _EarlyStop,
                 _Checkpoint, _Threads, _Gazetteers, total=False): ...

class HiddenChainCRF(_Template, _Intercept, _MinCount, _Constrain, _Optimizer, _Best, _Precision, _Holdout,
                     _EarlyStop, _Checkpoint, _Threads, _EmIterations, _StartDeviation, total=False): ...

class PoolCRF(_Template, _Intercept, _MinCount, _Constrain, _Optimizer, _Best, _Precision, _Holdout, _Checkpoint,
              _Threads, _Experts, total=False): ...

class ErrorCorrectingCRF(_Template, _Intercept, _MinCount, _Optimizer, _Best, _Precision, _Holdout, _Checkpoint,
                         _Threads, _Code, total=False): ...

class BoostedCRF(_Template, _Holdout, _EarlyStop, _Checkpoint, _Threads, _Gazetteers, _Kind, _L2,
                 _Tolerance, total=False): ...

class HMM(_Holdout, _EarlyStop, _Checkpoint, _Threads, _Tolerance, _Ends, _EmIterations2, total=False): ...

class GraphCRF(_MinCount, _Optimizer, _Variances, _Checkpoint, _Threads, _EmIterations, _Domains, total=False): ...

class LogisticRegression(_Optimizer, _Variances, _Precision, _Threads, _L2, _Intercept2,
                         _ClassWeight, total=False): ...

class NaiveBayes(_EmIterations2, _ClassWeight, _EmTolerance, total=False): ...
