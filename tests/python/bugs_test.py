"""croft.Bugs: a program and data to draws, summaries and exact probabilities."""
import math
import signal
import threading

import pytest

import croft

numpy = pytest.importorskip("numpy")
pandas = pytest.importorskip("pandas")

LINE = """model {
  for (i in 1:N) { y[i] ~ dnorm(alpha + beta * (x[i] - mean(x[])), tau) }
  alpha ~ dnorm(0, 1.0E-6)
  beta ~ dnorm(0, 1.0E-6)
  tau ~ dgamma(0.001, 0.001)
}
"""
X, Y = [1, 2, 3, 4, 5], [1, 3, 3, 3, 5]
DATA = {"x": X, "y": Y, "N": 5}


@pytest.fixture(scope="module")
def line():
    return croft.Bugs(LINE)


def test_means_are_those_of_least_squares(line):
    result = line.sample(DATA, monitor=["alpha", "beta", "deviance"], samples=4000)
    table = result.summary()
    assert abs(table.loc["alpha", "mean"] - 3.0) < 5 * table.loc["alpha", "mcse"]
    assert abs(table.loc["beta", "mean"] - 0.8) < 5 * table.loc["beta", "mcse"]
    assert (table["r_hat"] < 1.02).all() and (table["ess"] > 400).all()
    assert result.names == ["alpha", "beta", "deviance"]
    assert result["alpha"].shape == (4, 4000) and result.iterations == 5000
    assert result.deviance.dic == pytest.approx(result.deviance.mean + result.deviance.pd)
    assert {node for _, nodes in result.samplers for node in nodes} == {"alpha", "beta", "tau"}
    with pytest.raises(KeyError):
        result["gamma"]


def test_the_same_seed_gives_the_same_draws(line):
    draws = [line.sample(DATA, samples=50, seed=3, threads=threads)["beta"] for threads in (1, 4)]
    assert (draws[0] == draws[1]).all()
    assert (line.sample(DATA, samples=50, seed=4)["beta"] != draws[0]).any()


def test_data_may_be_arrays_columns_and_files(line, tmp_path):
    (tmp_path / "data.R").write_text("x <- 1:5\ny <- c(1, 3, 3, 3, 5)\nN <- 5\n")
    frame = pandas.DataFrame({"x": X, "y": Y})
    ways = [DATA, {"x": numpy.array(X), "y": tuple(Y), "N": numpy.int64(5)},
            {"x": frame["x"], "y": frame["y"], "N": len(frame)}, tmp_path / "data.R", [str(tmp_path / "data.R")]]
    draws = [line.sample(way, samples=20)["beta"] for way in ways]
    assert all((each == draws[0]).all() for each in draws)
    with pytest.raises(ValueError, match="y: numbers are expected"):
        line.sample({"y": ["a"]})
    with pytest.raises(ValueError, match="y: numbers are expected"):
        line.sample({"y": [[1, 2], [3]]})


def test_what_is_missing_is_drawn():
    model = croft.Bugs("model { for (i in 1:3) { y[i] ~ dnorm(5, 100) } }")
    for missing in (None, math.nan):
        result = model.sample({"y": [4.9, missing, 5.1]}, samples=500)
        assert result.names == ["y[2]"]
        assert abs(result["y[2]"].mean() - 5) < 0.03


def test_arrays_have_chains_draws_and_dimensions():
    model = croft.Bugs("model { for (i in 1:2) { for (j in 1:3) { m[i,j] ~ dnorm(10 * i + j, 1.0E8) } }\n"
                       "z ~ dnorm(0, 1) }")
    found = model.sample(samples=10, chains=2).to_dict()
    assert found["z"].shape == (2, 10) and found["m"].shape == (2, 10, 2, 3)
    assert numpy.allclose(found["m"][1, 9], [[11, 12, 13], [21, 22, 23]], atol=0.01)
    part = model.sample(samples=10, monitor=["m[2,3]", "z"]).to_dict()
    assert set(part) == {"m[2,3]", "z"}


def test_a_row_major_array_is_the_matrix_that_it_looks_like():
    model = croft.Bugs("model { x ~ dnorm(m[1,3], 1.0E8)\n y ~ dnorm(m[2,1], 1.0E8) }")
    for m in ([[1, 2, 3], [4, 5, 6]], numpy.arange(1, 7).reshape(2, 3)):
        result = model.sample({"m": m}, samples=10)
        assert abs(result["x"].mean() - 3) < 0.01 and abs(result["y"].mean() - 4) < 0.01


def test_finite_models_are_exact():
    model = croft.Bugs("model { z ~ dbern(0.3)\n y ~ dbern(0.2 + 0.5 * z) }")
    result = model.sample({"y": 1})
    evidence = 0.3 * 0.7 + 0.7 * 0.2
    assert result.exact["z"][1] == pytest.approx(0.21 / evidence, abs=1e-12)
    assert result.log_evidence == pytest.approx(math.log(evidence), abs=1e-12)
    assert result.summary().loc["z", "mean"] == pytest.approx(0.21 / evidence)
    drawn = model.sample({"y": 1}, method="sampling", samples=2000)
    assert not drawn.exact and abs(drawn["z"].mean() - 0.21 / evidence) < 0.05


def test_progress_may_stop(line):
    seen = []

    def stop(step):
        seen.append(step)
        return step["iteration"] < 1500

    result = line.sample(DATA, samples=10_000_000, progress=stop)
    assert result.stopped and seen and result["alpha"].shape[1] > 0


def test_ctrl_c_is_keyboard_interrupt(line):
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        line.sample(DATA, samples=1_000_000_000, thin=1000)
    timer.join()


def test_files_of_a_result(line, tmp_path):
    result = line.sample(DATA, samples=100, chains=2, monitor=["beta"])
    assert list(line.sample(DATA, samples=100, chains=2, monitor="beta").to_dict()) == list(result.to_dict())
    result.plots(tmp_path / "page.html")
    assert "<svg" in (tmp_path / "page.html").read_text()
    result.coda(tmp_path / "out")
    assert (tmp_path / "outindex.txt").read_text() == "beta 1 100\n"
    svg = line.picture(tmp_path / "line.svg", data=DATA)
    assert (tmp_path / "line.svg").read_text() == svg and "y[i]" in svg
    with pytest.raises(ValueError):
        result.plots(tmp_path / "page.png")


def test_faults_have_a_place():
    with pytest.raises(croft.Error, match="program:1:13"):
        croft.Bugs("model { x ~ }")
    with pytest.raises(croft.Error):
        croft.Bugs(LINE).sample({"x": X, "y": Y})
    with pytest.raises(ValueError, match="until has rhat and ess"):
        croft.Bugs(LINE).sample(DATA, until={"r": 1})
    with pytest.raises(ValueError, match="method"):
        croft.Bugs(LINE).sample(DATA, method="exact")
    with pytest.raises(croft.Error):
        croft.Bugs(LINE).sample(DATA, chains=0)


def test_until_stops_early(line):
    result = line.sample(DATA, monitor=["alpha"], until={"rhat": 1.05, "ess": 200}, samples=1_000_000)
    assert result.iterations < 100_000 and result.summary().loc["alpha", "ess"] >= 200


def test_no_number_is_a_value_of_an_exact_answer():
    model = croft.Bugs("model { k ~ dcat(p)\n z <- log(k - 2) }")
    result = model.sample({"p": [0.5, 0.3, 0.2]}, monitor="z")
    assert result.exact["z"] == pytest.approx({-math.inf: 0.3, 0.0: 0.2, None: 0.5})
    assert math.isnan(result.summary().loc["z", "mean"]) and "probability 0.5" in result.warnings[0]
    with pytest.raises(croft.Error, match="program:2:7: a subscript is 4 where k is 3"):
        croft.Bugs("model { k ~ dcat(p)\n z <- p[k + 1] }").sample({"p": [0.5, 0.3, 0.2]})


def test_lists_of_winbugs_are_read_row_by_row(tmp_path):
    (tmp_path / "rows.txt").write_text("list(Y = structure(.Data = c(1, 1, 1, 9, 9, 9), .Dim = c(2, 3)))")
    model = croft.Bugs("model { for (i in 1:2) {\n for (j in 1:3) { Y[i,j] ~ dnorm(m[i], 1000) }\n"
                       " m[i] ~ dnorm(0, 0.001) } }")
    with pytest.warns(UserWarning, match='"Y" is read row by row') as told:
        result = model.sample(tmp_path / "rows.txt", samples=100)
    assert len(told) == 1 and result.summary()["mean"].round().tolist() == [1, 9]
