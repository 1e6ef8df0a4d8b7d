"""Values that no caller should hand over, drawn from a seed."""
from __future__ import annotations

import array
import ctypes
import decimal
import fractions
import gc
import random
from typing import Any, Callable

import numpy as np
import scipy.sparse


class Evil(Exception):
    """What hostile objects raise."""


class Vile(BaseException):
    """The same, of a kind that nobody may swallow, as KeyboardInterrupt is."""


class Finding(AssertionError):
    """An answer that is wrong."""


REFUSED: Any = type("Refused", (), {"__repr__": lambda self: "REFUSED"})()
REFUSALS = (ValueError, TypeError, OverflowError, OSError, Evil)
# What Python itself raises where an object lies about its length, or changes while it is iterated over.
REFUSALS_OF_LIARS = (LookupError, AttributeError, RuntimeError, StopIteration, ZeroDivisionError)


ENTRIES: dict[str, Callable[[Hostile], None]] = {}


def entry(function: Callable[[Hostile], None]) -> Callable[[Hostile], None]:
    """A kind of cases: makes the calls of one."""
    ENTRIES[function.__name__] = function
    return function


class Hostile:
    """Draws arguments, mostly sane ones, and makes the calls of one case.

    liars  whether an object was drawn whose methods lie
    huge   whether a size was drawn that no machine has room for
    """

    def __init__(self, seed: str, log: Callable[[str], None]) -> None:
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(self.random.getrandbits(32))
        self.rate = self.random.choice([0.0, 0.02, 0.02, 0.1, 0.3])
        self.log = log
        self.liars = self.huge = self.vile = False
        self.calling = False
        self.acts = 0
        self.also: tuple[type[BaseException], ...] = ()
        self.victims: list[Any] = []

    # --- Calls ---------------------------------------------------------------------------------
    def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The answer, or REFUSED where it is an exception as it should be."""
        said = [describe(each) for each in args] + [f"{name}={describe(each)}" for name, each in kwargs.items()]
        self.log(f"{getattr(function, '__qualname__', function)}({', '.join(said)})")
        self.vile, outer = False, self.calling
        self.calling = True
        try:
            answer = function(*args, **kwargs)
        except Vile:
            return REFUSED
        except BaseException as error:
            self.calling = False
            self._judge(error)
            return REFUSED
        finally:
            self.calling = outer
        self.check(not self.vile, "an exception like KeyboardInterrupt was swallowed")
        return answer

    def _judge(self, error: BaseException) -> None:
        str(error), repr(error)
        if isinstance(error, MemoryError):
            self.check(self.huge or self.liars, "memory without end")
        elif (
            isinstance(error, (SystemError, Finding))
            or "Unable to cast" in str(error)
            and not isinstance(error, TypeError)
        ):
            raise error
        elif not isinstance(error, (*REFUSALS, *self.also, *(REFUSALS_OF_LIARS if self.liars else ()))):
            raise error
        self.check(not self.vile, f"an exception like KeyboardInterrupt became {error!r}")

    @staticmethod
    def check(holds: Any, what: str) -> None:
        if not holds:
            raise Finding(what)

    # --- Draws ---------------------------------------------------------------------------------
    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def one(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def below(self, n: int) -> int:
        return self.random.randrange(n)

    def spoil(self, value: Any, *bad: Any) -> Any:
        """The value, or now and then one that has no business there: one of `bad`, or what one of them draws."""
        if not self.chance(self.rate):
            return value
        found = self.random.choice(bad or (self.anything,))
        return found() if callable(found) else found

    def options(self, chance: float, /, **good: Any) -> dict[str, Any]:
        """Some of them, which may be spoilt."""
        return {
            name: self.spoil(value, self.number, self.count, self.text, self.anything)
            for name, value in good.items()
            if self.chance(chance)
        }

    def anything(self) -> Any:
        return self.one(
            self.number,
            self.text,
            self.shaker,
            self.container,
            lambda: None,
            self.buffer,
            lambda: object(),
            lambda: type,
            lambda: len,
            lambda: (x for x in [1, 2]),
        )()

    def text(self) -> Any:
        return self.one(
            "",
            "\0",
            "a\0b",
            "\ud800",
            "é" * 9,
            "x" * 5000,
            "a:b",
            "\x1e",
            "a\x1fb",
            "%x[0,0]\n",
            "\n",
            b"\xff",
            b"a",
            np.str_("q"),
            type("Text", (str,), {})("s"),
            "\t",
            "-",
            "O",
            "B-",
            '"',
            "|",
            "{",
        )

    def number(self) -> Any:
        found = self.one(
            0,
            1,
            -1,
            0.5,
            2,
            1e308,
            -1e308,
            float("nan"),
            float("inf"),
            -float("inf"),
            1 << 31,
            1 << 53,
            1 << 63,
            1 << 64,
            10**400,
            True,
            None,
            "1",
            np.float32(1),
            np.int64(3),
            np.uint8(7),
            fractions.Fraction(1, 3),
            decimal.Decimal("nan"),
            1j,
            np.array(2.5),
            np.array([1]),
            5e-324,
            self.shaker,
        )
        return found() if callable(found) else found

    def count(self) -> Any:
        """No count: too small, or so large that it is refused at once."""
        self.huge = True
        return self.one(0, -1, 1.5, True, None, "3", 1 << 63, 1 << 64, 10**30, float("nan"), np.int8(1))

    def container(self) -> Any:
        out = self.one(
            [],
            {},
            set(),
            (),
            {"a": {}},
            [[]],
            [None],
            {None: 1},
            {"a": [1]},
            {1: 2},
            ["a", "b"],
            bytearray(b"ab"),
            frozenset("ab"),
            range(3),
            {"a": self.shaker()},
            [self.shaker()],
        )
        if self.chance(0.2) and isinstance(out, list):
            out.append(out)
        elif self.chance(0.2) and isinstance(out, dict):
            out["self"] = out
        return out

    def shaker(self) -> Any:
        """An object whose methods raise, lie, or change what the call is reading."""
        self.liars = True
        chosen = {name: _method(self, lies) for name, lies in _LIES.items() if self.chance(0.4)}
        base, start = self.one(
            (object, ()),
            (object, ()),
            (str, ("s",)),
            (float, (0.5,)),
            (int, (1,)),
            (dict, ({"a": 1},)),
            (list, (["a"],)),
            (tuple, (["a"],)),
            (set, ("ab",)),
            (bytearray, (b"ab",)),
        )
        if "__hash__" not in chosen:
            chosen["__hash__"] = lambda self: 1
        found = type("Shaker", (base,), chosen)
        try:
            return found(*start)
        except BaseException:
            return found.__new__(found)

    def misbehave(self, lies: tuple[Any, ...]) -> Any:
        if not self.calling:
            return self.random.choice(lies)
        self.acts += 1
        if self.acts > 300:  # so that no iteration is endless
            raise IndexError("no more")
        for victim in self.victims:
            if self.chance(0.3):
                self._change(victim)
        if self.chance(0.2):
            raise Evil("a method failed")
        if self.chance(0.02):
            self.vile = True
            raise Vile
        return self.random.choice(lies)

    def _change(self, victim: Any) -> None:
        try:
            if self.chance(0.5):
                victim.clear()
            elif isinstance(victim, list):
                victim.extend(victim[:4])
            elif isinstance(victim, dict):
                victim.update({f"new{self.below(99)}": self.one(1, "a", {"b": 1})})
            gc.collect(0)
        except (BufferError, TypeError, RuntimeError, AttributeError):
            pass

    def mutated(self, data: bytes) -> bytes:
        """The bytes, of which some are others, gone or there twice."""
        out = bytearray(data)
        for _ in range(self.one(1, 1, 2, 5)):
            at = self.below(max(1, len(out)))
            how = self.below(5)
            if how == 0:
                out[at : at + 1] = bytes([self.below(256)])
            elif how == 1:
                del out[at : at + self.one(1, 4, 40, 4000)]
            elif how == 2:
                out[at:at] = out[: self.one(1, 8, 64)]
            elif how == 3 and out:
                out[at % len(out)] ^= 1 << self.below(8)
            else:
                del out[at:]
        return bytes(out)

    # --- Arrays --------------------------------------------------------------------------------
    def buffer(self) -> Any:
        """A buffer of numbers of whatever kind."""
        return self.one(
            lambda: array.array(self.one(*"bBhHiIlLqQfd"), [1, 2, 3]),
            lambda: memoryview(bytes(16)).cast("d"),
            lambda: (ctypes.c_double * 3)(),
            lambda: (ctypes.c_int * 2 * 2)(),
            lambda: bytearray(24),
            lambda: memoryview(np.zeros(6))[::-2],
            lambda: np.zeros(0),
            lambda: np.zeros((0, 3)),
            lambda: type("Bytes", (bytearray,), {"dtype": self.one(5, None, np.dtype("f8"), "O")})(b"abcd"),
            lambda: self.wrong_array(),
        )()

    def array(self, shape: tuple[int, ...], dtype: Any = np.float64, high: float = 3.0) -> np.ndarray:
        """Numbers of that shape, lying in memory in any way."""
        values = self.numpy.uniform(0, high, shape).astype(dtype)
        return self.laid_out(values)

    def laid_out(self, values: np.ndarray) -> np.ndarray:
        """The same numbers at other places: strides, order, alignment."""
        how = self.below(8)
        if how == 0:
            return np.asfortranarray(values)
        if how == 1:
            return np.flip(np.flip(values).copy())
        if how == 2 and values.ndim:
            return np.repeat(values, 2, axis=-1)[..., ::2]
        if how == 3:
            raw = np.zeros(values.nbytes + 1, np.uint8)
            out = raw[1:].view(values.dtype).reshape(values.shape) if values.nbytes else values
            out[...] = values
            return out
        if how == 4:
            values.flags.writeable = False
        if how == 5:
            return values.view(type("Sub", (np.ndarray,), {}))
        return values

    def wrong_array(self, shape: tuple[int, ...] = (2, 3)) -> Any:
        """An array of another type, shape or content."""
        make = self.one(
            lambda: self.array(shape).astype(
                self.one("f2", "g", ">f8", "<f4", "i4", "u8", "?", "F", "D", "O", "U3", "S2")
            ),
            lambda: np.zeros(shape, "M8[s]"),
            lambda: np.zeros(shape, [("a", "f8"), ("b", "i4")]),
            lambda: np.zeros(()),
            lambda: self.with_number(self.array(shape)),
            lambda: np.zeros((*shape, 2)),
            lambda: np.zeros(shape[:-1]),
            lambda: np.ma.masked_array(
                np.ones(shape), np.eye(*(shape * 2)[:2]).astype(bool) if len(shape) == 2 else False
            ),
            lambda: np.matrix(np.ones(shape[:2])),
            lambda: np.array([[None, "a"]], dtype=object),
            lambda: np.full(shape, {"a": 1}, dtype=object),
            lambda: np.zeros(shape).tolist(),
        )
        return make()

    def huge_array(self, dtype: Any) -> np.ndarray:
        """More numbers than anyone should read, in no memory."""
        self.huge = True
        size = self.one(1 << 32, 1 << 33, (1 << 31) + 1, 1 << 40, 1 << 55)
        return np.broadcast_to(np.dtype(dtype).type(self.one(0, 1)), self.one((1, size), (size, 1), (2, size)))

    def with_number(self, values: np.ndarray) -> np.ndarray:
        values = np.array(values)
        if values.size:
            values.flat[self.below(values.size)] = self.one(
                np.nan, np.inf, -np.inf, 1e308, -1e308, -1, 5e-324, 0.5, 1e18
            )
        return values

    def csr(self, rows: int, columns: int) -> Any:
        return scipy.sparse.csr_matrix(
            self.numpy.uniform(0, 3, (rows, columns)) * (self.numpy.random((rows, columns)) < 0.6)
        )

    def wrong_csr(self, rows: int, columns: int) -> Any:
        """A sparse matrix whose parts do not fit, or something like one."""
        matrix = self.csr(rows, columns)
        what = self.one("indptr", "indices", "data")
        part = np.array(getattr(matrix, what))
        bad = self.one(
            part[:-1],
            part[::-1],
            part.astype("f8"),
            part.astype("i8") + (1 << 40),
            np.append(part, 1),
            -part,
            part.astype("u8"),
            part.astype(">i4"),
            part.reshape(1, -1),
            part.astype("O"),
            np.zeros(0, part.dtype),
            [1],
            self.with_number(part.astype("f8")),
            part + 1,
            None,
        )
        if self.chance(0.2):
            return self.one(
                matrix.tocsc,
                matrix.tocoo,
                matrix.tolil,
                matrix.todia,
                matrix.astype("?").tocsr,
                lambda: scipy.sparse.csr_array(matrix),
                lambda: matrix.astype(np.complex128),
            )()
        if self.chance(0.2):
            self.huge = True
            return scipy.sparse.csr_matrix(
                ([1.0], [self.one(0, 1 << 28, (1 << 31) - 2)], [0, 1] + [1] * (rows - 1)), shape=(rows, (1 << 31) - 1)
            )
        if self.chance(0.5):
            setattr(matrix, what, bad)
            self.liars |= not isinstance(bad, np.ndarray)  # scipy itself fails
            return matrix
        self.liars = True
        parts = {
            "indptr": matrix.indptr,
            "indices": matrix.indices,
            "data": matrix.data,
            "shape": self.one((rows, columns), (rows, -1), (rows, 1 << 62), (rows,), None, "ab"),
            what: bad,
        }
        fake = type("FakeCsr", (), {**parts, "dtype": matrix.dtype, "ndim": 2, "tocsr": lambda self: self})
        return fake()


_LIES: dict[str, tuple[Any, ...]] = {
    "__float__": (0.5, 1.0, float("nan"), "x", None),
    "__index__": (0, 1, -1, 1 << 70, "x"),
    "__len__": (0, 1, 2, -1, 1 << 62, None),
    "__getitem__": (0.5, "a", {"a": 1}, None, ["a"]),
    "__iter__": (iter(()), iter(["a", 0.5]), None),
    "keys": (["a"], [], None, [3]),
    "__eq__": (True, False, None),
    "__lt__": (True, False),
    "__hash__": (1, 1 << 80, "x"),
    "__str__": ("s", "\ud800", 3),
    "__repr__": ("r", "\ud800", 3),
    "__bool__": (True, False, 3),
    "__array__": (np.zeros((2, 3)), None, np.zeros(3)),
    "__fspath__": ("/nowhere", b"\xff", 3),
    "items": ([("a", 1)], None, [1]),
    "__contains__": (True, False),
    "is_integer": (True, None),
    "__int__": (1, "x"),
    "__le__": (True, False),
    "__call__": (None, False, 0.5),
    "tolist": ([1.0], None),
    "get": (None,),
}


def _method(h: Hostile, lies: tuple[Any, ...]) -> Any:
    return lambda self, *args, **kwargs: h.misbehave(lies)


def describe(value: Any, depth: int = 0) -> str:
    """Like repr, but short, and no hostile method is asked."""
    kind = type(value)
    if kind in (int, float, str, bytes, bool, type(None), complex):
        text = repr(value)
    elif kind in (list, tuple, set, frozenset) and depth < 5:
        text = ("[{}]" if kind is list else kind.__name__ + "([{}])").format(
            ", ".join(describe(each, depth + 1) for each in list(value)[:8]) + (", ..." if len(value) > 8 else "")
        )
    elif kind is dict and depth < 5:
        text = (
            "{"
            + ", ".join(f"{describe(k, depth + 1)}: {describe(v, depth + 1)}" for k, v in list(value.items())[:8])
            + "}"
        )
    elif isinstance(value, np.ndarray):
        text = f"<{kind.__name__} {value.dtype} {value.shape} strides {value.strides}>"
        if kind is np.ndarray and value.size <= 12 and value.dtype.kind in "fiu?":
            text = f"numpy.array({value.tolist()}, {str(value.dtype)!r})"
    else:
        text = f"<{kind.__name__} of {kind.__mro__[1].__name__ if len(kind.__mro__) > 1 else ''}>"
    return text if len(text) < 400 else text[:400] + "..."
