"""The footer of a Parquet file: how large its columns are unpacked, known before anything is unpacked.

The footer is a Thrift structure in the compact protocol; the numbers of the fields are those of `parquet.thrift`
(Apache Parquet format): FileMetaData 4 row groups, RowGroup 1 columns, ColumnChunk 3 metadata, ColumnMetaData 6 total
uncompressed size.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

_MAGIC = b"PAR1"
_TRUE, _FALSE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 7, 8, 9, 10, 11, 12


def unpacked_size(path: Path) -> int:
    """Bytes of all columns unpacked, as the file itself says; raises ValueError or IndexError if it has no sound footer."""
    footer = _Thrift(_footer(path)).struct()
    chunks = (chunk for group in footer.get(4, ()) for chunk in group.get(1, ()))
    return sum(chunk.get(3, {}).get(6, 0) for chunk in chunks)


def _footer(path: Path) -> bytes:
    with path.open("rb") as file:
        end = file.seek(-8, 2)
        length, magic = int.from_bytes(file.read(4), "little"), file.read(4)
        if magic != _MAGIC or length > end:
            raise ValueError
        file.seek(end - length)
        return file.read(length)


class _Thrift:
    """Reads values of the compact protocol; a structure becomes a mapping from the numbers of its fields."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            kind = head & 15
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind)
        return fields

    def _value(self, kind: int) -> Any:
        if kind == _STRUCT:
            return self.struct()
        if kind in (_LIST, _SET):
            return self._list()
        if kind == _MAP:
            return self._map()
        if kind in (_DOUBLE, _BINARY):
            return self._skip(8 if kind == _DOUBLE else self._length())
        return self._byte() if kind <= 3 else self._whole()

    def _list(self) -> list[Any]:
        head = self._byte()
        size = head >> 4 if head >> 4 < 15 else self._length()
        return [self._value(head & 15) for _ in range(size)]

    def _map(self) -> None:
        size = self._length()
        kinds = self._byte() if size else 0
        for _ in range(size):
            self._value(kinds >> 4)
            self._value(kinds & 15)

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _skip(self, size: int) -> None:
        self._at += size
        if self._at > len(self._data):
            raise IndexError

    def _length(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError

    def _whole(self) -> int:
        """A whole number with its sign in the last bit (zigzag)."""
        value = self._length()
        return (value >> 1) ^ -(value & 1)
