"""croft.chain against brute force, derivatives, and a log-domain recursion in plain numpy."""
import itertools
import subprocess
import sys
import threading

import numpy as np
import pytest

import croft
from croft import chain

LAYOUTS = ["single", "padded", "flat", "list"]
DTYPES = [np.float32, np.float64]


def tolerance(dtype):
    return {"rtol": 1e-4, "atol": 2e-5} if dtype == np.float32 else {"rtol": 1e-10, "atol": 1e-11}


# --- Oracles --------------------------------------------------------------------------------------


def score_of(y, p):
    """By definition, in float64."""
    total = sum(p["state"][t, j] for t, j in enumerate(y))
    if len(y) and p.get("start") is not None:
        total += p["start"][y[0]] + p["end"][y[-1]]
    for t in range(1, len(y)):
        total += p["transition"][y[t - 1], y[t]]
        if p.get("edge") is not None:
            total += p["edge"][t, y[t - 1], y[t]]
    return float(total)


def all_labellings(p):
    """Every labelling with its score, those of -inf left out."""
    length, labels = p["state"].shape
    scored = [(np.array(y, dtype=np.int64), score_of(y, p))
              for y in itertools.product(range(labels), repeat=length)]
    return [(y, s) for y, s in scored if s > -np.inf]


def log_sum_exp(a, axis=None):
    high = np.max(a, axis=axis, keepdims=True)
    high = np.where(np.isfinite(high), high, 0)
    with np.errstate(divide="ignore"):
        total = np.log(np.sum(np.exp(a - high), axis=axis, keepdims=True)) + high
    return np.squeeze(total, axis=axis)


def forward_backward(state, transition):
    """log Z and marginals in the log domain, in numpy."""
    alpha, beta = np.empty_like(state), np.zeros_like(state)
    alpha[0] = state[0]
    for t in range(1, len(state)):
        alpha[t] = state[t] + log_sum_exp(alpha[t - 1][:, None] + transition, axis=0)
    for t in range(len(state) - 2, -1, -1):
        beta[t] = log_sum_exp(transition + (state[t + 1] + beta[t + 1])[None, :], axis=1)
    log_z = log_sum_exp(alpha[-1])
    return log_z, np.exp(alpha + beta - log_z)


# --- Cases ----------------------------------------------------------------------------------------


def problem(generator, lengths, labels, dtype, forbid=0.0):
    """Scores of sequences as a list, and what they share."""
    def numbers(*shape):
        x = generator.normal(0, 2, shape)
        x[generator.random(shape) < forbid] = -np.inf
        return x.astype(dtype)
    return {"state": [numbers(t, labels) for t in lengths], "transition": numbers(labels, labels),
            "start": numbers(labels), "end": numbers(labels),
            "edge": [numbers(t, labels, labels) for t in lengths]}


def sequence(p, n):
    """The n-th as the oracles want it."""
    return {**p, "state": p["state"][n].astype(np.float64),
            "edge": None if p.get("edge") is None else p["edge"][n].astype(np.float64)}


def laid_out(values, layout, fill=np.nan):
    """A list of [T_n, ...] as an array of the layout; padding is what nobody may read."""
    if layout == "list":
        return values
    if layout == "single":
        assert len(values) == 1
        return values[0]
    if layout == "flat":
        return np.concatenate(values)
    width = max(len(v) for v in values) + 1
    out = np.full((len(values), width, *values[0].shape[1:]), fill).astype(values[0].dtype)
    for n, v in enumerate(values):
        out[n, :len(v)] = v
    return out


def taken_apart(value, layout, lengths, padding=0):
    """The reverse; checks the padding."""
    if layout == "list":
        return value
    if layout == "single":
        return [value]
    if layout == "flat":
        return np.split(value, np.cumsum(lengths)[:-1])
    for n, t in enumerate(lengths):
        assert (value[n, t:] == padding).all()
    return [value[n, :t] for n, t in enumerate(lengths)]


def arguments(p, layout, lengths):
    """Keyword arguments of a call."""
    out = {k: v for k, v in p.items() if k in ("transition", "start", "end") and v is not None}
    out["state"] = laid_out(p["state"], layout)
    if p.get("edge") is not None:
        out["edge"] = laid_out(p["edge"], layout)
    if layout in ("padded", "flat"):
        out["lengths"] = np.array(lengths)
    return out


def cases():
    generator = np.random.default_rng(5)
    for layout in LAYOUTS:
        for dtype in DTYPES:
            for labels in (1, 2, 3, 8):
                longest = 3 if labels == 8 else 4
                lengths = [longest] if layout == "single" else [2, 0, longest, 1]
                for forbid in (0.0, 0.15):
                    p = problem(generator, lengths, labels, dtype, forbid)
                    if labels == 3:
                        del p["edge"]
                    yield layout, dtype, labels, lengths, p


def possible(p, lengths):
    return all(all_labellings(sequence(p, n)) for n in range(len(lengths)))


CASES = list(cases())
POSSIBLE = [case for case in CASES if possible(case[4], case[3])]


def test_cases_cover_both_possible_and_impossible_ones():
    assert len(POSSIBLE) >= 40 and len(POSSIBLE) < len(CASES)


# --- Answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout,dtype,labels,lengths,p", CASES)
def test_log_partition_is_the_log_sum_over_all_labellings(layout, dtype, labels, lengths, p):
    found = np.atleast_1d(chain.log_partition(**arguments(p, layout, lengths)))
    for n in range(len(lengths)):
        scores = [s for _, s in all_labellings(sequence(p, n))]
        expected = log_sum_exp(np.array(scores)) if scores else -np.inf
        np.testing.assert_allclose(found[n], expected, **tolerance(dtype))
    assert found.dtype == np.float64


@pytest.mark.parametrize("layout,dtype,labels,lengths,p", POSSIBLE)
def test_marginals_are_sums_of_probabilities(layout, dtype, labels, lengths, p):
    states, pairs = chain.marginals(**arguments(p, layout, lengths), edges=True)
    alone = chain.marginals(**arguments(p, layout, lengths))
    states, pairs, alone = (taken_apart(v, layout, lengths) for v in (states, pairs, alone))
    for n, length in enumerate(lengths):
        y, scores = zip(*all_labellings(sequence(p, n)))
        probability = np.exp(np.array(scores) - log_sum_exp(np.array(scores)))
        state, pair = np.zeros((length, labels)), np.zeros((length, labels, labels))
        for labelling, mass in zip(y, probability):
            for t, j in enumerate(labelling):
                state[t, j] += mass
                if t > 0:
                    pair[t, labelling[t - 1], j] += mass
        assert states[n].dtype == pairs[n].dtype == dtype
        np.testing.assert_allclose(states[n], state, **tolerance(dtype))
        np.testing.assert_allclose(alone[n], state, **tolerance(dtype))
        np.testing.assert_allclose(pairs[n], pair, **tolerance(dtype))


@pytest.mark.parametrize("layout,dtype,labels,lengths,p", POSSIBLE)
def test_viterbi_and_k_best_are_the_best_of_all_labellings(layout, dtype, labels, lengths, p):
    best, score = chain.viterbi(**arguments(p, layout, lengths))
    lists = chain.k_best(**arguments(p, layout, lengths), k=5)
    best, score = taken_apart(best, layout, lengths, -1), np.atleast_1d(score)
    lists = [lists] if layout == "single" else lists
    for n in range(len(lengths)):
        one = sequence(p, n)
        scored = sorted(all_labellings(one), key=lambda each: -each[1])
        log_z = log_sum_exp(np.array([s for _, s in scored]))
        assert best[n].dtype == np.int64
        np.testing.assert_allclose(score[n], scored[0][1], **tolerance(dtype))
        np.testing.assert_allclose(score_of(best[n], one), scored[0][1], **tolerance(dtype))
        assert len(lists[n]) == min(5, len(scored))
        assert len({tuple(each.labels) for each in lists[n]}) == len(lists[n])
        for found, (_, expected) in zip(lists[n], scored):
            np.testing.assert_allclose(found.log_probability, expected - log_z, **tolerance(dtype))
            np.testing.assert_allclose(score_of(found.labels, one), expected, **tolerance(dtype))


@pytest.mark.parametrize("layout,dtype,labels,lengths,p", POSSIBLE)
def test_log_likelihood_is_score_less_log_partition_and_sums_over_the_unknown(layout, dtype, labels,
                                                                             lengths, p):
    generator = np.random.default_rng(1)
    gold, expected = [], []
    for n, length in enumerate(lengths):
        scored = all_labellings(sequence(p, n))
        y = scored[generator.integers(len(scored))][0].copy()
        y[generator.random(length) < (0.5 if n % 2 == 0 else 0)] = -1
        fitting = [s for other, s in scored if ((y == -1) | (other == y)).all()]
        gold.append(y)
        every = [s for _, s in scored]
        expected.append(log_sum_exp(np.array(fitting)) - log_sum_exp(np.array(every)))
    given = arguments(p, layout, lengths)
    value = chain.log_likelihood(labels=laid_out(gold, layout, 99), **given)
    np.testing.assert_allclose(np.atleast_1d(value), expected, **tolerance(dtype))
    again, _ = chain.log_likelihood(labels=laid_out(gold, layout, 99), grad=True, **given)
    np.testing.assert_allclose(np.atleast_1d(again), expected, **tolerance(dtype))


# --- Derivatives ----------------------------------------------------------------------------------


def check_by_central_differences(function, given, gradient, generator):
    """function(**given) is a sum; `gradient` its derivative, entry by entry."""
    step = 1e-5
    for name in ("state", "transition", "start", "end", "edge"):
        derivative = getattr(gradient, name)
        if name not in given:
            assert derivative is None
            continue
        arrays, derivatives = ([a] if isinstance(a, np.ndarray) else a
                               for a in (given[name], derivative))
        for array, slope in zip(arrays, derivatives):
            assert array.shape == slope.shape
            for place in generator.permutation(array.size)[:25]:
                x = array.reshape(-1)[place]
                if not np.isfinite(x):
                    assert slope.reshape(-1)[place] == 0  # forbidden, or padding
                    continue
                values = []
                for moved in (x + step, x - step):
                    array.reshape(-1)[place] = moved
                    values.append(function(**given))
                array.reshape(-1)[place] = x
                difference = (values[0] - values[1]) / (2 * step)
                np.testing.assert_allclose(slope.reshape(-1)[place], difference, rtol=1e-6,
                                           atol=1e-8)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("labels", [2, 3, 8])
@pytest.mark.parametrize("edge", [False, True])
def test_gradients_are_the_derivatives_of_weighted_sums(layout, labels, edge):
    generator = np.random.default_rng(labels)
    lengths = [7] if layout == "single" else [5, 1, 9, 0, 3]
    p = problem(generator, lengths, labels, np.float64, 0.05)
    if not edge:
        del p["edge"]
    given = arguments(p, layout, lengths)
    weight = np.array([1.5, -2, 0, 1, 0.25])[:len(lengths)]

    def partition(**scores):
        return float(np.sum(weight * chain.log_partition(**scores)))
    _, gradient = chain.log_partition(**given, weight=weight, grad=True)
    check_by_central_differences(partition, given, gradient, generator)

    gold = [each.labels.copy() for each in
            (chain.k_best(p["state"][n], p["transition"], 2, start=p["start"], end=p["end"],
                          edge=p["edge"][n] if edge else None)[-1] for n in range(len(lengths)))]
    for share in (0.0, 0.4):
        for y in gold:
            y[generator.random(len(y)) < share] = -1
        labels_given = laid_out(gold, layout, -7)

        def likelihood(**scores):
            return float(np.sum(weight * chain.log_likelihood(labels=labels_given, **scores)))
        _, gradient = chain.log_likelihood(labels=labels_given, **given, weight=weight, grad=True)
        check_by_central_differences(likelihood, given, gradient, generator)


def test_marginals_are_the_derivative_of_log_partition():
    p = problem(np.random.default_rng(2), [6, 4], 5, np.float64)
    given = arguments(p, "flat", [6, 4])
    _, gradient = chain.log_partition(**given, grad=True)
    states, pairs = chain.marginals(**given, edges=True)
    np.testing.assert_allclose(gradient.state, states, rtol=1e-12)
    np.testing.assert_allclose(gradient.edge, pairs, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(gradient.transition, pairs.sum(axis=0), rtol=1e-9)
    np.testing.assert_allclose(gradient.start, states[0] + states[6], rtol=1e-12)
    np.testing.assert_allclose(gradient.end, states[5] + states[9], rtol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("labels", [5, 16, 23])
def test_long_sequences_agree_with_a_recursion_in_numpy(dtype, labels):
    generator = np.random.default_rng(3)
    state = generator.normal(0, 3, (300, labels)).astype(dtype)
    transition = generator.normal(0, 2, (labels, labels)).astype(dtype)
    log_z, mu = forward_backward(state.astype(np.float64), transition.astype(np.float64))
    np.testing.assert_allclose(chain.log_partition(state, transition), log_z,
                               rtol=1e-6 if dtype == np.float32 else 1e-12)
    np.testing.assert_allclose(chain.marginals(state, transition), mu, **tolerance(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_huge_scores_and_evidence_that_a_shift_by_the_maximum_loses(dtype):
    state = np.array([[0, -60], [0, -60], [-np.inf, 0]], dtype) * 1000
    diagonal = np.where(np.eye(2, dtype=bool), 0, -np.inf).astype(dtype)
    assert chain.log_partition(state, diagonal) == -120000
    np.testing.assert_array_equal(chain.marginals(state, diagonal), [[0, 1]] * 3)
    far = np.random.default_rng(1).normal(0, 1e5, (50, 3)).astype(dtype)
    labels, score = chain.viterbi(far)
    np.testing.assert_array_equal(labels, far.argmax(axis=1))
    np.testing.assert_allclose(chain.log_partition(far), score, rtol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
def test_many_labels_with_few_allowed_edges_agree_with_an_overlay_of_zeros(dtype):
    labels, lengths = 70, [9, 1, 30, 12]
    generator = np.random.default_rng(4)
    p = problem(generator, lengths, labels, dtype)
    p["transition"][generator.random((labels, labels)) < 0.93] = -np.inf
    np.fill_diagonal(p["transition"], 0.5)
    p["edge"] = [np.zeros_like(e) for e in p["edge"]]  # goes with the dense table
    dense = arguments(p, "padded", lengths)
    listed = {k: v for k, v in dense.items() if k != "edge"}
    weight = [1, 2, -1, 0.5]
    (a, of_a), (b, of_b) = (chain.log_partition(**given, weight=weight, grad=True)
                            for given in (dense, listed))
    np.testing.assert_allclose(a, b, **tolerance(dtype))
    for name in ("state", "transition", "start", "end"):
        np.testing.assert_allclose(getattr(of_a, name), getattr(of_b, name), **tolerance(dtype))
    gold, _ = chain.viterbi(**listed)
    np.testing.assert_array_equal(gold, chain.viterbi(**dense)[0])
    np.testing.assert_allclose(chain.log_likelihood(labels=gold, **listed, grad=True)[1].transition,
                               chain.log_likelihood(labels=gold, **dense, grad=True)[1].transition,
                               **tolerance(dtype))


# --- Samples --------------------------------------------------------------------------------------


def test_samples_have_the_frequencies_of_the_distribution():
    p = problem(np.random.default_rng(7), [3], 3, np.float64)
    one = sequence(p, 0)
    given = arguments(p, "single", [3])
    draws = chain.sample(**given, n=20000, seed=3)
    assert draws.shape == (20000, 3)
    y, scores = zip(*all_labellings(one))
    probability = np.exp(np.array(scores) - log_sum_exp(np.array(scores)))
    frequency = np.array([(draws == each).all(axis=1).mean() for each in y])
    # Four standard errors of each; 27 labellings.
    assert (abs(frequency - probability) <= 4.5 * np.sqrt(probability / 20000) + 1e-4).all()


def test_samples_depend_on_seed_and_index_alone():
    generator = np.random.default_rng(8)
    states = [generator.normal(size=(t, 4)) for t in (5, 0, 9, 2)]
    as_list = chain.sample(states, n=6, seed=11)
    padded = chain.sample(laid_out(states, "padded"), n=6, seed=11, lengths=[5, 0, 9, 2])
    flat = chain.sample(np.concatenate(states), n=6, seed=11, lengths=[5, 0, 9, 2])
    assert padded.shape == (6, 4, 10) and flat.shape == (6, 16)
    for n, (begin, t) in enumerate(((0, 5), (5, 0), (5, 9), (14, 2))):
        assert as_list[n].shape == (6, t)
        np.testing.assert_array_equal(padded[:, n, :t], as_list[n])
        np.testing.assert_array_equal(flat[:, begin:begin + t], as_list[n])
        assert (padded[:, n, t:] == -1).all()
    np.testing.assert_array_equal(chain.sample(states[0], n=6, seed=11), as_list[0])
    assert (chain.sample(states[2], n=6, seed=12) != chain.sample(states[2], n=6, seed=11)).any()


# --- Masks and constraints ------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_mask_is_minus_infinity_in_the_scores(layout):
    generator = np.random.default_rng(9)
    lengths = [6] if layout == "single" else [4, 1, 6]
    p = problem(generator, lengths, 4, np.float64)
    mask = [generator.random(s.shape) < 0.7 for s in p["state"]]
    for m in mask:
        m[:, 2] = True
    masked = {**p, "state": [np.where(m, s, -np.inf) for m, s in zip(mask, p["state"])]}
    allowed = laid_out(mask, layout, False)
    given, expected = arguments(p, layout, lengths), arguments(masked, layout, lengths)
    np.testing.assert_array_equal(chain.log_partition(**given, allowed=allowed),
                                  chain.log_partition(**expected))
    found = chain.marginals(**given, allowed=allowed)
    other = chain.marginals(**expected)
    for a, b, m in zip(*(taken_apart(v, layout, lengths) for v in (found, other)), mask):
        np.testing.assert_array_equal(a, b)
        assert (a[~m] == 0).all()


def test_a_constraint_leaves_what_it_allows():
    names = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    generator = np.random.default_rng(10)
    state = generator.normal(0, 3, (4, 5))
    transition = generator.normal(size=(5, 5))
    bio = chain.Constraint.bio(names)

    def valid(y):
        return all(j in (0, 1, 3) or (t > 0 and y[t - 1] in (j - 1, j)) for t, j in enumerate(y))
    p = {"state": state, "transition": transition}
    scored = [(y, s) for y, s in all_labellings(p) if valid(y)]
    np.testing.assert_allclose(chain.log_partition(state, transition, constraint=bio),
                               log_sum_exp(np.array([s for _, s in scored])), rtol=1e-12)
    assert len(chain.k_best(state, transition, 10**6, constraint=bio)) == len(scored)
    draws = chain.sample(state, transition, 200, constraint=bio)
    assert all(valid(y) for y in draws)


def test_bioes_closes_chunks_and_arrays_make_any_constraint():
    names = ["O", "B-X", "I-X", "E-X", "S-X"]
    bioes = chain.Constraint.bioes(names)
    state = np.random.default_rng(11).normal(0, 5, (30, 5))
    y, _ = chain.viterbi(state, constraint=bioes)
    follows = {0: (0, 1, 4), 1: (2, 3), 2: (2, 3), 3: (0, 1, 4), 4: (0, 1, 4)}
    assert y[0] in (0, 1, 4) and y[-1] in (0, 3, 4)
    assert all(b in follows[a] for a, b in zip(y, y[1:]))
    state = np.array([[0., 9], [0, 9]])
    other = chain.Constraint(end=np.array([True, False]), edge=np.eye(2, dtype=bool))
    np.testing.assert_array_equal(chain.viterbi(state, constraint=other)[0], [0, 0])
    only_zero = chain.Constraint(start=np.array([True, False]))
    np.testing.assert_array_equal(chain.viterbi(state, constraint=only_zero)[0], [0, 1])


# --- Where no labelling is allowed ----------------------------------------------------------------


def impossible():
    states = [np.zeros((3, 2)), np.zeros((2, 2))]
    states[1][1] = -np.inf
    return states


def test_log_partition_and_log_likelihood_are_minus_infinity_where_nothing_is_allowed():
    np.testing.assert_allclose(chain.log_partition(impossible()), [3 * np.log(2), -np.inf])
    labels = [np.array([0, 1, 1]), np.array([0, -1])]
    found = chain.log_likelihood(impossible(), None, labels)
    np.testing.assert_allclose(found, [-3 * np.log(2), -np.inf])


ZEROS = [np.zeros(3, int), np.zeros(2, int)]


@pytest.mark.parametrize("ask", [
    lambda s: chain.log_partition(s, grad=True), lambda s: chain.marginals(s),
    lambda s: chain.marginals(s, edges=True), lambda s: chain.viterbi(s),
    lambda s: chain.k_best(s, k=2), lambda s: chain.sample(s),
    lambda s: chain.log_likelihood(s, None, ZEROS, grad=True)])
def test_what_needs_a_labelling_names_the_sequence_that_has_none(ask):
    with pytest.raises(ValueError, match="sequence 1: no labelling is allowed"):
        ask(impossible())


def test_forbidden_labels_have_no_gradient():
    state = np.zeros((2, 2))
    state[1, 0] = -np.inf
    for labels in ([0, 0], [-1, 0]):
        assert chain.log_likelihood(state, None, np.array(labels)) == -np.inf
        with pytest.raises(ValueError, match="labels are forbidden"):
            chain.log_likelihood(state, None, np.array(labels), grad=True)


# --- Arrays ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [7, 8])
def test_any_strides_give_the_same_bits(labels):
    generator = np.random.default_rng(12)
    state = generator.normal(size=(4, 9, labels))
    transition = generator.normal(size=(labels, labels))
    edge = generator.normal(size=(4, 9, labels, labels))
    views = {"state": np.moveaxis(np.ascontiguousarray(np.moveaxis(state, 2, 0)), 0, 2),
             "transition": np.asfortranarray(transition),
             "edge": np.repeat(edge, 2, axis=1)[:, ::2][:, ::-1][:, ::-1]}
    assert not any(view.flags.c_contiguous for view in views.values())
    for view in views.values():
        view.flags.writeable = False
    a, of_a = chain.log_partition(state, transition, edge=edge, grad=True)
    b, of_b = chain.log_partition(**views, grad=True)
    np.testing.assert_array_equal(a, b)
    for name in ("state", "transition", "edge"):
        np.testing.assert_array_equal(getattr(of_a, name), getattr(of_b, name))
    a_first = chain.log_partition(state[0], transition)
    packed = np.zeros((9, labels), dtype=[("x", np.int8), ("score", np.float64)])  # not aligned
    packed["score"] = state[0]
    assert not packed["score"].flags.aligned
    assert chain.log_partition(packed["score"], transition) == a_first


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("labels,edge", [(6, True), (8, False), (80, False)])
def test_the_number_of_threads_changes_no_bit(dtype, labels, edge):
    generator = np.random.default_rng(13)
    lengths = [int(t) for t in generator.integers(0, 60, 150 if labels > 8 else 2500)]
    p = problem(generator, lengths, labels, dtype)
    if labels == 80:
        p["transition"][generator.random((labels, labels)) < 0.95] = -np.inf
        np.fill_diagonal(p["transition"], 0)
    if not edge:
        del p["edge"]
    given = arguments(p, "flat", lengths)
    gold, _ = chain.viterbi(**given)
    gold[::5] = -1

    def answers(threads):
        yield chain.log_partition(**given, threads=threads)
        value, gradient = chain.log_likelihood(labels=gold, **given, grad=True, threads=threads)
        yield from (value, gradient.state, gradient.transition, gradient.start, gradient.end)
        if edge:
            yield gradient.edge
        yield chain.marginals(**given, threads=threads)
        yield from chain.viterbi(**given, threads=threads)
        yield chain.sample(**given, n=2, threads=threads)
        for each in chain.k_best(**given, k=2, threads=threads):
            yield from (number for pair in each for number in pair)
    for one, three in zip(answers(1), answers(3)):
        assert np.asarray(one).tobytes() == np.asarray(three).tobytes()


def test_the_interpreter_runs_on_during_a_call():
    state = np.zeros((400_000, 24), np.float32)
    running, counted = threading.Event(), 0
    running.set()
    worker = threading.Thread(target=lambda: (chain.marginals(state, threads=1), running.clear()))
    worker.start()
    while running.is_set():
        counted += 1
        threading.Event().wait(0.001)
    worker.join()
    assert counted > 5  # one or two where the lock is kept


def test_an_empty_batch_has_empty_answers():
    empty = np.zeros((0, 5, 3))
    assert chain.log_partition(empty).shape == (0,)
    value, gradient = chain.log_partition(empty, np.zeros((3, 3)), grad=True)
    assert value.shape == (0,) and gradient.state.shape == (0, 5, 3)
    np.testing.assert_array_equal(gradient.transition, np.zeros((3, 3)))
    assert chain.viterbi(empty)[0].shape == (0, 5) and chain.k_best(empty, k=2) == []
    assert chain.log_partition(np.zeros((0, 3))) == 0
    assert len(chain.k_best(np.zeros((0, 3)), k=2)) == 1


def test_importing_croft_does_not_import_numpy():
    code = ("import sys, croft; assert 'numpy' not in sys.modules; croft.chain; "
            "assert 'numpy' in sys.modules")
    subprocess.run([sys.executable, "-c", code], check=True)


# --- Errors ---------------------------------------------------------------------------------------

S, M = np.zeros((4, 3)), np.zeros((3, 3))
B = np.zeros((2, 4, 3))


def with_number(array, place, x):
    out = array.copy()
    out[place] = x
    return out


@pytest.mark.parametrize("call,message", [
    (lambda: chain.log_partition(S.astype(int)), "state is of dtype int64"),
    (lambda: chain.log_partition(S.astype(">f8")), "state is of dtype >f8"),
    (lambda: chain.log_partition([S, S.astype("f2")]), r"state\[1\] is of dtype float16"),
    (lambda: chain.log_partition([1.0]), r"state\[0\] is a float"),
    (lambda: chain.log_partition([]), "state is an empty list"),
    (lambda: chain.log_partition(None), "state is a NoneType"),
    (lambda: chain.log_partition(S[0]), "state has 1 axes"),
    (lambda: chain.log_partition([S, S[0]]), r"state\[1\] has 1 axes"),
    (lambda: chain.log_partition([S, S[:, :2]]),
     r"state\[1\] has shape \[4, 2\], and \[4, 3\] was"),
    (lambda: chain.log_partition(S[:, :0]), "state has no labels"),
    (lambda: chain.log_partition(S, M[:2]),
     r"transition has shape \[2, 3\], and \[3, 3\] was expected"),
    (lambda: chain.log_partition(S, M.astype("f4")),
     "transition is of dtype float32, and state of float64"),
    (lambda: chain.log_partition(S, M.tolist()), r"transition\[0\] is a list"),
    (lambda: chain.log_partition(S, "x"), "transition is a str"),
    (lambda: chain.log_partition(S, start=M), r"start has shape \[3, 3\], and \[3\] was expected"),
    (lambda: chain.log_partition(S, end=M[0, :2]), r"end has shape \[2\]"),
    (lambda: chain.log_partition(S, edge=M),
     r"edge has shape \[3, 3\], and \[4, 3, 3\] was expected"),
    (lambda: chain.log_partition([S], edge=M), "edge must be a list of 1 arrays"),
    (lambda: chain.log_partition(S, edge=[M]), "edge is a list"),
    (lambda: chain.log_partition(S, allowed=S), "allowed is of dtype float64; bool was expected"),
    (lambda: chain.log_partition(S, allowed=M == 0), r"allowed has shape \[3, 3\]"),
    (lambda: chain.log_partition(S, constraint="bio"), "constraint is a str"),
    (lambda: chain.log_partition(S, constraint=chain.Constraint.bio(["B", "I"])),
     "constraint is for 2"),
    (lambda: chain.Constraint.bio(["X"]), "the constraint bio needs labels such as B-X"),
    (lambda: chain.Constraint.bioes(["B-X", "I-X"]), "the constraint bioes needs labels"),
    (lambda: chain.Constraint(edge=np.zeros((2, 3), bool)), r"edge has shape \[2, 3\]"),
    (lambda: chain.Constraint(start=[1, 0]), "start has shape .* and dtype int64"),
    (lambda: chain.log_partition(B, lengths=[4, -1]), r"lengths\[1\] is -1"),
    (lambda: chain.log_partition(B, lengths=[5, 1]), r"lengths\[0\] is 5; a length from 0 to 4"),
    (lambda: chain.log_partition(B, lengths=[4]), "lengths has 1 entries for 2 sequences"),
    (lambda: chain.log_partition(B, lengths=[1.0, 2.0]), "lengths has shape .* and dtype float64"),
    (lambda: chain.log_partition(S, lengths=[1, 2]), "lengths add up to 3, and state has 4"),
    (lambda: chain.log_partition([S], lengths=[4]), "lengths goes with an array"),
    (lambda: chain.log_partition(with_number(S, (2, 1), np.nan)), r"state\[2, 1\] is nan"),
    (lambda: chain.log_partition(with_number(B, (1, 2, 0), np.inf)), r"state\[1, 2, 0\] is inf"),
    (lambda: chain.log_partition([S, with_number(S, (3, 2), np.nan)]),
     r"state\[1\]\[3, 2\] is nan"),
    (lambda: chain.log_partition(with_number(S, (3, 1), np.nan), lengths=[2, 2]),
     r"state\[3, 1\] is nan"),
    (lambda: chain.log_partition(with_number(S, (0, 0), np.finfo("f8").min)),
     r"state\[0, 0\] is -1.79"),
    (lambda: chain.log_partition(with_number(S, (0, 0), np.nan), allowed=S > 0),
     r"state\[0, 0\] is nan"),
    (lambda: chain.log_partition(S, with_number(M, (1, 2), np.nan)), r"transition\[1, 2\] is nan"),
    (lambda: chain.log_partition(S, start=with_number(M[0], 1, np.inf)), r"start\[1\] is inf"),
    (lambda: chain.log_partition(S, end=with_number(M[0], 2, np.nan)), r"end\[2\] is nan"),
    (lambda: chain.log_partition(S, edge=with_number(np.zeros((4, 3, 3)), (2, 1, 0), np.nan)),
     r"edge\[2, 1, 0\] is nan"),
    (lambda: chain.log_partition(S, weight=1), "weight is of the gradient"),
    (lambda: chain.log_partition(B, weight=[1, 2, 3], grad=True), r"weight has shape \[3\]"),
    (lambda: chain.log_partition(B, weight=[1, np.nan], grad=True),
     "weight has a number that is not"),
    (lambda: chain.log_partition(B, weight="x", grad=True), "weight is of dtype"),
    (lambda: chain.log_likelihood(S, M, S), "labels is of dtype float64; integers were expected"),
    (lambda: chain.log_likelihood(S, M, np.zeros(3, int)),
     r"labels has shape \[3\], and \[4\] was expected"),
    (lambda: chain.log_likelihood(S, M, np.array([0, 1, 3, 0])),
     r"labels\[2\] is 3: .* from 0 to 2"),
    (lambda: chain.log_likelihood(S, M, np.array([0, -2, 2, 0])), r"labels\[1\] is -2"),
    (lambda: chain.log_likelihood(S, M, np.array([0, 0, 0, 2**63], np.uint64)),
     "labels has the label 9223"),
    (lambda: chain.log_likelihood([S], M, [np.zeros(2, int)]), r"labels\[0\] has shape \[2\]"),
    (lambda: chain.log_likelihood([S, S], M, [np.zeros(4, int)]),
     "labels must be a list of 2 arrays"),
    (lambda: chain.k_best(S, k=0), "k is 0"),
    (lambda: chain.k_best(S, k=2.0), "k is 2.0; it must be a whole number, 1 or more"),
    (lambda: chain.sample(S, n=0), "n is 0"),
    (lambda: chain.sample(S, seed=-1), "seed is -1"),
    (lambda: chain.viterbi(S, threads=-1), "threads is -1"),
    (lambda: chain.viterbi(S, threads=True), "threads is True"),
])
def test_a_bad_argument_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_what_is_never_read_may_hold_anything():
    state = with_number(B, (0, 3, 1), np.nan)
    edge = np.zeros((2, 4, 3, 3))
    edge[:, 0] = np.nan
    expected = [3 * np.log(3), 4 * np.log(3)]
    np.testing.assert_allclose(chain.log_partition(state, edge=edge, lengths=[3, 4]), expected)
    _, gradient = chain.log_partition(state, edge=edge, lengths=[3, 4], grad=True)
    assert gradient.state[0, 3].tolist() == [0, 0, 0] and (gradient.edge[:, 0] == 0).all()


def test_errors_of_the_library_are_croft_errors():
    assert issubclass(croft.Error, ValueError)
    with pytest.raises(croft.Error):
        chain.Constraint.bio(["X"])


def test_labels_may_be_lists_of_int():
    state = np.random.default_rng(1).normal(size=(4, 3))
    other = np.random.default_rng(2).normal(size=(2, 3))
    expected = chain.log_likelihood(state, None, np.array([0, 2, -1, 1]))
    assert chain.log_likelihood(state, None, [0, 2, -1, 1]) == expected
    several = chain.log_likelihood([state, other], None, [[0, 2, -1, 1], (1, 1)])
    assert several[0] == expected
    with pytest.raises(ValueError, match="labels"):
        chain.log_likelihood(state, None, [0.5, 2, -1, 1])


def test_a_masked_array_is_refused_rather_than_its_mask_lost():
    state = np.ma.masked_array(np.zeros((2, 3)), np.eye(2, 3) > 0)
    with pytest.raises(ValueError, match="state is a masked array"):
        chain.log_partition(state)
