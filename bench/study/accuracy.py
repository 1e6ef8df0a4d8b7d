"""Test scores: of every objective, of kernels, and against the variance of the prior."""
from . import charts
from .runs import Failure
from .tables import seconds, table, tiny

SETS = ('conll2000', 'ewt', 'ocr')
TITLES = {'conll2000': 'CoNLL-2000 F1', 'ewt': 'EWT XPOS accuracy', 'ocr': 'OCR accuracy'}
# A vote costs a Viterbi for each weight vector, of which every mistake makes one: two passes of it, and of the average.
PASSES = ['--max-iterations', '2']
ONLINE = (('perceptron', 'perceptron', []), ('perceptron', 'pass-perceptron', []),
          ('perceptron', 'voted-perceptron', PASSES), ('perceptron', 'averaged-perceptron', PASSES),
          ('passive-aggressive', 'pa', []), ('passive-aggressive', 'pa-2', []), ('passive-aggressive', 'mira', []))


def cells(study, options, limit):
    """(score, seconds) for each set, as text; a run that failed or was cut short says so."""
    found, records = [], {}
    for name in SETS:
        data = getattr(study.data, name)()
        try:
            record = study.runs.train(data, options, limit)
        except Failure as failure:
            study.failures.append(f'{data.name}, {" ".join(options)}: {failure}')
            found += ['failed', '']
            continue
        mark = '°' if record['limited'] else ''
        found += [f'{record[data.score]:.2f}', seconds(record['seconds']) + mark]
        records[name] = {k: v for k, v in record.items() if k != 'steps'}
    return found, records


def objectives(study):
    """Every objective with its default optimizer."""
    limit = study.seconds(60, quick=8)
    defaults, _ = study.runs.catalogue()
    score_table(study, 'objectives', limit,
                [(objective, optimizer, []) for objective, optimizer in defaults.items()])


def online(study):
    """The perceptrons and passive-aggressive methods that no objective has by default."""
    score_table(study, 'online', study.seconds(60, quick=8),
                [(objective, f'{optimizer}, 2 passes' if options else optimizer, ['--optimizer', optimizer, *options])
                 for objective, optimizer, options in ONLINE])


# Objectives that save the recursion, and the likelihood, which is the aim.
LOCAL = (('likelihood', []), ('pseudolikelihood', []), ('piecewise', []),
         ('piecewise', ['--pieces', 'observations']))


def pieces(study):
    """Piecewise training by its pieces, beside the pseudo-likelihood, where features are few."""
    data, penalties = study.data.ingredients(), (0.1, 1, 10)
    rows, numbers = [], {}
    for objective, options in LOCAL:
        name = ' '.join([objective, *options])
        records = [study.runs.train(data, ['--objective', objective, *options, '--l2', l2],
                                    study.seconds(60, quick=10)) for l2 in penalties]
        numbers[name] = {str(l2): record['accuracy'] for l2, record in zip(penalties, records)}
        rows.append([f'`{name}`', *(f'{record["accuracy"]:.2f}' for record in records)])
    study.keep('pieces', numbers)
    head = ['objective', *(f'accuracy, l2 = {l2}' for l2 in penalties)]
    study.page.put('pieces', table(head, rows) + study.foot())


def score_table(study, title, limit, plan):
    """plan: (objective, optimizer, options) of each row."""
    rows, numbers = [], {}
    for objective, optimizer, options in plan:
        found, records = cells(study, ['--objective', objective, *options], limit)
        rows.append([objective, optimizer, *found])
        numbers[f'{objective} {optimizer}'] = records
    head = ['objective', 'optimizer']
    for name in SETS:
        head += [TITLES[name], 's']
    study.keep(title, numbers)
    note = '\n\n° stopped at the time limit; the model is that of its last iteration.' \
        if any('°' in cell for row in rows for cell in row) else ''
    study.page.put(title, table(head, rows, left=2) + note + study.foot())


# l2 is chosen by the score on a tenth of the training words; the test file sees only that one.
# Products of polynomials are larger by orders of magnitude, and so are their penalties.
KERNELS = (('likelihood', 'linear', ['--objective', 'likelihood'], (0.3, 1, 3, 10)),
           ('max-margin, Frank-Wolfe', 'linear', ['--objective', 'max-margin'], (1, 10)),
           ('max-margin, SMO', 'poly:2', ['--objective', 'max-margin', '--optimizer', 'smo',
                                          '--kernel', 'poly:2'], (100, 1000)),
           ('max-margin, SMO', 'poly:3', ['--objective', 'max-margin', '--optimizer', 'smo',
                                          '--kernel', 'poly:3'], (10000,)))


def kernels(study):
    """Maximum margins with kernels beside the linear CRF, on letters."""
    part, whole = study.data.ocr_part(), study.data.ocr()
    rows, numbers = [], {}
    for title, kernel, options, penalties in KERNELS:
        try:
            chosen = penalties[0] if len(penalties) == 1 else max(
                penalties, key=lambda l2: study.runs.train(
                    part, [*options, '--l2', l2], study.seconds(25, quick=10))['accuracy'])
            record = study.runs.train(whole, [*options, '--l2', chosen],
                                      study.seconds(100, quick=20))
        except Failure as failure:
            study.failures.append(f'{title}, {kernel}: {failure}')
            rows.append([title, kernel, 'failed', '', '', '', ''])
            continue
        steps = record.pop('steps')
        gap = steps[-1].get('gap')
        rows.append([title, kernel, f'{chosen:g}', f'{record["accuracy"]:.2f}',
                     seconds(record['seconds']) + ('°' if record['limited'] else ''),
                     f'{steps[-1]["iteration"]:,}', '' if gap is None else tiny(gap)])
        numbers[f'{title} {kernel}'] = record
    study.keep('kernels', numbers)
    study.page.put('kernels', table(
        ['method', 'kernel', 'l2', 'accuracy', 's', 'iterations', 'gap'], rows, left=2)
        + study.foot())


def variance(study):
    """Accuracy against sigma^2 = 1/l2: four decades, CoNLL-2000."""
    limit = study.seconds(180, quick=8)
    data = study.data.conll2000()
    values = (0.1, 1, 10) if study.quick else (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
    points, rows = [], []
    for sigma2 in values:
        record = study.runs.train(data, ['--l2', f'{1 / sigma2:.4g}'], limit)
        points.append({'variance': sigma2, 'F1': record['F1'], 'accuracy': record['accuracy'],
                       'objective': record['objective'], 'seconds': record['seconds']})
        rows.append([f'{sigma2:g}', f'{record["F1"]:.2f}', f'{record["accuracy"]:.2f}',
                     seconds(record['seconds']) + ('°' if record['limited'] else '')])
    study.keep('variance', points)
    charts.against(study.out / 'variance.svg', 'CoNLL-2000: test F1 against the prior’s variance',
                   {'F1': [(p['variance'], p['F1']) for p in points]}, 'σ² = 1/l2', 'chunk F1')
    study.page.put('variance', table(['σ²', 'chunk F1', 'accuracy', 's'], rows) + study.foot())

