"""How fast optimizers come down: the gap to the best known optimum, or to the dual."""
from . import charts
from .runs import Failure
from .tables import count, seconds, table, tiny

# Passes and seconds until the objective is within these of the optimum, relatively.
LEVELS = (1e-3, 1e-4)
# No rule stops them before the limit but --target.
ENDLESS = ['--tolerance', 0, '--gradient-tolerance', 0, '--max-iterations', 1000000]

BATCH = ('sgd-lbfgs', 'lbfgs', 'cg', 'preconditioned-cg', 'mixed-cg', 'truncated-newton')
STOCHASTIC = ('sgd-lbfgs', 'sgd', 'averaged-sgd', 'adagrad', 'sag', 'async-sgd',
              'dual-ascent', 'sdca', 'eg')
SLOW = ('lbfgs', 'steepest-descent', 'gis', 'iis', 'smd', 'batch-eg')
WITH_L1 = ('owlqn', 'adagrad-rda', 'sgd')
SMALL = ('lbfgs', 'bfgs', 'newton', 'truncated-newton', 'cg', 'preconditioned-cg',
         'steepest-descent', 'gis', 'iis')
BY_PASS = ('sgd', 'averaged-sgd', 'adagrad', 'adagrad-rda', 'sag', 'async-sgd', 'dual-ascent',
           'sdca', 'eg', 'smd')
WITH_GAP = ('dual-ascent', 'sdca', 'eg', 'batch-eg')
# To 1e-4 they need more than the 45 seconds that the others get.
PATIENT = ('sgd', 'averaged-sgd', 'truncated-newton')
# They do not minimise the likelihood; `dual` and `objectives` show them.
ELSEWHERE = ('frank-wolfe', 'smo', 'perceptron', 'averaged-perceptron', 'pass-perceptron',
             'voted-perceptron', 'pa', 'pa-1', 'pa-2', 'mira', 'arow')
OF_GRAPHS = ('cutting-plane',)  # whose maximum margin it trains by default


class Problem:
    """An objective on a data set, with its best known optimum, and what came near it."""

    def __init__(self, study, data, options, name):
        self.study, self.data, self.options, self.name = study, data, options, name
        self.records = {}
        self.optimum = None

    def find_optimum(self, optimizer, limit):
        """In double precision, until nothing falls any more; later runs may still lower it."""
        record = self.study.runs.train(
            self.data, [*self.options, '--optimizer', optimizer, '--precision', 'double',
                        '--tolerance', 1e-10, '--gradient-tolerance', 1e-9,
                        '--max-iterations', 100000], limit)
        self.optimum = record['objective']

    def run(self, optimizer, limit):
        """One optimizer until 1e-5 of the optimum, or for so many seconds."""
        if optimizer in self.records:
            return self.records[optimizer]
        gap = ['--gap', 0] if optimizer in WITH_GAP else []
        target = f'{self.optimum * (1 + 1e-5):.9g}'
        try:
            record = self.study.runs.train(
                self.data, [*self.options, '--optimizer', optimizer, '--target', target,
                            *gap, *ENDLESS], limit)
        except Failure as failure:
            self.study.failures.append(f'{self.name}, {optimizer}: {failure}')
            return None
        self.records[optimizer] = record
        return record

    def settle(self):
        """The optimum is the lowest objective that any run saw."""
        lowest = min(r['objective'] for r in self.records.values())
        self.optimum = min(self.optimum, lowest)

    def curve(self, optimizer):
        """[(passes or evaluations, seconds, relative gap)] of a record.

        An iteration of a method that goes by passes is a pass.  The objective is exact, but for the
        passes that sgd-lbfgs begins with: there it is the sum of the losses met, mostly too high.
        """
        by_pass = optimizer in BY_PASS
        points = [(s['iteration' if by_pass else 'evaluations'], s['seconds'],
                   s['objective'] / self.optimum - 1) for s in self.records[optimizer]['steps']]
        return [p for p in points if p[2] > -1e-5]

    def row(self, optimizer):
        """Seconds and passes to each level, and the gap at the end."""
        points = self.curve(optimizer)
        cells = []
        for level in LEVELS:
            hit = reached(points, level)
            cells += [seconds(hit and hit[1]), count(hit and hit[0])]
        record, last = self.records[optimizer], points[-1]
        return [optimizer, *cells, seconds(last[1]), count(last[0]), tiny(max(last[2], 0)),
                f'{100 * record["processor_seconds"] / record["seconds"]:.0f} %']

    def level_seconds(self, optimizer, level=1e-4):
        hit = reached(self.curve(optimizer), level)
        return hit[1] if hit else self.records[optimizer]['seconds']

    def numbers(self):
        return {'data': self.data.name, 'optimum': self.optimum,
                'curves': {name: {'command': record['command'],
                                  'columns': ['passes or evaluations', 'seconds', 'relative gap'],
                                  'points': [[p[0], round(p[1], 3), float(f'{p[2]:.4g}')]
                                             for p in charts.thinned(self.curve(name), True)]}
                           for name, record in self.records.items()}}


def reached(points, level):
    """The first point from which on the gap, each point's last number, stays within `level`."""
    above = max((k for k, p in enumerate(points) if p[-1] > level), default=-1)
    return points[above + 1] if above + 1 < len(points) else None


HEAD = ['optimizer', 's to 1e-3', 'passes', 's to 1e-4', 'passes', 's in all', 'passes',
        'last gap', 'processor']


def likelihood(study):
    """CoNLL-2000, l2 = 1: three charts, one table."""
    study.check_optimizers((*BATCH, *STOCHASTIC, *SLOW, *WITH_L1, *SMALL, *ELSEWHERE, *OF_GRAPHS))
    problem = Problem(study, study.data.conll2000(), ['--l2', 1], 'conll2000')
    problem.find_optimum('lbfgs', study.seconds(100, quick=10))
    quick = study.seconds(0, quick=6)
    problem.run('lbfgs', quick or 60)
    ten_times = quick or min(120, 10 * problem.level_seconds('lbfgs'))
    for name in dict.fromkeys((*BATCH, *STOCHASTIC)):
        problem.run(name, quick or (240 if name in PATIENT else 45))
    for name in SLOW:
        problem.run(name, ten_times)
    problem.settle()
    draw(study, problem, 'batch', 'All the data at each step', BATCH, 'evaluations')
    draw(study, problem, 'stochastic', 'Sample by sample', ('lbfgs', *STOCHASTIC),
         'passes (of L-BFGS: evaluations)')
    draw(study, problem, 'slow', 'For ten times L-BFGS’s seconds', SLOW,
         'evaluations (of smd: passes)')
    put_table(study, problem, 'convergence')


def with_l1(study):
    problem = Problem(study, study.data.conll2000(), ['--l1', 1, '--l2', 0], 'l1')
    problem.find_optimum('owlqn', study.seconds(120, quick=10))
    for name in WITH_L1:
        problem.run(name, study.seconds(120, quick=6))
    problem.settle()
    draw(study, problem, 'l1', 'l1 = 1, l2 = 0', WITH_L1, 'passes (of OWL-QN: evaluations)')
    put_table(study, problem, 'l1')


def small(study):
    """Methods that keep a full matrix, and others for comparison."""
    problem = Problem(study, study.data.small(), ['--l2', 1], 'small')
    problem.find_optimum('lbfgs', study.seconds(30, quick=5))
    for name in SMALL:
        problem.run(name, study.seconds(60 if name == 'newton' else 20, quick=4))
    problem.settle()
    draw(study, problem, 'small', 'A small model', SMALL, 'evaluations')
    put_table(study, problem, 'small')


def draw(study, problem, name, title, optimizers, passes):
    curves = {o: problem.curve(o) for o in optimizers if o in problem.records}
    charts.gaps(study.out / f'{name}.svg', f'{title}: objective above the best known optimum',
                curves, (passes, 'seconds, reading included'))


def put_table(study, problem, name):
    study.keep(name, problem.numbers())
    some = next(iter(problem.records.values()))
    text = (f'{some["weights"]:,} weights, {some["positions"]:,} positions, {some["labels"]} '
            f'labels; best known optimum {problem.optimum:.3f}.\n\n')
    rows = [problem.row(optimizer) for optimizer in problem.records]
    study.page.put(name, text + table(HEAD, rows) + study.foot())


def dual(study):
    """Maximum margins: the duality gap against passes, on letters and on CoNLL-2000."""
    margin = ['--objective', 'max-margin', '--l2', 1, '--gap', 1e-5, '--max-iterations', 1000000]
    rows, numbers = [], {}
    for data, optimizers in ((study.data.ocr(), ('smo', 'eg', 'batch-eg', 'frank-wolfe')),
                             (study.data.conll2000(), ('eg', 'frank-wolfe'))):
        curves = {}
        for name in optimizers:
            try:
                record = study.runs.train(data, ['--optimizer', name, *margin],
                                          study.seconds(30, quick=6))
            except Failure as failure:
                study.failures.append(f'{data.name}, {name}: {failure}')
                continue
            curves[name] = [(s['iteration'], s['seconds'], s['gap']) for s in record['steps']
                            if s.get('gap') is not None]
            rows.append(dual_row(data.name, name, curves[name], record))
        numbers[data.name] = {name: charts.thinned(curve, True) for name, curve in curves.items()}
        charts.gaps(study.out / f'dual-{data.name}.svg', f'Maximum margin, {data.name}', curves,
                    ('passes', 'seconds, reading included'), levels=(1e-2, 1e-3), floor=1e-5,
                    ylabel='duality gap / primal')
    study.keep('dual', numbers)
    study.page.put('dual', table(
        ['data', 'optimizer', 'passes to 1e-2', 's', 'passes to 1e-3', 's', 'passes', 's',
         'last gap', 'objective', 'score'], rows, left=2) + study.foot())


def dual_row(data, name, points, record):
    cells = []
    for level in (1e-2, 1e-3):
        hit = reached(points, level)
        cells += [count(hit and hit[0]), seconds(hit and hit[1])]
    last = points[-1]
    score = record.get('F1', record.get('accuracy'))
    return [data, name, *cells, count(last[0]), seconds(last[1]), tiny(last[2]),
            f'{record["objective"]:,.1f}', '' if score is None else f'{score:.2f}']
