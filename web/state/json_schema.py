"""The JSON of the table, as the state, every POST and the event stream give it.

Points are whole numbers, dice are lists of faces 1..6 in ascending order, seats count from 0.
"""

from typing import TypedDict


class LampJson(TypedDict):
    """The lamp by the tray; `blink` in times a second, 0 is steady."""

    colour: str
    blink: float
    meaning: str


class RulesJson(TypedDict):
    """The rules in force; `target` is the one this match is played to, or so many `rounds` if not 0.

    `changed` are the other options played otherwise than published, as lines of a house file.
    """

    name: str
    title: str
    n_dice: int
    target: int
    rounds: int
    opening: int
    changed: list[str]


class PlayerJson(TypedDict):
    """A seat; `opened` once the player is on the board."""

    seat: int
    name: str
    score: int
    opened: bool
    team: int | None
    here: bool
    on_turn: bool


class ThrowJson(TypedDict):
    """A throw; `index` is what a correction names. `assumed` where nobody said what was kept."""

    index: int
    dice: list[int]
    kept: list[int] | None
    score: int
    assumed: bool


class TurnJson(TypedDict):
    """A turn; `ending` is "bank", "farkle", "reset", "win", "skip", or None while it goes on.

    `points` is what its keeps are worth, `locked_points` those before the last throw. One that is
    `broken_off` was put away by hand for another: it is none of the player's rounds.
    """

    seat: int
    throws: list[ThrowJson]
    points: int
    locked_points: int
    penalty: int
    ending: str | None
    broken_off: bool


class LastThrowJson(ThrowJson):
    """The throw in view: of this turn, or of the finished one before (then with its `ending`).

    `tapped_in` where no camera saw it.
    """

    tapped_in: bool
    seat: int
    turn_points: int
    ending: str | None


class OddsJson(TypedDict):
    """What banking `at_risk` points is worth, or throwing on with `dice` dice.

    `bank` and `throw` are chances to win, None where that is not known or cannot be done;
    `farkle` is the chance that the next throw farkles, `points` what the turn brings on average when
    thrown on. `best` is "bank", "throw" or "tie"; `rank` is "best" for the best keep, "tie" for those
    that are as good, else None.
    """

    at_risk: int
    dice: int
    bank: float | None
    throw: float | None
    farkle: float
    points: float
    refused: str | None
    best: str
    rank: str | None


class KeepJson(TypedDict):
    """A legal keep of the last throw; `effect` says in words what it would mean, or is empty.

    `odds` is what the coach says of it, None where it says nothing.
    """

    dice: list[int]
    score: int
    combos: list[str]
    dice_left: int
    hot: bool
    effect: str
    odds: OddsJson | None


class BankJson(TypedDict):
    """What banking would do: the keep it takes, the turn's points, and why not, or None.

    `short` are the points that are missing for the opening, or the least that may be banked.
    `winner` is the seat that wins the match if it is banked now, else None.
    """

    dice: list[int]
    points: int
    total: int
    refusal: str | None
    short: int
    winner: int | None


class ChoiceJson(TypedDict):
    """An answer to the open question, or a repair on offer; POST its id to /answer."""

    id: str
    label: str


class PhotoDieJson(TypedDict):
    """A die on the photo; x, y, w, h are fractions of the picture, x and y the centre.

    `slot` is its number among the dice of the throw that the photo shows, or None.
    """

    value: int | None
    x: float
    y: float
    w: float
    h: float
    angle: float
    zone: str
    problem: str | None
    slot: int | None
    url: str


class PhotoJson(TypedDict):
    """The annotated photo of the throw in view, or of what is in question: then `index` is None.

    `id` and `url` are made of what it shows. A die's `url` is that die at full resolution.
    """

    id: str
    url: str
    width: int
    height: int
    index: int | None
    dice: list[PhotoDieJson]


class LastRoundJson(TypedDict):
    """Seat `closer` reached the target; the seats in `left` may still beat the score `to_beat`.

    `needed` are the points beyond those at risk by which the player on turn would be ahead of all
    others; that wins where it `decides`, as nobody throws after.
    """

    closer: int
    leader: int
    to_beat: int
    left: list[int]
    needed: int
    decides: bool


class HighlightJson(TypedDict):
    """What is worth a cheer or a sigh: of the turn that has just ended, or of the throw in hand.

    `kind` is "won", "last round", "farkle", "on the board", "lead" or "hot dice"; `points` are lost,
    at risk, or the new score.
    """

    kind: str
    seat: int
    points: int
    words: str


class RollOffJson(TypedDict):
    """Who starts: dice by seat, whose die comes next, and who begins once that is decided."""

    rolls: list[list[int]]
    open: bool
    seat: int | None
    first: int | None


class ChoiceMadeJson(TypedDict):
    """Keeping these dice, and banking or throwing on."""

    dice: list[int]
    bank: bool


class MomentJson(TypedDict):
    """Of the turn that ended last: what the dice brought ("luck"), or a decision gave away.

    `event` is its number in the timeline, `points` those of the turn, `win` the chance to win, None
    where that is not known. `done` and `best` are of decisions alone.
    """

    event: int
    kind: str
    points: float
    win: float | None
    done: ChoiceMadeJson | None
    best: ChoiceMadeJson | None


class CoachJson(TypedDict):
    """What the coach says; `mode` is "off", "after" or "live".

    `solved`: whether chances to win are known; `solving` the share that is done of working them out,
    or None; `trouble` why there will be none. `win` is the chance of the player on turn, None where it
    is not known. `caveats` name what they leave out: "leader" (they are those of two, against the best
    of the others), "several" (they are those of a race, a point off or so), "taking over", "penalties",
    "multiplied". `before` is the throw to come where a turn begins.
    """

    mode: str
    solved: bool
    solving: float | None
    trouble: str
    win: float | None
    caveats: list[str]
    before: OddsJson | None
    turn: list[MomentJson]


class OwnPhoneJson(TypedDict):
    """The phone with this badge is that player's own."""

    phone: str
    name: str


class PencilJson(TypedDict):
    """Who may change anything: phones by their badges, "" for none.

    `by_button`: the next press of the tray's real button gives it to `asking`; `by_holder`: the
    holder is asked. `asker` is what people may call `asking`: its player, or a number.
    """

    holder: str
    asking: str
    asker: str
    by_button: bool
    by_holder: bool
    own_turn: bool
    players: list[OwnPhoneJson]


class MatchJson(TypedDict):
    """What is known of the match. Without one the lists are empty and the objects None.

    `at_risk` is what a farkle would take now, `dice_to_throw` how many dice are thrown next,
    `turns` are the finished ones, `winner` is a seat.
    """

    rules: RulesJson | None
    players: list[PlayerJson]
    turn: TurnJson | None
    at_risk: int
    dice_to_throw: int
    throw: LastThrowJson | None
    keeps: list[KeepJson]
    bank: BankJson | None
    turns: list[TurnJson]
    can_undo: bool
    can_redo: bool
    last_round: LastRoundJson | None
    highlight: HighlightJson | None
    winner: int | None


class DiceThrowJson(TypedDict):
    """Dice without a match: all faces in the tray, those of them that fell anew, and the sum of all."""

    index: int
    dice: list[int]
    thrown: list[int]
    sum: int
    tapped_in: bool


class JustDiceJson(TypedDict):
    """Throws without a match: how many, the newest first, how often each face fell.

    `p` is the chance that fair dice fall as unevenly, None below 300 dice.
    """

    n_throws: int
    throws: list[DiceThrowJson]
    counts: list[int]
    p: float | None


class StateJson(MatchJson):
    """All of it. `version` grows by one with every change, `step` with every one of the match.

    `question` is the open one, the first of its `choices` what a hold of the button says;
    `choices` without a question are repairs on offer. `camera` is None while there is none;
    with `hands_off` dice that were thrown are read by themselves.
    """

    version: int
    step: int
    situation: str
    message: str
    advice: list[str]
    lamp: LampJson
    simulated: bool
    camera: str | None
    hands_off: bool
    join_url: str
    calibrated: bool
    notice: str
    troubles: list[str]
    question: str | None
    choices: list[ChoiceJson]
    photo: PhotoJson | None
    just_dice: JustDiceJson | None
    rolloff: RollOffJson | None
    pencil: PencilJson
    coach: CoachJson
