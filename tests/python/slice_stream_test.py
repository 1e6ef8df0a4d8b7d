"""croft.BayesNet of two slices of time: streams, best paths and unrolled networks against each other."""
import math
import random

import pytest

import croft

BIT = ["no", "yes"]
STATES = {"rain_0": BIT, "mood_0": ["low", "mid", "high"], "wet_0": BIT,
          "rain_1": BIT, "mood_1": ["low", "mid", "high"], "wet_1": BIT}
PARENTS = {"wet_0": ["rain_0"], "mood_0": ["rain_0"], "rain_1": ["rain_0"], "mood_1": ["mood_0", "wet_0", "rain_1"],
           "wet_1": ["rain_1"]}
ROWS = [{"wet": "yes"}, {"mood": "low"}, {}, {"wet": [0.3, 0.6], "mood": {"low": 0.5, "high": 1}}]


def weather():
    rng = random.Random(5)
    X = [{name: rng.choice(states) for name, states in STATES.items()} for _ in range(40)]
    return croft.BayesNet(STATES, PARENTS).fit(X, smoothing=1)


def plain(net, slices, rows):
    """The unrolled network's answer."""
    evidence = {f"{name}_{t}": value for t, row in enumerate(rows) for name, value in row.items()}
    return net.unroll(slices).graph, evidence


def near(found, graph, evidence, t):
    wanted = graph.infer("marginals", evidence=evidence)
    assert list(found) == ["rain", "mood", "wet"]
    for name, p in found.items():
        assert p == pytest.approx(wanted.marginals[f"{name}_{t}"], abs=1e-12)
    return wanted


def test_a_stream_is_filtered_as_the_unrolled_network_is():
    net = weather()
    stream = net.stream()
    assert stream.variables == ["rain", "mood", "wet"] and stream.states("mood") == ["low", "mid", "high"]
    for t, row in enumerate(ROWS):
        found = stream.step(row)
        wanted = near(found, *plain(net, t + 1, ROWS[:t + 1]), t)
        assert stream.log_likelihood == pytest.approx(wanted.log_partition, abs=1e-11)
    assert stream.slices == 4 and repr(stream) == "SliceStream(3 variables, 4 slices)"


def test_past_and_future_are_those_of_the_unrolled_network():
    net = weather()
    stream, near_stream = net.stream(history=None), net.stream(history=1)
    for row in ROWS:
        stream.step(row)
        near_stream.step(row)
    graph, evidence = plain(net, 6, ROWS)
    for t, found in enumerate(stream.smooth()):
        near(found, graph, evidence, t)
        near(stream.smoothed(3 - t), graph, evidence, t)
    assert len(near_stream.smooth()) == 2
    near(near_stream.smoothed(1), graph, evidence, 2)
    for k, found in enumerate(stream.ahead(2)):
        near(found, graph, evidence, 4 + k)
    with pytest.raises(ValueError, match="history of 1"):
        near_stream.smoothed(2)


def test_the_best_path_is_that_of_the_unrolled_network():
    net = weather()
    path, log_score = net.best_path(ROWS)
    graph, evidence = plain(net, 4, ROWS)
    wanted = graph.infer("map", evidence=evidence)
    assert log_score == pytest.approx(wanted.log_score, abs=1e-11)
    assert {f"{name}_{t}": state for t, slice in enumerate(path) for name, state in slice.items()} == wanted.assignment


def test_what_is_impossible_leaves_the_stream_as_it_was():
    net = croft.BayesNet.from_bif("""
        variable a { type discrete [ 2 ] { on, off }; } variable "a'" { type discrete [ 2 ] { on, off }; }
        probability ( a ) { table 0.5, 0.5; } probability ( "a'" | a ) { (on) 1, 0; (off) 0.5, 0.5; }""")
    stream = net.stream(endings=("", "'"))
    stream.step({"a": "on"})
    with pytest.raises(ValueError, match="slice 1 has probability 0"):
        stream.step({"a": "off"})
    assert stream.slices == 1 and stream.log_likelihood == pytest.approx(math.log(0.5))
    assert stream.step()["a"] == pytest.approx([1, 0])
    with pytest.raises(ValueError, match="slice 1 has probability 0"):
        net.best_path([{"a": "on"}, {"a": "off"}], endings=("", "'"))


def test_what_does_not_fit_is_an_error():
    net = weather()
    with pytest.raises(ValueError, match="no slice has been seen"):
        net.stream().marginals  # pylint: disable=pointless-statement
    with pytest.raises(ValueError, match="ends in neither"):
        net.stream(endings=("x", "y"))
    with pytest.raises(ValueError, match="two that differ"):
        net.unroll(3, endings=("_0", "_0"))
    with pytest.raises(ValueError, match="sun"):
        net.stream().step({"sun": "yes"})
    with pytest.raises(ValueError, match="maybe"):
        net.stream().step({"rain": "maybe"})
    with pytest.raises(ValueError):
        net.stream().step({"rain": [0.5]})
    with pytest.raises(ValueError, match="slices"):
        net.unroll(0)
