"""Models that other programs wrote, used by both: the answers compared, then the rates."""
import gzip
import shutil
import statistics

from harness import Run, check, row

# Of data/models: model, data, how often the data is repeated, the peer's command, goal.
MODELS = (
    ('addresses (lCRF)', 'crfsuite/usaddr.crfsuite', 'crfsuite/cook.attributes', 8,
     ('crfsuite', 'tag', '-m'), 8),
    ('captions (Wapiti)', 'wapiti/figure.wapiti', 'wapiti/figure.columns', 24, ('wapiti', 'label', '-m'), 5),
    ('references (CRF++)', 'crfpp/references.model', 'crfpp/references.columns', 16, ('crf_test', '-m'), 5),
)


class OtherPrograms:
    """Mixed into Bench: uses its croft, data, peers, folder and train_attributes."""

    def model_data(self, name):
        """A file of data/models, without its .gz."""
        path = self.data / 'models' / name
        if path.exists():
            return path
        plain = self.folder / path.name
        if not plain.exists():
            with gzip.open(f'{path}.gz', 'rb') as packed, open(plain, 'wb') as out:
                shutil.copyfileobj(packed, out)
        return plain

    def seconds_beside(self, commands, runs):
        """The medians of some runs of each command, in turn, and their outputs."""
        seconds, outputs = [[] for _ in commands], []
        for _ in range(runs):
            outputs = [self.folder / f'output.{k}' for k in range(len(commands))]
            for k, command in enumerate(commands):
                with open(outputs[k], 'wb') as out:
                    seconds[k].append(Run(command, stdout=out).seconds)
        return [statistics.median(s) for s in seconds], outputs

    @staticmethod
    def last_cells(path):
        """The label of each line, whatever stands between cells."""
        with open(path, 'rb') as lines:
            return [line.split()[-1:] for line in lines]

    def other_programs(self):
        """Rates and starts with foreign models; without the peers there is nothing to compare with."""
        if not self.peers:
            return
        for name, model_name, data_name, repeat, (program, *words), goal in MODELS:
            model, data = self.model_data(model_name), self.model_data(data_name)
            many, one = self.folder / 'many', self.folder / 'one'
            text = data.read_bytes()
            many.write_bytes(text * repeat)
            one.write_bytes(text[:text.index(b'\n\n') + 2])
            tokens = repeat * sum(1 for line in text.split(b'\n') if line.strip())

            def commands(rows):
                return ([self.croft, 'predict', '--threads', '1', '-m', model, rows],
                        [self.peers / program, *words, model, rows])
            both, outputs = self.seconds_beside(commands(many), 5)
            check(self.last_cells(outputs[0]) == self.last_cells(outputs[1]), f'labels of {name}')
            row(f'predict, {name}', tokens / both[0], tokens / both[1], 'tokens/s', program, goal,
                higher_is_better=True)
            both, _ = self.seconds_beside(commands(one), 9)
            row('  one sequence alone', 1000 * both[0], 1000 * both[1], 'ms', program)
        self.foreign_load()

    def foreign_load(self):
        """Opening an lCRF file of 4 MB, of a part of CoNLL-2000."""
        part, model = self.folder / 'part.attributes', self.folder / 'part.crfsuite'
        text = self.train_attributes.read_bytes()
        part.write_bytes(text[:text.index(b'\n\n', len(text) // 10) + 2])
        Run([self.peers / 'crfsuite', 'learn', '-a', 'lbfgs', '-p', 'max_iterations=10', '-m', model, part])
        row(f'loading an lCRF of {model.stat().st_size / 1e6:.1f} MB (at most 50 ms)',
            self.load_milliseconds(model.name), None, 'ms', '')
