"""ChainCRF(kit=...): the same features as from the command line, of rows and of dicts."""
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
