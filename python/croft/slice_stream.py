"""Dynamic Bayesian networks: what is known of the present, the past and the future as evidence comes in."""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Sequence

from . import _core
from .graph import Evidence, FactorGraph, Name, _at_least

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Marginals = dict[Name, NDArray[np.float64]]


class SliceStream:
    """A stream of evidence about a dynamic network, of :meth:`BayesNet.stream`; exact.

        stream = net.stream(history=2)
        for row in rows:
            stream.step(row)["weather"]     # p(weather now | rows until now), (states,)
        stream.smoothed(2)["weather"]       # p(weather two slices ago | rows until now)

    Variables are those of a slice, without the endings.  A step takes as long as any other.
    """

    def __init__(self, text: str, endings: Sequence[str], history: Optional[int]) -> None:
        first, second = endings
        kept = None if history is None else _at_least("history", history, 0)
        self._native = _core.SliceStream(text, (first, second), kept)
        self._graph = FactorGraph._of(_core.Graph.parse(self._native.slice(), "bif"))

    @property
    def variables(self) -> list[str]:
        """Of a slice, in order."""
        return [str(name) for name in self._graph.variables]

    def states(self, variable: str) -> list[str]:
        return [str(state) for state in self._graph.states(variable)]

    @property
    def slices(self) -> int:
        """How many have been seen."""
        return self._native.slices

    @property
    def log_likelihood(self) -> float:
        """Of all evidence so far, nats."""
        return self._native.log_likelihood

    def step(self, evidence: Optional[Evidence] = None) -> Marginals:
        """The next slice, {variable: state} or {variable: likelihoods}; returns :attr:`marginals`.

        ValueError where its probability is 0 given the slices before: the stream then stays as it was."""
        if not self._native.step(*self._graph._findings(evidence or {})):
            raise ValueError(f"the evidence of slice {self.slices} has probability 0 given the slices before it")
        return self.marginals

    @property
    def marginals(self) -> Marginals:
        """{variable: array (states,)} of p(variable of the last slice | evidence of all slices so far)."""
        if self.slices == 0:
            raise ValueError("no slice has been seen yet: step() comes first, and ahead() tells the first slices")
        return self._graph._arrays(self._native.marginals())

    def ahead(self, slices: int = 1) -> list[Marginals]:
        """The same of each of so many later slices, the next one first."""
        return [self._graph._arrays(each) for each in self._native.ahead(_at_least("slices", slices, 0))]

    def smoothed(self, back: int) -> Marginals:
        """The same of the slice so many before the last, at most `history`."""
        return self._graph._arrays(self._native.smoothed(_at_least("back", back, 0)))

    def smooth(self) -> list[Marginals]:
        """The same of all slices that the history has, the earliest first: of all with history=None."""
        return [self._graph._arrays(each) for each in self._native.smooth()]

    def __repr__(self) -> str:
        return f"SliceStream({len(self.variables)} variables, {self.slices} slices)"
