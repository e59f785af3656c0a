"""The command line, as a person uses it."""

import json
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.drift import edge_signature
from calibration.outline import Outline
from calibration.profile import Profile
from device import cli
from device.calibrating.profile_file import save
from device.cameras.simulated.tray import SimulatedTray
from device.cameras.simulated.tray_geometry import LOOKS
from device.commands.read import MAX_TABLES, _known_table
from tests.vision.painted import Put, photograph
from tests.waiting import PATIENCE_S

COMMAND = [str(Path(sys.executable).with_name("traykeeper"))]


def run(*args, text=None):
    return subprocess.run(
        [*COMMAND, *args],
        capture_output=True,
        text=True,
        input=text,
        check=False,
        timeout=PATIENCE_S,
    )


@pytest.fixture
def call(capsys):
    """Run the command line in this process; return its output and its exit code."""

    def call(*args):
        with pytest.raises(SystemExit) as left:
            cli.main(args)
        said = capsys.readouterr()
        return subprocess.CompletedProcess(args, left.value.code, said.out, said.err)

    return call


def assert_refused(done, *words):
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    for word in words:
        assert word in done.stderr


@pytest.fixture(scope="module")
def photo(tmp_path_factory):
    tray = SimulatedTray(seed=3, roll_s=0)
    tray.throw(values=[2, 5])
    path = tmp_path_factory.mktemp("photos") / "throw.jpg"
    cv2.imwrite(str(path), tray.capture().image)
    return path


@pytest.mark.parametrize("words", [(), ("rules",), ("bench",)])
def test_without_a_command_the_help_is_printed_line_by_line(call, words):
    done = call(*words)

    assert (done.stdout + done.stderr).strip() == call(*words, "--help").stdout.strip()


def test_keeps_lists_all_eleven_keeps(call):
    done = call("keeps", "--rules", "walnut-studiolo", "1", "1", "3", "3", "3", "5")

    assert done.returncode == 0
    lines = done.stdout.splitlines()[1:]
    assert len(lines) == 11
    assert "550" in lines[0]
    assert "hot dice" in lines[0]


def test_keeps_reads_throws_from_stdin_and_names_the_bad_line():
    done = run("keeps", "--json", "-", text="113335\n\n1 2 x\n2 2 3\n")

    assert [json.loads(line)["farkle"] for line in done.stdout.splitlines()] == [False, True]
    assert_refused(done, "stdin, line 3", "'1 2 x' is not a throw")


def test_keeps_reads_stdin_with_foreign_line_ends():
    done = subprocess.run(
        [*COMMAND, "keeps", "--json", "-"],
        capture_output=True,
        input=b"\xef\xbb\xbf113335\r\n1 1 5\r\n\xff\x00\r\n",
        check=False,
    )

    assert [json.loads(line)["throw"] for line in done.stdout.splitlines()] == [
        [1, 1, 3, 3, 3, 5],
        [1, 1, 5],
    ]
    assert done.stderr.startswith(b"traykeeper: stdin, line 3:")
    assert done.stderr.count(b"\n") == 1


def test_keeps_json_has_the_documented_form(call):
    done = call("keeps", "--json", "5", "5")

    assert json.loads(done.stdout) == {
        "throw": [5, 5],
        "farkle": False,
        "events": [],
        "keeps": [
            {"dice": [5, 5], "score": 100, "combos": ["two 5s 100"], "dice_left": 0, "hot": True},
            {"dice": [5], "score": 50, "combos": ["one 5 50"], "dice_left": 1, "hot": False},
        ],
    }


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["keeps", "7"], ["a die shows 1 to 6, not 7"]),
        (["keeps"], ["name the dice"]),
        (["keeps", "--rules", "walnut", "1"], ["did you mean 'walnut-studiolo'?"]),
        (["keeps", "--rules", "no.toml", "1"], ["the file does not exist"]),
        (["read"], ["name at least one picture"]),
        (["keeps", "١١٥"], ["'١١٥' is not a throw"]),
        (["keeps", "1" * 5000], ["with 1 to 6 dice in a throw, not 5,000"]),
        (["keeps", "x" * 5000], ["'xxxxx", "…' is not a throw"]),
        (["keeps", "--rules", "no.toml/house.toml", "1"], ["the file does not exist"]),
        (["read", "--list", "no.jsonl"], ["no.jsonl: the file does not exist"]),
        (["read", "--annotate", "", "a.jpg"], ["--annotate: name a folder"]),
        (["read", "--annotate", "/dev/null/seen", "a.jpg"], ["the folder cannot be created"]),
        (
            ["rules", "sheet", "--pad", "--player", "", "zilch"],
            ["is not a valid name: use 1 to 24"],
        ),
        (["rules", "check", "/"], ["/: this is a folder: give the name of a file"]),
        (["match", "/"], ["/: this is a folder: give the name of a file"]),
        (["match", "/dev/null"], ["/dev/null, line 1: a match needs 2 to 20 players, not 0"]),
        (["match", "/dev/zero"], ["/dev/zero: the file is longer than"]),
        (["play", "--camera", "film"], ["this is not a camera", "usb[:N or NAME]"]),
        (["play", "--camera", "replay:/nowhere"], ["/nowhere"]),
        (["play", "--port", "70000"], ["70000"]),
        (["fly"], ["fly"]),
    ],
)
def test_bad_input_is_one_line_with_the_remedy(call, args, words):
    assert_refused(call(*args), *words)


def test_a_file_name_that_is_not_utf8_is_refused_like_any_other():
    assert_refused(run("match", "x\udcff"), "the file does not exist")


def test_read_prints_a_line_for_each_picture_and_continues_after_a_bad_one(call, photo, tmp_path):
    empty = tmp_path / "empty.jpg"
    empty.touch()
    done = call("read", "--json", str(empty), str(photo), str(tmp_path / "no.jpg"))
    first, second, third = map(json.loads, done.stdout.splitlines())

    assert done.returncode == 2
    assert done.stderr.count("\n") == 2
    assert first["sure"] is False
    assert first["problems"]
    assert second["values"] == [2, 5]
    assert third["dice"] == []


def test_read_says_how_to_see_which_die_is_ringed(call, tmp_path):
    shot = photograph([Put(5, -20, 0), Put(2, 20, 0, lean_deg=25)], LOOKS["green"])
    path = tmp_path / "leaning.png"
    cv2.imwrite(str(path), shot.image)
    listed = tmp_path / "list.jsonl"
    listed.write_text(json.dumps({"file": path.name, "tray": shot.tray.corners}) + "\n")

    asked = call("read", "--list", str(listed)).stdout
    drawn = call("read", "--list", str(listed), "--annotate", str(tmp_path / "seen")).stdout

    assert "The circled die" in asked
    assert "--annotate" in asked
    assert "--annotate" not in drawn


def test_read_accepts_a_list_with_trays(call, photo, tmp_path):
    tray = [[265, 128], [1154, 135], [1144, 735], [268, 727]]
    listed = photo.with_name("list.jsonl")
    listed.write_text(json.dumps({"file": photo.name, "tray": tray}) + "\n")
    done = call("read", "--json", "--list", str(listed))

    assert json.loads(done.stdout)["values"] == [2, 5]
    assert {die["zone"] for die in json.loads(done.stdout)["dice"]} == {"tray"}


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        '{"tray": null}',
        '{"file": "a.jpg", "tray": [[1, 2]]}',
        '{"file": "a.jpg", "tray": [[0, 0], [900, 0], [0, 900], [500, 900]]}',
        '{"file": "a.jpg", "table": {"full": "b.jpg"}}',
        '{"file": "a.jpg", "table": {"throws": "b.jpg"}}',
        '{"file": "a.jpg", "table": 7}',
    ],
)
def test_a_bad_line_of_a_list_is_named_in_the_error(call, line, tmp_path):
    listed = tmp_path / "list.jsonl"
    listed.write_text(line)

    assert_refused(call("read", "--list", str(listed)), "line 1")


KNOWN = {"empty": "empty.png", "throws": ["learn.png"]}


@pytest.fixture
def tray(tmp_path):
    """The corners in `throw.png`, which shows two dice and a card that could hide another one.

    The pictures in `KNOWN` are in the same folder.
    """
    lens = [Put(v, 38 * v - 133, 0) for v in range(1, 7)]
    shots = {
        "empty.png": photograph([], LOOKS["green"], seed=1),
        "learn.png": photograph(lens, LOOKS["green"], seed=2),
        "throw.png": photograph([Put(5, -20, 0), Put(2, 40, 0)], LOOKS["green"], seed=3),
    }
    for name, shot in shots.items():
        image = shot.image.copy()
        if name == "throw.png":
            x, y = np.array(shot.tray.corners).mean(axis=0)
            card = cv2.boxPoints(((float(x), float(y) + 120), (190, 134), 20.0))
            cv2.fillConvexPoly(image, card.astype(np.int32), (200, 205, 210), cv2.LINE_AA)
        cv2.imwrite(str(tmp_path / name), image)
    return shots["throw.png"].tray


def test_read_uses_further_pictures_of_the_tray(call, tmp_path, tray):
    line = {"file": "throw.png", "tray": tray.corners}
    listed = tmp_path / "list.jsonl"
    listed.write_text(json.dumps(line | {"table": KNOWN}) + "\n")

    reading = json.loads(call("read", "--json", "--list", str(listed)).stdout)

    assert reading["sure"] is False
    assert {2, 5} <= set(reading["values"])
    listed.write_text(json.dumps(line | {"table": {"empty": "no.png"}}))
    done = call("read", "--list", str(listed))
    assert done.returncode == 2
    assert "no.png: no such file" in done.stderr


def test_read_asks_about_a_die_on_top_of_another(call, tmp_path):
    picture = Path(__file__).parents[1] / "vision" / "rendered_stack.jpg"
    tray = [[727.7, 58.4], [242.3, 65.6], [241.7, 473.6], [727.0, 482.4]]
    listed = tmp_path / "list.jsonl"
    listed.write_text(json.dumps({"file": str(picture), "tray": tray}))

    reading = json.loads(call("read", "--json", "--list", str(listed)).stdout)

    problems = {(die["value"], die["problem"]) for die in reading["dice"]}
    assert reading["sure"] is False
    assert problems == {(1, None), (4, None), (5, None), (6, None), (6, "stacked")}


def test_further_pictures_are_used_together_with_a_profile(call, tmp_path, tray):
    listed, profile = tmp_path / "list.jsonl", tmp_path / "calibration.toml"
    save(Profile("a camera", "now", Outline.of(tray, 1536, 864)), profile)
    seen = []
    for table in (None, KNOWN):
        listed.write_text(json.dumps({"file": "throw.png", "table": table}) + "\n")
        done = call("read", "--json", "--profile", str(profile), "--list", str(listed))
        seen.append(json.loads(done.stdout)["sure"])

    assert seen == [True, False]


def test_read_with_a_profile_asks_if_the_tray_has_moved_and_a_die_lies_outside_its_old_place(
    call, tmp_path
):
    shot = photograph([Put(5, -20, 0), Put(2, 120, 0)], LOOKS["green"])
    outline, small = Outline.of(shot.tray, 1536, 864), cv2.resize(shot.image, (640, 360))
    floor = outline.in_px(640, 360)
    sides = edge_signature(small, floor)
    save(Profile("a camera", "now", outline, sides=sides), tmp_path / "calibration.toml")
    shift = np.array([[1, 0, 120], [0, 1, 0]], np.float64)
    moved = cv2.warpAffine(shot.image, shift, (1536, 864), borderMode=cv2.BORDER_REPLICATE)
    readings = []
    for name, image in (("before.png", shot.image), ("moved.png", moved)):
        cv2.imwrite(str(tmp_path / name), image)
        profile = str(tmp_path / "calibration.toml")
        done = call("read", "--json", "--profile", profile, str(tmp_path / name))
        readings.append(json.loads(done.stdout))

    assert [reading["sure"] for reading in readings] == [True, False]
    assert readings[0]["values"] == [2, 5]
    assert "moved" in readings[1]["problems"]


def test_read_refuses_a_tray_outside_the_picture(call, photo):
    listed = photo.with_name("list.jsonl")
    tray = [[9000, 9000], [9900, 9000], [9900, 9900], [9000, 9900]]
    listed.write_text(json.dumps({"file": photo.name, "tray": tray}) + "\n")
    done = call("read", "--json", "--list", str(listed))

    assert done.returncode == 2
    assert "the tray is outside this picture" in done.stderr
    assert json.loads(done.stdout)["sure"] is False


def test_a_list_of_many_trays_keeps_few_pictures_in_memory(call, tmp_path):
    image = np.full((90, 160, 3), 128, np.uint8)
    lines = []
    for i in range(MAX_TABLES + 2):
        cv2.imwrite(str(tmp_path / f"{i}.png"), image)
        lines.append(json.dumps({"file": "0.png", "table": {"empty": f"{i}.png"}}))
    (tmp_path / "list.jsonl").write_text("\n".join(lines))
    done = call("read", "--json", "--list", str(tmp_path / "list.jsonl"))

    assert len(done.stdout.splitlines()) == MAX_TABLES + 2
    assert _known_table.cache_info().currsize <= MAX_TABLES


def test_read_annotates_into_a_folder(call, photo, tmp_path):
    done = call("read", "--annotate", str(tmp_path / "seen"), str(photo))

    assert done.stdout.strip() == f"{photo}: 2 5"
    assert cv2.imread(str(tmp_path / "seen" / "throw.jpg")).shape == (864, 1536, 3)


def test_annotated_pictures_with_the_same_name_do_not_overwrite_each_other(call, photo, tmp_path):
    pictures = [tmp_path / name / "x.jpg" for name in "ab"]
    for picture in pictures:
        picture.parent.mkdir()
        picture.write_bytes(photo.read_bytes())
    done = call("read", "--annotate", str(tmp_path / "seen"), *map(str, pictures))

    assert done.returncode == 0
    assert sorted(path.name for path in (tmp_path / "seen").iterdir()) == ["x-2.jpg", "x.jpg"]


def test_annotating_never_overwrites_its_source(call, photo):
    before = photo.read_bytes()

    assert_refused(call("read", "--annotate", str(photo.parent), str(photo)), "name another folder")
    assert photo.read_bytes() == before


def test_play_greets_serves_and_stops_at_a_signal(tmp_path):
    args = [
        "play",
        "--camera",
        "sim",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--state",
        str(tmp_path),
    ]
    with subprocess.Popen([*COMMAND, *args], stdout=subprocess.PIPE, text=True) as process:
        try:
            line = next(line for line in process.stdout if "Traykeeper is at" in line)
            address = line.split()[3]
            state = json.load(urllib.request.urlopen(f"{address}api/v1/state", timeout=PATIENCE_S))  # noqa: S310 - our own
            process.send_signal(signal.SIGTERM)
            rest = process.communicate(timeout=PATIENCE_S)[0]
        finally:
            process.kill()

    assert state["situation"] == "no match"
    assert "The match is saved" in rest
    assert process.returncode == 0


def test_an_address_of_another_machine_is_reported_in_one_line(tmp_path):
    done = run("play", "--camera", "sim", "--host", "203.0.113.9", "--state", tmp_path)

    assert done.returncode == 2
    assert done.stderr.startswith("traykeeper: cannot listen on 203.0.113.9:8000: ")
    assert done.stderr.count("\n") == 1


def test_a_port_in_use_is_reported_in_one_line(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run(
            "play",
            "--camera",
            "sim",
            "--host",
            "127.0.0.1",
            "--port",
            port,
            "--state",
            str(tmp_path),
        )

    assert_refused(done, f"port {port} is in use", "--port")


MATCH = """traykeeper match 1
rules walnut-studiolo
option target = 1000
player Anna
player Ben
113335: 333 11 5 = 550, bank
223446: farkle
111234: ~111 = 1000, bank
115555: ~5555 11 = 1200, bank
"""


@pytest.fixture
def evening(tmp_path):
    path = tmp_path / "evening.txt"
    path.write_text(MATCH)
    return path


def test_match_prints_every_turn_the_standings_and_the_outcome(call, evening):
    done = call("match", str(evening))

    assert "  2  Ben             2 2 3 4 4 6: farkle" in done.stdout
    assert "   1,550  Anna" in done.stdout
    assert done.stdout.endswith("Anna wins with 1,550!\n")


def test_match_json_has_the_documented_form(call, evening):
    data = json.loads(call("match", "--json", str(evening)).stdout)

    assert data["outcome"] == {"winner": "Anna", "score": 1550}
    assert [turn["ending"] for turn in data["turns"]] == ["bank", "farkle", "bank", "bank"]
    assert [turn["scores"] for turn in data["turns"]][1:] == [[550, 0], [1550, 0], [1550, 1200]]
    assert data["options"] == ["target = 1000"]
    assert data["turn"] is None


def test_match_reads_stdin(evening):
    done = run("match", "-", text=MATCH)

    assert done.stdout == run("match", str(evening)).stdout
    assert_refused(run("match", "-", text="what"), "stdin, line 1")


def test_a_bonus_for_the_last_die_is_printed_apart_from_the_turn(call, tmp_path):
    path = tmp_path / "last.txt"
    text = "traykeeper match 1\nrules standard\noption last_die_twice = 500\nplayer A\nplayer B\n"
    path.write_text(text + "111552: 11155 = 1100 | 1: 1 = 100\n")
    turn = json.loads(call("match", "--json", str(path)).stdout)["turn"]

    assert (turn["brought"], turn["bonus"], turn["points"]) == (0, 500, 1700)


@pytest.mark.parametrize(
    ("dice", "words"),
    [("222234", "takes all points"), ("111111", "wins the match at once")],
)
def test_keeps_names_the_effects_of_a_throw(call, tmp_path, dice, words):
    house = tmp_path / "house.toml"
    house.write_text('extends = "standard"\nall_ones_win = true\nfour_twos_reset = true\n')

    assert words in call("keeps", "--rules", str(house), *dice).stdout


def test_match_names_the_invalid_line(call, evening):
    evening.write_text(MATCH.replace("550", "500"))

    assert_refused(call("match", str(evening)), f"{evening}, line 6: 333 11 5 scores 550")
    assert_refused(call("match", "no.txt"), "no.txt: the file does not exist")


def test_match_names_the_line_of_an_invalid_option(call, evening):
    evening.write_text(MATCH.replace("1000", "0", 1))

    assert_refused(call("match", str(evening)), f"{evening}, line 3: target is 0")


def test_match_reads_a_file_with_foreign_line_ends(call, evening):
    evening.write_bytes(b"\xef\xbb\xbf" + MATCH.replace("\n", "\r\n").encode())
    assert call("match", str(evening)).returncode == 0
    evening.write_bytes(b"\xff\xd8\xff\xe0")
    assert_refused(
        call("match", str(evening)), f"{evening}: this is not a text file: save it as UTF-8"
    )


def test_rules_list_show_and_sheet(call):
    assert "zilch" in call("rules", "list").stdout
    assert "Three farkles in a row cost 500." in call("rules", "show", "zilch").stdout
    assert call("rules", "sheet", "zilch").stdout.startswith("<svg")
    assert ">Anna<" in call("rules", "sheet", "--pad", "--player", "Anna", "zilch").stdout


def test_rules_check_reports_by_its_exit_code(call, tmp_path):
    file = tmp_path / "house.toml"
    file.write_text('extends = "walnut-studiolo"\nopening = 350\n')
    assert call("rules", "check", str(file)).returncode == 0
    file.write_text("\nopenning = 3\n")
    done = call("rules", "check", str(file))

    assert done.returncode == 1
    assert "line 2: openning is not an option: did you mean 'opening'?" in done.stderr
    assert_refused(call("rules", "check", str(tmp_path / "no.toml")), "the file does not exist")
    file.write_bytes(b"\xff")
    assert_refused(call("rules", "check", str(file)), "house.toml: this is not a text")
