"""Progress of a training: a line in a terminal, a bar in a notebook, nothing elsewhere."""
from __future__ import annotations

import shutil
import sys
import time
from types import TracebackType
from typing import Any, Optional


class Progress:
    """Shown ten times a second at most.  on: None where there is a terminal or a notebook."""

    def __init__(self, on: Optional[bool]) -> None:
        self._notebook = on is not False and _in_notebook()
        self._terminal = not self._notebook and (sys.stderr.isatty() if on is None else bool(on))
        self._shown = 0.0
        self._width = 0
        self._handle: Any = None
        self._data = ""

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if self._terminal and self._width:
            sys.stderr.write("\n")
            sys.stderr.flush()

    def data(self, event: dict[str, Any]) -> None:
        """Once, when the data has been read."""
        self._data = (f"{event['sequences']:,} sequences, {event['positions']:,} positions, "
                      f"{event['labels']:,} labels, {event['attributes']:,} attributes")
        self._show(self._data, None)

    def iteration(self, event: dict[str, Any]) -> None:
        """After each iteration."""
        if time.monotonic() - self._shown < 0.1:
            return
        text = (f"iteration {event['iteration']}  objective {event['objective']:.2f}  "
                f"gradient {event['gradient_norm']:.3g}  active {event['active_features']}  "
                + (f"gap {event['gap']:.2g}  " if "gap" in event else "") + f"{event['seconds']:.1f} s")
        self._show(text + _score(event.get("holdout")), event["iteration"] / max(1, event["max_iterations"]))

    def done(self, result: dict[str, Any]) -> None:
        """At the end."""
        self._show(f"{result['iterations']} iterations, objective {result['objective']:.2f}: "
                   f"{result['message']}" + _score(result["holdout"]), 1.0)

    def _show(self, text: str, share: Optional[float]) -> None:
        self._shown = time.monotonic()
        if self._terminal:
            text = text[:max(20, shutil.get_terminal_size().columns - 1)]
            sys.stderr.write("\r" + text.ljust(self._width))
            sys.stderr.flush()
            self._width = len(text)
        elif self._notebook:
            self._show_in_notebook(text, share)

    def _show_in_notebook(self, text: str, share: Optional[float]) -> None:
        from html import escape

        from IPython.display import HTML, display
        value = "" if share is None else f' value="{share:.3f}"'
        page = HTML(f'<progress max="1"{value} style="width: 20em"></progress> '
                    f"<code>{escape(text)}</code>")
        if self._handle is None:
            self._handle = display(page, display_id=True)
        else:
            self._handle.update(page)


def _score(holdout: Optional[dict[str, float]]) -> str:
    if not holdout:
        return ""
    if "chunk_f1" in holdout:
        return f"  hold-out F1 {100 * holdout['chunk_f1']:.2f}"
    return f"  hold-out accuracy {100 * holdout['token_accuracy']:.2f}"


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"
