"""Objectives and optimizers of ChainCRF: each learns, and is the command line's of that name."""
import math
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import croft
from conftest import items, sentences
from estimator_test import run, same_model, write_attributes

LIKELIHOOD = ["sgd-lbfgs", "lbfgs", "owlqn", "steepest-descent", "cg", "preconditioned-cg",
              "mixed-cg", "bfgs", "newton", "truncated-newton", "gis", "iis", "sgd", "averaged-sgd",
              "adagrad", "adagrad-rda", "smd", "sag", "async-sgd", "dual-ascent", "sdca", "eg",
              "batch-eg"]
SMOOTH = ["pseudolikelihood", "per-edge", "composite", "marginal", "piecewise", "softmax-margin"]
MAX_MARGIN = ["frank-wolfe", "smo", "eg", "batch-eg", "sgd", "averaged-sgd", "adagrad",
              "adagrad-rda", "async-sgd"]
MISTAKES = [("perceptron", "perceptron"), ("perceptron", "averaged-perceptron"),
            ("perceptron", "pass-perceptron"), ("passive-aggressive", "pa"),
            ("passive-aggressive", "pa-1"), ("passive-aggressive", "pa-2"),
            ("passive-aggressive", "mira"), ("arow", "arow")]
DUAL = [("likelihood", "dual-ascent"), ("likelihood", "sdca"), ("likelihood", "eg"), ("likelihood", "batch-eg"),
        ("max-margin", "frank-wolfe"), ("max-margin", "smo"), ("max-margin", "eg"),
        ("max-margin", "batch-eg")]
PAIRS = ([("likelihood", name) for name in LIKELIHOOD] + [(name, "lbfgs") for name in SMOOTH]
         + [("max-margin", name) for name in MAX_MARGIN] + MISTAKES)


@pytest.fixture(scope="module")
def small():
    words, y = sentences(40, 1)
    return items(words), y


def value_of(crf):
    """The objective that training ended with."""
    return crf.training_log_.result["objective"]


def model_of_program(folder, data, *flags):
    """The bytes of the model that the command line makes of the same data."""
    write_attributes(folder / "train.attr", *data)
    run("train", "--quiet", "--format", "attributes", *flags, "-o", folder / "cli.croft",
        folder / "train.attr")
    return (folder / "cli.croft").read_bytes()


def flags_of(params):
    return [text for name, value in params.items()
            for text in ("--" + name.replace("_", "-"), value)]


def weights_of(crf):
    return {**crf.state_features_, **crf.transition_features_}


def distance(a, b):
    return math.sqrt(sum((a.get(name, 0) - b.get(name, 0)) ** 2 for name in {*a, *b}))


# What is learnt.

@pytest.mark.parametrize("objective, optimizer", PAIRS)
def test_every_pair_learns_and_predicts_new_data(data, new_data, objective, optimizer):
    crf = croft.ChainCRF(objective=objective, optimizer=optimizer, threads=1).fit(*data)
    assert crf.score(*new_data) > 0.95
    training = crf.inspect()["training"]
    assert (training["objective"], training["optimizer"]) == (objective, optimizer)


@pytest.mark.parametrize("optimizer", [name for name in LIKELIHOOD if name not in ("gis", "iis")])
def test_optimizers_of_the_likelihood_reach_one_minimum(data, optimizer):
    crf = croft.ChainCRF(optimizer=optimizer, threads=1).fit(*data)
    X, y = data
    squares = sum(w * w for w in weights_of(crf).values())
    value = squares / 2 - sum(crf.model_.log_likelihood(X, y))
    assert value_of(crf) == pytest.approx(value, rel=1e-6)
    least = value_of(croft.ChainCRF(optimizer="newton").fit(X, y))
    assert value == pytest.approx(least, rel=1e-3)


@pytest.mark.parametrize("optimizer", MAX_MARGIN)
def test_optimizers_of_the_hinge_reach_one_minimum(small, optimizer):
    exact = croft.ChainCRF(objective="max-margin", optimizer="smo", gap=1e-7,
                           max_iterations=20_000).fit(*small)
    assert exact.training_log_.result["converged"]
    found = croft.ChainCRF(objective="max-margin", optimizer=optimizer, threads=1).fit(*small)
    assert value_of(exact) * (1 - 1e-6) < value_of(found) < value_of(exact) * 1.1


def test_the_defaults_are_those_of_the_objective(small):
    for objective, optimizer, l2, passes in [
            ("likelihood", "lbfgs", 1, 1000), ("marginal", "lbfgs", 1, 1000),
            ("max-margin", "frank-wolfe", 1, 1000), ("perceptron", "averaged-perceptron", 0, 100),
            ("passive-aggressive", "pa-1", 0, 100), ("arow", "arow", 0, 100)]:
        crf = croft.ChainCRF(objective=objective).fit(*small)
        training = crf.inspect()["training"]
        assert (training["optimizer"], training["l2"]) == (optimizer, l2)
        assert crf.training_log_[0]["max_iterations"] == passes
    assert croft.ChainCRF(l1=0.1).fit(*small).inspect()["training"]["optimizer"] == "owlqn"


def test_passes_of_sgd_are_made_where_they_are_asked_for_but_not_from_a_model(small):
    asked = croft.ChainCRF(sgd_passes=2).fit(*small)
    assert asked.inspect()["training"]["optimizer"] == "sgd-lbfgs"
    crf = croft.ChainCRF(warm_start=True).fit(*small)
    assert crf.fit(*small).inspect()["training"]["optimizer"] == "lbfgs"
    assert crf.partial_fit(*small).inspect()["training"]["optimizer"] == "lbfgs"


@pytest.mark.parametrize("params", [
    {"optimizer": "sgd", "batch": 4}, {"optimizer": "smd"}, {"optimizer": "sag"},
    {"optimizer": "sgd-lbfgs"}, {"optimizer": "sdca"}, {"objective": "max-margin"},
    {"objective": "arow"}, {"objective": "passive-aggressive"}])
def test_threads_change_no_byte_and_another_seed_does(small, params):
    one, same, other = (croft.ChainCRF(max_iterations=4, **how, **params).fit(*small)
                        for how in ({"threads": 1}, {"threads": 3}, {"seed": 2}))
    assert same_model(one, same)
    assert weights_of(one) != weights_of(other)


# The same as the program.

@pytest.mark.parametrize("params", [
    {}, {"optimizer": "cg"}, {"optimizer": "truncated-newton", "tolerance": 0},
    {"optimizer": "iis", "max_iterations": 20},
    {"optimizer": "sgd", "schedule": "inverse", "step": 0.2, "batch": 3, "seed": 4},
    {"optimizer": "sgd", "schedule": "constant", "decay": 0.8},
    {"optimizer": "averaged-sgd", "average_from": 3},
    {"optimizer": "sgd-lbfgs", "sgd_passes": 3, "history": 5},
    {"optimizer": "adagrad-rda", "l1": 0.5}, {"optimizer": "sdca", "gap": 1e-6},
    {"objective": "composite", "block": 4}, {"objective": "pseudolikelihood"},
    {"objective": "max-margin", "cost": 2, "gap": 0.01},
    {"objective": "max-margin", "optimizer": "smo"}, {"objective": "perceptron"},
    {"objective": "perceptron", "optimizer": "pass-perceptron", "step": 2},
    {"objective": "passive-aggressive", "optimizer": "mira", "best": 3, "aggressiveness": 0.1},
    {"objective": "arow", "variance": 0.5, "gamma": 3, "max_iterations": 9}])
def test_the_model_is_that_of_the_command_line_byte_for_byte(small, tmp_path, params):
    expected = model_of_program(tmp_path, small, *flags_of(params))
    assert croft.ChainCRF(**params).fit(*small).model_.to_bytes() == expected


def test_a_prior_variances_and_a_start_are_those_of_the_command_line(small, new_data, tmp_path):
    path, variances = tmp_path / "old.croft", tmp_path / "variances"
    old = croft.ChainCRF(l2=0.1, warm_start=True).fit(*new_data)
    old.save(path)
    variances.write_text("word:* 4\n*\t0.25\n")
    for flags, crf in [
            (["--prior", path], croft.ChainCRF(prior=old)),
            (["--variances", variances], croft.ChainCRF(variances=variances)),
            (["--prior", path, "--variances", variances, "--optimizer", "sgd"],
             croft.ChainCRF(prior=path, variances=str(variances), optimizer="sgd")),
            (["--init", path], old.set_params(l2=None))]:
        expected = model_of_program(tmp_path, small, *flags)
        assert crf.fit(*small).model_.to_bytes() == expected


# A prior.

def test_a_prior_is_the_mean_of_the_penalty(small, new_data):
    old = croft.ChainCRF(l2=0.01).fit(*new_data)
    mean = weights_of(old)
    distances = []
    for l2 in (0.01, 1, 100, 1e6):
        crf = croft.ChainCRF(prior=old, l2=l2, tolerance=0, gradient_tolerance=1e-7).fit(*small)
        distances.append(distance(weights_of(crf), mean))
        value = l2 / 2 * distances[-1] ** 2 - sum(crf.model_.log_likelihood(*small))
        assert value_of(crf) == pytest.approx(value, rel=1e-5)
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] < 1e-3
    plain = croft.ChainCRF(l2=100).fit(*small)
    assert distances[2] < distance(weights_of(plain), mean) / 10


def test_a_prior_remembers_what_the_new_data_does_not_show(small):
    old = croft.ChainCRF(l2=0.1).fit([[["x"], ["y"]]] * 5, [["A", "B"]] * 5)
    crf = croft.ChainCRF(prior=old).fit(*small)
    assert crf.predict([[["x"], ["y"]]]) == [["A", "B"]]
    assert crf.score(*small) > 0.9
    assert crf.inspect()["training"]["prior"] is True


def test_a_prior_is_an_estimator_a_model_or_a_file(small, new_data, tmp_path):
    old = croft.ChainCRF().fit(*new_data)
    old.save(tmp_path / "old.croft")
    expected = croft.ChainCRF(prior=old).fit(*small)
    for prior in (old.model_, tmp_path / "old.croft", str(tmp_path / "old.croft")):
        assert same_model(croft.ChainCRF(prior=prior).fit(*small), expected)
        assert same_model(clone(croft.ChainCRF(prior=prior)).fit(*small), expected)
    search = GridSearchCV(croft.ChainCRF(prior=old.model_), {"l2": [0.1, 10]}, cv=2).fit(*new_data)
    assert search.best_score_ > 0.9
    bytes_of = bytearray((tmp_path / "old.croft").read_bytes())
    bytes_of[-100] ^= 1
    (tmp_path / "damaged.croft").write_bytes(bytes_of)
    for prior, error, message in [
            (croft.ChainCRF(), ValueError, "prior is a ChainCRF that is not fitted"),
            (clone(croft.ChainCRF(prior=old)).prior, ValueError, "give prior=fitted.model_"),
            (7, TypeError, "prior is an int; give a Model"),
            (tmp_path / "none.croft", ValueError, "none.croft"),
            (tmp_path / "damaged.croft", ValueError, "damaged")]:
        with pytest.raises(error, match=message):
            croft.ChainCRF(prior=prior).fit(*small)


def test_a_prior_and_a_model_to_go_on_from_exclude_each_other(small):
    crf = croft.ChainCRF(prior=croft.ChainCRF().fit(*small), warm_start=True).fit(*small)
    with pytest.raises(ValueError, match="prior is also what training starts from: leave out"):
        crf.fit(*small)


def test_variances_loosen_the_weights_whose_names_fit(small, tmp_path):
    (tmp_path / "v").write_text("word:* 100\n")
    loose = croft.ChainCRF(variances=tmp_path / "v").fit(*small).state_features_
    plain = croft.ChainCRF().fit(*small).state_features_

    def norm(weights, words):
        return math.sqrt(sum(w * w for (name, _), w in weights.items()
                             if name.startswith("word:") == words))
    assert norm(loose, True) > 1.5 * norm(plain, True)
    assert norm(loose, False) < norm(plain, False)


def test_a_prior_and_variances_need_a_penalty_and_a_name_that_fits(small, tmp_path):
    with pytest.raises(ValueError, match="prior is the mean of the penalty, and with l2 0 there is"):
        croft.ChainCRF(prior=croft.ChainCRF().fit(*small), l2=0).fit(*small)
    (tmp_path / "v").write_text("* 2\nwrod:* 100\n")
    with pytest.raises(ValueError, match=r'v:2: a pattern that fits the name of no .*"wrod:\*"'):
        croft.ChainCRF(variances=tmp_path / "v").fit(*small)
    with pytest.raises(ValueError, match="variances scales the penalty, and with l1 0 and l2 0"):
        croft.ChainCRF(variances=tmp_path / "v", l2=0).fit(*small)


# What does not go together.

@pytest.mark.parametrize("params, message", [
    ({"objective": "perceptron", "optimizer": "lbfgs"},
     "optimizer lbfgs does not minimise objective perceptron; these do: perceptron, "
     "averaged-perceptron, pass-perceptron, voted-perceptron"),
    ({"objective": "max-margin", "optimizer": "newton"},
     "these do: sgd, averaged-sgd, .*frank-wolfe, cutting-plane, smo"),
    ({"optimizer": "smo"},
     r"these do: sgd-lbfgs, lbfgs, .*batch-eg\.  It goes with objective max-margin"),
    ({"optimizer": "best"}, 'there is no optimizer "best"; there are sgd-lbfgs, lbfgs, .*, arow'),
    ({"optimizer": "lbfgs", "l1": 1},
     "optimizer lbfgs cannot minimise with l1 above 0; .* these can: owlqn, "),
    ({"optimizer": "sdca", "l2": 0},
     "optimizer sdca needs l2 above 0; with objective likelihood these can: "),
    ({"objective": "perceptron", "l2": 1}, "objective perceptron has no penalty: leave out l2"),
    ({"optimizer": "lbfgs", "step": 0.1},
     "step means nothing to optimizer lbfgs; it goes with sgd-lbfgs, .*sgd"),
    ({"optimizer": "sgd", "history": 3}, "history means nothing to optimizer sgd"),
    ({"objective": "arow", "best": 3}, "best means nothing to optimizer arow, .*; it goes with mira"),
    ({"optimizer": "sgd", "average_from": 3}, "average_from means nothing to optimizer sgd"),
    ({"optimizer": "lbfgs", "sgd_passes": 3},
     "sgd_passes means nothing to optimizer lbfgs; .* sgd-lbfgs"),
    ({"objective": "max-margin", "kernel": "rbf:1"},
     "kernel means nothing to optimizer frank-wolfe, .*; it goes with smo"),
    ({"objective": "pseudolikelihood", "order": 2},
     "objective pseudolikelihood goes with order 1 only; these do: like"),
    ({"objective": "marginal", "cost": 2}, "cost is what a mistake costs"),
    ({"resume": True}, "resume goes on from a checkpoint; name its folder with checkpoint"),
    ({"checkpoint_interval": 5}, "checkpoint_interval goes with checkpoint; give it, too"),
    ({"block": 4}, "block is the length of the runs of objective composite; likelihood has none"),
    ({"block": 3}, "block is the length of the runs of objective composite; likelihood has none"),
    ({"optimizer": "sgd", "decay": 0.5}, "decay goes with schedule constant"),
    ({"optimizer": "sgd", "precision": "single"}, "optimizer sgd computes in double: .* lbfgs"),
    ({"optimizer": "sdca", "tolerance": 0.1}, "optimizer sdca does not stop: give gap"),
    ({"optimizer": "sdca", "window": 3}, "optimizer sdca does not stop: give gap"),
    ({"optimizer": "sdca", "window": 10}, "optimizer sdca does not stop: give gap"),
    ({"sgd_passes": 0, "batch": 3}, "batch is of the passes of SGD, and sgd_passes 0 makes none"),
    ({"optimizer": "averaged-sgd", "average_from": 9, "max_iterations": 8},
     "average_from 9 is after the last pass, max_iterations 8"),
    ({"optimizer": "sdca", "order": 2}, "optimizer sdca goes with order 1 only; .* these can: sgd"),
])
def test_what_does_not_go_together_is_an_error_that_lists_what_does(small, params, message):
    with pytest.raises(ValueError, match=message) as caught:
        croft.ChainCRF(**params).fit(*small)
    assert "--" not in str(caught.value)


@pytest.mark.parametrize("params, message", [
    ({"step": -1}, 'step: "-1" is not a finite number'), ({"step": 0}, "step"),
    ({"step": float("inf")}, 'step: "inf" is not a finite number from 0 on'),
    ({"batch": 0}, 'batch: "0" is not a whole number from 1 on'),
    ({"decay": 2, "schedule": "constant"}, "decay"),
    ({"schedule": "slow"}, "is none of bottou, inverse, inverse_sqrt, constant"),
    ({"optimizer": "averaged-sgd", "average_from": 0}, 'average_from: "0" is not'),
    ({"optimizer": "lbfgs", "history": 0}, 'history: "0" is not a whole number from 1 to 1000'),
    ({"objective": "composite", "optimizer": None, "block": 0}, 'block: "0" is not'),
    ({"objective": "passive-aggressive", "optimizer": "pa-2", "aggressiveness": 0},
     "aggressiveness"),
    ({"objective": "passive-aggressive", "optimizer": "mira", "best": 0}, 'best: "0" is not .* from 1 to'),
    ({"objective": "arow", "optimizer": None, "variance": 0}, "variance"),
    ({"objective": "arow", "optimizer": None, "gamma": -1}, "gamma"),
    ({"optimizer": "sdca", "gap": -1}, 'gap: "-1" is not'),
    ({"checkpoint_interval": -1}, 'checkpoint_interval: "-1" is not'),
    ({"objective": "max-margin", "optimizer": "smo", "kernel": "sigmoid"},
     "kernel .* is none of linear, poly:DEGREE"),
    ({"optimizer": "lbfgs", "prior": "/nowhere"}, "/nowhere"),
    ({"variances": "/nowhere"}, "/nowhere")])
def test_a_setting_out_of_range_is_an_error_that_names_it(small, params, message):
    with pytest.raises(ValueError, match=message) as caught:
        croft.ChainCRF(**{"optimizer": "sgd", **params}).fit(*small)
    assert "--" not in str(caught.value)


@pytest.mark.parametrize("objective, optimizer", [*DUAL, *MISTAKES])
def test_a_prior_that_an_optimizer_cannot_have_is_an_error(small, objective, optimizer):
    prior = croft.ChainCRF().fit(*small)
    with pytest.raises(ValueError, match=f"optimizer {optimizer} (is none|starts from its dual)"):
        croft.ChainCRF(objective=objective, optimizer=optimizer, prior=prior).fit(*small)


@pytest.mark.parametrize("objective, optimizer", DUAL)
def test_a_dual_optimizer_cannot_go_on_from_weights(small, objective, optimizer):
    crf = croft.ChainCRF(objective=objective, optimizer=optimizer, max_iterations=2).fit(*small)
    with pytest.raises(ValueError, match=f"{optimizer} starts from its dual variables, .* go on"):
        crf.partial_fit(*small)


def test_objectives_that_want_every_label_say_so(small):
    X, y = small
    part = [[None, *labels[1:]] for labels in y]
    with pytest.raises(ValueError, match="max-margin wants every label known; these do: like"):
        croft.ChainCRF(objective="max-margin").fit(X, part)
    assert croft.ChainCRF(objective="marginal").fit(X, part).score(X, y) > 0.8


# Events.

@pytest.mark.parametrize("objective, optimizer", DUAL)
def test_iterations_of_dual_optimizers_have_a_gap_that_stops_them(small, objective, optimizer):
    seen = []
    crf = croft.ChainCRF(objective=objective, optimizer=optimizer, gap=0.1)
    crf.fit(*small, callback=seen.append)
    assert crf.training_log_.result["reason"] == "converged_gap"
    gaps = [event["gap"] for event in seen]
    assert gaps[-1] <= 0.1 < gaps[0]
    assert list(crf.training_log_.table()["gap"]) == gaps
    exact = {"likelihood": {"optimizer": "newton"},
             "max-margin": {"optimizer": "smo", "gap": 1e-6}}[objective]
    least = value_of(croft.ChainCRF(objective=objective, **exact).fit(*small))
    for event in seen:  # the gap bounds what is left to gain
        assert event["objective"] - least <= (event["gap"] + 1e-6) * max(1, event["objective"])


@pytest.mark.parametrize("objective, optimizer", [
    ("likelihood", "sgd"), ("likelihood", "sgd-lbfgs"), ("perceptron", "perceptron")])
def test_iterations_of_other_optimizers_have_none(small, objective, optimizer):
    crf = croft.ChainCRF(objective=objective, optimizer=optimizer).fit(*small)
    assert not any("gap" in event for event in crf.training_log_)
    assert "gap" not in crf.training_log_.table()


def test_the_progress_line_shows_the_gap(small, capsys):
    slowly = {"callback": lambda event: time.sleep(0.12) is None}  # lines are a tenth of a second apart
    croft.ChainCRF(objective="max-margin", optimizer="smo", progress=True, max_iterations=5).fit(*small, **slowly)
    assert "  gap " in capsys.readouterr().err


# Checkpoints.

RESUMABLE = [pair for pair in PAIRS if pair[1] != "async-sgd"]


@pytest.mark.parametrize("objective, optimizer", RESUMABLE)
def test_a_training_that_was_stopped_goes_on_to_the_same_model(small, tmp_path, objective,
                                                               optimizer):
    params = {"objective": objective, "optimizer": optimizer,
              "max_iterations": 12, "tolerance": 0, "gradient_tolerance": 0}
    if optimizer in ("dual-ascent", "sdca"):
        params["gap"] = 0  # not to be there after an iteration
    whole = croft.ChainCRF(**params).fit(*small)
    stop = max(1, whole.training_log_.result["iterations"] // 2)
    params.update(checkpoint=tmp_path / "state", checkpoint_interval=0)
    part = croft.ChainCRF(**params).fit(*small, callback=lambda event: event["iteration"] < stop)
    assert part.training_log_.result["iterations"] == stop
    assert os.listdir(tmp_path / "state") == ["checkpoint"]
    again = croft.ChainCRF(resume=True, **params).fit(*small)
    assert same_model(again, whole)
    assert again.training_log_[-1]["iteration"] == whole.training_log_[-1]["iteration"]
    assert len(again.training_log_) < len(whole.training_log_)
    assert os.listdir(tmp_path / "state") == []


@pytest.mark.parametrize("params", [
    {"l1": 0.5}, {"order": 2}, {"early_stop": 3, "holdout": 0.3, "optimizer": "sgd"},
    {"prior": True}, {"constrain": True}])
def test_so_it_does_with_what_is_around_the_optimizer(small, new_data, tmp_path, params):
    params = dict(params)
    if "prior" in params:
        params["prior"] = croft.ChainCRF().fit(*new_data)
    if "constrain" in params:
        (tmp_path / "rules").write_text("* -> *\n")
        params["constrain"] = tmp_path / "rules"
    whole = croft.ChainCRF(**params).fit(*small)
    params.update(checkpoint=str(tmp_path / "state"), checkpoint_interval=0)
    croft.ChainCRF(**params).fit(*small, callback=lambda event: event["iteration"] < 4)
    assert same_model(croft.ChainCRF(resume=True, **params).fit(*small), whole)


@pytest.mark.parametrize("params", [{"optimizer": "sgd"}, {"optimizer": "lbfgs"},
                                    {"objective": "max-margin", "optimizer": "frank-wolfe"}])
def test_a_training_that_was_killed_goes_on_to_the_same_model(tmp_path, params):
    program = textwrap.dedent(f"""
        import os, signal, sys
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        import croft
        from conftest import items, sentences
        words, y = sentences(40, 1)
        def die(event):
            if event["iteration"] == 7:
                os.kill(os.getpid(), signal.SIGKILL)
        croft.ChainCRF(tolerance=0, gradient_tolerance=0, max_iterations=15,
                       checkpoint={str(tmp_path)!r}, checkpoint_interval=0,
                       **{params!r}).fit(items(words), y, callback=die)
    """)
    assert subprocess.run([sys.executable, "-c", program]).returncode == -signal.SIGKILL
    words, y = sentences(40, 1)
    params = {"tolerance": 0, "gradient_tolerance": 0, "max_iterations": 15, **params}
    again = croft.ChainCRF(checkpoint=tmp_path, resume=True, **params).fit(items(words), y)
    assert same_model(again, croft.ChainCRF(**params).fit(items(words), y))


def test_ctrl_c_and_errors_of_a_callback_keep_the_state(small, tmp_path):
    params = {"optimizer": "lbfgs", "checkpoint": tmp_path, "checkpoint_interval": 0}

    def interrupt(event):
        if event["iteration"] == 4:
            signal.raise_signal(signal.SIGINT)

    def fail(event):
        if event["iteration"] == 8:
            raise RuntimeError("mine")
    with pytest.warns(croft.TrainingInterrupted):
        croft.ChainCRF(**params).fit(*small, callback=interrupt)
    with pytest.raises(RuntimeError, match="mine"):
        croft.ChainCRF(resume=True, **params).fit(*small, callback=fail)
    assert os.listdir(tmp_path) == ["checkpoint"]
    again = croft.ChainCRF(resume=True, **params).fit(*small)
    assert same_model(again, croft.ChainCRF(optimizer="lbfgs").fit(*small))


def test_a_state_that_cannot_be_gone_on_from_is_an_error(small, new_data, tmp_path):
    params = {"checkpoint": tmp_path, "checkpoint_interval": 0}
    with pytest.raises(ValueError, match="is not there: it has to be the folder that"):
        croft.ChainCRF(resume=True, checkpoint=tmp_path / "other").fit(*small)
    croft.ChainCRF(**params).fit(*small, callback=lambda event: event["iteration"] < 4)
    with pytest.raises(ValueError, match="that was interrupted; go on from it with resume"):
        croft.ChainCRF(**params).fit(*small)
    for data, other in ((new_data, {}), (small, {"l2": 3}), (small, {"optimizer": "sgd"}),
                        (small, {"seed": 2})):
        with pytest.raises(ValueError, match="this checkpoint is of another training"):
            croft.ChainCRF(resume=True, **params, **other).fit(*data)
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="file"):
        croft.ChainCRF(checkpoint=tmp_path / "file").fit(*small)


def test_the_interval_is_in_seconds(small, tmp_path):
    croft.ChainCRF(checkpoint=tmp_path).fit(*small, callback=lambda event: event["iteration"] < 4)
    assert os.listdir(tmp_path) == []


# What the parameters are for scikit-learn.

def test_parameters_are_kept_untouched_and_numpy_numbers_are_numbers(small):
    params = {"step": numpy.float64(0.25), "batch": numpy.int64(2), "optimizer": "sgd",
              "l2": numpy.float32(2)}
    crf = croft.ChainCRF(**params)
    assert all(getattr(crf, name) is value for name, value in params.items())
    same = croft.ChainCRF(step=0.25, batch=2, optimizer="sgd", l2=2.0)
    assert same_model(crf.fit(*small), same.fit(*small))
    search = GridSearchCV(croft.ChainCRF(objective="passive-aggressive"),
                          {"aggressiveness": [0.01, 1.0]}, cv=2)
    assert search.fit(*small).best_score_ > 0.9


# Models that are more than weights.

@pytest.fixture(scope="module")
def exclusive():
    """A label that says whether exactly one of two attributes is there: no weights can tell."""
    X = [[["bias", *(["a"] if n & 1 else []), *(["b"] if n & 2 else [])]] for n in range(4)] * 10
    return X, [["odd" if n in (1, 2) else "even"] for n in range(4)] * 10


@pytest.mark.parametrize("kernel", ["poly:2", "poly:3:0.5:1", "rbf:0.5"])
def test_a_kernel_tells_what_weights_cannot(exclusive, kernel):
    svm = {"objective": "max-margin", "optimizer": "smo", "l2": 0.01}
    assert croft.ChainCRF(**svm).fit(*exclusive).score(*exclusive) < 0.8
    crf = croft.ChainCRF(kernel=kernel, **svm).fit(*exclusive)
    assert crf.score(*exclusive) == 1
    assert crf.inspect()["training"]["kernel"] == kernel
    again = croft.Model.from_bytes(crf.model_.to_bytes())
    assert again.predict(exclusive[0]) == exclusive[1]


def test_the_linear_kernel_has_the_minimum_of_the_weights(small, new_data):
    svm = {"objective": "max-margin", "optimizer": "smo", "gap": 1e-6}
    weights, kernel = (croft.ChainCRF(**svm, **more).fit(*small)
                       for more in ({"features": "all"}, {"kernel": "linear"}))
    assert (kernel.training_log_.result["objective"]
            == pytest.approx(weights.training_log_.result["objective"], rel=1e-4))
    for a, b in zip(weights.predict_proba(new_data[0]), kernel.predict_proba(new_data[0])):
        assert a == pytest.approx(b, abs=1e-3)


SPECIAL = [{"objective": "max-margin", "optimizer": "smo", "kernel": "poly:2"},
           {"objective": "max-margin", "optimizer": "smo", "kernel": "rbf:0.3"},
           {"objective": "perceptron", "optimizer": "voted-perceptron", "max_iterations": 8}]


@pytest.mark.parametrize("params", SPECIAL)
def test_such_a_model_is_that_of_the_command_line_and_predicts_the_same(small, new_data, tmp_path,
                                                                        params):
    expected = model_of_program(tmp_path, small, *flags_of(params))
    crf = croft.ChainCRF(**params).fit(*small)
    assert crf.model_.to_bytes() == expected
    assert crf.score(*new_data) > 0.85
    write_attributes(tmp_path / "new.attr", *new_data)
    said = run("predict", "-m", tmp_path / "cli.croft", "--to", "labels", tmp_path / "new.attr")
    assert crf.predict(new_data[0]) == [block.split("\n") for block in said.strip().split("\n\n")]
    assert clone(crf).fit(*small).predict_single(new_data[0][0]) == crf.predict(new_data[0])[0]


@pytest.mark.parametrize("params", SPECIAL)
def test_such_a_training_goes_on_after_a_stop_too(small, tmp_path, params):
    params = {**params, "gap": 1e-6 if "kernel" in params else None}
    whole = croft.ChainCRF(**params).fit(*small)
    params.update(checkpoint=tmp_path, checkpoint_interval=0)
    croft.ChainCRF(**params).fit(*small, callback=lambda event: event["iteration"] < 3)
    assert same_model(croft.ChainCRF(resume=True, **params).fit(*small), whole)


def test_a_vote_answers_with_labels_and_says_why_nothing_else(small):
    crf = croft.ChainCRF(**SPECIAL[2]).fit(*small)
    X, y = small
    for ask in (lambda: crf.predict_proba(X), lambda: crf.k_best(X, 2), lambda: crf.sample(X),
                lambda: crf.spans(X), lambda: crf.predict(X, decode="marginal"),
                lambda: crf.explain(X[0]), lambda: crf.model_.log_partition(X)):
        with pytest.raises(croft.Error, match="the model is a voted perceptron"):
            ask()
    known = [[labels[0], *[None] * (len(labels) - 1)] for labels in y]
    assert all(a[0] == b[0] for a, b in zip(crf.model_.predict(X, known=known), y))


def test_a_kernel_has_no_weights_of_attributes_to_show(small):
    crf = croft.ChainCRF(**SPECIAL[0]).fit(*small)
    assert crf.state_features_ == {}
    assert len(crf.transition_features_) == 16
    with pytest.raises(croft.Error, match="kernel in the place of weights"):
        crf.explain(small[0][0])
