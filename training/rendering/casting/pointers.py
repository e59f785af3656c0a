"""Arrays as bare addresses inside compiled code.

Numba counts references whenever an array is passed to a function, which takes five times as long as
these calls. The code that makes an address must keep its array alive.
"""

from typing import Any

from numba.core import types
from numba.extending import intrinsic


def _pointer(dtype: Any, address: Any) -> Any:
    """Return the signature and the code that turn an address into a pointer."""
    signature = types.CPointer(dtype)(address)

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

    return signature, code


@intrinsic
def floats_at(typingctx, address):  # noqa: ARG001
    """Return an address as a pointer to float32.

    Args:
        typingctx: Typing context of numba.
        address: The address, an integer.
    """
    return _pointer(types.float32, address)


@intrinsic
def ints_at(typingctx, address):  # noqa: ARG001
    """Return an address as a pointer to int32.

    Args:
        typingctx: Typing context of numba.
        address: The address, an integer.
    """
    return _pointer(types.int32, address)
