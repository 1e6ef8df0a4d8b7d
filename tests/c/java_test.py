"""Java programs that load Wapiti label with libwapiti.so, and get the lines that `wapiti label` gives.

    java_test.py CROFT LIBRARY WORK [JAR]

JAR is that of Wapiti's binding, as GROBID has it; without one, classes of the same names stand in for it.
"""
import gzip
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("CROFT_DATA", SOURCE.parent / "shared" / "data"))


def run(*command):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def unpack(name, work):
    out = work / name.replace(".gz", "")
    out.write_bytes(gzip.decompress((DATA / "models" / "wapiti" / name).read_bytes()))
    return out


def main(croft, library, work, jar=None):
    if not (DATA / "models" / "wapiti").is_dir():
        print(f"there is no {DATA}/models; CROFT_DATA names the folder of the data")
        return
    work = pathlib.Path(work) / "a folder"  # with a blank in its name
    work.mkdir(parents=True, exist_ok=True)
    java = SOURCE / "tests" / "c" / "java"
    stand_in = [] if jar else sorted((java / "fr").rglob("*.java"))
    classes = f"{work}:{jar}" if jar else str(work)
    run("javac", "-d", work, "-cp", classes, *stand_in, java / "LabelColumns.java")
    model, data, labels = (unpack(f"figure.{end}.gz", work) for end in ("wapiti", "columns", "labels"))
    out = work / "labelled"
    run("java", "-Xcheck:jni", "-cp", classes, "LabelColumns", library, f"label  -m {model}", data, out)

    rows = [row for row in data.read_text("utf-8").split("\n") if row.strip()]
    found = out.read_text("utf-8").split("\n")
    expected = [line.split("\t")[0] for line in labels.read_text("utf-8").split("\n") if line and line[:2] != "# "]
    assert [line.rsplit("\t", 1) for line in found if line] == [list(pair) for pair in zip(rows, expected, strict=True)]
    # Sequences end where the tool ends them, too, and the program itself says the same.
    assert [not line for line in found] == [not line for line in labels.read_text("utf-8").split("\n")
                                            if line[:2] != "# "]
    assert "\n".join(found) == run(croft, "predict", "-m", model, "--output", "columns", data).replace(" \t", "\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
