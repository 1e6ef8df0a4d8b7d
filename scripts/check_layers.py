#!/usr/bin/env python3
"""Checks that the folders are the architecture.  Prints what breaks a rule; exit status 1 if anything does.

* A layer of src/ includes only its own headers and those of the layers that its CMakeLists.txt USES.
* Inside a layer a folder includes only those before it, where ORDER has an order.
* A header of include/croft includes no header of src/.
* No folder holds more than 40 files (golden files and seeds of fuzzing are data and do not count).
* Every .cc of src/ and tests/, and every _test.py of tests/cli/, stands in a CMakeLists.txt.
* Two headers define no constant or class of one name in the same namespace: linkers would take either for both.
* Outside src/cli a literal with "--name" is a Message or a part of one: as a std::string, by + or by fmt::format it
  would forget that it names an option.
* A line of a document has at most 120 characters, outside tables, code and the targets of links.
* A file or folder that a document names outside code exists (CHANGELOG.md names those of its time).
"""

import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
MOST_FILES = 40
LONGEST_LINE = 120
DATA = ("fuzz/corpus/", "tests/golden/")
# Folders of a layer in the order in which they may use each other; "." is the layer's own folder.
ORDER = {
    "data": [".", "graphs", "settings"],
    "inference": ["chain", "segments", "graph"],
    "objective": [".", "segments", "graph"],
    "optimize": [".", "stochastic", "batch", "dual"],
}
FRONT_ENDS = ("c", "cli", "python")
# What a document names: a path from the top, or a source file by the end of its path; the target of a link.
NAMED = re.compile(r"(?<![\w./-])(?:\.\./)*((?:include|scripts|src|tests)/[\w./-]*[\w/]|[\w/-]+\.(?:cc|h))(?![\w/*])")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
DEFINITION = re.compile(r"inline constexpr (?:const )?[\w:<>, ]+?[ *&](k\w+)\b"
                        r"|(?:class|struct) (\w+)(?: final)?(?: : .*)? \{")
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
# A text with an option's name; "--name=VALUE" as a whole is an argument for a program.
NAMES_OPTION = r'(?!"--[a-z-]+=[^ "]*")"(?:[^"\\\n]|\\.)*--[a-z](?:[^"\\\n]|\\.)*"'
FORGOTTEN_OPTION = re.compile(rf'(?:\bstd::string(?: \w+ = |\w*\()|\bfmt::format\(|[^+]\+)'
                              rf'\s*(?:{LITERAL}\s*)*?{NAMES_OPTION}'
                              rf'|{NAMES_OPTION}\s*(?:{LITERAL}\s*)*\+(?!\+)')


def tracked():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            check=True, capture_output=True, text=True)
    return [path for path in listed.stdout.split("\0") if path and (ROOT / path).is_file()]


def included(path):
    return re.findall(r'^#include "([^"]+)"', (ROOT / path).read_text(), re.MULTILINE)


def layers_used(layer):
    """The layers that src/LAYER may include, as its CMakeLists.txt says."""
    text = (ROOT / "src" / layer / "CMakeLists.txt").read_text()
    if layer in FRONT_ENDS:
        return {folder.name for folder in (ROOT / "src").iterdir()} - set(FRONT_ENDS) | {layer}
    uses = re.search(r"\bUSES\s+([a-z\s]*)", text)
    return {layer, *(uses[1].split() if uses else [])}


def layer_of(header):
    """src/train/kinds/pool.h is included as train/kinds/pool.h, include/croft/train/x.h as croft/train/x.h."""
    name = header.removeprefix("croft/").split("/")[0]
    return name if (ROOT / "src" / name).is_dir() else None


def place_in_layer(path, order):
    """The first folder of `order` in which src/LAYER/… lies; None where it lies in none."""
    folder = "/".join(path.split("/")[2:-1])
    for name in order:
        if (name == "." and not folder) or folder == name or folder.startswith(name + "/"):
            return order.index(name)
    return None


def check_includes(paths):
    for path in paths:
        if not path.startswith("src/") or not path.endswith((".h", ".cc")):
            continue
        layer = path.split("/")[1]
        allowed = layers_used(layer)
        order = ORDER.get(layer, [])
        place = place_in_layer(path, order)
        for header in included(path):
            used = layer_of(header)
            if used is not None and used not in allowed:
                yield f"{path}: includes {header}, but src/{layer} does not use the layer {used}"
            if used == layer and place is not None and not header.startswith("croft/"):
                other = place_in_layer("src/" + header, order)
                if other is not None and other > place:
                    yield f"{path}: includes {header}; of src/{layer} the order is {', '.join(order)}"


def check_public_headers(paths):
    for path in paths:
        if not path.startswith("include/croft/"):
            continue
        for header in included(path):
            if not (ROOT / "include" / header).is_file():
                yield f"{path}: includes {header}, which is not installed with it"


def check_sizes(paths):
    files = collections.Counter(str(pathlib.PurePosixPath(path).parent) for path in paths
                                if not path.startswith(DATA))
    for folder, count in sorted(files.items()):
        if count > MOST_FILES:
            yield f"{folder}: {count} files, more than {MOST_FILES}"


def check_lists(paths):
    for top in ("src", "tests"):
        lists = "".join((ROOT / path).read_text() for path in paths
                        if path.startswith(top + "/") and path.endswith("CMakeLists.txt"))
        words = {pathlib.PurePosixPath(word).name for word in re.findall(r"[\w./-]+", lists)}
        for path in paths:
            name = pathlib.PurePosixPath(path).name
            listed = name.endswith(".cc") or (path.startswith("tests/cli/") and name.endswith("_test.py"))
            if path.startswith(top + "/") and listed and not {name, name[:-3]} & words:
                yield f"{path}: stands in no CMakeLists.txt of {top}/"


def definitions(text):
    """(namespace, name) of each inline constant and class at namespace level: what stands there is not indented."""
    scope = []
    for line in text.splitlines():
        if opened := re.match(r"namespace ([\w:]+) \{", line):
            scope.append(opened[1])
        elif re.match(r"\}  // namespace", line) and scope:
            scope.pop()
        elif defined := DEFINITION.match(line):
            yield "::".join(scope), defined[1] or defined[2]


def check_definitions(paths):
    found = collections.defaultdict(set)
    for path in paths:
        if path.startswith(("src/", "include/")) and path.endswith(".h") and not path.endswith("-inl.h"):
            for definition in definitions((ROOT / path).read_text()):
                found[definition].add(path)
    for (scope, name), places in sorted(found.items()):
        if len(places) > 1:
            yield f"{scope}::{name} is defined in {' and in '.join(sorted(places))}"


def unknown_names(path, line, paths):
    """What a line of the document `path` names and the tree does not have."""
    for name in LINK.findall(line):
        if not (ROOT / path).parent.joinpath(name).exists():
            yield name
    for name in NAMED.findall(re.sub(LINK, "]", line)):
        if not (ROOT / name).exists() and not any(known.endswith("/" + name) for known in paths):
            yield name


def check_messages(paths):
    for path in paths:
        if not path.startswith("src/") or path.startswith("src/cli/") or not path.endswith((".h", ".cc")):
            continue
        text = re.sub(r"^\s*//.*$", "", (ROOT / path).read_text(), flags=re.MULTILINE)
        for found in FORGOTTEN_OPTION.finditer(text):
            line = text.count("\n", 0, found.end()) + 1
            yield f"{path}:{line}: an option's name in a std::string; give the parts to the error, or make a Message"


def check_documents(paths):
    for path in paths:
        if not path.endswith(".md"):
            continue
        in_code = False
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            if line.lstrip().startswith(("```", "$$")):
                in_code = not in_code
            prose = re.sub(r"`[^`]*`|\]\([^)]*\)", "", line)
            if not in_code and not line.lstrip().startswith("|") and min(len(line), len(prose)) > LONGEST_LINE:
                yield f"{path}:{number}: a line of {len(line)} characters, more than {LONGEST_LINE}"
            if not in_code and path != "CHANGELOG.md":
                for name in unknown_names(path, line, paths):
                    yield f"{path}:{number}: names {name}, which there is not"


def check_long_tests(paths):
    tests = {".".join(test) for path in paths if path.startswith("tests/") and path.endswith(".cc")
             for test in re.findall(r"^(?:\w*TEST\w*|RC_GTEST\w*)\(\s*(\w+),\s*(\w+)", (ROOT / path).read_text(), re.M)}
    for number, line in enumerate((ROOT / "tests/long_tests.txt").read_text().splitlines(), 1):
        if not line.startswith("#") and line not in tests:
            yield f"tests/long_tests.txt:{number}: names {line}, which is no test"


def main():
    paths = tracked()
    checks = (check_includes, check_public_headers, check_sizes, check_lists, check_definitions, check_messages,
              check_documents, check_long_tests)
    faults = [fault for check in checks for fault in check(paths)]
    print("\n".join(faults) if faults else "the folders keep the rules of scripts/check_layers.py")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
