#!/usr/bin/env python3
"""--group-by: sequences of a document are never on both sides of a hold-out."""

import os
import random
import threading
import unittest

from support import BAD_INPUT, CliTest, WRONG_USAGE, croft


def documents(count=20, sentences=10):
    """In each document one name, whose label only its document says."""
    draw, lines = random.Random(1), []
    for d in range(count):
        lines.append("-DOCSTART- O\n")
        for _ in range(sentences):
            lines.append(f"{draw.choice(['the', 'a'])} O\nName{d} {'B-PER' if d % 2 else 'B-LOC'}\nsaid O\n")
    return "\n".join(lines)


class Groups(CliTest):
    def names_in(self, model):
        """Names that training has seen."""
        text = self.run_ok("inspect", "-m", model, "--weights")
        return {d for d in range(20) if f"Name{d} " in text or f"Name{d}\t" in text or f'=Name{d}"' in text
                or f"Name{d}\n" in text}

    def test_a_document_is_held_out_as_a_whole(self):
        data = self.file("data", documents())
        model = self.train("m", "--holdout", "0.2", "--group-by=-DOCSTART-", data)
        self.assertEqual(len(self.names_in(model)), 16)
        self.assertEqual(len(self.names_in(self.train("n", "--holdout", "0.2", data))), 20)

    def test_marks_may_be_lines_that_are_left_out(self):
        data = self.file("data", documents())
        left_out = ["--ignore-lines", "^-DOCSTART-", "--holdout", "0.2"]
        self.assertEqual(len(self.names_in(self.train("m", *left_out, "--group-by=-DOCSTART-", data))), 16)
        self.assertEqual(len(self.names_in(self.train("n", *left_out, data))), 20)

    def test_documents_without_grouping_are_warned_of(self):
        data = self.file("data", documents())
        warning = "data:1: a mark of documents"
        done = croft("train", "--holdout", "0.2", "-o", self.folder / "m", data)
        self.assertIn(warning, done.stderr.decode())
        done = croft("train", "--holdout", "0.2", "--group-by=-DOCSTART-", "-o", self.folder / "m", data)
        self.assertNotIn("warning", done.stderr.decode())
        self.assertNotIn("warning", croft("train", "-o", self.folder / "m", data).stderr.decode())

    def test_marks_that_are_left_out_are_warned_of_too(self):
        data = self.file("data", documents())
        done = croft("train", "--holdout", "0.2", "--ignore-lines", "^-DOC", "-o", self.folder / "m", data)
        self.assertIn("a mark of documents", done.stderr.decode())

    def test_a_contiguous_fraction_is_the_end_of_the_data(self):
        lines = [f"Name{d} B-PER\nsaid O\n" for d in range(20)]
        data = self.file("data", "\n".join(lines))
        model = self.train("m", "--holdout", "0.25", "--contiguous", data)
        self.assertEqual(self.names_in(model), set(range(15)))
        grouped = self.file("grouped", documents())
        model = self.train("g", "--holdout", "0.2", "--contiguous", "--group-by=-DOCSTART-", grouped)
        self.assertEqual(self.names_in(model), set(range(16)))
        done = croft("train", "--holdout", "0.2", "--contiguous", "-o", self.folder / "m", grouped)
        self.assertNotIn("warning", done.stderr.decode())

    def test_standard_input_and_pipes_are_read_once(self):
        data = documents(sentences=400)  # more than a pipe holds
        whole = self.train("w", "--max-iterations", "3", "--holdout", "0.2", "--group-by=-DOCSTART-",
                           self.file("data", data)).read_bytes()
        grouped = ["train", "--max-iterations", "3", "--holdout", "0.2", "--group-by=-DOCSTART-", "-o",
                   self.folder / "m", "-"]
        self.run_ok(*grouped, stdin=data.encode())
        self.assertEqual((self.folder / "m").read_bytes(), whole)
        whole = self.train("w", "--max-iterations", "3", "--holdout", "0.2", self.folder / "data").read_bytes()
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=lambda: pipe.write_text(data, encoding="utf-8"), daemon=True)
        writer.start()
        self.train("m", "--max-iterations", "3", "--holdout", "0.2", pipe)
        writer.join()
        self.assertEqual((self.folder / "m").read_bytes(), whole)

    def test_misuses_are_errors(self):
        data = self.file("data", documents(2, 1))

        def fails(status, problem, *arguments):
            done = croft("train", "-o", self.folder / "m", *arguments)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(problem, done.stderr.decode())
            self.assertFalse((self.folder / "m").exists())
        fails(WRONG_USAGE, "--group-by goes with --holdout", "--group-by=-DOCSTART-", data)
        fails(WRONG_USAGE, "is a file", "--holdout", data, "--group-by=-DOCSTART-", data)
        fails(WRONG_USAGE, "--contiguous goes with --holdout", "--contiguous", data)
        fails(WRONG_USAGE, "--contiguous is of a fraction", "--holdout", data, "--contiguous", data)
        fails(WRONG_USAGE, "begins with this cell", "--holdout", "0.5", "--group-by", "document", data)
        fails(BAD_INPUT, "no column of this number", "--holdout", "0.5", "--group-by", "5", data)
        one = self.file("one", documents(1, 3))
        fails(BAD_INPUT, "one group", "--holdout", "0.5", "--group-by=-DOCSTART-", one)

    def test_columns_of_a_table_and_keys_of_lines_are_groups_too(self):
        rows = "".join(f"{customer},{customer % 2},{'ab'[customer % 2]}\n" for customer in range(10) for _ in range(5))
        table = self.file("t.csv", "customer,x,label\n" + rows)
        self.train("c", "--model", "maxent", "--format", "csv", "--holdout", "0.3", "--group-by", "customer", table)
        lines = "".join(f'{{"doc": {d}, "tokens": ["a", "Name{d}"], "spans": [[1, 2, "PER"]]}}\n' for d in range(10)
                        for _ in range(5))
        data = self.file("s.jsonl", lines)
        model = self.train("s", "--format", "spans", "--holdout", "0.3", "--group-by", "doc", data)
        self.assertEqual(len(self.names_in(model)), 7)


if __name__ == "__main__":
    unittest.main()
