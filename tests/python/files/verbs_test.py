"""What the program does with files, as functions: the same bytes, and errors that name the keyword."""
import json
import os
import subprocess
import warnings

import pytest

import croft

CROFT = os.environ.get("CROFT", os.path.join(os.path.dirname(croft.__file__), "..", "..", "croft"))
WORDS = [(word, "L" if word < "c" else "H") for word in "abcdabdcabcd" * 6]


def program(*arguments):
    if not os.access(CROFT, os.X_OK):
        pytest.skip("the program is not built")
    return subprocess.run([CROFT, *map(str, arguments)], check=True, capture_output=True).stdout


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "train.conll"
    path.write_text("".join(f"{w} {y if k % 7 else 'H'}\n" + ("\n" if k % 4 == 3 else "")
                            for k, (w, y) in enumerate(WORDS)))
    return path


@pytest.fixture
def model(tmp_path, data):
    path = tmp_path / "m.croft"
    program("train", "--quiet", "--l2", "0.01", "-o", path, data)
    return path


def test_calibrate_writes_the_model_that_the_program_writes(tmp_path, data, model):
    ours, theirs = tmp_path / "ours.croft", tmp_path / "theirs.croft"
    report = json.loads(program("calibrate", "--json", "-m", model, data, "-o", theirs))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = croft.calibrate(model, data, ours)
        in_memory = croft.calibrate(croft.load(model), [data], threads=2)
    assert ours.read_bytes() == theirs.read_bytes()
    assert found.report == in_memory.report == report
    assert found.model.to_bytes() == in_memory.model.to_bytes()
    rows = [[["a"], ["c"]]]
    assert in_memory.model.predict_proba(rows)[0].tolist() != croft.load(model).predict_proba(rows)[0].tolist()


def test_stack_gives_the_lines_that_the_program_prints(tmp_path, data, model):
    expected = program("stack", "-m", model, data)
    for source in (model, croft.load(model)):
        assert croft.stack(source, [data], tmp_path / "out") is None
        assert (tmp_path / "out").read_bytes() == expected
    found = croft.stack(model, data)
    assert [len(x) for x in found.X] == [len(block.splitlines()) for block in expected.decode().split("\n\n")[:-1]]


def test_suggest_takes_paths(data, model):
    assert croft.suggest(model, data) == croft.suggest(croft.load(model), data)


def test_stack_takes_a_jackknife(tmp_path, data):
    hmm = tmp_path / "hmm.croft"
    program("train", "--quiet", "--model", "hmm", "-o", hmm, data)
    croft.stack(hmm, data, tmp_path / "out", jackknife=3)
    assert (tmp_path / "out").read_bytes() == program("stack", "-m", hmm, "--jackknife", 3, data)


def test_cluster_writes_the_file_that_the_program_writes(tmp_path, data):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    program("cluster", "--quiet", "--clusters", 3, "--format", "columns", "-o", theirs, data)
    found = croft.cluster(data, ours, clusters=3, format="columns")
    assert ours.read_bytes() == theirs.read_bytes()
    assert found["words"] == found["kept"] == 4 and found["clusters"] == 3


def test_convert_gives_what_the_program_prints(tmp_path, data):
    texts = tmp_path / "texts"
    texts.write_text("Ada Lovelace lived in London.\n")
    spans = tmp_path / "s.jsonl"
    spans.write_text('{"tokens": ["in", "Rome"], "spans": [[1, 2, "LOC"]]}\n')
    assert croft.convert(texts, "spans", format="raw").encode() == program("convert", "--from", "raw", "--to", "spans",
                                                                          texts)
    assert croft.convert(spans, "columns").encode() == program("convert", "--to", "columns", spans)
    assert croft.convert(spans, "html", tmp_path / "p.html") is None
    assert (tmp_path / "p.html").read_bytes() == program("convert", "--to", "html", spans)


def test_convert_turns_models_into_those_of_other_programs(tmp_path, data):
    model, template = tmp_path / "t.croft", tmp_path / "template"
    template.write_text("U:%x[0,0]\nB\n")
    program("train", "--quiet", "--template", template, "-o", model, data)
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    croft.convert(model, "wapiti", ours)
    program("convert", model, "--to", "wapiti", "-o", theirs)
    assert ours.read_bytes() == theirs.read_bytes()


def test_suggest_takes_sequences_in_memory(data, model):
    given = croft.load(model)
    sequences = [[row.split()[:-1] for row in block.split("\n")] for block in data.read_text("utf-8").split("\n\n")
                 if block.strip()]
    for options in ({}, {"by": "errors", "density": 1}, {"by": "entropy", "top": 1}):
        ours, theirs = croft.suggest(given, sequences, **options), croft.suggest(given, data, **options)
        assert [each["sequence"] for each in ours] == [each["sequence"] for each in theirs]
        assert [each["score"] for each in ours] == [each["score"] for each in theirs]
        assert all("line" not in each for each in ours)
    assert croft.suggest(given, iter(sequences)) == croft.suggest(given, sequences)
    assert croft.suggest([given, given], sequences)[0]["score"] == 0
    assert croft.suggest(given, []) == []
    with pytest.raises(TypeError, match=r"X\[0\]"):
        croft.suggest(given, [3])


def test_suggest_gives_the_lines_that_the_program_prints(tmp_path, data, model):
    second = tmp_path / "2.croft"
    program("train", "--quiet", "--l2", "10", "-o", second, data)
    models = [croft.load(model), croft.load(second)]

    def lines(*options):
        return [json.loads(line) for line in program("suggest", *options, data).splitlines()]

    assert croft.suggest(models[0], data, top=4) == lines("-m", model, "--top", 4)
    weighed = lines("-m", model, "--by", "errors", "--density", 2)
    assert croft.suggest(models[0], data, by="errors", density=2) == weighed
    for by in ("vote-entropy", "divergence"):
        assert croft.suggest(models, data, by=by) == lines("-m", model, "-m", second, "--by", by)
    assert croft.suggest(models, data) == croft.suggest(models, data, by="vote-entropy")


def test_suggest_reads_what_the_program_reads(tmp_path, model):
    raw, prodigy, labels_first = tmp_path / "raw.txt", tmp_path / "p.jsonl", tmp_path / "first.conll"
    raw.write_text("a b c\nd-a b\n")
    prodigy.write_text("".join(json.dumps({"text": text}) + "\n" for text in ("a b", "c d a")))
    labels_first.write_text("# one\nL a\nH d\n\nL b\n\n")
    spans = tmp_path / "s.jsonl"
    spans.write_text('{"tokens": ["in", "Rome"], "spans": [[1, 2, "LOC"]]}\n{"tokens": ["Rome"], "spans": []}\n')
    of_spans = tmp_path / "s.croft"
    program("train", "--quiet", "--format", "spans", "-o", of_spans, spans)
    for of, path, options in ((of_spans, raw, {"format": "raw"}),
                              (of_spans, raw, {"format": "raw", "tokenizer": "blanks"}),
                              (of_spans, prodigy, {"format": "prodigy"}), (of_spans, spans, {}),
                              (model, labels_first, {"label_column": 1, "ignore_lines": "^#"})):
        flags = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        expected = [json.loads(line) for line in program("suggest", "-m", of, *flags, path).splitlines()]
        assert croft.suggest(of, path, **options) == expected, options


def test_check_reads_the_columns_that_it_is_told(tmp_path):
    path = tmp_path / "t.conll"
    path.write_text("# one\nL a\nH d\n\n")
    found = croft.check(path, label_column=1, ignore_lines="^#")
    assert found["train"]["labels"] == {"H": 1, "L": 1}
    with pytest.raises(croft.Error, match="ignore_lines is of rows of columns"):
        croft.check(path, format="text", ignore_lines="^#")
    with pytest.raises(ValueError, match="label_column.*from 1 on"):
        croft.check(path, label_column=0)


def test_a_table_with_a_column_of_texts_is_read_as_its_texts(tmp_path):
    rows = [(f"{a} {b} day", "good" if a == "fine" else "bad") for a in ("fine", "dull") for b in "abcdefgh"]
    table, lines = tmp_path / "t.csv", tmp_path / "t.tsv"
    table.write_text("review;stars\n" + "".join(f"{text};{label}\n" for text, label in rows))
    lines.write_text("".join(f"{label}\t{text}\n" for text, label in rows))
    model = tmp_path / "m.croft"
    program("train", "--quiet", "--format", "csv", "--text-column", "review", "--label", "stars", "--delimiter", ";",
            "-o", model, table)
    numbers = [[each["sequence"] for each in croft.suggest(model, path, top=5, **how)] for path, how in
               ((table, {}), (lines, {"format": "text"}), (table, {"format": "csv", "text_column": "review"}))]
    assert numbers[0] == numbers[1] == numbers[2]
    with pytest.raises(ValueError, match="has the columns review, stars"):
        croft.suggest(model, table, text_column="texts")
    checked = croft.check(table, format="csv", text_column="review", label="stars", delimiter=";")
    of_lines = croft.check(lines, format="text")
    assert checked["train"]["labels"] == of_lines["train"]["labels"] == {"good": 8, "bad": 8}
    assert checked["train"]["findings"].keys() == of_lines["train"]["findings"].keys()


def test_check_reads_tables(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("age;income;job\n30;41000;cook\n31;40000;clerk\n32;39000;cook\n?;40000;cook\n")
    found = croft.check(path, format="csv", delimiter=";", missing="?", label="job")["train"]
    assert found["labels"] == {"cook": 3, "clerk": 1}
    assert found["findings"]["uneven_values"]["count"] == 2
    assert "uneven_values" not in croft.check(path, format="csv", delimiter=";", missing=["?"], label="job",
                                              ignore=["income"])["train"]["findings"]


@pytest.mark.parametrize("call, error, message", [
    (lambda m, d, o: croft.calibrate(m, d, o, method="plat"), croft.Error, "plat"),
    (lambda m, d, o: croft.calibrate(3, d), TypeError, "model is an int"),
    (lambda m, d, o: croft.calibrate(m, d, o, threads=-1), ValueError, "threads is -1"),
    (lambda m, d, o: croft.calibrate(m, d, m), croft.Error, "would replace"),
    (lambda m, d, o: croft.stack(m, d, jackknife=1), croft.Error, "jackknife"),
    (lambda m, d, o: croft.stack(m, d, jackknife=99), croft.Error, "jackknife"),
    (lambda m, d, o: croft.stack(m, d, jackknife=-1), ValueError, "jackknife is -1"),
    (lambda m, d, o: croft.stack(m, d, elsewhere=-1), ValueError, "elsewhere is -1"),
    (lambda m, d, o: croft.stack(m, []), ValueError, "X is empty: there is no data"),
    (lambda m, d, o: croft.cluster([], o), ValueError, "no data: name a file"),
    (lambda m, d, o: croft.cluster((), o, format="columns"), ValueError, "no data: name a file"),
    (lambda m, d, o: croft.cluster(d, o, clusters=0), ValueError, "clusters is 0"),
    (lambda m, d, o: croft.cluster(d, o, format="columns", column=-1), ValueError, "column is -1"),
    (lambda m, d, o: croft.cluster(d, o, format="csv"), ValueError, "format is 'csv'"),
    (lambda m, d, o: croft.cluster(d, o, column=1), ValueError, "column is of format columns"),
    (lambda m, d, o: croft.convert(d, "crf"), ValueError, "name the file to write"),
    (lambda m, d, o: croft.convert(d, "spans", format="conl"), croft.Error, '"conl".*did you mean "conllu"'),
    (lambda m, d, o: croft.read(d, "docano"), croft.Error, 'format is "docano".*did you mean "doccano"'),
    (lambda m, d, o: croft.convert(d, "spans", d, format="raw"), ValueError, "would replace the input"),
    (lambda m, d, o: croft.convert(d + ".not", "spans"), FileNotFoundError, "not"),
    (lambda m, d, o: croft.convert(m + ".not", "chain", o), FileNotFoundError, "not"),
    (lambda m, d, o: croft.convert(d, "spans", o, tokenizer="blanks"), ValueError, "tokenizer goes with format"),
    (lambda m, d, o: croft.convert(d, "columns", o, label_names=["A"]), ValueError, "label_names goes with format"),
    (lambda m, d, o: croft.convert(m, "wapiti", o, unlabelled=True), ValueError, "unlabelled is of data"),
    (lambda m, d, o: croft.convert(m, "wapiti", o, label_scheme="bio"), ValueError, "label_scheme is of data"),
    (lambda m, d, o: croft.suggest(croft.load(m), d, by="margins"), croft.Error, "by is margin"),
    (lambda m, d, o: croft.suggest([croft.load(m)] * 2, d, by="margin"), croft.Error, "of one model"),
    (lambda m, d, o: croft.suggest(croft.load(m), d, top=0), ValueError, "top is 0"),
    (lambda m, d, o: croft.suggest(m, d, by=3), TypeError, "by is 3"),
    (lambda m, d, o: croft.suggest(m, d, format="docano"), croft.Error, "format.*doccano"),
    (lambda m, d, o: croft.suggest(m, d, tokenizer="blanks"), croft.Error, "tokenizer cuts texts"),
    (lambda m, d, o: croft.suggest(m, [[["a"]]], format="raw"), ValueError, "format is of a file"),
    (lambda m, d, o: croft.suggest(croft.load(m), d, density=-1), croft.Error, "density"),
    (lambda m, d, o: croft.suggest(croft.load(m), d, density=float("inf")), croft.Error, "density"),
])
def test_errors_name_the_keyword_and_leave_no_file(tmp_path, data, model, call, error, message):
    output = str(tmp_path / "output")
    with pytest.raises(error, match=message) as raised:
        call(str(model), str(data), output)
    assert "--" not in str(raised.value)
    assert not os.path.exists(output)


def test_warnings_point_at_the_line_of_the_caller(tmp_path, model):
    few = tmp_path / "few.conll"
    few.write_text("a L\na H\nd H\nc L\nd H\nb L\n\n")
    widened = tmp_path / "p.jsonl"
    widened.write_text(json.dumps({"text": "Romes", "spans": [{"start": 0, "end": 4, "label": "LOC"}]}) + "\n")
    with pytest.warns(UserWarning, match="few for method temperature") as first:
        croft.calibrate(model, few)
    with pytest.warns(UserWarning, match="widened") as second:
        croft.convert(widened, "spans", format="prodigy", misaligned="widen")
    for caught in (*first, *second):
        assert caught.filename == __file__


def test_models_warn_at_the_line_of_the_caller():
    crf = croft.ChainCRF().fit([[["a"], ["b"]]] * 4, [["A", "B"]] * 4)
    loaded = croft.Model.from_bytes(crf.model_.to_bytes())
    x = [["zz"]]
    for ask in (lambda: loaded.predict([x]), lambda: loaded.predict_single(x), lambda: loaded.predict_marginals([x]),
                lambda: loaded.predict_marginals_single(x), lambda: loaded.tag_many([x]),
                lambda: loaded.evaluate([x], [["A"]]), lambda: crf.predict([x]), lambda: crf.score([x], [["A"]]),
                lambda: crf.predict_marginals([x])):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ask()
        assert {each.filename for each in caught} <= {__file__}, ask


def test_dir_shows_what_is_meant_for_users():
    names = dir(croft)
    assert names == sorted([*croft.__all__, "__doc__", "__version__"])
    for name in croft.__all__:
        assert getattr(croft, name).__doc__, name
    assert dir(croft.compat) == ["DifferenceWarning", "__doc__", "pycrfsuite", "sklearn_crfsuite"]
    assert {"calibrate", "stack", "cluster", "convert", "suggest"} <= set(names)
