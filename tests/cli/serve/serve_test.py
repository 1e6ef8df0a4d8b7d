#!/usr/bin/env python3
"""croft serve: answers are those of the command line, models are taken over, SIGTERM drains."""

import gzip
import http.client
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

import support
from support import CROFT, INGREDIENTS, SOURCE, croft

FRIENDS = SOURCE / "examples" / "friends"
PEOPLE = SOURCE / "examples" / "knowledge-base"
SPRINKLER = SOURCE / "examples" / "graphs" / "sprinkler.bif"


def named(arguments):
    """The files before the first option are models."""
    options = next((k for k, each in enumerate(arguments) if str(each).startswith("-")), len(arguments))
    return [word for model in arguments[:options] for word in ("-m", model)] + list(arguments[options:])


class Server:
    """A croft serve at a port that is free."""

    def __init__(self, *arguments, before=None):
        self.process = subprocess.Popen([CROFT, "serve", *map(str, named(arguments)), "--port", "0"], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=before)
        self.address = self.process.stdout.readline().strip()
        self.port = int(self.address.split(":")[2].split("/")[0])

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)

    def ask(self, method, path, body=None, headers=None, connection=None):
        """(status, body, headers) of the answer."""
        own = connection is None
        connection = connection or self.connection()
        content = None if body is None else json.dumps(body) if isinstance(body, dict) else body
        connection.request(method, path, content, {"Content-Type": "application/json", **(headers or {})})
        response = connection.getresponse()
        answer = response.status, response.read(), dict(response.getheaders())
        if own:
            connection.close()
        return answer

    def post(self, path, **body):
        status, answer, _ = self.ask("POST", path, body)
        assert status == 200, answer
        return json.loads(answer)

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        _, errors = self.process.communicate(timeout=20)
        return self.process.returncode, errors


class ServeTest(support.CliTest):

    @classmethod
    def setUpClass(cls):
        cls.shared = support.tempfile.mkdtemp(prefix="croft-serve-")
        cls.model = os.path.join(cls.shared, "ingredients.croft")
        made = croft("train", "-o", cls.model, INGREDIENTS / "train.txt", "--max-iterations", "20")
        assert made.returncode == 0, made.stderr
        cls.server = Server(cls.model, SPRINKLER)

    @classmethod
    def tearDownClass(cls):
        status, errors = cls.server.end()
        shutil.rmtree(cls.shared)
        assert (status, errors) == (0, ""), errors

    def test_around_an_atom_is_what_logic_says_of_it(self):
        files = [FRIENDS / "friends.mln", "-e", FRIENDS / "friends.db", "--query", "Cancer, Smokes"]
        server = Server(*files)
        try:
            shown = server.post("/v1/neighbourhood", variable="Cancer(Anna)", distance=2)
            atoms = json.loads(croft("logic", *files, "--json", "--quiet").stdout)["atoms"]
            probability = {each["atom"]: each["probability"] for each in atoms}
            self.assertEqual({v["name"]: v["probabilities"][1] for v in shown["variables"]},
                             {v["name"]: probability[v["name"]] for v in shown["variables"]})
            why = json.loads(croft("logic", *files, "--explain", "Cancer(Anna)", "--json", "--quiet").stdout)
            self.assertEqual(shown["why"], why)
            self.assertEqual(shown["variables"][0]["name"], "Cancer(Anna)")
            names = server.post("/v1/neighbourhood", names="cancer")["names"]
            self.assertEqual(sorted(names), ["Cancer(Anna)", "Cancer(Bob)", "Cancer(Carl)"])
            status, answer, _ = server.ask("POST", "/v1/neighbourhood", {"variable": "Cancer(Zoe)"})
            self.assertEqual((status, "no variable" in answer.decode()), (404, True))
        finally:
            self.assertEqual(server.end(), (0, ""))

    def test_around_a_row_of_a_database_is_what_explain_says_of_it(self):
        model, database = self.folder / "people.croft", PEOPLE / "test" / "record.csv"
        made = croft("train", "--quiet", "--model", "graph", "--spec", PEOPLE / "people.toml", "--database",
                     PEOPLE / "train" / "record.csv", "-o", model)
        self.assertEqual(made.returncode, 0, made.stderr)
        done = croft("explain", "-m", model, "--database", database, "--json", "--top", "20")
        expected = {each["id"]: each for each in map(json.loads, done.stdout.splitlines())}
        server = Server(model, "--database", database)
        try:
            names = server.post("/v1/neighbourhood", names="", most=200)["names"]
            self.assertEqual(len(names), len(expected))
            for name in names[:5]:
                shown = server.post("/v1/neighbourhood", variable=name)
                one = {k: v for k, v in expected[name].items() if k not in ("domain", "id", "instance")}
                self.assertEqual(shown["why"], one)
                # The score of each clique is the sum of its weights with these labels.
                for clique in shown["cliques"]:
                    if clique["parts"]:
                        self.assertAlmostEqual(clique["score"], sum(p["weight"] for p in clique["parts"]), places=6)
        finally:
            self.assertEqual(server.end(), (0, ""))

    def test_a_source_without_its_model_is_an_error(self):
        for arguments, text, status in [
                ((SPRINKLER, "--database", PEOPLE / "test" / "record.csv"), "--database is for models", 2),
                ((SPRINKLER, "-e", FRIENDS / "friends.db"), "--evidence is for Markov logic", 2),
                ((FRIENDS / "friends.mln", "--query", "Nobody"), "Nobody", 1)]:
            done = croft("serve", *named(arguments), "--port", "0")
            self.assertEqual(done.returncode, status)
            self.assertIn(text, done.stderr.decode())

    def test_answers_are_the_command_lines_to_the_last_digit(self):
        data = (INGREDIENTS / "new.txt").read_text("utf-8")
        questions = [
            ({}, []),
            ({"marginals": "all", "probability": True, "score": True, "entropy": True},
             ["--marginals=all", "--probability", "--score", "--entropy"]),
            ({"k_best": 4, "samples": 3, "seed": 7, "expected_counts": True},
             ["--k-best", "4", "--samples", "3", "--seed", "7", "--expected-counts"]),
            ({"decode": "risk", "marginals": "edges", "rules": ["at-most 1 label QTY"]},
             ["--decode", "risk", "--marginals=edges", "--rule", "at-most 1 label QTY"]),
        ]
        for members, options in questions:
            expected = croft("predict", "-m", self.model, "--to", "json", *options, INGREDIENTS / "new.txt")
            self.assertEqual(expected.returncode, 0, expected.stderr)
            status, lines, headers = self.server.ask("POST", "/v1/tag", {"data": data, **members},
                                                     {"Accept": "application/x-ndjson"})
            self.assertEqual(status, 200, lines)
            self.assertEqual(headers["Content-Type"], "application/x-ndjson")
            self.assertEqual(lines.decode(), expected.stdout.decode())
            results = self.server.post("/v1/tag", data=data, **members)["results"]
            self.assertEqual(results, [json.loads(line) for line in lines.splitlines()])

    def test_explanations_and_inference_are_the_command_lines(self):
        rows = ["2", "cups", "flour"]
        path = self.file("data", "".join(f"{row}\n" for row in rows))
        expected = json.loads(croft("explain", "-m", self.model, "--json", "--positions", "1-2", path).stdout)
        found = self.server.post("/v1/explain", sequences=[rows], positions=[2, 1])["results"][0]
        self.assertEqual({**found, "file": ""}, {**expected, "file": ""})
        for task in "marginals", "map", "partition":
            expected = json.loads(croft("infer", SPRINKLER, "--task", task, "--observe", "grass=soaked",
                                        "--observe", "rain=0.2:0.7", "--json", "--quiet").stdout)
            found = self.server.post("/v1/infer", task=task,
                                     observe={"grass": "soaked", "rain": [0.2, 0.7]})["result"]
            self.assertEqual({**found, "seconds": 0}, {**expected, "seconds": 0})

    def test_suggestions_are_the_command_lines(self):
        data = (INGREDIENTS / "new.txt").read_text("utf-8")
        for by in "margin", "entropy", "errors":
            expected = croft("suggest", "-m", self.model, "--by", by, "--top", "4", INGREDIENTS / "new.txt")
            self.assertEqual(expected.returncode, 0, expected.stderr)
            lines = [json.loads(line) for line in expected.stdout.splitlines()]
            self.assertEqual(self.server.post("/v1/suggest", data=data, by=by, top=4)["results"], lines)
            self.assertEqual([each["score"] for each in lines], sorted((e["score"] for e in lines), reverse=True))
            self.assertEqual(len(lines), 4)

    def test_bodies_may_be_packed_both_ways(self):
        data = (INGREDIENTS / "new.txt").read_text("utf-8")
        question = {"data": data, "marginals": "all"}
        plain = self.server.ask("POST", "/v1/tag", question)[1]
        packed = gzip.compress(json.dumps(question).encode())
        status, answer, headers = self.server.ask("POST", "/v1/tag", packed,
                                                  {"Content-Encoding": "gzip", "Accept-Encoding": "gzip"})
        self.assertEqual((status, headers["Content-Encoding"]), (200, "gzip"))
        self.assertLess(len(answer), len(plain))
        self.assertEqual(gzip.decompress(answer), plain)

    def test_a_connection_serves_many_requests_and_head_has_no_body(self):
        connection = self.server.connection()
        for _ in range(20):
            self.assertEqual(self.server.ask("GET", "/v1/health", connection=connection)[0], 200)
        self.addCleanup(connection.close)
        status, body, headers = self.server.ask("HEAD", "/v1/models", connection=connection)
        self.assertEqual((status, body), (200, b""))
        self.assertGreater(int(headers["Content-Length"]), 10)
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])

    def test_a_model_is_replaced_and_no_request_fails(self):
        path = self.folder / "m.croft"
        shutil.copy(self.model, path)
        server = Server(path)
        failures, answers, stop = [], [], threading.Event()

        def ask():
            connection = server.connection()
            while not stop.is_set():
                status, body, _ = server.ask("POST", "/v1/tag", {"data": "2\ncups\nflour\n"}, connection=connection)
                (answers if status == 200 else failures).append(body)
            connection.close()

        clients = [threading.Thread(target=ask) for _ in range(3)]
        for each in clients:
            each.start()
        versions = 5
        for k in range(versions):
            if k % 2:  # over the file itself, or another file in its place
                shutil.copy(self.model, path)
            else:
                shutil.copy(self.model, self.folder / "new")
                os.rename(self.folder / "new", path)
            time.sleep(0.35)
        path.write_bytes(path.read_bytes()[:1000])
        time.sleep(0.6)
        models = json.loads(server.ask("GET", "/v1/models")[1])["models"]
        stop.set()
        for each in clients:
            each.join()
        status, errors = server.end()
        self.assertEqual((status, failures), (0, []), errors)
        self.assertEqual(len({json.dumps(json.loads(a)["results"]) for a in answers}), 1)
        self.assertIn("problem", models[0])
        self.assertGreaterEqual(models[0]["version"], 2)
        self.assertRegex(errors, "took over .*as version 2 of m\n")
        self.assertRegex(errors, "refused .*m stays: ")

    def test_connections_beyond_the_descriptors_are_told_so(self):
        server = Server(SPRINKLER, before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256)))
        idle = [server.connection() for _ in range(300)]
        for each in idle:
            each.connect()
        self.assertEqual(server.ask("GET", "/v1/health", connection=idle[0])[0], 200)
        self.assertEqual(server.ask("GET", "/v1/health")[0], 503)
        for each in idle:
            each.close()
        self.assertEqual(server.end(), (0, ""))

    def test_a_model_that_became_a_pipe_stays_what_it_was(self):
        model = self.folder / "m.bif"
        shutil.copy(SPRINKLER, model)
        server = Server(model)
        model.unlink()
        os.mkfifo(model)
        time.sleep(2.5)  # the server looks at its files once a second or so
        self.assertEqual(server.ask("GET", "/v1/health")[0], 200)
        self.assertEqual(server.end(), (0, ""))

    def test_hosts_have_no_capitals(self):
        server = Server(SPRINKLER, "--allow-host", "Models.Example")
        for host in "models.example", "MODELS.EXAMPLE", "Models.Example:80":
            self.assertEqual(server.ask("GET", "/v1/health", headers={"Host": host})[0], 200, host)
        self.assertEqual(server.end(), (0, ""))

    def test_another_address_asks_for_a_token(self):
        server = Server(SPRINKLER, "--host", "0.0.0.0")
        token = server.address.split("#token=")[1]
        self.assertEqual(len(token), 48)
        self.assertEqual(server.ask("GET", "/v1/models")[0], 401)
        self.assertEqual(server.ask("GET", "/v1/models", headers={"Authorization": f"Bearer {token}"})[0], 200)
        self.assertEqual(server.ask("GET", "/v1/models", headers={"Host": "evil.example"})[0], 403)
        self.assertEqual(server.end()[0], 0)

    def test_a_training_would_replace_no_file_that_is_named(self):
        model = self.folder / "m.croft"
        shutil.copy(self.model, model)
        queue, labelled = self.file("queue", "2\ncups\n\n"), self.folder / "labelled"
        candidate, before = f"{model}.candidate", f"{model}.before"
        shutil.copy(self.model, before)
        shutil.copy(INGREDIENTS / "train.txt", candidate)
        (self.folder / "link").symlink_to(candidate)
        usual = ["-m", model, "--queue", queue, "--labelled", labelled]
        for arguments, message in [
                (usual[:-1] + [candidate], f"--model and --labelled both write {candidate}"),
                (usual[:-1] + [self.folder / "link"], "--model and --labelled both write"),
                (usual[:-1] + [before], f"--model and --labelled both write {before}"),
                (usual + ["--train", candidate], f"--model {candidate} would replace the input {candidate}"),
                (usual + ["--train", before], f"--model {before} would replace the input {before}"),
                (usual + ["--holdout", self.folder / "link"], f"--model {candidate} would replace the input"),
                (usual + ["-m", f"old={before}"], f"--model {before} would replace the input {before}")]:
            ended = croft("serve", *arguments, "--port", "0", timeout=20)
            self.assertEqual((ended.returncode, ended.stdout), (2, b""), ended.stderr)
            self.assertIn(message, ended.stderr.decode())
        self.assertFalse(labelled.exists())

    def test_one_goes_back_to_models_alone_and_forth_again(self):
        model, before = self.folder / "m.croft", self.folder / "m.croft.before"
        shutil.copy(self.model, model)
        good = model.read_bytes()
        before.write_text("precious\n")
        server = Server(model, "--queue", self.file("queue", "2\ncups\n\n"), "--labelled", self.folder / "labelled")
        status, answer, _ = server.ask("POST", "/v1/retrain", {"action": "restore"})
        self.assertEqual(status, 409)
        self.assertIn("there is no model to go back to", json.loads(answer)["error"]["message"])
        self.assertEqual((model.read_bytes(), before.read_text()), (good, "precious\n"))
        other = croft("train", "-o", before, INGREDIENTS / "train.txt", "--max-iterations", "2")
        self.assertEqual(other.returncode, 0, other.stderr)
        old = before.read_bytes()
        self.assertTrue(json.loads(server.ask("GET", "/v1/training")[1])["can_restore"])
        for now, kept in (old, good), (good, old):
            server.post("/v1/retrain", action="restore")
            self.assertEqual((model.read_bytes(), before.read_bytes()), (now, kept))
        self.assertEqual(server.end()[0], 0)

    def test_it_ends_at_once_though_a_client_does_not_read(self):
        server = Server(self.model)
        client = socket.create_connection(("127.0.0.1", server.port))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        body = json.dumps({"data": "2\ncups\nflour\n\n" * 40_000, "marginals": "all"}).encode()
        client.sendall(b"POST /v1/tag HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                       b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.addCleanup(client.close)
        client.recv(1, socket.MSG_PEEK)  # the answer has begun
        begin = time.monotonic()
        self.assertEqual(server.end(), (0, ""))
        self.assertLess(time.monotonic() - begin, 2.5)

    def test_what_cannot_be_served_is_an_error(self):
        for arguments, status, message in [
                (["none.croft"], 1, "none.croft"),
                ([SPRINKLER, SPRINKLER], 2, "two models are called \"sprinkler\""),
                ([SPRINKLER, "--host", "example.org"], 2, "is no IP address"),
                ([SPRINKLER, "--port", "70000"], 2, "--port"),
                ([SPRINKLER, "--token-file", self.file("token", "short\n")], 1, "16 characters"),
                ([SPRINKLER, "--port", self.server.port], 1, "cannot serve")]:
            ended = croft("serve", *named(arguments), timeout=20)
            self.assertEqual(ended.returncode, status, ended.stderr)
            self.assertIn(message, ended.stderr.decode())


if __name__ == "__main__":
    unittest.main()
