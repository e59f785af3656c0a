"""The command line: `traykeeper play`, `pin`, `read`, `keeps`, `club`, `backup`, and the others.

Exit codes: 0 done, 1 a check failed, 2 wrong usage or bad input (one line on stderr).
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from device.errors import UsageError
from device.odds import odds
from game.errors import GameError

BAD_INPUT = 2
SETTINGS_FILE = "traykeeper.settings"


def main(args: Sequence[str] | None = None) -> None:
    """The console script. Every expected error is one line, never a traceback."""
    try:
        code = cli.main(args, prog_name="traykeeper", standalone_mode=False)
    except click.ClickException as error:
        _fail(error.format_message())
    except (GameError, UsageError) as error:
        _fail(str(error))
    except OSError as error:
        _fail(": ".join(filter(None, (error.filename, error.strerror))) or str(error))
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> None:
    click.echo(f"traykeeper: {' '.join(message.split())}", err=True)
    sys.exit(BAD_INPUT)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(version("traykeeper"), prog_name="traykeeper")
def cli() -> None:
    """A companion for real dice: a camera over the tray, a button, the score on every phone.

    \b
    traykeeper play                       # start it; shows the address for your phone
    traykeeper read photo.jpg             # what does this photo show?
    traykeeper keeps 1 1 3 3 3 5          # what may I keep of this throw?
    traykeeper rules show zilch           # the rules in plain sentences
    traykeeper odds --rules zilch         # exact chances and best play
    traykeeper match evening.txt          # replay a match written as text
    traykeeper calibrate height           # how high must the camera hang?
    traykeeper pin                        # how a screen gets to change anything
    traykeeper club --broker URL          # every tray of the club on one screen
    traykeeper settings                   # what can be set, and is
    traykeeper doctor                     # is everything as it should be?
    traykeeper backup                     # matches, calibration, settings in one file
    traykeeper restore evening.zip        # and back again
    traykeeper bench all                  # how fast is it here?
    """


cli.add_command(odds)

_rules_option = click.option(
    "--rules",
    default="walnut-studiolo",
    show_default=True,
    metavar="NAME|FILE",
    help="A published rule set, or a TOML file of your own.",
)


def _from_settings(context: click.Context, _: click.Parameter, value: str | None) -> None:
    """The settings become the defaults of every option."""
    from device import settings

    path = settings.find(value)
    context.obj = settings.load(path)
    context.meta[SETTINGS_FILE] = path and str(path)
    context.default_map = asdict(context.obj)


@cli.command()
@click.option(
    "--settings",
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=_from_settings,
    help="Settings to play with; options here override them. `traykeeper settings` prints all.",
)
@click.option(
    "--camera",
    default="auto",
    show_default=True,
    metavar="auto|sim|picamera2|usb[:N]|replay:PATH",
    help="Where the pictures come from; auto takes the Pi's camera, else a simulated tray.",
)
@_rules_option
@click.option("--host", default="0.0.0.0", show_default=True, help="Address to listen on.")  # noqa: S104 - phones on the LAN are the point
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to listen on; 0 takes any that is free.",
)
@click.option("--state", type=click.Path(file_okay=False), help="Folder of the journal.")
@click.option(
    "--still",
    "still_s",
    type=click.FloatRange(0.1, 5),
    default=0.4,
    show_default=True,
    help="Seconds the tray must be still before it is read.",
)
@click.option(
    "--roll",
    "roll_s",
    type=click.FloatRange(0.1, 5),
    default=1.0,
    show_default=True,
    help="Seconds that simulated dice roll.",
)
@click.option("--seed", type=int, help="Makes the simulated dice fall the same way again.")
@click.pass_obj
def play(settings: Any, /, **options: Any) -> None:
    """Start the companion and show the address for your phone.

    \b
    traykeeper play                       # the Pi's camera, or a simulated tray
    traykeeper play --camera usb:0        # a webcam
    traykeeper play --port 8080 --rules house.toml
    """
    from device.play import PlayOptions, run

    file = click.get_current_context().meta[SETTINGS_FILE]
    run(PlayOptions(**(asdict(settings) | options), settings_file=file))


@cli.command()
@click.option(
    "--settings",
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=_from_settings,
    help="The settings that the companion plays with.",
)
@click.option("--state", type=click.Path(file_okay=False), help="Its folder of the journal.")
def pin(state: str | None) -> None:
    """Print the PIN with which a screen gets the pencil; it changes every five minutes.

    \b
    traykeeper pin
    sudo -u traykeeper traykeeper pin     # where it runs as a service
    """
    from device.drawer import print_pin

    print_pin(state)


@cli.command()
@click.argument("file", required=False)
@click.option("--get", metavar="NAME", help="Print this one setting alone.")
def settings(file: str | None, get: str | None) -> None:
    """Print the settings in force here, or those of FILE, each with what it does.

    \b
    traykeeper settings > settings.toml
    traykeeper settings --get port /etc/traykeeper/settings.toml
    """
    from device.settings import as_text, find, load, show

    found = load(find(file))
    click.echo(show(found, get) if get else as_text(found), nl=bool(get))


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option(
    "--zip", "pack", metavar="FILE", help="Pack a report, without secrets, to send along."
)
@click.option("--pictures", is_flag=True, help="Put what the camera sees into the report too.")
@click.option("--settings", "file", metavar="FILE", help="The settings to go by.")
def doctor(as_json: bool, pack: str | None, pictures: bool, file: str | None) -> int:  # noqa: FBT001
    """Check camera, pins, disk, power, clock, network, name and port; exit 1 if one failed.

    \b
    traykeeper doctor
    traykeeper doctor --zip report.zip
    """
    from device.doctor.visit import visit

    if pictures and not pack:
        raise click.UsageError("--pictures go into a report: add --zip report.zip")
    return visit(as_json=as_json, pack=pack, pictures=pictures, file=file)


_state_option = click.option(
    "--state", type=click.Path(file_okay=False), help="Another folder than in the settings."
)


@cli.command()
@click.argument("file", required=False)
@_state_option
@click.option("--settings", "settings_file", metavar="FILE", help="The settings to go by.")
def backup(file: str | None, state: str | None, settings_file: str | None) -> None:
    """Put matches, calibration and settings into one file, also while it is played.

    \b
    traykeeper backup
    traykeeper backup evening.zip
    """
    from device.restoring import save

    save(file, *_settings_and_state(settings_file, state))


@cli.command()
@click.argument("file")
@_state_option
@click.option("--settings", "settings_file", metavar="FILE", help="The settings to go by.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
def restore(file: str, state: str | None, settings_file: str | None, yes: bool) -> None:  # noqa: FBT001
    """Put a backup in place of what is here; what was here is kept as a backup, too.

    \b
    traykeeper restore evening.zip
    """
    from device.restoring import restore

    restore(file, *_settings_and_state(settings_file, state), yes=yes)


def _settings_and_state(file: str | None, state: str | None) -> tuple[Any, Path | None]:
    """The settings, with another state folder where one is named, and the file they are from."""
    from device import settings

    path = settings.find(file)
    found = settings.load(path)
    return (replace(found, state=state) if state else found), path


_camera_option = click.option("--camera", metavar="NAME", help="Another than in the settings.")
_settings_option = click.option("--settings", "file", metavar="FILE", help="The settings to go by.")


def _settings_of(file: str | None) -> Any:
    from device import settings

    return settings.load(settings.find(file))


@cli.group(invoke_without_command=True)
@_camera_option
@_settings_option
@click.pass_context
def calibrate(context: click.Context, camera: str | None, file: str | None) -> None:
    """Fit camera and tray to each other; alone, all of it, with a question before it is saved.

    The page does the same with the corners under your finger: /calibrate.

    \b
    traykeeper calibrate                  # tray, checks, dice
    traykeeper calibrate height --tray 250x250 --die 8
    """
    if context.invoked_subcommand is None:
        from device.fitting_here import walk

        walk(_settings_of(file), camera)


@calibrate.command("tray")
@_camera_option
@_settings_option
def calibrate_tray(camera: str | None, file: str | None) -> None:
    """Find the tray, draw what was found, and save it if you say so.

    \b
    traykeeper calibrate tray
    """
    from device.fitting_here import find_tray

    find_tray(_settings_of(file), camera)


@calibrate.command("check")
@_camera_option
@_settings_option
def calibrate_check(camera: str | None, file: str | None) -> int:
    """Framing, light, glare and focus, each in a sentence; exit 1 if one is bad.

    \b
    traykeeper calibrate check
    """
    from device.fitting_here import check

    return check(_settings_of(file), camera)


@calibrate.command("dice")
@_camera_option
@_settings_option
def calibrate_dice(camera: str | None, file: str | None) -> None:
    """Learn this set of dice from a few throws.

    \b
    traykeeper calibrate dice
    """
    from device.fitting_here import learn_dice

    learn_dice(_settings_of(file), camera)


@calibrate.command("test")
@_camera_option
@_settings_option
def calibrate_test(camera: str | None, file: str | None) -> int:
    """Throw six dice three times: exit 1 unless all were read.

    \b
    traykeeper calibrate test
    """
    from device.fitting_here import self_test

    return self_test(_settings_of(file), camera)


@calibrate.command("mat")
@click.option(
    "--paper",
    type=click.Choice(["a4", "letter"]),
    default="a4",
    show_default=True,
    help="Its size.",
)
@click.option("--out", metavar="FILE", help="Where to, .pdf or .svg; a PDF here without.")
def calibrate_mat(paper: Any, out: str | None) -> None:
    """A mat to print: with it in the tray, millimetres and the lens's bend are known.

    \b
    traykeeper calibrate mat --paper letter --out mat.svg
    """
    from device.fitting_here import print_mat

    print_mat(paper, out)


@calibrate.command("show")
@_settings_option
def calibrate_show(file: str | None) -> None:
    """Print the profile as it is in force.

    \b
    traykeeper calibrate show
    """
    from device.fitting_here import show

    show(_settings_of(file))


@calibrate.command("height")
@click.option("--tray", default="250x250", show_default=True, help="Its sides in millimetres.")
@click.option(
    "--die",
    "die_mm",
    type=click.FloatRange(4, 40),
    default=16,
    show_default=True,
    help="The edge of a die in millimetres.",
)
def calibrate_height(tray: str, die_mm: float) -> None:
    """How high each camera hangs over this tray, and how many pixels a die is then.

    \b
    traykeeper calibrate height --tray 250x250 --die 8
    """
    from device.calibrating import heights

    heights(tray, die_mm)


@cli.command()
@click.argument("images", nargs=-1, metavar="IMAGE...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option(
    "--list", "listed", metavar="FILE", help='Lines {"file": ..., "tray": [[x, y] x 4] | null}.'
)
@click.option(
    "--annotate",
    metavar="DIR",
    help="Write each picture with what was seen drawn on it; further ones of a name get -2, -3.",
)
@click.option("--profile", metavar="FILE", help="Tray, zone and dice as calibration found them.")
def read(
    images: tuple[str, ...],
    as_json: bool,  # noqa: FBT001
    listed: str | None,
    annotate: str | None,
    profile: str | None,
) -> int:
    """Read the dice in photographs.

    \b
    traykeeper read throw.jpg
    traykeeper read --json *.jpg
    traykeeper read --annotate seen/ throw.jpg
    """
    from device.reading import read_all

    if not images and listed is None:
        raise click.UsageError("name at least one picture: traykeeper read throw.jpg")
    bad = read_all(images, listed, as_json=as_json, folder=annotate, profile=profile)
    return BAD_INPUT if bad else 0


@cli.command()
@click.argument("dice", nargs=-1, metavar="DIE...")
@_rules_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each throw.")
def keeps(dice: tuple[str, ...], rules: str, as_json: bool) -> int:  # noqa: FBT001
    """List every legal keep of a throw, best first; with - the throws come from stdin.

    \b
    traykeeper keeps 1 1 3 3 3 5
    echo 113335 | traykeeper keeps --json -
    """
    from device.keeping import list_keeps

    if not dice:
        raise click.UsageError("name the dice: traykeeper keeps 1 1 3 3 3 5")
    return BAD_INPUT if list_keeps(dice, rules, as_json=as_json) else 0


@cli.command()
@click.option(
    "--broker", required=True, metavar="URL", help="mqtt://HOST[:PORT], or mqtts:// with TLS."
)
@click.option(
    "--secret", default="", metavar="FILE", help="User and password, as the setting mqtt_secret."
)
@click.option("--ca", default="", metavar="FILE", help="Who signed the broker's certificate.")
@click.option("--host", default="0.0.0.0", show_default=True, help="Address to listen on.")  # noqa: S104 - a screen on the LAN is the point
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8100,
    show_default=True,
    help="Port of the board; 0 takes any that is free.",
)
@click.option(
    "--state", default="", type=click.Path(file_okay=False), help="Folder of the club's history."
)
@click.option(
    "--hosts", default="", metavar="NAMES", help="Further names under which it may be opened."
)
def club(**options: Any) -> None:
    """Show every tray of a broker on one screen, and keep the club's table and records.

    \b
    traykeeper club --broker mqtt://pub.local
    traykeeper club --broker mqtts://pub.local --secret /etc/traykeeper/mqtt.toml
    """
    from device.club import ClubOptions, run

    run(ClubOptions(**options))


@cli.group()
def rules() -> None:
    """The published rule sets, and your own.

    \b
    traykeeper rules list
    traykeeper rules show stirler
    traykeeper rules check house.toml
    traykeeper rules sheet walnut-studiolo > card.svg
    """


@rules.command("list")
def rules_list() -> None:
    """Name and title of every published rule set.

    \b
    traykeeper rules list
    """
    from device.ruling import list_rules

    list_rules()


@rules.command("show")
@click.argument("name", metavar="NAME|FILE")
def rules_show(name: str) -> None:
    """A rule set in plain sentences, with its source and what is assumed.

    \b
    traykeeper rules show stirler
    """
    from device.ruling import show_rules
    from game import rulefile

    show_rules(rulefile.load(name))


@rules.command("check")
@click.argument("file")
def rules_check(file: str) -> int:
    """Whether a rule set file holds; names the line, the key and what is allowed.

    \b
    traykeeper rules check house.toml
    """
    from device.ruling import check_rules

    return check_rules(file)


@rules.command("sheet")
@click.argument("name", metavar="NAME|FILE")
@click.option("--pad", is_flag=True, help="The score pad (A6) instead of the scoring card.")
@click.option("--player", "names", multiple=True, help="A column's name on the pad; repeat it.")
def rules_sheet(name: str, pad: bool, names: tuple[str, ...]) -> None:  # noqa: FBT001
    """The pocket scoring card, 85 by 55 mm, as SVG on stdout: print it at 100 %.

    \b
    traykeeper rules sheet zilch > card.svg
    traykeeper rules sheet zilch --pad --player Anna --player Ben > pad.svg
    """
    from device.ruling import print_sheet
    from game import rulefile

    print_sheet(rulefile.load(name), pad=pad, names=names)


@cli.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def match(file: str, as_json: bool) -> None:  # noqa: FBT001
    """Replay the text of a match: every turn, the standings, the outcome.

    \b
    traykeeper match evening.txt
    traykeeper match --json evening.txt
    """
    from device.ruling import replay

    replay(file, as_json=as_json)


@cli.group()
def bench() -> None:
    """Measure, beside a reference in the same run.

    \b
    traykeeper bench vision               # milliseconds a read
    traykeeper bench press                # from the button to the phone
    traykeeper bench rules                # the table of keeps
    traykeeper bench odds                 # solving a match
    traykeeper bench club                 # 200 trays on one broker
    """


@bench.command("vision")
@click.option(
    "--runs", type=click.IntRange(1, 10_000), default=30, show_default=True, help="Reads a size."
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
    runs: int, curves: Path | None, failures: Path | None, pictures: Path | None
) -> None:
    """Milliseconds a read, beside one pass of blur, Otsu and contours on the same frame.

    \b
    traykeeper bench vision --runs 100
    traykeeper bench vision --curves reading-time.svg
    traykeeper bench vision --failures wrong --pictures labelled
    """
    from device import bench_vision as bench

    if failures is not None:
        if pictures is None:
            raise click.UsageError("--failures needs labelled pictures: name them by --pictures")
        bench.failures(pictures, failures)
    elif curves is not None:
        bench.curves(curves, runs)
    else:
        bench.times(runs)


@bench.command("press")
@click.option(
    "--runs", type=click.IntRange(1, 1_000), default=20, show_default=True, help="Presses."
)
def bench_press(runs: int) -> None:
    """Milliseconds from the press on a still tray to the snapshot on a phone's stream.

    \b
    traykeeper bench press
    """
    from device.bench import press

    press(runs)


@bench.command("rules")
def bench_rules() -> None:
    """Milliseconds to build a table of keeps, nanoseconds to look one up, beside brute force.

    \b
    traykeeper bench rules
    """
    from device.bench_rules import rules

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
    from device.bench_odds import odds

    odds(target, small)


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
    from device.bench_web import web

    return 0 if web(phones, seconds) else 1


@bench.command("club")
@click.option(
    "--trays", type=click.IntRange(1, 1_000), default=200, show_default=True, help="Trays."
)
@click.option(
    "--seconds",
    type=click.FloatRange(1),
    default=300,
    show_default=True,
    help="How long they play.",
)
@click.option(
    "--pace",
    type=click.FloatRange(0.01, 60),
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
    from device.bench_club import ClubLoad, club

    club(ClubLoad(trays, seconds, pace))


@bench.command("all")
def bench_all() -> None:
    """Everything above but the club, which takes five minutes.

    \b
    traykeeper bench all
    """
    from device.bench import press
    from device.bench_odds import odds
    from device.bench_rules import rules
    from device.bench_vision import times
    from device.bench_web import web

    times(30)
    press(20)
    web(100, 20)
    rules()
    odds(5000, 500)
