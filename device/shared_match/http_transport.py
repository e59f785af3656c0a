"""The connection from a guest to the host over HTTP.

Each request carries a message from the guest, and the response carries a message from the host.
"""

import http.client
from urllib.parse import urlsplit

from device.shared_match.sync import MAX_BYTES, SharedMatchError
from game.message import Message

PATH = "/api/v1/shared-match/sync"
TIMEOUT_S = 5.0

UNKNOWN_CODE = Message("The other tray does not know this code: check it, or ask for a new one.")
TOO_MANY_TRIES = Message("Too many wrong codes were tried at the other tray: wait five minutes.")


class UnreachableError(SharedMatchError):
    """Raised when the other tray does not answer."""


class UnknownHereError(SharedMatchError):
    """Raised when the host does not know the code, or accepts no further attempts for now."""


def exchange(address: str, message: str) -> bytes:
    """Send a message from a guest to the host of a shared match, and return the host's answer.

    Args:
        address: Address of the host's page.
        message: The message.

    Raises:
        UnreachableError: If there is no answer, or the answer does not come from a host of shared matches.
        UnknownHereError: If the host does not know the code, or accepts no further attempts for now.
    """
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=TIMEOUT_S)
    try:
        connection.request("POST", PATH, message, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        body = answer.read(MAX_BYTES + 1)
    except (OSError, http.client.HTTPException):
        raise UnreachableError(
            Message(
                "No tray answers at %(address)s: check the address, and that Traykeeper "
                "is running there.",
                address=address,
            )
        ) from None
    finally:
        connection.close()
    match answer.status:
        case http.client.OK:
            return body
        case http.client.FORBIDDEN:
            raise UnknownHereError(UNKNOWN_CODE)
        case http.client.TOO_MANY_REQUESTS:
            raise UnknownHereError(TOO_MANY_TRIES)
    raise UnreachableError(
        Message(
            "The program at %(address)s does not support matches with other trays: check the "
            "address, and install the same version on both trays.",
            address=address,
        )
    )
