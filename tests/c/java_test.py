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

    def label(options):
        run("java", "-Xcheck:jni", "-cp", classes, "LabelColumns", library, f"label {options} -m {model}", data, out)
        return out.read_text("utf-8")

    # What `wapiti label --post` gave: the rows, each with its label, and a line without a row after each sequence.
    rows = iter(row for row in data.read_text("utf-8").split("\n") if row.strip())
    labels = [line.split("\t")[0] for line in labels.read_text("utf-8").splitlines() if line[:2] != "# "]
    assert label("--post") == "".join(f"{next(rows)}\t{label}\n" if label else "\n" for label in labels)
    assert next(rows, None) is None
    assert label("--check") == run(croft, "predict", "-m", model, "--to", "columns", data)


if __name__ == "__main__":
    main(*sys.argv[1:])
