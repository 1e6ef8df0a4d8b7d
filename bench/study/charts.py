"""Charts as SVG, the same bytes for the same numbers."""
import statistics

import matplotlib

matplotlib.use('svg')
import matplotlib.pyplot as plt  # noqa: E402  (after the backend is chosen)

plt.rcParams.update({'svg.hashsalt': 'croft', 'svg.fonttype': 'none', 'font.size': 9,
                     'font.family': 'sans-serif', 'axes.grid': True, 'grid.alpha': 0.3,
                     'axes.spines.top': False, 'axes.spines.right': False})
MOST_POINTS = 150


def thinned(points, logarithmic):
    """At most MOST_POINTS of them, evenly spread, or by their logarithm; always the last."""
    if len(points) <= MOST_POINTS:
        return points
    kept, last = [], len(points) - 1
    for k in range(MOST_POINTS):
        share = k / (MOST_POINTS - 1)
        at = round(last ** share) if logarithmic and k > 0 else round(share * last)
        if not kept or at > kept[-1]:
            kept.append(at)
    return [points[k] for k in kept]


def save(figure, path):
    figure.savefig(path, format='svg', metadata={'Date': None, 'Creator': None},
                   bbox_inches='tight')
    plt.close(figure)


def gaps(path, title, curves, axes, levels=(1e-3, 1e-4), floor=1e-6, ylabel='relative gap'):
    """Panels of gaps, on logarithmic axes.

    curves  {name: [(x of panel 1, x of panel 2, …, gap)]}
    axes    the panels' x labels
    L-BFGS, the yardstick of all charts, is black in all.
    """
    colours = {name: f'C{k % 10}' for k, name in enumerate(c for c in curves if c != 'lbfgs')}
    top = max([10, *(2 * points[-1][-1] for points in curves.values() if points)])
    least = min([*levels, *(p[-1] for points in curves.values() for p in points)])
    bottom = max(floor, least / 3)
    figure, panels = plt.subplots(1, len(axes), figsize=(4.9 * len(axes), 4.2), sharey=True,
                                  squeeze=False)
    for k, (panel, label) in enumerate(zip(panels[0], axes)):
        for name, points in curves.items():
            points = thinned([p for p in points if p[k] > 0], True)
            panel.plot([p[k] for p in points], [max(p[-1], floor) for p in points],
                       color=colours.get(name, 'black'), label=name, linewidth=1.4)
        panel.set_xscale('log')
        panel.set_yscale('log')
        panel.set_ylim(bottom, top)
        panel.set_xlabel(label)
        for level in levels:
            panel.axhline(level, color='0.4', linewidth=0.7, linestyle=(0, (1, 2)))
    panels[0][0].set_ylabel(ylabel)
    panels[0][-1].legend(loc='center left', bbox_to_anchor=(1.01, 0.5), frameon=False)
    figure.suptitle(title, fontsize=10)
    figure.tight_layout()
    save(figure, path)


def against(path, title, curves, xlabel, ylabel):
    """Lines with their points over a logarithmic x; curves: {name: [(x, y)]}."""
    figure, panel = plt.subplots(figsize=(5.6, 3.6))
    for name, points in curves.items():
        panel.plot([x for x, _ in points], [y for _, y in points], 'o-', label=name, markersize=4)
    panel.set_xscale('log')
    panel.set_xlabel(xlabel)
    panel.set_ylabel(ylabel)
    panel.set_title(title, fontsize=10)
    if len(curves) > 1:
        panel.legend(frameon=False)
    save(figure, path)


def learning_curves(path, panels):
    """A panel each of errors against the size of the training data, both logarithmic, two in a row.

    panels  {title: {name: {size: [error of each part]}}}; bars are standard deviations
    """
    rows = (len(panels) + 1) // 2
    figure, axes = plt.subplots(rows, 2, figsize=(8.4, 3.6 * rows), squeeze=False)
    for panel in axes.flat[len(panels):]:
        panel.set_axis_off()
    for panel, (title, curves) in zip(axes.flat, panels.items()):
        for k, (name, sizes) in enumerate(curves.items()):
            means = [statistics.mean(errors) for errors in sizes.values()]
            spread = [statistics.stdev(errors) if len(errors) > 1 else 0
                      for errors in sizes.values()]
            panel.errorbar([size * (1 + 0.02 * k) for size in sizes], means, spread, fmt='o-',
                           label=name, markersize=3.5, linewidth=1.3, capsize=2)
        panel.set_xscale('log')
        panel.set_yscale('log')
        panel.set_xlabel('training examples')
        panel.set_title(title, fontsize=10)
        panel.yaxis.set_major_formatter('{x:g}')
        panel.yaxis.set_minor_formatter('{x:g}')
        panel.legend(frameon=False, fontsize=8)
    for row in axes:
        row[0].set_ylabel('test error, %')
    figure.tight_layout()
    save(figure, path)
