"""The names pycrfsuite and sklearn_crfsuite: in pickles of the originals, and in unmodified programs."""
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from sklearn.base import clone

from croft.compat import sklearn_crfsuite
from croft.compat.sklearn_crfsuite.trainer import LinePerIterationTrainer

ALIAS = Path(__file__).resolve().parents[2] / "python" / "alias"


@pytest.fixture(scope="module")
def fitted(data):
    return sklearn_crfsuite.CRF(c1=0.1, c2=0.1).fit(*data)


# Classes that have the names and the state of the original's, to pickle; then all modules are gone.
PEERS_PICKLE = """
import pickle, sys, types
modules = {}
for module, names in {"sklearn_crfsuite": [], "sklearn_crfsuite.estimator": ["CRF"],
                      "sklearn_crfsuite._fileresource": ["FileResource"],
                      "sklearn_crfsuite.trainer": ["LinePerIterationTrainer"],
                      "pycrfsuite": [], "pycrfsuite._logparser": ["TrainLogParser"]}.items():
    modules[module] = sys.modules[module] = types.ModuleType(module)
    for name in names:
        setattr(modules[module], name, type(name, (), {"__module__": module}))
def made(module, kind, **state):
    it = getattr(modules[module], kind)()
    it.__dict__.update(state)
    return it
log = made("pycrfsuite._logparser", "TrainLogParser", state="STORING", featgen_percent=100,
           iterations=[{"num": 1, "loss": 2.5, "scores": {}}], last_iteration={"num": 1},
           log=["a\\n"], events=[("start", 0, 1)])
file = made("sklearn_crfsuite._fileresource", "FileResource", name=NAME, auto=NAME is None,
            keep_tempfiles=False, suffix=".crfsuite", prefix="model", fd=7)
if NAME is None:
    file.__dict__["__FILE_RESOURCE_DATA__"] = DATA
crf = made("sklearn_crfsuite.estimator", "CRF", algorithm="lbfgs", c1=0.25, c2=None, verbose=False,
           trainer_cls=modules["sklearn_crfsuite.trainer"].LinePerIterationTrainer,
           modelfile=file, training_log_=log, _tagger=None, _info_cached=None)
pickled = pickle.dumps(crf, protocol=PROTOCOL)
"""


def peers_pickle(data, protocol=2, name=None):
    scope = {"DATA": data, "NAME": name, "PROTOCOL": protocol}
    with mock.patch.dict(sys.modules):
        exec(PEERS_PICKLE, scope)
    return scope["pickled"]


@pytest.mark.parametrize("protocol", [0, 2, pickle.HIGHEST_PROTOCOL])
def test_a_pickle_of_the_peers_opens_ready_to_predict(fitted, new_data, tmp_path, protocol):
    data = fitted.model_.to_bytes("crfsuite")
    crf = pickle.loads(peers_pickle(data, protocol))
    assert type(crf) is sklearn_crfsuite.CRF
    assert crf.predict(new_data[0]) == fitted.predict(new_data[0])
    assert crf.predict_marginals(new_data[0][:1]) == fitted.predict_marginals(new_data[0][:1])
    assert crf.c1 == 0.25 and crf.gamma is None and crf.model_filename is None
    assert crf.trainer_cls is LinePerIterationTrainer
    assert crf.size_ == len(data) and crf.attributes_ == fitted.attributes_
    assert crf.training_log_.last_iteration["loss"] == 2.5
    assert open(crf.modelfile.name, "rb").read() == data
    again = pickle.loads(pickle.dumps(crf))
    assert again.predict(new_data[0]) == fitted.predict(new_data[0]) and again.size_ == len(data)
    assert clone(crf).get_params() == crf.get_params()
    assert clone(crf).fit(*new_data).score(*new_data) > 0.8
    # With a name of its own the model is in that file.
    fitted.model_.save(tmp_path / "m.crfsuite", format="crfsuite")
    named = pickle.loads(peers_pickle(b"", protocol, str(tmp_path / "m.crfsuite")))
    assert named.predict(new_data[0]) == fitted.predict(new_data[0])


def test_joblib_opens_a_file_of_the_peers(fitted, new_data, tmp_path):
    joblib = pytest.importorskip("joblib")
    (tmp_path / "crf.joblib").write_bytes(peers_pickle(fitted.model_.to_bytes("crfsuite"), 3))
    assert joblib.load(tmp_path / "crf.joblib").predict(new_data[0]) == fitted.predict(new_data[0])


def run(program, *path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, path),
                                                               os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_peers_names_are_the_peers_where_they_are_installed(tmp_path):
    (tmp_path / "sklearn_crfsuite").mkdir()
    (tmp_path / "sklearn_crfsuite" / "__init__.py").write_text("CRF = 'the original'")
    run("""
import croft.compat, importlib
import sklearn_crfsuite
assert sklearn_crfsuite.CRF == "the original"
for name in ("sklearn_crfsuite.estimator", "sklearn_crfsuite.nothing", "pycrfsuite.nothing"):
    try:
        importlib.import_module(name)
    except ImportError:
        continue
    raise AssertionError(name)
""", tmp_path)


def test_the_names_are_not_taken_before_a_layer_is_imported():
    run("""
import croft
for name in ("sklearn_crfsuite", "pycrfsuite"):
    try:
        __import__(name)
    except ImportError:
        continue
    raise AssertionError(name)
""")


def test_an_unmodified_program_runs_with_the_alias_packages(tmp_path):
    (tmp_path / "python_crfsuite_program.py").write_text("""
import pickle, sys
import pycrfsuite
import sklearn_crfsuite
from pycrfsuite import ItemSequence, Tagger, Trainer
from pycrfsuite._pycrfsuite import Trainer as Same
from sklearn_crfsuite import CRF, metrics
from sklearn_crfsuite.estimator import CRF as SameCRF
import sklearn_crfsuite.utils
import croft.compat.pycrfsuite, croft.compat.sklearn_crfsuite.estimator
assert Trainer is Same is croft.compat.pycrfsuite.Trainer
assert CRF is SameCRF is croft.compat.sklearn_crfsuite.CRF
assert sklearn_crfsuite.utils is croft.compat.sklearn_crfsuite.utils
assert pycrfsuite.__doc__ == croft.compat.pycrfsuite.__doc__ and pycrfsuite.CRFSUITE_VERSION
trainer = Trainer(verbose=False)
trainer.append(ItemSequence([["a"], ["b"]]), ["A", "B"])
trainer.train(sys.argv[0] + ".crfsuite")
with Tagger().open(sys.argv[0] + ".crfsuite") as tagger:
    assert tagger.tag([["a"], ["b"]]) == ["A", "B"]
crf = pickle.loads(pickle.dumps(CRF().fit([[["a"], ["b"]]], [["A", "B"]])))
assert metrics.sequence_accuracy_score([["A", "B"]], crf.predict([[["a"], ["b"]]])) == 1
""")
    run(f"import runpy, sys; sys.argv = [{str(tmp_path / 'p')!r}]\n"
        f"runpy.run_path({str(tmp_path / 'python_crfsuite_program.py')!r}, run_name='__main__')", ALIAS)


def test_pip_installs_the_alias_packages(tmp_path):
    pytest.importorskip("setuptools", minversion="61")
    shutil.copytree(ALIAS, tmp_path / "alias")  # where it is built
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps",
                    "--no-index", "--target", tmp_path / "site", tmp_path / "alias"], check=True)
    assert {path.name for path in (tmp_path / "site").glob("*.py")} == {"pycrfsuite.py", "sklearn_crfsuite.py"}
    run("import pycrfsuite, sklearn_crfsuite; assert sklearn_crfsuite.CRF and pycrfsuite.Tagger", tmp_path / "site")
