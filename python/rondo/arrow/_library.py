"""Loads pyarrow, or raises a clear ImportError."""

try:
    import pyarrow as pa  # type: ignore[import-not-found, import-untyped, unused-ignore]
except ModuleNotFoundError as error:
    raise ImportError("rondo.arrow needs pyarrow: pip install 'rondo[arrow]'") from error

__all__ = ["pa"]
