"""What a training reports, as python-crfsuite's log has it."""
from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple, Optional, Sequence

Labels = Sequence[Sequence[str]]


class LabelScore(NamedTuple):
    """A label on the hold-out: positions right, predicted, true; without true ones others None."""
    match: int
    model: int
    ref: int
    precision: Optional[float]
    recall: Optional[float]
    f1: Optional[float]


class TrainingLog:
    """The log of a training, as text and as figures.

    iterations : list of dicts with num, loss (the objective; of ap, pa and arow the sum of the
        losses that the pass met), feature_norm (|w|), active_features, time (seconds of this
        iteration), scores; of L-BFGS error_norm (of the gradient), linesearch_trials and
        linesearch_step; with a hold-out also item_accuracy (a Fraction) and item_accuracy_float.
        The last iteration of a training with a hold-out has more: scores (label -> LabelScore),
        avg_precision, avg_recall, avg_f1, instance_accuracy and instance_accuracy_float.
    last_iteration : the last of them; None before the first
    featgen_percent, featgen_num_features, featgen_seconds, training_seconds, storing_seconds
    log : list of str, the text so far;  events : (name, start, end) of its parts
    last_log : the last part
    """

    def __init__(self, line_searches: bool = True) -> None:
        self._line_searches = line_searches  # whether an iteration is one, rather than a pass
        self.featgen_percent = 0
        self.featgen_num_features: Optional[int] = None  # known when training has ended
        self.featgen_seconds: Optional[float] = None
        self.training_seconds: Optional[float] = None
        self.storing_seconds: Optional[float] = None
        self.iterations: list[dict[str, Any]] = []
        self.log: list[str] = []
        self.events: list[tuple[str, int, int]] = []
        self._before: dict[str, Any] = {"evaluations": 0, "seconds": 0.0}

    @property
    def last_iteration(self) -> Optional[dict[str, Any]]:
        return self.iterations[-1] if self.iterations else None

    @property
    def last_log(self) -> str:
        _, start, end = self.events[-1]
        return "".join(self.log[start:end])

    def add(self, event: str, text: str) -> None:
        """A part of the log."""
        self.log.append(text)
        self.events.append((event, len(self.log) - 1, len(self.log)))

    def add_iteration(self, event: dict[str, Any],
                      holdout_positions: int) -> Optional[dict[str, Any]]:
        """What the trainer said of an iteration; None for the starting point."""
        before, self._before = self._before, event
        if event["iteration"] == 0:
            return None
        now: dict[str, Any] = {
            "num": event["iteration"], "loss": event["objective"],
            "feature_norm": event["weight_norm"], "active_features": event["active_features"],
            "time": event["seconds"] - before["seconds"], "scores": {}}
        if self._line_searches:
            now.update(error_norm=event["gradient_norm"],
                       linesearch_trials=event["evaluations"] - before["evaluations"],
                       linesearch_step=event["step"])
        if event.get("holdout"):
            share = event["holdout"]["token_accuracy"]
            now["item_accuracy"] = Fraction(round(share * holdout_positions),
                                            max(1, holdout_positions))
            now["item_accuracy_float"] = share
        self.iterations.append(now)
        return now

    def add_scores(self, labels: Sequence[str], y_true: Labels, y_pred: Labels) -> None:
        """Of the model that training ended with, to the last iteration."""
        if self.iterations:
            self.iterations[-1].update(holdout_scores(labels, y_true, y_pred))


TrainLogParser = TrainingLog  # python-crfsuite's name, in pickles


def holdout_scores(labels: Sequence[str], y_true: Labels, y_pred: Labels) -> dict[str, Any]:
    """Counts by label, their means over all `labels` (0 where there is nothing), and accuracies."""
    count = {label: [0, 0, 0] for label in labels}
    right = positions = sequences = 0
    for gold, found in zip(y_true, y_pred):
        for a, b in zip(gold, found):
            count.setdefault(a, [0, 0, 0])[2] += 1
            count[b][1] += 1
            count[b][0] += a == b
        right += sum(a == b for a, b in zip(gold, found))
        positions += len(found)
        sequences += list(gold) == list(found)
    scores = {label: _score(*each) for label, each in count.items()}
    out: dict[str, Any] = {"scores": scores}
    for name in ("precision", "recall", "f1"):
        total = sum(getattr(scores[label], name) or 0.0 for label in labels)
        out["avg_" + name] = total / len(labels)
    for name, share in (("item_accuracy", Fraction(right, max(1, positions))),
                        ("instance_accuracy", Fraction(sequences, max(1, len(y_true))))):
        out[name] = share
        out[name + "_float"] = float(share)
    return out


def _score(match: int, model: int, ref: int) -> LabelScore:
    if ref == 0:
        return LabelScore(match, model, ref, None, None, None)
    precision = match / model if model else 0.0
    recall = match / ref
    f1 = 2 * precision * recall / (precision + recall) if match else 0.0
    return LabelScore(match, model, ref, precision, recall, f1)


def iteration_text(now: dict[str, Any]) -> str:
    """An iteration as lines."""
    lines = [f"***** Iteration #{now['num']} *****", f"Loss: {now['loss']:.6f}",
             f"Feature norm: {now['feature_norm']:.6f}"]
    if "error_norm" in now:
        lines.append(f"Error norm: {now['error_norm']:.6f}")
    lines.append(f"Active features: {now['active_features']}")
    if "linesearch_trials" in now:
        lines += [f"Line search trials: {now['linesearch_trials']}",
                  f"Line search step: {now['linesearch_step']:.6f}"]
    lines.append(f"Seconds required for this iteration: {now['time']:.3f}")
    if "item_accuracy_float" in now:
        lines.append(f"Item accuracy: {now['item_accuracy_float']:.4f}")
    return "\n".join(lines) + "\n\n"


def scores_text(now: dict[str, Any]) -> str:
    """The scores of the last iteration as a table."""
    if not now["scores"]:
        return ""
    width = max(len("label"), *map(len, now["scores"]))
    lines = [f"{'label'.ljust(width)}   match   model     ref  precision  recall      F1"]
    for label, score in now["scores"].items():
        figures = ("        -       -       -" if score.precision is None else
                   f"   {score.precision:.4f}  {score.recall:.4f}  {score.f1:.4f}")
        counts = f"{score.match:7} {score.model:7} {score.ref:7}"
        lines.append(f"{label.ljust(width)} {counts} {figures}")
    lines.append(f"Macro-average precision, recall, F1: ({now['avg_precision']:.6f}, "
                 f"{now['avg_recall']:.6f}, {now['avg_f1']:.6f})")
    lines.append(f"Item accuracy: {now['item_accuracy_float']:.4f}")
    lines.append(f"Instance accuracy: {now['instance_accuracy_float']:.4f}")
    return "\n".join(lines) + "\n"
