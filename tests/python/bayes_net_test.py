"""croft.BayesNet: against counts, enumeration and the file formats."""
import math
import pickle
import random

import pytest

import croft

BIT = ["no", "yes"]


def sprinkler():
    return croft.BayesNet({"rain": BIT, "sprinkler": BIT, "wet": BIT}, parents={"wet": ["rain", "sprinkler"]})


def cases(count, seed, missing=0.0):
    rng = random.Random(seed)
    rows = []
    for _ in range(count):
        rain, sprinkler_on = rng.random() < 0.3, rng.random() < 0.5
        wet = rng.random() < (0.95 if rain or sprinkler_on else 0.1)
        row = {"rain": BIT[rain], "sprinkler": BIT[sprinkler_on], "wet": BIT[wet]}
        rows.append({k: None if rng.random() < missing else v for k, v in row.items()})
    return rows


def test_complete_cases_are_counted():
    X = cases(300, 1)
    net = sprinkler().fit(X, smoothing=0.5)
    assert net.parents("wet") == ["rain", "sprinkler"]
    for a in range(2):
        for b in range(2):
            given = [x for x in X if (x["rain"], x["sprinkler"]) == (BIT[a], BIT[b])]
            wet = sum(x["wet"] == "yes" for x in given)
            assert net.table("wet")[a, b, 1] == pytest.approx((wet + 0.5) / (len(given) + 1), abs=1e-12)
    assert net.fit_["iterations"] == 0


def test_em_never_lowers_the_likelihood_and_ends_where_it_says():
    X = cases(300, 2, missing=0.3)
    seen = []
    net = sprinkler().fit(X, callback=lambda now: seen.append(now["log_likelihood"]))
    assert len(seen) > 2 and all(a <= b + 1e-9 for a, b in zip(seen, seen[1:]))
    assert net.log_likelihood(X) == pytest.approx(net.fit_["log_likelihood"], abs=1e-6)
    # The same sum by the graph's own log Z of each case.
    one = sum(net.infer("partition", evidence={k: v for k, v in x.items() if v is not None}).log_partition
              for x in X[:20])
    assert net.log_likelihood(X[:20]) == pytest.approx(one, abs=1e-9)


def test_a_callback_stops_em_and_its_errors_are_the_callers():
    X = cases(100, 3, missing=0.4)
    assert not sprinkler().fit(X, callback=lambda now: now["iteration"] < 2).fit_["converged"]
    with pytest.raises(ZeroDivisionError):
        sprinkler().fit(X, callback=lambda now: 1 / 0)


def test_a_checkpoint_of_em_goes_on_to_the_same_tables(tmp_path):
    X, keep = cases(200, 3, missing=0.4), {"checkpoint": tmp_path / "state", "checkpoint_interval": 0}
    whole = sprinkler().fit(X, starts=2)
    sprinkler().fit(X, starts=2, callback=lambda now: now["iteration"] < 5, **keep)
    seen = []
    again = sprinkler().fit(X, starts=2, resume=True, callback=lambda now: seen.append(now["iteration"]), **keep)
    assert seen[0] == 6
    assert again.to_bif() == whole.to_bif()


def test_files_and_pickles_keep_the_tables(tmp_path):
    net = sprinkler().fit(cases(200, 4), smoothing=1)
    net.write(tmp_path / "n.bif")
    for again in (croft.BayesNet.read(tmp_path / "n.bif"), croft.BayesNet.from_bif(net.to_bif()),
                  pickle.loads(pickle.dumps(net))):
        for name in ("rain", "sprinkler", "wet"):
            assert again.table(name) == pytest.approx(net.table(name), abs=1e-15)
    p = net.infer(evidence={"wet": "yes"}).marginals["rain"]
    assert p.sum() == pytest.approx(1) and p[1] > net.table("rain")[1]


def test_what_is_wrong_is_named():
    with pytest.raises(ValueError, match="'snow'"):
        croft.BayesNet({"a": BIT}, parents={"a": ["snow"]})
    for parents in (["a"], ["b", "b"]):
        with pytest.raises(ValueError, match="'a' is a parent of its own, or has one twice"):
            croft.BayesNet({"a": BIT, "b": BIT}, parents={"a": parents})
    with pytest.raises(ValueError, match="cycle"):
        croft.BayesNet({"a": BIT, "b": BIT}, parents={"a": ["b"], "b": ["a"]})
    net = sprinkler()
    with pytest.raises(ValueError, match="case 1: 'rain' has no state 'hail'"):
        net.fit([{"rain": "no"}, {"rain": "hail"}])
    with pytest.raises(ValueError, match="case 0: there is no variable 'snow'"):
        net.fit([{"snow": "no"}])
    with pytest.raises(ValueError, match="smoothing"):
        net.fit(cases(5, 1), smoothing=-1)
    assert net.log_likelihood([{}]) == pytest.approx(0)
    assert math.isclose(net.log_likelihood([{"rain": "no"}]), math.log(0.5))
