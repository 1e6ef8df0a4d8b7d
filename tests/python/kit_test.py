"""ChainCRF(kit=...), TextVectorizer(kit=...), stack(): the same features as from the command line."""
import os
import pickle
import subprocess

import pytest

import croft

CROFT = os.environ["CROFT"]

KIT = """columns = ["word", "size"]
[[gazetteer]]
name = "place"
file = "places.txt"
at = [-1, 0, 1]
[[number]]
name = "bin"
column = "size"
bins = 2
"""
ROWS = [[["New", "1"], ["York", "2"], ["is", "7"]], [["in", "8"], ["Paris", "3"]], [["so", "9"]]]
LABELS = [["B", "I", "O"], ["O", "B"], ["O"]]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "places.txt").write_text("New York\nParis\nRome\n")
    (tmp_path / "kit.toml").write_text(KIT)
    return tmp_path


def test_rows_have_the_features_of_the_command_line(folder):
    crf = croft.ChainCRF(kit=folder / "kit.toml", format="columns", max_iterations=20).fit(ROWS, LABELS)
    crf.save(folder / "python.croft")
    data = "".join("".join(f"{' '.join(row)} {label}\n" for row, label in zip(rows, labels)) + "\n"
                   for rows, labels in zip(ROWS, LABELS))
    (folder / "train.txt").write_text(data)
    subprocess.run([CROFT, "train", "--quiet", "--kit", folder / "kit.toml", "--max-iterations", "20", "-o",
                    folder / "cli.croft", folder / "train.txt"], check=True)
    weights = [subprocess.run([CROFT, "inspect", "-m", folder / name, "--weights"], check=True,
                              capture_output=True, text=True).stdout for name in ("python.croft", "cli.croft")]
    assert weights[0] == weights[1]
    assert "place[0]=B" in weights[0] and "bin[0]=1" in weights[0]


def test_a_model_needs_no_file_of_the_kit(folder):
    crf = croft.ChainCRF(kit=folder / "kit.toml", format="columns", max_iterations=20).fit(ROWS, LABELS)
    new = [[["Rome", "5"], ["is", "6"]]]
    before = crf.predict_marginals(new)
    (folder / "kit.toml").unlink()
    (folder / "places.txt").unlink()
    assert pickle.loads(pickle.dumps(crf)).predict_marginals(new) == before


def test_dicts_name_the_attribute_that_a_feature_is_made_of(folder):
    kit = folder / "dicts.toml"
    kit.write_text('[[gazetteer]]\nname = "place"\ncolumn = "w"\nfile = "places.txt"\n')
    dicts = [[{"w": word, "size": float(size)} for word, size in rows] for rows in ROWS]
    crf = croft.ChainCRF(kit=kit, max_iterations=20).fit(dicts, LABELS)
    assert ("place[0]=B", "B") in crf.state_features_
    assert crf.predict([[{"w": "Rome"}]]) == [["B"]]


def test_bad_kits_say_where(folder):
    (folder / "kit.toml").write_text('[[gazeteer]]\nname = "x"\n')
    with pytest.raises(ValueError, match="kit.toml:1"):
        croft.ChainCRF(kit=folder / "kit.toml", format="columns").fit(ROWS, LABELS)


TEXTS = ["A goal in the match", "the match", "the minister", "a vote of the minister"]
VECTORS = """goal 1 0.1
match 0.9 0
striker 0.95 0.2
minister 0.1 1
vote 0 0.9
senator 0.2 0.95
"""
TEXT_KIT = """[[embeddings]]
name = "vec"
file = "vectors.txt"
nearest = 2
[[synonyms]]
name = "s"
file = "synonyms.txt"
"""


@pytest.fixture
def texts_kit(tmp_path):
    (tmp_path / "vectors.txt").write_text(VECTORS)
    (tmp_path / "synonyms.txt").write_text("goal\tscore\nminister\tsecretary of state\n")
    (tmp_path / "texts.toml").write_text(TEXT_KIT)
    return tmp_path / "texts.toml"


def test_a_vectorizer_has_the_attributes_of_the_command_line(texts_kit, tmp_path):
    vectors = croft.TextVectorizer(kit=texts_kit)
    matrix = vectors.fit_transform(TEXTS).toarray()
    names = list(vectors.get_feature_names_out())
    data = "".join(f"{k}\t{text}\n" for k, text in enumerate(TEXTS))
    (tmp_path / "train.tsv").write_text(data)
    subprocess.run([CROFT, "train", "--quiet", "--format", "text", "--no-intercept", "--kit", texts_kit, "-o",
                    tmp_path / "m.croft", tmp_path / "train.tsv"], check=True)
    lines = subprocess.run([CROFT, "inspect", "-m", tmp_path / "m.croft", "--weights"], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    assert sorted(names) == sorted({line.split("\t")[1] for line in lines})
    assert names[len(vectors.vocabulary_):] == sorted(names[len(vectors.vocabulary_):])
    assert matrix[1, names.index("vec.0")] == pytest.approx(0.9)  # of "the" there is no vector
    assert matrix[0, names.index("s=goal")] == 1
    model = croft.load(tmp_path / "m.croft")
    assert model.predict([TEXTS[2]]) == [["2"]] or model.predict([TEXTS[2]]) == [["3"]]


def test_texts_of_unseen_words_are_classified_by_their_vectors(texts_kit):
    vectors = croft.TextVectorizer(kit=texts_kit)
    topics = ["sport", "sport", "politics", "politics"]
    new = ["Striker!", "our senator", "the Secretary of State"]
    assert croft.TextVectorizer().fit(TEXTS).transform(new[:1]).nnz == 0
    model = croft.LogisticRegression(l2=0.1).fit(vectors.fit_transform(TEXTS), topics)
    assert list(model.predict(vectors.transform(new))) == ["sport", "politics", "politics"]


@pytest.mark.parametrize("options", [{}, {"hash_bits": 6}, {"weighting": "tf-idf"}])
def test_a_vectorizer_keeps_its_kit(texts_kit, options):
    vectors = croft.TextVectorizer(kit=texts_kit, **options).fit(TEXTS)
    before = vectors.transform(["the striker", "score"])
    for file in ("texts.toml", "vectors.txt", "synonyms.txt"):
        (texts_kit.parent / file).unlink()
    again = pickle.loads(pickle.dumps(vectors))
    assert (again.transform(["the striker", "score"]) != before).nnz == 0
    assert list(again.get_feature_names_out()) == list(vectors.get_feature_names_out())
    assert before.shape[1] == len(vectors.get_feature_names_out())
    with pytest.raises(FileNotFoundError):
        vectors.fit(TEXTS)


def test_a_vectorizer_refuses_what_texts_cannot_have(texts_kit):
    texts_kit.write_text('[[forms]]\nname = "f"\nforms = ["lower"]\n')
    with pytest.raises(ValueError, match="texts.toml:1"):
        croft.TextVectorizer(kit=texts_kit).fit(TEXTS)


# croft.stack

NAMES = "".join(f"-DOCSTART- O\n\nMr O\n{name} B-PER\ncame O\n\nsaw O\n{name} B-PER\nat:8 O\n\nin O\n{place} B-LOC\n\n"
               for name, place in (("Ana", "Ulm"), ("Ben", "Bonn"), ("Eva", "Trier"), ("Jan", "Kiel")))


@pytest.fixture
def names(tmp_path):
    (tmp_path / "data").write_text(NAMES)
    subprocess.run([CROFT, "train", "--quiet", "--l2", "0.5", "-o", tmp_path / "m.croft", tmp_path / "data"],
                   check=True)
    return tmp_path


def test_stack_gives_what_the_program_writes(names):
    options = ["--jackknife", "2", "--elsewhere", "--group-by=-DOCSTART-", "--tolerance", "0.01"]
    lines = subprocess.run([CROFT, "stack", "-m", names / "m.croft", *options, names / "data"], check=True,
                           capture_output=True).stdout
    (names / "lines").write_bytes(lines)
    found = croft.stack(names / "m.croft", names / "data", jackknife=2, elsewhere=0, group_by="-DOCSTART-",
                        tolerance=0.01)
    assert found == croft.stack(names / "m.croft", names / "data", jackknife=2, elsewhere=0, group_by="-DOCSTART-",
                                threads=1, tolerance=0.01)
    subprocess.run([CROFT, "train", "--quiet", "--format", "attributes", "-o", names / "second.croft",
                    names / "lines"], check=True)
    crf = croft.ChainCRF().fit(found.X, found.y)
    crf.save(names / "python.croft")
    weights = [subprocess.run([CROFT, "inspect", "-m", names / name, "--weights"], check=True,
                              capture_output=True, text=True).stdout for name in ("second.croft", "python.croft")]
    assert weights[0] == weights[1]
    assert "elsewhere.best=B-PER" in weights[0] and "l[0]=at:8" in found.X[2][2]
    assert found.weights is None


def test_stacked_new_data_has_no_labels(names):
    (names / "new").write_text("Mr\nAda\n\n")
    found = croft.stack(names / "m.croft", names / "new")
    assert found.y is None and len(found.X) == 1 and 0.5 < found.X[0][1]["chain=B-PER"] < 1


def test_stack_warns_of_documents_that_are_cut(names):
    with pytest.warns(UserWarning, match="a mark of documents"):
        croft.stack(names / "m.croft", names / "data", jackknife=2)


def test_misuses_of_stack_are_errors(names):
    for arguments, message in (({"tolerance": 1}, "tolerance is for"), ({"group_by": "x"}, "group_by is for"),
                               ({"elsewhere": 0}, "group_by"),
                               ({"jackknife": 2, "group_by": "-DOCSTART-", "l2": 2}, "differs from .* l2"),
                               ({"jackknife": 9, "group_by": "-DOCSTART-"}, "9 is more than the 4 groups")):
        with pytest.raises(ValueError, match=message):
            croft.stack(names / "m.croft", names / "data", **arguments)
    with pytest.raises(TypeError, match="no option"):
        croft.stack(names / "m.croft", names / "data", jackknife=2, nonsense=1)
    with pytest.raises(FileNotFoundError):
        croft.stack(names / "m.croft", names / "nothing")
    with pytest.raises(ValueError, match="no data"):
        croft.stack(names / "m.croft", [])
