"""What the same word is elsewhere in its document: documents=, from Python as from the command line."""

import os
import sys
import subprocess
from pathlib import Path

import pytest

import croft

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / 'tests/cli'))
from made_documents import documents, text_of  # noqa: E402

TEMPLATE = 'U0:%x[0,0]\nU1:%x[-1,0]\nU2:%x[1,0]\nB\n'
OPTIONS = {'documents': '-DOCSTART-', 'document_parts': 3}


def sequences(docs):
    X, y = [], []
    for doc in docs:
        for sentence in doc:
            rows = [row.split() for row in sentence.strip().split('\n')]
            X.append([(row[0],) for row in rows])
            y.append([row[1] for row in rows])
    return X, y


@pytest.fixture(scope='module')
def data():
    return sequences(documents(8, 1)) + sequences(documents(5, 2))


@pytest.fixture(scope='module')
def model(data):
    return croft.ChainCRF(template=TEMPLATE, **OPTIONS).fit(*data[:2])


def test_it_labels_as_a_model_of_the_command_line_does(model, data, tmp_path):
    (tmp_path / 't').write_text(TEMPLATE)
    (tmp_path / 'train').write_text(text_of(documents(8, 1)))
    (tmp_path / 'test').write_text(text_of(documents(5, 2)))
    subprocess.run([os.environ['CROFT'], 'train', '--quiet', '--template', 't', '--documents=-DOCSTART-',
                    '--document-parts', '3', '-o', 'm.croft', 'train'], cwd=tmp_path, check=True)
    there = croft.load(tmp_path / 'm.croft')
    for one, other in zip(model.predict_marginals(data[2]), there.predict_marginals(data[2])):
        for a, b in zip(one, other):
            assert a == pytest.approx(b, abs=1e-3)
    assert model.predict(data[2]) == there.predict(data[2]) == data[3]


def test_what_only_another_sentence_says_is_found(model, data):
    plain = croft.ChainCRF(template=TEMPLATE).fit(*data[:2])
    assert plain.score(*data[2:]) < 0.95
    assert model.score(*data[2:]) == 1


def test_a_call_is_one_document_unless_marks_say_more(model, data):
    X, y = data[2:]
    alone = [model.predict([x])[0] for x in X]
    assert alone != y, 'a sequence by itself has no others'
    unmarked = [x for x in X[:11] if x[0][0] != '-DOCSTART-']
    assert model.predict(unmarked) == [labels for x, labels in zip(X[:11], y) if x[0][0] != '-DOCSTART-']
    assert model.predict(iter(X)) == y
    assert model.predict(X, threads=3) == y


def test_a_file_of_it_is_the_same_model(model, data, tmp_path):
    model.save(tmp_path / 'm.croft')
    again = croft.load(tmp_path / 'm.croft')
    assert again.predict(data[2]) == data[3]
    assert len(croft.suggest(again, data[2], top=2)) == 2


@pytest.mark.parametrize('kind', [croft.MEMM, croft.SegmentCRF, croft.HiddenChainCRF])
def test_other_kinds_have_it(kind, data):
    found = kind(template=TEMPLATE, **OPTIONS).fit(*data[:2]).predict(data[2])
    assert found == data[3]


def test_held_out_sequences_have_their_documents(data):
    steps = []
    croft.ChainCRF(template=TEMPLATE, **OPTIONS).fit(*data[:2], X_dev=data[2], y_dev=data[3], callback=steps.append)
    assert steps[-1]['holdout']['token_accuracy'] == 1


def test_what_cannot_be_done_is_refused(model, data):
    with pytest.raises(ValueError, match='documents looks at words'):
        croft.ChainCRF(**OPTIONS).fit([[{'a': 1}]], [['A']])
    with pytest.raises(ValueError, match='nothing in the data tells'):
        croft.ChainCRF(template=TEMPLATE, documents='NOMARK').fit(*data[:2])
    with pytest.raises(ValueError, match='document_parts|--document-parts'):
        croft.ChainCRF(template=TEMPLATE, documents='-DOCSTART-', document_parts=100).fit(*data[:2])
    with pytest.raises(ValueError, match='X_unlabelled'):
        croft.ChainCRF(template=TEMPLATE, **OPTIONS).fit(*data[:2], X_unlabelled=data[2])
    with pytest.raises(ValueError, match='numbers'):
        croft.LogisticRegression(documents='-DOCSTART-').fit([[1.0], [2.0]], ['A', 'B'])
    with pytest.raises(ValueError, match='prior'):
        croft.ChainCRF(template=TEMPLATE, prior=model, **OPTIONS).fit(*data[:2])
