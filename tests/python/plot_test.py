"""Pictures, by what their artists hold."""
import subprocess
import sys

import matplotlib
import numpy
import pytest

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.colors import to_rgba  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402

import croft  # noqa: E402
from conftest import items, sentences  # noqa: E402
from croft.compat import sklearn_crfsuite  # noqa: E402

WORDS = ["the", "old", "cat", "sees", "Oslo"]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def fitted(data, new_data):
    return croft.ChainCRF(l2=0.5).fit(*data, X_dev=new_data[0], y_dev=new_data[1])


def texts(ax):
    """(column, row) -> what stands in the cell."""
    return {tuple(map(int, text.get_position())): text.get_text() for text in ax.texts}


def drawn(ax):
    """The numbers of a heat map; NaN where there is none."""
    return numpy.ma.filled(ax.images[0].get_array(), numpy.nan)


def tick_texts(axis):
    return [tick.get_text() for tick in axis.get_ticklabels()]


def test_marginals_shows_the_probabilities_and_frames_the_prediction(fitted):
    x = items([WORDS])[0]
    ax = croft.plot.marginals(fitted, x, tokens=WORDS, labels=["V", "N", "J", "D"])
    shown = drawn(ax)
    expected = fitted.predict_proba([x])[0]
    assert shown.shape == (4, 5)
    for row, label in enumerate(["V", "N", "J", "D"]):
        assert shown[row] == pytest.approx(expected[:, fitted.classes_.index(label)])
    assert tick_texts(ax.xaxis) == WORDS
    assert tick_texts(ax.yaxis) == ["V", "N", "J", "D"]
    frames = [(each.get_x() + 0.5, each.get_y() + 0.5) for each in ax.patches
              if isinstance(each, Rectangle)]
    assert frames == [(t, "VNJD".index(label)) for t, label in enumerate(fitted.predict([x])[0])]
    for (t, row), text in texts(ax).items():
        assert text == f"{100 * shown[row, t]:.0f}"
    assert ax.images[0].norm.vmin == 0 and ax.images[0].norm.vmax == 1


def test_marginals_leaves_out_labels_that_are_nowhere_probable():
    words, y = sentences(60, 1, noise=0)
    crf, x = croft.ChainCRF(l2=0.01).fit(items(words), y), items([["the"]])[0]
    ax = croft.plot.marginals(crf, x)
    probability = crf.predict_marginals_single(x)[0]
    assert tick_texts(ax.yaxis) == [y for y in crf.classes_ if probability[y] >= 0.01] == ["D"]
    assert tick_texts(ax.xaxis) == ["0"]


def test_marginals_follows_constraints(data):
    X, _ = data
    y = [["B-X" if t == 0 else "I-X" if t == 1 else "O" for t in range(len(x))] for x in X]
    crf = croft.ChainCRF().fit(X, y)
    ax = croft.plot.marginals(crf, X[1], constrain="bio", labels=["I-X"])
    assert ax.images[0].get_array()[0, 0] == 0
    assert croft.plot.marginals(crf, X[1], labels=["I-X"]).images[0].get_array()[0, 0] > 0


def test_a_long_sequence_has_fewer_texts_and_a_part_of_it_can_be_shown(fitted):
    words = sentences(200, 9)[0]
    x = sum(items(words), [])
    tokens = sum(words, [])
    assert len(x) > 800
    ax = croft.plot.marginals(fitted, x, tokens=tokens)
    assert ax.images[0].get_array().shape[1] == len(x)
    assert 10 < len(tick_texts(ax.xaxis)) < 130
    assert not ax.patches and not ax.texts
    part = croft.plot.marginals(fitted, x, tokens=tokens, start=100, stop=112)
    assert tick_texts(part.xaxis) == tokens[100:112]
    whole, cut = drawn(ax), drawn(part)
    row = tick_texts(part.yaxis).index("N")
    assert cut[row] == pytest.approx(whole[tick_texts(ax.yaxis).index("N"), 100:112])
    labels = fitted.predict_single(x)[100:112]
    frames = {each.get_x() + 0.5: each.get_y() + 0.5 for each in part.patches}
    assert frames == {t: tick_texts(part.yaxis).index(label) for t, label in enumerate(labels)}


def test_a_model_of_rows_names_positions_by_their_first_cell():
    rows = [[["Oslo", "NP"], ["sleeps", "V"]]]
    crf = croft.ChainCRF(format="columns").fit(rows, [["A", "B"]])
    assert tick_texts(croft.plot.marginals(crf, rows[0]).xaxis) == ["Oslo", "sleeps"]


def test_transitions_shows_each_weight_and_grey_where_there_is_none():
    words, y = sentences(8, 7, noise=0)
    crf = croft.ChainCRF(l2=0.5).fit(items(words), y)
    ax = croft.plot.transitions(crf)
    image = ax.images[0]
    shown = drawn(ax)
    for i, before in enumerate(crf.classes_):
        for j, after in enumerate(crf.classes_):
            weight = crf.transition_features_.get((before, after))
            if weight is None:
                assert numpy.isnan(shown[i, j]) and (j, i) not in texts(ax)
            else:
                assert shown[i, j] == pytest.approx(weight)
                assert float(texts(ax)[j, i]) == pytest.approx(weight, abs=0.051)
    assert numpy.isnan(shown).any()
    assert image.norm.vmax == -image.norm.vmin == pytest.approx(numpy.nanmax(abs(shown)))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("to", "from")
    before, after = next(pair for pair in crf.transition_features_ if pair[0] != pair[1])
    some = croft.plot.transitions(crf, labels=[after, before], annotate=False)
    assert drawn(some).shape == (2, 2) and not some.texts
    assert drawn(some)[1, 0] == pytest.approx(crf.transition_features_[before, after])


def test_a_model_without_transitions_is_drawn_grey():
    crf = croft.ChainCRF().fit([[["a"]], [["b"]]], [["A"], ["B"]])
    assert croft.plot.transitions(crf).images[0].get_array().mask.all()


def test_top_features_are_those_of_largest_weight(fitted):
    ax = croft.plot.top_features(fitted, "N", n=5)
    of_n = {name: w for (name, label), w in fitted.state_features_.items() if label == "N"}
    strongest = sorted(of_n, key=lambda name: -abs(of_n[name]))[:5]
    bars = dict(zip(tick_texts(ax.yaxis), (bar.get_width() for bar in ax.patches)))
    assert bars == pytest.approx({name: of_n[name] for name in strongest})
    assert list(bars.values()) == sorted(bars.values(), reverse=True)
    assert ax.yaxis_inverted() and ax.get_title() == "N"
    colours = {bar.get_width() > 0: bar.get_facecolor() for bar in ax.patches}
    assert colours[True] != colours.get(False)


def test_several_labels_have_axes_of_their_own(fitted):
    axes = croft.plot.top_features(fitted, n=3)
    assert [ax.get_title() for ax in axes] == fitted.classes_
    assert len({ax.figure for ax in axes}) == 1 and len(axes[0].figure.axes) == 4
    _, mine = pyplot.subplots(1, 2)
    assert croft.plot.top_features(fitted, ["V", "D"], ax=mine) == list(mine)
    assert len(mine[0].patches) == 10


def test_training_curve_shows_the_log(fitted):
    ax = croft.plot.training_curve(fitted)
    line, = ax.lines
    log = fitted.training_log_
    assert list(line.get_xdata()) == [each["iteration"] for each in log]
    assert list(line.get_ydata()) == [each["objective"] for each in log]
    right, = set(ax.figure.axes) - {ax}
    assert right.lines[0].get_ydata() == pytest.approx(
        [100 * each["holdout"]["token_accuracy"] for each in log])
    assert "accuracy" in right.get_ylabel()
    assert croft.plot.training_curve(log).lines[0].get_ydata() == pytest.approx(line.get_ydata())


def test_training_curve_of_a_model_is_that_of_its_log(fitted, tmp_path):
    log = fitted.training_log_
    croft.save(fitted, tmp_path / "m.croft")
    ax = croft.plot.training_curve(croft.load(tmp_path / "m.croft"))
    assert list(ax.lines[0].get_xdata()) == [each["iteration"] for each in log]
    assert list(ax.lines[0].get_ydata()) == pytest.approx([each["objective"] for each in log])
    right, = set(ax.figure.axes) - {ax}
    assert right.lines[0].get_ydata() == pytest.approx([100 * each["holdout"]["token_accuracy"] for each in log])


def test_training_curve_marks_the_iteration_that_was_kept(data, new_data):
    crf = croft.ChainCRF(l2=0.01, early_stop=3).fit(*data, X_dev=new_data[0], y_dev=new_data[1])
    best = crf.training_log_.result["best_iteration"]
    mark = croft.plot.training_curve(crf).lines[1]
    assert list(mark.get_xdata()) == [best, best]


def test_training_curve_takes_the_log_of_the_drop_in_layer(data, new_data):
    crf = sklearn_crfsuite.CRF().fit(*data, *new_data)
    ax = croft.plot.training_curve(crf)
    losses = [each["loss"] for each in crf.training_log_.iterations]
    assert list(ax.lines[0].get_ydata()) == losses
    right, = set(ax.figure.axes) - {ax}
    assert right.lines[0].get_ydata()[-1] == pytest.approx(100 * crf.score(*new_data))
    assert croft.plot.transitions(crf).images[0].get_array().shape == (4, 4)


def test_a_picture_goes_on_the_axes_that_are_given(fitted):
    figure, ax = pyplot.subplots(2, 2)
    x = items([WORDS])[0]
    assert croft.plot.marginals(fitted, x, ax=ax[0, 0]) is ax[0, 0]
    assert croft.plot.transitions(fitted.model_, ax=ax[0, 1]) is ax[0, 1]
    assert croft.plot.top_features(fitted, "N", ax=ax[1, 0]) is ax[1, 0]
    assert croft.plot.training_curve(fitted, ax=ax[1, 1]) is ax[1, 1]
    assert pyplot.get_fignums() == [figure.number]


def test_names_are_drawn_as_they_are_and_fit(tmp_path):
    """$...$ is no formula, a line break none, and a long name is cut."""
    X = [[{"$x^2$": 1}, {"a\nb": 1}], [{"y" * 99: 1}]]
    crf = croft.ChainCRF(l2=0.1).fit(X, [["$", "B"], ["C"]])
    ax = croft.plot.top_features(crf, "$")
    figure = ax.figure
    figure.savefig(tmp_path / "picture.png")
    shown = tick_texts(ax.yaxis)
    assert r"\$x^2\$" in shown and ax.get_title() == r"\$"
    names = tick_texts(croft.plot.top_features(crf, "B").yaxis) + \
        tick_texts(croft.plot.top_features(crf, "C").yaxis)
    assert r"a\nb" in names and max(map(len, names)) <= 36
    renderer = figure.canvas.get_renderer()
    for label in ax.get_yticklabels():
        box = label.get_window_extent(renderer)
        assert box.x0 >= 0 and box.y0 >= 0


def test_no_text_is_outside_of_the_figure(fitted):
    x = items([WORDS])[0]
    long_words = [word * 3 for word in WORDS]
    for ax in (croft.plot.marginals(fitted, x, tokens=long_words), croft.plot.transitions(fitted)):
        ax.figure.canvas.draw()
        renderer, size = ax.figure.canvas.get_renderer(), ax.figure.bbox
        for label in [*ax.get_xticklabels(), *ax.get_yticklabels(), ax.title]:
            box = label.get_window_extent(renderer)
            assert box.x0 >= -1 and box.y0 >= -1 and box.x1 <= size.x1 + 1 and box.y1 <= size.y1 + 1


def test_confusion_counts_what_was_called_what():
    gold, called = [["A", "B", "A"], ["C"]], [["A", "A", "A"], ["C"]]
    ax = croft.plot.confusion(gold, called)
    assert ax.images[0].get_array().tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
    texts = {tuple(map(int, t.get_position())): t.get_text() for t in ax.texts}
    assert texts == {(0, 0): "2", (0, 1): "1", (2, 2): "1"}
    assert "3 of 4" in ax.get_title()
    flat = croft.plot.confusion(["A", "B"], ["A", "B"], labels=["B", "A"], normalise=False)
    assert [t.get_text() for t in flat.get_yticklabels()] == ["B", "A"]
    for bad, kind in (((["A"], []), ValueError), (([], []), ValueError), (([0.5], [1.5]), TypeError)):
        with pytest.raises(kind):
            croft.plot.confusion(*bad)


def test_confusion_counts_labels_that_are_not_shown_as_others():
    ax = croft.plot.confusion(["A", "A", "B", "C", "C"], ["A", "C", "B", "B", "D"], labels=["A", "B"])
    assert ax.get_title() == "2 of 5 are right"
    assert [t.get_text() for t in ax.get_yticklabels()] == ["A", "B", "(others)"]
    shares = ax.images[0].get_array()
    assert shares[:2].tolist() == [[0.5, 0, 0.5], [0, 1, 0]] and shares[2].tolist() == [0, 0.5, None]
    texts = {tuple(map(int, t.get_position())): t.get_text() for t in ax.texts}
    assert texts == {(0, 0): "1", (2, 0): "1", (1, 1): "1", (1, 2): "1", (2, 2): "1"}


def test_confusion_takes_whole_numbers_for_labels():
    ax = croft.plot.confusion(numpy.array([1, 10, 2]), [1, 2, 2])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["1", "2", "10"]
    assert ax.get_title() == "2 of 3 are right"
    some = croft.plot.confusion([1, 10, 2], [1, 2, 2], labels=[2, 1])
    assert [t.get_text() for t in some.get_yticklabels()] == ["2", "1", "(others)"]


def test_text_in_a_cell_is_readable_on_its_colour(fitted):
    ax = croft.plot.marginals(fitted, items([WORDS])[0])
    image = ax.images[0]
    for text in ax.texts:
        t, row = map(int, text.get_position())
        background = numpy.dot(image.cmap(image.norm(image.get_array()[row, t]))[:3], [.3, .6, .1])
        assert abs(background - numpy.dot(to_rgba(text.get_color())[:3], [.3, .6, .1])) > 0.35


@pytest.mark.parametrize("call, kind, message", [
    (lambda crf, x: croft.plot.marginals("m", x), TypeError, "model is a str"),
    (lambda crf, x: croft.plot.marginals(croft.ChainCRF(), x), TypeError, "model is a ChainCRF"),
    (lambda crf, x: croft.plot.marginals(crf, x, tokens=["a"]), ValueError,
     "tokens has 1 texts and x 5 positions"),
    (lambda crf, x: croft.plot.marginals(crf, x, start=3, stop=2), ValueError, "start is 3"),
    (lambda crf, x: croft.plot.marginals(crf, []), ValueError, "none of the 0 positions"),
    (lambda crf, x: croft.plot.marginals(crf, x, labels=["Q"]), ValueError, "labels has 'Q'"),
    (lambda crf, x: croft.plot.transitions(crf, labels=[]), ValueError, "labels is empty"),
    (lambda crf, x: croft.plot.top_features(crf, "Q"), ValueError, "labels has 'Q'"),
    (lambda crf, x: croft.plot.top_features(crf, "N", n=0), ValueError, "n is 0"),
    (lambda crf, x: croft.plot.top_features(crf, ["N", "V"], ax=pyplot.figure().add_subplot()),
     ValueError, "ax has 1 Axes and labels 2"),
    (lambda crf, x: croft.plot.training_curve(crf.model_.labels[0]), TypeError, "training_log_")])
def test_what_cannot_be_drawn_is_an_error_that_names_it(fitted, call, kind, message):
    with pytest.raises(kind, match=message):
        call(fitted, items([WORDS])[0])


def test_matplotlib_is_loaded_by_a_picture_and_missed_by_name():
    program = """
import sys, croft.plot
assert "matplotlib" not in sys.modules
sys.modules["matplotlib"] = sys.modules["matplotlib.pyplot"] = None
crf = croft.ChainCRF().fit([[["a"], ["b"]]], [["A", "B"]])
try:
    croft.plot.top_features(crf, "A")
except ImportError as error:
    assert "croft.plot needs matplotlib" in str(error)
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def reliability_of(p, right, bins):
    """Per bin that is used: mean probability, accuracy, count."""
    of_bin = [min(int(each * bins), bins - 1) for each in p]
    return [(numpy.mean([q for q, b in zip(p, of_bin) if b == k]),
             numpy.mean([r for r, b in zip(right, of_bin) if b == k]), of_bin.count(k))
            for k in range(bins) if k in of_bin]


def test_reliability_of_single_examples_has_a_point_and_a_bar_for_each_bin():
    random = numpy.random.default_rng(1)
    X = random.poisson(2, (300, 4))
    y = numpy.where(X[:, 0] + random.poisson(2, 300) > X[:, 1] + 2, "yes", "no")
    bayes = croft.NaiveBayes().fit(X[:150], y[:150])
    ax = croft.plot.reliability(bayes, X[150:], y[150:])
    p = bayes.predict_proba(X[150:]).max(axis=1)
    right = bayes.predict(X[150:]) == y[150:]
    expected = reliability_of(p, right, 10)
    model = next(line for line in ax.lines if line.get_label() == "model")
    assert model.get_xdata() == pytest.approx([mean for mean, _, _ in expected])
    assert model.get_ydata() == pytest.approx([accuracy for _, accuracy, _ in expected])
    counts, = ax.child_axes
    assert [bar.get_height() for bar in counts.patches] == [count for _, _, count in expected]
    error = sum(n * abs(a - m) for m, a, n in expected) / 150
    assert ax.get_title() == f"Reliability (expected calibration error {100 * error:.2f} %)"
    assert [bar.get_y() for bar in ax.patches] == pytest.approx([min(m, a) for m, a, _ in expected])
    assert [bar.get_height() for bar in ax.patches] == \
        pytest.approx([abs(m - a) for m, a, _ in expected])


def test_reliability_of_sequences_counts_the_predicted_labels(fitted, new_data):
    X, y = new_data
    ax = croft.plot.reliability(fitted, X, y, bins=4)
    proba, predicted = fitted.predict_proba(X), fitted.predict(X)
    p = [row[fitted.classes_.index(label)] for rows, labels in zip(proba, predicted)
         for row, label in zip(rows, labels)]
    right = [a == b for one, other in zip(predicted, y) for a, b in zip(one, other)]
    expected = reliability_of(p, right, 4)
    model = next(line for line in ax.lines if line.get_label() == "model")
    assert model.get_xdata() == pytest.approx([mean for mean, _, _ in expected])
    assert model.get_ydata() == pytest.approx([accuracy for _, accuracy, _ in expected])
    same = croft.plot.reliability(fitted.model_, X, y, bins=4)
    assert same.get_title() == ax.get_title()


def test_reliability_refuses_what_it_cannot_draw(fitted, new_data):
    X, y = new_data
    with pytest.raises(ValueError, match="bins is 0"):
        croft.plot.reliability(fitted, X, y, bins=0)
    with pytest.raises(ValueError, match="y has"):
        croft.plot.reliability(fitted, X, y[:-1])
    with pytest.raises(ValueError, match=r"y\[0\] has"):
        croft.plot.reliability(fitted, X, [y[0] + y[0], *y[1:]])
    with pytest.raises(ValueError, match="y is empty"):
        croft.plot.reliability(fitted, [], [])
    with pytest.raises(TypeError, match="model is a"):
        croft.plot.reliability("model", X, y)
