"""Damaged variants of files and texts."""

import random

ODD = [
    *(b"\x00", b"\xff", b"\xed\xa0\x80", b"\xe2\x80\xae", b"\n", b"\r\n", b"\t", b"-", b"="),
    *(b'"', b"'", b"[", b"]", b"{", b"}", b"#", b":", b",", b"|", b"(", b")", b"..", b"\\"),
    *(b"0", b"-1", b"7", b"1e400", b"nan", b"inf", b"99999999999999999999", b"1_0", b"0x1"),
    *(b"true", b"null", b"[[[[", b"\xf0\x9f\x8e\xb2", b"\xd9\xa3", b"name", b"dice"),
]
"""Characters and words that parsers often mishandle."""

MOST_CHANGES = 6


def mutant(data: bytes, rng: random.Random) -> bytes:
    """Return these bytes with a few changes."""
    out = bytearray(data)
    for _ in range(rng.randint(1, MOST_CHANGES)):
        _change(out, rng)
    return bytes(out)


def _change(out: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(out) + 1)
    some = slice(at, at + rng.choice((1, 1, 2, 5, 40, 400)))
    match rng.randrange(7):
        case 0 if at < len(out):
            out[at] ^= 1 << rng.randrange(8)
        case 1:
            del out[some]
        case 2:
            out[at:at] = rng.choice(ODD) * rng.choice((1, 1, 1, 2, 50))
        case 3:
            out[some] = rng.randbytes(rng.choice((1, 3, 30)))
        case 4:
            here = rng.randrange(len(out) + 1)
            out[here:here] = out[some]
        case 5:
            lines = out.split(b"\n")
            rng.shuffle(lines[: rng.randint(1, len(lines))])
            lines[rng.randrange(len(lines))] = rng.choice(lines)
            out[:] = b"\n".join(lines)
        case _:
            out[some] = rng.choice(ODD)
