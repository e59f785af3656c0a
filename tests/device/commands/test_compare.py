"""`traykeeper compare`: two copies of one match."""

from contextlib import closing

import pytest

from bench.self_play import whole_match
from device.cli import main
from game.journal.journal import JOURNAL_FILE, Journal
from game.match.events import Corrected, Place, Thrown, Undone, from_json
from game.match.match_text import to_text
from game.rules import rule_files
from game.rules.rule_files import with_options

RULES = with_options(rule_files.load("walnut-studiolo"), {"target": 1_000, "opening": 0})


@pytest.fixture
def played():
    return whole_match(RULES, ["Anna", "Ben"], 5, 0)


def write(folder, played, *, steps=None, change=lambda actions: actions, key="a" * 16):
    """Write the steps of a match to a journal."""
    folder.mkdir()
    with closing(Journal.open(folder / JOURNAL_FILE)) as journal:
        number = journal.start(played.entries[0].played(None), key=key)
        for entry in played.entries[1:steps]:
            actions = tuple(from_json(action) for action in entry.body["actions"])
            journal.append(number, *change(actions))
        return number, journal.match(number)


@pytest.fixture
def compared(tmp_path, capsys):
    def compare(one, other, *options):
        with pytest.raises(SystemExit) as ended:
            main(["compare", str(tmp_path / one), str(tmp_path / other), *options])
        out, err = capsys.readouterr()
        return ended.value.code, (out + err).replace(f"{tmp_path}/", "")

    return compare


def test_copies_of_one_match_are_the_same_wherever_the_dice_lay(tmp_path, played, compared):
    def with_places(actions):
        places = (Place(1, 10.0, 20.0, 5.0),)
        return tuple(
            Thrown(action.dice, places) if isinstance(action, Thrown) else action
            for action in actions
        )

    _, match = write(tmp_path / "anna", played)
    write(tmp_path / "ben", played, change=with_places)
    scores = ", ".join(f"{player.name} {player.score:,}" for player in match.state.players)

    assert compared("anna", "ben") == (0, f"anna and ben contain the same match: {scores}.\n")


def test_a_match_that_was_reopened_is_the_same(tmp_path, played, compared):
    number, _ = write(tmp_path / "anna", played)
    write(tmp_path / "ben", played)
    with closing(Journal.open(tmp_path / "anna" / JOURNAL_FILE)) as journal:
        journal.append(number)

    assert compared("anna", "ben/journal.db")[0] == 0


def test_the_first_step_that_differs_is_named(tmp_path, played, compared):
    number, _ = write(tmp_path / "anna", played, steps=4)
    _, match = write(tmp_path / "ben", played, steps=4)
    index = match.last_throw.index
    dice = match.last_throw.dice
    for folder, faces in (("anna", (1,) * len(dice)), ("ben", (5,) * len(dice))):
        with closing(Journal.open(tmp_path / folder / JOURNAL_FILE)) as journal:
            journal.append(number, Corrected(index, faces))
    one, five = " ".join("1" * len(dice)), " ".join("5" * len(dice))

    says = (
        f"They differ from step 4 on: anna has a throw corrected to {one}, "
        f"ben has a throw corrected to {five}.\n"
    )

    assert compared("anna", "ben") == (1, says)


def test_a_copy_that_ends_earlier_is_named(tmp_path, played, compared):
    write(tmp_path / "anna", played, steps=3)
    number, _ = write(tmp_path / "ben", played, steps=3)
    with closing(Journal.open(tmp_path / "ben" / JOURNAL_FILE)) as journal:
        journal.append(number, Undone())

    assert compared("anna", "ben") == (
        1,
        "anna lacks everything from step 3 on, where ben has an undone step.\n",
    )


def test_a_match_as_text_is_compared_by_the_steps_that_count(tmp_path, played, compared):
    number, match = write(tmp_path / "anna", played, steps=6)
    with closing(Journal.open(tmp_path / "anna" / JOURNAL_FILE)) as journal:
        journal.append(number, Undone())
        after = journal.match(number)
    (tmp_path / "ben.txt").write_text(to_text(after))
    (tmp_path / "before.txt").write_text(to_text(match))

    assert compared("anna", "ben.txt")[0] == 0
    assert compared("anna", "before.txt")[0] == 1


def test_a_backup_is_compared_like_its_journal(tmp_path, played, compared, monkeypatch):
    write(tmp_path / "anna", played)
    write(tmp_path / "ben", played)
    with pytest.raises(SystemExit):
        main(["backup", str(tmp_path / "ben.zip"), "--state", str(tmp_path / "ben")])

    assert compared("anna", "ben.zip")[0] == 0


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ("~nobody/journal.db", "~nobody/journal.db: there is no such file"),
        ("nothing", "nothing: there is no such file: name a journal.db"),
        ("ben", "anna and ben: they have no match in common"),
        ("note.db", "note.db cannot be read as a journal"),
    ],
)
def test_files_that_cannot_be_compared_are_refused_in_one_line(
    tmp_path, played, compared, other, says
):
    write(tmp_path / "anna", played)
    write(tmp_path / "ben", played, key="b" * 16)
    (tmp_path / "note.db").write_text("no journal")
    code, said = compared("anna", other)

    assert code == 2
    assert says in said
    assert said.count("\n") == 1
