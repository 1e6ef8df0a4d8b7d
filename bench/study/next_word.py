"""The next word: relative frequencies, their mixture by EM, and log-linear models, in one table."""
import json
import subprocess
import sys

from harness import ROOT
from .runs import Process
from .tables import table

EXAMPLE = ROOT / 'examples/language-model'
ORDERS = {'unigram': b'u\n', 'bigram': b'u:%x[-1,0]\n', 'trigram': b'u:%x[-2,0]/%x[-1,0]\n'}
TRIGGERS = 50  # lines, of the last 50 words
JOINT = ['--model', 'maxent', '--l2', '1.5', '--tolerance', '1e-3', '--threads', '2']


class NextWord:
    """The example's text, cut into three parts, and models of it in a folder of the study."""

    def __init__(self, study):
        self.study, self.folder = study, study.folder / 'next_word'
        self.folder.mkdir(exist_ok=True)
        self.script('columns.py', EXAMPLE / 'text.txt', self.folder)
        words = (EXAMPLE / 'ten.template').read_text('utf-8')
        self.nine = self.write('nine.template', words.encode())
        lines = self.script('triggers.py', self.folder / 'train.txt', 50, TRIGGERS)
        self.ten = self.write('ten.template', (words + lines).encode())

    def script(self, name, *arguments):
        return subprocess.run([sys.executable, EXAMPLE / name, *map(str, arguments)], check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def train(self, name, options, data='train.txt'):
        """Seconds of the training of FOLDER/NAME.croft."""
        process = Process([self.study.runs.croft, 'train', '--quiet', '-o', self.folder / f'{name}.croft', *options,
                           self.folder / data], 900, self.study.runs.scratch / 'errors.txt')
        if process.status != 0 or process.limited:
            raise SystemExit(f'{name}: {process.err}')
        return process.seconds

    def asked(self, verb, name, *more):
        return json.loads(subprocess.run([self.study.runs.croft, verb, '-m', self.folder / f'{name}.croft', '--json',
                                          *more], check=True, stdout=subprocess.PIPE).stdout)

    def perplexity(self, name, part):
        found = self.asked('evaluate', name, self.folder / f'{part}.txt')['perplexity']
        return '∞' if found is None or found == float('inf') else f'{found:.2f}'


def next_word(study):
    def run():
        text, rows = NextWord(study), []

        def row(shown, name, seconds):
            rows.append([shown, text.perplexity(name, 'held'), text.perplexity(name, 'test'), f'{seconds:.1f}'])

        def mixture(shown, name, *components):
            experts = [item for each in components for item in ('--expert', text.folder / f'{each}.croft')]
            seconds = text.train(name, ['--model', 'mixture', *experts], 'held.txt')
            weights = ', '.join(f'{each["weight"]:.3f}' for each in text.asked('inspect', '-m', name)['components'])
            row(f'{shown}: λ = {weights}', name, seconds)

        for order, template in ORDERS.items():
            path = text.write(f'{order}.template', template)
            row(f'{order}, relative frequencies', order,
                text.train(order, ['--model', 'naive-bayes', '--alpha', '0', '--template', path]))
        mixture('mixture of the three', 'three', *ORDERS)
        classes = ['--label-classes', text.folder / 'classes.tsv']
        row('log-linear, without triggers', 'nine',
            text.train('nine', [*JOINT, *classes, '--joint-template', text.nine]))
        row(f'log-linear, ten features ({TRIGGERS} triggers)', 'ten',
            text.train('ten', [*JOINT, *classes, '--joint-template', text.ten]))
        mixture('mixture of the three and the ten features', 'four', *ORDERS, 'ten')
        return rows
    rows = study.remember(f'next_word.{study.runs.build}.json', run)
    study.runs.commits.add(study.runs.commit)
    study.keep('next_word', rows)
    study.page.put('next-word', table(['model', 'perplexity, held out', 'perplexity, test', 's'], rows)
                   + study.foot(2))
