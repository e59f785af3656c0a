"""Arrays as bare addresses inside compiled code.

Handed from function to function as an array, each call counts who holds it: that takes five times
as long as what the call is for. Who makes an address keeps its array alive.
"""

from typing import Any

from numba.core import types
from numba.extending import intrinsic


def _pointer(dtype: Any, address: Any) -> Any:
    """The signature and the code that turn an address into a pointer."""
    signature = types.CPointer(dtype)(address)

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

    return signature, code


@intrinsic
def floats_at(typingctx, address):  # noqa: ARG001
    """An address as one of float32."""
    return _pointer(types.float32, address)


@intrinsic
def whole_at(typingctx, address):  # noqa: ARG001
    """An address as one of int32."""
    return _pointer(types.int32, address)
