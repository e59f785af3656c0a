"""`traykeeper bench`: each measure is loaded when it is asked for."""

from pathlib import Path

import click

from device.commands.options import FiniteRange, state_option


@click.group()
def bench() -> None:
    """Measure, beside a reference in the same run.

    \b
    traykeeper bench vision               # milliseconds a read
    traykeeper bench press                # from the button to the phone
    traykeeper bench start                # how soon commands answer, what rest takes
    traykeeper bench rules                # the table of keeps
    traykeeper bench odds                 # solving a match
    traykeeper bench players              # chances of three to six players
    traykeeper bench web                  # a hundred phones
    traykeeper bench club                 # 200 trays on one broker
    traykeeper bench fit                  # what suits this machine
    traykeeper bench all                  # all but players, club and fit
    """


@bench.command("vision")
@click.option(
    "--runs", type=click.IntRange(1, 10_000), default=30, show_default=True, help="Reads a size."
)
@click.option(
    "--threads",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Of OpenCV, for the table of times.",
)
@click.option("--curves", type=click.Path(path_type=Path), help="Draw both curves into this SVG.")
@click.option(
    "--failures",
    type=click.Path(path_type=Path, file_okay=False),
    help="Read the labelled pictures; draw those not right into this folder, worst first.",
)
@click.option(
    "--pictures",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    envvar="TRAYKEEPER_PICTURES",
    help="Where labelled pictures are: photos/ and renders/, or corrected throws unpacked.",
)
def bench_vision(
    runs: int, threads: int, curves: Path | None, failures: Path | None, pictures: Path | None
) -> None:
    """Milliseconds a read, beside one pass of blur, Otsu and contours on the same frame.

    \b
    traykeeper bench vision --runs 100
    traykeeper bench vision --threads 4
    traykeeper bench vision --curves reading-time.svg
    traykeeper bench vision --failures wrong --pictures labelled
    """
    from device.bench import vision as bench

    if failures is not None:
        if pictures is None:
            raise click.UsageError("--failures needs labelled pictures: name them by --pictures")
        bench.failures(pictures, failures)
    elif curves is not None:
        bench.curves(curves, runs)
    else:
        bench.times(runs, threads)


@bench.command("press")
@click.option(
    "--runs", type=click.IntRange(1, 1_000), default=20, show_default=True, help="Presses."
)
def bench_press(runs: int) -> None:
    """Milliseconds from the press on a still tray to the snapshot on a phone's stream.

    \b
    traykeeper bench press
    """
    from device.bench.press import press

    press(runs)


@bench.command("start")
@click.option("--runs", type=click.IntRange(1, 1_000), default=5, show_default=True, help="Starts.")
@click.option(
    "--rest",
    type=FiniteRange(1, 3600),
    default=20.0,
    show_default=True,
    help="Seconds in which nobody throws.",
)
def bench_start(runs: int, rest: float) -> None:
    """From `play` to its page, and at rest, beside the libraries alone; `keeps`, beside an idle Python.

    \b
    traykeeper bench start
    """
    from device.bench.start import start

    start(runs, rest)


@bench.command("rules")
def bench_rules() -> None:
    """Milliseconds to build a table of keeps, nanoseconds to look one up, beside brute force.

    \b
    traykeeper bench rules
    """
    from device.bench.rules import rules

    rules()


@bench.command("odds")
@click.option(
    "--target",
    type=click.IntRange(200, 20_000),
    default=5000,
    show_default=True,
    help="Points of the match to solve.",
)
@click.option(
    "--small",
    type=click.IntRange(100, 2_000),
    default=500,
    show_default=True,
    help="Points of that solved by both ways.",
)
def bench_odds(target: int, small: int) -> None:
    """Seconds and peak memory of a solve, milliseconds an answer, beside simple value iteration.

    \b
    traykeeper bench odds --target 10000
    """
    from device.bench.odds import odds

    odds(target, small)


@bench.command("players")
@click.option(
    "--matches",
    type=click.IntRange(1_000, 1_000_000),
    default=100_000,
    show_default=True,
    help="Matches thrown out for each position.",
)
@click.option(
    "--positions",
    type=click.IntRange(4, 1_000),
    default=200,
    show_default=True,
    help="Positions of each rule set.",
)
def bench_players(matches: int, positions: int) -> None:
    """How far the chances to win of three to six players are off, beside matches thrown out.

    \b
    traykeeper bench players --matches 100000 --positions 200
    """
    from device.bench.players import players

    players(matches, positions)


@bench.command("web")
@click.option(
    "--phones", type=click.IntRange(1, 120), default=100, show_default=True, help="Open streams."
)
@click.option(
    "--seconds",
    type=click.IntRange(2, 3600),
    default=120,
    show_default=True,
    help="How long; one action a second.",
)
def bench_web(phones: int, seconds: int) -> int:
    """How late the last of many phones is told of an action; 1 if any missed one.

    \b
    traykeeper bench web
    traykeeper bench web --phones 20 --seconds 30
    """
    from device.bench.web import web

    return 0 if web(phones, seconds) else 1


@bench.command("club")
@click.option(
    "--trays", type=click.IntRange(1, 1_000), default=200, show_default=True, help="Trays."
)
@click.option(
    "--seconds",
    type=FiniteRange(1),
    default=300,
    show_default=True,
    help="How long they play.",
)
@click.option(
    "--pace",
    type=FiniteRange(0.01, 60),
    default=2,
    show_default=True,
    help="Seconds from one step of a tray to its next; people take some eight.",
)
def bench_club(trays: int, seconds: float, pace: float) -> None:
    """Events a second, milliseconds from tray to board, memory: simulated trays on a Mosquitto.

    \b
    traykeeper bench club
    traykeeper bench club --trays 50 --pace 0.1 --seconds 30
    """
    from device.bench.club import ClubLoad, club

    club(ClubLoad(trays, seconds, pace))


@bench.command("fit")
@click.option("--keep", is_flag=True, help="Let settings that are auto go by it from now on.")
@state_option
def bench_fit(keep: bool, state: str | None) -> None:  # noqa: FBT001
    """What to expect of this machine, and what to set, from a minute of measuring.

    \b
    traykeeper bench fit
    sudo traykeeper bench fit --keep
    """
    from device.bench.fit import fit
    from device.files import state_folder
    from device.settings import find, load

    fit(state_folder(state or load(find()).state) if keep else None)


@bench.command("all")
def bench_all() -> None:
    """One after the other: vision, press, start, web, rules, odds.

    \b
    traykeeper bench all
    """
    from device.bench.odds import odds
    from device.bench.press import press
    from device.bench.rules import rules
    from device.bench.start import start
    from device.bench.vision import times
    from device.bench.web import web

    times(30)
    press(20)
    start(5, 20.0)
    web(100, 20)
    rules()
    odds(5000, 500)
