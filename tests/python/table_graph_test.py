"""croft.GraphCRF.from_tables: the model and the answers of the program, from tables in memory."""
import json
import os
import pickle
import random
import sqlite3
import subprocess

import pytest

import croft

pandas = pytest.importorskip("pandas")
CROFT = os.path.abspath(os.environ["CROFT"])

SPEC = """
[[variables]]
domain = "tag"
query = "select id, sentence as instance, label from token order by id"
[[templates]]
name = "word"
variables = ["tag"]
query = "select id, word, length from token order by id"
[[templates]]
name = "next"
variables = ["tag", "tag"]
query = '''
  select a.id, b.id from token a join token b
  on b.sentence = a.sentence and b.position = a.position + 1 order by a.id
'''
"""


def tokens(seed, sentences=30):
    rng, rows = random.Random(seed), []
    for sentence in range(sentences):
        state = rng.choice("AB")
        for position in range(rng.randint(1, 6)):
            state = state if rng.random() < 0.7 else "AB"[state == "A"]
            length = None if rng.random() < 0.2 else rng.randint(1, 9)
            rows.append((len(rows), sentence, position, rng.choice("abc" if state == "A" else "bcd"), length, state))
    return pandas.DataFrame(rows, columns=["id", "sentence", "position", "word", "length", "label"])


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the same tables in SQLite, the spec, and the program's model of them."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "s.toml").write_text(SPEC)
    for name, seed in (("train", 1), ("test", 2)):
        with sqlite3.connect(folder / f"{name}.sqlite") as db:
            db.execute("create table token(id, sentence, position, word, length, label)")
            rows = [[None if cell != cell else cell for cell in row] for row in tokens(seed).astype(object).values]
            db.executemany("insert into token values (?, ?, ?, ?, ?, ?)", rows)
        db.close()
    run(folder, "train", "--model", "graph", "--spec", "s.toml", "--database", "train.sqlite", "-o", "m.croft",
        "--l2", "0.5", "--quiet")
    return folder


def run(folder, *arguments):
    done = subprocess.run([CROFT, *arguments], cwd=folder, check=True, stdout=subprocess.PIPE, encoding="utf-8")
    return done.stdout


def lines(folder, *arguments):
    return [json.loads(line) for line in run(folder, *arguments).splitlines()]


@pytest.fixture(scope="module")
def crf():
    return croft.GraphCRF.from_tables(SPEC, {"token": tokens(1)}, l2=0.5).fit()


TEST = {"token": tokens(2)}
OF_TEST = ("-m", "m.croft", "--database", "test.sqlite")


def test_the_model_is_that_of_the_program(place, crf):
    program = croft.TableGraphCRF.load(place / "m.croft")
    for template in ("word", "next"):
        assert crf.weights(template) == program.weights(template)
    pandas.testing.assert_frame_equal(crf.predict(TEST), program.predict(place / "test.sqlite"))


def test_labels_and_probabilities_are_those_of_the_program(place, crf):
    found = crf.predict(TEST)
    marginals = crf.predict_marginals(TEST)
    told = lines(place, "predict", *OF_TEST, "--to", "json", "--marginals")
    assert list(found.columns) == ["domain", "instance", "id", "label", "probability"]
    assert [each["id"] for each in told] == list(found["id"])
    assert [each["label"] for each in told] == list(found["label"])
    assert [each["instance"] for each in told] == list(found["instance"])
    assert [each["probability"] for each in told] == list(found["probability"])
    assert [p for each in told for p in each["marginals"].values()] == list(marginals["probability"])


@pytest.mark.parametrize("options, how", [
    ([], {}),
    (["--use-known"], {"use_known": True}),
    (["--ranking", "--confusion"], {"ranking": True, "confusion": True}),
    (["--decode", "marginal"], {"decode": "marginal"}),
    (["--threshold", "A=0.7"], {"thresholds": {"A": 0.7}}),
])
def test_evaluation_is_that_of_the_program(place, crf, options, how):
    assert crf.evaluate(TEST, **how) == json.loads(run(place, "evaluate", *OF_TEST, "--json", *options))


def test_costs_are_a_dict(place, crf):
    (place / "costs").write_text("A B 5\nB A 1\n")
    told = json.loads(run(place, "evaluate", *OF_TEST, "--json", "--costs", "costs"))
    assert crf.evaluate(TEST, costs={("A", "B"): 5, ("B", "A"): 1}) == told
    with pytest.raises(ValueError, match="finite"):
        crf.predict(TEST, costs={("A", "B"): -1})
    with pytest.raises(ValueError, match="one of them"):
        crf.predict(TEST, costs={("A", "B"): 1}, thresholds={"A": 0.5})


def test_explanations_are_those_of_the_program_and_add_up(place, crf):
    told = lines(place, "explain", *OF_TEST, "--json", "--top", "2")
    found = crf.explain(TEST, top=2)
    assert list(found) == told
    assert repr(found) == run(place, "explain", *OF_TEST, "--top", "2")
    for each in found:
        parts = sum(reason["difference"] for reason in each["reasons"]) + each["rest"]["difference"]
        assert parts == pytest.approx(each["difference"], abs=1e-9)
    assert [each["id"] for each in crf.explain(TEST, [3, "tag:5"])] == [3, 5]


def test_tables_may_be_dicts_of_columns_and_files(place, crf, tmp_path):
    columns = {name: list(column) for name, column in tokens(2).items()}
    pandas.testing.assert_frame_equal(crf.predict({"token": columns}), crf.predict(TEST))
    tokens(2).astype({"length": "Int64"}).to_csv(tmp_path / "token.csv", index=False)
    pandas.testing.assert_frame_equal(crf.predict([tmp_path / "token.csv"]), crf.predict(TEST))


def test_it_is_saved_and_pickled(crf, tmp_path):
    crf.save(tmp_path / "m.croft")
    want = crf.predict(TEST)
    pandas.testing.assert_frame_equal(croft.TableGraphCRF.load(tmp_path / "m.croft").predict(TEST), want)
    pandas.testing.assert_frame_equal(pickle.loads(pickle.dumps(crf)).predict(TEST), want)


def test_what_is_wrong_is_said(crf):
    with pytest.raises(TypeError, match="unroll"):
        croft.GraphCRF.from_tables(SPEC, TEST, unroll=len)
    with pytest.raises(ValueError, match="no database"):
        croft.GraphCRF.from_tables(SPEC).fit()
    with pytest.raises(ValueError, match="not fitted"):
        croft.GraphCRF.from_tables(SPEC, TEST).predict()
    with pytest.raises(TypeError, match="no option speed"):
        crf.predict(TEST, speed=1)
    with pytest.raises(TypeError, match="DataFrame"):
        crf.predict({"token": 3})
    with pytest.raises(TypeError, match="'word' of the table 'token'"):
        crf.predict({"token": tokens(2).assign(word=b"x")})
    with pytest.raises(croft.Error, match="no such table: token"):
        crf.predict({"tokens": tokens(2)})


MIXTURES = """
[[variables]]
domain = "pixel"
query = "select id, strip as instance, label from pixel order by id"
[[templates]]
name = "colour"
variables = ["pixel"]
query = "select id, grey from pixel"
mixture = { components = 2 }
[[templates]]
name = "next"
variables = ["pixel", "pixel"]
interaction = "same"
query = "select a.id, b.id from pixel a join pixel b on b.strip = a.strip and b.id = a.id + 1"
"""


def pixels(seed):
    """Strips of labels that go on; the greys of 'fore' are on both sides of the one of 'back'."""
    rng, rows = random.Random(seed), []
    for strip in range(40):
        fore = rng.random() < 0.5
        for _ in range(8):
            fore = fore if rng.random() < 0.9 else not fore
            grey = (rng.choice((-2.5, 2.5)) if fore else 0) + rng.gauss(0, 1)
            rows.append((len(rows), strip, grey, "fore" if fore else "back"))
    return pandas.DataFrame(rows, columns=["id", "strip", "grey", "label"])


def test_mixtures_of_measurements_are_those_of_the_program(tmp_path):
    (tmp_path / "s.toml").write_text(MIXTURES)
    for name, seed in (("train", 1), ("test", 2)):
        (tmp_path / name).mkdir()
        pixels(seed).to_csv(tmp_path / name / "pixel.csv", index=False)
    run(tmp_path, "train", "--model", "graph", "--spec", "s.toml", "--database", "train/pixel.csv", "--l2", "0.1",
        "-o", "m.croft", "--quiet")
    crf = croft.GraphCRF.from_tables(MIXTURES, {"pixel": pixels(1)}, l2=0.1).fit()
    told = json.loads(run(tmp_path, "evaluate", "-m", "m.croft", "--database", "test/pixel.csv", "--json"))
    found = crf.evaluate({"pixel": pixels(2)})
    assert found["variables"] == told["variables"]
    assert found["variables"]["accuracy"] > 0.85
    program = croft.TableGraphCRF.load(tmp_path / "m.croft").predict({"pixel": pixels(2)})
    pandas.testing.assert_frame_equal(crf.predict({"pixel": pixels(2)}), program)


def test_a_database_is_held_out_and_training_goes_on(place):
    train, test = tokens(1), tokens(2)
    crf = croft.GraphCRF.from_tables(SPEC, {"token": train}, early_stop=30, warm_start=True)
    crf.fit(database_dev={"token": test})
    best = crf.training_log_.result["holdout"]["token_accuracy"]
    assert best == max(each["holdout"]["token_accuracy"] for each in crf.training_log_)
    assert crf.evaluate({"token": test})["variables"]["accuracy"] == pytest.approx(best)
    before = crf.training_log_.result["objective"]
    crf.fit(database_dev={"token": test})
    assert crf.training_log_[0]["objective"] == pytest.approx(before, rel=1e-6)


def test_a_column_weighs_instances(place):
    train = tokens(1)
    train["heavy"] = (train["sentence"] < 10) + 1
    spec = SPEC.replace("label from", "label, heavy as weight from")
    weighted = croft.GraphCRF.from_tables(spec, {"token": train}).fit()
    again = train[train["sentence"] < 10].copy()
    again["id"], again["sentence"] = again["id"] + 1000, again["sentence"] + 1000
    twice = croft.GraphCRF.from_tables(SPEC, {"token": pandas.concat([train, again])}).fit()
    assert weighted.training_log_.result["objective"] == pytest.approx(
        twice.training_log_.result["objective"], rel=1e-4)


def test_a_temperature_is_fitted_to_what_is_held_out(place):
    train, dev = tokens(1), tokens(2)
    crf = croft.GraphCRF.from_tables(SPEC, {"token": train}, l2=0.001).fit()
    before = crf.evaluate({"token": dev})["variables"]
    found = crf.calibrate({"token": dev})
    assert found["temperature"] > 1  # without much of a penalty a model is too sure of itself
    assert found["after"]["log_loss"] < found["before"]["log_loss"]
    assert crf.evaluate({"token": dev})["variables"] == before
    assert crf.calibrate({"token": dev})["temperature"] == pytest.approx(found["temperature"], rel=1e-4)


def test_another_database_without_labels(place):
    crf = croft.GraphCRF.from_tables(SPEC, {"token": tokens(1, 4)}, entropy=1)
    crf.fit(database_unlabelled={"token": tokens(2).drop(columns="label").assign(label=None)})
    alone = croft.GraphCRF.from_tables(SPEC, {"token": tokens(1, 4)}).fit()
    sure = [model.predict({"token": tokens(2)})["probability"].mean() for model in (alone, crf)]
    assert sure[0] < sure[1]
    with sqlite3.connect(place / "few.sqlite") as db:
        db.execute("create table token(id, sentence, position, word, length, label)")
        rows = [[None if cell != cell else cell for cell in row] for row in tokens(1, 4).astype(object).values]
        db.executemany("insert into token values (?, ?, ?, ?, ?, ?)", rows)
    db.close()
    run(place, "train", "--model", "graph", "--spec", "s.toml", "--database", "few.sqlite", "--unlabelled",
        "test.sqlite", "--entropy", "1", "-o", "u.croft", "--quiet")
    assert croft.GraphCRF.from_tables(SPEC).load(place / "u.croft").weights("next") == crf.weights("next")
