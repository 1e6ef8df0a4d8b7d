"""Models asked every question, against an enumeration of all labellings by the weights they show."""
import itertools
import json
import math
import os
import pickle
import subprocess
import sys
import warnings
from collections import Counter

import numpy
import pytest

import croft
from conftest import sentences

LABELS = ["B-X", "I-X", "O"]


def chunk_data(count, seed):
    """Words and BIO labels with chunks of b…i."""
    import random
    generator = random.Random(seed)
    X, y = [], []
    for _ in range(count):
        labels = []
        for _ in range(generator.randint(1, 5)):
            choices = ["B-X", "O"] + (["I-X"] if labels and labels[-1] != "O" else [])
            labels.append(generator.choice(choices))
        X.append([{"w": label[0] if generator.random() < 0.7 else "?", "t": 0.5 * t} for t, label in enumerate(labels)])
        y.append(labels)
    return X, y


@pytest.fixture(scope="module")
def model():
    return croft.ChainCRF(l2=0.5).fit(*chunk_data(60, 1)).model_


@pytest.fixture(scope="module")
def sequences():
    return chunk_data(12, 2)[0]


def score(model, x, labels):
    """By the weights that the model shows."""
    states, transitions = model.state_features, model.transition_features
    total = sum(transitions.get(pair, 0) for pair in zip(labels, labels[1:]))
    for position, label in zip(x, labels):
        for key, value in position.items():
            name, number = (f"{key}:{value}", 1) if isinstance(value, str) else (key, value)
            total += number * states.get((name, label), 0)
    return total


def distribution(model, x, allowed=lambda labels: True):
    """labels -> probability, over all that are allowed; and log Z."""
    scores = {labels: score(model, x, labels) for labels in itertools.product(model.labels, repeat=len(x))
              if allowed(labels)}
    largest = max(scores.values())
    z = sum(math.exp(s - largest) for s in scores.values())
    return {labels: math.exp(s - largest) / z for labels, s in scores.items()}, largest + math.log(z)


def is_bio(labels):
    return all(label != "I-X" or (t > 0 and labels[t - 1] != "O") for t, label in enumerate(labels))


def chunks(labels):
    found, start = [], None
    for t, label in enumerate([*labels, "O"]):
        if start is not None and label != "I-X":
            found.append((start, t))
            start = None
        if label == "B-X" or (label == "I-X" and start is None):
            start = t
    return found


def probability(labels, start, transitions):
    p = start[labels[0]]
    for t in range(1, len(labels)):
        p *= transitions[t - 1, labels[t - 1], labels[t]]
    return p


@pytest.mark.parametrize("how, allowed", [({}, lambda y: True), ({"constrain": "bio"}, is_bio)])
def test_the_posterior_of_a_sequence_is_a_markov_chain(model, sequences, how, allowed):
    for x in sequences:
        start, transitions = model.posterior_chain(x, **how)
        assert start.shape == (3,) and transitions.shape == (len(x) - 1, 3, 3)
        truth, _ = distribution(model, x, allowed)
        for labels in itertools.product(model.labels, repeat=len(x)):
            p = probability([model.labels.index(y) for y in labels], start, transitions)
            assert p == pytest.approx(truth.get(labels, 0), rel=1e-5, abs=1e-12)


@pytest.mark.parametrize("length", [1, 2, 4])
@pytest.mark.parametrize("how", [{}, {"constrain": "bio"}, {"boundaries": True}])
def test_a_chain_is_a_hidden_markov_model_of_sequences_of_one_length(length, how):
    chain = croft.ChainCRF(l2=0.3, **how).fit(*chunk_data(80, 3)).model_
    observations = [{"w": "B", "t": 0.5}, {"w": "?"}, {"w": "O", "t": -1}, {"t": 0.1, "new": 1}]
    hmm = chain.hmm(observations, length)
    assert hmm.transitions.shape == (length - 1, 3, 3)
    assert hmm.emissions.shape == (4, 3)
    assert hmm.emissions.sum(axis=0) == pytest.approx(1)
    assert hmm.start.sum() == pytest.approx(1)
    if length == 4 and "constrain" not in how:
        assert hmm.transitions.sum(axis=2) == pytest.approx(1)
        assert abs(hmm.transitions[0] - hmm.transitions[-1]).max() > 1e-3  # the backward vector is not the same
    for x in itertools.product(range(4), repeat=length):
        joint = {y: probability(y, hmm.start, hmm.transitions) * math.prod(hmm.emissions[v, j] for v, j in zip(x, y))
                 for y in itertools.product(range(3), repeat=length)}
        total = sum(joint.values())
        names = list(joint)
        said = chain.log_likelihood([[observations[v] for v in x]] * len(names),
                                    [[chain.labels[j] for j in y] for y in names])
        for y, log_p in zip(names, said):
            assert joint[y] / total == pytest.approx(math.exp(log_p), rel=1e-6, abs=1e-14)


def test_what_is_no_hidden_markov_model_says_why(model, tmp_path):
    X, y = chunk_data(20, 1)
    with pytest.raises(ValueError, match="observations is empty"):
        model.hmm([], 3)
    with pytest.raises(ValueError, match="length"):
        model.hmm([{"w": "B"}], 0)
    path = tmp_path / "template"
    path.write_text("U:%x[0,0]\nB:%x[0,0]\n")
    of_edges = croft.ChainCRF(template=path).fit([[["a"], ["b"]]], [["X", "Y"]]).model_
    with pytest.raises(ValueError, match=r"features of two labels and the data; posterior_chain\(x\)"):
        of_edges.hmm([["a"]], 3)
    assert of_edges.posterior_chain([["a"], ["c"]]).start.sum() == pytest.approx(1)
    of_order_two = croft.ChainCRF(order=2).fit(X, y).model_
    with pytest.raises(ValueError, match="of order 2 or more"):
        of_order_two.hmm([{"w": "B"}], 3)
    with pytest.raises(ValueError, match="models of order 1"):
        of_order_two.posterior_chain(X[0])
    path.write_text("U:%x[0,0]\nB\n")
    with pytest.raises(ValueError, match="look at neighbours"):
        croft.ChainCRF(template=path).fit([[["a"], ["b"]]], [["X", "Y"]]).model_.hmm([["a"]], 2)
    with pytest.raises(ValueError, match="transitions look at the data"):
        croft.MEMM().fit(X, y).model_.hmm([{"w": "B"}], 3)


@pytest.mark.parametrize("how, allowed", [({}, lambda y: True), ({"constrain": "bio"}, is_bio),
                                          ({"rules": ["at-most 1 X"]}, lambda y: len(chunks(y)) <= 1)])
def test_answers_are_those_of_the_enumeration(model, sequences, how, allowed):
    for x in sequences:
        p, log_z = distribution(model, x, allowed)
        best = max(p, key=p.get)
        assert tuple(model.predict_single(x, **how)) == best
        [found] = model.log_probability([x], **how)
        assert found.log_probability == pytest.approx(math.log(p[best]), abs=1e-6)
        if "rules" not in how:
            assert model.log_partition([x], **how)[0] == pytest.approx(log_z, abs=1e-5)
        [array] = model.predict_proba([x], **how)
        assert array.shape == (len(x), 3) and array.dtype == numpy.float64
        for t in range(len(x)):
            for j, label in enumerate(model.labels):
                expected = sum(q for labels, q in p.items() if labels[t] == label)
                assert array[t, j] == pytest.approx(expected, abs=1e-6)
        assert model.predict_marginals_single(x, **how) == [dict(zip(model.labels, row)) for row in array]
        [ranked] = model.k_best([x], 1000, **how)
        assert [tuple(each.labels) for each in ranked] == sorted(p, key=lambda y: -p[y])
        assert [math.exp(each.log_probability) for each in ranked] == pytest.approx(
            sorted(p.values(), reverse=True), abs=1e-6)
        assert model.entropy([x], **how)[0] == pytest.approx(-sum(q * math.log(q) for q in p.values()), abs=1e-5)
        counts = {label: sum(q * labels.count(label) for labels, q in p.items()) for label in model.labels}
        assert model.expected_counts([x], **how)[0] == pytest.approx(counts, abs=1e-6)
        for start, end, label, probability in model.spans([x], **how)[0]:
            assert (start, end) in chunks(best) and label == "X"
            assert probability == pytest.approx(
                sum(q for labels, q in p.items() if (start, end) in chunks(labels)), abs=1e-6)
        for t, i, j, probability in model.edge_marginals([x], **how)[0]:
            assert probability == pytest.approx(
                sum(q for labels, q in p.items() if labels[t - 1:t + 1] == (i, j)), abs=1e-6)
        everything = model.edge_marginals([x], smallest=0, **how)[0]
        assert len(everything) == 9 * (len(x) - 1)
        assert sum(probability for *_, probability in everything) == pytest.approx(len(x) - 1)


def test_known_labels_condition_the_answers(model, sequences):
    for x in sequences:
        if len(x) < 2:
            continue
        known = ["O", {"B-X", "O"}] + [None] * (len(x) - 2)
        p, _ = distribution(model, x, lambda y: y[0] == "O" and y[1] != "I-X")
        assert tuple(model.predict([x], known=[known])[0]) == max(p, key=p.get)
        array = model.predict_proba([x], known=[known])[0]
        expected = [[sum(q for y, q in p.items() if y[t] == label) for label in model.labels] for t in range(len(x))]
        assert array == pytest.approx(numpy.array(expected), abs=1e-6)
        assert model.predict_single(x, known=known) == model.predict([x], known=[known])[0]


def test_log_likelihood_is_that_of_the_given_labels(model, sequences):
    X, y = chunk_data(12, 2)
    for x, labels, found in zip(X, y, model.log_likelihood(X, y)):
        assert found == pytest.approx(math.log(distribution(model, x)[0][tuple(labels)]), abs=1e-6)
    assert model.log_likelihood(X[:1], [["never"] * len(X[0])]) == [-math.inf]
    with pytest.raises(TypeError, match="known goes with predictions"):
        model.log_likelihood(X, y, known=y)


def test_samples_come_as_often_as_they_are_probable(model, sequences):
    x = max(sequences, key=len)
    p, _ = distribution(model, x)
    [draws] = model.sample([x], 20000, seed=3)
    counts = Counter(map(tuple, draws))
    for labels, probability in p.items():
        expected = 20000 * probability
        assert abs(counts[labels] - expected) < 5 * math.sqrt(expected + 1)
    assert model.sample([x], 5, seed=3) == model.sample([x], 5, seed=3) == [draws[:5]]
    assert model.sample([x], 20, seed=4) != [draws[:20]]


def test_decoding_by_marginals_and_by_risk(model, sequences):
    for x in sequences:
        array = model.predict_proba([x])[0]
        expected = [model.labels[j] for j in array.argmax(axis=1)]
        assert model.predict_single(x, decode="marginal") == expected
        p, _ = distribution(model, x, is_bio)

        def risk(labels):
            return -sum(sum(q for y, q in p.items() if y[t] == label) for t, label in enumerate(labels))
        best = min(p, key=risk)
        assert tuple(model.predict_single(x, decode="risk", constrain="bio")) == best


def test_a_sequence_without_a_labelling_is_an_error_that_names_it(model, sequences):
    with pytest.raises(ValueError, match=r"X\[1\]: no labelling"):
        model.predict([sequences[0], [{"w": "O"}]], known=[[None] * len(sequences[0]), ["I-X"]], constrain="bio")


@pytest.mark.parametrize("ask, error, message", [
    (lambda m, X: m.predict(X, constrain="/nowhere"), ValueError, "/nowhere"),
    (lambda m, X: m.predict(X, rules=["nonsense"]), ValueError, "nonsense"),
    (lambda m, X: m.predict(X, decode="best"), ValueError, "is none of viterbi, marginal, risk"),
    (lambda m, X: m.predict(X, beam=3), TypeError, "there is no option beam"),
    (lambda m, X: m.k_best(X, 10**30), ValueError, "k is 10+; it must be a whole number from 1 to 2147483648"),
    (lambda m, X: m.sample(X, 1, seed=10**30), ValueError, "seed is 10+; it must be a whole number from 0 to"),
    (lambda m, X: m.k_best(X, 0), ValueError, "k is 0"), (lambda m, X: m.k_best(X, 1.5), ValueError, "k is 1.5"),
    (lambda m, X: m.sample(X, -1), ValueError, "n is -1"),
    (lambda m, X: m.predict(X, known=[[None]]), ValueError, "X has 12 sequences and known the labels of 1"),
    (lambda m, X: m.predict([X[0]], known=[["Q"] * len(X[0])]), ValueError, '"Q"'),
    (lambda m, X: m.predict(X[0]), TypeError, r"X\[0\] is a dict, and a list"),
    (lambda m, X: croft.save(3, "x"), TypeError, "model is an int"),
    (lambda m, X: croft.load("/nowhere"), croft.Error, "/nowhere"),
    (lambda m, X: croft.Model.from_bytes(b"abc"), croft.Error, "not a Croft model"),
    (lambda m, X: croft.evaluate([["A"]], [["A", "B"]]), ValueError, r"y_true\[0\] has 1 labels"),
    (lambda m, X: croft.evaluate([["A"]], []), ValueError, "y_true has 1 sequences"),
])
def test_bad_questions_are_one_clear_error(model, sequences, ask, error, message):
    with pytest.raises(error, match=message):
        ask(model, sequences)


# Files, bytes, what is in it.

def test_a_file_that_is_no_model_is_an_error_whatever_its_bytes(tmp_path):
    (tmp_path / "other").write_bytes(b"\xff\xfe\x80 \xc3 not a model" * 9)
    with pytest.raises(croft.Error, match="other: not a Croft model"):
        croft.load(tmp_path / "other")


def test_files_bytes_and_pickles_give_the_same_model(model, sequences, tmp_path):
    croft.save(model, tmp_path / "m.croft")
    loaded = croft.load(tmp_path / "m.croft")
    assert (tmp_path / "m.croft").read_bytes() == model.to_bytes() == loaded.to_bytes()
    for other in (loaded, croft.Model.from_bytes(model.to_bytes()), pickle.loads(pickle.dumps(loaded))):
        assert other.predict(sequences) == model.predict(sequences)
    assert [path.name for path in tmp_path.iterdir()] == ["m.croft"]
    with pytest.raises(croft.Error, match="nowhere"):
        croft.save(model, tmp_path / "nowhere" / "m.croft")


@pytest.mark.parametrize("format, begin", [
    ("croft", b"CROF"), ("crfsuite", b"lCRF"), ("wapiti", b"#mdl#2#"), ("crfpp", b"\x64\0\0\0\0\0\0\0")])
def test_a_model_has_the_files_of_other_programs(tmp_path, format, begin):
    words, y = sentences(30, 5)
    rows = [[[word] for word in x] for x in words]
    crf = croft.ChainCRF(template="U:%x[0,0]\nU1:%x[-1,0]\nB\n").fit(rows, y)
    data = crf.model_.to_bytes(format=format)
    assert data.startswith(begin)
    croft.save(crf, tmp_path / "m", format=format)
    crf.model_.save(tmp_path / "again", format)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes() == data
    X = rows if format != "crfsuite" else [  # whose files have no templates
        [["U:" + x[t], "U1:" + (x[t - 1] if t else "_B-1")] for t in range(len(x))] for x in words]
    for same in (croft.load(tmp_path / "m"), croft.Model.from_bytes(data)):
        assert same.predict(X) == crf.predict(rows)
        assert same.log_partition(X) == pytest.approx(crf.model_.log_partition(rows), rel=1e-6)


def test_what_a_file_of_another_program_cannot_say_is_an_error_and_writes_none(model, tmp_path):
    second = croft.ChainCRF(order=2).fit([[["a"], ["b"], ["a"]]], [["X", "Y", "X"]]).model_
    with pytest.raises(croft.Error, match="weights of three labels or more"):
        second.save(tmp_path / "m", format="crfsuite")
    with pytest.raises(croft.Error, match="a CRF\\+\\+ model|template"):
        model.to_bytes(format="crfpp")
    for call in (model.to_bytes, lambda format: model.save(tmp_path / "m", format)):
        with pytest.raises(ValueError, match='format is "mallet"; choose one of: croft, crfsuite, wapiti, crfpp'):
            call("mallet")
    assert not list(tmp_path.iterdir())


def test_a_model_of_the_program_answers_like_the_program(tmp_path):
    words, y = sentences(60, 4)
    (tmp_path / "d.txt").write_text("\n".join(
        "".join(f"{word} {label}\n" for word, label in zip(*pair)) for pair in zip(words, y)))
    croft_program = os.environ["CROFT"]
    subprocess.run([croft_program, "train", "--quiet", "-o", tmp_path / "m.croft", tmp_path / "d.txt"], check=True)
    out = subprocess.run([croft_program, "predict", "-m", tmp_path / "m.croft", "--to", "json", "--k-best", "3",
                          "--entropy", "--samples", "2", "--marginals=all", tmp_path / "d.txt"],
                         check=True, capture_output=True, text=True).stdout
    documents = [json.loads(line) for line in out.splitlines()]
    model = croft.load(tmp_path / "m.croft")
    rows = [[[word] for word in sentence] for sentence in words]
    assert model.predict(rows) == [document["labels"] for document in documents]
    assert model.entropy(rows) == pytest.approx([document["entropy"] for document in documents], abs=1e-5)
    assert [[each.labels for each in best] for best in model.k_best(rows, 3)] == \
        [[each["labels"] for each in document["k_best"]] for document in documents]
    assert model.sample(rows, 2) == [[each["labels"] if isinstance(each, dict) else each
                                      for each in document["samples"]] for document in documents]


def test_inspect_shows_what_the_file_says(model):
    found = model.inspect(top=2)
    assert found["kind"] == "chain"
    assert found["training"]["sequences"] == 60
    assert "training record" in str(found)
    assert model.inspect(top=0)["labels"] == model.labels
    table = model.weights()
    assert set(table.columns) == {"kind", "attribute", "from", "to", "weight"}
    assert len(table) == len(model.state_features) + len(model.transition_features)
    by_hand = {(row["attribute"], row["to"]): row["weight"] for _, row in table[table.kind == "state"].iterrows()}
    assert by_hand == model.state_features
    assert set(model.attributes) >= {name for name, _ in model.state_features}


def test_edge_attributes_and_boundaries_are_shown(tmp_path):
    words, y = sentences(40, 5)
    rows = [[[word] for word in sentence] for sentence in words]
    crf = croft.ChainCRF(template="U:%x[0,0]\nB:%x[0,0]\n", boundaries=True).fit(rows, y)
    edges = crf.model_.edge_features
    assert any(first is None for _, first, _ in edges) and any(second is None for _, _, second in edges)
    assert any(first and second for _, first, second in edges)


def test_evaluate_counts_labels_and_chunks():
    found = croft.evaluate([["B-X", "I-X", "O"], ["O"]], [["B-X", "O", "O"], ["O"]])
    assert found["tokens"]["accuracy"] == 0.75
    assert found["chunk"]["f1"] == 0 and found["chunk"]["support"] == 1
    assert str(found).startswith("tokens ") and "75.00 %" in str(found)
    rows = found.table()
    assert list(rows.columns) == ["type", "precision", "recall", "f1", "support"] and len(rows) == 1
    assert list(croft.evaluate([["A", "B"]], [["A", "A"]]).table().columns)[0] == "label"
    assert croft.chunk_f1([["B-X", "O"]], [["B-X", "O"]]) == 1
    with pytest.raises(ValueError, match="no chunks"):
        croft.chunk_f1([["A"]], [["A"]])


def test_items_read_once_may_be_used_often(model, sequences):
    from croft import _core
    read = [_core.Items(x) for x in sequences]
    assert model.predict(read) == model.predict(sequences)
    assert _core.Items([{"a": "b", "c": 2}, ["d"]]).items() == [{"a:b": 1.0, "c": 2.0}, {"d": 1.0}]
    assert len(read[0]) == len(sequences[0])


# Without the others.

def run_without(modules, code):
    """Runs code in an interpreter that cannot import the modules."""
    block = (f"import sys\nclass Block:\n def find_spec(self, name, *a):\n"
             f"  if name.split('.')[0] in {modules!r}: raise ImportError(name)\nsys.meta_path.insert(0, Block())\n")
    done = subprocess.run([sys.executable, "-c", block + code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_is_quick_and_imports_nothing_heavy():
    out = run_without([], "import time; t = time.perf_counter(); import croft; print(time.perf_counter() - t)\n"
                          "print([m for m in ('numpy', 'sklearn', 'pandas', 'matplotlib') if m in sys.modules])")
    seconds, heavy = out.splitlines()
    assert float(seconds) < 0.15 and heavy == "[]"


def test_training_and_prediction_need_nothing_but_the_standard_library():
    out = run_without(["numpy", "scipy", "sklearn", "pandas", "matplotlib"], """
import croft, pickle
X, y = [[["a"], ["b"]], [["b"], ["a"]]] * 5, [["A", "B"], ["B", "A"]] * 5
crf = croft.ChainCRF(l2=0.1).fit(X, y)
print(crf.predict(X) == y, crf.score(X, y), crf, pickle.loads(pickle.dumps(crf)).get_params()["l2"])
print(round(crf.predict_marginals(X)[0][0]["A"], 1), crf.k_best(X, 1)[0][0].labels)
print(type(crf.model_.weights()).__name__, len(crf.training_log_.table()) > 1)
print(crf.set_params(l2=3).l2)
""")
    assert out.splitlines() == ["True 1.0 ChainCRF(l2=0.1) 0.1", "1.0 ['A', 'B']", "Table True", "3"]


def test_explanations_add_up_to_the_odds_of_the_two_labellings(model, sequences):
    for x in sequences:
        found = model.explain(x, top=100)
        assert found["labels"] == model.predict_single(x)
        for each in found["positions"]:
            other = [*found["labels"]]
            other[each["position"]] = each["other"]
            expected = score(model, x, found["labels"]) - score(model, x, other)
            assert each["difference"] == pytest.approx(expected, abs=1e-5)
            assert sum(reason["difference"] for reason in each["reasons"]) == pytest.approx(expected, abs=1e-5)
        assert "O" in str(found)
    x = max(sequences, key=len)
    [one] = model.explain(x, positions=[1], against="O", top=1)["positions"]
    assert one["position"] == 1 and (one["other"] == "O" or one["label"] == "O")
    [unseen] = model.explain([{"w": "never seen"}], unknown=True)["positions"]
    assert unseen["unknown_attributes"] == ["w:never seen"]
    for ask, error, message in [(lambda: model.explain(x, positions=[99]), ValueError, "no position 99"),
                                (lambda: model.explain(x, against="Q"), ValueError, 'against is "Q"'),
                                (lambda: model.explain([3]), TypeError, r"x\[0\] is an int"),
                                (lambda: model.explain(x, rules=[]), TypeError, "not rules")]:
        with pytest.raises(error, match=message):
            ask()


# Texts, and attributes that say nothing.

def classifier(folder, data, *options):
    (folder / "data").write_text(data, "utf-8")
    subprocess.run([os.environ["CROFT"], "train", "--quiet", "-o", folder / "m.croft", *options, folder / "data"],
                   check=True)
    return croft.load(folder / "m.croft")


QUESTIONS = "person\twho is he\nperson\tWho was she\nplace\tWhere is Oslo\nplace\twhere was he\n"


@pytest.mark.parametrize("kind", ["maxent", "naive-bayes"])
@pytest.mark.parametrize("analyzer", ["word", "char_wb"])
def test_a_model_of_texts_takes_them_as_the_program_does(tmp_path, kind, analyzer):
    ngrams = ("--ngrams", "2-3") if analyzer == "char_wb" else ()
    model = classifier(tmp_path, QUESTIONS, "--model", kind, "--format", "text", "--analyzer", analyzer, *ngrams)
    texts = ["Who is she", "where was Oslo", ""]
    (tmp_path / "new").write_text("".join(f"\t{text}\n" for text in texts), "utf-8")
    out = subprocess.run([os.environ["CROFT"], "predict", "-m", tmp_path / "m.croft", "--to", "json",
                          "--marginals=all", tmp_path / "new"], check=True, capture_output=True, text=True).stdout
    said = [json.loads(line) for line in out.splitlines()]
    assert model.predict(texts) == [line["labels"] for line in said]
    assert model.predict([text.encode() for text in texts]) == model.predict(texts)
    assert model.predict(texts)[:2] == [["person"], ["place"]]
    for p, line in zip(model.predict_proba(texts), said):
        assert dict(zip(model.labels, p[0])) == pytest.approx(line["marginals"][0], rel=1e-6)
    log_p = [math.log(p[0, model.labels.index("person")]) for p in model.predict_proba(texts)]
    assert model.log_likelihood(texts, [["person"]] * 3) == pytest.approx(log_p)
    assert model.predict(texts, known=[["place"]] * 3) == [["place"]] * 3
    assert model.predict_single(texts[0]) == ["person"]
    if kind == "maxent":
        assert model.explain(texts[0])["positions"][0]["label"] == "person"
    if analyzer == "word":  # lists of attributes are what they were
        assert model.predict([[["who", "is", "she"]]]) == [["person"]]
    with pytest.raises(TypeError, match="X is a str"):
        model.predict("who is he")


def test_a_model_of_any_kind_shows_what_the_program_shows(tmp_path):
    model = classifier(tmp_path, QUESTIONS, "--model", "naive-bayes", "--format", "text")
    shown, program = model.inspect(2), [os.environ["CROFT"], "inspect", "-m", tmp_path / "m.croft"]
    run = [subprocess.run([*program, *options], check=True, capture_output=True, text=True).stdout
           for options in ((), ("--json", "--top", "2"))]
    assert shown == json.loads(run[1])
    assert str(shown).splitlines()[1:] == run[0].splitlines()[1:]


def test_other_models_refuse_texts(model):
    with pytest.raises(TypeError, match=r"X\[0\] is a str"):
        model.predict(["who is he"])


@pytest.mark.parametrize("kind", ["maxent", "naive-bayes"])
def test_attributes_of_which_the_model_knows_none_bring_a_warning(tmp_path, kind):
    model = classifier(tmp_path, QUESTIONS, "--model", kind, "--format", "text")
    with pytest.warns(UserWarning, match='knows no attribute of X, the first of which is "who is he".*given as str'):
        model.predict([[["who is he"]]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(["who is he", "zzz"])  # one is enough
        model.predict([[["zzz"]], [["who"]]])
        model.predict([""])
        model.predict([])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="zzz"):
            model.predict_proba(["zzz zz"])


def test_a_chain_warns_as_well(model, sequences):
    with pytest.warns(UserWarning, match='knows no attribute of X, the first of which is "W:b"'):
        model.predict([[{"W": "b"}]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(sequences)


def test_dir_shows_what_is_meant_for_users():
    shown = [name for name in dir(croft) if not name.startswith("__")]
    assert shown == sorted(croft.__all__)
    assert all(hasattr(croft, name) for name in dir(croft))


def test_read_gives_the_sequences_of_other_programs(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text('{"text": "Ana\u00a0vive en Vigo.", "label": [[0, 3, "PER"]], "id": 3}\n', "utf-8")
    found = croft.read(path, "doccano")
    assert found == [{"tokens": ["Ana", "vive", "en", "Vigo", "."], "spans": [[0, 1, "PER"]],
                      "text": "Ana\u00a0vive en Vigo.", "id": 3,
                      "offsets": [[0, 3], [4, 8], [9, 11], [12, 16], [16, 17]]}]
    columns = tmp_path / "c"
    columns.write_text("# x\na N\n\nb V\n", "utf-8")
    assert croft.read(columns, "columns", ignore_lines="^#") == [{"tokens": ["a"], "labels": ["N"]},
                                                                 {"tokens": ["b"], "labels": ["V"]}]
    table = tmp_path / "t.csv"
    table.write_text("text,stars\ngood,5\n", "utf-8")
    assert croft.read(table, "csv", text_column="text", label_column="stars")[0]["label"] == "5"
    table.write_text("text;stars\na, b;5\n", "utf-8")
    assert croft.read(table, "csv", text_column="text", delimiter="semicolon")[0]["text"] == "a, b"
    spans = tmp_path / "s.jsonl"
    spans.write_text('{"tokens": ["a"], "spans": [], "gold": [[0, 1, "X"]]}\n')
    assert croft.read(spans, "spans") == [{"tokens": ["a"], "spans": [], "gold": [[0, 1, "X"]]}]
    with pytest.raises(FileNotFoundError):
        croft.read(tmp_path / "none", "raw")
    with pytest.raises(FileNotFoundError):
        croft.read(tmp_path / "none", "brat")
    with pytest.raises(ValueError, match="tokenizer cuts texts into tokens, and data of format columns"):
        croft.read(columns, "columns", tokenizer="characters")
    with pytest.raises(ValueError, match="misaligned"):
        croft.read(path, "doccano", misaligned="maybe")
    with pytest.raises(ValueError, match=r"row without the column of label_column.*say unlabelled"):
        croft.read(columns, "columns", ignore_lines="^#", label_column=3)
    spans.write_text('{"text": "Ana", "label": [[0, 2, "PER"]]}\n')
    with pytest.raises(ValueError, match="choose another tokenizer, or say misaligned widen"):
        croft.read(spans, "doccano")
    spans.write_text('{"tokens": ["a"], "tags": [0]}\n')
    with pytest.raises(ValueError, match="stand for: label_names"):
        croft.read(spans, "huggingface")
    with pytest.raises(ValueError, match="raw, spans"):
        croft.read(path, "docano")
    with pytest.raises(ValueError, match="label-names|label_names"):
        croft.read(path, "doccano", label_names=["O"])


def test_errors_of_a_model_are_those_of_the_program(tmp_path):
    train, test = (tmp_path / name for name in ("train", "test"))
    train.write_text("Ana B-PER\nvive O\n\nEva B-PER\nva O\n\n" * 5)
    test.write_text("Ana B-LOC\nvive O\n\n")
    X = [[["Ana"], ["vive"]], [["Eva"], ["va"]]] * 5
    crf = croft.ChainCRF(template="U:%x[0,0]\nU:%x[-1,0]\n").fit(X, [["B-PER", "O"]] * 10)
    found = croft.errors(crf, test)
    assert (found["kinds"]["type"], found["gold"], found["found"]) == (1, 1, 0)
    error, = found["errors"]
    assert (error["gold"], error["predicted"], error["line"]) == ("LOC Ana", "PER Ana", 1)
    assert croft.errors(crf, test, kind="missed")["errors"] == []
    with pytest.raises(ValueError, match="kind is"):
        croft.errors(crf, test, kind="mised")
    with pytest.raises(TypeError, match="fitted"):
        croft.errors(3, test)


def test_a_card_is_that_of_the_program(tmp_path):
    train = tmp_path / "train"
    train.write_text("Ana B-PER\nvive O\n\nEva B-PER\nva O\n\n" * 5)
    X = [[["Ana"], ["vive"]], [["Eva"], ["va"]]] * 5
    crf = croft.ChainCRF(template="U:%x[0,0]\n").fit(X, [["B-PER", "O"]] * 10)
    page = croft.card(crf, train, name="names", notes="For tests.\n")
    assert page.startswith("# Model names\n") and "For tests." in page and "| F1 of chunks | 100.00 % |" in page
    assert json.loads(croft.card(crf, format="json"))["labels"] == ["B-PER", "O"]
    with pytest.raises(ValueError, match="markdown, html or json"):
        croft.card(crf, format="pdf")


def test_a_file_that_is_not_there_is_pythons_own_error_too(tmp_path):
    path = tmp_path / "none"
    fitted = croft.ChainCRF().fit([[{"a": 1}]], [["x"]])
    for call in (lambda: croft.load(path), lambda: croft.check(path), lambda: croft.errors(fitted, path),
                 lambda: croft.read(path, "raw")):
        with pytest.raises(FileNotFoundError) as caught:
            call()
        assert caught.value.errno == 2 and caught.value.filename == str(path)
    with pytest.raises(croft.Error, match="cannot open"):
        croft.load(path)
