"""The scale of typical applications: the table of Sutton & McCallum (2012), section 5.5."""
import re
import time

from .runs import Failure, Process
from .tables import seconds, table

# Sutton & McCallum's positions, labels and seconds, and the goal for data of that size.
TEXTBOOK = {'noun phrases': (211727, 3, 958, 1.5), 'named entities': (204567, 9, 4866, 4),
            'part of speech': (912344, 45, 325500, 60)}
EVALUATIONS = 4  # of the peer on part of speech, where a whole training takes half an hour


def peer(study, data, few):
    """CRFsuite's seconds on the words' attributes: of a training, or of an evaluation."""
    attributes = study.data.word_attributes(data)
    options = ['-p', f'max_iterations={EVALUATIONS}'] if few else []
    key = f'crfsuite.{data.name}.json'

    def run():
        print(f'  {data.name}: crfsuite … ', end='', flush=True)
        process = Process([study.peers / 'crfsuite', 'learn', '-a', 'lbfgs', '-p', 'c2=0.5',
                           *options, attributes], 300, study.runs.scratch / 'errors.txt')
        each = [float(s) for s in re.findall(r'this iteration: ([\d.]+)', process.out)]
        trials = [int(s) for s in re.findall(r'Line search trials: (\d+)', process.out)]
        loss = re.findall(r'Loss: ([\d.]+)', process.out)
        print(f'{process.seconds:.1f} s')
        return {'seconds': process.seconds, 'limited': process.limited,
                'iterations': len(each), 'loss': float(loss[-1]) if loss else None,
                'evaluation': sum(each[1:]) / max(1, sum(trials[1:])),
                'date': time.strftime('%F %R')}
    found = study.remember(key, run)
    if few or found['limited']:
        return f'{found["evaluation"]:.2f} an evaluation'
    return seconds(found['seconds'])


def textbook(study):
    """Default features, default training, two threads; the peer beside it."""
    names = list(TEXTBOOK)[:2] if study.quick else list(TEXTBOOK)
    rows, numbers = [], {}
    for name in names:
        data = getattr(study.data, name.replace(' ', '_'))()
        positions, labels, their_seconds, goal = TEXTBOOK[name]
        try:
            record = study.runs.train(data, [], study.seconds(280, quick=30), threads=2)
        except Failure as failure:
            study.failures.append(f'{name}: {failure}')
            continue
        steps = record.pop('steps')
        numbers[name] = record
        rows.append([
            name, f'{record["positions"]:,}', record['labels'], f'{record["weights"]:,}',
            f'{record["seconds"]:.1f}' + ('°' if record['limited'] else ''),
            f'{goal:g}', f'{steps[-1]["evaluations"]}',
            f'{record[data.score]:.2f} {"F1" if data.score == "F1" else "%"}',
            peer(study, data, name == 'part of speech') if study.peers else '',
            f'{positions:,}', labels, f'{their_seconds:,}'])
    study.keep('textbook', numbers)
    study.page.put('textbook', table(
        ['application', 'positions', 'labels', 'parameters', 's', 'goal', 'evaluations', 'score',
         'CRFsuite s', 'book: positions', 'labels', 's'], rows) + study.foot(2))
