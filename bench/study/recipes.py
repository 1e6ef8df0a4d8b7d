"""Recipes for a corpus, of what the defaults leave: word clusters and documents, with no outside data."""
import subprocess

from .data import DataSet
from .runs import Failure
from .tables import seconds, table

CLUSTERS = '[[clusters]]\nname = "brown"\nfile = "{}"\nat = [-2, -1, 0, 1, 2]\n'


def once(line):
    """The line without the second of two encodings, where it has two."""
    try:
        return line.encode('latin1').decode()
    except UnicodeError:
        return line


def marked(text):
    """A mark before each date line: a short sentence that ends in a full stop and names the agency."""
    out = []
    for sentence in '\n'.join(map(once, text.strip().split('\n'))).split('\n\n'):
        words = [row.split()[0] for row in sentence.split('\n')]
        dated = len(words) <= 16 and words[-1] == '.' and any(w.startswith('EFE') for w in words[:14])
        if dated or not out:
            out.append('-DOCSTART- - O')
        out.append(sentence)
    return '\n\n'.join(out) + '\n\n'


def spanish(study, test):
    """A run is known by its training file: one for each test file."""
    def file(part, name):
        def write(out):
            out.write(marked(study.data.text(f'conll2002/esp.{part}.txt').decode()).encode())
        return study.data.made(name, write)
    return DataSet(f'Spanish, {test}', file('train', f'documents.{test}.train'), file(test, f'documents.{test}'), [],
                   'F1')


def chunking(study):
    train, test = (study.data.made(f'chunks.{part}', lambda out, p=part: out.write(study.data.text(
        f'conll2000/{p}.txt'))) for part in ('train', 'test'))
    return DataSet('chunks', train, test, [], 'F1')


def clustered(study, name, count, files):
    """A kit of word clusters, which `croft cluster` makes of these files without their labels."""
    words = study.data.folder / f'{name}.clusters'
    if not words.exists():
        subprocess.run([study.runs.croft, 'cluster', '--quiet', '--format', 'columns', '--clusters', str(count),
                        '--min-count', '2', '-o', words, *files], check=True)
    return study.data.made(f'{name}.toml', lambda out: out.write(CLUSTERS.format(words).encode()))


def recipes(study):
    limit = study.seconds(900, quick=60)
    documents = ['--documents=-DOCSTART-']
    testa, testb, chunks = spanish(study, 'testa'), spanish(study, 'testb'), chunking(study)
    words = clustered(study, 'spanish', 1000, [testb.test, testa.test, testa.train])
    own = clustered(study, 'chunks', 1000, [chunks.train])
    rows, numbers = [], {}
    for data, title, options in (
            ((testa, testb), 'the default', []),
            ((testa, testb), '1000 word clusters', ['--kit', words]),
            ((testa, testb), 'documents', documents),
            ((testa, testb), 'documents, 1000 word clusters', [*documents, '--kit', words]),
            ((chunks,), 'the default', []),
            ((chunks,), '1000 word clusters', ['--kit', own]),
            ((chunks,), '1000 word clusters, all features', ['--kit', own, '--features', 'all'])):
        name = 'CoNLL-2002 Spanish' if len(data) == 2 else 'CoNLL-2000'
        try:
            found = [study.runs.train(each, options, limit, threads=2) for each in data]
        except Failure as failure:
            study.failures.append(f'{name}, {title}: {failure}')
            continue
        scores = [f'{record["F1"]:.2f}' for record in found]
        rows.append([name, title, *(scores if len(data) == 2 else ['', *scores]), seconds(found[0]['seconds'])])
        numbers[f'{name}, {title}'] = [record['F1'] for record in found]
    study.keep('recipes', numbers)
    study.page.put('recipes', table(['corpus', 'features', 'testa F1', 'test F1 (testb)', 's'], rows, left=2)
                   + study.foot(threads=2))
