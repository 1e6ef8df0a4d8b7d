"""Golden files: what the program answered when they were recorded, compared with what it answers now.

    golden.py --croft PATH                 compare help, models and documents
    golden.py --croft PATH --record        record them
    golden.py --croft PATH --many PATH choices     which options go together, and what is said where they do not
    golden.py --croft PATH --many PATH kinds       whether the table says which options each kind of model takes
    golden.py --croft PATH errors          error messages of the tests of the command line
    golden.py --croft PATH --only NAME     files whose name has NAME in it

README.md says what they are and what they are not.
"""

import argparse
import difflib
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import cases
import data
import errors

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = "golden files: skipped"
WIDTH = 110
SHOWN = 60  # lines of a difference


def normalised(text):
    """Without what depends on the clock."""
    text = re.sub(r"\b\d+\.\d+ s\b", "<seconds> s", text)
    text = re.sub(r"(?m)^(seconds +)\S+$", r"\1<seconds>", text)
    return re.sub(r'"seconds": ?[-+.\de]+', '"seconds": 0', text)


def progress(text):
    """Messages without the iterations that are shown because two seconds went by."""
    kept = [line for line in text.split("\n")
            if not re.match(r"(start \d+  )?(iteration|round) \d*[1-9]\b", line)]
    return normalised("\n".join(kept))


def without_seconds(value):
    if isinstance(value, dict):
        return {key: without_seconds(each) for key, each in value.items() if key != "seconds"}
    return [without_seconds(each) for each in value] if isinstance(value, list) else value


def laid_out(value, indent=0):
    """JSON whose parts stand in one line where they fit."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(flat) + indent <= WIDTH:
        return flat
    inner = " " * (indent + 1)
    if isinstance(value, dict):
        parts = [f"{json.dumps(k, ensure_ascii=False)}: {laid_out(v, indent + 1)}" for k, v in value.items()]
    else:
        parts = [laid_out(each, indent + 1) for each in value]
    ends = "{}" if isinstance(value, dict) else "[]"
    return f"{ends[0]}\n{inner}" + f",\n{inner}".join(parts) + f"\n{' ' * indent}{ends[1]}"


def document(text):
    """What a verb printed: JSON, JSON lines or text."""
    try:
        return laid_out(without_seconds(json.loads(text))) + "\n"
    except ValueError:
        pass
    try:
        return "".join(laid_out(without_seconds(json.loads(line))) + "\n" for line in text.splitlines())
    except ValueError:
        return normalised(text)


def file_of(model, arguments):
    kinds = {"--model bayes-net": "bif", "--model logic": "mln"}
    return f"{model}.{next((end for kind, end in kinds.items() if kind in arguments), 'croft')}"


def status_and_messages(done):
    return done.returncode, done.stderr


class Program:
    """The program in a folder of data; `many` is tests/golden/many_runs.cc, which runs command lines in one process."""

    simd = "AVX2"  # the same instructions on each machine, and so the same bytes
    alone = 150  # of so many runs of many() one is compared with a process of its own

    def __init__(self, path, folder, many=None):
        self.path, self.folder, self.many_runs = path, folder, many
        self.server, self.asked = None, 0

    def run(self, command):
        """The finished process of a line of arguments."""
        return subprocess.run([self.path, *shlex.split(command)], cwd=self.folder, check=False, encoding="utf-8",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=self.environment())

    def environment(self):
        return {**os.environ, "CROFT_SIMD": self.simd, "LC_ALL": "C.UTF-8"}

    def many(self, command):
        """Status and messages of a line of arguments, run in a process that goes on."""
        if self.server is None:
            self.server = subprocess.Popen([self.many_runs], cwd=self.folder, encoding="utf-8", stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, env=self.environment())
        self.server.stdin.write(json.dumps(shlex.split(command)) + "\n")
        self.server.stdin.flush()
        line = self.server.stdout.readline()
        if not line:
            sys.exit(f"many_runs ended with {self.server.wait()} at: croft {command}")
        answer = json.loads(line)
        return answer["status"], answer["stderr"]

    def lacks_target(self):
        """Why the program cannot run with these instructions, or nothing."""
        done = self.run("--version")
        return done.stderr.strip() if done.returncode else ""

    def help(self, verb):
        return self.run(f"{verb} --help=all").stdout

    def sha256(self, name):
        path = self.folder / name
        return f"sha256 of {name}: {hashlib.sha256(path.read_bytes()).hexdigest()}\n" if path.exists() else ""

    def training(self, name, arguments):
        """Model, messages, log and summary of a training."""
        model, log = file_of(name, arguments), f"{name}.log"
        command = f"train -o {model} --log {log} --threads 1 {' '.join(arguments.split())}"
        done = self.run(command)
        text = f"$ croft {command}\nstatus {done.returncode}\n{self.sha256(model)}"
        text += f"\nstderr:\n{progress(done.stderr)}"
        if (self.folder / log).exists():
            lines = (self.folder / log).read_text("utf-8").splitlines()
            text += "\nlog:\n" + "".join(f"{json.dumps(without_seconds(json.loads(line)))}\n" for line in lines)
        if model.endswith((".bif", ".mln")) and (self.folder / model).exists():
            return text + f"\nnetwork:\n{(self.folder / model).read_text('utf-8')}"
        return text + f"\ninspect:\n{document(self.run(f'inspect --json -m {model}').stdout)}"

    def documents(self, commands):
        return "\n".join(map(self.answer, commands))

    def answer(self, command):
        done = self.run(command)
        text = f"$ croft {command}\n"
        if done.returncode:
            text += f"status {done.returncode}\n"
        if done.stderr:
            text += "".join(f"stderr: {line}\n" for line in progress(done.stderr).splitlines())
        words = shlex.split(command)
        text += "".join(self.made(words[k + 1]) for k, word in enumerate(words[:-1])
                        if word in ("-o", "--save", "--picture"))
        return text + document(done.stdout)

    def made(self, name):
        """A file that a run wrote: a model's digest, the lines of others."""
        path = self.folder / name
        if name.endswith(".croft") or not path.exists():
            return self.sha256(name)
        return f"{name}:\n{path.read_text('utf-8')}"

    def choice(self, arguments):
        """The digest of the model that a training makes, or why there is none."""
        found = self.chosen(arguments, self.many)
        if self.asked % self.alone == 0:
            by_itself = self.chosen(arguments, lambda command: status_and_messages(self.run(command)))
            if by_itself != found:
                return f"in a process of its own: {by_itself}\n  among others: {found}"
        self.asked += 1
        return found

    def chosen(self, arguments, run):
        model = file_of("choice", arguments)
        shutil.rmtree(self.folder / "state", ignore_errors=True)
        status, message = run(f"train --quiet -o {model} {arguments}")
        return self.sha256(model)[-65:-49] if status == 0 else message.rstrip("\n")

    def choices(self, arguments, objectives):
        return "".join(f"{objective} {optimizer}: "
                       + self.choice(f"--objective {objective} --optimizer {optimizer} --max-iterations 1 {arguments}")
                       + "\n" for objective in objectives for optimizer in cases.OPTIMIZERS)

    def options(self, start):
        """A line for each option, given once: in the place of the one that the start has."""
        lines = [f"nothing: {self.choice(start)}\n"]
        for option in cases.OPTIONS:
            name = re.split("[ =]", option)[0]
            lines.append(f"{option}: {self.choice(re.sub(f'{name} [^ ]+ ', '', start) + ' ' + option)}\n")
        return "".join(lines)


def outputs(program):
    """{file: how to make it} of the quick part, in the order in which they are made."""
    made = {f"help/{verb or 'croft'}.txt": lambda verb=verb: program.help(verb) for verb in cases.HELP}
    made["help/train-short.txt"] = lambda: program.run("train --help").stdout
    made |= {f"models/{name}.txt": lambda name=name, arguments=arguments: program.training(name, arguments)
             for name, arguments in cases.MODELS.items()}
    return made | {f"documents/{name}.txt": lambda commands=commands: program.documents(commands)
                   for name, commands in cases.DOCUMENTS.items()}


def choices(program):
    for name in ("chain", "elastic-net"):
        program.training(name, cases.MODELS[name])
    made = {f"choices/{name}.txt": lambda row=row: program.choices(*row) for name, row in cases.CHOICES.items()}
    return made | {f"choices/options-{name}.txt": lambda start=start: program.options(start)
                   for name, start in cases.STARTS.items()}


def option_table():
    """{option: (kinds, why others have it not)} as docs/options.md lists them."""
    table = {}
    page = (HERE.parents[1] / "docs" / "options.md").read_text("utf-8")
    for line in page.partition("\n## Python\n")[0].splitlines():
        if found := re.fullmatch(r"\| `(?:--)?([\w-]+)`(?: \*)? \| .* \| (.*) \|", line):
            kinds, _, why = found[2].partition(" (for others: ")
            table[found[1]] = (set(kinds.split(" | ")[-1].split(", ")), why.removesuffix(")"))
    return table


def disagreements(program):
    """What the program says of options and kinds where the table says something else."""
    known = {re.split("[ =]", each)[0][2:]: each for each in reversed(cases.OPTIONS) if each.count("--") == 1}
    known |= cases.VALUES
    for kind, starts in cases.KINDS.items():
        first = file_of(kind.split("--")[-1], starts[0])
        program.run(f"train --quiet -o {first} {starts[0]}")
        for option, (kinds, why) in option_table().items():
            if option in cases.GIVEN or (option == "joint-template" and "maxent" in kind):
                continue
            values = [known[option]] if isinstance(known[option], str) else known[option]
            values = [each.format(first=first) for each in values]
            if listed(kind, kinds):
                if any(f"--{option} " in start for start in starts):
                    continue
                said = [program.choice(f"{without(option, start)} {value} {beside}") for start in starts
                        for value in values for beside in ("", *cases.COMPANY.get(option, []))]
                if not any(re.fullmatch("[0-9a-f]{16}", each) or each.endswith(cases.ANSWERS.get(option, "?"))
                           for each in said):
                    yield f"{kind} --{option} is in the table, and refused:\n  " + "\n  ".join(dict.fromkeys(said))
                continue
            refused = f"croft: --{option} has no meaning for --model {kind}{why and ': ' + why}; leave it out"
            if (said := program.choice(f"{starts[0]} {values[0]}")) != refused:
                yield f"{kind} --{option} is not in the table: {said}"


def listed(kind, kinds):
    name = kind.split(" ")[0]
    if kind == name:
        return bool(kinds & {"all", kind, f"{kind} without --joint-template"})
    return bool(kinds & {"all", kind, name})


def without(option, start):
    """The start without the option, where it has it."""
    return re.sub(f"--{option} [^ ]+ ?", "", start)


def check_kinds(program):
    found = list(disagreements(program))
    print("\n".join(found))
    print(f"{len(option_table())} options of {len(cases.KINDS)} kinds, {len(found)} differ from the table")
    return 1 if found else 0


def show(name, expected, found):
    lines = list(difflib.unified_diff(expected.splitlines(), found.splitlines(), f"recorded/{name}", f"now/{name}",
                                      lineterm="", n=1))
    print("\n".join(lines[:SHOWN]))
    if len(lines) > SHOWN:
        print(f"... {len(lines) - SHOWN} more lines")


def compare(name, found):
    """Whether the file is as recorded; if not, shows how it differs."""
    path = HERE / name
    expected = path.read_text("utf-8") if path.exists() else ""
    if expected != found:
        show(name, expected, found)
    return expected == found


def record(name, found):
    path = HERE / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(found, "utf-8")
    return True


def stale(names, recording):
    """Files that no case makes any more; recording deletes them."""
    folders = {name.split("/")[0] for name in names}
    found = [path for folder in sorted(folders) for path in sorted((HERE / folder).glob("*"))
             if f"{folder}/{path.name}" not in names]
    for path in found:
        if recording:
            path.unlink()
        else:
            print(f"{path.relative_to(HERE)}: no case makes it")
    return [] if recording else found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="outputs", choices=["outputs", "choices", "kinds", "errors"])
    parser.add_argument("--croft", required=True, type=pathlib.Path, help="the program")
    parser.add_argument("--many", type=pathlib.Path, help="many_runs of the same build, for choices and kinds")
    parser.add_argument("--record", action="store_true", help="write the files instead of comparing")
    parser.add_argument("--only", default="", metavar="NAME", help="files whose name has NAME in it")
    options = parser.parse_args()
    if options.what in ("choices", "kinds") and not options.many:
        parser.error(f"{options.what} takes --many PATH")
    with tempfile.TemporaryDirectory(prefix="croft-golden-") as folder:
        program = Program(options.croft.resolve(), pathlib.Path(folder), options.many and options.many.resolve())
        if why := program.lacks_target():
            print(f"{SKIPPED}: {why}")
            return 0
        data.write(program)
        if options.what == "kinds":
            return check_kinds(program)
        made = {"outputs": outputs, "choices": choices, "errors": errors.files}[options.what](program)
        handle = record if options.record else compare
        chosen, wrong = [name for name in made if options.only in name], []
        for name, make in made.items():
            # Outputs are all made, as later ones read the models of earlier ones.
            if name in chosen or options.what == "outputs":
                text = make()
            if name in chosen and not handle(name, text):
                wrong.append(name)
    wrong += stale(made, options.record)
    print(f"{len(chosen)} files {'recorded' if options.record else 'compared'}, {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
