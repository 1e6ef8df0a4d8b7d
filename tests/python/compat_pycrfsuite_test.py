"""croft.compat.pycrfsuite used as python-crfsuite is, and what its arguments mean."""
import itertools
import math
import pickle
import signal
import warnings
from fractions import Fraction

import pytest

import croft
from conftest import items, sentences
from croft.compat import DifferenceWarning, pycrfsuite
from croft.estimator import TrainingInterrupted


def trainer_on(words, y, **params):
    trainer = pycrfsuite.Trainer(params=params, verbose=False)
    for xseq, yseq in zip(items(words), y):
        trainer.append(xseq, yseq)
    return trainer


def trained(words, y, **params):
    """A dot in the name of a parameter is written __."""
    dotted = {name.replace("__", "."): value for name, value in params.items()}
    trainer = trainer_on(words, y, **dotted)
    trainer.train("")
    return trainer


def objective(model, X, y, c1, c2):
    """-log-likelihood and CRFsuite's penalties, by the weights that the model shows."""
    weights = [*model.state_features.values(), *model.transition_features.values()]
    return (-sum(model.log_likelihood(X, y)) + c1 * sum(map(abs, weights))
            + c2 * sum(w * w for w in weights))


@pytest.fixture(scope="module")
def few():
    """Sentences in which not every pair of tags occurs."""
    return sentences(12, 7, noise=0)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A model of four tags, in a file whose name is the peer's."""
    name = str(tmp_path_factory.mktemp("models") / "tags.crfsuite")
    trainer_on(*sentences(60, 3), c2=0.1).train(name)
    return name


@pytest.fixture
def tagger(path):
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    return tagger


def test_train_open_and_tag_as_the_peers_users_write_it(tmp_path):
    words, y = sentences(80, 1)
    X = items(words)
    name = str(tmp_path / "model.crfsuite")
    trainer = pycrfsuite.Trainer(verbose=False)
    for xseq, yseq in zip(X[:60], y[:60]):
        trainer.append(xseq, yseq)
    trainer.set_params({"c1": 0.1, "c2": 1e-3, "max_iterations": 50,
                        "feature.possible_transitions": True})
    assert "c1" in trainer.params()
    trainer.train(name)
    assert trainer.logparser.last_iteration["loss"] == trainer.logparser.iterations[-1]["loss"]
    tagger = pycrfsuite.Tagger()
    tagger.open(name)
    pairs = [(a, b) for x, gold in zip(X[60:], y[60:]) for a, b in zip(tagger.tag(x), gold)]
    assert sum(a == b for a, b in pairs) / len(pairs) > 0.85
    info = tagger.info()
    assert set(info.labels) == set("DJNV")
    assert info.state_features[("word:cat", "N")] > 0


@pytest.mark.parametrize("states, transitions", itertools.product((False, True), repeat=2))
def test_features_are_those_that_occur_or_all_for_states_and_transitions_apart(few, states,
                                                                               transitions):
    words, y = few
    model = trained(words, y, feature__possible_states=states, c2=0.3,
                    feature__possible_transitions=transitions).model_
    seen_pairs = {pair for labels in y for pair in zip(labels, labels[1:])}
    every_pair = set(itertools.product(set(sum(y, [])), repeat=2))
    assert seen_pairs < every_pair
    assert set(model.transition_features) == (every_pair if transitions else seen_pairs)
    seen = {(name, label) for x, labels in zip(items(words), y)
            for position, label in zip(pycrfsuite.ItemSequence(x).items(), labels)
            for name, value in position.items()}
    if states:
        assert set(model.state_features) > {pair for pair in seen if pair[0] != "upper"}
        assert ("word:cat", "V") in model.state_features
    else:
        assert set(model.state_features) <= seen


@pytest.mark.parametrize("c1, c2", [(0, 1.0), (0, 0.1), (0.5, 0.1), (0.7, 0)])
@pytest.mark.parametrize("transitions", (False, True))
def test_the_loss_is_that_of_the_peer_and_its_minimum(few, c1, c2, transitions):
    words, y = few
    trainer = trained(words, y, c1=c1, c2=c2, feature__possible_transitions=transitions,
                      delta=1e-10)
    model, last = trainer.model_, trainer.logparser.last_iteration
    loss = objective(model, items(words), y, c1, c2)
    assert last["loss"] == pytest.approx(loss, rel=1e-6)
    other = croft.ChainCRF(l1=c1, l2=2 * c2, tolerance=1e-10).fit(items(words), y)
    least = objective(other.model_, items(words), y, c1, c2)
    assert loss <= least * (1 + 1e-5)  # more features at most lower it
    if not transitions:
        assert loss == pytest.approx(least, rel=1e-5)


def test_all_possible_transitions_change_nothing_where_all_occur():
    """The start, and so each step, is what it is without."""
    words, y = sentences(60, 3, noise=0.2)
    one, other = (trained(words, y, c2=0.1, max_iterations=4, feature__possible_transitions=flag)
                  for flag in (False, True))
    assert set(itertools.product("DJNV", repeat=2)) == set(one.model_.transition_features)
    for a, b in ((one.model_.state_features, other.model_.state_features),
                 (one.model_.transition_features, other.model_.transition_features)):
        assert a == pytest.approx(b, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("c1, c2", [(0, 0.1), (0.05, 0.1), (0.3, 0)])
def test_all_possible_transitions_are_those_of_data_that_shows_them_and_weighs_nothing(few, c1, c2):
    words, y = few
    shown = [list(pair) for pair in itertools.product(sorted(set(sum(y, []))), repeat=2)]
    crf = croft.ChainCRF(optimizer="owlqn" if c1 else "lbfgs", l1=c1, l2=2 * c2, history=6,
                         tolerance=1e-5).fit(
        items(words) + [[[], []]] * len(shown), y + shown,
        sample_weight=[1] * len(y) + [1e-300] * len(shown))
    trainer = trained(words, y, c1=c1, c2=c2, feature__possible_transitions=1)
    losses = [each["loss"] for each in trainer.logparser.iterations]
    assert losses[:8] == pytest.approx([e["objective"] for e in crf.training_log_[1:9]], rel=1e-6)


def test_sequences_of_one_position_show_no_transitions():
    trainer = pycrfsuite.Trainer(params={"feature.possible_transitions": True}, verbose=False)
    trainer.append([["a"]], ["A"])
    trainer.append([["b"]], ["B"])
    trainer.train("")
    assert trainer.model_.transition_features == {}
    assert trainer.model_.predict([[["b"]]]) == [["B"]]


def test_minfreq_counts_occurrences(few):
    words, y = few
    model = trained(words, y, feature__minfreq=2.5, c2=0.3).model_
    count = {}
    for sentence, labels in zip(words, y):
        for word, label in zip(sentence, labels):
            count["word:" + word, label] = count.get(("word:" + word, label), 0) + 1
    kept = {pair for pair in model.state_features if pair[0].startswith("word:")}
    assert kept == {pair for pair, n in count.items() if n >= 3}
    assert kept != set(count)


def test_stopping_rules_are_the_peers(few):
    words, y = few
    assert len(trained(words, y, max_iterations=3).logparser.iterations) == 3
    loose = trained(words, y, c2=0.01, epsilon=0.5).logparser.last_iteration
    assert loose["error_norm"] <= 0.5 * max(1, loose["feature_norm"])
    assert loose["num"] < trained(words, y, c2=0.01).logparser.last_iteration["num"]
    log = trained(words, y, c2=0.01, epsilon=0, period=3, delta=0.2).logparser
    losses = [sum(map(len, y)) * math.log(4), *(each["loss"] for each in log.iterations)]
    small = [(losses[k - 3] - losses[k]) / losses[k] < 0.2 for k in range(3, len(losses))]
    assert small == [False] * (len(small) - 1) + [True]
    off = trained(words, y, c2=0.01, epsilon=1e-6, period=0, delta=0.9).logparser.last_iteration
    assert off["error_norm"] <= 1e-6 * max(1, off["feature_norm"])


def test_probability_and_marginals_agree_with_an_enumeration(tagger):
    xseq = items([["the", "cat", "sees"]])[0]
    assert tagger.tag(xseq) == ["D", "N", "V"]
    labellings = list(itertools.product(tagger.labels(), repeat=3))
    probability = {labels: tagger.probability(labels) for labels in labellings}
    assert sum(probability.values()) == pytest.approx(1)
    assert max(probability, key=probability.get) == ("D", "N", "V")
    for label, pos in itertools.product(tagger.labels(), range(3)):
        expected = sum(p for labels, p in probability.items() if labels[pos] == label)
        assert tagger.marginal(label, pos) == pytest.approx(expected, abs=1e-12)


def test_the_current_sequence_is_the_one_last_given(tagger):
    first, second = items([["the", "cat"], ["Oslo"]])
    tagger.set(first)
    assert tagger.tag() == ["D", "N"]
    before = tagger.marginal("D", 0)
    tagger.tag(second)
    assert tagger.tag() == ["N"]
    assert tagger.marginal("D", 0) != before
    assert tagger.probability([*"N"]) == pytest.approx(tagger.marginal("N", 0))


def test_an_item_sequence_shows_its_attributes_and_stands_for_what_it_was_made_of(tagger):
    xseq = [{"w": "é", "n": 2, "yes": True, "no": False, "in": {"a": ["x", "y"], "b": 0.5}},
            ["p", "q"]]
    sequence = pycrfsuite.ItemSequence(xseq)
    assert pycrfsuite.ItemSequence([{"a": 2}.keys()]).items() == [{"a": 1.0}]
    assert sequence.items() == [
        {"w:é": 1.0, "n": 2.0, "yes": 1.0, "no": 0.0, "in:a:x": 1.0, "in:a:y": 1.0, "in:b": 0.5},
        {"p": 1.0, "q": 1.0}]
    assert len(sequence) == 2
    assert "2" in repr(sequence)
    words = items([["the", "old", "cat"]])[0]
    assert tagger.tag(pycrfsuite.ItemSequence(words)) == tagger.tag(words) == ["D", "J", "N"]
    again = pycrfsuite.Trainer(verbose=False)
    again.append(pycrfsuite.ItemSequence(words), ["D", "J", "N"])
    again.train("")
    assert again.model_.labels == ["D", "J", "N"]


def test_a_held_out_group_is_scored_and_not_trained_on():
    words, y = sentences(60, 4, noise=0.2)
    trainer, alone = trainer_on([], [], c2=0.1), trainer_on(words[:40], y[:40], c2=0.1)
    for n, (xseq, yseq) in enumerate(zip(items(words), y)):
        trainer.append(xseq, yseq, group=0 if n < 40 else 5)
    trainer.train("", holdout=5)
    alone.train("")
    assert trainer.model_.state_features == alone.model_.state_features
    last = trainer.logparser.last_iteration
    predicted = trainer.model_.predict(items(words[40:]))
    pairs = [(a, b) for gold, found in zip(y[40:], predicted) for a, b in zip(gold, found)]
    assert last["item_accuracy"] == Fraction(sum(a == b for a, b in pairs), len(pairs))
    assert last["instance_accuracy_float"] == sum(a == b for a, b in zip(y[40:], predicted)) / 20
    for label, score in last["scores"].items():
        assert score.match == pairs.count((label, label))
        assert score.model == sum(b == label for _, b in pairs)
        assert score.ref == sum(a == label for a, _ in pairs)
        assert score.precision == pytest.approx(score.match / max(1, score.model))
        assert score.recall == pytest.approx(score.match / score.ref)
    f1 = [score.f1 for score in last["scores"].values()]
    assert last["avg_f1"] == pytest.approx(sum(f1) / 4)
    for each in trainer.logparser.iterations:
        assert 0 <= each["item_accuracy_float"] == float(each["item_accuracy"]) <= 1


def test_a_label_that_only_the_holdout_has_is_one_of_the_models_and_counted_as_missed():
    trainer = trainer_on(*sentences(20, 1))
    trainer.append([{"word": "x"}, {"word": "cat"}], ["NEW", "N"], 1)
    trainer.train("", holdout=1)
    assert trainer.model_.labels[-1] == "NEW"
    assert any("Number of sequences: 20\n" in text for text in trainer.logparser.log)
    features = [*trainer.model_.state_features, *trainer.model_.transition_features]
    assert not any("NEW" in feature for feature in features)
    scores = trainer.logparser.last_iteration["scores"]
    assert scores["NEW"][:3] == (0, 0, 1)
    assert scores["D"].precision is None


def test_an_empty_sequence_has_probability_0_and_an_unknown_label_is_an_error_of_both_kinds(tmp_path, recwarn):
    trainer = trainer_on(*sentences(20, 1))
    trainer.train(str(tmp_path / "model"))
    tagger = pycrfsuite.Tagger()
    tagger.open(tmp_path / "model")
    label = tagger.labels()[0]
    assert tagger.tag([["never seen"]]) and pickle.loads(pickle.dumps(tagger)).tag([["never seen"]])
    assert not recwarn.list
    for kind in (RuntimeError, ValueError):
        with pytest.raises(kind, match="which the model does not have"):
            tagger.marginal("NONE", 0)
    tagger.set([])
    assert tagger.probability([]) == 0 and tagger.marginal(label, 0) == 0


def test_events_come_in_order_with_their_part_of_the_log(capsys):
    class Watching(pycrfsuite.Trainer):
        seen: list = []

        def on_start(self, log):
            self.seen.append("start")

        def on_featgen_progress(self, log, percent):
            self.seen.append(percent)

        def on_featgen_end(self, log):
            self.seen.append("features")
            assert "attributes: " in log

        def on_prepared(self, log):
            assert "c2: 1.0" in log

        def on_iteration(self, log, info):
            self.seen.append(info["num"])
            assert f"Loss: {info['loss']:.6f}" in log

        def on_optimization_end(self, log):
            self.seen.append("end")

        def on_end(self, log):
            assert "not stored" in log

    trainer = Watching(params={"max_iterations": 2})
    trainer.append([["a"], ["b"]], ["A", "B"])
    trainer.train("")
    assert trainer.seen == ["start", 100, "features", 1, 2, "end"]
    assert capsys.readouterr().out == ""
    assert "".join(trainer.logparser.log).count("***** Iteration #") == 2
    assert trainer.logparser.featgen_num_features == 3


def test_messages_are_printed_unless_told_otherwise(capsys):
    for verbose in (True, False):
        trainer = pycrfsuite.Trainer(verbose=verbose)
        trainer.append([["a"]], ["A"])
        trainer.append([["b"]], ["B"])
        trainer.train("")
        assert ("Iteration #1 *****" in capsys.readouterr().out) == verbose


@pytest.mark.parametrize("base", [pycrfsuite.BaseTrainer, pycrfsuite.Trainer])
def test_message_receives_the_whole_log_line_by_line(base):
    class Collecting(base):
        def __init__(self):  # the peer's need not be called
            self.lines = []

        def message(self, message):
            self.lines.append(message)

    trainer = Collecting()
    assert trainer.get_params()["c2"] == 1 and not trainer.verbose
    trainer.append([["a"], ["b"]], ["A", "B"])
    assert not trainer.lines
    trainer.train("")
    assert "".join(trainer.lines) == "".join(trainer.logparser.log)
    assert "***** Iteration #1 *****\n" in trainer.lines and "type: CRF1d\n" in trainer.lines


def test_an_iteration_says_what_croft_says_of_it(few):
    words, y = few
    log = trained(words, y, c1=0.3, c2=0.05, delta=1e-8).logparser
    crf = croft.ChainCRF(l1=0.3, l2=0.1, history=6, tolerance=1e-8).fit(items(words), y)
    fitted = crf.training_log_
    assert len(log.iterations) == len(fitted) - 1  # croft counts the starting point as 0
    for here, there in zip(log.iterations, fitted[1:]):
        assert here["num"] == there["iteration"]
        assert here["loss"] == pytest.approx(there["objective"])
        assert here["feature_norm"] == pytest.approx(there["weight_norm"])
        assert here["error_norm"] == pytest.approx(there["gradient_norm"])
        assert here["active_features"] == there["active_features"]
        assert here["time"] >= 0
    trials = sum(each["linesearch_trials"] for each in log.iterations)
    assert 1 + trials == fitted.result["evaluations"] > 1 + len(log.iterations)


def test_parameters_are_set_by_value_or_text_and_got_with_their_type():
    trainer = pycrfsuite.Trainer(verbose=False)
    assert trainer.get_params()["c2"] == 1.0
    trainer.set("c2", "0.25")
    trainer.set("max_iterations", "7")
    trainer.set("feature.possible_states", "1")
    assert trainer.get("c2") == 0.25
    assert (trainer.get("max_iterations"), type(trainer.get("max_iterations"))) == (7, int)
    assert trainer.get("feature.possible_states") is True
    assert set(trainer.params()) == set(trainer.get_params())
    assert all(trainer.help(name) for name in trainer.params())
    trainer.select("lbfgs")
    assert trainer.get("c2") == 1.0  # as the peer: choosing the algorithm resets them


@pytest.mark.parametrize("name, value, message", [
    ("c3", 1, "no parameter 'c3'; algorithm 'lbfgs' has"),
    ("variance", 1, "variance is a parameter of algorithm 'arow'"),
    ("c1", "much", "c1 is 'much', and a number"), ("c1", -1, "c1 is -1; it must be"),
    ("c2", float("nan"), "c2 is nan"), ("max_iterations", 1.5, "whole number"),
    ("num_memories", 0, "num_memories is 0"),
    ("linesearch", "golden", "choose one of: MoreThuente"),
    ("feature.possible_states", 2, "must be True or False")])
def test_a_wrong_parameter_is_an_error_that_names_it(name, value, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        pycrfsuite.Trainer(verbose=False).set(name, value)


# CRFsuite's other algorithms.

# An algorithm with what it is in Croft; of both the parameters that are not at their default.
ALGORITHMS = [
    ("l2sgd", {}, dict(optimizer="sgd", l2=2.0, tolerance=1e-6)),
    ("l2sgd", {"c2": 0.05, "period": 3, "delta": 1e-3, "max_iterations": 40},
     dict(optimizer="sgd", schedule="bottou", l2=0.1, window=3, tolerance=1e-3, max_iterations=40)),
    ("l2sgd", {"period": 0, "max_iterations": 5}, dict(optimizer="sgd", l2=2.0, tolerance=0,
                                                       max_iterations=5)),
    ("ap", {}, dict(objective="perceptron")),
    ("averaged-perceptron", {"max_iterations": 3}, dict(objective="perceptron", max_iterations=3)),
    ("pa", {}, dict(objective="passive-aggressive", optimizer="pa-1")),
    ("pa", {"type": 0}, dict(objective="passive-aggressive", optimizer="pa")),
    ("PA", {"type": 1, "c": 0.01}, dict(objective="passive-aggressive", aggressiveness=0.01)),
    ("passive-aggressive", {"type": 2, "c": 0.25, "max_iterations": 4},
     dict(objective="passive-aggressive", optimizer="pa-2", aggressiveness=0.25, max_iterations=4)),
    ("arow", {}, dict(objective="arow")),
    ("arow", {"variance": 0.5, "gamma": 2, "max_iterations": 7},
     dict(objective="arow", variance=0.5, gamma=2, max_iterations=7)),
]


@pytest.mark.parametrize("algorithm, peers, ours", ALGORITHMS)
def test_an_algorithm_is_crofts_with_the_same_parameters(algorithm, peers, ours):
    words, y = sentences(60, 3, noise=0.2)
    trainer = pycrfsuite.Trainer(algorithm, peers, verbose=False)
    for xseq, yseq in zip(items(words), y):
        trainer.append(xseq, yseq)
    trainer.train("")
    if "optimizer" in ours and ours["optimizer"] == "sgd":
        ours = {"gradient_tolerance": 0, "max_iterations": 1000, **ours}
    same = croft.ChainCRF(**ours).fit(items(words), y)
    # The record has the options as they were given.
    assert trainer.model_.to_bytes("crfsuite") == same.model_.to_bytes("crfsuite")
    passes = trainer.logparser.iterations
    assert [each["loss"] for each in passes] == [e["objective"] for e in same.training_log_[1:]]
    assert "linesearch_trials" not in passes[0]


@pytest.mark.parametrize("algorithm", ["l2sgd", "ap", "pa", "arow"])
def test_every_algorithm_tags_new_sentences_and_scores_a_group(algorithm, tmp_path):
    words, y = sentences(100, 5)
    trainer = pycrfsuite.Trainer(algorithm, verbose=False)
    trainer.set("feature.possible_transitions", True)
    for n, (xseq, yseq) in enumerate(zip(items(words), y)):
        trainer.append(xseq, yseq, group=n % 2)
    trainer.train(str(tmp_path / "model"), holdout=1)
    last = trainer.logparser.last_iteration
    assert last["item_accuracy_float"] > 0.9
    assert len(trainer.model_.transition_features) == 16
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "model"))
    assert tagger.tag(items([["the", "old", "cat", "sees", "Oslo"]])[0]) == [*"DJNVN"]
    assert trainer.logparser.log[-2].count(" ended: ") == 1


@pytest.mark.parametrize("algorithm", ["pa", "arow"])
def test_epsilon_is_the_mean_loss_at_which_training_ends(algorithm):
    words, y = sentences(60, 3, noise=0.2)
    trainer = pycrfsuite.Trainer(algorithm, verbose=False)
    for xseq, yseq in zip(items(words), y):
        trainer.append(xseq, yseq)
    trainer.train("")
    losses = [each["loss"] / 60 for each in trainer.logparser.iterations]
    epsilon = losses[5] * 1.001
    first = next(n for n, loss in enumerate(losses) if loss <= epsilon)
    trainer.set("epsilon", epsilon)
    trainer.train("")
    assert trainer.logparser.last_iteration["num"] == first + 1 < len(losses)


@pytest.mark.parametrize("algorithm, name, value, message", [
    ("l2sgd", "calibration.eta", 0.5, "calibration.eta=0.5 changes nothing"),
    ("l2sgd", "calibration.rate", 3, "calibration.rate=3 changes nothing"),
    ("l2sgd", "calibration.samples", 100, "calibration.samples=100 changes nothing"),
    ("l2sgd", "calibration.candidates", 3, "calibration.candidates=3 changes nothing"),
    ("l2sgd", "calibration.max_trials", 3, "calibration.max_trials=3 changes nothing"),
    ("ap", "epsilon", 0.1, "epsilon=0.1 changes nothing"),
    ("pa", "error_sensitive", False, "error_sensitive=False changes nothing"),
    ("pa", "averaging", 0, "averaging=False changes nothing")])
def test_a_parameter_that_changes_nothing_warns(few, algorithm, name, value, message):
    words, y = few
    models = []
    for changed in (False, True):
        trainer = pycrfsuite.Trainer(algorithm, {"max_iterations": 3}, verbose=False)
        for xseq, yseq in zip(items(words), y):
            trainer.append(xseq, yseq)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if changed:
                trainer.set(name, value)
            trainer.train("")
        assert [each.category for each in caught] == [DifferenceWarning] * changed
        if changed:
            assert message in str(caught[0].message)
            assert caught[0].filename == __file__
        models.append(trainer.model_.to_bytes("crfsuite"))
    assert models[0] == models[1]


def test_c_warns_where_there_is_no_limit(few):
    trainer = pycrfsuite.Trainer("pa", {"type": 0, "c": 3}, verbose=False)
    trainer.append([["a"], ["b"]], ["A", "B"])
    with pytest.warns(DifferenceWarning, match="c=3 changes nothing: with type=0"):
        trainer.train("")


def test_each_algorithm_has_its_own_parameters_and_defaults():
    common = {"feature.minfreq", "feature.possible_states", "feature.possible_transitions",
              "max_iterations"}
    own = {"lbfgs": {"c1", "c2", "num_memories", "epsilon", "period", "delta", "linesearch",
                     "max_linesearch"},
           "l2sgd": {"c2", "period", "delta", "calibration.eta", "calibration.rate",
                     "calibration.samples", "calibration.candidates", "calibration.max_trials"},
           "ap": {"epsilon"}, "pa": {"type", "c", "error_sensitive", "averaging", "epsilon"},
           "arow": {"variance", "gamma", "epsilon"}}
    passes = {"l2sgd": 1000, "ap": 100, "pa": 100, "arow": 100}
    trainer = pycrfsuite.Trainer(verbose=False)
    for algorithm, names in own.items():
        trainer.select(algorithm)
        assert set(trainer.params()) == common | names
        assert all(trainer.help(name) for name in names)
        if algorithm in passes:
            assert trainer.get("max_iterations") == passes[algorithm]
    with pytest.raises(ValueError, match="c2 is a parameter of algorithm 'lbfgs' and 'l2sgd', and "
                                         "algorithm is 'arow'"):
        trainer.set("c2", 1)
    trainer.select("pa")
    with pytest.raises(ValueError, match="type is 3; it must be 0, 1 or 2"):
        trainer.set("type", 3)
    with pytest.raises(ValueError, match="choose one of: lbfgs, l2sgd, ap, pa, arow"):
        pycrfsuite.Trainer("newton")


def test_a_line_search_that_is_not_there_warns_and_finds_the_same_minimum(few):
    words, y = few
    with pytest.warns(DifferenceWarning, match="linesearch='Backtracking' changes nothing"):
        other = trained(words, y, linesearch="Backtracking")
    with pytest.warns(DifferenceWarning, match="max_linesearch=3 changes nothing"):
        trained(words, y, max_linesearch=3)
    assert other.model_.state_features == trained(words, y).model_.state_features


def test_info_and_dump_show_the_same_model(tagger, tmp_path, capsys):
    info = tagger.info()
    assert list(info.labels) == tagger.labels()
    assert int(info.header["num_labels"]) == 4
    assert int(info.header["num_attrs"]) == len(info.attributes)
    assert {name for name, _ in info.state_features} <= set(info.attributes)
    tagger.dump(str(tmp_path / "dump.txt"))
    tagger.dump()
    text = (tmp_path / "dump.txt").read_text(encoding="utf-8")
    assert capsys.readouterr().out == text
    (first, second), weight = next(iter(info.transitions.items()))
    assert f"  (1) {first} --> {second}: {weight:.6f}\n" in text
    assert f"--> N: {info.state_features['word:Zürich', 'N']:.6f}\n" in text
    assert text.count("\n  (0) ") == len(info.state_features)


def test_the_file_is_crfsuites_unless_its_name_ends_in_croft(tmp_path):
    trainer = trainer_on(*sentences(60, 3))
    answers = []
    for name, magic in (("a", b"lCRF"), ("a.crfsuite", b"lCRF"), ("a.croft", b"CROF")):
        path = tmp_path / name
        trainer.train(path)
        assert path.read_bytes().startswith(magic)
        assert path.read_bytes() == trainer.model_.to_bytes("crfsuite" if magic == b"lCRF" else "croft")
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        xseq = items([["the", "black", "dog"]])[0]
        y = tagger.tag(xseq)
        answers.append((y, tagger.probability(y), [tagger.marginal("N", t) for t in range(3)],
                        tagger.info().state_features, tagger.info().transitions,
                        tagger.info().attributes))
    assert answers[0] == answers[1] == answers[2]
    assert trainer.logparser.log[-1] == f"Storing the model: {path.stat().st_size} bytes in {path}\n"


def test_the_header_of_a_file_of_crfsuites_is_what_the_file_says(path, tmp_path):
    data = open(path, "rb").read()
    tagger = pycrfsuite.Tagger()
    for opened in (lambda: tagger.open(path), lambda: tagger.open_inmemory(data)):
        with opened():
            header = tagger.info().header
            attributes = len(tagger.info().attributes)
            tagger.dump(tmp_path / "dump")
        assert list(header) == ["magic", "size", "type", "version", "num_features", "num_labels",
                                "num_attrs", "off_features", "off_labels", "off_attrs",
                                "off_labelrefs", "off_attrrefs"]
        assert header["magic"] == "lCRF" and header["type"] == "FOMC"
        assert header["size"] == str(len(data)) and header["version"] == "100"
        assert header["num_labels"] == "4" and header["num_attrs"] == str(attributes)
        assert header["num_features"] == "0" and header["off_features"] == "0x30"
        for name, magic in (("off_labels", b"CQDB"), ("off_attrrefs", b"AFRF")):
            assert data[int(header[name], 16):][:4] == magic
        text = (tmp_path / "dump").read_text(encoding="utf-8")
        assert text.startswith(f"FILEHEADER = {{\n  magic: lCRF\n  size: {len(data)}\n  type: FOMC\n")


def test_labels_and_attributes_may_be_any_text(tmp_path):
    """ASCII labels and attributes without odd characters are what the peer can read back."""
    trainer = pycrfsuite.Trainer(params={"feature.possible_states": True}, verbose=False)
    odd = [["a --> b: 0.5", "名"], ["x:y=z * \\", "}"]]
    trainer.append(odd, ["Ü*", "\\B"])
    trainer.append([["}"]], ["Ü*"])
    trainer.train(str(tmp_path / "m"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "m"))
    assert tagger.tag(odd) == ["Ü*", "\\B"]
    assert set(tagger.info().transitions) == {("Ü*", "\\B")}
    assert ("a --> b: 0.5", "\\B") in tagger.info().state_features


def test_a_tagger_opens_memory_closes_and_can_be_pickled(path, tagger):
    data = open(path, "rb").read()
    other = pycrfsuite.Tagger()
    xseq = items([["the", "dog"]])[0]
    with other.open_inmemory(data):
        assert other.tag(xseq) == tagger.tag(xseq)
    with pytest.raises(ValueError, match="no model; call open first"):
        other.tag(xseq)
    for call in (other.info, other.dump):  # as the peer's
        with pytest.raises(RuntimeError, match="no model; call open first"):
            call()
    assert pickle.loads(pickle.dumps(tagger)).tag(xseq) == ["D", "N"]
    assert croft.load(path).predict([xseq]) == [["D", "N"]]


def test_what_is_wrong_is_named(tagger, tmp_path):
    with pytest.raises(ValueError, match="no current sequence"):
        pycrfsuite.Tagger.of(croft.load(trained_file(tmp_path))).tag()
    tagger.set([["x"]])
    for call, message in [
            (lambda: tagger.probability(["Q"]), "yseq has the label 'Q'"),
            (lambda: tagger.probability(["N", "N"]), "2 labels and the sequence 1"),
            (lambda: tagger.marginal("Q", 0), "y has the label 'Q'"),
            (lambda: tagger.marginal("N", 1), "pos is 1"),
            (lambda: tagger.marginal("N", -1), "pos is -1"),
            (lambda: trainer_on([], []).append([["a"]], []), "xseq has 1 positions and yseq 0"),
            (lambda: trainer_on([], []).train(""), "no sequence to train on"),
            (lambda: trainer_on(*sentences(2, 1)).train("", holdout=3), "holdout is 3")]:
        with pytest.raises(ValueError, match=message):
            call()
    for labels in ([None], "N", [3]):
        with pytest.raises(TypeError, match="yseq"):
            trainer_on([], []).append([["a"]], labels)
    with pytest.raises(FileNotFoundError, match="no folder"):
        trainer_on(*sentences(2, 1)).train(str(tmp_path / "not" / "there"))
    with pytest.raises(FileNotFoundError):
        tagger.open(str(tmp_path / "nothing"))


def trained_file(folder):
    trainer_on(*sentences(5, 1)).train(folder / "five.croft")
    return folder / "five.croft"


def test_models_that_are_not_crofts_or_not_of_attributes_are_refused(tmp_path):
    tagger = pycrfsuite.Tagger()
    (tmp_path / "peer").write_bytes(b"lCRF" + bytes(60))
    with pytest.raises(croft.Error, match="peer.*no CRFsuite model of kind FOMC"):
        tagger.open(str(tmp_path / "peer"))
    for damaged in (b"", b"lCRF", b"lCRFfoo" * 100, b"lCRF" + bytes(60)):
        with pytest.raises(croft.Error):
            tagger.open_inmemory(damaged)
    (tmp_path / "text").write_text("hello, this is not a model\n")
    with pytest.raises(croft.Error, match="not a Croft model"):
        tagger.open(str(tmp_path / "text"))
    rows = croft.ChainCRF(format="columns").fit([[["a"], ["b"]]], [["A", "B"]])
    rows.save(tmp_path / "rows.croft")
    with pytest.raises(croft.Error, match="rows of columns"):
        tagger.open(tmp_path / "rows.croft")


def test_an_interrupted_training_keeps_the_file_that_was_there(tmp_path):
    class Stopping(pycrfsuite.Trainer):
        def on_iteration(self, log, info):
            raise RuntimeError("enough")

    name = trained_file(tmp_path)
    before = name.read_bytes()
    trainer = Stopping()
    trainer.append([["a"], ["b"]], ["A", "B"])
    with pytest.raises(RuntimeError, match="enough"):
        trainer.train(name)
    assert name.read_bytes() == before


def test_ctrl_c_ends_a_training_after_the_iteration_and_keeps_its_model(tmp_path):
    class Interrupted(pycrfsuite.Trainer):
        def on_iteration(self, log, info):
            if info["num"] == 2:
                signal.raise_signal(signal.SIGINT)

    words, y = sentences(20, 1)
    trainer = Interrupted(params={"c2": 0.01})
    for xseq, yseq in zip(items(words), y):
        trainer.append(xseq, yseq)
    with pytest.warns(TrainingInterrupted, match="after iteration 2"):
        trainer.train(tmp_path / "m.croft")
    same = trained(words, y, c2=0.01, max_iterations=2).model_
    assert croft.load(tmp_path / "m.croft").state_features == same.state_features


def test_clear_forgets_the_sequences():
    trainer = trainer_on(*sentences(10, 1))
    trainer.clear()
    trainer.append([["a"]], ["A"])
    trainer.append([["b"]], ["B"])
    trainer.train("")
    assert trainer.model_.labels == ["A", "B"]
    assert math.isclose(sum(trainer.model_.predict_marginals_single([["a"]])[0].values()), 1)
