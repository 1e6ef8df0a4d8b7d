"""The study of objectives and optimizers: the parts of bench/study.py."""
