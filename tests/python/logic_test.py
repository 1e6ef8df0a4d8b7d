"""croft.Logic: rules and facts from files to probabilities, worlds and weights."""
import math

import pytest

import croft

RULES = """person = {Anna, Bob}
Friends(person, person)
Smokes(person)
Cancer(person)
1.5 Smokes(x) => Cancer(x)
1.1 Friends(x, y) ^ Smokes(x) => Smokes(y)
"""
FACTS = "Friends(Anna, Bob)\nSmokes(Bob)\n!Smokes(Anna)\n"


@pytest.fixture
def friends(tmp_path):
    (tmp_path / "friends.mln").write_text(RULES)
    (tmp_path / "friends.db").write_text(FACTS)
    return croft.Logic(tmp_path / "friends.mln", [tmp_path / "friends.db"])


def test_probabilities_are_exact_where_a_junction_tree_fits(friends):
    answer = friends.infer("marginals", "Cancer, Smokes(Bob)")
    assert answer.atoms["Cancer(Bob)"] == pytest.approx(1 / (1 + math.exp(-1.5)), abs=1e-12)
    assert answer.atoms["Smokes(Bob)"] == 1 and answer.known == {"Smokes(Bob)"}
    assert (answer.kind, answer.converged, answer.standard_errors) == ("exact", True, {})
    assert friends.infer("partition").log_partition is not None


def test_the_best_world_and_its_cost(friends):
    answer = friends.infer("map", "Cancer", method="max-walk-sat", settings={"tries": 2})
    assert "Cancer(Bob)" in answer.world and answer.cost == 0 and answer.clause_cost == 0


def test_slice_sampling_has_standard_errors(friends):
    answer = friends.infer("marginals", "Cancer", method="mc-sat", max_iterations=2000)
    error = answer.standard_errors["Cancer(Bob)"]
    assert answer.atoms["Cancer(Bob)"] == pytest.approx(1 / (1 + math.exp(-1.5)), abs=5 * error + 1e-3)
    assert answer.kind == "estimate" and answer.effective_samples >= 100


def test_lazy_grounding_has_the_same_best_world(friends):
    lazy, full = (friends.infer("map", "Cancer", method="max-walk-sat", grounding=how) for how in ("lazy", "full"))
    assert lazy.world == full.world and lazy.cost == full.cost
    with pytest.raises(ValueError, match="lazy"):
        friends.infer("partition", grounding="lazy")
    with pytest.raises(ValueError, match="some"):
        friends.infer("map", "Cancer", grounding="some")


def test_a_table_has_a_row_for_each_atom(friends):
    pytest.importorskip("pandas")
    table = friends.infer("marginals", "Cancer").table()
    assert list(table.columns) == ["atom", "probability", "known"] and len(table) == 2


def test_weights_are_learnt_and_written(tmp_path):
    (tmp_path / "f.mln").write_text("t = {A, B, C}\nP(t)\nP(x)\n")
    (tmp_path / "f.db").write_text("P(A)\nP(B)\n")
    logic = croft.Logic(tmp_path / "f.mln", [tmp_path / "f.db"])
    for objective in ("pseudo-likelihood", "likelihood"):
        weights = logic.learn("P", tmp_path / "learnt.mln", objective=objective)
        assert weights == pytest.approx([math.log(2)], abs=1e-5)
    learnt = croft.Logic(tmp_path / "learnt.mln")
    assert learnt.infer("marginals", "P").atoms["P(C)"] == pytest.approx(2 / 3, abs=1e-5)
    assert learnt.text.splitlines()[-1].endswith("P(x)")


def test_worlds_and_objectives(tmp_path):
    (tmp_path / "f.mln").write_text("P(t)\n0.5 P(x)\n")
    (tmp_path / "a.db").write_text("P(A)\nP(B)\n")
    (tmp_path / "b.db").write_text("!P(A)\n")
    logic = croft.Logic(tmp_path / "f.mln")
    worlds = [tmp_path / "a.db", tmp_path / "b.db"]
    assert logic.learn("P", tmp_path / "l.mln", worlds=worlds) == pytest.approx([math.log(2)], abs=1e-5)
    near = logic.learn("P", tmp_path / "l.mln", worlds=worlds, objective="diagonal-newton", l2=0.01)
    assert near == pytest.approx([math.log(2)], abs=0.2)
    kept = logic.learn("P", tmp_path / "l.mln", worlds=worlds, l2=1e9, prior="written")
    assert kept == pytest.approx([0.5], abs=1e-5)
    with pytest.warns(UserWarning, match="; give l2, such as l2 0.1: "):
        logic.learn("P", tmp_path / "l.mln", worlds=worlds[:1])


def test_rules_and_reasons_are_tables(friends, tmp_path):
    pytest.importorskip("pandas")
    rules = friends.inspect()
    assert list(rules["true"]) == [1, 4] and list(rules["weight"]) == [1.5, 1.1]
    reasons = friends.explain("Cancer(Bob)", picture=tmp_path / "bob.svg")
    assert list(reasons["clause"]) == ["Cancer(Bob)"] and reasons["amount"].sum() == pytest.approx(1.5)
    assert "Cancer(Bob)" in (tmp_path / "bob.svg").read_text()


def test_clauses_are_learnt(tmp_path):
    (tmp_path / "f.mln").write_text("P(t)\nQ(t)\n")
    (tmp_path / "f.db").write_text("".join(f"Q(C{i})\nP(C{i})\n!P(D{i})\n" for i in range(20)))
    steps = croft.Logic(tmp_path / "f.mln", [tmp_path / "f.db"]).learn_structure("P", tmp_path / "l.mln", literals=2)
    assert steps[0][0] == "" and "Q(x)" in steps[1][0] and steps[1][1] > steps[0][1] + 3


def test_errors_say_where_and_what(tmp_path, friends):
    (tmp_path / "bad.mln").write_text("P(t)\nP(x, y).\n")
    with pytest.raises(croft.Error, match="bad.mln:2:1: the predicate's number of arguments is 1"):
        croft.Logic(tmp_path / "bad.mln")
    with pytest.raises(ValueError, match="it is one of pseudo-likelihood"):
        friends.learn("Cancer", tmp_path / "x.mln", objective="hinge")
    with pytest.raises(ValueError, match="dialect"):
        croft.Logic(tmp_path / "friends.mln", dialect="prolog")
