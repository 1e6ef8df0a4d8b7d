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


def clinic(count, seed):
    """Cases of a network a -> c <- b, c -> d."""
    rng = random.Random(seed)
    rows = []
    for _ in range(count):
        a, b = rng.random() < 0.5, rng.random() < 0.5
        c = rng.random() < (0.9 if a and b else 0.2 if a or b else 0.05)
        d = rng.random() < (0.9 if c else 0.2)
        rows.append({name: BIT[value] for name, value in zip("abcd", (a, b, c, d))})
    return rows


@pytest.mark.parametrize("method", ["hill-climbing", "exact", "pc"])
def test_edges_are_learnt(method):
    X = clinic(4000, 1)
    net = croft.BayesNet.from_cases(X).fit(X, learn_structure=method, smoothing=1)
    assert sorted(net.edges) == [("a", "c"), ("b", "c"), ("c", "d")]
    truth = croft.BayesNet(dict.fromkeys("abcd", BIT), parents={"c": ["a", "b"], "d": ["c"]})
    assert net.structural_distance(truth) == {"total": 0, "missing": 0, "extra": 0, "turned": 0}
    assert net.fit_["edges"] == 3
    # The tables are those of the structure.
    assert net.table("c") == pytest.approx(truth.fit(X, smoothing=1).table("c"))


def test_distance_counts_edges_that_are_missing_extra_and_turned():
    chain = croft.BayesNet(dict.fromkeys("abc", BIT), parents={"b": ["a"], "c": ["b"]})
    back = croft.BayesNet(dict.fromkeys("abc", BIT), parents={"a": ["b"], "b": ["c"]})
    collider = croft.BayesNet(dict.fromkeys("abc", BIT), parents={"b": ["a", "c"]})
    none = croft.BayesNet(dict.fromkeys("abc", BIT))
    assert chain.structural_distance(back)["total"] == 0
    assert chain.structural_distance(collider) == {"total": 2, "missing": 0, "extra": 0, "turned": 2}
    assert none.structural_distance(chain) == {"total": 2, "missing": 2, "extra": 0, "turned": 0}
    assert chain.structural_distance(none) == {"total": 2, "missing": 0, "extra": 2, "turned": 0}
    with pytest.raises(ValueError, match="other variables"):
        chain.structural_distance(croft.BayesNet({"a": BIT}))


def test_samples_say_how_sure_an_edge_is():
    X = clinic(2000, 2)
    net = croft.BayesNet.from_cases(X)
    net.fit(X, learn_structure="hill-climbing", bootstrap=20)
    sure = {(u, v): (share, direction) for u, v, share, direction in net.edge_confidence_}
    assert sure["a", "c"] == (1, 1) and sure["b", "c"] == (1, 1)
    assert all(0 < share <= 1 and 0.5 <= direction <= 1 for share, direction in sure.values())
    again = croft.BayesNet.from_cases(X).fit(X, learn_structure="hill-climbing", bootstrap=20, threads=2)
    assert again.edge_confidence_ == net.edge_confidence_ and again.to_bif() == net.to_bif()


def test_climbing_may_start_from_the_edges_that_are_there():
    X = clinic(1000, 3)
    found = croft.BayesNet.from_cases(X).fit(X, learn_structure="exact")
    again = croft.BayesNet(dict.fromkeys("abcd", BIT), {v: found.parents(v) for v in "abcd"})
    again.fit(X, learn_structure="hill-climbing", from_tables=True)
    assert again.fit_["structure_score"] == pytest.approx(found.fit_["structure_score"])
    with pytest.raises(ValueError, match="learn_structure"):
        again.fit(X, learn_structure="pc", from_tables=True)


def test_what_learning_does_not_use_is_refused():
    X = clinic(50, 4)
    net = croft.BayesNet.from_cases(X)
    for options in ({"tabu": 3}, {"learn_structure": "pc", "tabu": 3}, {"learn_structure": "exact", "significance": .1},
                    {"learn_structure": "pc", "network_score": "bdeu"}, {"learn_structure": "no"},
                    {"learn_structure": "exact", "equivalent_sample_size": 2.0}):
        with pytest.raises(ValueError):
            net.fit(X, **options)


def test_states_of_cases_are_in_order():
    net = croft.BayesNet.from_cases([{"a": "10", "b": "x"}, {"a": "9", "b": None}, {"a": "low", "b": "nan"}])
    assert [str(s) for s in net.graph.states("a")] == ["9", "10", "low"]
    assert [str(s) for s in net.graph.states("b")] == ["nan", "x"]
    with pytest.raises(ValueError, match="leave it out"):
        croft.BayesNet.from_cases([{"a": None}])
    assert [str(s) for s in croft.BayesNet.from_cases({"a": [3, 3.0, float("nan"), 1]}).graph.states("a")] == ["1", "3"]
    with pytest.raises(TypeError, match="no names"):
        croft.BayesNet.from_cases(pytest.importorskip("numpy").zeros((3, 2)))
def as_columns(rows):
    return {name: [row[name] for row in rows] for name in rows[0]}


def test_tables_of_any_sort_are_the_same_cases():
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    rows = cases(200, 5, missing=0.2)
    wanted = sprinkler().fit(rows, smoothing=1).to_bif()
    frame = pandas.DataFrame(rows)
    assert sprinkler().fit(frame, smoothing=1).to_bif() == wanted
    assert sprinkler().fit(frame.fillna(numpy.nan), smoothing=1).to_bif() == wanted
    assert sprinkler().fit(frame.astype("string"), smoothing=1).to_bif() == wanted  # pandas.NA
    assert sprinkler().fit(as_columns(rows), smoothing=1).to_bif() == wanted
    array = numpy.array([[row[name] for name in ("rain", "sprinkler", "wet")] for row in rows], dtype=object)
    assert sprinkler().fit(array, smoothing=1).to_bif() == wanted
    digits = croft.BayesNet({"a": ["0", "1"], "b": ["0", "1"]}, parents={"b": ["a"]})
    numbers = numpy.array([[0, 1], [1, numpy.nan], [1, 0]])
    texts = [{"a": "0", "b": "1"}, {"a": "1"}, {"a": "1", "b": "0"}]
    assert digits.fit(numbers, smoothing=1).to_bif() == digits.fit(texts, smoothing=1).to_bif()


def test_bad_tables_are_errors():
    numpy = pytest.importorskip("numpy")
    for wrong in ({"rain": ["no", "maybe"]}, {"snow": ["no"]}, {"rain": ["no"], "wet": []}, numpy.zeros((3, 2)),
                  [{"rain": 1}]):
        with pytest.raises(ValueError):
            sprinkler().fit(wrong)


def test_predictions_are_the_marginals_of_each_case():
    net = sprinkler().fit(cases(500, 6), smoothing=1)
    rows = cases(40, 7, missing=0.4)
    p = net.predict_proba(rows, "rain", threads=2)
    for n, row in enumerate(rows):
        known = {name: state for name, state in row.items() if state is not None and name != "rain"}
        assert p[n] == pytest.approx(net.infer(evidence=known).marginals["rain"], abs=1e-12)
    assert net.predict(as_columns(rows), "rain") == [BIT[row.argmax()] for row in p]
    found = net.evaluate(rows, "rain")
    assert found["log_likelihood"] == pytest.approx(net.log_likelihood(rows))
    gold = [row["rain"] for row in rows]
    right = sum(a == b for a, b in zip(gold, net.predict(rows, "rain")))
    assert found["target"]["tokens"]["accuracy"] == pytest.approx(right / sum(each is not None for each in gold))
    with pytest.raises(ValueError):
        net.predict(rows, "snow")


def test_questions_beside_the_tasks():
    net = sprinkler().fit(cases(500, 8), smoothing=1)
    graph = net.graph
    joint = graph.joint_marginal(["rain", "wet"])
    assert graph.probability({"rain": "yes", "wet": ["no", "yes"]}) == pytest.approx(joint[1].sum())
    assert graph.probability("rain=wet") == pytest.approx(joint[0, 0] + joint[1, 1])
    weights = joint * [[0.3], [0.8]]
    soft = graph.infer(evidence={"rain": {"no": 0.3, "yes": 0.8}}).marginals["wet"]
    assert soft == pytest.approx(weights.sum(axis=0) / weights.sum())
    answer = graph.sensitivity("rain=yes", evidence={"wet": "yes"})
    assert answer["probability"] == pytest.approx(graph.probability("rain=yes", evidence={"wet": "yes"}))
    assert all({"a", "b", "c", "d", "derivative"} <= set(each) for each in answer["parameters"])
    assert graph.entropy()["entropy"] > 0
    for wrong in ([0.5], [0, 0], [-1, 1], ["x", "y"]):
        with pytest.raises(ValueError):
            graph.infer(evidence={"rain": wrong})
    with pytest.raises(ValueError):
        graph.decide()
