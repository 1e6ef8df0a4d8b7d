"""The data of the golden files: small, made anew for each run, the same on every machine.

Python's own random numbers may change with its version, so there is a generator here.
"""

import pathlib
import sqlite3

SOURCE = pathlib.Path(__file__).resolve().parents[2]
INGREDIENTS = SOURCE / "examples" / "ingredients"

TEMPLATE = "U0:%x[0,0]\nU1:%x[0,1]\nB\n"


class Draw:
    """Lehmer's generator."""

    def __init__(self, seed):
        self.state = 48271 * (seed + 1) % 2147483647

    def below(self, n):
        self.state = self.state * 48271 % 2147483647
        return self.state * n // 2147483647

    def share(self):
        return self.below(1000000) / 1000000

    def pick(self, choices):
        return choices[self.below(len(choices))]

    def near(self, centre):
        """A number with three decimals, about normal around the centre."""
        return round(centre + sum(self.share() for _ in range(4)) - 2, 3)


def some(name, sequences):
    blocks = (INGREDIENTS / name).read_text("utf-8").split("\n\n")
    return "\n\n".join(blocks[:sequences]) + "\n\n"


def chunks(sequences, seed):
    """Columns word, tag, chunk: names of people and towns among other words."""
    draw, text = Draw(seed), []
    names = {"PER": ["Anna Berg", "Otto", "Ida Feld", "Max"],
             "LOC": ["New Ham", "Ulm", "Bad Sulz am See", "Kiel"]}
    for _ in range(sequences):
        for _ in range(2 + draw.below(4)):
            kind = draw.pick(["PER", "LOC", None, None])
            if kind:
                for k, word in enumerate(draw.pick(names[kind]).split()):
                    text.append(f"{word} N {'BI'[k > 0]}-{kind}")
            else:
                text.append(f"{draw.pick(['saw', 'met', 'near', 'am'])} {draw.pick('VP')} O")
        text.append("")
    return "\n".join(text) + "\n"


def attributes(sequences, seed):
    """CRFsuite's lines with values, all above 0."""
    draw, text = Draw(seed), []
    for _ in range(sequences):
        for _ in range(1 + draw.below(5)):
            label = draw.pick("XYZ")
            cells = [f"w={draw.pick('abc' if label == 'X' else 'bcd')}",
                     f"size:{draw.near(2 + 'XYZ'.index(label)) + 2:g}"]
            text.append("\t".join([label, *cells]))
        text.append("")
    return "\n".join(text) + "\n"


def subjects(count, seed):
    """Lines LABEL TAB TEXT."""
    draw, lines = Draw(seed), []
    words = {"sport": ["ball", "goal", "team"], "law": ["vote", "law", "party"],
             "music": ["song", "stage", "team"]}
    for _ in range(count):
        label = draw.pick(sorted(words))
        text = [draw.pick(words[label]) if draw.share() < 0.7 else draw.pick(["the", "a", "law", "ball"])
                for _ in range(2 + draw.below(4))]
        lines.append(f"{label}\t{' '.join(text)}\n")
    return "".join(lines)


def table(rows, seed):
    """CSV with numbers, some of them missing, and names."""
    draw, lines = Draw(seed), ["id,size,colour,label"]
    for n in range(rows):
        size, colour = 10 * draw.share(), draw.pick(["red", "blue", "green"])
        label = "yes" if (size > 4) != (colour == "red") else "no"
        lines.append(f"{n},{'' if draw.share() < 0.2 else format(size, '.3f')},{colour},{label}")
    return "\n".join(lines) + "\n"


def svmlight(rows, seed):
    draw, lines = Draw(seed), []
    for _ in range(rows):
        label = 1 + draw.below(2)
        lines.append(f"{label} 1:{draw.near(label):g} 3:{draw.near(2):g}\n")
    return "".join(lines)


def exclusive_or(count, seed):
    draw, lines = Draw(seed), []
    for _ in range(count):
        a, b = draw.below(2), draw.below(2)
        label = "odd" if (a != b) != (draw.share() < 0.05) else "even"
        lines.append(f"{label}\ta={a}\tb={b}\tc={draw.below(3)}\n\n")
    return "".join(lines)


def gestures(count, seed):
    """Each label passes through postures that no label names."""
    draw, text = Draw(seed), []
    orders = {"wave": "pqr", "push": "rqp", "grab": "qrp"}
    for _ in range(count):
        gesture = draw.pick(sorted(orders))
        text += [f"{posture} {gesture}" for posture in orders[gesture] for _ in range(1 + draw.below(3))]
        text.append("")
    return "\n".join(text) + "\n"


def large(positions, seed):
    """More candidate features than an active set begins with: many attributes, each of few positions."""
    draw, lines = Draw(seed), []
    labels = [f"L{n}" for n in range(20)]
    for n in range(positions):
        label = draw.pick(labels)
        cells = [f"{label}{draw.below(3)}", *(f"r{draw.below(40000)}" for _ in range(50))]
        lines.append("\t".join([label, *dict.fromkeys(cells)]) + ("\n" if n % 6 == 5 else ""))
    return "\n".join(lines) + "\n\n"


JOINT_TEXT = """the DET the
dog N dog
sleeps V sleeps

the DET the
cat N cat
runs V runs

a DET a
cat N cat
sleeps V sleeps

"""
JOINT = "u * %y\nu1:%x[-1,0] * %y\nu2:%x[-1,1] * %y[suffix,1]\nu3:%x[-1,1] * %y[class]\nu4 * %y in %x[..-1,0]\n"
CLASSES = "the\tDET\na\tDET\ndog\tN\ncat\tN\nsleeps\tV\nruns\tV\n"

KIT = """columns = ["word", "tag"]
[[gazetteer]]
name = "list"
file = "places.txt"
at = [-1, 0, 1]
[[clusters]]
name = "brown"
file = "brown.txt"
prefixes = [1, 2]
[[embeddings]]
name = "vec"
file = "vectors.txt"
scale = "standardise"
unknown = "mean"
[[ngrams]]
name = "chars"
[[forms]]
name = "form"
forms = ["lower", "shape"]
suffixes = [2]
[[pattern]]
name = "capital"
pattern = '^[A-Z]'
[[backoff]]
name = "b"
levels = ["word", "form.lower", "brown.2"]
"""

SEGMENTS = "U1:%length\nU2:%lower\nU3:%last[1,0]\nU4:%seen[fold]\n"

# A grid of labels with evidence, each sequence an instance; GRAPH has weights that cuts can have.
GRAPH = """[[variables]]
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
query = "select a.id, b.id from token a join token b on b.sentence = a.sentence and b.position = a.position + 1"
"""
SKIP = GRAPH + """
[[templates]]
name = "same"
variables = ["tag", "tag"]
interaction = "same"
query = '''
  select a.id, b.id from token a join token b
  on b.sentence = a.sentence and b.position > a.position + 1 and b.word = a.word
'''
"""
MIXTURE = """[[variables]]
domain = "tag"
query = "select id, sentence as instance, label from token"

[[templates]]
name = "length"
variables = ["tag"]
query = "select id, length from token"
mixture = { components = 2 }

[[templates]]
name = "next"
variables = ["tag", "tag"]
interaction = "same"
query = "select a.id, b.id from token a join token b on b.sentence = a.sentence and b.position = a.position + 1"
"""


def tokens(sentences, seed, hidden=False):
    """Rows of the table token: id, sentence, position, word, length, label."""
    draw, rows = Draw(seed), []
    for sentence in range(sentences):
        state = draw.pick("AB")
        for position in range(2 + draw.below(4)):
            if draw.share() < 0.3:
                state = "A" if state == "B" else "B"
            word = draw.pick("abc" if state == "A" else "bcd")
            label = None if hidden and len(rows) % 3 == 0 else state
            rows.append((len(rows), sentence, position, word, draw.near(3 if state == "A" else 5), label))
    return rows


def as_csv(rows):
    cells = [("" if cell is None else str(cell) for cell in row) for row in rows]
    return "id,sentence,position,word,length,label\n" + "".join(",".join(row) + "\n" for row in cells)


SPRINKLER = (SOURCE / "examples" / "graphs" / "sprinkler.bif").read_text("utf-8")
# A square of pairs, and one that is attractive.
GRID = """MARKOV
4
2 2 3 2
5
2 0 1
2 1 2
2 2 3
2 3 0
1 2
4 1 2 3 4
6 5 1 2 2 0.5 3
6 1 2 0 4 5 6
4 2 1 1 2
3 0.5 1 2
"""


def ising(even=False):
    """Nine binary variables; pairs like to be equal, with `even` each in either state."""
    pairs = [(v, v + 1) for v in range(9) if v % 3 < 2] + [(v, v + 3) for v in range(6)]
    lines = ["MARKOV", "9", "2 " * 9, "21"]
    lines += [f"1 {v}" for v in range(9)] + [f"2 {a} {b}" for a, b in pairs]
    lines += [f"2 {1 + 7 * v % 5} {1 + 5 * v % 4}" for v in range(9)]
    lines += [f"4 {'2 1 1 2' if even else f'{2 + k % 3} 1 1.5 {2 + k % 2}'}" for k in range(12)]
    return "\n".join(lines) + "\n"


RAIN = """network rain { }
variable rain { type discrete [ 2 ] { yes, no }; }
variable grass { type discrete [ 2 ] { wet, dry }; }
probability ( rain ) { table 0.5, 0.5; }
probability ( grass | rain ) { (yes) 0.5, 0.5; (no) 0.5, 0.5; }
"""


FRIENDS = """Friends(person, person)
Smokes(person)
Cancer(person)
!Smokes(x)
1.5 Smokes(x) => Cancer(x)
Friends(x, y) ^ Smokes(x) => Smokes(y)
"""


def allowed(block):
    """Whether the rules of rules.txt allow the labels of a sequence."""
    labels = [row.split()[-1] for row in block.split("\n")]
    return ("QTY", "OTHER") not in zip(labels, labels[1:]) and labels[-1] != "QTY"


def files():
    """The content of each file by its name."""
    train = some("train.txt", 40)
    count = train.count("\n\n")
    partial = chunks(30, 3).replace("B-PER", "?", 4).replace(" O\n", " O|B-LOC\n", 5)
    labels = ["COMMENT", "NAME", "OTHER", "QTY", "UNIT", "PREP"]
    return {
        "train.txt": train,
        "test.txt": some("test.txt", 6),
        "words.txt": "\n\n".join("\n".join(row.split("\t")[0].split(" ")[0] for row in block.split("\n"))
                                 for block in some("test.txt", 4).split("\n\n")),
        "short.template": TEMPLATE.replace("U1:%x[0,1]\n", "U1:%x[-1,0]\n"),
        "edges.template": "U0:%x[0,0]\nB\nB1:%x[0,0]\n",
        "weights.txt": "".join(f"{1 + n % 3}\n" for n in range(count)),
        "costs.txt": "* * 1\nNAME * 2\n",
        "variances.txt": "* 1\nw*=* 0.5\n",
        "rules.txt": "! QTY -> OTHER\n! end QTY\n",
        "chunk.groups": "* O outside\n", "plain.template": "U0:%x[0,0]\n",
        "chunks.words": "\n".join(" ".join(row.split(" ")[:2]) for row in chunks(6, 2).split("\n")),
        "chunk.classes": "".join(f"{label}\t{label[-3:]}\n" for label in ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")),
        "groups.txt": "* NAME name\nQTY UNIT -\n",
        "penalties.txt": "* PREP -1\n",
        "binary.classes": "".join(f"{label} {n % 2}\n" for n, label in enumerate(labels[:-1])),
        "code.txt": "".join(f"{label}\t{n:03b}\n" for n, label in enumerate(labels, 1)),
        "chunks.txt": chunks(40, 1), "chunks-test.txt": chunks(6, 2), "partial.txt": partial,
        "chunks.template": TEMPLATE,
        "wapiti.template": "u:w=%x[0,0]\nu:l=%m[0,0,\"^.?.?\"]\nb\n",
        "gazetteer.template": "U1:%length\nU2:%gazetteer[fold]\n",
        "graph.variances": "* 1\nnext:* 0.1\n", "graph.weights": "2\n0.5\n3\n" + 22 * "1\n",
        "allowed.txt": "\n\n".join(filter(allowed, train.strip().split("\n\n"))) + "\n\n",
        "large.attributes": large(120, 1),
        "train.attributes": attributes(40, 1), "test.attributes": attributes(8, 2),
        "train.tsv": subjects(60, 1), "test.tsv": subjects(15, 2), "held.tsv": subjects(40, 3),
        "classes.txt": "sport\t2\nlaw\t1\nmusic\t0.5\n",
        "train.csv": table(60, 1), "test.csv": table(15, 2),
        "train.svm": svmlight(40, 1), "test.svm": svmlight(10, 2),
        "xor.attributes": exclusive_or(150, 1),
        "gestures.txt": gestures(30, 1), "gestures-test.txt": gestures(8, 2),
        "gestures.template": "U0:%x[0,0]\nU1:%x[-1,0]\nB\n",
        "unlabelled.txt": "\n".join(row.split(" ")[0] for row in gestures(20, 3).split("\n")),
        "joint.txt": JOINT_TEXT, "joint.template": JOINT, "joint.classes": CLASSES,
        "joint.weights": "1\n2\n" + "1\n" * (JOINT_TEXT.strip().count("\n\n") - 1),
        "kit.toml": KIT, "places.txt": "New Ham\tLOC\nUlm\tLOC\nAnna\tPER\n",
        "brown.txt": "00\tAnna\t3\n01\tOtto\t2\n10\tUlm\t4\n11\tKiel\t1\n",
        "vectors.txt": "Anna 1 0.5\nUlm -1 0.25\nsaw 0 -1\n",
        "segments.template": SEGMENTS,
        "sentences.txt": "\n".join(" ".join(row.split(" ")[0] for row in block.split("\n"))
                                   for block in chunks(40, 4).strip().split("\n\n")) + "\n",
        "graph.toml": GRAPH, "skip.toml": SKIP, "mixture.toml": MIXTURE,
        "token.csv": as_csv(tokens(25, 1)), "new/token.csv": as_csv(tokens(6, 2)),
        "hidden/token.csv": as_csv(tokens(25, 1, hidden=True)),
        "sprinkler.bif": SPRINKLER, "grid.uai": GRID, "grid.uai.evid": "1 2 1\n", "ising.uai": ising(),
        "potts.uai": ising(even=True),
        "rain.bif": RAIN, "rain.csv": "grass,rain\nwet,yes\nwet,yes\ndry,yes\ndry,no\nwet,no\n",
        "holes.csv": "grass,rain\nwet,\nwet,yes\n,yes\ndry,no\ndry,\nwet,no\n",
        "friends.mln": FRIENDS, "friends.db": "Friends(Anna, Bob)\nFriends(Bob, Carl)\nSmokes(Bob)\nCancer(Bob)\n",
        "more.db": "Friends(Dora, Emil)\nSmokes(Dora)\nSmokes(Emil)\nCancer(Emil)\n",
        "die.csv": "face,low,mean\n1,1,1\n2,1,2\n3,0,3\n4,0,4\n5,0,5\n6,0,6\n",
    }


def write(program):
    """All files into the program's folder; those that are made of others by the program itself."""
    folder = program.folder
    for name, content in files().items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, "utf-8", newline="\n")
    (folder / "spans.jsonl").write_text(program.run("convert --to spans chunks-test.txt").stdout, "utf-8")
    database(folder / "new.sqlite", tokens(6, 2))


def database(path, rows):
    """The same tables for SQLite, which `predict --table` writes to."""
    with sqlite3.connect(path) as db:
        db.execute("create table token(id integer primary key, sentence, position, word text, length real, label text)")
        db.executemany("insert into token values (?, ?, ?, ?, ?, ?)", rows)
    db.close()

