"""Label sets of hundreds: time against L, and two corpora of morphological tags."""
import json
import lzma
import re
import subprocess
import sys

from harness import Run, row

# Seconds an evaluation, published: brown takes CRFsuite ten minutes for its first iteration.
CRFSUITE_CLTT, CRFSUITE_BROWN = 3.45, 205.0


class ManyLabels:
    """Mixed into Bench: uses its croft, data, peers, folder, args, train and gradient_seconds."""

    def questions(self):
        """Questions to a chain against the recursions that they rest on."""
        out = json.loads(Run([self.croft.parent / 'bench/questions_bench']).out)
        row('10 best labellings (at most 6 Viterbi)', out['k_best_ratio'], None, 'Viterbi', '')
        row('all spans (at most 1.3 forward-backward)', out['spans_ratio'], None, 'fwd-bwd', '')

    def label_sets(self):
        """Time against L, dense and sparse; the program checks that both agree."""
        out = Run([self.croft.parent / 'bench/label_set_bench']).out
        print(out, end='')
        lines = out.splitlines()
        end = lines.index('')
        for line in lines[2:end]:
            cells = line.split()
            labels, dense, sparse = int(cells[0]), min(map(float, cells[2:4])), float(cells[4])
            if labels in (10, 30, 100, 300, 1000):
                row(f'sums, {labels} labels, 1 % of transitions', sparse, dense, 'us/pos', 'dense',
                    8 if labels == 1000 else None)
        for line in lines[end + 2:]:
            cells = line.split()
            if cells[0] != '300':
                continue
            one, halves, some = (float(cells[k]) for k in (1, 3, 5))
            row('sums, 300 labels, two groups of transitions by their ends', halves, one, 'us/pos', 'one group')
            row('sums, 300 labels, two groups, 1 % at random', some, one, 'us/pos', 'one group')

    def morphology(self, name):
        """Attributes of a corpus of ../shared/data/morphology: (train, test)."""
        paths = []
        for part in ('train', 'test'):
            plain = self.data / 'morphology' / f'{name}.{part}.txt'
            text = plain.read_bytes() if plain.exists() else lzma.open(f'{plain}.xz').read()
            paths.append(self.folder / f'{name}.{part}.attributes')
            with open(paths[-1], 'wb') as out:
                subprocess.run([sys.executable, self.data / 'tools/word_attributes.py'], input=text,
                               stdout=out, check=True)
        return paths

    def accuracy(self, model, data):
        return json.loads(Run([self.croft, 'evaluate', '--json', '-m', self.folder / model,
                               data]).out)['tokens']['accuracy']

    def cltt(self):
        train, test = self.morphology('cltt')
        peer, published = CRFSUITE_CLTT, True
        if self.peers:
            out = Run([self.peers / 'crfsuite', 'learn', '-a', 'lbfgs', '-p', 'c2=0.5', '-p',
                       'max_iterations=6', train]).out
            seconds = [float(s) for s in re.findall(r'Seconds required for this iteration: ([\d.]+)', out)]
            trials = [int(s) for s in re.findall(r'Line search trials: (\d+)', out)]
            peer, published = sum(seconds[1:]) / sum(trials[1:]), False
        row('evaluation, cltt (406 labels)', self.gradient_seconds(data=train), peer, 's', 'CRFsuite', 14,
            published=published)
        row('  all features (21.7 M weights)', self.gradient_seconds('all', data=train), None, 's', '')
        run = self.train('cltt.croft', '--format', 'attributes', train)
        row('  whole training, one thread', run.seconds, None, 's', '')
        row('  test accuracy', self.accuracy('cltt.croft', test), None, '', '')

    def brown(self):
        if self.args.quick:
            return
        train, test = self.morphology('brown')
        row('evaluation, brown (459 labels)', self.gradient_seconds(data=train), CRFSUITE_BROWN, 's',
            'CRFsuite', 20, published=True)
        run = self.train('brown.croft', '--format', 'attributes', train, threads=2)
        row('  whole training, two threads (600 s)', run.seconds, None, 's', '')
        row('  peak memory (at most 3000 MB)', run.megabytes, 797, 'MB', 'CRFsuite', published=True)
        row('  test accuracy', self.accuracy('brown.croft', test), None, '', '')
