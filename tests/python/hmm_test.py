"""croft.HMM: counting, Baum-Welch, questions, files."""
import itertools
import math
import os
import pickle
import random
import subprocess

import pytest

import croft

WORDS = [["the", "dog", "barks"], ["the", "cat"], ["dogs", "barks", "the", "dog"]]
LABELS = [["D", "N", "V"], ["D", "N"], ["N", "V", "D", "N"]]


def fitted(**options):
    return croft.HMM(**{"threads": 1, **options}).fit(WORDS, LABELS)


def test_counts_give_the_probabilities_of_labelled_data():
    hmm = fitted(smoothing=0, rare=0)
    assert hmm.classes_ == ["D", "N", "V"]
    assert hmm.start_ == pytest.approx([2 / 3, 1 / 3, 0])
    assert hmm.transitions_[1] == pytest.approx([0, 0, 1])
    assert hmm.ends_ is None
    assert hmm.predict([["the", "cat", "barks"]]) == [["D", "N", "V"]]


def test_ends_have_probabilities_where_they_are_asked_for():
    hmm = fitted(smoothing=1, transition_smoothing=0.5, ends=True)
    for row, end in zip(hmm.transitions_, hmm.ends_):
        assert sum(row) + end == pytest.approx(1)
    assert hmm.ends_[1] == pytest.approx(2.5 / 6)


def test_log_likelihood_is_that_of_the_definition():
    hmm = fitted(smoothing=0.3, rare=0)
    names = hmm.classes_
    counts = {(w, l): 0.3 for w in ["the", "dog", "barks", "cat", "dogs", None] for l in names}
    for words, labels in zip(WORDS, LABELS):
        for pair in zip(words, labels):
            counts[pair] += 1
    total = {l: sum(n for (_, m), n in counts.items() if m == l) for l in names}
    x = ["the", "bird", "barks"]  # bird: an unknown value
    p = 0.0
    for y in itertools.product(range(3), repeat=3):
        each = hmm.start_[y[0]]
        for t, word in enumerate(x):
            seen = word if word != "bird" else None
            each *= counts[seen, names[y[t]]] / total[names[y[t]]]
            each *= hmm.transitions_[y[t - 1]][y[t]] if t > 0 else 1
        p += each
    assert hmm.log_likelihood([x])[0] == pytest.approx(math.log(p), abs=1e-9)
    assert hmm.score([x]) == pytest.approx(math.log(p) / 3, abs=1e-9)


def test_each_key_of_a_dict_is_an_observation_of_its_own():
    rows = croft.HMM(format="columns").fit([[["the", "x"], ["dog", "y"]]] * 2, [["D", "N"]] * 2)
    dicts = croft.HMM().fit([[{"word": "the", "tag": "x"}, {"word": "dog", "tag": "y"}]] * 2, [["D", "N"]] * 2)
    names = croft.HMM().fit([[["word=the", "tag=x"], ["word=dog", "tag=y"]]] * 2, [["D", "N"]] * 2)
    a = rows.log_likelihood([[["the", "y"], ["?", "x"]]])
    assert dicts.log_likelihood([[{"word": "the", "tag": "y"}, {"word": "?", "tag": "x"}]]) == pytest.approx(a)
    assert names.log_likelihood([[["word=the", "tag=y"], ["word=?", "tag=x"]]]) == pytest.approx(a)
    # What is not observed says nothing.
    assert dicts.log_likelihood([[{"word": "the"}]])[0] > dicts.log_likelihood([[{"word": "the", "tag": "y"}]])[0]


def unlabelled(n=40):
    """Words a0 to a2 and b0 to b2: the letter stays mostly, the digit is drawn anew."""
    draw = random.Random(1)
    sequences = []
    for _ in range(n):
        letter, words = draw.choice("ab"), []
        for _ in range(15):
            letter = letter if draw.random() < 0.9 else "ab"[letter == "a"]
            words.append(letter + draw.choice("012"))
        sequences.append(words)
    return sequences


def test_without_labels_states_are_found_by_baum_welch():
    hmm = croft.HMM(states=2, tolerance=1e-8, seed=2).fit(unlabelled())
    assert hmm.classes_ == ["S1", "S2"]
    labels = hmm.predict([["a0", "a1", "a2", "b0", "b1", "b2"]])[0]
    assert labels[:3] == [labels[0]] * 3 and labels[3:] == [labels[3]] * 3 and labels[0] != labels[3]


def test_the_objective_never_increases():
    hmm = croft.HMM(states=3, em_iterations=30, tolerance=0, starts=1).fit(unlabelled())
    objectives = [each["objective"] for each in hmm.training_log_]
    assert 5 < len(objectives) <= 30
    assert all(b <= a + 1e-9 * abs(a) for a, b in zip(objectives, objectives[1:]))
    assert objectives[-1] < objectives[0]


def test_labels_may_be_known_in_part():
    y = [None, ["D", None], ["N", {"V", "D"}, "D", "N"]]
    hmm = croft.HMM().fit(WORDS + [["the", "dog"]], y + [["D", "N"]])
    assert set(hmm.classes_) == {"D", "N", "V"}
    assert len(hmm.training_log_) > 1
    assert hmm.predict([["the", "dog"]]) == [["D", "N"]]


def test_a_callback_that_says_false_stops():
    seen = []
    hmm = croft.HMM(states=2, tolerance=0, starts=1).fit(
        unlabelled(), callback=lambda e: seen.append(e) or len(seen) < 4)
    assert len(seen) == 4 and len(hmm.training_log_) == 4
    with pytest.raises(ZeroDivisionError):
        croft.HMM(states=2).fit(unlabelled(), callback=lambda e: 1 / 0)


def test_a_checkpoint_goes_on_to_the_same_model(tmp_path):
    keep = {"checkpoint": tmp_path / "state", "checkpoint_interval": 0}
    options = {"states": 2, "starts": 2, "em_iterations": 20, "tolerance": 0, "seed": 3}
    whole = croft.HMM(**options).fit(unlabelled())
    croft.HMM(**options, **keep).fit(unlabelled(), callback=lambda now: now["iteration"] < 7)
    again = croft.HMM(**options, **keep, resume=True).fit(unlabelled())
    assert again.training_log_[0]["iteration"] == 8
    assert again.model_.to_bytes() == whole.model_.to_bytes()


def test_marginals_k_best_and_samples_agree_with_each_other():
    hmm = fitted(smoothing=0.5)
    x = ["the", "dog", "bird"]
    marginals = hmm.predict_marginals([x])[0]
    labellings = hmm.k_best([x], 27)[0]
    assert sum(math.exp(each.log_probability) for each in labellings) == pytest.approx(1)
    for t in range(3):
        for label in hmm.classes_:
            p = sum(math.exp(e.log_probability) for e in labellings if e.labels[t] == label)
            assert marginals[t][label] == pytest.approx(p, abs=1e-9)
    assert labellings[0].labels == hmm.predict([x])[0]
    draws = hmm.sample([x], 400, seed=3)[0]
    share = sum(draw[2] == "N" for draw in draws) / 400
    assert share == pytest.approx(marginals[2]["N"], abs=0.1)
    numpy = pytest.importorskip("numpy")
    assert numpy.allclose(hmm.predict_proba([x])[0][0], [marginals[0][label] for label in hmm.classes_])


def test_a_suffix_tells_unknown_words_apart():
    words = [["walking", "talking", "nation", "station", "singing", "motion", "x"]]
    labels = [["V", "V", "N", "N", "V", "N", "O"]]
    hmm = croft.HMM(suffix=3, rare=1).fit(words, labels)
    marginals = hmm.predict_marginals([["jumping"], ["relation"]])
    assert marginals[0][0]["V"] > 0.6 and marginals[1][0]["N"] > 0.6


def test_save_load_pickle_and_bytes_keep_every_answer(tmp_path):
    hmm = fitted(suffix=2)
    x = [["the", "dogging", "barks"]]
    path = tmp_path / "hmm.croft"
    hmm.save(path)
    loaded = croft.load(path)
    assert "hmm" in repr(loaded)
    for other in (loaded, pickle.loads(pickle.dumps(hmm)), pickle.loads(pickle.dumps(loaded))):
        assert other.predict_marginals(x) == hmm.predict_marginals(x)
    assert path.read_bytes() == hmm.model_.to_bytes() == fitted(suffix=2, threads=2).model_.to_bytes()
    croft.save(hmm, tmp_path / "again.croft")
    assert (tmp_path / "again.croft").read_bytes() == path.read_bytes()


def test_inspect_lists_what_is_likeliest():
    inspection = fitted().inspect(2)
    assert inspection["kind"] == "hmm"
    assert inspection["top"]["start"][0]["label"] == "D"
    assert inspection["top"]["emissions"]["U0"]["N"][0]["value"] == "dog"
    assert "hmm" in str(inspection)


def test_what_only_weights_can_answer_is_refused():
    hmm = fitted()
    with pytest.raises(croft.Error, match="hmm"):
        hmm.model_.state_features
    with pytest.raises(croft.Error, match="hmm"):
        hmm.model_.explain(["the"])
    with pytest.raises((croft.Error, ValueError), match="hmm"):
        croft.ChainCRF(prior=hmm.model_, format="columns").fit(WORDS, LABELS)


@pytest.mark.parametrize("options, error", [
    ({"smoothing": -1}, "smoothing"), ({"states": 0}, "states"), ({"suffix": 3, "rare": 0}, "suffix"),
    ({"format": "rows"}, "format"), ({"decode": "best"}, "decode"), ({"starts": 0}, "starts"),
    ({"states": 2}, "states")])
def test_options_that_make_no_sense_are_errors(options, error):
    with pytest.raises(ValueError, match=error):
        fitted(**options)


def test_what_does_not_fit_is_an_error_that_says_where():
    with pytest.raises(ValueError, match="3 sequences"):
        croft.HMM().fit(WORDS, LABELS[:2])
    with pytest.raises(ValueError, match=r"y\[1\]"):
        croft.HMM().fit(WORDS, [LABELS[0], ["D"], LABELS[2]])
    with pytest.raises(ValueError, match="states"):
        croft.HMM().fit(WORDS)
    with pytest.raises(ValueError, match=r"sample_weight\[0\]"):
        croft.HMM().fit(WORDS, LABELS, sample_weight=[-1, 1, 1])
    with pytest.raises(TypeError, match="states"):
        croft.HMM(states="two").fit(WORDS)
    with pytest.raises(ValueError, match="not fitted"):
        croft.HMM().predict(WORDS)


def test_it_is_a_scikit_learn_estimator():
    base = pytest.importorskip("sklearn.base")
    model_selection = pytest.importorskip("sklearn.model_selection")
    hmm = base.clone(croft.HMM(smoothing=0.7, suffix=2))
    assert hmm.get_params()["smoothing"] == 0.7 and not hasattr(hmm, "model_")
    scores = model_selection.cross_val_score(croft.HMM(), WORDS * 4, LABELS * 4, cv=3)
    assert all(score > 0.9 for score in scores)
    assert hmm.fit(WORDS, LABELS).score(WORDS, LABELS) == 1


def test_weights_of_sequences_count_as_copies():
    twice = croft.HMM().fit(WORDS + WORDS[:1], LABELS + LABELS[:1])
    weighted = croft.HMM().fit(WORDS, LABELS, sample_weight=[2, 1, 1])
    assert weighted.transitions_ == twice.transitions_
    left_out = croft.HMM().fit(WORDS, LABELS, sample_weight=[1, 1, 0])
    assert left_out.transitions_ == croft.HMM().fit(WORDS[:2], LABELS[:2]).transitions_


@pytest.mark.parametrize("ends", [False, True])
def test_a_chain_made_of_it_becomes_a_hidden_markov_model_again(tmp_path, ends):
    x = [[{"w": word} for word in words] for words in WORDS]
    hmm = croft.HMM(ends=ends).fit(x, LABELS)
    hmm.save(tmp_path / "hmm.croft")
    subprocess.run([os.environ["CROFT"], "convert", tmp_path / "hmm.croft", "-o", tmp_path / "chain.croft"], check=True)
    chain = croft.load(tmp_path / "chain.croft")
    observations = [{"w": word} for word in ["the", "dog", "barks", "cat", "dogs"]]
    start, transitions, emissions = chain.hmm(observations, 3)
    for given in itertools.product(range(5), repeat=3):
        weights = {y: start[y[0]] * math.prod(transitions[t, y[t], y[t + 1]] for t in range(2))
                   * math.prod(emissions[v, j] for v, j in zip(given, y))
                   for y in itertools.product(range(3), repeat=3)}
        marginal = [sum(weight for y, weight in weights.items() if y[1] == j) / sum(weights.values()) for j in range(3)]
        assert hmm.predict_proba([[observations[v] for v in given]])[0][1] == pytest.approx(
            marginal, rel=1e-4, abs=1e-9)


def test_objectives_are_of_the_posterior_too():
    conditional = fitted(objective="conditional", rare=0)
    objectives = [entry["objective"] for entry in conditional.training_log_]
    assert len(objectives) > 2 and objectives == sorted(objectives, reverse=True)
    # log p(y|x), of the posterior that predictions have
    found = sum(conditional.model_.log_likelihood(WORDS, LABELS))
    assert conditional.training_log_[-1]["log_likelihood"] == pytest.approx(found, abs=1e-3)
    hybrid = fitted(objective="hybrid", coupling=1e4, rare=0, em_iterations=3000, tolerance=0)
    counted = fitted(rare=0)
    for ours, theirs in zip(hybrid.transitions_, counted.transitions_):
        assert ours == pytest.approx(theirs, abs=1e-2)
    with pytest.raises(ValueError, match="none of a hidden Markov model"):
        fitted(objective="max-margin")
    with pytest.raises(ValueError, match="coupling is of objective"):
        fitted(coupling=2)
