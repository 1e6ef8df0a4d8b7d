"""Unrolling of a million cliques from SQLite: seconds of the processor, and bytes a clique.

    python3 bench/unroll.py [--bench build/release/bench/unroll_bench] [--cliques 1000000]

Three databases, made in a temporary folder: pairs that share their features (a grid), words with an
indicator each (rows that are shared by the cliques of a word), and cliques with numbers (no two
alike: a row for each).
"""
import argparse
import json
import pathlib
import random
import sqlite3
import subprocess
import tempfile

VARIABLES = """
[[variables]]
domain = "d"
query = "select id, part as instance, label from thing"
"""
SPECS = {
    "variables": '[[templates]]\nname = "one"\nvariables = ["d"]\nquery = "select id from thing limit 1"\n',
    "shared": '[[templates]]\nname = "pair"\nvariables = ["d", "d"]\n'
              'query = "select a, b, way from pair"\n',
    "indicators": '[[templates]]\nname = "word"\nvariables = ["d"]\n'
                  'query = "select id, word, shape from thing"\n',
    "numbers": '[[templates]]\nname = "pair"\nvariables = ["d", "d"]\n'
               'query = "select a, b, contrast from pair"\ninteraction = "same"\n',
    "rows": '[[templates]]\nname = "word"\nvariables = ["d"]\nquery = "select id from thing"\n'
            '[[templates.features]]\nquery = "select id, word, shape from thing"\n',
}


def make_database(path, cliques):
    rng = random.Random(1)
    db = sqlite3.connect(path)
    db.executescript("""
      create table thing(id integer primary key, part integer, word text, shape text, label text);
      create table pair(a integer, b integer, way text, contrast real);
    """)
    words = [f"word{k}" for k in range(20000)]
    db.executemany("insert into thing values (?, ?, ?, ?, ?)",
                   ((k, k // 100, rng.choice(words), rng.choice("xyz"), rng.choice("AB"))
                    for k in range(cliques)))
    def neighbours():
        for k in range(cliques):
            first = k // 100 * 100
            yield k, first + (k - first + rng.randrange(1, 99)) % 100, rng.choice(("right", "down")), rng.random()
    db.executemany("insert into pair values (?, ?, ?, ?)", neighbours())
    db.commit()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", default="build/release/bench/unroll_bench")
    parser.add_argument("--cliques", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="croft-unroll-") as folder:
        database, spec = pathlib.Path(folder, "d.sqlite"), pathlib.Path(folder, "spec.toml")
        make_database(database, options.cliques)
        print(f"{'cliques':<12}{'number':>9}{'rows':>9}{'CPU s':>8}"
              f"{'bytes a clique':>16}{'of features':>13}{'peak':>7}")
        variables = 0  # bytes without cliques
        for name, text in SPECS.items():
            spec.write_text(VARIABLES + text)
            done = subprocess.run([options.bench, spec, database], check=True, stdout=subprocess.PIPE)
            r = json.loads(done.stdout)
            if name == "variables":
                variables = r["bytes_a_clique"] * r["cliques"]
                print(f"{r['variables']} variables: {variables / r['variables']:.1f} bytes each, not counted below")
                continue
            for key in "bytes_a_clique", "peak_bytes_a_clique":
                r[key] -= variables / r["cliques"]
            print(f"{name:<12}{r['cliques']:>9.0f}{r['rows']:>9}{r['cpu_seconds']:>8.2f}{r['bytes_a_clique']:>16.1f}"
                  f"{r['of_features']:>13.1f}{r['peak_bytes_a_clique']:>7.0f}")


main()
