"""Pictures of models and of what they say of a sequence (needs matplotlib).

    croft.plot.marginals(crf, x, tokens=words)      # p(label | x) at each position
    croft.plot.training_curve(crf)                  # objective and hold-out score by iteration
    croft.plot.transitions(crf)                     # weights of pairs of labels
    croft.plot.top_features(crf, "B-PER")           # the strongest features of a label
    croft.plot.reliability(crf, X, y)               # how often it is right, against how sure it is

Each takes a ``croft.Model`` or a fitted estimator (``reliability`` any classifier), draws on ``ax`` where one is given
and otherwise on a figure of its own, and returns the Axes.  Colours can be told apart without red and green.
"""
from __future__ import annotations

import math
import numbers
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from ._params import a_type
from .model import Model

__all__ = ["confusion", "marginals", "reliability", "top_features", "training_curve", "transitions"]

_BLUE, _ORANGE = "#0072B2", "#D55E00"
_TICK, _FRAME = 0.16, 0.09  # inches that the text of a tick needs, and a cell for its frame


def marginals(model: Any, x: Any, *, tokens: Optional[Sequence[str]] = None,
              labels: Optional[Sequence[str]] = None, start: int = 0, stop: Optional[int] = None,
              annotate: Optional[bool] = None, ax: Any = None, **how: Any) -> Any:
    """A heat map of p(y_t = label | x): a column for each position, a row for each label.  The
    predicted labelling is framed, unless the columns are too narrow for that.

    x : one sequence
    tokens : [T] str, written under the positions; None: the first cells of rows, or numbers
    labels : the rows, in their order; None: those that reach 1% somewhere
    start, stop : the positions [start, stop) to show
    annotate : whether percentages stand in the cells; None: where there is room
    how : constrain, rules, ... as ``Model.predict_proba`` takes them
    """
    found = _model(model)
    probabilities = found.predict_proba([x], **how)[0]
    predicted = found.predict_single(x, **how)
    length = len(predicted)
    if tokens is None:
        tokens = [row if isinstance(row, str) else row[0] for row in x] if found.rows else \
            [str(t) for t in range(length)]
    if len(tokens) != length:
        raise ValueError(f"tokens has {len(tokens)} texts and x {length} positions")
    first, last, _ = slice(start, stop).indices(length)
    if first >= last:
        raise ValueError(f"start is {start} and stop is {stop}, which leaves none of the {length} "
                         "positions")
    rows = _chosen(labels, found.labels, "labels") if labels is not None else [
        label for j, label in enumerate(found.labels) if probabilities[first:last, j].max() >= 0.01]
    columns = [found.labels.index(label) for label in rows]
    values = probabilities[first:last, columns].T  # [label, position]

    ax = _axes(ax, 1.6 + 0.5 * (last - first), 1.3 + 0.32 * len(rows))
    image = ax.imshow(values, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    _ticks(ax.xaxis, tokens[first:last])
    _ticks(ax.yaxis, rows)
    _annotate(ax, values, annotate, 0.33, lambda p: f"{100 * p:.0f}" if p >= 0.005 else "",
              lambda p: p > 0.5)
    _colorbar(ax, image, "probability")
    framed = _inches(ax)[0] / (last - first) >= _FRAME
    if framed:
        _frame(ax, [(t, rows.index(label)) for t, label in enumerate(predicted[first:last])
                    if label in rows])
    ax.set_title("Probabilities of labels" + ("; framed: predicted" if framed else ""))
    return ax


def training_curve(model: Any, *, ax: Any = None) -> Any:
    """The objective by iteration, and beside it the hold-out score where there is one.

    model : a fitted estimator, its ``training_log_``, or a Model, whose file has the curve

    Chunk F1 is drawn where the log has it, otherwise the accuracy of positions; a dotted line marks
    the iteration that early stopping kept.
    """
    log = getattr(model, "training_log_", model)
    best = getattr(log, "result", {}).get("best_iteration")
    entries = getattr(log, "iterations", log)
    if isinstance(model, Model):
        entries, best = _recorded(model)
    if not isinstance(entries, list) or not entries:
        raise TypeError(f"model is {a_type(model)}; a training curve needs a fitted "
                        "estimator, or its training_log_")
    iterations = [each.get("iteration", each.get("num")) for each in entries]
    objective = [each.get("objective", each.get("loss")) for each in entries]
    score, name = _holdout(entries)

    ax = _axes(ax, 6.4, 4)
    lines = ax.plot(iterations, objective, color=_BLUE, label="objective")
    ax.set_xlabel("iteration")
    ax.set_ylabel("objective (nats)", color=_BLUE)
    ax.xaxis.get_major_locator().set_params(integer=True)
    if min(objective) > 0 and max(objective) > 20 * min(objective):
        ax.set_yscale("log")
    ax.grid(alpha=0.3)
    if score:
        right = ax.twinx()
        lines += right.plot([t for t, _ in score], [100 * value for _, value in score], "--",
                            color=_ORANGE, label=name)
        right.set_ylabel(f"{name} (%)", color=_ORANGE)
    if best is not None:
        lines.append(ax.axvline(best, color="0.4", linestyle=":", label=f"kept: iteration {best}"))
    if len(lines) > 1:
        ax.legend(handles=lines, loc="center right")
    ax.set_title("Training")
    return ax


def transitions(model: Any, *, labels: Optional[Sequence[str]] = None,
                annotate: Optional[bool] = None, ax: Any = None) -> Any:
    """A heat map of the weights of pairs of labels: from the row's label to the column's.  A pair
    without a weight is grey.

    labels : the rows and columns, in their order; None: all
    annotate : whether weights stand in the cells; None: where there is room
    """
    import numpy
    found = _model(model)
    rows = _chosen(labels, found.labels, "labels") if labels is not None else found.labels
    weights = found.transition_features
    values = numpy.array([[weights.get((a, b), numpy.nan) for b in rows] for a in rows])
    largest = float(numpy.nanmax(numpy.abs(values))) if not numpy.isnan(values).all() else 1.0

    ax = _axes(ax, 2.2 + 0.48 * len(rows), 1.6 + 0.38 * len(rows))
    ax.set_facecolor("0.85")
    image = ax.imshow(values, cmap="PuOr", vmin=-largest, vmax=largest, aspect="auto")
    _ticks(ax.xaxis, rows)
    _ticks(ax.yaxis, rows)
    _annotate(ax, values, annotate, 0.4,
              lambda w: "" if numpy.isnan(w) else f"{w:.1f}".replace("-0.0", "0.0"),
              lambda w: abs(w) > 0.6 * largest)
    _colorbar(ax, image, "weight")
    ax.set_xlabel("to")
    ax.set_ylabel("from")
    ax.set_title("Transitions (grey: no weight)" if numpy.isnan(values).any() else "Transitions")
    return ax


def top_features(model: Any, labels: Union[str, Sequence[str], None] = None, *, n: int = 10,
                 ax: Any = None) -> Any:
    """The n attributes with the largest weights for or against a label, as bars.

    labels : a label; or several, each with Axes of its own; None: all
    ax : Axes, or as many as labels
    Returns the Axes, or a list of them where labels is not a str.
    """
    found = _model(model)
    if isinstance(n, bool) or not hasattr(n, "__index__") or n < 1:
        raise ValueError(f"n is {n!r}; it must be a whole number, 1 or more")
    if isinstance(labels, str):
        _chosen([labels], found.labels, "labels")
        drawn = _axes(ax, 6.4, 1.2 + 0.26 * n)
        _bars(drawn, labels, _strongest(found, [labels], n)[labels])
        return drawn
    names = _chosen(labels, found.labels, "labels") if labels is not None else found.labels
    axes = _grid(len(names), n) if ax is None else list(_flat(ax))
    if len(axes) != len(names):
        raise ValueError(f"ax has {len(axes)} Axes and labels {len(names)} labels")
    strongest = _strongest(found, names, n)
    for each, label in zip(axes, names):
        _bars(each, label, strongest[label])
    return axes


def reliability(model: Any, X: Any, y: Any, *, bins: int = 10, ax: Any = None) -> Any:
    """A reliability diagram: the accuracy of predictions against their mean probability, in bins of
    equal width, with the diagonal where the two agree, and below it how many predictions a bin has.
    The title has the expected calibration error, the mean difference between the two.

    model : ``croft.Model``, or a fitted estimator with predict, predict_proba and classes_, of
        sequences or of single examples
    X, y : labelled data that the model was not trained on: sequences with lists of labels, or
        examples with a label each
    bins : how many

    What is counted is the probability of the predicted label, as ``croft evaluate`` does.
    Cost: that of predict and predict_proba.
    """
    import numpy
    if isinstance(bins, bool) or not hasattr(bins, "__index__") or bins < 1:
        raise ValueError(f"bins is {bins!r}; it must be a whole number, 1 or more")
    p, right = _predictions(model, X, y)
    of_bin = numpy.minimum((p * bins).astype(int), bins - 1)
    count = numpy.bincount(of_bin, minlength=bins)
    used = numpy.flatnonzero(count)
    mean = numpy.bincount(of_bin, p, bins)[used] / count[used]
    accuracy = numpy.bincount(of_bin, right, bins)[used] / count[used]
    error = float(count[used] @ numpy.abs(accuracy - mean)) / len(p)

    ax = _axes(ax, 5, 5.6)
    left = (used + 0.02) / bins
    ax.bar(left, numpy.abs(accuracy - mean), 0.96 / bins, numpy.minimum(accuracy, mean),
           align="edge", color=_ORANGE, alpha=0.2, label="gap")
    ax.plot([0, 1], [0, 1], "--", color="0.4", linewidth=1, label="calibrated")
    ax.plot(mean, accuracy, "o-", color=_BLUE, label="model")
    ax.set(xlim=(0, 1), ylim=(0, 1), ylabel="accuracy",
           title=f"Reliability (expected calibration error {100 * error:.2f} %)")
    ax.grid(alpha=0.3)
    ax.legend(loc="upper left")
    ax.tick_params(labelbottom=False)
    counts = ax.inset_axes([0, -0.3, 1, 0.26], sharex=ax)
    drawn = counts.bar(left, count[used], 0.96 / bins, align="edge", color=_BLUE, alpha=0.75)
    if bins <= 20:
        counts.bar_label(drawn, [f"{n:,}" for n in count[used]], fontsize=7)
    counts.set(xlabel="probability of the predicted label", ylabel="predictions",
               ylim=(0, 1.2 * count.max()))
    counts.tick_params(labelbottom=True)
    return ax


def confusion(y_true: Any, y_pred: Any, *, labels: Optional[Sequence[str]] = None, normalise: bool = True,
              annotate: Optional[bool] = None, ax: Any = None) -> Any:
    """How often each label (row) was called which (column).

    y_true, y_pred : labels, or sequences of labels; whole numbers stand for their texts
    labels : the rows and columns, in their order; None: all, in the order of their names.  What has others, or was
        called so, is counted under "(others)"; where both are others the cell is grey: they may be the same, or not
    normalise : colours are shares of a row, so that rare labels are seen, too; the numbers are counts
    annotate : whether counts stand in the cells; None: where there is room
    """
    import numpy
    gold, predicted = _flattened(y_true, "y_true"), _flattened(y_pred, "y_pred")
    if len(gold) != len(predicted):
        raise ValueError(f"y_true has {len(gold)} labels and y_pred {len(predicted)}")
    if not gold:
        raise ValueError("y_true is empty, and so there is nothing to draw")
    known = _in_order({*gold, *predicted})
    rows = _chosen(list(map(str, labels)), known, "labels") if labels is not None else known
    number = {label: k for k, label in enumerate(rows)}
    others = len(rows)
    if any(label not in number for label in known):
        rows = [*rows, "(others)"]
    counts = numpy.zeros((len(rows), len(rows)), int)
    for a, b in zip(gold, predicted):
        counts[number.get(a, others), number.get(b, others)] += 1
    sums = counts.sum(axis=1, keepdims=True)
    shares = counts / numpy.maximum(sums, 1) if normalise else counts.astype(float)
    shares[others:, others:] = numpy.nan

    ax = _axes(ax, 2.2 + 0.48 * len(rows), 1.6 + 0.38 * len(rows))
    ax.set_facecolor("0.85")
    image = ax.imshow(shares, cmap="Blues", vmin=0, vmax=1 if normalise else None, aspect="auto")
    _ticks(ax.xaxis, rows)
    _ticks(ax.yaxis, rows)
    largest = numpy.nanmax(shares)
    _annotate(ax, counts, annotate, 0.4, lambda n: f"{n:,}" if n else "",
              lambda n: False)
    for text in ax.texts:
        column, row = map(int, text.get_position())
        text.set_color("white" if shares[row, column] > 0.6 * largest else "black")
    _colorbar(ax, image, "share of the row" if normalise else "count")
    ax.set_xlabel("predicted")
    ax.set_ylabel("gold")
    ax.set_title(f"{sum(a == b for a, b in zip(gold, predicted)):,} of {len(gold):,} are right")
    return ax


def _flattened(labels: Any, name: str) -> list[str]:
    """The labels of sequences one after the other; labels as they are."""
    out: list[str] = []
    for each in labels:
        if isinstance(each, (str, numbers.Integral)):
            out.append(str(each))
        elif isinstance(each, Iterable):
            out.extend(map(str, each))
        else:
            raise TypeError(f"{name} has {a_type(each)}; give labels, or sequences of labels")
    return out


def _in_order(labels: Iterable[str]) -> list[str]:
    """By name, or by number where all are whole numbers."""
    try:
        return sorted(labels, key=int)
    except ValueError:
        return sorted(labels)


def _predictions(model: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """The probability of each predicted label, and whether it is right."""
    import numpy
    found = model if hasattr(model, "predict_proba") else _model(model)
    for name in ("predict", "predict_proba"):
        if not hasattr(found, name):
            raise TypeError(f"model is {a_type(model)}, which has no {name}")
    labels = list(found.labels if isinstance(found, Model) else found.classes_)
    number = {label: j for j, label in enumerate(labels)}
    if len(y) == 0:
        raise ValueError("y is empty, and so there is nothing to draw")
    probabilities, predicted, gold = found.predict_proba(X), found.predict(X), y
    if len(predicted) != len(gold):
        raise ValueError(f"y has {len(gold)} entries and X {len(predicted)}")
    if numpy.ndim(predicted[0]) > 0:  # of sequences
        for n, (one, other) in enumerate(zip(predicted, gold)):
            if len(one) != len(other):
                raise ValueError(f"y[{n}] has {len(other)} labels and X[{n}] {len(one)} positions")
        probabilities = numpy.concatenate(list(probabilities))
        predicted = [label for each in predicted for label in each]
        gold = [label for each in gold for label in each]
    columns = numpy.array([number[label] for label in predicted])
    p = numpy.asarray(probabilities)[numpy.arange(len(columns)), columns]
    return numpy.clip(p, 0, 1), numpy.array([a == b for a, b in zip(predicted, gold)], float)


def _model(model: Any) -> Model:
    found = model if isinstance(model, Model) else getattr(model, "model_", None)
    if not isinstance(found, Model):
        raise TypeError(f"model is {a_type(model)}; give a croft.Model or a fitted "
                        "estimator")
    return found


def _chosen(labels: Sequence[str], known: Sequence[str], name: str) -> list[str]:
    chosen = list(labels)
    for label in chosen:
        if label not in known:
            raise ValueError(f"{name} has {label!r}; there are {', '.join(known)}")
    if not chosen:
        raise ValueError(f"{name} is empty")
    return chosen


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot
    except ImportError:
        raise ImportError("croft.plot needs matplotlib; install it") from None
    return matplotlib.pyplot


def _axes(ax: Any, width: float, height: float) -> Any:
    """`ax`, or Axes of a new figure of about this size in inches."""
    if ax is not None:
        return ax
    size = min(max(width, 4.5), 16), min(max(height, 2.5), 14)
    return _pyplot().subplots(figsize=size, layout="constrained")[1]


def _grid(count: int, n: int) -> list[Any]:
    """Axes for as many pictures of bars, on one figure."""
    columns = min(count, 3)
    rows = -(-count // columns)
    height = min(rows * (0.9 + 0.2 * n), 60)
    _, axes = _pyplot().subplots(rows, columns, figsize=(5.2 * columns, height), squeeze=False,
                                 layout="constrained")
    for each in axes.flat[count:]:
        each.remove()
    return list(axes.flat[:count])


def _flat(ax: Any) -> Iterable[Any]:
    return ax.flat if hasattr(ax, "flat") else ax if isinstance(ax, (list, tuple)) else [ax]


def _recorded(model: Model) -> tuple[list[dict[str, Any]], Optional[int]]:
    """The entries of a model's curve, and the iteration that was kept, if not the last one."""
    record = model.inspect(0)["training"]
    curve = record.get("curve")
    if not curve:
        return [], None
    entries: list[dict[str, Any]] = []
    for k, iteration in enumerate(curve["iteration"]):
        entry = {"iteration": iteration, "objective": curve["objective"][k]}
        holdout = {name: curve[key][k] for key, name in (("holdout_accuracy", "token_accuracy"),
                                                         ("holdout_f1", "chunk_f1")) if key in curve}
        entries.append({**entry, "holdout": holdout} if holdout else entry)
    return entries, record.get("kept_iteration")


def _holdout(entries: Sequence[Mapping[str, Any]]) -> tuple[list[tuple[int, float]], str]:
    """(iteration, score) of those that have one, and what the score is called."""
    scores: list[tuple[int, float]] = []
    name = "hold-out accuracy"
    for each in entries:
        number = each.get("iteration", each.get("num", 0))
        holdout = each.get("holdout") or {}
        if "chunk_f1" in holdout:
            name = "hold-out F1"
        accuracy = holdout.get("token_accuracy", each.get("item_accuracy_float"))
        value = holdout.get("chunk_f1", accuracy)
        if value is not None:
            scores.append((number, value))
    return scores, name


def _strongest(model: Model, labels: Sequence[str], n: int) -> dict[str, list[tuple[str, float]]]:
    """label -> the n (attribute, weight) of largest size, by weight."""
    features: dict[str, list[tuple[str, float]]] = {label: [] for label in labels}
    for (attribute, label), weight in model.state_features.items():
        if label in features:
            features[label].append((attribute, weight))
    return {label: sorted(sorted(all_of_it, key=lambda each: (-abs(each[1]), each[0]))[:n],
                          key=lambda each: (-each[1], each[0]))
            for label, all_of_it in features.items()}


def _bars(ax: Any, label: str, features: Sequence[tuple[str, float]]) -> None:
    weights = [weight for _, weight in features]
    ax.barh(range(len(features)), weights, color=[_BLUE if w > 0 else _ORANGE for w in weights])
    ax.set_yticks(range(len(features)), [_text(name, 36) for name, _ in features])
    ax.invert_yaxis()
    ax.axvline(0, color="0.3", linewidth=0.8)
    ax.grid(axis="x", alpha=0.3)
    ax.set_axisbelow(True)
    ax.set_xlabel("weight")
    ax.set_title(_text(label, 36))


def _inches(ax: Any) -> tuple[float, float]:
    """Width and height of Axes, about: a layout comes later."""
    box, size = ax.get_position(), ax.figure.get_size_inches()
    return box.width * size[0], box.height * size[1]


def _ticks(axis: Any, texts: Sequence[str]) -> None:
    """A tick with its text for each cell, or for every second, third, ... where they are narrow."""
    horizontal = axis.axis_name == "x"
    cell = _inches(axis.axes)[0 if horizontal else 1] / len(texts)
    step = max(1, math.ceil(_TICK / cell))
    axis.set_ticks(range(0, len(texts), step), [_text(text, 24) for text in texts[::step]])
    for text in axis.get_ticklabels():
        text.set_fontsize(8)
        if horizontal and cell * step < 0.3:
            text.set(rotation=90)
        elif horizontal:
            text.set(rotation=45, ha="right", rotation_mode="anchor")


def _annotate(ax: Any, values: Any, wanted: Optional[bool], width: float, text: Any,
              dark: Any) -> None:
    """Texts in the cells of a matrix; width: what a cell needs for that, in inches."""
    rows, columns = values.shape
    if wanted is None:
        across, down = _inches(ax)
        wanted = across / columns >= width and down / rows >= 0.18
    if not wanted:
        return
    for i in range(rows):
        for j in range(columns):
            shown = text(values[i, j])
            if shown:
                ax.text(j, i, shown, ha="center", va="center", fontsize=8,
                        color="white" if dark(values[i, j]) else "black")


def _frame(ax: Any, cells: Iterable[tuple[int, int]]) -> None:
    """Frames around cells (column, row)."""
    from matplotlib.patches import Rectangle
    for column, row in cells:
        ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor=_ORANGE,
                               linewidth=1.5))


def _colorbar(ax: Any, image: Any, label: str) -> None:
    ax.figure.colorbar(image, ax=ax, label=label, pad=0.02,
                       fraction=min(0.05, 0.25 / _inches(ax)[0]))


def _text(text: str, width: int) -> str:
    """As it is to be read: one line, not too long, and $ not the beginning of a formula."""
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    if len(shown) > width:
        shown = shown[:width - 1] + "…"
    return shown.replace("$", r"\$")
