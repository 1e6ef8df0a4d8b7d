"""Arguments that lie, change while they are read, or are far too large: an exception, no crash, no wrong answer."""
import copy
import os
import pickle
import subprocess
import sys
import threading

import numpy
import pytest
import scipy.sparse

import croft
from conftest import Number
from croft import _core

TWO = [[{"w": "a"}, {"w": "b"}], [{"w": "b"}]], [["A", "B"], ["B"]]


def trained(**parameters):
    return croft.ChainCRF(max_iterations=2, threads=1, **parameters).fit(*TWO)


def test_a_dict_that_holds_itself_is_nested_too_deep():
    item = {"w": "a"}
    item["self"] = item
    with pytest.raises(ValueError, match=r"X\[0\]\[0\] is nested more than 100 deep"):
        trained().predict([[item]])
    inner = {}
    inner["list"] = [inner]
    with pytest.raises(ValueError, match="nested more than 100 deep"):
        trained().predict([[inner]])


def test_a_value_that_changes_its_dict_is_noticed():
    crf = trained()
    for act in (dict.clear, lambda item: item.update({str(len(item)): item["n"]})):
        item = {"n": 1}
        item["n"] = Number(lambda item=item, act=act: act(item))
        with pytest.raises(ValueError, match=r"X\[0\]\[0\] changed while it was read"):
            crf.predict([[item, {"w": "a"}]])


def test_a_value_that_empties_the_sequence_is_noticed():
    crf = trained()
    sequence = []
    sequence.extend([{"n": Number(sequence.clear), "m": {"k": {"l": Number(sequence.clear)}}}, {"w": "a"}])
    with pytest.raises(ValueError, match="changed while it was read"):
        crf.predict([sequence])


def test_what_a_method_of_the_caller_raises_arrives():
    def fail(error):
        raise error
    for error in (KeyboardInterrupt, SystemExit):
        with pytest.raises(error):
            trained().predict([[{"n": Number(lambda error=error: fail(error))}]])
    with pytest.raises(ZeroDivisionError):
        trained().predict([(1 / n for n in [0])])
    graph = croft.FactorGraph()
    graph.add_variable(2)
    with pytest.raises(KeyboardInterrupt):
        graph.add_potts([0, 0], Number(lambda: fail(KeyboardInterrupt)))


def test_a_callback_that_stops_before_there_is_a_model_is_no_interrupt():
    X, y = [[{"w": c} for c in "abcd"], [{"w": "b"}, {"w": "a"}]], [list("ABCD"), list("BA")]
    for answer, error in (("return", croft.Error), ("raise", ZeroDivisionError)):
        with pytest.raises(error):
            croft.ErrorCorrectingCRF(threads=1).fit(X, y, callback=lambda event: answer == "raise" and 1 / 0)


def test_a_buffer_whose_dtype_is_none_is_an_array_of_bytes():
    odd = type("Odd", (bytearray,), {"dtype": 5})
    with pytest.raises(ValueError, match="array of 1 dimensions"):
        trained().predict([odd(b"abc")])


def test_numbers_that_are_not_aligned_are_read():
    for dtype in (numpy.float64, numpy.float32, numpy.int64, numpy.int16):
        aligned = numpy.array([[1, 2], [3, 4]], dtype)
        raw = numpy.zeros(aligned.nbytes + 1, numpy.uint8)
        odd = raw[1:].view(dtype).reshape(2, 2)
        odd[...] = aligned
        crf = croft.ChainCRF(max_iterations=2).fit([aligned, odd], [["A", "B"], ["A", "B"]])
        assert crf.model_.log_partition([odd]) == crf.model_.log_partition([aligned])


def test_a_column_far_to_the_right_costs_no_memory_for_those_before_it():
    shape = (1, 2**31 - 1)
    x = scipy.sparse.csr_matrix(([1.0], [2**31 - 5], [0, 1]), shape=shape)
    crf = croft.ChainCRF(max_iterations=2).fit([x, x], [["A"], ["B"]])
    assert {name for name, _ in crf.state_features_} <= {f"x[{2**31 - 5}]"}


def test_labels_in_arrays_are_those_that_are_compared():
    gold = [numpy.array(["B-X", "I-X", "a label that is long enough to have memory of its own"]), iter(["O"])]
    same = [["B-X", "I-X", "a label that is long enough to have memory of its own"], ["O"]]
    assert croft.evaluate(gold, same) == croft.evaluate(same, same)


def test_a_graph_does_not_grow_while_it_is_asked():
    graph = croft.FactorGraph()
    for v in range(20):
        graph.add_variable(2)
        if v:
            graph.add_potts([v - 1, v], 1.0)
    seen = []

    def callback(event):
        seen.append(event)
        for _ in range(1000):
            graph.add_variable(2)
    with pytest.raises(ValueError, match="cannot change while it is asked"):
        graph.infer(method="gibbs", callback=callback)
    assert seen and graph.infer("partition").log_partition > 0
    graph.add_variable(3)


def test_a_naive_bayes_that_is_fitted_again_can_be_asked_by_other_threads():
    X = numpy.random.default_rng(1).integers(0, 5, (300, 40)).astype(float)
    y = X[:, 0].astype(int)
    model = croft.NaiveBayes(event="categorical").fit(X, y)
    expected = model.predict_log_proba(X)
    failed = []

    def ask():
        for _ in range(30):
            try:
                numpy.testing.assert_allclose(model.predict_log_proba(X), expected)
            except Exception as error:
                failed.append(error)
    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(30):
        model.fit(X, y)
    for thread in threads:
        thread.join()
    assert not failed, failed[0]


def test_a_category_that_is_no_category_takes_no_memory():
    for largest, says in ((1e12, "the largest is 9999999"), (1e300, "too large for a category")):
        with pytest.raises(ValueError, match=says):
            croft.NaiveBayes(event="categorical").fit([[0.0], [largest]], ["a", "b"])


@pytest.mark.parametrize("event", ["categorical", "multinomial"])
def test_a_damaged_sparse_matrix_is_not_handed_to_scipy(event):
    model = croft.NaiveBayes(event=event).fit(numpy.eye(3), ["a", "b", "c"])
    X = scipy.sparse.csr_matrix(-numpy.eye(3))
    X.indices = numpy.full(3, 10**9, numpy.int32)
    for call in (model.predict, lambda X: model.fit(X, ["a", "b", "c"])):
        with pytest.raises(ValueError):
            call(X)


def test_a_row_without_cells_is_refused():
    for X, y in (([[[]]], [["A"]]), ([[], [[], ["a"]]], [[], ["A", "B"]])):
        with pytest.raises(ValueError, match="has no cell"):
            croft.ChainCRF(format="columns").fit(X, y)


def test_of_no_sequence_there_is_no_answer():
    model = trained().model_
    for ask in (model.predict, model.predict_marginals, model.predict_proba, model.entropy, model.log_partition,
                model.expected_counts, model.edge_marginals, model.log_probability, lambda X: model.k_best(X, 2)):
        assert list(ask([])) == []


class Frame:
    """A table with fewer names than columns."""

    columns = ["one"]
    shape, ndim, dtype = (4, 3), 2, numpy.dtype(float)

    def __array__(self, dtype=None, copy=None):
        return numpy.arange(12.0).reshape(4, 3)

    def __len__(self):
        return 4


@pytest.mark.parametrize("kind", [croft.NaiveBayes, croft.LogisticRegression])
def test_fewer_names_than_columns_are_refused(kind):
    with pytest.raises(ValueError):
        kind().fit(Frame(), ["a", "b", "a", "b"])


def test_arrays_of_another_type_are_not_taken_for_numbers():
    whole, out = numpy.ones((2, 3), numpy.int64), numpy.zeros((2, 2))
    for value in (whole, numpy.ones((2, 6))[:, ::2], bytearray(48)):
        with pytest.raises(ValueError, match="contiguous array of float64"):
            _core.linear_scores(3, value, None, None, numpy.ones((3, 2)), numpy.ones(2), out)
    with pytest.raises(ValueError):  # 2 rows of 2^63 columns would be none
        _core.linear_scores(2**63, numpy.ones(0), None, None, numpy.ones(0), numpy.ones(2), numpy.zeros(4))
    with pytest.raises(ValueError):
        _core.Graph().add_table(numpy.ones((2, 6))[:, ::2])


def test_options_that_are_not_given_have_their_defaults():
    X, y = numpy.eye(3), numpy.array([0, 1, 0])
    found = []
    for options in ({}, {"intercept": "penalised"}):
        weights = numpy.zeros((4, 2))
        _core.train_matrix(3, X, None, None, y, None, [], ["a", "b"], {"max_iterations": 9, **options}, None, "{}",
                           weights, None)
        found.append(weights)
    assert found[0].tolist() == found[1].tolist() and found[0][3].any()


@pytest.mark.parametrize("protocol", range(6))
def test_pickles_of_every_protocol_are_answers_or_errors(protocol):
    for each in (croft.FactorGraph(), _core.Graph()):
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(each, protocol)
    with pytest.raises(TypeError, match="cannot pickle"):
        _core.Graph().__reduce__()
    model = croft.ChainCRF(max_iterations=2).fit(*TWO).model_
    assert pickle.loads(pickle.dumps(model, protocol)).to_bytes() == model.to_bytes()


def test_a_model_whose_file_is_cut_off_answers_nothing(tmp_path):
    X = [[[f"w{n}-{t}"] for t in range(100)] for n in range(2000)]
    crf = croft.ChainCRF(max_iterations=1, optimizer="lbfgs").fit(X, [["a", "b"] * 50] * 2000)
    path = tmp_path / "m.croft"
    croft.save(crf, path)
    assert path.stat().st_size > 1 << 20  # a smaller one is copied
    asked = [lambda m: m.predict(X[:1]), lambda m: m.explain(X[0]), lambda m: m.state_features,
             lambda m: m.attributes, lambda m: m.to_bytes(), lambda m: m.save(tmp_path / "out.croft"),
             pickle.dumps, copy.deepcopy]
    for ask in asked:
        croft.save(crf, path)
        model = croft.load(path)
        os.truncate(path, 0)
        with pytest.raises(croft.Error, match="changed while it was in use"):
            ask(model)
        path.unlink()
    assert not (tmp_path / "out.croft").exists()


def test_as_many_labels_as_a_broadcast_axis_has_are_refused():
    for size in (2**32, 2**33 + 2):
        with pytest.raises(ValueError, match="labels"):
            croft.chain.log_partition(numpy.broadcast_to(numpy.float64(0), (1, size)))


def test_idf_of_a_vectorizer_that_learnt_nothing_is_an_error():
    made = croft.TextVectorizer.__new__(croft.TextVectorizer)
    made.__setstate__({**croft.TextVectorizer(hash_bits=4).__getstate__(), "encoder_": None})
    made.weighting = "tf-idf"
    with pytest.raises(ValueError):
        made.idf_


def unroll(x):
    made = croft.Cliques()
    for t, word in enumerate(x):
        made.variable(t, "tag")
        made.clique("word", [t], {"w": word})
    return made


def graph_crf(**parameters):
    made = {"domains": {"tag": ["N", "V"]}, "templates": {"word": croft.Template(["tag"])}, "max_iterations": 3}
    return croft.GraphCRF(unroll, **{**made, **parameters}).fit([["a"], ["b"]], [["N"], ["V"]])


def test_a_damaged_state_of_a_graph_crf_is_an_error():
    state = graph_crf().__getstate__()
    data = bytearray(state["_model"])
    data[data.index(b"w=")] ^= 1  # in the vocabulary, which is not checked when a file is opened
    with pytest.raises(croft.Error):
        croft.GraphCRF(unroll).__setstate__({**state, "_model": bytes(data)})


def test_instances_of_one_thread_are_not_answered_with_graphs_of_another():
    crf = pickle.loads(pickle.dumps(graph_crf()))
    wrong = []
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def ask(length):
        for _ in range(200):
            wrong.extend(each for each in crf.predict_marginals([["a"] * length] * 5) if len(each) != length)
    threads = [threading.Thread(target=ask, args=(length,)) for length in (1, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)
    assert not wrong


def test_arguments_of_the_wrong_type_are_type_errors():
    graph = croft.FactorGraph()
    graph.add_variable(2)
    for how in ({"task": 5}, {"method": 5}, {"tolerance": "x"}, {"evidence": object()}):
        with pytest.raises(TypeError):
            graph.infer(**how)
    with pytest.raises(TypeError, match="assignment is of type NoneType"):
        graph.score(None)
    with pytest.raises(TypeError, match="gazetteers is of type int"):
        croft.SegmentCRF(gazetteers=3).fit(*TWO)
    net = croft.BayesNet({"rain": ["no", "yes"]})
    for call, name in ((lambda: croft.BayesNet(3), "states"), (lambda: croft.BayesNet({}, "rain"), "parents"),
                       (lambda: net.fit(["rain"]), "case 0"), (lambda: graph_crf(domains=3), "domains"),
                       (lambda: graph_crf(templates=[3]), "templates"),
                       (lambda: croft.search(croft.ChainCRF(), *TWO, 3), "parameters")):
        with pytest.raises(TypeError, match=f"{name} is of type .*; a dict was expected"):
            call()
    with pytest.raises(TypeError, match="b'no' names a variable or a state"):
        croft.BayesNet({"rain": [b"no", "yes"]})
    with pytest.raises(TypeError, match="templates.'word'. is an int"):
        graph_crf(templates={"word": 3})
    with pytest.raises(TypeError):
        croft.maximum_entropy(numpy.eye(3), [(0.5, "=", 0.3)])


def test_counts_below_0_are_one_clear_error(tmp_path):
    (tmp_path / "f.mln").write_text("P(t)\n0.5 P(x)\n")
    (tmp_path / "a.db").write_text("P(A)\n")
    logic = croft.Logic(tmp_path / "f.mln", [tmp_path / "a.db"])
    bugs = croft.Bugs("model { x ~ dnorm(0, 1) }")
    net = croft.BayesNet({"rain": ["no", "yes"]}).fit([{"rain": "no"}])
    graph, out = graph_crf(), tmp_path / "out.mln"
    for names, call in (
            (("seed", "threads", "max_iterations"), lambda **how: logic.infer("marginals", "P(x)", **how)),
            (("seed", "threads", "max_iterations"), lambda **how: logic.learn("P", out, **how)),
            (("beam", "literals", "variables", "clauses"), lambda **how: logic.learn_structure("P", out, **how)),
            (("seed", "threads", "max_iterations"), lambda **how: logic.explain("P(A)", "P", **how)),
            (("chains", "burn_in", "samples", "thin", "seed", "threads"), lambda **how: bugs.sample({}, **how)),
            (("threads",), lambda **how: net.predict_proba([{}], "rain", **how)),
            (("threads",), lambda **how: net.evaluate([{}], **how)),
            (("top", "seed", "threads", "max_iterations"), lambda **how: graph.explain(["a"], **how))):
        for name in names:
            with pytest.raises(ValueError, match=f"^{name} is -1; it must be a whole number from "):
                call(**{name: -1})


def test_a_path_is_not_cut_off_at_a_nul(tmp_path):
    (tmp_path / "net").write_text("MARKOV\n1\n2\n1\n1 0\n2\n1 2\n")
    croft.FactorGraph.read(tmp_path / "net", "uai")
    with pytest.raises((TypeError, ValueError)):
        croft.FactorGraph.read(f"{tmp_path}/net\0.uai", "uai")
    with pytest.raises(ValueError, match="NUL"):
        croft.ChainCRF(variances=f"{tmp_path}/net\0").fit(*TWO)


def test_what_the_extension_is_asked_is_there():
    graph = _core.Graph()
    graph.add_variable(2)
    for ask in (lambda: graph.states(1), lambda: graph.scope(0), lambda: graph.table(0), lambda: graph.score([]),
                lambda: graph.score([2]), lambda: graph.set_names([], []), lambda: _core.bayes_net(["a"], [], [[]]),
                lambda: _core.bayes_net(["a"], [["n"]], [[5]]), lambda: graph.separated([0], [7], []),
                lambda: graph.blanket(1)):
        with pytest.raises(ValueError):
            ask()
    for ask in (lambda: _core.Cliques(None), lambda: _core.Plan(None, {})):
        with pytest.raises(TypeError):
            ask()
    with pytest.raises(ValueError, match='no models of kind "x"'):
        _core.option_rows("x")
    with pytest.raises(ValueError, match="observations is empty"):
        _core.Plan(trained().model_._native, {}).hmm([], 3)


@pytest.mark.parametrize("name", sorted(name for name, each in vars(_core).items() if isinstance(each, type)
                                        and not issubclass(each, BaseException)))
def test_objects_that_new_alone_made_raise(name):
    code = f"""
import croft
made = croft._core.{name}
bare = made.__new__(made)
for method in dir(bare):
    if method.startswith("__"):
        continue
    for arguments in ((), (1,), ("a",), (bare,), ([],), ({{}},), (1, 2)):
        try:
            value = getattr(bare, method)
            if callable(value):
                value(*arguments)
        except (TypeError, ValueError, OverflowError):
            pass
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("call", [
    lambda text: croft.ChainCRF(objective=text).fit([[{"a": 1}]], [["A"]]),
    lambda text: croft.ChainCRF().fit([[{"a": 1}]], [["A"]]).predict([[{"a": 1}]], rules=[text]),
    lambda text: croft.evaluate([["A"]], [["A"]], chunks=text),
    lambda text: croft.read(__file__, text),
    lambda text: croft.load(text + ".croft"),
    lambda text: croft.errors(croft.ChainCRF().fit([[{"a": 1}]], [["A"]]), text),
    lambda text: croft.check(__file__, ignore_lines=text),
    lambda text: croft.LogisticRegression().fit([[0.0], [1.0]], [text, "a"]),
])
def test_a_lone_surrogate_is_an_error_that_says_so(call):
    with pytest.raises(ValueError, match="surrogate") as found:
        call("\ud800")
    assert "C++" not in str(found.value) and "incompatible" not in str(found.value)


@pytest.mark.parametrize("data", [None, 1, "abc", [], bytearray(b"x")])
def test_what_is_no_bytes_is_no_model(data):
    from croft.compat import pycrfsuite
    for call in (croft.Model.from_bytes, pycrfsuite.Tagger().open_inmemory):
        with pytest.raises(TypeError, match="the bytes of a model file were expected"):
            call(data)
