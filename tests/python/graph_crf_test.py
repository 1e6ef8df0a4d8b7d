"""croft.GraphCRF: against ChainCRF on chains, enumeration elsewhere; structure by the input; errors."""
import itertools
import math
import pickle
import random

import pytest

import croft

TAGS = ["A", "B"]


def chain(sentence):
    g = croft.Cliques()
    for t, word in enumerate(sentence):
        g.variable(t, "tag")
        g.clique("word", [t], {"w": word})
        if t:
            g.clique("next", [t - 1, t])
    return g


def chain_crf(**options):
    return croft.GraphCRF(chain, domains={"tag": TAGS},
                          templates={"word": croft.Template(["tag"]), "next": croft.Template(["tag", "tag"])},
                          **options)


def sentences(count, seed=0):
    rng = random.Random(seed)
    X, y = [], []
    for _ in range(count):
        tag, words, tags = rng.choice(TAGS), [], []
        for _ in range(rng.randint(2, 6)):
            tag = tag if rng.random() < 0.8 else TAGS[1 - TAGS.index(tag)]
            tags.append(tag)
            words.append((tag if rng.random() < 0.7 else rng.choice(TAGS)).lower())
        X.append(words)
        y.append(tags)
    return X, y


def test_a_chain_has_the_weights_of_a_chain_crf():
    X, y = sentences(50)
    ours = chain_crf(tolerance=0, max_iterations=200).fit(X, y)
    plain = croft.ChainCRF(features="all", tolerance=0, max_iterations=500, optimizer="lbfgs")
    plain.fit([[{"w": word} for word in x] for x in X], y)
    theirs = plain.state_features_
    for (name, cell), weight in ours.weights("word").items():
        assert weight == pytest.approx(theirs[name.replace("=", ":"), cell], abs=1e-4)
    for (_, cell), weight in ours.weights("next").items():
        assert weight == pytest.approx(plain.transition_features_[tuple(cell.split(", "))], abs=1e-4)


def friends(people):
    """Structure that the input decides: friends are alike."""
    g = croft.Cliques()
    for name, person in people.items():
        g.variable(name, "smokes")
        g.clique("own", [name], {"bias": 1, "age": person["age"] / 50, "cough": person["cough"]})
    for name, person in people.items():
        for other in person["friends"]:
            if name < other:
                g.clique("friends", [name, other])
    return g


def friends_crf(**options):
    return croft.GraphCRF(friends, domains={"smokes": ["no", "yes"]},
                          templates={"own": croft.Template(["smokes"]),
                                     "friends": croft.Template(["smokes", "smokes"], "same")}, **options)


def groups(count, seed=1):
    rng = random.Random(seed)
    X, y = [], []
    for _ in range(count):
        names = [f"p{k}" for k in range(rng.randint(3, 6))]
        habit = rng.random() < 0.5
        labels = {name: "yes" if habit != (rng.random() < 0.1) else "no" for name in names}
        X.append({name: {"age": rng.randint(10, 80), "friends": rng.sample(names, 2),
                         "cough": float((labels[name] == "yes") != (rng.random() < 0.3))} for name in names})
        y.append(labels)
    return X, y


def test_marginals_and_best_labels_are_those_of_the_definition():
    X, y = groups(40)
    crf = friends_crf().fit(X, y)
    own, same = crf.weights("own"), crf.weights("friends")["(bias)", "same"]
    for x, best, marginals in zip(X[:10], crf.predict(X[:10]), crf.predict_marginals(X[:10])):
        names = list(x)
        total, chance, top = 0.0, dict.fromkeys(names, 0.0), (-math.inf, None)
        for labels in itertools.product(["no", "yes"], repeat=len(names)):
            state = dict(zip(names, labels))
            score = sum(own["bias", state[n]] + own["age", state[n]] * x[n]["age"] / 50
                        + own["cough", state[n]] * x[n]["cough"] for n in names)
            score += sum(same for n in names for m in x[n]["friends"] if n < m and state[n] == state[m])
            total += math.exp(score)
            for n in names:
                chance[n] += math.exp(score) * (state[n] == "yes")
            top = max(top, (score, labels))
        for n, p in zip(names, marginals):
            assert p["yes"] == pytest.approx(chance[n] / total, abs=1e-5)
        assert tuple(best) == top[1]


@pytest.mark.parametrize("objective", ["likelihood", "bethe", "pseudolikelihood", "per-edge", "composite", "piecewise",
                                       "piecewise-pseudolikelihood", "mean-field", "max-margin", "perceptron"])
def test_every_objective_learns_that_friends_are_alike(objective):
    X, y = groups(150)
    crf = friends_crf(objective=objective, max_iterations=60).fit(X, y)
    assert crf.weights("friends")["(bias)", "same"] > 0
    # By coughs alone 0.7; nothing separates these data, which perceptrons and margins would need.
    assert crf.score(X, y) > (0.7 if objective in ("max-margin", "perceptron") else 0.75)


def test_what_is_known_changes_the_rest():
    X, y = groups(100)
    crf = friends_crf().fit(X, y)
    x = {"a": {"age": 40, "friends": ["b"], "cough": 0.5}, "b": {"age": 40, "friends": [], "cough": 0.5}}
    yes = crf.predict_marginals([x], known=[{"a": "yes"}])[0]
    no = crf.predict_marginals([x], known=[{"a": "no"}])[0]
    assert yes[0]["yes"] == pytest.approx(1) and no[0]["yes"] == pytest.approx(0)
    assert yes[1]["yes"] > no[1]["yes"]


def test_hidden_labels_are_summed_over():
    X, y = groups(80)
    rng = random.Random(3)
    partly = [{name: label for name, label in labels.items() if rng.random() < 0.7} for labels in y]
    crf = friends_crf(starts=2).fit(X, partly)
    assert len(crf.training_log_.result["objectives"]) == 2
    assert crf.score(X, y) > 0.6


def test_the_graph_of_an_instance_answers_every_question():
    X, y = groups(40)
    crf = friends_crf().fit(X, y)
    graph = crf.graph(X[0])
    exact = graph.infer("partition")
    assert exact.kind == "exact"
    bound = graph.infer("partition", "mean-field")
    assert bound.value <= exact.value + 1e-9
    assert set(graph.variables) == set(X[0])


def test_a_model_survives_its_file_and_pickle(tmp_path):
    X, y = groups(40)
    crf = friends_crf().fit(X, y)
    crf.save(tmp_path / "m.croft")
    again = croft.GraphCRF.load(tmp_path / "m.croft", friends)
    assert again.predict(X) == crf.predict(X)
    copy = pickle.loads(pickle.dumps(crf))
    assert copy.predict(X) == crf.predict(X)
    assert copy.weights("own") == crf.weights("own")


def test_the_same_seed_gives_the_same_model_for_any_number_of_threads():
    X, y = groups(60)
    one, two = friends_crf(threads=1).fit(X, y), friends_crf(threads=2).fit(X, y)
    assert one._model.bytes() == two._model.bytes()


def test_the_callback_stops_training():
    X, y = groups(30)
    seen = []
    crf = friends_crf().fit(X, y, callback=lambda event: seen.append(event) or len(seen) < 3)
    assert len(seen) == 3 and crf.training_log_.result["reason"] == "stopped"


def test_a_checkpoint_goes_on_to_the_same_model(tmp_path):
    data, keep = sentences(50), {"checkpoint": tmp_path / "state", "checkpoint_interval": 0}
    whole = chain_crf().fit(*data)
    chain_crf(**keep).fit(*data, callback=lambda now: now["iteration"] < 4)
    with pytest.raises(croft.Error, match="another training"):
        chain_crf(resume=True, **keep).fit(*sentences(50, seed=1))
    again = chain_crf(resume=True, **keep).fit(*data)
    assert again.training_log_[0]["iteration"] > 3
    assert again._model.bytes() == whole._model.bytes()


def test_the_log_says_what_the_data_was():
    log = chain_crf().fit(*sentences(5)).training_log_
    assert log.data["instances"] == 5 and log.data["variables"] == sum(map(len, sentences(5)[1]))
    assert [each["iteration"] for each in log] == list(range(len(log)))


def test_unknown_features_at_prediction_say_nothing():
    X, y = sentences(30)
    crf = chain_crf().fit(X, y)
    p = crf.predict_marginals([["zebra"]])[0][0]
    assert p["A"] == pytest.approx(0.5)


def test_interactions_have_the_cells_that_they_are_documented_to_have():
    labels = ["low", "mid", "high"]

    def pair(x):
        g = croft.Cliques()
        g.variable("a", "d")
        g.variable("b", "d")
        g.clique("t", ["a", "b"])
        return g

    rng = random.Random(0)
    y = [[rng.choice(labels), rng.choice(labels)] for _ in range(30)]
    cells = {"table": 9, "same": 1, "same-label": 3, "ordinal": 2, "list": 2}
    for interaction, count in cells.items():
        listed = [("low", "high"), ("high", "low")] if interaction == "list" else ()
        crf = croft.GraphCRF(pair, domains={"d": labels},
                             templates={"t": croft.Template(["d", "d"], interaction, listed)})
        assert len(crf.fit([0] * 30, y).weights("t")) == count
    assert set(crf.weights("t")) == {("(bias)", "low, high"), ("(bias)", "high, low")}


def fails(function, *words):
    with pytest.raises((ValueError, TypeError)) as caught:
        function()
    for word in words:
        assert word in str(caught.value)


def test_errors_name_what_is_wrong():
    X, y = sentences(5)
    fails(lambda: chain_crf().fit(X, y[:-1]), "5", "4")
    fails(lambda: chain_crf().predict(X), "not fitted")
    fails(lambda: chain_crf().fit(X, [["C"] * len(x) for x in X]), "'C'", "'A'")
    fails(lambda: chain_crf(objective="magic").fit(X, y), "magic", "pseudolikelihood")
    fails(lambda: chain_crf(optimizer="sdca").fit(X, y), "sdca", "lbfgs")
    fails(lambda: chain_crf(cost=2.0).fit(X, y), "cost")
    fails(lambda: chain_crf(objective="piecewise").fit(X, [[None] * len(x) for x in X]), "likelihood")
    fails(lambda: croft.GraphCRF(lambda x: 3, domains={"t": TAGS},
                                 templates={"a": croft.Template(["t"])}).fit([1], [[]]), "int", "X[0]")
    g = croft.Cliques()
    g.variable("a", "tag")
    fails(lambda: g.variable("a", "tag"), "'a'")
    fails(lambda: g.clique("next", ["a", "b"]), "'b'", "'next'")
    fails(lambda: croft.GraphCRF(chain, domains={"tag": TAGS},
                                 templates={"word": croft.Template(["tug"])}).fit(X, y), "'tug'")


def test_em_ends_where_the_gradient_ends():
    X, y = sentences(40, seed=3)
    y = [[tag if t % 2 else None for t, tag in enumerate(tags)] for tags in y]
    by_gradient = chain_crf(tolerance=1e-9).fit(X, y)
    by_em = chain_crf(tolerance=1e-9, em_iterations=500).fit(X, y)
    assert by_em.training_log_.result["objective"] == pytest.approx(
        by_gradient.training_log_.result["objective"], rel=1e-5)
    objectives = [each["objective"] for each in by_em.training_log_]
    assert all(after <= before for before, after in zip(objectives, objectives[1:]))
    fails(lambda: chain_crf(em_iterations=5).fit(*sentences(5)), "em_iterations", "all labels are known")
    fails(lambda: chain_crf(em_iterations=5, max_iterations=5).fit(X, y), "em_iterations", "max_iterations")
    fails(lambda: chain_crf(em_iterations=0).fit(X, y), "em_iterations")


def test_keys_that_print_alike_are_still_two_variables():
    def pair(x):
        g = croft.Cliques()
        for key in (1, "1"):
            g.variable(key, "tag")
            g.clique("word", [key])
        g.clique("next", [1, "1"])
        return g

    crf = croft.GraphCRF(pair, domains={"tag": TAGS},
                         templates={"word": croft.Template(["tag"]), "next": croft.Template(["tag", "tag"])})
    crf.fit([0] * 4, [["A", "A"], ["B", "B"], ["A", "A"], ["A", "B"]])
    assert crf.predict([0], known=[{"1": "A"}])[0] == ["A", "A"]
    assert crf.predict([0], known=[{1: "B"}])[0] == ["B", "B"]
    first, second = crf.predict_marginals([0], known=[{1: "A"}])[0]
    assert first["A"] == 1 and 0.5 < second["A"] < 1
    assert list(crf.graph(0).variables) == ["0:1", "1:1"]


def test_what_is_known_has_the_instances_of_x():
    X, y = sentences(5)
    crf = chain_crf().fit(X, y)
    fails(lambda: crf.predict(X, known=y[:2]), "5", "2")
    fails(lambda: crf.predict_marginals(X[:1], known=y[:2]), "1", "2")


def test_a_hold_out_is_scored_after_each_iteration():
    X, y = sentences(60)
    X_dev, y_dev = sentences(20, seed=3)
    crf = chain_crf(early_stop=2, l2=0.01).fit(X, y, X_dev=X_dev, y_dev=y_dev)
    scores = [each["holdout"]["token_accuracy"] for each in crf.training_log_]
    assert crf.training_log_.result["holdout"]["token_accuracy"] == max(scores)
    assert crf.score(X_dev, y_dev) == pytest.approx(max(scores))
    share = chain_crf(holdout=0.25).fit(X, y)
    assert 0.5 < share.training_log_.result["holdout"]["token_accuracy"] <= 1
    with pytest.raises(ValueError, match="X_dev is given: one of them"):
        chain_crf(holdout=0.25).fit(X, y, X_dev=X_dev, y_dev=y_dev)
    with pytest.raises(ValueError, match="early_stop needs holdout"):
        chain_crf(early_stop=2).fit(X, y)
    with pytest.raises(ValueError, match="go together"):
        chain_crf().fit(X, y, X_dev=X_dev)


def test_an_instance_of_weight_two_is_there_twice():
    X, y = sentences(20)
    options = {"tolerance": 0, "max_iterations": 200}
    twice = chain_crf(**options).fit(X + X[:7], y + y[:7])
    weighted = chain_crf(**options).fit(X, y, sample_weight=[2] * 7 + [1] * 13)
    for template in ("word", "next"):
        for key, weight in twice.weights(template).items():
            assert weighted.weights(template)[key] == pytest.approx(weight, abs=1e-4)
    left_out = chain_crf(**options).fit(X, y, sample_weight=[0] * 7 + [1] * 13)
    assert left_out.weights("next") == pytest.approx(chain_crf(**options).fit(X[7:], y[7:]).weights("next"), abs=1e-4)
    with pytest.raises(ValueError, match="sample_weight has 1 numbers"):
        chain_crf().fit(X, y, sample_weight=[1])
    with pytest.raises(ValueError, match="finite number of 0 or more"):
        chain_crf().fit(X, y, sample_weight=[-1] * 20)


def test_labels_have_weights():
    X, y = sentences(40)
    plain = chain_crf(objective="pseudolikelihood").fit(X, y)
    balanced = chain_crf(objective="pseudolikelihood", class_weights="balanced").fit(X, y)
    assert balanced.weights("word") != plain.weights("word")
    with pytest.raises(ValueError, match="instances with one label"):
        chain_crf(class_weights="balanced").fit(X, y)


def test_a_warm_start_goes_on_from_the_model():
    X, y = sentences(40)
    crf = chain_crf(warm_start=True, tolerance=0, max_iterations=100).fit(X, y)
    found, least = crf.training_log_.result["objective"], crf.training_log_[0]["objective"]
    crf.fit(X, y)
    assert crf.training_log_[0]["objective"] == pytest.approx(found, rel=1e-6)
    assert found < least
    X_more, y_more = sentences(30, seed=9)
    other = chain_crf(tolerance=0, max_iterations=200).fit(X_more, y_more)
    assert crf.fit(X_more, y_more).training_log_.result["objective"] == pytest.approx(
        other.training_log_.result["objective"], rel=1e-6)
    with pytest.raises(ValueError, match="prior is also what training starts from"):
        chain_crf(warm_start=True, prior=other).fit(X, y).fit(X, y)


def tables_of(X, y):
    """The same data for queries: a table of words in the order of the sentences."""
    rows = [(n, t, word, tag) for n, (x, tags) in enumerate(zip(X, y)) for t, (word, tag) in enumerate(zip(x, tags))]
    return {"token": {"id": list(range(len(rows))), "sentence": [row[0] for row in rows],
                      "position": [row[1] for row in rows], "w": [row[2] for row in rows],
                      "label": [row[3] for row in rows]}}


TABLES = """
variables = [{domain = "tag", query = "select id, sentence as instance, label from token order by id"}]
[[templates]]
name = "word"
variables = ["tag"]
query = "select id, w from token order by id"
[[templates]]
name = "next"
variables = ["tag", "tag"]
query = '''select a.id, b.id from token a join token b on b.sentence = a.sentence and b.position = a.position + 1'''
"""


@pytest.fixture(scope="module")
def pair():
    """One model twice, by a function and by queries, and data that neither was trained on."""
    X, y = sentences(40)
    options = {"tolerance": 0, "max_iterations": 200, "l2": 0.01}
    return (chain_crf(**options).fit(X, y),
            croft.GraphCRF.from_tables(TABLES, tables_of(X, y), **options).fit(), *sentences(60, seed=4))


@pytest.mark.parametrize("asked", [{}, {"decode": "marginal", "ranking": True, "confusion": True},
                                   {"costs": {("A", "B"): 5.0}}, {"use_known": True}])
def test_a_function_and_queries_are_evaluated_alike(pair, asked):
    crf, tables, X, y = pair
    ours, theirs = crf.evaluate(X, y, **asked), tables.evaluate(tables_of(X, y), **asked)
    assert ours["variables"] == theirs["variables"]
    assert ours["instances"] == theirs["instances"]
    assert ours["domains"]["tag"]["log_loss"] == pytest.approx(theirs["domains"]["tag"]["log_loss"], rel=1e-4)
    assert ours["domains"]["tag"]["labels"] == theirs["domains"]["tag"]["labels"]
    if not asked:
        assert ours["variables"]["accuracy"] == crf.score(X, y)


def test_known_labels_are_evidence_and_not_counted(pair):
    crf, _, X, y = pair
    known = [[tags[0]] + [None] * (len(tags) - 1) for tags in y]
    found = crf.evaluate(X, y, known=known)
    assert found["evidence"] == len(X)
    assert found["variables"]["count"] == sum(map(len, y)) - len(X)
    right = sum(a == b for got, tags in zip(crf.predict(X, known=known), y) for a, b in zip(got[1:], tags[1:]))
    assert found["variables"]["correct"] == right


def test_at_the_best_temperature_the_expected_score_is_the_observed_one(pair):
    fitted, tables, X, y = pair
    crf = pickle.loads(pickle.dumps(fitted))

    def scores(x):  # of all labellings
        graph = crf.graph(x)
        return {tags: graph.score(dict(zip(graph.variables, tags))) for tags in itertools.product(TAGS, repeat=len(x))}

    found = crf.calibrate(X, y)
    assert found["after"]["log_loss"] < found["before"]["log_loss"]
    observed = expected = 0.0
    for x, tags in zip(X, y):
        each = scores(x)  # at the temperature
        top = max(each.values())
        z = sum(math.exp(score - top) for score in each.values())
        observed += each[tuple(tags)]
        expected += sum(score * math.exp(score - top) for score in each.values()) / z
    assert expected == pytest.approx(observed, abs=1e-3 * abs(observed))
    again = pickle.loads(pickle.dumps(tables)).calibrate(tables_of(X, y))
    assert found["temperature"] == pytest.approx(again["temperature"], rel=1e-4)
    assert crf.calibrate(X, y)["temperature"] == pytest.approx(found["temperature"], rel=1e-4)


def test_the_reasons_for_a_label_add_up_to_the_difference_of_the_scores(pair):
    crf, _, X, _ = pair
    x = X[0]
    graph, labels = crf.graph(x), crf.predict([x])[0]
    reasons = crf.explain(x, top=100)
    assert [each["id"] for each in reasons] == [str(t) for t in range(len(x))]
    assert "word" in str(reasons)
    for t, each in enumerate(reasons):
        other = [each["other"] if k == t else label for k, label in enumerate(labels)]
        score = [graph.score(dict(zip(graph.variables, tags))) for tags in (labels, other)]
        assert each["difference"] == pytest.approx(score[0] - score[1], abs=1e-6)
        assert sum(reason["difference"] for reason in each["reasons"]) == pytest.approx(each["difference"], abs=1e-6)
    assert [each["id"] for each in crf.explain(x, [1], known={0: "A"})] == ["1"]
    assert [each["id"] for each in crf.explain(x, known={0: "A"})] == [str(t) for t in range(1, len(x))]


def test_questions_that_make_no_sense_are_errors(pair):
    crf, _, X, y = pair
    with pytest.raises(ValueError, match="y has 1"):
        crf.evaluate(X, y[:1])
    with pytest.raises(TypeError, match="no option depth"):
        crf.evaluate(X, y, depth=3)
    with pytest.raises(ValueError, match="no variable 'x'"):
        crf.explain(X[0], ["x"])
    with pytest.raises(ValueError, match="no variable can have the label .C."):
        crf.explain(X[0], against="C")
    with pytest.raises(ValueError, match="no variable has a label"):
        crf.evaluate(X, [None] * len(X))
    with pytest.raises(ValueError, match="not have labels|no instance of the data has labels"):
        crf.calibrate(X, [None] * len(X))


def how_sure(crf, X):
    marginals = [max(each.values()) for x in crf.predict_marginals(X) for each in x]
    return sum(marginals) / len(marginals)


def test_data_without_labels_makes_a_model_surer():
    X, y = sentences(60, 7)
    alone = chain_crf().fit(X[:5], y[:5])
    surer = chain_crf(entropy=1).fit(X[:5], y[:5], X_unlabelled=X[5:])
    assert how_sure(surer, X[5:]) > how_sure(alone, X[5:])
    hidden = chain_crf(entropy=1, start_deviation=0).fit(X, y[:5] + [[None] * len(x) for x in X[5:]])
    assert hidden.weights("word")["w=a", "A"] == pytest.approx(surer.weights("word")["w=a", "A"], abs=1e-2)
    labelled = chain_crf(self_training=2, confidence=0.7).fit(X[:5], y[:5], X_unlabelled=X[5:])
    assert how_sure(labelled, X[5:]) > how_sure(alone, X[5:])


def test_expected_shares_of_data_without_labels(tmp_path):
    X, y = sentences(60, 8)
    (tmp_path / "shares.tsv").write_text("word:w=a\tA=0.99\nword:w=b\tB=0.99\n")
    crf = chain_crf(expectations=str(tmp_path / "shares.tsv"), expectations_weight=10)
    crf.fit(X[:3], y[:3], X_unlabelled=X[3:])
    where = [each["A"] for x, of in zip(X[3:], crf.predict_marginals(X[3:])) for w, each in zip(x, of) if w == "a"]
    assert sum(where) / len(where) > 0.93


def test_data_without_labels_that_nothing_is_done_with_is_an_error():
    X, y = sentences(10)
    with pytest.raises(ValueError, match="is data for"):
        chain_crf().fit(X, y, X_unlabelled=X)
    with pytest.raises(ValueError, match="are of variables without a label"):
        chain_crf(entropy=1).fit(X, y)
