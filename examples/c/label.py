#!/usr/bin/env python3
"""Labels a line of words through libcroft.so, by ctypes alone: what any language with C calls can do.

    python3 label.py libcroft.so.0 words.croft 2 cups flour
"""
import ctypes
import sys


def open_library(path):
    """The functions that are used here, with their types; each status other than 0 is raised."""
    croft = ctypes.CDLL(path)
    croft.croft_error.restype = ctypes.c_char_p

    def check(status, function, _):
        if status != 0:
            raise RuntimeError(f"{function.__name__}: {croft.croft_error().decode()}")

    handle = ctypes.c_void_p
    for name, arguments in (("croft_open", [ctypes.c_char_p, handle, ctypes.POINTER(handle)]),
                            ("croft_tagger_new", [handle, ctypes.POINTER(handle)]),
                            ("croft_ask", [handle, ctypes.c_int, ctypes.c_size_t]),
                            ("croft_add_row", [handle, ctypes.c_char_p]), ("croft_tag", [handle])):
        function = getattr(croft, name)
        function.argtypes, function.restype, function.errcheck = arguments, ctypes.c_int, check
    for name, arguments, result in (("croft_length", [handle], ctypes.c_size_t),
                                    ("croft_label_count", [handle], ctypes.c_size_t),
                                    ("croft_label", [handle, ctypes.c_uint32], ctypes.c_char_p),
                                    ("croft_labels", [handle], ctypes.POINTER(ctypes.c_uint32)),
                                    ("croft_marginals", [handle], ctypes.POINTER(ctypes.c_double)),
                                    ("croft_tagger_free", [handle], None), ("croft_model_free", [handle], None)):
        function = getattr(croft, name)
        function.argtypes, function.restype = arguments, result
    return croft


def main(library, path, *words):
    croft = open_library(library)
    model, tagger = ctypes.c_void_p(), ctypes.c_void_p()
    croft.croft_open(path.encode(), None, ctypes.byref(model))
    croft.croft_tagger_new(model, ctypes.byref(tagger))
    croft.croft_ask(tagger, 2, 1)  # CROFT_MARGINALS
    for word in words:
        croft.croft_add_row(tagger, word.encode())
    croft.croft_tag(tagger)
    labels, p, count = croft.croft_labels(tagger), croft.croft_marginals(tagger), croft.croft_label_count(model)
    for t in range(croft.croft_length(tagger)):
        print(words[t], croft.croft_label(model, labels[t]).decode(), f"{p[t * count + labels[t]]:.6f}", sep="\t")
    croft.croft_tagger_free(tagger)
    croft.croft_model_free(model)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("usage: label.py LIBCROFT MODEL WORD ...")
    main(*sys.argv[1:])
