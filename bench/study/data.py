"""The study's data, made once from CROFT_DATA into its folder."""
import lzma
import subprocess
import sys

from harness import ROOT


class DataSet:
    """Training and test file, how croft reads them, and which score counts."""

    def __init__(self, name, train, test, options, score):
        self.name, self.train, self.test = name, train, test
        self.options, self.score = options, score  # score: 'F1' of chunks, or 'accuracy' of tokens


class Data:
    """Files by name; each is made when it is asked for the first time.

    source  the folder with conll2000, ewt, ocr, …, tools
    folder  where the files go, beside nothing else
    """

    def __init__(self, source, folder):
        self.source, self.folder = source, folder
        folder.mkdir(parents=True, exist_ok=True)

    def made(self, name, write):
        """Path of `name`; write(file) makes it.  Whole or not at all."""
        path = self.folder / name
        if not path.exists():
            part = self.folder / (name + '.part')
            with open(part, 'wb') as out:
                write(out)
            part.rename(path)
        return path

    def through(self, tool, name, text):
        """`text` through one of the source's tools."""
        def write(out):
            subprocess.run([sys.executable, self.source / 'tools' / tool], input=text(), stdout=out,
                           check=True)
        return self.made(name, write)

    def text(self, path):
        full = self.source / path
        return full.read_bytes() if full.exists() else lzma.open(f'{full}.xz').read()

    def attributes(self, name, tool, files, score):
        train, test = (self.through(tool, f'{name}.{part}.attributes', lambda p=path: self.text(p))
                       for part, path in zip(('train', 'test'), files))
        return DataSet(name, train, test, ['--format', 'attributes'], score)

    def conll2000(self):
        return self.attributes('conll2000', 'chunking_attributes.py',
                               ('conll2000/train.txt', 'conll2000/test.txt'), 'F1')

    def ewt(self):
        return self.attributes('ewt', 'word_attributes.py',
                               ('ewt/xpos.train.txt', 'ewt/xpos.test.txt'), 'accuracy')

    def ocr(self):
        """A letter has its black pixels as attributes; every pixel has a weight for every label."""
        train, test = (self.made(f'ocr.{part}.attributes', lambda out, p=part: self.letters(p, out))
                       for part in ('train', 'test'))
        return DataSet('ocr', train, test, ['--format', 'attributes', '--features', 'all'],
                       'accuracy')

    def ocr_part(self):
        """The training words of `ocr`, every tenth for a test: to choose penalties on."""
        def pick(out, held):
            words = self.ocr().train.read_text().strip().split('\n\n')
            chosen = [word for k, word in enumerate(words) if (k % 10 == 9) == held]
            out.write(('\n\n'.join(chosen) + '\n\n').encode())
        train, test = (self.made(f'ocr-part.{part}.attributes', lambda out, h=held: pick(out, h))
                       for part, held in (('train', False), ('test', True)))
        return DataSet('ocr-part', train, test, self.ocr().options, 'accuracy')

    def letters(self, part, out):
        word = None
        for line in self.text(f'ocr/{part}.txt').decode().splitlines():
            label, of, *pixels = line.split()
            if word not in (None, of):
                out.write(b'\n')
            word = of
            fields = [chr(96 + int(label))] + ['p' + pixel.split(':')[0] for pixel in pixels]
            out.write(('\t'.join(fields) + '\n').encode())
        out.write(b'\n')

    def small(self, sentences=200):
        """Some hundred weights, for methods that keep a full matrix: tags at -1, 0, 1 alone."""
        def write(out):
            text = self.text('conll2000/train.txt').decode().strip()
            for sentence in text.split('\n\n')[:sentences]:
                rows = [line.split() for line in sentence.splitlines()]
                for t, row in enumerate(rows):
                    near = [f'p[{k}]={rows[t + k][1]}' for k in (-1, 0, 1)
                            if 0 <= t + k < len(rows)]
                    out.write('\t'.join([row[2], *near]).replace(':', '\\:').encode() + b'\n')
                out.write(b'\n')
        train = self.made('small.train.attributes', write)
        return DataSet('small', train, None, ['--format', 'attributes'], 'F1')

    def ingredients(self):
        """examples/ingredients, where a position has its word and the two beside it, no more."""
        folder = ROOT / 'examples/ingredients'
        template = self.made('ingredients.template', lambda out: out.write(
            b'U00:%x[0,0]\nU01:%x[-1,0]\nU02:%x[1,0]\nB\n'))
        return DataSet('ingredients', folder / 'train.txt', folder / 'test.txt',
                       ['--template', template], 'accuracy')

    # Columns for default features, and the same files through word_attributes.py for the peer.
    def columns(self, name, files, score, tool=None):
        paths = []
        for part, path in zip(('train', 'test'), files):
            target = f'{name}.{part}.columns'
            paths.append(self.through(tool, target, lambda p=path: self.text(p)) if tool
                         else self.made(target, lambda out, p=path: out.write(self.text(p))))
        return DataSet(name, *paths, [], score)

    def noun_phrases(self):
        return self.columns('noun phrases', ('conll2000/train.txt', 'conll2000/test.txt'), 'F1',
                            'noun_phrases.py')

    def named_entities(self):
        return self.columns('named entities',
                            ('conll2002/esp.train.txt', 'conll2002/esp.testb.txt'), 'F1')

    def part_of_speech(self):
        return self.columns('part of speech',
                            ('morphology/brown.train.txt', 'morphology/brown.test.txt'),
                            'accuracy', 'brown_base_tags.py')

    def word_attributes(self, data):
        """The training file of `columns` as the peer's attributes."""
        return self.through('word_attributes.py', f'{data.name}.words.attributes',
                            data.train.read_bytes)
