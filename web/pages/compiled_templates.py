"""A cache of compiled templates on disk, kept where Python keeps compiled modules."""

import marshal
import sys
from contextlib import suppress
from hashlib import sha256
from importlib.util import cache_from_source
from pathlib import Path

from jinja2.bccache import Bucket, BytecodeCache, bc_magic

TEMPLATES = Path(__file__).parents[1] / "templates"

DIGEST_BYTES = sha256().digest_size


class CompiledTemplates(BytecodeCache):
    """Jinja's bytecode cache in the `__pycache__` of the templates.

    A template is compiled again if its entry is damaged, out of date, or written by another version of Jinja or Python.

    Args:
        templates: The folder of the templates.
    """

    def __init__(self, templates: Path) -> None:
        self._folder = Path(cache_from_source(str(templates / "_.py"))).parent

    def load_bytecode(self, bucket: Bucket) -> None:
        """Implement `BytecodeCache.load_bytecode`: load a compiled template, if its entry is still valid."""
        with suppress(OSError):
            entry = self._path(bucket).read_bytes()
            digest, code = entry[:DIGEST_BYTES], entry[DIGEST_BYTES:]
            if digest == _digest(bucket, code):
                bucket.code = marshal.loads(code)  # noqa: S302 - as trusted as a module next to it

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Implement `BytecodeCache.dump_bytecode`: store a compiled template, if the folder is writable."""
        if sys.dont_write_bytecode:
            return
        code = marshal.dumps(bucket.code)
        with suppress(OSError):  # without write access templates are compiled at each start
            self._folder.mkdir(parents=True, exist_ok=True)
            self._path(bucket).write_bytes(_digest(bucket, code) + code)

    def _path(self, bucket: Bucket) -> Path:
        return self._folder / f"{bucket.key}.{sys.implementation.cache_tag}.jinja"


def _digest(bucket: Bucket, code: bytes) -> bytes:
    """Return a digest of the template, the code, and the versions of Jinja and Python."""
    return sha256(bc_magic + bucket.checksum.encode("ascii") + code).digest()
