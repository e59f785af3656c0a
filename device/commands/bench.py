"""`traykeeper bench`: measures what this machine can do; in a checkout, runs the developers' benchmarks as well."""

import sys
from importlib import import_module
from pathlib import Path

import click

from device.commands.options import state_option
from device.errors import UsageError

CHECKOUT = Path(__file__).parents[2]

DEVELOPER_BENCHMARKS = (
    "vision",
    "press",
    "start",
    "clips",
    "rules",
    "odds",
    "players",
    "web",
    "club",
    "all",
)
"""Modules in the folder `bench`, which is not part of the installed package."""


class Benchmarks(click.Group):
    """A group of commands that imports a developers' benchmark only when it is called."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command, and return the command."""
        if cmd_name not in DEVELOPER_BENCHMARKS:
            return super().get_command(ctx, cmd_name)
        if not (CHECKOUT / "bench" / f"{cmd_name}.py").is_file():
            raise UsageError(
                f"bench {cmd_name}: this benchmark is not part of the installed package: "
                "run `make bench` or `.venv/bin/traykeeper bench` in a checkout of the project"
            )
        if str(CHECKOUT) not in sys.path:
            sys.path.append(str(CHECKOUT))
        command: click.Command = import_module(f"bench.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print nothing, because the help text names each command.

        Listing the commands here would import every benchmark.
        """


@click.group(cls=Benchmarks, context_settings={"show_default": True})
def bench() -> None:
    """Measure how fast Traykeeper is on this machine.

    \b
    traykeeper bench fit                  # what to expect here, and which settings to use
    traykeeper bench camera               # which sizes and rates of a network camera this machine can follow

    The other benchmarks are for developers and need a checkout of the project. Each of them also measures a
    reference for comparison in the same run.

    \b
    traykeeper bench vision               # milliseconds per reading
    traykeeper bench press                # from the button to the phone
    traykeeper bench start                # how soon commands answer, and the load while idle
    traykeeper bench clips                # recording each roll
    traykeeper bench rules                # the table of keeps
    traykeeper bench odds                 # solving a match
    traykeeper bench players              # chances of three to six players
    traykeeper bench web                  # a hundred phones
    traykeeper bench club                 # 200 trays on one broker
    traykeeper bench all                  # all except players, club and fit
    """


@bench.command("fit")
@click.option(
    "--keep", is_flag=True, help="Use the result from now on for settings that are `auto`."
)
@state_option
def bench_fit(keep: bool, state: str | None) -> None:  # noqa: FBT001
    """Measure for a minute, then print what to expect from this machine and which settings to use.

    \b
    traykeeper bench fit
    sudo traykeeper bench fit --keep
    """
    from device.bench import fit
    from device.files import state_folder
    from device.settings import find, load

    fit(state_folder(state or load(find()).state) if keep else None)


@bench.command("camera")
def bench_camera() -> None:
    """Measure how long decoding takes, and print which sizes and rates of a camera this machine can follow.

    \b
    traykeeper bench camera
    """
    from device.bench import camera_rates

    camera_rates()
