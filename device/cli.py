"""The command line, `traykeeper COMMAND ...`. Each command is a module in `device.commands`.

Exit codes: 0 done, 1 a check failed, 2 wrong usage or bad input, with one line on stderr.
"""

import atexit
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from threading import active_count

from device.errors import BAD_INPUT, INTERRUPTED, UsageError, exit_at_ctrl_c

with exit_at_ctrl_c():
    import click

    from device.addresses import reduce_urls
    from device.files import print_line
    from game.errors import GameError

ELSEWHERE = {"restore": "backup", "compare": "backup", "match": "rules", "cameras": "doctor"}
"""Commands that are defined in the module of another command, with the name of that command."""

COMMANDS = (
    "play", "read", "keeps", "rules", "odds", "match", "calibrate", "pin", "club", "settings",
    "doctor", "cameras", "backup", "restore", "compare", "bench",
)  # fmt: skip

ASKS_FOR_HELP: type[click.ClickException] | tuple[()] = getattr(
    click.exceptions, "NoArgsIsHelpError", ()
)
"""The exception that click raises if no command is given. Before version 8.2, click printed the help itself."""


def entry_point() -> None:
    """Run the command line and end the process; `traykeeper` starts here."""
    code: object = 1

    def end() -> None:
        # Python has waited for all threads but those that may be waiting in a library, for example for a network
        # camera. If such a thread returned while Python shuts down, the C++ library would abort the process.
        if active_count() > 1 and isinstance(code, int):
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            os._exit(code)

    atexit.register(end)  # first, so it is called last
    try:
        main()
    except SystemExit as ending:
        code = ending.code
        raise


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line. Every expected error is printed as one line, never as a traceback.

    Args:
        args: The arguments; None takes those of the process.
    """
    _open_streams()
    try:
        code = cli.main(args, prog_name="traykeeper", standalone_mode=False)
    except ASKS_FOR_HELP as error:
        error.show()
        sys.exit(BAD_INPUT)
    except click.ClickException as error:
        _fail(reduce_urls(error.format_message()))
    except (GameError, UsageError) as error:
        _fail(str(error))
    except OSError as error:
        _fail(": ".join(filter(None, (error.filename, error.strerror))) or str(error))
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(INTERRUPTED)
    sys.exit(code if isinstance(code, int) else 0)


def _open_streams() -> None:
    """Reopen standard streams that are closed.

    Otherwise, the next file that is opened would take their place and receive the printed output.
    """
    for number, name, how in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, how, encoding="utf-8"))  # noqa: SIM115, PTH123 - open until the end


def _fail(message: str) -> None:
    print_line(f"traykeeper: {' '.join(message.split())}", err=True)
    sys.exit(BAD_INPUT)


class CommandGroup(click.Group):
    """A command group that imports the module of a command only when the command is called.

    For example, `keeps` need not wait for OpenCV, nor `read` for Flask.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's own signature
        """Return the commands in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the module of a command, and return the command."""
        if cmd_name not in COMMANDS:
            return None
        with exit_at_ctrl_c():
            module = import_module(f"device.commands.{ELSEWHERE.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print nothing, because the group's help text lists the commands."""


@click.group(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="traykeeper", prog_name="traykeeper")
def cli() -> None:
    """Keep score with real dice: a camera over the tray, a button, the score on every phone.

    \b
    traykeeper play                       # start the companion and print the address for phones
    traykeeper read photo.jpg             # read the dice in a photo
    traykeeper keeps 1 1 3 3 3 5          # list the legal keeps of a throw
    traykeeper rules show zilch           # print rules in plain sentences
    traykeeper odds --rules zilch         # print exact chances and the best play
    traykeeper match evening.txt          # replay a match from a text file
    traykeeper calibrate height           # find out how high to hang the camera
    traykeeper pin                        # print the PIN that lets a screen keep score
    traykeeper club --broker URL          # show every tray of a club night on one screen
    traykeeper settings                   # print the settings in use
    traykeeper doctor                     # check this machine
    traykeeper cameras                    # list the cameras and how to choose one
    traykeeper backup                     # save matches, calibration and settings in one file
    traykeeper restore evening.zip        # restore such a file
    traykeeper compare a.zip b.zip        # compare a match that two trays played together
    traykeeper bench fit                  # measure which settings suit this machine

    Each command has its own help, for example: traykeeper play --help
    """
