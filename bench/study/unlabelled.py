"""What data without labels adds to few labelled examples, over draws of these."""
import random

from .data import DataSet
from .tables import table

# The ways, and the options of each; the first is what the others are compared with.
WAYS = (('labelled examples alone', []),
        ('entropy', ['--entropy', '0.3']),
        ('entropy', ['--entropy', '1']),
        ('expectations of 100 attributes', ['--expectations', 'labelled']),
        ('expectations of 500 attributes', ['--expectations', 'labelled:500']),
        ('both', ['--expectations', 'labelled:500', '--entropy', '0.3']),
        ('self-training', ['--self-training', '3', '--confidence', '0.9']))


def draw(study, name, items, separator, labelled, seed, options, test, score):
    """A DataSet of so many labelled items, and the file of all others."""
    items = list(items)
    random.Random(seed).shuffle(items)
    few, rest = (study.data.made(f'{name}.{seed}.{part}', lambda out, of=some: out.write(
        (separator.join(of) + separator).encode()))
        for part, some in (('few', items[:labelled]), ('rest', items[labelled:])))
    return DataSet(f'{name} {seed}', few, test, options, score), rest


def sets(study):
    """(title, unit, draws) with draws(seed) -> (DataSet, file without labels)."""
    sentences = study.data.text('conll2000/train.txt').decode().strip().split('\n\n')
    chunks = study.data.made('conll2000.test.columns', lambda out: out.write(study.data.text('conll2000/test.txt')))
    questions = study.data.text('text/qc.train.tsv').decode().strip().split('\n')
    classes = study.data.made('qc.test.tsv', lambda out: out.write(study.data.text('text/qc.test.tsv')))
    return (('CoNLL-2000, 100 sentences', 'F1', lambda seed: draw(
                study, 'few-chunks', sentences, '\n\n', 100, seed, [], chunks, 'F1')),
            ('TREC questions, 50', 'accuracy', lambda seed: draw(
                study, 'few-questions', questions, '\n', 50, seed, ['--format', 'text', '--model', 'maxent'], classes,
                'accuracy')))


def mean_and_error(numbers):
    mean = sum(numbers) / len(numbers)
    if len(numbers) < 2:
        return mean, 0.0
    return mean, (sum((n - mean) ** 2 for n in numbers) / (len(numbers) - 1) / len(numbers)) ** 0.5


def unlabelled(study):
    """The mean score over draws, and what each way gains over the labelled examples, draw by draw."""
    draws = 2 if study.quick else 10
    head, columns, numbers = ['way', 'options'], [], {}
    for title, unit, of in sets(study):
        head += [f'{title}: {unit}', 'gain']
        scores = []
        for _, options in WAYS:
            found = []
            for seed in range(draws):
                data, rest = of(seed)
                more = ['--unlabelled', rest, *options] if options else []
                found.append(study.runs.train(data, more, study.seconds(300, quick=30), threads=2)[data.score])
            scores.append(found)
        column = []
        for found in scores:
            gain, error = mean_and_error([a - b for a, b in zip(found, scores[0])])
            shown = f'{gain:+.2f} ± {error:.2f}' if found != scores[0] else ''
            column.append((f'{mean_and_error(found)[0]:.2f}', shown))
        columns.append(column)
        numbers[title] = {' '.join(options) or 'supervised': found for (_, options), found in zip(WAYS, scores)}
    rows = [[name, f'`{" ".join(options)}`' if options else '', *(cell for column in columns for cell in column[k])]
            for k, (name, options) in enumerate(WAYS)]
    study.keep('unlabelled', numbers)
    study.page.put('unlabelled', table(head, rows) + study.foot(threads=2))
