"""Seeds derived from names, so that a random stream depends on its match and on no place, worker or clock."""

from __future__ import annotations

from hashlib import blake2b


def derive_seed(*parts: int | str) -> int:
    """Return a seed below 2**64 for what the parts name.

    Example: ``derive_seed(run_seed, "generation", 3, "match", 17)``. Parts enter with their types and lengths, so
    (1, 23), (12, 3) and ("1", 23) give unrelated seeds.
    """
    digest = blake2b(digest_size=8)
    for part in parts:
        text = f"{type(part).__name__}:{part}".encode()
        digest.update(len(text).to_bytes(8, "little") + text)
    return int.from_bytes(digest.digest(), "little")
