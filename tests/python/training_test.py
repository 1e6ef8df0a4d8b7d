"""Features that change as training goes on, data without labels, and several processes: as the program has them."""
import importlib.util
import os
import random
import shutil
import subprocess
import sys
import textwrap

import numpy
import pytest
from sklearn.base import clone

import croft

CROFT = os.environ["CROFT"]


def exclusive_or(count=300, seed=1):
    draw = random.Random(seed)
    X, y = [], []
    for _ in range(count):
        a, b = draw.random() < 0.5, draw.random() < 0.5
        X.append([[f"a={int(a)}", f"b={int(b)}", f"c={draw.randrange(3)}"]])
        y.append(["odd" if (a != b) != (draw.random() < 0.05) else "even"])
    return X, y


def flips(count=200, seed=2):
    """The label changes at "flip", and only there."""
    draw = random.Random(seed)
    X, y = [], []
    for _ in range(count):
        on = draw.random() < 0.5
        x, labels = [["up" if on else "down"]], ["ON" if on else "OFF"]
        for _ in range(5):
            flip = draw.random() < 0.3
            on = on != flip
            x.append(["flip" if flip else "stay"])
            labels.append("ON" if on else "OFF")
        X.append(x)
        y.append(labels)
    return X, y


OPTIONS = [
    ({"induce": True}, ["--induce"]),
    ({"induce": True, "induce_size": 3, "induce_batch": 5, "induce_rounds": 2, "induce_iterations": 7,
      "induce_gain": 0.5, "induce_count": 2, "induce_from": "nothing"},
     ["--induce", "--induce-size", "3", "--induce-batch", "5", "--induce-rounds", "2", "--induce-iterations",
      "7", "--induce-gain", "0.5", "--induce-count", "2", "--induce-from", "nothing"]),
    ({"induce": True, "induce_pairs": True, "induce_gain": 0.1},
     ["--induce", "--induce-pairs", "--induce-gain", "0.1"]),
    ({"unsupported": 0.01, "unsupported_after": 3}, ["--unsupported", "0.01", "--unsupported-after", "3"]),
    ({"select_l1": 1.5}, ["--select", "l1:1.5"]),
]


@pytest.mark.parametrize("params, options", OPTIONS)
def test_the_model_is_the_programs_byte_for_byte(params, options, tmp_path):
    X, y = flips(60) if "induce_pairs" in params else exclusive_or(100)
    data = tmp_path / "train"
    data.write_text("".join("".join("\t".join([label, *at]) + "\n" for at, label in zip(x, labels)) + "\n"
                            for x, labels in zip(X, y)))
    subprocess.run([CROFT, "train", "-o", str(tmp_path / "m.croft"), "--quiet", "--format", "attributes",
                    *options, str(data)], check=True)
    crf = croft.ChainCRF(**params).fit(X, y)
    assert crf.model_.to_bytes() == (tmp_path / "m.croft").read_bytes()


def test_induction_finds_exclusive_or_and_the_log_has_its_rounds():
    X, y = exclusive_or()
    assert croft.ChainCRF().fit(X, y).score(X, y) < 0.65
    crf = croft.ChainCRF(induce=True).fit(X, y)
    assert crf.score(X, y) > 0.9
    rounds = crf.training_log_.rounds
    assert rounds[0]["what"] == "induction" and rounds[0]["best_gain"] > 10
    assert rounds[-1]["added"] == 0
    assert rounds[0]["errors"] > rounds[-1]["errors"]
    assert ("a=0 & b=1", "odd") in crf.state_features_
    assert [each["iteration"] for each in crf.training_log_] == sorted(
        {each["iteration"] for each in crf.training_log_})
    assert croft.ChainCRF().fit(X, y).training_log_.rounds == []


def test_features_of_two_labels_are_found():
    X, y = flips()
    assert croft.ChainCRF(induce=True).fit(X, y).score(X, y) < 0.9
    crf = croft.ChainCRF(induce=True, induce_pairs=True).fit(X, y)
    assert crf.score(X, y) > 0.99
    found = crf.model_.edge_features
    assert found[("flip", "ON", "OFF")] > found.get(("flip", "ON", "ON"), 0)
    assert crf.model_.inspect()["extraction"]["pair_conjunctions"]


def test_selection_keeps_few_features():
    X, y = exclusive_or()
    weights = [len(croft.ChainCRF(select_l1=l1).fit(X, y).state_features_) for l1 in (0.1, 2)]
    assert weights[1] < weights[0]


def test_a_memm_has_them_too():
    X, y = exclusive_or()
    assert croft.MEMM(induce=True).fit(X, y).score(X, y) > 0.9
    assert croft.MEMM(select_l1=0.5).fit(X, y).training_log_.rounds[0]["what"] == "selection"


def test_they_are_parameters_as_the_others():
    crf = croft.ChainCRF(induce=True, induce_gain=3.5)
    assert clone(crf).get_params()["induce_gain"] == 3.5


@pytest.mark.parametrize("params, message", [
    ({"induce_size": 3}, "induce_size goes with induce;"),
    ({"induce_pairs": True}, "induce_pairs goes with induce;"),
    ({"unsupported_after": 3}, "unsupported_after goes with unsupported"),
    ({"induce": True, "select_l1": 1}, "take one"),
    ({"induce": True, "induce_size": 9}, 'induce_size: "9"'),
    ({"induce": True, "induce_from": "zero"}, "attributes, nothing"),
    ({"induce": True, "l2": 0}, "l2"),
    ({"induce": True, "optimizer": "sgd"}, "optimizer"),
    ({"select_l1": 0.0}, "above 0"),
    ({"unsupported": 2.0}, "probability"),
])
def test_what_does_not_go_together_is_refused(params, message):
    X, y = exclusive_or(20)
    with pytest.raises(ValueError, match=message):
        croft.ChainCRF(**params).fit(X, y)


def sentences(count, seed):
    draw = random.Random(seed)
    X, y = [], []
    for _ in range(count):
        labels = [draw.choice("AB") for _ in range(draw.randint(2, 6))]
        X.append([[f"w={label.lower()}{draw.randrange(8)}"] for label in labels])
        y.append(labels)
    return X, y


def attribute_lines(X, y=None):
    return "".join("".join(f"{label}\t" + "\t".join(each) + "\n" for each, label in zip(x, labels)) + "\n"
                   for x, labels in zip(X, y or [[""] * len(x) for x in X]))


@pytest.mark.parametrize("options", [{"entropy": 0.5}, {"expectations": "labelled:3", "expectations_weight": 2.0},
                                     {"self_training": 2, "confidence": 0.8}])
def test_the_model_is_the_program_s(tmp_path, options):
    (X, y), (more, _) = sentences(12, 1), sentences(30, 2)
    crf = croft.ChainCRF(**options).fit(X, y, X_unlabelled=more)
    (tmp_path / "data").write_text(attribute_lines(X, y))
    (tmp_path / "more").write_text(attribute_lines(more))
    given = [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    subprocess.run([CROFT, "train", "--quiet", "--format", "attributes", "--unlabelled", "more", *given, "-o", "m",
                    "data"], cwd=tmp_path, check=True)
    crf.save(tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "m").read_bytes()


def test_rows_of_a_matrix_have_the_objective_of_the_definition():
    draw = numpy.random.default_rng(1)
    X, more = draw.normal(size=(20, 3)), draw.normal(size=(50, 3))
    y = numpy.where(X[:, 0] + 0.3 * draw.normal(size=20) > 0, "yes", "no")
    model = croft.LogisticRegression(entropy=0.5, intercept="penalised", gradient_tolerance=1e-9, tolerance=0)
    model.fit(X, y, X_unlabelled=more)
    p = model.predict_proba(more)
    entropy = -(p * numpy.log(p)).sum()
    loss = -model.predict_log_proba(X)[numpy.arange(20), (y == "yes").astype(int)].sum()
    w = numpy.append(model.coef_[0], model.intercept_[0])
    found = loss + 0.5 * (w ** 2).sum() + 0.5 * 20 / 50 * entropy
    assert found == pytest.approx(model.training_log_.result["objective"], rel=1e-6)
    plain = croft.LogisticRegression(intercept="penalised").fit(X, y).predict_proba(more)
    assert entropy < -(plain * numpy.log(plain)).sum()


def test_misuses_are_errors():
    X, y = sentences(5, 1)
    with pytest.raises(ValueError, match="is data for entropy"):
        croft.ChainCRF().fit(X, y, X_unlabelled=X)
    with pytest.raises(ValueError, match="are of data without labels"):
        croft.ChainCRF(entropy=1.0).fit(X, y)
    with pytest.raises(ValueError, match="is data for entropy"):
        croft.SegmentCRF().fit(X, y, X_unlabelled=X)
    with pytest.raises(TypeError):
        croft.HiddenChainCRF().fit(X, y, X_unlabelled=X)
    with pytest.raises(ValueError, match="features"):
        croft.LogisticRegression(entropy=1.0).fit([[0.0, 1.0], [1.0, 0.0]], ["a", "b"], X_unlabelled=[[1.0]])

# fit(X, y, comm=...): processes of mpi4py, each with a part of the data, get the model of one.
needs_mpi = pytest.mark.skipif(shutil.which("mpirun") is None or importlib.util.find_spec("mpi4py") is None,
                               reason="mpirun and mpi4py are not there")

# Of its own, so that a part of the data can be made anywhere.
SEQUENCES = """
    import random

    def sequences(count=500, labels=30):
        draw = random.Random(3)
        X, y = [], []
        for _ in range(count):
            label, xs, ys = draw.randrange(labels), [], []
            for _ in range(draw.randint(1, 50)):
                label = (3 * label + draw.randrange(3)) % labels
                xs.append({"word": f"w{2 * label + draw.randrange(4)}", "number": draw.randrange(3)})
                ys.append(f"L{label}")
            X.append(xs)
            y.append(ys)
        return X, y
"""


def run_processes(processes, program, *arguments):
    # MPI itself, whatever its interpreter finds first.
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    return subprocess.run(["mpirun", "--oversubscribe", "-n", str(processes), sys.executable, program, *arguments],
                          capture_output=True, text=True, timeout=120, env=environment, check=False)


def write_program(folder, body):
    program = folder / "program.py"
    program.write_text(textwrap.dedent(SEQUENCES) + textwrap.dedent("""
        import sys
        import croft
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        X, y = sequences()
    """) + textwrap.dedent(body))
    return program


def all_sequences():
    names = {}
    exec(textwrap.dedent(SEQUENCES), names)
    return names["sequences"]()


@needs_mpi
def test_any_number_of_processes_gets_the_bytes_of_one(tmp_path):
    program = write_program(tmp_path, """
        begin, end = (len(X) * rank // comm.size for rank in (comm.rank, comm.rank + 1))
        crf = croft.ChainCRF(max_iterations=4).fit(X[begin:end], y[begin:end], comm=comm)
        crf.model_.save(f"{sys.argv[1]}.{comm.rank}")
    """)
    X, y = all_sequences()
    croft.ChainCRF(optimizer="lbfgs", max_iterations=4).fit(X, y).model_.save(tmp_path / "alone")
    expected = (tmp_path / "alone").read_bytes()
    for processes in (1, 2, 3):
        done = run_processes(processes, program, str(tmp_path / f"m{processes}"))
        assert done.returncode == 0, done.stderr
        for rank in range(processes):
            assert (tmp_path / f"m{processes}.{rank}").read_bytes() == expected


@needs_mpi
def test_trainings_that_look_at_all_of_the_data_join_the_parts(tmp_path):
    program = write_program(tmp_path, """
        begin, end = (len(X) * rank // comm.size for rank in (comm.rank, comm.rank + 1))
        pool = croft.PoolCRF(experts=["random:2"], max_iterations=3)
        pool.fit(X[begin:end], y[begin:end], X_dev=X[begin:end][:9], y_dev=y[begin:end][:9], comm=comm)
        pool.model_.save(f"{sys.argv[1]}.{comm.rank}")
        segments = croft.SegmentCRF(optimizer="lbfgs", max_iterations=2).fit(X[begin:end], y[begin:end], comm=comm)
        segments.model_.save(f"{sys.argv[1]}.s{comm.rank}")
    """)
    X, y = all_sequences()
    croft.SegmentCRF(optimizer="lbfgs", max_iterations=2).fit(X, y).model_.save(tmp_path / "segments")
    half = len(X) // 2
    X_dev, y_dev = X[:9] + X[half:][:9], y[:9] + y[half:][:9]
    pool = croft.PoolCRF(experts=["random:2"], max_iterations=3).fit(X, y, X_dev=X_dev, y_dev=y_dev)
    pool.model_.save(tmp_path / "alone")
    done = run_processes(2, program, str(tmp_path / "m"))
    assert done.returncode == 0, done.stderr
    for rank in range(2):
        assert (tmp_path / f"m.{rank}").read_bytes() == (tmp_path / "alone").read_bytes()
        assert (tmp_path / f"m.s{rank}").read_bytes() == (tmp_path / "segments").read_bytes()


def messages_of_two(folder, fit):
    """What croft.Error says to each of two processes."""
    program = write_program(folder, f"""
        try:
            {fit}
        except croft.Error as error:
            print(f"{{error}}\\n", end="", flush=True)
    """)
    done = run_processes(2, program)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@needs_mpi
def test_a_fault_in_one_part_is_raised_by_all(tmp_path):
    said = messages_of_two(tmp_path, "croft.ChainCRF().fit(X, y[comm.rank:], comm=comm)")
    assert said == ["X has 500 sequences and y the labels of 499"] * 2


@needs_mpi
def test_what_trains_in_one_process_alone_says_so(tmp_path):
    said = messages_of_two(tmp_path, "croft.ErrorCorrectingCRF().fit(X, y, comm=comm)")
    assert len(said) == 2 and all("trains in one process" in line for line in said)
    said = messages_of_two(tmp_path, "croft.ChainCRF(entropy=1).fit(X, y, comm=comm, X_unlabelled=X)")
    assert len(said) == 2 and all("X_unlabelled is for one process alone" in line for line in said)


@needs_mpi
@pytest.mark.parametrize("name, value", [("l2", "1 + comm.rank"), ("optimizer", "('lbfgs', 'cg')[comm.rank]"),
                                         ("max_iterations", "5 + comm.rank")])
def test_parameters_that_differ_are_an_error_of_all(tmp_path, name, value):
    said = messages_of_two(tmp_path, f"croft.ChainCRF({name}={value}).fit(X, y, comm=comm)")
    assert said == [f"the processes of comm differ in {name}; give it alike to all"] * 2


@needs_mpi
@pytest.mark.parametrize("parts", ["5, 15", "0, 10", "10, 10"])
def test_a_hold_out_in_parts_is_that_of_all(tmp_path, parts):
    program = write_program(tmp_path, f"""
        parts = ({parts})
        begin = parts[0] * comm.rank
        dev = slice(480 + begin, 480 + begin + parts[comm.rank])
        dev = (X[dev], y[dev]) if parts[comm.rank] else (None, None)
        begin, end = 240 * comm.rank, 240 * (comm.rank + 1)
        crf = croft.ChainCRF(max_iterations=6, early_stop=2)
        crf.fit(X[begin:end], y[begin:end], None, *dev, comm=comm)
        crf.model_.save(f"{{sys.argv[1]}}.{{comm.rank}}")
    """)
    X, y = all_sequences()
    size = sum(int(part) for part in parts.split(","))
    crf = croft.ChainCRF(optimizer="lbfgs", max_iterations=6, early_stop=2)
    crf.fit(X[:480], y[:480], None, X[480:480 + size], y[480:480 + size]).model_.save(tmp_path / "alone")
    done = run_processes(2, program, str(tmp_path / "m"))
    assert done.returncode == 0, done.stderr
    for rank in range(2):
        assert (tmp_path / f"m.{rank}").read_bytes() == (tmp_path / "alone").read_bytes()
