"""The build backend: a wheel that pip installs, with the extension that the tests use."""
import importlib.util
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import croft
from croft import _core

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def backend(monkeypatch):
    spec = importlib.util.spec_from_file_location("croft_build", ROOT / "python" / "backend" / "croft_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "_build_extension", lambda settings: Path(_core.__file__))
    return module


def test_the_wheel_installs_and_works_in_an_empty_environment(backend, tmp_path):
    wheel = tmp_path / backend.build_wheel(str(tmp_path))
    names = zipfile.ZipFile(wheel).namelist()
    assert {"croft/__init__.py", "croft/_core.pyi", "croft/py.typed", "croft/compat/pycrfsuite.py"} <= set(names)
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel],
                   check=True)
    code = "import croft; print(croft.__version__, croft.ChainCRF().fit([[['a']]], [['A']]).predict([[['a']]]))"
    done = subprocess.run([python, "-I", "-c", code], check=True, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == f"{croft.__version__} [['A']]\n"
    shown = subprocess.run([python, "-m", "pip", "show", "croft"], check=True, capture_output=True, text=True).stdout
    assert f"Version: {croft.__version__}" in shown and "Conditional random fields" in shown


def test_the_same_sources_give_the_same_wheel(backend, tmp_path):
    first, second = tmp_path / "1", tmp_path / "2"
    first.mkdir()
    second.mkdir()
    name = backend.build_wheel(str(first))
    assert backend.build_wheel(str(second)) == name
    assert (first / name).read_bytes() == (second / name).read_bytes()


def test_the_source_archive_has_what_a_build_needs(backend, tmp_path):
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    with tarfile.open(tmp_path / backend.build_sdist(str(tmp_path))) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    assert {"pyproject.toml", "CMakeLists.txt", "src/python/module.cc", "python/croft/__init__.py", "PKG-INFO",
            "docs/python.md", "LICENSE"} <= names


def test_a_failed_build_says_what_installs_the_rest(backend):
    with pytest.raises(SystemExit, match="install_dependencies.sh"):
        backend._run([sys.executable, "-c", "raise SystemExit(3)"])
