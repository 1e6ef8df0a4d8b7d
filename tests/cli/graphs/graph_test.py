"""General CRFs from tables: croft train --model graph, predict, evaluate, inspect."""

import json
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time

from support import BAD_INPUT, CROFT, INTERRUPTED, SOURCE, WRONG_USAGE, CliTest, croft, main, read_log

SPEC = """
[[variables]]
domain = "tag"
query = "select id, sentence as instance, label from token"

[[templates]]
name = "word"
variables = ["tag"]
query = "select id, word, length from token"
standardise = ["length"]

[[templates]]
name = "next"
variables = ["tag", "tag"]
query = '''
  select a.id, b.id from token a join token b
  on b.sentence = a.sentence and b.position = a.position + 1
'''
"""
EXAMPLE = SOURCE / "examples" / "chain-in-sql"


def tokens(seed, sentences=40):
    rng = random.Random(seed)
    rows = []
    for sentence in range(sentences):
        state = rng.choice("AB")
        for position in range(rng.randint(1, 7)):
            if rng.random() < 0.3:
                state = "A" if state == "B" else "B"
            word = rng.choice("abc" if state == "A" else "bcd")
            rows.append((len(rows), sentence, position, word, round(rng.gauss(3 if state == "A" else 5, 1), 3), state))
    return rows


class GraphTest(CliTest):
    def setUp(self):
        super().setUp()
        self.spec = self.file("s.toml", SPEC)
        self.train_db, self.test_db = self.database("train.sqlite", 1), self.database("test.sqlite", 2)

    def database(self, name, seed):
        path = self.folder / name
        db = sqlite3.connect(path)
        db.execute("create table token(id integer primary key, sentence, position, word text, length real, label text)")
        db.executemany("insert into token values (?, ?, ?, ?, ?, ?)", tokens(seed))
        db.commit()
        db.close()
        return path

    def ask(self, path, query):
        db = sqlite3.connect(path)
        rows = db.execute(query).fetchall()
        db.close()
        return rows

    def graph(self, *arguments, name="m.croft"):
        return self.train(name, "--model", "graph", "--spec", self.spec, "--database", self.train_db, *arguments)

    # --- train

    def test_a_locked_database_is_waited_for_until_a_signal_comes(self):
        other = sqlite3.connect(self.train_db)
        other.execute("begin exclusive")
        begin = time.monotonic()
        run = subprocess.Popen([CROFT, "train", "--model", "graph", "--spec", self.spec, "--database", self.train_db,
                                "-o", self.folder / "m.croft"], stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGTERM)
        _, said = run.communicate(timeout=20)
        self.assertEqual(run.returncode, INTERRUPTED, said)
        self.assertLess(time.monotonic() - begin, 3)
        other.close()

    def test_training_logs_as_other_kinds_do(self):
        log = self.folder / "log.jsonl"
        self.graph("--log", log)
        iterations, done = read_log(log)
        self.assertEqual(iterations[0]["iteration"], 0)
        self.assertEqual(done["event"], "done")
        self.assertLess(done["objective"], iterations[0]["objective"])

    def test_objectives_and_optimizers_go_by_name(self):
        for options in (["--objective", "pseudolikelihood"], ["--objective", "bethe", "--inference-iterations", "20"],
                        ["--objective", "perceptron", "--search", "max-product"], ["--l1", "0.5"],
                        ["--optimizer", "sgd", "--max-iterations", "5"],
                        ["--objective", "piecewise", "--features", "observed"]):
            with self.subTest(options=options):
                model = self.graph(*options)
                report = json.loads(self.run_ok("evaluate", "-m", model, "--database", self.test_db, "--json"))
                self.assertGreater(report["variables"]["accuracy"], 0.7)

    def test_the_linear_chain_has_the_weights_of_kind_chain(self):
        run = subprocess.run(["bash", EXAMPLE / "demo.sh", CROFT, self.folder / "demo"], check=False, timeout=300,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                             env={"PATH": str(self.links()), "LC_ALL": "C.UTF-8"})
        self.assertEqual(run.returncode, 0, run.stdout)
        chain, graph, difference = re.search(
            r"(\d+) weights of the chain, (\d+) of the graph; largest difference (\S+)", run.stdout).groups()
        self.assertEqual(chain, graph)
        self.assertGreater(int(chain), 10000)
        self.assertLess(float(difference), 1e-6)
        self.assertIn("wrote the table predictions (850 rows)", run.stdout)

    def links(self):
        """A folder of programs for PATH, with this Python under the name python3."""
        links = self.folder / "bin"
        links.mkdir()
        (links / "python3").symlink_to(sys.executable)
        for name in ("bash", "dirname", "mkdir"):
            found = subprocess.run(["sh", "-c", f"command -v {name}"], check=True, stdout=subprocess.PIPE, text=True)
            (links / name).symlink_to(found.stdout.strip())
        return links

    def test_hidden_variables_are_summed_over(self):
        db = sqlite3.connect(self.train_db)
        db.execute("update token set label = null where id % 3 = 0")
        db.commit()
        db.close()
        model = self.graph("--starts", "2")
        record = json.loads(self.run_ok("inspect", "-m", model, "--json"))["training"]
        self.assertEqual(record["hidden_variables"], sum(row[0] % 3 == 0 for row in tokens(1)))
        self.assertEqual(len(record["objectives"]), 2)
        self.refuses_to_train(WRONG_USAGE, "--model", "graph", "--spec", self.spec, "--database", self.train_db,
                              "--objective", "pseudolikelihood", mentions=["needs the labels of all variables"])

    def test_csv_files_are_tables(self):
        rows = "id,sentence,position,word,length,label\n"
        rows += "".join(",".join(map(str, row)) + "\n" for row in tokens(1))
        csv = self.file("token.csv", rows)
        from_csv = self.train("csv.croft", "--model", "graph", "--spec", self.spec, "--database", csv)
        self.assertEqual(from_csv.read_bytes(), self.graph().read_bytes())
        lines = self.run_ok("predict", "-m", from_csv, "--database", csv)
        self.assertEqual(lines.count("\n"), len(tokens(1)))

    def test_the_same_seed_gives_the_same_bytes(self):
        self.assertEqual(self.graph("--threads", "3", name="a.croft").read_bytes(),
                         self.graph(name="b.croft").read_bytes())

    def test_an_interrupted_training_keeps_its_model(self):
        model = self.folder / "m.croft"
        process = subprocess.Popen(
            [CROFT, "train", "--model", "graph", "--spec", self.spec, "--database", self.train_db, "-o", model,
             "--optimizer", "sgd", "--max-iterations", "10000000", "--tolerance", "0", "--log", self.folder / "log"],
            stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not ((self.folder / "log").exists()
                                                   and (self.folder / "log").stat().st_size):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        message = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, INTERRUPTED, message)
        self.assertTrue(self.run_ok("predict", "-m", model, "--database", self.test_db))

    def killed_training(self, state, *options, spec=None):
        process = subprocess.Popen(
            [CROFT, "train", "--quiet", "--model", "graph", "--spec", spec or self.spec, "--database", self.train_db,
             "-o", self.folder / "part.croft", *options])
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None and not (state / "checkpoint").exists():
            time.sleep(0.01)
        process.kill()
        process.wait()
        self.assertTrue((state / "checkpoint").exists())  # killed before its end

    def test_training_resumes_from_its_checkpoint(self):
        options = ["--optimizer", "sgd", "--tolerance", "0", "--gradient-tolerance", "0", "--max-iterations", "3000"]
        whole = self.graph(*options, name="whole.croft")
        state = self.folder / "state"
        keep = ["--checkpoint", state, "--checkpoint-interval", "0"]
        self.killed_training(state, *options, *keep)
        self.fails(BAD_INPUT, "train", "--quiet", "--model", "graph", "--spec", self.spec, "--database", self.test_db,
                   "-o", self.folder / "other.croft", *options, *keep, "--resume", mentions=["another training"])
        self.assertEqual(self.graph(*options, *keep, "--resume").read_bytes(), whole.read_bytes())

    def test_em_resumes_to_the_same_file(self):
        spec = self.file("hidden.toml", SPEC.replace("label", "case when length > 3 then label end as label", 1))
        # Never content, so that it is killed before its end.
        options = ["--em-iterations", "100000", "--tolerance", "0", "--gradient-tolerance", "0", "--starts", "2"]
        state = self.folder / "state"
        keep = ["--checkpoint", state, "--checkpoint-interval", "0"]
        graph = ["train", "--quiet", "--model", "graph", "--spec", spec, "--database", self.train_db]
        self.killed_training(state, *options, *keep, spec=spec)
        whole, part = self.folder / "whole.croft", self.folder / "part.croft"
        self.run_ok(*graph, "-o", whole, *options)
        self.run_ok(*graph, "-o", part, *options, *keep, "--resume")
        self.assertEqual(part.read_bytes(), whole.read_bytes())

    def test_resuming_with_another_model_or_variances_is_refused(self):
        options = ["--optimizer", "sgd", "--tolerance", "0", "--gradient-tolerance", "0", "--max-iterations", "3000"]
        models = [self.graph("--max-iterations", n, name=f"model{n}.croft") for n in ("3", "4")]
        variances = self.file("variances.txt", "next:* 0.5\n")
        for before, after in ((["--prior", models[0]], ["--prior", models[1]]),
                              (["--init", models[0]], ["--init", models[1]]),
                              (["--init", models[0]], ["--prior", models[0]]),
                              (["--variances", variances], ["--variances", self.file("other.txt", "next:* 0.6\n")]),
                              (["--variances", variances], [])):
            with self.subTest(before=before, after=after):
                state = self.folder / f"state{len(list(self.folder.iterdir()))}"
                keep = ["--checkpoint", state, "--checkpoint-interval", "0"]
                self.killed_training(state, *options, *keep, *before)
                self.fails(BAD_INPUT, "train", "--quiet", "--model", "graph", "--spec", self.spec,
                           "--database", self.train_db, "-o", self.folder / "other.croft", *options, *keep, *after,
                           "--resume", mentions=["another training"])

    def test_a_search_that_proves_nothing_is_named_as_one(self):
        # Rings of three, in which max-product cannot know that its labelling is the best.
        spec = self.file("rings.toml", SPEC + '''
[[templates]]
name = "over"
variables = ["tag", "tag"]
query = """
  select a.id, b.id from token a join token b
  on b.sentence = a.sentence and b.position = a.position + 2
"""
''')
        done = croft("train", "--quiet", "--model", "graph", "--spec", spec, "--database", self.train_db,
                     "-o", self.folder / "m.croft", "--objective", "max-margin", "--search", "max-product",
                     "--max-iterations", "3")
        self.assertEqual(done.returncode, 0)
        message = done.stderr.decode()
        self.assertIn("was not proven to be the best in", message)
        self.assertNotIn("--damping", message)

    def test_without_an_objective_wide_graphs_are_trained_by_one_that_fits(self):
        rng = random.Random(3)
        rows = [f"{40 * r + c},{r},{c},{rng.random() + (r > 20):.3f},{'ab'[r > 20]}\n"
                for r in range(40) for c in range(40)]
        table = self.file("pixel.csv", "id,row,column,seen,label\n" + "".join(rows))
        spec = self.file("grid.toml", """
[[variables]]
domain = "side"
query = "select id, 0 as instance, label from pixel"

[[templates]]
name = "seen"
variables = ["side"]
query = "select id, seen from pixel"

[[templates]]
name = "next"
variables = ["side", "side"]
query = '''
  select a.id, b.id from pixel a join pixel b
  on (a.row = b.row and b.column = a.column + 1) or (a.column = b.column and b.row = a.row + 1)
'''
""")
        grid = ["train", "--model", "graph", "--spec", spec, "--database", table, "--max-iterations", "20", "-o"]
        model = self.folder / "grid.croft"
        done = croft(*grid, model)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = done.stderr.decode()
        self.assertRegex(text, "a junction tree of an instance of 1600 variables has 2\\^[0-9]+ joint states or more, "
                               "too many for the exact likelihood: training minimises --objective pseudolikelihood; "
                               "give --objective for another, such as bethe or piecewise")
        self.assertNotIn("rounding", text)
        record = json.loads(self.run_ok("inspect", "-m", model, "--json"))["training"]
        self.assertEqual(record["objective"], "pseudolikelihood")
        asked = croft(*grid, model, "--objective", "likelihood", "--memory", "1G")
        self.assertEqual(asked.returncode, BAD_INPUT)
        self.assertIn("; take --objective pseudolikelihood", asked.stderr.decode())
        some = spec.read_text().replace("label from", "case when id % 3 then label end as label from")
        hidden = self.file("hidden.toml", some)
        done = croft("train", "--model", "graph", "--spec", hidden, "--database", table, "--max-iterations", "3",
                     "-o", model)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("training minimises --objective bethe", done.stderr.decode())

    def test_help_names_the_optimizer_of_many_instances(self):
        text = self.run_ok("train", "--help=all")
        self.assertIn("With 100 instances or more lbfgs comes after passes of SGD, as sgd-lbfgs", text)

    def test_options_that_mean_nothing_are_refused(self):
        graph = ["--model", "graph", "--spec", self.spec, "--database", self.train_db]
        for options, mention in (
                (["--template", "t"], "--template has no meaning for --model graph"),
                (["--order", "2"], "--order has no meaning for --model graph"),
                (["--decay", "0.5"], "--decay means nothing to --optimizer lbfgs"),
                (["--history", "5", "--optimizer", "sgd"], "--history means nothing to --optimizer sgd"),
                (["--damping", "0.5"], "--damping has no meaning for --objective likelihood"),
                (["--search", "trw-s"], "--search has no meaning"),
                (["--objective", "local"], "is not one of a graph's"),
                (["--cost", "file", "--objective", "max-margin"], "--cost file of a graph is a number"),
                (["--starts", "3"], "--starts has no meaning"),
                (["--memory", "lots"], "is not a size"),
                (["--resume"], "--resume goes on from a checkpoint")):
            with self.subTest(options=options):
                self.refuses_to_train(WRONG_USAGE, *graph, *options, mentions=[mention])
        self.refuses_to_train(WRONG_USAGE, "--model", "graph", "--spec", self.spec, mentions=["--database"])
        self.refuses_to_train(WRONG_USAGE, "--model", "graph", "--database", self.train_db, mentions=["--spec"])
        self.refuses_to_train(WRONG_USAGE, *graph, self.spec, mentions=["croft: DATA has no meaning for --model graph"])
        for option in ("--spec", "--database", "--damping", "--search", "--memory", "--inference-iterations"):
            self.refuses_to_train(WRONG_USAGE, option, "1", self.spec, mentions=[option, "--model chain"])
        self.refuses_to_train(WRONG_USAGE, mentions=["croft: DATA is required; see croft train --help"])
        for size in ("99999999999T", "1048577T"):
            for option in ("--memory", "--query-memory"):
                self.refuses_to_train(WRONG_USAGE, *graph, option, size,
                                      mentions=[f'{option}: "{size}" is not a size up to 1048576T'])

    def test_errors_name_the_spec_the_template_and_the_query(self):
        bad = self.file("bad.toml", SPEC.replace("from token a", "from tokens a"))
        self.refuses_to_train(BAD_INPUT, "--model", "graph", "--spec", bad, "--database", self.train_db,
                              mentions=[bad, "template 'next'", "no such table: tokens",
                                        "select a.id, b.id from tokens a"])
        self.refuses_to_train(BAD_INPUT, "--model", "graph", "--spec", self.train_db, "--database", self.train_db,
                              mentions=["no TOML"])
        self.refuses_to_train(BAD_INPUT, "--model", "graph", "--spec", self.spec, "--database", self.folder / "none",
                              mentions=["none: cannot open"])

    # --- predict

    def test_a_limit_of_iterations_is_of_methods_that_iterate(self):
        predict = ["predict", "-m", self.graph(), "--database", self.test_db]
        iterations = ["--inference-iterations", 50]
        self.fails(WRONG_USAGE, *predict, "--method", "junction-tree", "--search", "junction-tree", *iterations,
                   mentions=["--inference-iterations means nothing to junction-tree and junction-tree"])
        exact = self.run_ok(*predict, "--method", "junction-tree")
        self.assertEqual(self.run_ok(*predict, "--method", "junction-tree", "--search", "max-product", *iterations),
                         exact)
        done = croft(*predict, *iterations)
        self.assertIn(b"note: --inference-iterations makes auto choose among the methods that iterate", done.stderr)

    def test_predictions_are_lines_objects_or_a_table(self):
        model = self.graph()
        lines = [line.split("\t") for line in
                 self.run_ok("predict", "-m", model, "--database", self.test_db).splitlines()]
        self.assertEqual([line[0] for line in lines], [str(row[0]) for row in tokens(2)])
        self.assertGreater(sum(line[1] == row[5] for line, row in zip(lines, tokens(2))) / len(lines), 0.8)
        objects = [json.loads(line) for line in
                   self.run_ok("predict", "-m", model, "--database", self.test_db, "--to", "json",
                               "--marginals").splitlines()]
        for line, each in zip(lines, objects):
            self.assertEqual((line[0], line[1]), (str(each["id"]), each["label"]))
            self.assertAlmostEqual(float(line[2]), each["probability"], 5)
            self.assertAlmostEqual(sum(each["marginals"].values()), 1, 9)
        done = self.run_ok("predict", "-m", model, "--database", self.test_db, "--table=guess", "--marginals")
        self.assertEqual(done, "")
        table = self.ask(self.test_db, "select id, label, probability from guess order by id")
        self.assertEqual(table, [(each["id"], each["label"], each["probability"]) for each in objects])
        self.assertEqual(self.ask(self.test_db, "select count(*) from guess_marginals"), [(2 * len(table),)])

    def test_a_table_of_another_maker_stays(self):
        model = self.graph()
        self.run_ok("predict", "-m", model, "--database", self.test_db, "--table")
        self.run_ok("predict", "-m", model, "--database", self.test_db, "--table")
        before = self.ask(self.test_db, "select * from token")
        self.fails(WRONG_USAGE, "predict", "-m", model, "--database", self.test_db, "--table=token",
                   mentions=["did not make", "--overwrite"])
        self.assertEqual(self.ask(self.test_db, "select * from token"), before)
        db = sqlite3.connect(self.test_db)
        db.execute("create table mine(x)")
        db.commit()
        db.close()
        self.run_ok("predict", "-m", model, "--database", self.test_db, "--table=mine", "--overwrite")
        self.assertEqual(self.ask(self.test_db, "select count(*) from mine"), [(len(before),)])

    def test_a_table_that_cannot_be_written_is_known_at_once(self):
        model = self.graph()
        writer = sqlite3.connect(self.test_db, isolation_level=None)
        self.fails(BAD_INPUT, "predict", "-m", model, "--database", self.test_db, "--table=sqlite_mine",
                   mentions=["reserved"])
        text = self.file("text.sqlite", "no database at all\n" * 50)
        self.fails(WRONG_USAGE, "predict", "-m", model, "--database", text, "--table", mentions=["none"])
        writer.execute("create index guess on token(word)")
        writer.close()
        self.fails(WRONG_USAGE, "predict", "-m", model, "--database", self.test_db, "--table=guess",
                   mentions=["something else"])

    def test_a_killed_prediction_leaves_no_part_of_a_table(self):
        model = self.graph()
        db = sqlite3.connect(self.test_db)
        db.executemany("insert into token values (?, ?, 0, 'a', 1.0, null)",
                       ((1000 + k, 1000 + k) for k in range(200000)))
        db.commit()
        db.close()
        size = self.test_db.stat().st_size
        process = subprocess.Popen([CROFT, "predict", "-m", model, "--database", self.test_db, "--table"],
                                   stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < deadline and self.test_db.stat().st_size == size:
            time.sleep(0.001)
        process.kill()
        self.assertNotEqual(process.wait(), 0)  # killed while it wrote
        self.assertGreater(self.test_db.stat().st_size, size)
        # What is left is for a program that writes to roll back; croft reads it then.
        self.fails(BAD_INPUT, "predict", "-m", model, "--database", self.test_db, mentions=["stopped while it wrote"])
        self.ask(self.test_db, "select count(*) from sqlite_master")
        lines = self.run_ok("predict", "-m", model, "--database", self.test_db, "--no-probabilities")
        self.assertEqual(lines.count("\n"), 200000 + len(tokens(2)))
        self.assertEqual(self.ask(self.test_db, "select count(*) from sqlite_master where name = 'predictions'"),
                         [(0,)])

    def test_known_labels_are_used_only_where_asked_for(self):
        model = self.graph()
        db = sqlite3.connect(self.test_db)
        db.execute("update token set label = case label when 'A' then 'B' else 'A' end")
        db.commit()
        db.close()
        plain = self.run_ok("predict", "-m", model, "--database", self.test_db)
        known = [line.split("\t") for line in
                 self.run_ok("predict", "-m", model, "--database", self.test_db, "--use-known").splitlines()]
        self.assertEqual([line[1] for line in known],
                         [row[0] for row in self.ask(self.test_db, "select label from token order by id")])
        self.assertTrue(all(float(line[2]) == 1 for line in known))
        db = sqlite3.connect(self.test_db)
        db.execute("update token set label = 'Z' where id = 0")
        db.commit()
        db.close()
        self.assertEqual(self.run_ok("predict", "-m", model, "--database", self.test_db), plain)
        self.fails(BAD_INPUT, "predict", "-m", model, "--database", self.test_db, "--use-known",
                   mentions=['a label "Z" that is none of the domain'])

    def test_other_queries_for_other_tables(self):
        model = self.graph()
        expected = self.run_ok("predict", "-m", model, "--database", self.test_db)
        db = sqlite3.connect(self.test_db)
        db.execute("alter table token rename to item")
        db.commit()
        db.close()
        self.fails(BAD_INPUT, "predict", "-m", model, "--database", self.test_db,
                   mentions=[model, "no such table: token"])
        other = self.file("o.toml", SPEC.replace("from token", "from item").replace("join token", "join item"))
        self.assertEqual(self.run_ok("predict", "-m", model, "--database", self.test_db, "--spec", other), expected)
        for lines, mention in (('standardise = ["length"]\nbias = false', "another bias"), ("", "standardise"),
                               ('standardise = ["length"]\ncategorical = ["word"]', "categorical")):
            wrong = self.file("w.toml", SPEC.replace('standardise = ["length"]', lines))
            self.fails(WRONG_USAGE, "predict", "-m", model, "--database", self.test_db, "--spec", wrong,
                       mentions=[mention])

    def test_inference_of_prediction_goes_by_name(self):
        model = self.graph()
        exact = self.run_ok("predict", "-m", model, "--database", self.test_db)
        self.assertEqual(self.run_ok("predict", "-m", model, "--database", self.test_db,
                                     "--method", "belief-propagation"), exact)
        labels = self.run_ok("predict", "-m", model, "--database", self.test_db, "--no-probabilities",
                             "--search", "trw-s")
        self.assertEqual([line.split("\t")[:2] for line in exact.splitlines()],
                         [line.split("\t") for line in labels.splitlines()])
        marginal = self.run_ok("predict", "-m", model, "--database", self.test_db, "--decode", "marginal")
        self.assertTrue(all(float(line.split("\t")[2]) >= 0.5 for line in marginal.splitlines()))
        for options, mention in ((["--method", "graph-cut"], "does not answer"),
                                 (["--decode", "viterbi"], "take best or marginal"),
                                 (["--decode", "marginal", "--search", "icm"], "--search"),
                                 (["--k-best", "2"], "--k-best has no meaning"),
                                 (["--no-probabilities", "--marginals"], "--no-probabilities"),
                                 (["--overwrite"], "--table"),
                                 (["--table", "--to", "json"], "--to"),
                                 (["--table", "-o", self.folder / "none"], "--output"), (["x.conll"], "x.conll")):
            with self.subTest(options=options):
                self.fails(WRONG_USAGE, "predict", "-m", model, "--database", self.test_db, *options,
                           mentions=[mention])
        self.assertFalse((self.folder / "none").exists())
        self.fails(WRONG_USAGE, "predict", "-m", model, mentions=["--database"])

    def test_threads_change_nothing(self):
        model = self.graph()
        one = self.run_ok("predict", "-m", model, "--database", self.test_db, "--marginals")
        self.assertEqual(self.run_ok("predict", "-m", model, "--database", self.test_db, "--marginals",
                                     "--threads", "3"), one)

    # --- evaluate, inspect, the others

    def test_evaluation_compares_with_the_labels_of_the_database(self):
        model = self.graph()
        self.run_ok("predict", "-m", model, "--database", self.test_db, "--table")
        right, count = self.ask(self.test_db, "select sum(t.label = p.label), count(*) from token t "
                                              "join predictions p using (id)")[0]
        whole = self.ask(self.test_db, "select sum(ok) from (select min(t.label = p.label) ok from token t "
                                       "join predictions p using (id) group by sentence)")[0][0]
        report = json.loads(self.run_ok("evaluate", "-m", model, "--database", self.test_db, "--json"))
        self.assertEqual((report["variables"]["correct"], report["variables"]["count"]), (right, count))
        self.assertEqual(report["instances"]["correct"], whole)
        tag = report["domains"]["tag"]
        self.assertEqual(set(tag["labels"]), {"A", "B"})
        self.assertGreater(tag["log_loss"], 0)
        self.assertIn("--- tag", self.run_ok("evaluate", "-m", model, "--database", self.test_db))
        self.assertNotIn("chunk", tag)
        raw = json.loads(self.run_ok("evaluate", "-m", model, "--database", self.test_db, "--json", "--chunks", "raw"))
        self.assertEqual(raw["domains"]["tag"]["chunk"]["support"], count)  # each label is a chunk
        self.assertEqual(raw["domains"]["tag"]["chunk"]["correct"], right)

    def test_inspection_shows_schema_weights_and_a_picture(self):
        model = self.graph()
        summary = json.loads(self.run_ok("inspect", "-m", model, "--json", "--top", "2"))
        self.assertEqual(summary["kind"], "graph")
        self.assertEqual([each["name"] for each in summary["templates"]], ["word", "next"])
        self.assertEqual(len(summary["top"][0]["largest"]), 2)
        weights = [line.split("\t") for line in self.run_ok("inspect", "-m", model, "--weights").splitlines()]
        self.assertEqual(len(weights), summary["weights"])
        self.assertIn(["clique", "next", "(bias)", "A, B"], [row[:4] for row in weights])
        self.assertIn("select id, word, length from token", self.run_ok("inspect", "-m", model))
        for name in ("g.svg", "g.dot"):
            self.run_ok("inspect", "-m", model, "--picture", self.folder / name, "--database", self.test_db,
                        "--variables", "5")
        self.assertIn("<svg", (self.folder / "g.svg").read_text("utf-8"))
        self.assertEqual((self.folder / "g.dot").read_text("utf-8").count("label="), 5)
        self.fails(WRONG_USAGE, "inspect", "-m", model, "--picture", self.folder / "g.png", "--database", self.test_db,
                   mentions=[".dot nor .svg"])
        self.fails(WRONG_USAGE, "inspect", "-m", model, "--constraints", self.spec, mentions=["--constraints"])

    def test_other_verbs_say_what_takes_the_model(self):
        model = self.graph()
        for arguments in (["convert", model, "-o", self.folder / "c"],
                          ["stack", "-m", model, self.spec]):
            self.fails(BAD_INPUT, *arguments,
                       mentions=["a model of kind graph",
                                 "predict, evaluate, explain, inspect, calibrate and serve take it"])
        self.fails(WRONG_USAGE, "explain", "-m", model, self.spec, mentions=["reads --database"])
        self.fails(WRONG_USAGE, "calibrate", "-m", model, self.spec, "-o", self.folder / "c",
                   mentions=["reads --database"])
        chain = self.train("chain.croft", self.file("d.conll", "a A\nb B\n\n"))
        self.fails(WRONG_USAGE, "predict", "-m", chain, "--database", self.test_db,
                   mentions=["is for a model of kind graph"])
        self.fails(WRONG_USAGE, "evaluate", "-m", chain, "--decode", "best", self.spec,
                   mentions=["is for a model of kind graph"])
        self.fails(WRONG_USAGE, "inspect", "-m", chain, "--picture", "g.svg", "--database", self.test_db,
                   mentions=["of kind graph"])


if __name__ == "__main__":
    main()
