"""Generative against discriminative: the same features, more and more of the training data."""
import random
import statistics

from . import charts
from .data import DataSet
from .runs import Failure
from .tables import count, table

SEED = 1
TEXT_MODELS = {'naive Bayes': ['--model', 'naive-bayes'],
               'naive Bayes, alpha 0.1': ['--model', 'naive-bayes', '--alpha', '0.1'],
               'maxent': ['--model', 'maxent']}


class Parts:
    """Random parts of a training file, each a data set with the whole test file.

    options  with which croft reads it
    cut      text -> its examples, each with its line end
    """

    def __init__(self, study, name, train, test, options, cut):
        self.study, self.name, self.options = study, name, options
        self.examples = cut(study.data.text(train).decode())
        self.test = study.data.made(f'{name}.test', lambda out: out.write(study.data.text(test)))

    def part(self, size, repeat):
        """`size` examples, drawn anew for each repeat, and the same ones for each model."""
        def write(out):
            draw = random.Random(f'{SEED} {self.name} {size} {repeat}')
            out.write(''.join(draw.sample(self.examples, size)).encode())
        train = self.study.data.made(f'{self.name}.{size}.{repeat}', write)
        return DataSet(f'{self.name}, {size}, part {repeat}', train, self.test, self.options,
                       'accuracy')


def lines(text):
    return text.splitlines(keepends=True)


def sentences(text):
    return [sentence.strip('\n') + '\n\n' for sentence in text.split('\n\n') if sentence.strip()]


def curve(study, parts, sizes, repeats, models, limit):
    """{model: {size: [error in percent of each part]}}; all the data has one part only."""
    errors = {model: {} for model in models}
    for size in [*sizes, len(parts.examples)]:
        for repeat in range(1 if size == len(parts.examples) else repeats):
            data = parts.part(size, repeat)
            for model, options in models.items():
                try:
                    record = study.runs.train(data, options, limit)
                except Failure as failure:
                    study.failures.append(f'{data.name}, {model}: {failure}')
                    continue
                errors[model].setdefault(size, []).append(100 - record['accuracy'])
    return errors


def shown(values):
    """Mean and, of several parts, their standard deviation."""
    mean = f'{statistics.mean(values):.1f}'
    return mean if len(values) == 1 else f'{mean} ± {statistics.stdev(values):.1f}'


def generative(study):
    """The three curves, their numbers, a table each."""
    limit = study.seconds(120, quick=8)
    word = study.data.made('word.template', lambda out: out.write(b'U00:%x[0,0]\nB\n'))
    chain_models = {'hmm': ['--model', 'hmm'],
                    'hmm, suffixes': ['--model', 'hmm', '--suffix', '4'],
                    'chain of words': ['--template', word, '--min-count', '1'],
                    'chain, default features': []}
    text = ['--format', 'text']
    plans = {
        'TREC questions': (Parts(study, 'qc', 'text/qc.train.tsv', 'text/qc.test.tsv', text, lines),
                           [50, 100, 200, 400, 800, 1600, 3200], 5, TEXT_MODELS, 'questions'),
        '20 newsgroups': (Parts(study, '20news', 'text/20news.train.tsv', 'text/20news.test.tsv',
                                text, lines),
                          [100, 300, 1000, 3000], 3, TEXT_MODELS, 'documents'),
        'EWT parts of speech': (Parts(study, 'upos', 'ewt/upos.train.txt', 'ewt/upos.test.txt', [],
                                      sentences),
                                [50, 150, 500, 1500], 3, chain_models, 'sentences')}
    plain = ['--model', 'hmm', '--suffix', '4', '--smoothing', '0.01']
    objectives = {'likelihood': plain, 'conditional': [*plain, '--objective', 'conditional'],
                  'multi-conditional': [*plain, '--objective', 'multi-conditional'],
                  'hybrid, coupling 0.1': [*plain, '--objective', 'hybrid', '--coupling', '0.1'],
                  'chain of words': chain_models['chain of words']}
    plans['EWT parts of speech, objectives of the HMM'] = (*plans['EWT parts of speech'][:3], objectives, 'sentences')
    numbers, tables = {}, []
    for title, (parts, sizes, repeats, models, unit) in plans.items():
        if study.quick:
            sizes, repeats, parts.examples = sizes[:2], 2, parts.examples[:sizes[2]]
        errors = curve(study, parts, sizes, repeats, models, limit)
        numbers[title] = errors
        rows = [[count(size), *(shown(errors[model][size]) if size in errors[model] else 'failed'
                                for model in models)]
                for size in [*sizes, len(parts.examples)]]
        tables.append(f'**{title}**, error in %:\n\n' + table([unit, *models], rows))
    charts.learning_curves(study.out / 'generative.svg', numbers)
    study.keep('generative', numbers)
    study.page.put('generative', '\n\n'.join(tables) + study.foot())
