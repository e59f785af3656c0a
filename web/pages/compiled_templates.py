"""Templates, compiled once and kept where Python keeps compiled modules, on the same conditions."""

import marshal
import sys
from contextlib import suppress
from hashlib import sha256
from importlib.util import cache_from_source
from pathlib import Path

from jinja2.bccache import Bucket, BytecodeCache, bc_magic

TEMPLATES = Path(__file__).parents[1] / "templates"

SEAL_BYTES = sha256().digest_size


class CompiledTemplates(BytecodeCache):
    """What is broken, foreign or out of date is not run: it is compiled again.

    Args:
        templates: the folder they are in; what comes of them is put into its `__pycache__`.
    """

    def __init__(self, templates: Path) -> None:
        self._folder = Path(cache_from_source(str(templates / "_.py"))).parent

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            kept = self._path(bucket).read_bytes()
            seal, code = kept[:SEAL_BYTES], kept[SEAL_BYTES:]
            if seal == _seal(bucket, code):
                bucket.code = marshal.loads(code)  # noqa: S302 - as trusted as a module beside it

    def dump_bytecode(self, bucket: Bucket) -> None:
        if sys.dont_write_bytecode:
            return
        code = marshal.dumps(bucket.code)
        with suppress(OSError):  # in a folder that is not ours: compiled at each start
            self._folder.mkdir(parents=True, exist_ok=True)
            self._path(bucket).write_bytes(_seal(bucket, code) + code)

    def _path(self, bucket: Bucket) -> Path:
        return self._folder / f"{bucket.key}.{sys.implementation.cache_tag}.jinja"


def _seal(bucket: Bucket, code: bytes) -> bytes:
    """Of this code, from this text, by this Jinja in this Python."""
    return sha256(bc_magic + bucket.checksum.encode("ascii") + code).digest()
