"""TextVectorizer against scikit-learn's vectorizers: the same texts, equal matrices."""
import os
import pathlib
import pickle
import random

import numpy
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import croft
from croft.text import ENGLISH_STOP_WORDS

PIECES = ["the", "The", "cat", "CATS", "a", "I", "dog", "x1", "under_score", "_", "don't", "e-mail",
          "42", "3.14", "½", "Ⅷ", "²x", "naïve", "NAÏVE", "e\u0301t\u0301e", "Straße", "ÄÖÜ", "İstanbul",
          "ΟΔΟΣ", "ΣΑΣ Σ ΑΣ'Α", "Ο.Σ.", "東京", "にほんご", "हिन्दी",
          "العربية", "𝔘𝔫𝔦", "😀", "dž Dž DŽ", "ªº", "ﬁn", "²³", "ẞ", "K", "\u200dx\u200dy", "ʰa"]
SPACES = [" ", "  ", "\t", "\n", " \n ", "\u00a0", "\u2003", "\x1c", "\x85", ", ", "--", "!? ", "\u200b", ""]


def texts(count=300, seed=1):
    generator = random.Random(seed)
    made = ["", " ", "a", "the", "ab  cd"]
    while len(made) < count:
        length = generator.choice([1, 2, 5, 40])
        made.append("".join(generator.choice(PIECES) + generator.choice(SPACES) for _ in range(length)))
    return made


def assert_equal(ours, theirs, rtol=0.0):
    assert isinstance(ours, scipy.sparse.csr_matrix) and ours.dtype == numpy.float64
    theirs = scipy.sparse.csr_matrix(theirs)
    theirs.sort_indices()
    assert ours.shape == theirs.shape
    numpy.testing.assert_array_equal(ours.indptr, theirs.indptr)
    numpy.testing.assert_array_equal(ours.indices, theirs.indices)
    numpy.testing.assert_allclose(ours.data, theirs.data, rtol=rtol)


def check(ours, theirs, rtol=0.0):
    train, new = texts(), texts(100, seed=2) + ["unseen wörds only", "the zzz the"]
    expected = theirs.fit_transform(train)
    assert_equal(ours.fit_transform(train), expected, rtol)
    numpy.testing.assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
    assert ours.vocabulary_ == theirs.vocabulary_
    assert_equal(ours.transform(new), theirs.transform(new), rtol)
    again = clone(ours).fit(train)
    assert_equal(again.transform(train), ours.transform(train))
    assert_equal(again.transform(train), expected, rtol)


@pytest.mark.parametrize("parameters", [
    {}, {"lowercase": False}, {"ngram_range": (1, 2)}, {"ngram_range": (2, 3)}, {"ngram_range": (3, 3)},
    {"min_df": 3}, {"max_df": 100}, {"min_df": 0.3, "max_df": 0.9}, {"min_df": 2, "ngram_range": (1, 2)},
    {"stop_words": ["the", "cat"]}, {"stop_words": ["the"], "ngram_range": (1, 2)}])
@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
def test_counts_are_those_of_count_vectorizer(analyzer, parameters):
    if analyzer != "word" and "stop_words" in parameters:
        with pytest.raises(croft.Error, match="stop words are left out of words"):
            croft.TextVectorizer(analyzer=analyzer, **parameters).fit(texts())
        return
    check(croft.TextVectorizer(analyzer=analyzer, **parameters), CountVectorizer(analyzer=analyzer, **parameters))


@pytest.mark.parametrize("n", [(1, 1), (2, 2), (2, 5), (4, 6), (9, 9)])
def test_characters_of_any_length(n):
    for analyzer in ("char", "char_wb"):
        check(croft.TextVectorizer(analyzer=analyzer, ngram_range=n),
              CountVectorizer(analyzer=analyzer, ngram_range=n))


@pytest.mark.parametrize("name", ["qc.train.tsv", "sms.train.tsv"])
def test_real_texts(name):
    shared = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"
    path = pathlib.Path(os.environ.get("CROFT_DATA", shared)) / "text" / name
    if not path.exists():
        pytest.skip("CROFT_DATA names the folder of the data")
    documents = [line.split("\t", 1)[1] for line in path.read_text("utf-8").splitlines()]
    for analyzer, n in (("word", (1, 2)), ("char_wb", (2, 4)), ("char", (3, 3))):
        assert_equal(croft.TextVectorizer(analyzer=analyzer, ngram_range=n).fit_transform(documents),
                     CountVectorizer(analyzer=analyzer, ngram_range=n).fit_transform(documents))
        assert_equal(croft.TextVectorizer(analyzer=analyzer, ngram_range=n, weighting="tf-idf", min_df=2)
                     .fit_transform(documents),
                     TfidfVectorizer(analyzer=analyzer, ngram_range=n, min_df=2).fit_transform(documents), rtol=1e-12)


def test_binary_counts():
    check(croft.TextVectorizer(weighting="binary"), CountVectorizer(binary=True))


@pytest.mark.parametrize("sublinear", [False, True])
@pytest.mark.parametrize("norm", ["l1", "l2", None])
def test_tf_idf_is_that_of_tfidf_vectorizer(norm, sublinear):
    for cut in ({}, {"min_df": 2, "max_df": 0.5}):
        ours = croft.TextVectorizer(weighting="tf-idf", norm=norm, sublinear_tf=sublinear, **cut)
        theirs = TfidfVectorizer(norm=norm, sublinear_tf=sublinear, **cut)
        check(ours, theirs, rtol=1e-13)
        numpy.testing.assert_allclose(ours.idf_, theirs.idf_, rtol=1e-15)


def test_tf_idf_has_unit_length_by_default():
    check(croft.TextVectorizer(weighting="tf-idf"), TfidfVectorizer(), rtol=1e-13)


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_counts_with_a_norm(norm):
    check(croft.TextVectorizer(norm=norm), TfidfVectorizer(norm=norm, use_idf=False), rtol=1e-13)
    check(croft.TextVectorizer(sublinear_tf=True), TfidfVectorizer(norm=None, use_idf=False, sublinear_tf=True),
          rtol=1e-13)


@pytest.mark.parametrize("weighting", ["counts", "binary"])
def test_max_features_keeps_the_most_frequent_terms(weighting):
    train = texts()
    everything = CountVectorizer(binary=weighting == "binary")
    total = numpy.asarray(everything.fit_transform(train).sum(axis=0)).ravel()
    names = everything.get_feature_names_out()
    for limit in (1, 7, 20, len(names), len(names) + 5):
        # Of equally frequent ones the first by name; scikit-learn leaves that open.
        best = sorted(sorted(range(len(names)), key=lambda j: (-total[j], names[j]))[:limit])
        ours = croft.TextVectorizer(max_features=limit, weighting=weighting)
        matrix = ours.fit_transform(train)
        assert list(ours.get_feature_names_out()) == list(names[best])
        numpy.testing.assert_array_equal(numpy.asarray(matrix.sum(axis=0)).ravel(), total[best])


def test_english_stop_words_are_left_out():
    assert {"the", "and", "not"} <= ENGLISH_STOP_WORDS and "cat" not in ENGLISH_STOP_WORDS
    check(croft.TextVectorizer(stop_words="english"), CountVectorizer(stop_words=list(ENGLISH_STOP_WORDS)))


def test_hashed_columns_are_sums_of_the_columns_of_terms():
    train, new = texts(), texts(100, seed=2)
    plain = croft.TextVectorizer().fit(train + new)
    hashed = croft.TextVectorizer(hash_bits=6)
    one_each = hashed.transform([term for term in plain.get_feature_names_out()])
    assert one_each.shape == (len(plain.vocabulary_), 64)
    assert (one_each.sum(axis=1) == 1).all()  # before fit: nothing is learnt
    assert_equal(hashed.transform(new), plain.transform(new) @ one_each)
    assert list(hashed.get_feature_names_out()[:3]) == ["0", "1", "2"]
    assert not hasattr(hashed, "vocabulary_")


def test_hashed_tf_idf_has_the_idf_of_each_column():
    train, new = texts(), texts(100, seed=2)
    counts = croft.TextVectorizer(hash_bits=6)
    present = counts.transform(train) > 0
    idf = numpy.log((1 + len(train)) / (1 + numpy.asarray(present.sum(axis=0)).ravel())) + 1
    ours = croft.TextVectorizer(hash_bits=6, weighting="tf-idf", norm=None)
    with pytest.raises(NotFittedError):
        ours.transform(new)
    assert_equal(ours.fit(train).transform(new), counts.transform(new).multiply(idf), rtol=1e-13)
    numpy.testing.assert_allclose(ours.idf_, idf, rtol=1e-15)


@pytest.mark.parametrize("parameters", [{}, {"weighting": "tf-idf"}, {"hash_bits": 5}, {"min_df": 2},
                                        {"hash_bits": 5, "weighting": "tf-idf"}])
def test_a_pickled_vectorizer_gives_the_same_matrix(parameters):
    ours = croft.TextVectorizer(**parameters).fit(texts())
    again = pickle.loads(pickle.dumps(ours))
    new = texts(50, seed=3)
    assert_equal(again.transform(new), ours.transform(new))
    assert again.get_params() == ours.get_params()
    with pytest.raises(NotFittedError):
        pickle.loads(pickle.dumps(croft.TextVectorizer())).transform(new)


def test_bytes_are_utf8():
    ours = croft.TextVectorizer().fit(["Größe x1"])
    assert_equal(ours.transform(["GRÖSSE größe".encode()]), ours.transform(["grösse größe"]))


def test_a_pipeline_learns():
    documents = ["free prize now", "call me later", "win a free prize", "see you later today"] * 5
    labels = ["spam", "ham", "spam", "ham"] * 5
    pipeline = make_pipeline(croft.TextVectorizer(), LogisticRegression())
    pipeline.set_params(textvectorizer__weighting="tf-idf", textvectorizer__ngram_range=(1, 2))
    assert list(pipeline.fit(documents, labels).predict(["a free prize", "later"])) == ["spam", "ham"]


def test_parameters_that_make_no_sense_are_errors():
    def fails(match, kind=ValueError, documents=("some text",), **parameters):
        with pytest.raises(kind, match=match):
            croft.TextVectorizer(**parameters).fit(documents)

    fails("ngram_range is \\(2, 1\\)", ngram_range=(2, 1))
    fails("ngram_range is 2", ngram_range=2)
    fails("analyzer is \"words\"; choose one of: word, char, char_wb, mixed", analyzer="words")
    fails("weighting is \"idf\"; choose one of: counts, binary, tf-idf", weighting="idf")
    fails("norm is \"max\"", norm="max")
    fails("min_df is 0;", min_df=0)
    fails("max_df is 1.5", max_df=1.5)
    fails("max_features is 0", max_features=0)
    fails("hash_bits 29 is not 1 to 28", hash_bits=29)
    fails("max_features leaves terms out, and with hash_bits", hash_bits=4, max_features=3)
    fails("sublinear_tf is about counts", weighting="binary", sublinear_tf=True)
    fails("stop_words is 'german'", stop_words="german")
    fails("raw_documents is one str", documents="text")
    fails("raw_documents\\[1\\] is an int", kind=TypeError, documents=["a", 3])
    fails("no term of the 1 texts is left: they have none", documents=["a ?"])
    fails("no term of the 2 texts is left; loosen min_df or max_df", documents=["aa", "bb"], min_df=2)
    fails("can be in at most 1 texts and in at least 2 texts; change max_df or min_df", min_df=2, max_df=1,
          documents=["aa", "bb"])
    with pytest.raises(NotFittedError):
        croft.TextVectorizer().transform(["x"])
    with pytest.raises(AttributeError):
        croft.TextVectorizer().fit(["some text"]).idf_


def test_mixed_has_words_and_characters():
    vectorizer = croft.TextVectorizer(analyzer="mixed").fit(["Das Handy 手机", "手机 好"])
    assert sorted(vectorizer.vocabulary_) == ["das", "handy", "好", "手", "手机", "机"]
