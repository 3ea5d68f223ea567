"""Hashes of values, from which rows get their ranks.

A hash depends on the value alone. Chunks, offsets, dictionaries and the widths of integers and
strings make no difference, so all ranks find the same hash for the same key. All nulls have one
hash, all NaNs have one, and both zeros have one.
"""

from __future__ import annotations

import hashlib
from typing import Any, Callable

import numpy as np
import numpy.typing as npt

from rondo.arrow._library import pa

Hashes = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.int64]
_NULL = np.uint64(0x9E3779B97F4A7C15)
_WORD_BYTES = 8
_MOST_BYTES = 32 * _WORD_BYTES  # of a value; longer ones are hashed one at a time
# What a word keeps if so many bytes of it belong to the value.
_KEPT = np.array([(1 << 8 * count) - 1 for count in range(_WORD_BYTES + 1)], np.uint64)


def hasher_of(array: pa.Array) -> Callable[[pa.Array], Hashes]:
    """The function that hashes parts of an array. The values of a dictionary are hashed once."""
    if not pa.types.is_dictionary(array.type):
        return hashes_of
    values = array.dictionary
    hashed = np.append(hashes_of(values), _NULL)

    def hash_part(part: pa.DictionaryArray) -> Hashes:
        indices = _fixed(part.indices).astype(np.int64)
        indices[_nulls(part.indices)] = len(values)
        return hashed[indices]

    return hash_part


def hashes_of(array: pa.Array) -> Hashes:
    """The hash of every value. Raises TypeError if values of this type have none."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return hashes_of(array.storage)
    if pa.types.is_null(kind):
        return np.full(len(array), _NULL)
    hashes = _hash_bytes(*_bytes_of(array)) if _has_bytes(kind) else mixed(_words_of(array))
    hashes[_nulls(array)] = _NULL
    return hashes


def mixed(words: Hashes) -> Hashes:
    """Every bit of the result depends on every bit of the word. The words are overwritten.

    This is the last step of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
    """
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        words ^= words >> np.uint64(shift)
        words *= np.uint64(factor)
    return words


def _nulls(array: pa.Array) -> Any:
    """The places of nulls, as numpy takes them."""
    return array.is_null().to_numpy(zero_copy_only=False) if array.null_count else slice(0)


def _words_of(array: pa.Array) -> Hashes:
    """Values of at most 64 bits as integers, in a new array."""
    kind = array.type
    if pa.types.is_boolean(kind):
        return _fixed(array.cast(pa.uint8())).astype(np.uint64)
    if pa.types.is_floating(kind):
        numbers = _fixed(array).astype(np.float64) + 0.0  # so that -0.0 becomes 0.0
        numbers[np.isnan(numbers)] = np.nan
        return numbers.view(np.uint64)
    if not (pa.types.is_integer(kind) or pa.types.is_temporal(kind)):
        raise TypeError(f"values of type {kind} cannot be keys")
    return _fixed(array).astype(np.int64).view(np.uint64)


def _fixed(array: pa.Array) -> npt.NDArray[Any]:
    """The values of a fixed width where they are. Those of nulls are arbitrary."""
    kind = array.type
    is_unsigned = pa.types.is_unsigned_integer(kind)
    letter = "f" if pa.types.is_floating(kind) else "u" if is_unsigned else "i"
    dtype = f"{letter}{kind.bit_width // 8}"
    return _memory(array.buffers()[1], dtype, array.offset, len(array))


def _memory(buffer: pa.Buffer, dtype: npt.DTypeLike, first: int, count: int) -> npt.NDArray[Any]:
    if count == 0:
        return np.zeros(0, dtype)
    return np.frombuffer(buffer, dtype, count, first * np.dtype(dtype).itemsize)


def _has_bytes(kind: pa.DataType) -> bool:
    """Whether values are strings of bytes, of any length or of a fixed one."""
    types = pa.types
    is_long = types.is_large_string(kind) or types.is_large_binary(kind)
    return bool(is_long or types.is_string(kind) or types.is_binary(kind) or _is_wide(kind))


def _is_wide(kind: pa.DataType) -> bool:
    """Whether values have a fixed width and are no numbers of NumPy."""
    types = pa.types
    is_number = types.is_decimal(kind) or types.is_interval(kind)
    return bool(is_number or types.is_fixed_size_binary(kind))


def _bytes_of(array: pa.Array) -> tuple[npt.NDArray[np.uint8], Integers, Integers]:
    """Bytes, and where in them every value begins and how long it is."""
    kind, count = array.type, len(array)
    if _is_wide(kind):
        width = kind.bit_width // 8
        data = _memory(array.buffers()[1], np.uint8, array.offset * width, count * width)
        return data, np.arange(count) * width, np.full(count, width)
    is_large = pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)
    _, offsets, data = array.buffers()
    ends = _memory(offsets, np.int64 if is_large else np.int32, array.offset, count and count + 1)
    ends = ends.astype(np.int64)
    first, last = (ends[0], ends[-1]) if count else (0, 0)
    return _memory(data, np.uint8, first, last - first), ends[:-1] - first, np.diff(ends)


def _hash_bytes(data: npt.NDArray[np.uint8], starts: Integers, lengths: Integers) -> Hashes:
    """The hash of each string of bytes: a word of all strings at a time."""
    padded = np.zeros(len(data) + _WORD_BYTES, np.uint8)
    padded[: len(data)] = data
    words = np.ndarray(len(data) + 1, "<u8", padded, 0, (1,))  # one from every byte on
    hashes = lengths.astype(np.uint64)
    rows = np.flatnonzero(lengths <= _MOST_BYTES)
    for done in range(0, _MOST_BYTES, _WORD_BYTES):
        left = lengths[rows] - done
        rows, left = rows[left > 0], left[left > 0]
        if not rows.size:
            break
        word = words[starts[rows] + done] & _KEPT[np.minimum(left, _WORD_BYTES)]
        hashes[rows] = mixed(hashes[rows] ^ word)
    for row in np.flatnonzero(lengths > _MOST_BYTES):
        value = data[starts[row] : starts[row] + lengths[row]]
        digest = hashlib.blake2b(value.tobytes(), digest_size=_WORD_BYTES).digest()
        hashes[row] = int.from_bytes(digest, "little")
    return hashes
