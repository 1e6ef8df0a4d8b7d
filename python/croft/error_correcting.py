"""ErrorCorrectingCRF: binary chains of the bits of a code, as a scikit-learn estimator."""
from __future__ import annotations

from ._parameters import ErrorCorrectingCRFParameters
from .estimator import ChainKind


class ErrorCorrectingCRF(ErrorCorrectingCRFParameters, ChainKind):
    """An error-correcting conditional random field (Cohn, Smith & Osborne 2005): a code gives each label a word
    of bits, and each bit has a chain over 0 and 1 of its own.  Training costs grow with the bits, not with the
    square of the number of labels.

    Attributes
    ----------
    model_ : Model
    classes_ : list of str, the labels in the order of their numbers
    training_log_ : TrainingLog, an entry for each bit
    size_ : int, bytes of the model
    """
