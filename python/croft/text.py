"""TextVectorizer: texts to a sparse matrix of counts or tf-idf weights."""
from __future__ import annotations

import numbers
import os
from typing import TYPE_CHECKING, Any, Iterable, Optional, Sequence, Union

from . import _core, _params
from ._data import check_order
from ._params import BaseEstimator

if TYPE_CHECKING:
    import numpy

try:
    from sklearn.exceptions import NotFittedError
except ImportError:
    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """transform was called before fit."""

ENGLISH_STOP_WORDS = frozenset(_core.english_stop_words())


class TextVectorizer(BaseEstimator):  # type: ignore[misc]
    """Texts as rows of a sparse matrix with a column for each term (bag of words).

    The value of a term in a text is tf * idf, divided by the norm of the row: tf is its count,
    1 + ln(count) with `sublinear_tf`, or 1 (binary); idf is ln((1 + N) / (1 + df)) + 1 with weighting
    "tf-idf", for a term in df of the N texts of fit, and 1 without.  The matrices are those of
    scikit-learn's CountVectorizer and TfidfVectorizer with the same parameters, up to rounding.  Cost: about
    0.3 s for 10,000 newsgroup postings (20 MB); the interpreter's lock is released.

    Parameters
    ----------
    analyzer : "word", "char", "char_wb" or "mixed"
        Terms are n-grams of words (runs of two or more letters, digits and underscores), of characters, or
        of characters inside of words, with a space before and behind each word.  "mixed": n-grams of words,
        and of scripts that have no spaces between words 1 to 3 characters.
    ngram_range : (int, int)
        The smallest and the largest n.
    lowercase : bool
        Unicode's lower case, before all else.
    stop_words : "english", iterable of str or None
        Words to leave out, as they are after lower-casing.  "english" is ENGLISH_STOP_WORDS of this module:
        function words.
    min_df, max_df : int or float
        Terms in fewer or more texts are left out: an int counts texts, a float is a fraction of them.
    max_features : int or None
        Keep this many of the most frequent terms; of equally frequent ones the first by name.
    weighting : "counts", "binary" or "tf-idf"
    sublinear_tf : bool
    norm : "l1", "l2", None or "auto"
        "auto" is "l2" with weighting "tf-idf", and otherwise None.
    hash_bits : int or None
        Columns are the 2**hash_bits numbers that terms are hashed to (1 to 28); no vocabulary is kept, and fit
        is needed for weighting "tf-idf" alone.
    kit : path or None
        A feature kit (docs/features.md, "Texts"): word clusters, averaged vectors, nearest known words, lists and
        synonyms are columns behind those of the terms.  fit reads it and the files that it names, once.

    Attributes
    ----------
    vocabulary_ : dict, term -> column (without hash_bits)
    idf_ : float64 array [columns] (weighting "tf-idf")
    """

    def __init__(self, *, analyzer: str = "word", ngram_range: tuple[int, int] = (1, 1),
                 lowercase: bool = True, stop_words: Union[str, Iterable[str], None] = None,
                 min_df: Union[int, float] = 1, max_df: Union[int, float] = 1.0,
                 max_features: Optional[int] = None, weighting: str = "counts",
                 sublinear_tf: bool = False, norm: Optional[str] = "auto",
                 hash_bits: Optional[int] = None, kit: Union[str, os.PathLike[str], None] = None) -> None:
        _params.keep(self, locals())

    def fit(self, raw_documents: Iterable[str], y: Any = None) -> TextVectorizer:
        """Learns the terms, and in how many texts each is."""
        encoder = self._new_encoder(self.kit)
        encoder.fit(_texts(raw_documents))
        self.encoder_ = encoder
        return self

    def fit_transform(self, raw_documents: Iterable[str], y: Any = None) -> Any:
        """fit, and the matrix of the same texts: quicker than one after the other."""
        encoder = self._new_encoder(self.kit)
        arrays = encoder.fit_transform(_texts(raw_documents))
        self.encoder_ = encoder
        return _matrix(arrays, encoder.columns)

    def transform(self, raw_documents: Iterable[str]) -> Any:
        """A scipy CSR matrix, float64 [texts, columns]; terms that fit has not seen are left out."""
        encoder = self._fitted()
        return _matrix(encoder.transform(_texts(raw_documents)), encoder.columns)

    def get_feature_names_out(self, input_features: Any = None) -> numpy.ndarray:
        """The terms by column, then the attributes of the kit, as an array of str objects; with hash_bits the
        columns' numbers for terms."""
        import numpy

        encoder = self._fitted()
        if self.hash_bits is not None:
            terms = [str(column) for column in range(2 ** self.hash_bits)]
        else:
            terms = encoder.terms()
        return numpy.array(terms + encoder.kit_names(), dtype=object)

    @property
    def vocabulary_(self) -> dict[str, int]:
        if self.hash_bits is not None:
            raise AttributeError("with hash_bits there is no vocabulary")
        return {term: column for column, term in enumerate(self._fitted().terms())}

    @property
    def idf_(self) -> numpy.ndarray:
        import numpy

        if self.weighting != "tf-idf":
            raise AttributeError("there are idf weights with weighting=\"tf-idf\" alone")
        return numpy.frombuffer(self._fitted().idf())

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if "encoder_" in state:
            state["kit_"] = state["encoder_"].kit_state()
            state["encoder_"] = state["encoder_"].state()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        kit = state.pop("kit_", None)
        self.__dict__.update(state)
        if "encoder_" in state:
            self.encoder_ = self._new_encoder()
            if state["encoder_"] is not None:
                self.encoder_.set_state(*state["encoder_"])
            if kit is not None:
                self.encoder_.set_kit_state(*kit)

    def _more_tags(self) -> dict[str, Any]:
        return {"X_types": ["string"], "requires_fit": self.hash_bits is None or self.kit is not None}

    def _fitted(self) -> _core.TextEncoder:
        encoder = getattr(self, "encoder_", None)
        if encoder is None and self.hash_bits is not None and self.kit is None:
            encoder = self._new_encoder()
        if encoder is None or (encoder.needs_fit and not encoder.is_fitted):
            raise NotFittedError("this TextVectorizer is not fitted; call fit or fit_transform first")
        return encoder

    def _new_encoder(self, kit: Union[str, os.PathLike[str], None] = None) -> _core.TextEncoder:
        encoder = _core.TextEncoder(
            analyzer=self.analyzer, ngrams=_ngrams(self.ngram_range), lower_case=bool(self.lowercase),
            stop_words=_stop_words(self.stop_words), weighting=self.weighting,
            sublinear=bool(self.sublinear_tf), norm="none" if self.norm is None else self.norm,
            min_df=_limit("min_df", self.min_df), max_df=_limit("max_df", self.max_df),
            max_terms=_whole("max_features", self.max_features),
            hash_bits=_whole("hash_bits", self.hash_bits))
        if kit is not None:
            encoder.read_kit(os.fspath(kit))
        return encoder


def _texts(raw_documents: Iterable[str]) -> list[str]:
    if isinstance(raw_documents, (str, bytes)):
        raise ValueError("raw_documents is one str; give a list of texts")
    check_order(raw_documents, "raw_documents")
    return list(raw_documents)


def _matrix(arrays: tuple[bytearray, bytearray, bytearray], columns: int) -> Any:
    import numpy
    import scipy.sparse

    values, indices, begin = arrays
    rows = len(begin) // 8 - 1
    matrix = scipy.sparse.csr_matrix(
        (numpy.frombuffer(values), numpy.frombuffer(indices, numpy.int32),
         numpy.frombuffer(begin, numpy.int64)), shape=(rows, columns))
    matrix.has_sorted_indices = True
    return matrix


def _ngrams(ngram_range: Sequence[int]) -> tuple[int, int]:
    try:
        shortest, longest = ngram_range
    except (TypeError, ValueError):
        shortest, longest = 0, 0
    if not isinstance(shortest, numbers.Integral) or not isinstance(longest, numbers.Integral) \
            or not 1 <= shortest <= longest:
        raise ValueError(f"ngram_range is {ngram_range!r}; give the smallest and the largest n, such as (1, 2)")
    return int(shortest), int(longest)


def _stop_words(stop_words: Union[str, Iterable[str], None]) -> list[str]:
    if stop_words is None:
        return []
    if stop_words == "english":
        return sorted(ENGLISH_STOP_WORDS)
    if isinstance(stop_words, str):
        raise ValueError(f"stop_words is {stop_words!r}; give \"english\", a list of words or None")
    return sorted(stop_words)


def _limit(name: str, value: Union[int, float]) -> tuple[float, bool]:
    """The value, and whether it is a fraction."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= 1:
        return float(value), False
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and 0 <= value <= 1:
        return float(value), True
    raise ValueError(f"{name} is {value!r}; give a number of texts as an int from 1 on, or a fraction of them "
                     "as a float from 0.0 to 1.0")


def _whole(name: str, value: Optional[int]) -> int:
    """0 where there is none."""
    if value is None:
        return 0
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= 1:
        return int(value)
    raise ValueError(f"{name} is {value!r}; give a whole number from 1 on, or None")
