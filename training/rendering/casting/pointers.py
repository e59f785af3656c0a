"""Passes arrays as bare addresses between compiled functions.

Numba counts references whenever an array is passed to a function, which makes a call take five times as long. The code
that takes the address of an array must keep the array alive.
"""

from typing import Any

from numba.core import types
from numba.extending import intrinsic


def _pointer(dtype: Any, address: Any) -> Any:
    """Return the signature and the code of a numba intrinsic that turns an address into a pointer."""
    signature = types.CPointer(dtype)(address)

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

    return signature, code


@intrinsic
def floats_at(typingctx, address):  # noqa: ARG001
    """Convert an address to a pointer to float32.

    Args:
        typingctx: Typing context of numba.
        address: Address of the first element, an integer.
    """
    return _pointer(types.float32, address)


@intrinsic
def ints_at(typingctx, address):  # noqa: ARG001
    """Convert an address to a pointer to int32.

    Args:
        typingctx: Typing context of numba.
        address: Address of the first element, an integer.
    """
    return _pointer(types.int32, address)
