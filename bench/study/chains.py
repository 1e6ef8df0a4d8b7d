"""What the textbook says of models, features and recursions, each in a table of its own."""
import json
import random
import subprocess
import sys

from harness import ROOT
from .data import DataSet
from .runs import Failure, Process
from .tables import count, seconds, table, tiny

WORDS = b'U00:%x[0,0]\nB\n'
WORDS_AND_TAGS = b'U00:%x[0,0]\nU01:%x[0,1]\nB\n'
WINDOW = [f'%x[{row},{column}]' for column in (0, 1) for row in (-2, -1, 0, 1, 2)]
SKIP_CHAIN = ROOT / 'examples/skip-chain'


def file_of(study, name, text):
    return study.data.made(name, lambda out: out.write(text if isinstance(text, bytes) else text.encode()))


def trained(study, data, options, limit, threads=1):
    """The record of a run; None where it failed, which is noted."""
    try:
        return study.runs.train(data, options, limit, threads)
    except Failure as failure:
        study.failures.append(f'{data.name}, {" ".join(map(str, options))}: {failure}')
        return None


def scored(record, data):
    """Score and seconds as cells."""
    if record is None:
        return ['failed', '']
    return [f'{record.get(data.score, float("nan")):.2f}', seconds(record['seconds']) + '°' * record['limited']]


def chunks(study):
    return study.data.columns('conll2000 words', ('conll2000/train.txt', 'conll2000/test.txt'), 'F1')


def tags(study):
    return study.data.columns('ewt words', ('ewt/xpos.train.txt', 'ewt/xpos.test.txt'), 'accuracy')


def triangle(study):
    """HMM, MEMM and CRF with the same observations, and with those that only the last two can have."""
    limit = study.seconds(200, quick=10)
    rows = []
    for shown, model, features in (
            ('no transitions', 'maxent', 'same'), ('HMM', 'hmm', 'same'), ('HMM, for p(y\\|x)', 'conditional', 'same'),
            ('MEMM', 'memm', 'same'), ('CRF', 'chain', 'same'),
            ('MEMM', 'memm', 'default'), ('CRF', 'chain', 'default')):
        row = [shown, {'same': 'the position\'s own', 'default': 'default'}[features]]
        for data, text in ((tags(study), WORDS), (chunks(study), WORDS_AND_TAGS)):
            if model == 'maxent':
                text = text.replace(b'B\n', b'')
            if model in ('hmm', 'conditional'):
                options = ['--model', 'hmm', '--smoothing', '0.01']
                options += ['--objective', 'conditional'] if model == 'conditional' else []
            else:
                options = ['--model', model]
                if features == 'same':
                    options += ['--features', 'observed', '--template',
                                file_of(study, f'{model}.{len(text)}.template', text)]
            row += scored(trained(study, data, options, limit, threads=2), data)
        rows.append(row)
    study.page.put('triangle', table(['model', 'observations', 'tagging: accuracy', 's', 'chunking: F1', 's'], rows,
                                     left=2) + study.foot(2))


def features(study):
    """Observed, all and unsupported features; observations of nodes, of edges and of both; back-off."""
    limit = study.seconds(150, quick=10)
    rows = []

    def row(shown, data, options):
        record = trained(study, data, options, limit, threads=2)
        score, time = scored(record, data)
        rows.append([shown, data.name, count(record and record['weights']), time,
                     f'{record["megabytes"]:.0f}' if record else '', score])

    data = chunks(study)
    window = file_of(study, 'window.template', '\n'.join(
        [f'U{k:02}:{cell}' for k, cell in enumerate(WINDOW)] + ['B', '']))
    edges = file_of(study, 'edges.template', '\n'.join(
        [f'B{k:02}:{cell}' for k, cell in enumerate(WINDOW)] + ['B', '']))
    both = file_of(study, 'both.template', '\n'.join(
        [f'{kind}{k:02}:{cell}' for kind in 'UB' for k, cell in enumerate(WINDOW)] + ['B', '']))
    observed = ['--features', 'observed', '--template']
    row('observed', data, [*observed, window])
    row('observed, and unsupported above 0.1', data, [*observed, window, '--unsupported', '0.1'])
    row('all', data, ['--features', 'all', '--template', window])
    row('observations of edges alone', data, [*observed, edges])
    row('of nodes and of edges', data, [*observed, both])
    entities = study.data.named_entities()
    words = file_of(study, 'words.template', ''.join(f'U{k}:%x[{k - 2},0]\n' for k in range(5)) + 'B\n')
    pairs = file_of(study, 'pairs.template', words.read_text() + 'U5:%x[-1,0]/%x[0,0]\nU6:%x[0,0]/%x[1,0]\n')
    forms = '[[forms]]\nname = "form"\nforms = ["lower", "shape"]\nsuffixes = [3]\nat = {}\n'
    apart = file_of(study, 'apart.toml', forms.format('[-2, -1, 0, 1, 2]'))
    back = file_of(study, 'back.toml', forms.format('[]') + (
        '[[backoff]]\nname = "b"\nlevels = [0, "form.lower", "form.suffix3", "form.shape"]\n'
        'at = [-2, -1, 0, 1, 2]\nconjunctions = [[-1, 0], [0, 1]]\n'))
    row('words at -2 to 2', entities, [*observed, words])
    row('… and pairs of words', entities, [*observed, pairs])
    row('… and forms of each word', entities, [*observed, pairs, '--kit', apart])
    row('… backed off: pairs of forms, too', entities, [*observed, words, '--kit', back])
    study.page.put('features', table(['features', 'data', 'weights', 's', 'MB', 'score'], rows, left=2) + study.foot(2))


def parallel(study):
    """Threads and asynchronous SGD: ten passes, and whole trainings."""
    data, limit = study.data.conll2000(), study.seconds(120, quick=10)
    best = trained(study, data, ['--optimizer', 'dual-ascent', '--gap', '1e-6'], limit)
    rows = []
    for shown, options in (('sgd, 10 passes', ['--optimizer', 'sgd', '--max-iterations', '10']),
                           ('sgd, 10 passes, 8 sentences a step',
                            ['--optimizer', 'sgd', '--batch', '8', '--max-iterations', '10']),
                           ('async-sgd, 10 passes', ['--optimizer', 'async-sgd', '--max-iterations', '10']),
                           ('lbfgs', ['--optimizer', 'lbfgs']), ('dual-ascent', ['--optimizer', 'dual-ascent'])):
        records = [trained(study, data, options, limit, threads) for threads in (1, 2)]
        if None in records or best is None:
            continue
        rows.append([shown, *(seconds(record['seconds']) for record in records),
                     f'{records[0]["seconds"] / records[1]["seconds"]:.2f}',
                     *(tiny(record['objective'] / best['objective'] - 1) for record in records),
                     *(f'{record["F1"]:.2f}' for record in records)])
    study.page.put('parallel', table(
        ['method', 's, 1 thread', 's, 2', 'speed-up', 'above the optimum, 1', '2', 'F1, 1', '2'], rows) + study.foot(2))


def growing(study):
    """Exponentiated gradient, SMO and Frank-Wolfe to a gap of 1 %, on more and more letters."""
    whole = study.data.ocr()
    words = whole.train.read_text().strip().split('\n\n')
    random.Random(1).shuffle(words)
    limit, rows = study.seconds(120, quick=6), []
    for size in (50, 200, 800) if not study.quick else (50,):
        train = study.data.made(f'ocr.{size}.attributes', lambda out, n=size: out.write(
            ('\n\n'.join(words[:n]) + '\n\n').encode()))
        data, row = DataSet(f'ocr, {size} words', train, whole.test, whole.options, 'accuracy'), [f'{size}']
        for name in ('smo', 'eg', 'frank-wolfe'):
            options = ['--objective', 'max-margin', '--l2', 10, '--gap', '1e-2', '--max-iterations', 1000000]
            record = trained(study, data, [*options, '--optimizer', name], limit)
            steps = record['steps'] if record else []
            row += [count(steps[-1]['iteration']) if steps else '', scored(record, data)[1]]
        rows.append(row)
    study.page.put('growing', table(['words', 'smo: passes', 's', 'eg: passes', 's', 'frank-wolfe: passes', 's'], rows)
                   + study.foot())


def recursions(study):
    """Scaled recursions against those in the log domain, by bench/label_set_bench beside the program."""
    def run():
        done = subprocess.run([study.bench / 'label_set_bench'], check=True, stdout=subprocess.PIPE, text=True).stdout
        lines = done.splitlines()
        found = []
        for line in lines[2:lines.index('')]:
            labels, _, scaled, *_, log = line.split()
            if log != '-':
                found.append([labels, scaled, log, f'{float(log) / float(scaled):.0f}'])
        return found
    rows = study.remember(f'recursions.{study.runs.build}.json', run)
    study.runs.commits.add(study.runs.commit)
    study.page.put('recursions', table(['labels', 'scaled, µs a position', 'log domain', 'times'], rows) + study.foot())


def sampling(study):
    """SampleRank, contrastive divergence and Gibbs sampling beside loopy belief propagation: a skip chain."""
    folder = study.folder / 'sampling'
    folder.mkdir(exist_ok=True)

    def script(name, *arguments):
        return subprocess.run([sys.executable, '-B', SKIP_CHAIN / name, *map(str, arguments)], check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def run():
        for seed, part in enumerate(('train', 'test'), 1):
            script('corpus.py', folder / f'{part}.txt', '--documents', 60, '--seed', seed)
            script('database.py', folder / f'{part}.sqlite', '--group', 6, folder / f'{part}.txt')
        rows = []
        for objective, options in (('bethe', ['--inference-iterations', '10']), ('pseudolikelihood', []),
                                   ('sample-rank', []), ('contrastive-divergence', []),
                                   ('persistent-contrastive-divergence', []), ('gibbs', [])):
            limit = study.seconds(90, quick=10)
            process = Process([study.runs.croft, 'train', '--quiet', '--model', 'graph', '--spec',
                               SKIP_CHAIN / 'skip.toml', '--database', folder / 'train.sqlite', '-o',
                               folder / 'm.croft', '--objective', objective, *options, '--features', 'observed',
                               '--max-iterations', '100'], limit, study.runs.scratch / 'errors.txt')
            if process.status != 0 and not process.limited:
                study.failures.append(f'skip chain, {objective}: {process.err.strip()}')
                continue
            subprocess.run([study.runs.croft, 'predict', '-m', folder / 'm.croft', '--database', folder / 'test.sqlite',
                            '--table', '--no-probabilities', '--search', 'max-product'], check=True,
                           stdout=subprocess.DEVNULL)
            columns = script('columns.py', folder / 'test.sqlite')
            report = json.loads(subprocess.run([study.runs.croft, 'evaluate', '--json'], input=columns, check=True,
                                               stdout=subprocess.PIPE, text=True).stdout)
            rows.append([f'`{objective}`', seconds(process.seconds) + '°' * process.limited,
                         f'{100 * report["chunk"]["f1"]:.2f}'])
        return rows
    rows = study.remember(f'sampling.{study.runs.build}.json', run)
    study.runs.commits.add(study.runs.commit)
    study.page.put('sampling', table(['objective', 's', 'F1 of chunks'], rows) + study.foot())
