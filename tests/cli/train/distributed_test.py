"""mpirun croft train: processes that share the data, on one machine and over a network, make the same model."""

import gzip
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

from support import BAD_INPUT, CROFT, DONE, INTERRUPTED, WRONG_USAGE, CliTest, croft, main

PROGRAM = pathlib.Path(CROFT).resolve()
PLACES = ("libcroft_mpi.so", "../lib*/croft/libcroft_mpi.so", "../lib*/*/croft/libcroft_mpi.so")
READY = shutil.which("mpirun") and any(module for place in PLACES for module in PROGRAM.parent.glob(place))
MISSING = "mpirun and the module libcroft_mpi.so are not there"

ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",  # containers forbid it
    "OMPI_MCA_mpi_yield_when_idle": "1",  # there are more processes than processors
}
# mpirun takes a second to start: all numbers of processes in scripts/check_all.sh, the last of each list elsewhere.
LONG = "CROFT_LONG_TESTS" in os.environ


def chosen(numbers):
    return numbers if LONG else numbers[-1:]


# Data is shared out in pieces, of 8192 positions where there are so many labels: a piece for each of 4 processes.
LABELS, POSITIONS = 128, 26_000
ENDLESS = ("--tolerance", 0, "--gradient-tolerance", 0)


def chains(positions=POSITIONS, labels=LABELS, seed=1):
    """Sequences of (label, word, suffix): a label has three that follow it, and words that are often its own."""
    draw = random.Random(seed)
    label, sequences = 0, []
    while positions > 0:
        rows = []
        for _ in range(draw.randint(2, 12)):
            label = (3 * label + draw.choice((1, 2, 5))) % labels
            word = 3 * label + draw.randrange(3) if draw.random() < 0.7 else draw.randrange(3 * labels)
            rows.append((f"L{label}", f"w{word}", f"s{draw.randrange(40)}"))
        positions -= len(rows)
        sequences.append(rows)
    return sequences


def blocks(sequences, line):
    return "".join("".join(line(*row) + "\n" for row in rows) + "\n" for rows in sequences)


def attributes(sequences):
    return blocks(sequences, lambda label, word, suffix: f"{label}\t{word}\t{suffix}")


def columns(sequences):
    return blocks(sequences, lambda label, word, suffix: f"{word} {suffix} {label}")


def texts(sequences):
    return "".join(f"{label}\t{word} {suffix}\n" for rows in sequences for label, word, suffix in rows)


def svmlight(sequences):
    """The rows of a sequence have one number."""
    return "".join(f"{label} qid:{n} {int(word[1:]) + 1}:1 {1000 + int(suffix[1:])}:0.5  # {n}\n"
                   for n, rows in enumerate(sequences) for label, word, suffix in rows)


def table(sequences):
    """Each tenth word goes on in a line that looks like a row by itself."""
    lines = ["label,\"word\nof it\",number\n"]
    for n, (label, word, suffix) in enumerate(row for rows in sequences for row in rows):
        cell = f'"{word}\n{label},""{suffix}"",7"' if n % 10 == 0 else word
        lines.append(f"{label},{cell},{suffix[1:]}\n")
    return "".join(lines)


def spans(sequences):
    return "".join(json.dumps({"tokens": [[word, suffix] for _, word, suffix in rows],
                               "spans": [[k, k + 1, row[0]] for k, row in enumerate(rows)]}) + "\n"
                   for rows in sequences)


def weighted(sequences):
    """Some sequences begin with a weight, none of those of the first third."""
    draw = random.Random(2)
    text = attributes(sequences).split("\n\n")
    return "\n\n".join(f"@weight:{draw.randint(1, 40) / 8}\n{block}" if 3 * n > len(text) and block and n % 3 else block
                       for n, block in enumerate(text))


def command(processes, *arguments, options=()):
    return ["mpirun", "--oversubscribe", "--bind-to", "none", *map(str, options), "-n", str(processes), CROFT,
            *map(str, arguments)]


def mpirun(processes, *arguments, stdin=b""):
    """The finished job.  mpirun itself would wait for 2 seconds after a failure."""
    options = ("--mca", "odls_base_sigkill_timeout", 0)
    return subprocess.run(command(processes, *arguments, options=options), input=stdin, capture_output=True,
                          timeout=120, env={**os.environ, **ENVIRONMENT}, check=False)


def messages(stderr):
    """The lines of croft, without those of mpirun."""
    return [line for line in stderr.decode("utf-8", "replace").splitlines() if line.startswith("croft: ")]


def processes_with(path):
    """The processes that have `path` in their command line: of croft by their rank, of other programs in a list."""
    ranks, others = {}, []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            environment = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if os.fsencode(path) not in words:
            continue
        rank = [value for name, _, value in (each.partition(b"=") for each in environment)
                if name == b"OMPI_COMM_WORLD_RANK"]
        if words[0] == os.fsencode(CROFT) and rank:
            ranks[int(rank[0])] = int(folder.name)
        else:
            others.append(int(folder.name))
    return ranks, others


class DistributedTest(CliTest):
    @classmethod
    def setUpClass(cls):
        cls.sequences = chains()

    def setUp(self):
        super().setUp()
        self.model, self.log, self.kept = (self.folder / name for name in ("m.croft", "log.jsonl", "kept"))

    def data_of(self, form):
        return self.file(f"{form.__name__}.txt", form(self.sequences))

    def alone(self, *options):
        """The bytes of the model of one process that mpirun has not started."""
        return self.train("alone.croft", *options).read_bytes()

    def shared(self, processes, *options):
        """The bytes of the model of several processes."""
        self.model.unlink(missing_ok=True)
        done = mpirun(processes, "train", "--quiet", "-o", self.model, *options)
        self.assertEqual((done.returncode, done.stdout), (DONE, b""), done.stderr.decode("utf-8", "replace"))
        return self.model.read_bytes()

    def check(self, *options, processes=(3,), optimizer="lbfgs", iterations=3):
        options = (*options, "--optimizer", optimizer, "--max-iterations", iterations)
        alone = self.alone(*options)
        for number in chosen(processes):
            with self.subTest(options=options, processes=number):
                self.assertTrue(self.shared(number, *options) == alone, "another model")
        return alone

    def start(self, job):
        process = subprocess.Popen(job, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env={**os.environ, **ENVIRONMENT})
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(self.kill_what_is_left)
        return process

    def kill_what_is_left(self):
        ranks, others = processes_with(self.model)
        for each in (*others, *ranks.values()):
            try:
                os.kill(each, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def wait_for_iterations(self, process, count=3):
        """The processes by their ranks, once the log has `count` lines and there is a checkpoint."""
        give_up = time.monotonic() + 60
        while (not self.log.exists() or self.log.read_text("utf-8").count("\n") < count
               or not (self.kept / "checkpoint").exists()):
            if process.poll() is not None:
                self.fail("ended by itself: " + process.stderr.read().decode("utf-8", "replace"))
            self.assertLess(time.monotonic(), give_up, "no iteration after a minute")
            time.sleep(0.01)
        return processes_with(self.model)[0]

    def assert_nothing_runs(self, seconds=10):
        give_up = time.monotonic() + seconds
        while any(processes_with(self.model)):
            self.assertLess(time.monotonic(), give_up, "a process is left")
            time.sleep(0.05)

    def check_error(self, processes, status, *arguments, mentions=(), verb="train", stdin=b""):
        """One message, of the first process, and neither a model nor a process afterwards."""
        before = sorted(self.folder.iterdir())
        done = mpirun(processes, verb, *arguments, stdin=stdin)
        text = done.stderr.decode("utf-8", "replace")
        lines = messages(done.stderr)
        self.assertEqual((done.returncode, done.stdout, len(lines)), (status, b"", 1), text)
        for each in mentions:
            self.assertIn(str(each), lines[0])
        self.assertEqual(sorted(self.folder.iterdir()), before)
        self.assert_nothing_runs()
        return lines[0]


class SameModelTest(DistributedTest):
    def test_any_number_of_processes_and_threads_makes_the_same_model(self):
        options = ("--format", "attributes", "--max-iterations", 6, self.data_of(attributes))
        alone = self.alone("--optimizer", "lbfgs", *options)
        for processes, threads in chosen(((1, 1), (2, 1), (4, 1), (1, 2), (3, 1), (3, 2))):
            with self.subTest(processes=processes, threads=threads):
                self.assertTrue(self.shared(processes, *options, "--threads", threads) == alone, "another model")

    def test_with_a_penalty_of_l1_the_optimizer_is_owlqn(self):
        options = ("--format", "attributes", "--l1", 0.5, "--max-iterations", 4, self.data_of(attributes))
        alone = self.alone("--optimizer", "owlqn", *options)
        for processes in chosen((1, 3)):
            self.assertTrue(self.shared(processes, *options) == alone, "another model")

    def test_every_optimizer_that_sums_over_the_data(self):
        data = ("--format", "attributes", self.data_of(attributes))
        self.check(*data, optimizer="truncated-newton", iterations=2)
        for optimizer in chosen(("preconditioned-cg", "mixed-cg", "steepest-descent", "cg")):
            self.check(*data, optimizer=optimizer, iterations=2)
        self.check(*data, "--objective", "max-margin", optimizer="cutting-plane", iterations=4)

    def test_optimizers_with_a_matrix_of_all_weights(self):
        # With few labels a piece is of 131,072 positions.
        some = attributes([[(label, f"w{int(word[1:]) % 3}", "s") for label, word, _ in rows]
                           for rows in chains(27_000, labels=5)])
        data = self.file("data", some * 6)
        for optimizer in ("bfgs", "newton"):
            self.check("--format", "attributes", "--model", "maxent", data, optimizer=optimizer, iterations=2,
                       processes=(2,))

    def test_kinds_objectives_and_precisions(self):
        data = ("--format", "attributes", self.data_of(attributes))
        for kind in ("memm", "maxent"):
            self.check("--model", kind, *data, processes=(1, 3))
        self.check(*data, "--objective", "softmax-margin", processes=(2,))
        self.check(*data, "--objective", "pseudolikelihood", processes=(2,))
        self.check(*data, "--precision", "double", "--boundaries", processes=(2,))

    def test_hidden_states_by_gradients_and_by_em(self):
        data = ("--format", "attributes", "--model", "hidden-chain", "--hidden-states", "L3=2",
                self.data_of(attributes))
        self.check(*data, processes=(1, 3))
        em = ("--em-iterations", 1, "--optimizer", "lbfgs", *data)
        self.assertTrue(self.shared(2, *em) == self.alone(*em), "another model")

    def test_counts_of_hidden_markov_models_and_naive_bayes(self):
        for options in (("--model", "hmm", "--format", "attributes", self.data_of(attributes)),
                        ("--model", "naive-bayes", "--format", "text", self.data_of(texts)),
                        ("--model", "naive-bayes", "--event", "bernoulli", "--holdout", 0.2, "--format", "text",
                         self.data_of(texts))):
            alone = self.alone(*options)
            for processes in chosen((1, 2, 3)):
                with self.subTest(options=options, processes=processes):
                    self.assertTrue(self.shared(processes, *options) == alone, "another model")

    def test_what_depends_on_the_number_of_processes_does_not_depend_on_the_run(self):
        data = ("--format", "attributes", self.data_of(attributes))
        for options in (("--optimizer", "dual-ascent"), ("--objective", "perceptron")):
            with self.subTest(options=options):
                options = (*options, "--max-iterations", 2, *data)
                self.assertTrue(self.shared(3, *options) == self.shared(3, *options, "--threads", 2), "another model")
        self.check(*data, "--objective", "perceptron", optimizer="pass-perceptron", iterations=2, processes=(1, 3))

    def test_dual_ascent_ends_where_one_process_does(self):
        data = ("--format", "attributes", "--l2", 10, "--gap", 1e-3, self.data_of(attributes))
        objective = {}
        for processes in (0, 3):
            train = ("--optimizer", "dual-ascent", "--log", self.log, *data)
            if processes == 0:
                self.alone(*train)
            else:
                self.shared(processes, *train)
            end = json.loads(self.log.read_text("utf-8").splitlines()[-1])
            objective[processes] = end["objective"]
        self.assertAlmostEqual(objective[3] / objective[0], 1, delta=1e-3)

    def test_prediction_and_evaluation_are_those_of_one_process(self):
        data = self.data_of(attributes)
        model = self.train("alone.croft", "--format", "attributes", "--optimizer", "lbfgs", "--max-iterations", 3,
                           data)
        for verb in (("predict", "-m", model, "--to", "json", "--marginals", "--samples", 2, data),
                     ("predict", "-m", model, data, data), ("evaluate", "-m", model, "--json", "--confusion", data)):
            alone = self.run_ok(*verb)
            for processes in chosen((2, 3)):
                with self.subTest(verb=verb, processes=processes):
                    done = mpirun(processes, *verb)
                    self.assertEqual(done.returncode, DONE, done.stderr.decode())
                    self.assertTrue(done.stdout.decode("utf-8") == alone, "another answer")

    def test_an_active_set_of_many_candidates(self):
        many = self.file("many", attributes([[(label, word + suffix[:2], suffix) for label, word, suffix in rows]
                                             for rows in self.sequences]))
        self.check("--format", "attributes", "--features", "all", "--l1", 2, "--l2", 0, many, optimizer="owlqn",
                   iterations=30)
        record = json.loads(self.run_ok("inspect", "-m", self.model, "--json"))["training"]
        self.assertGreater(record["active_set"]["rounds"], 1)

    def test_labels_that_look_further_back(self):
        self.check("--format", "attributes", "--order", 2, self.data_of(attributes), processes=(1, 3), iterations=2)

    def test_features_of_pairs_of_labels(self):
        template = self.file("template", "U:%x[0,0]\nU1:%x[-1,0]\nB:%x[0,1]\nB\n")
        self.check("--template", template, self.file("few", columns(chains(labels=16))), iterations=2)

    def test_rules_of_labels(self):
        rules = self.file("rules", "! L10 L11 L12 -> L20 L21\n! L3 -> L4\n* -> *\n! start L5\n! end L6\n")
        kept = [rows for rows in self.sequences if rows[0][0] != "L5" and rows[-1][0] != "L6"]
        self.check("--format", "attributes", "--constrain", rules, self.file("kept", attributes(kept)),
                   processes=(1, 3))
        groups = self.file("groups", "L1* L2* one\nL2* L1* one\nL3* L4* two\n")
        self.check("--format", "attributes", "--transition-groups", groups, self.data_of(attributes))

    def test_labels_that_are_known_in_part(self):
        draw = random.Random(3)

        def blurred(label):
            return draw.choice((label, label, label, "?", f"{label}|other", f"any|{label}|other"))
        data = self.file("partial", attributes([[(blurred(label), *rest) for label, *rest in rows]
                                                for rows in self.sequences]))
        self.check("--format", "attributes", "--partial", data, processes=(1, 3))

    def test_weights_of_sequences(self):
        self.check("--format", "attributes", self.data_of(weighted), processes=(1, 3))
        draw = random.Random(4)
        weights = self.file("weights", "".join(f"{draw.randint(1, 99) / 16}\n" for _ in self.sequences))
        self.check("--format", "attributes", "--weights", weights, self.data_of(attributes), processes=(1, 3))
        classes = self.file("classes", "L1\t0.3\nL2\t2.5\n")
        self.check("--model", "maxent", "--format", "text", "--class-weights", classes, self.data_of(texts))

    def test_features_that_occur_more_than_once(self):
        for features in ("observed", "all"):
            self.check("--format", "attributes", "--min-count", 2, "--features", features, self.data_of(attributes),
                       processes=(1, 3) if features == "observed" else (3,))

    def test_data_held_out(self):
        data = self.data_of(attributes)
        early = ("--format", "attributes", "--early-stop", 3)
        self.check(*early, "--holdout", 0.2, data, processes=(1, 3), iterations=8)
        held = self.file("held", attributes(chains(3000, seed=9)))
        self.check(*early, "--holdout", held, data, processes=(1, 3), iterations=8)

    def test_training_from_another_model(self):
        data = self.data_of(attributes)
        first = self.train("first.croft", "--format", "attributes", "--max-iterations", 1, "--optimizer", "lbfgs", data)
        for option in ("--init", "--prior"):
            self.check("--format", "attributes", option, first, data, iterations=2)

    def test_columns_and_their_features_for_words(self):
        self.check(self.data_of(columns), iterations=2)

    def test_spans(self):
        self.check("--format", "spans", "--constrain", "bio", self.data_of(spans), processes=(2,), iterations=2)

    def test_texts(self):
        self.check("--format", "text", "--model", "maxent", "--term-weights", "tf-idf", "--ngrams", "1-2",
                   self.data_of(texts), processes=(1, 3))
        self.check("--format", "text", "--model", "maxent", "--holdout", 0.1, self.data_of(texts))

    def test_rows_of_numbers(self):
        self.check("--format", "svmlight", self.data_of(svmlight), processes=(1, 3))

    def test_tables_with_line_ends_in_cells(self):
        self.check("--format", "csv", "--model", "maxent", "--standardise", self.data_of(table), processes=(1, 3, 4))


class FilesTest(DistributedTest):
    def test_several_files_large_and_small(self):
        third = len(self.sequences) // 3
        small = self.sequences[:2]
        parts = [self.sequences[:third], small[:1], self.sequences[third:2 * third], small[1:],
                 self.sequences[2 * third:]]
        files = [self.file(f"{k}.txt", "\n" * 50 * (k % 2) + attributes(part) + "\n" * 9 * (k % 3))
                 for k, part in enumerate(parts)]
        alone = self.check("--format", "attributes", *files, processes=(2, 4))
        packed = self.folder / "packed.gz"
        packed.write_bytes(gzip.compress(files[2].read_bytes()))
        files[2] = packed
        self.assertTrue(self.check("--format", "attributes", *files, processes=(2, 4)) == alone, "another model")

    def test_one_packed_file(self):
        plain, packed = self.data_of(columns), self.folder / "data.conll.gz"
        packed.write_bytes(gzip.compress(plain.read_bytes()))
        template = ("--template", self.file("template", "U:%x[0,0]\nB\n"))
        self.assertTrue(self.check(*template, packed, processes=(3,)) == self.check(*template, plain, processes=()))

    def test_more_processes_than_sequences(self):
        for k, text in enumerate(("a X\nb Y\n\nc X\n", "a X\nb Y\na Y", "\n\n  \na X\r\nb Y\r\n\r\n\n\r\nc X")):
            self.check(self.file(f"{k}.conll", text), processes=(4,))
        for k, text in enumerate(('a,label\n"1\n2",X\n"""",Y', 'a,"long\nlabel"\n1,X\n2,Y\n', "a,label\n1,X")):
            self.check("--format", "csv", "--model", "maxent", self.file(f"{k}.csv", text), processes=(4,))
        self.check(*(self.file(f"one{k}", f"{word} {label}\n") for k, (word, label) in enumerate(("aX", "bY", "aX"))),
                   processes=(4,))


class ErrorTest(DistributedTest):
    def check_same_error(self, *options, status=BAD_INPUT, mentions=(), processes=3):
        """As without mpirun, but for what a message says of lines before: these may be another process's."""
        done = croft("train", "--quiet", "-o", self.model, *options)
        self.assertEqual(done.returncode, status, done.stderr)
        shared = self.check_error(processes, status, "--quiet", "-o", self.model, *options, mentions=mentions)
        self.assertEqual([shared.split(" where ")[0]], [line.split(" where ")[0] for line in messages(done.stderr)])

    def test_a_broken_line_is_named_whoever_reads_it(self):
        few = chains(3000, labels=9)
        for form, options, line, broken in (
                (columns, (), "w s L1", "w L1"),
                (attributes, ("--format", "attributes"), "L1\tw", "L1\tw:1:2"),
                (spans, ("--format", "spans"), None, '{"tokens": [["a", "b"]], "spans": [[0, 1, "L1"]}'),
                (texts, ("--format", "text"), "L1\tw", "no label"),
                (svmlight, ("--format", "svmlight"), "L1 qid:9999 1:1", "L1 qid:9999 2:1 2:1"),
                (table, ("--format", "csv", "--label", "label"), "L1,w,3", "L1,w,3,4")):
            text = form(few)
            number = text.count("\n") + (2 if line else 1)
            data = self.file(form.__name__, text + (line + "\n" if line else "") + broken + "\n")
            with self.subTest(format=form.__name__):
                self.check_same_error(*options, data, mentions=(f"{data}:{number}",))

    def test_the_first_of_two_broken_lines_is_named(self):
        text = attributes(chains(3000, labels=9))
        middle = text.index("\n\n", len(text) // 2) + 2
        data = self.file("data", text[:middle] + "L1\ta:b\n\n" + text[middle:] + "L1\ta:b\n")
        self.check_same_error("--format", "attributes", data,
                              mentions=(f"{data}:{text[:middle].count(chr(10)) + 1}",))

    def test_a_broken_line_of_a_file_among_others(self):
        text = columns(chains(2000, labels=9))
        first, last = self.file("first", text), self.file("last", text + "w L1\n")
        packed = self.folder / "packed.gz"
        packed.write_bytes(gzip.compress(last.read_bytes()))
        for files in ((first, last), (first, packed), (last, first)):
            broken = files[0] if last is files[0] else files[1]
            self.check_same_error(*files, mentions=(f"{broken}:{text.count(chr(10)) + 1}",))
        packed.write_bytes(gzip.compress(last.read_bytes())[:-2000])
        self.check_same_error(first, packed, mentions=(packed, "ends too early"))

    def test_other_errors_are_those_of_one_process(self):
        data = self.file("data", columns(chains(1000, labels=5)))
        nothing, few = self.file("nothing", "\n\n"), self.file("few", "1\n2\n")
        self.check_same_error(self.folder / "missing", mentions=("missing: cannot open",))
        self.check_same_error(data, nothing, mentions=(nothing,))
        self.check_same_error("--weights", few, data, mentions=("2 weights, and",))
        self.check_same_error("--holdout", self.folder / "missing", data, mentions=("missing: cannot open",))
        self.check_same_error("--no-such-option", data, status=WRONG_USAGE)

    def test_data_without_a_sequence_is_an_error_of_every_verb(self):
        model = self.train("one.croft", self.file("data", columns(chains(500, labels=5))), "--max-iterations", 1)
        for name, text in (("empty", ""), ("blank", "\n" * 300)):
            data = self.file(name, text)
            self.check_same_error(data, mentions=(data,))
            for verb in ("predict", "evaluate"):
                with self.subTest(verb=verb, text=name):
                    alone = croft(verb, "-m", model, data)
                    shared = self.check_error(3, BAD_INPUT, "-m", model, data, verb=verb)
                    self.assertEqual([shared], messages(alone.stderr))

    def test_what_one_process_alone_can_do_is_refused(self):
        data = self.file("data", columns(chains(1000, labels=5)))
        output = ("--quiet", "-o", self.model)
        self.check_error(2, WRONG_USAGE, "--optimizer", "sgd", *output, data,
                         mentions=("--optimizer sgd is for one process alone", "lbfgs, owlqn"))
        self.check_error(2, WRONG_USAGE, *output, "-", stdin=data.read_bytes(), mentions=("standard input: several",))
        self.check_error(2, WRONG_USAGE, "--model", "boosted-chain", *output, data, mentions=("trains in one process",))
        self.check_error(2, WRONG_USAGE, "--objective", "passive-aggressive", *output, data,
                         mentions=("--objective passive-aggressive has no optimizer for several processes",))
        self.check_error(2, WRONG_USAGE, "--weights", "-", *output, data, stdin=b"1\n",
                         mentions=("standard input beside the data is for one process alone",))
        for method in ("dual-ascent", "averaged-perceptron"):
            objective = ("--objective", "perceptron") if method == "averaged-perceptron" else ()
            options = ("--optimizer", method, *objective, "--checkpoint", self.kept)
            self.check_error(2, WRONG_USAGE, *options, *output, data, mentions=("has no checkpoint",))
        model = self.train("one.croft", data, "--max-iterations", 1)
        self.check_error(2, WRONG_USAGE, "-m", model, verb="inspect",
                         mentions=("croft inspect is for one process alone; start croft without mpirun",))

    def test_one_process_that_mpirun_starts_may_do_it_all(self):
        data = self.file("data", columns(chains(1000, labels=5)))
        self.assertIn(b"L1", mpirun(1, "inspect", "-m", self.train("one.croft", data, "--max-iterations", 1)).stdout)
        options = ("--optimizer", "sgd", "--max-iterations", 2, data)
        self.assertTrue(self.shared(1, *options) == self.alone(*options), "another model")
        rows = self.file("rows", columns([[(label, f"w{label}", "s") for label, _, _ in rows]
                                          for rows in chains(2000, labels=9)]))
        self.assertTrue(self.shared(1, "--select", "l1:0.5", rows) == self.alone("--optimizer", "lbfgs", "--select",
                                                                                "l1:0.5", rows), "another model")

    def test_processors_that_differ_are_told(self):
        data = self.file("data", columns(chains(1000, labels=5)))
        known = croft("train", "-o", self.model, data, env={**os.environ, "CROFT_SIMD": "none"}).stderr.decode()
        targets = known.strip().split("choose one of ")[-1].split(", ")
        if len(targets) < 2:
            self.skipTest("this processor has one set of instructions: " + known)
        job = ["mpirun", "--oversubscribe"]
        for k, target in enumerate(targets[:2]):
            job += [":"] * k + ["-n", "1", "-x", f"CROFT_SIMD={target}"]
            job += [CROFT, "train", "-o", str(self.model), str(data)]
        done = subprocess.run(job, capture_output=True, timeout=120, check=False, env={**os.environ, **ENVIRONMENT})
        self.assertEqual(done.returncode, WRONG_USAGE)
        lines = messages(done.stderr)
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("the machines' processors differ", lines[0])
        for target in targets[:2]:
            self.assertIn(target, lines[0])

    def test_the_first_process_alone_says_what_goes_on(self):
        data = self.file("data", columns(chains(1000, labels=5)))
        done = mpirun(3, "train", "-o", self.model, "--max-iterations", 3, "--log", self.log, data)
        self.assertEqual((done.returncode, done.stdout), (DONE, b""))
        self.assertEqual(done.stderr.count(b"wrote "), 1, done.stderr)
        lines = [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]
        self.assertEqual([line["event"] for line in lines].count("done"), 1)

    def test_a_program_without_the_module_says_so(self):
        bare = self.folder / "croft"
        shutil.copy(PROGRAM, bare)
        done = subprocess.run([bare, "train", "-o", self.model, "data"], capture_output=True, check=False,
                              env={**os.environ, "OMPI_COMM_WORLD_SIZE": "2"})
        self.assertEqual((done.returncode, done.stdout), (BAD_INPUT, b""))
        self.assert_one_message(done.stderr.decode("utf-8"), ("built without MPI", "-DCROFT_MPI=ON"))


class JobTest(DistributedTest):
    """Trainings that are stopped or killed, and go on with another number of processes."""

    whole = None  # the bytes of the model of a training without a break

    def setUp(self):
        super().setUp()
        self.options = ("--format", "attributes", *ENDLESS, "--max-iterations", 60, self.data_of(attributes))
        self.checkpoint = ("--checkpoint", self.kept, "--checkpoint-interval", 0)
        self.job = ("train", "--quiet", "-o", self.model, "--log", self.log, *self.checkpoint, *self.options)
        if JobTest.whole is None:
            JobTest.whole = self.alone("--optimizer", "lbfgs", *self.options)

    def check_resumed(self, processes):
        self.assertTrue((self.kept / "checkpoint").exists())
        self.assertTrue(self.shared(processes, *self.options, *self.checkpoint, "--resume") == JobTest.whole,
                        "another model")
        self.assertFalse((self.kept / "checkpoint").exists())

    def end(self, job, *targets, number):
        """Sends processes of these ranks, or mpirun, a signal; mpirun's status and what was written to stderr."""
        for path in (self.model, self.log):
            path.unlink(missing_ok=True)
        shutil.rmtree(self.kept, ignore_errors=True)
        process = self.start(job)
        ranks = self.wait_for_iterations(process)
        for rank in targets:
            os.kill(process.pid if rank == "mpirun" else ranks[rank], number)
        _, stderr = process.communicate(timeout=60)
        self.assert_nothing_runs()
        return process.returncode, stderr.decode("utf-8", "replace")


class EndTest(JobTest):
    def test_a_signal_to_all_or_one_keeps_model_and_checkpoint(self):
        for number, targets, more in ((signal.SIGINT, (0, 1), 3), (signal.SIGTERM, (1,), 1)):
            with self.subTest(signal=number, ranks=targets):
                status, text = self.end(command(2, *self.job), *targets, number=number)
                self.assertEqual(status, INTERRUPTED, text)
                end = json.loads(self.log.read_text("utf-8").splitlines()[-1])
                self.assertEqual((end["event"], end["reason"]), ("done", "stopped"))
                self.run_ok("inspect", "-m", self.model)
                self.check_resumed(more)

    def test_an_interrupted_mpirun_leaves_a_checkpoint(self):
        status, text = self.end(command(2, *self.job), "mpirun", number=signal.SIGINT)
        self.assertNotEqual(status, DONE, text)
        self.check_resumed(4)

    def test_a_killed_process_ends_the_job_and_leaves_a_checkpoint(self):
        for target, more in ((1, 3), (0, 1)):
            with self.subTest(rank=target):
                status, text = self.end(command(2, *self.job), target, number=signal.SIGKILL)
                self.assertNotEqual(status, DONE)
                self.assertRegex(text, rf"rank {target} .*exited on signal 9")
                self.assertFalse(self.model.exists())
                self.check_resumed(more)


class NetworkTest(JobTest):
    """Two machines, as far as the kernel can play them: network namespaces with a cable between them."""

    def ip(self, *words, must=True):
        done = subprocess.run(["ip", *words], capture_output=True, check=False)
        if must and done.returncode != 0:
            self.skipTest(f"cannot make networks: ip {' '.join(words)}: {done.stderr.decode()}")
        return done.stdout.decode()

    def setUp(self):
        super().setUp()
        if not (shutil.which("ip") and shutil.which("unshare")):
            self.skipTest("ip and unshare are not there")
        number = os.getpid()
        self.spaces = [f"croft-{number}-a", f"croft-{number}-b"]
        self.links = [f"cr{number}a", f"cr{number}b"]
        self.addresses = ["10.77.0.1", "10.77.0.2"]
        for space in self.spaces:
            self.ip("netns", "add", space)
            self.addCleanup(self.remove, space)
        self.ip("link", "add", self.links[0], "netns", self.spaces[0], "type", "veth", "peer", "name", self.links[1],
                "netns", self.spaces[1])
        for space, link, address in zip(self.spaces, self.links, self.addresses):
            self.ip("-n", space, "address", "add", address + "/24", "dev", link)
            for each in (link, "lo"):
                self.ip("-n", space, "link", "set", each, "up")
            self.delay(space, link)
        self.require_names()
        self.agent = self.file("agent", "#!/bin/sh\nshift\nexec " + self.inside(1, 'sh -c "$*"') + "\n")
        self.agent.chmod(0o755)

    def delay(self, space, link):
        """A cable that takes its time, where the kernel has such."""
        if shutil.which("tc"):
            subprocess.run(["tc", "-n", space, "qdisc", "add", "dev", link, "root", "netem", "delay", "2ms"],
                           stderr=subprocess.DEVNULL, check=False)

    def require_names(self):
        done = subprocess.run(["unshare", "--uts", "hostname", "croft-a"], capture_output=True, check=False)
        if done.returncode != 0:
            self.skipTest("cannot name machines: " + done.stderr.decode())

    def remove(self, space):
        for each in self.ip("netns", "pids", space, must=False).split():
            try:
                os.kill(int(each), signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.ip("netns", "delete", space, must=False)

    def assert_empty(self, seconds=10):
        """Open MPI's own processes have ended, too."""
        give_up = time.monotonic() + seconds
        while any(self.ip("netns", "pids", space) for space in self.spaces):
            self.assertLess(time.monotonic(), give_up, "a process is left")
            time.sleep(0.05)

    def inside(self, machine, what):
        """`what`, of the shell, on a machine that has a name of its own."""
        return (f"ip netns exec {self.spaces[machine]} unshare --uts "
                f"sh -c 'hostname croft-{'ab'[machine]}; exec \"$@\"' sh {what}")

    def command(self, *arguments, settings=()):
        where = (*settings, "-H", ",".join(f"{address}:1" for address in self.addresses),
                 "--mca", "plm_rsh_agent", self.agent, "--mca", "pml", "ob1", "--mca", "btl", "tcp,self",
                 "--mca", "btl_tcp_if_include", "10.77.0.0/24", "--mca", "oob_tcp_if_include", "10.77.0.0/24")
        return ["sh", "-c", "exec " + self.inside(0, '"$@"'), "sh", *command(2, *arguments, options=where)]

    def test_two_machines_make_the_same_model(self):
        process = self.start(self.command(*self.job))
        _, stderr = process.communicate(timeout=120)
        self.assertEqual(process.returncode, DONE, stderr.decode("utf-8", "replace"))
        self.assertTrue(self.model.read_bytes() == JobTest.whole, "another model")
        counters = json.loads(self.ip("-n", self.spaces[1], "-j", "-s", "link", "show", "dev", self.links[1]))
        self.assertGreater(counters[0]["stats64"]["tx"]["bytes"], self.model.stat().st_size)
        self.assert_empty()

    def test_a_process_killed_on_another_machine_ends_the_job(self):
        status, text = self.end(self.command(*self.job), 1, number=signal.SIGKILL)
        self.assertNotEqual(status, DONE)
        self.assertRegex(text, r"rank 1 .*exited on signal 9")
        self.assertFalse(self.model.exists())
        self.assert_empty()
        self.check_resumed(2)

    def test_a_cable_that_is_cut_ends_the_job(self):
        # Without these three settings Open MPI notices it after some minutes.
        settings = [word for name, value in (("time", 2), ("intvl", 1), ("probes", 2))
                    for word in ("--mca", f"oob_tcp_keepalive_{name}", value)]
        process = self.start(self.command(*self.job, settings=settings))
        self.wait_for_iterations(process)
        self.ip("-n", self.spaces[1], "link", "set", self.links[1], "down")
        _, stderr = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, DONE)
        self.assertIn(b"lost communication", stderr)
        self.assert_nothing_runs(20)
        self.assert_empty()
        self.check_resumed(2)

    def test_a_machine_without_the_data_ends_the_job(self):
        hidden = self.folder / "hidden"
        hidden.mkdir()
        data = shutil.move(self.options[-1], hidden / "data")
        self.agent.write_text(self.agent.read_text("utf-8").replace(
            "unshare --uts sh -c '", f"unshare --uts --mount sh -c 'mount -t tmpfs none {hidden}; "))
        process = self.start(self.command("train", "--quiet", "-o", self.model, "--format", "attributes", data))
        _, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, BAD_INPUT, stderr)
        self.assertEqual(len(messages(stderr)), 1, stderr)
        self.assertIn(f"{data}: cannot open", messages(stderr)[0])
        self.assertFalse(self.model.exists())
        self.assert_nothing_runs()
        self.assert_empty()


if __name__ == "__main__":
    if READY:
        main()
    print(MISSING)
