#!/usr/bin/env python3
"""Turns Markdown into text: sections apart by an empty line, one sentence a line, tokens apart by
spaces.  Code, tables and headings are left out; code inside a sentence is the token <code>, a number
<num>.

  examples/language-model/sentences.py docs/*.md docs/math/*.md > text.txt
"""
import re
import sys

TOKEN = re.compile(r"<code>|[a-z]+(?:['’-][a-z]+)*|\d[\d.,/%]*|[.,;:!?()]")


def sections(path):
    """The prose of each section of a file, a list of paragraphs."""
    section, paragraph, in_code = [], "", False
    for line in open(path, encoding="utf-8"):
        line = line.strip()
        if line.startswith("```"):
            in_code = not in_code
        plain = not in_code and not line.startswith(("```", "|", "#", "!["))
        if plain and line and not re.match(r"[*-] |\d+\. ", line):
            paragraph += " " + line
            continue
        if paragraph:
            section.append(paragraph)
        paragraph = re.sub(r"^([*-]|\d+\.) ", "", line) if plain else ""
        if line.startswith("#") and not in_code:
            yield section
            section = []
    yield section + [paragraph]


def sentences(paragraph):
    text = re.sub(r"`[^`]*`", " <code> ", paragraph)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"[*_]", "", text)
    for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z<])", text):
        tokens = TOKEN.findall(sentence.lower())
        tokens = ["<num>" if t[0].isdigit() else t for t in tokens]
        if sum(t[0].isalpha() for t in tokens) >= 3 and tokens[-1] in ".!?":
            yield " ".join(tokens)


for path in sys.argv[1:]:
    for section in sections(path):
        lines = [s for paragraph in section for s in sentences(paragraph)]
        if lines:
            print("\n".join(lines) + "\n")
