"""Builds wheels of croft with CMake: a PEP 517 backend of the standard library alone.

The extension is built for the interpreter that runs this, in build/python of the checkout, so that a second
build is quick; `--config-settings=build=FOLDER` takes that of a configured build instead.  A wheel is a zip file
(PEP 427): the package's files, the extension, and its metadata (PEP 566), each listed with its hash.
"""
from __future__ import annotations

import base64
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "croft"
TIME = (1980, 1, 1, 0, 0, 0)  # of every file: the same sources give the same wheel


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the extension and packs it with the package's files."""
    files = [(f"croft/{path.relative_to(PACKAGE).as_posix()}", path.read_bytes())
             for path in sorted(PACKAGE.rglob("*"))
             if path.is_file() and path.suffix in (".py", ".pyi", ".typed")]
    extension = _build_extension(config_settings)
    files.append((f"croft/{extension.name}", extension.read_bytes()))
    return _pack(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The built tree, whose Python files are links to the sources, on the path."""
    folder = _build_extension(config_settings).parent.parent
    return _pack(wheel_directory, [("croft.pth", f"{folder}\n".encode())])


def build_sdist(sdist_directory, config_settings=None):
    """The files of the checkout, in an archive."""
    name = f"croft-{_version()}"
    with tarfile.open(os.path.join(sdist_directory, name + ".tar.gz"), "w:gz") as archive:
        for path in _sources():
            archive.add(ROOT / path, f"{name}/{path}", recursive=False)
        info = tarfile.TarInfo(f"{name}/PKG-INFO")
        metadata = _metadata().encode()
        info.size = len(metadata)
        archive.addfile(info, io.BytesIO(metadata))
    return name + ".tar.gz"


def _sources():
    """What git has of the checkout; where this is not one, such as in an unpacked archive, all that was not made."""
    if not (ROOT / ".git").exists():
        paths = (path.relative_to(ROOT) for path in sorted(ROOT.rglob("*")) if path.is_file())
        return [path.as_posix() for path in paths
                if path.parts[0] not in ("build", "PKG-INFO") and "__pycache__" not in path.parts]
    try:
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError) as fault:
        reason = (getattr(fault, "stderr", None) or str(fault).encode()).decode().strip()
        raise SystemExit(f"croft: git does not list the files of {ROOT}: {reason}") from None
    return [path for path in listed.split("\0") if path and (ROOT / path).is_file()]


def _build_extension(config_settings=None):
    """Path of the built extension."""
    given = (config_settings or {}).get("build")
    build = ROOT / (given or f"build/python-{sys.version_info[0]}.{sys.version_info[1]}")
    if not given:
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        _run(["cmake", "-S", str(ROOT), "-B", str(build), *generator, "-DCMAKE_BUILD_TYPE=Release",
              "-DCROFT_PYTHON=ON", "-DCROFT_BUILD_CLI=OFF", "-DCROFT_BUILD_TESTS=OFF",
              "-DCROFT_SQL=" + ("ON" if _has_sqlite() else "OFF"),
              f"-DPython3_EXECUTABLE={sys.executable}"])
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    _run(["cmake", "--build", str(build), "--parallel", jobs, "--target", "croft_python"])
    extension = build / "python" / "croft" / ("_core" + sysconfig.get_config_var("EXT_SUFFIX"))
    if not extension.is_file():
        raise SystemExit(f"croft: {build} was configured for another interpreter than {sys.executable}")
    return extension


def _has_sqlite():
    """Whether GraphCRF.from_tables can be built."""
    found = shutil.which("pkg-config")
    return found is not None and subprocess.run([found, "--exists", "sqlite3"], check=False).returncode == 0


def _run(command):
    try:
        subprocess.run(command, check=True)
    except (OSError, subprocess.CalledProcessError) as fault:
        raise SystemExit(f"croft: `{' '.join(command[:4])} ...` failed ({fault}); the libraries and tools that "
                         "the build needs are installed by scripts/install_dependencies.sh") from None


def _version():
    found = re.search(r"project\(croft VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    return found.group(1)


def _metadata():
    lines = ["Metadata-Version: 2.1", "Name: croft", f"Version: {_version()}",
             "Summary: Conditional random fields and the log-linear models around them",
             "License-File: LICENSE", "Requires-Python: >=3.9"]
    for extra, packages in _extras().items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {package}; extra == "{extra}"' for package in packages]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / "docs" / "python.md").read_text()]
    return "\n".join(lines)


def _extras():
    if tomllib is None:
        return {}
    with open(ROOT / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]["optional-dependencies"]


def _pack(folder, files):
    """Writes the wheel; returns its file name."""
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"{python}-{python}-{platform}"
    info = f"croft-{_version()}.dist-info"
    files = files + [(f"{info}/METADATA", _metadata().encode()),
                     (f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes()),
                     (f"{info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: croft_build\n"
                                        f"Root-Is-Purelib: false\nTag: {tag}\n").encode())]
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files)
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode()))
    wheel = f"croft-{_version()}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            archive.writestr(entry, data)
    return wheel


def _digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
