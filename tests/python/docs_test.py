"""The examples in the documents run, and print what they say."""
import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("name", ["generative_graphs.md", *sorted(path.name for path in DOCS.glob("python*.md"))])
def test_the_examples_print_what_they_say(name, monkeypatch, tmp_path):
    (tmp_path / "examples").symlink_to(DOCS.parent / "examples")  # what they read, beside what they write
    monkeypatch.chdir(tmp_path)
    failed, run = doctest.testfile(str(DOCS / name), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert failed == 0
    assert run > 0 or ">>>" not in (DOCS / name).read_text()


def test_the_example_of_the_readme_prints_what_it_says(monkeypatch):
    root = DOCS.parent
    monkeypatch.chdir(root / "examples" / "ingredients")
    failed, run = doctest.testfile(str(root / "README.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert failed == 0 and run > 0
