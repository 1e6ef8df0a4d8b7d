"""Model files in memory, taken apart and put together again with good checksums (docs/format.md)."""
from __future__ import annotations

import ctypes
import ctypes.util
import json
import struct
from typing import Any, Optional

from hostile import Hostile

_XXHASH = ctypes.util.find_library("xxhash")
_hash: Any = None
if _XXHASH is not None:
    _hash = ctypes.CDLL(_XXHASH).XXH3_64bits
    _hash.restype, _hash.argtypes = ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t]

Section = tuple[bytes, int, bytes]  # name, flags, content


def bytes_of(estimator: Any) -> Optional[bytes]:
    """The model of an estimator; None: it has none, or there is no xxHash here."""
    state = estimator.__getstate__()
    found = state.get("_table", state.get("_model"))
    if hasattr(estimator, "model_"):
        found = estimator.model_.to_bytes()
    return found if isinstance(found, bytes) and _hash is not None else None


def sections(data: bytes) -> list[Section]:
    count = struct.unpack_from("<I", data, 12)[0]
    out = []
    for k in range(count):
        name, at, size, _, flags, _ = struct.unpack_from("<32sQQQII", data, 64 + 64 * k)
        out.append((name.rstrip(b"\0"), flags, data[at : at + size]))
    return out


def container(parts: list[Section]) -> bytes:
    body, entries, at = b"", b"", 64 + 64 * len(parts)
    for k, (name, flags, content) in enumerate(parts):
        entries += struct.pack("<32sQQQII", name, at + len(body), len(content), _hash(content, len(content)), flags, 0)
        body += content + (b"\0" * (-len(content) % 64) if k + 1 < len(parts) else b"")
    version = 2 if any(flags & 2 for _, flags, _ in parts) else 1
    head = struct.pack(
        "<8sHHIQ24xQ", b"CROFT\r\n\x1a", version, 0, len(parts), at + len(body), _hash(entries, len(entries))
    )
    return head + struct.pack("<Q", _hash(head, 56)) + entries + body


def mutated(h: Hostile, data: bytes) -> bytes:
    """Of the same sections, one or two of which are not what they were."""
    if _hash is None or data[:5] != b"CROFT":
        return data
    parts = sections(data)
    for _ in range(h.one(1, 1, 2)):
        k = h.below(len(parts))
        if h.chance(0.5):
            k = next((n for n, (name, _, _) in enumerate(parts) if name == b"meta"), k)
        name, flags, content = parts[k]
        if content[:1] == b"{":
            content = _other_json(h, content)
        elif h.chance(0.1):
            content = b""
        else:
            changed = bytearray(content or b"\0")
            for _ in range(h.one(1, 1, 3)):
                at = h.below(len(changed))
                size = h.one(1, 4, 8)
                changed[at : at + size] = h.one(b"\xff", b"\0", b"\x7f", bytes([h.below(256)])) * len(
                    changed[at : at + size]
                )
            content = bytes(changed)
        parts[k] = (name, flags, content)
    if h.chance(0.05):
        del parts[h.below(len(parts))]
    return container(parts)


def _other_json(h: Hostile, content: bytes) -> bytes:
    try:
        document = json.loads(content)
    except ValueError:
        return content
    places: list[tuple[Any, Any]] = []

    def walk(node: Any) -> None:
        for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
            places.append((node, key))
            walk(value)

    walk(document)
    if not places:
        return content
    node, key = h.random.choice(places)
    if h.chance(0.2):
        del node[key]
    else:
        node[key] = h.one(
            None,
            True,
            -1,
            0,
            1,
            2,
            1 << 31,
            1 << 40,
            1 << 63,
            1e308,
            0.5,
            "",
            "x",
            "\0",
            [],
            {},
            [[]],
            {"a": 1},
            "categorical",
            "columns",
            "maxent",
            "iu",
            ["a"],
            [1, 2],
            {"parameters": 3},
        )
    return json.dumps(document).encode()
