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


def backend_of(root):
    """The backend of a checkout or an unpacked archive, with the extension that is built already."""
    spec = importlib.util.spec_from_file_location("croft_build", root / "python" / "backend" / "croft_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module._build_extension = lambda settings: Path(_core.__file__)
    return module


@pytest.fixture
def backend():
    return backend_of(ROOT)


def names_in(archive):
    with tarfile.open(archive) as opened:
        return [name.split("/", 1)[1] for name in opened.getnames()]


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
    names = set(names_in(tmp_path / backend.build_sdist(str(tmp_path))))
    assert {"pyproject.toml", "CMakeLists.txt", "src/python/module.cc", "python/croft/__init__.py", "PKG-INFO",
            "docs/python.md", "LICENSE"} <= names


# `make package-check` compiles it as well.
def test_an_unpacked_source_archive_gives_the_same_wheel_and_archive(backend, tmp_path):
    archive = backend.build_sdist(str(tmp_path))
    subprocess.run(["tar", "-C", tmp_path, "-xf", tmp_path / archive], check=True)
    unpacked = backend_of(tmp_path / archive.removesuffix(".tar.gz"))
    (unpacked.ROOT / "build").mkdir()
    (unpacked.ROOT / "build" / "made").touch()
    wheel = backend.build_wheel(str(tmp_path))
    assert unpacked.build_wheel(str(unpacked.ROOT / "build")) == wheel
    assert (unpacked.ROOT / "build" / wheel).read_bytes() == (tmp_path / wheel).read_bytes()
    again = unpacked.ROOT / "build" / unpacked.build_sdist(str(unpacked.ROOT / "build"))
    assert sorted(names_in(again)) == sorted(names_in(tmp_path / archive))


def test_a_checkout_that_git_does_not_list_is_one_error(backend, tmp_path):
    (tmp_path / ".git").mkdir()
    backend.ROOT, backend._version = tmp_path, lambda: "1.0"
    with pytest.raises(SystemExit, match="git does not list the files of"):
        backend.build_sdist(str(tmp_path))


def test_a_failed_build_says_what_installs_the_rest(backend):
    with pytest.raises(SystemExit, match="install_dependencies.sh"):
        backend._run([sys.executable, "-c", "raise SystemExit(3)"])
