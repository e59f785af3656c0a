"""The JSON of the table, as returned by `/api/v1/state`, by every `POST` and in the event stream.

Points are whole numbers, dice are lists of faces 1 to 6 in ascending order, and seats are
numbered from 0.
Each docstring here is the description of its object in the OpenAPI document.
"""

from typing import Any, NotRequired, TypedDict

from game.stats.summary import SeriesSummary


class CheckJson(TypedDict):
    """A check of the appliance. `level` is "ok", "skipped", "warning" or "failed"; `remedy` says what to do."""

    check: str
    level: str
    line: str
    remedy: str | None


class HealthJson(TypedDict):
    """The answer for watchdogs. `status` is "ok", "warning" or "failed"; `notice` says what has changed at the tray."""

    status: str
    version: str
    notice: NotRequired[str]
    troubles: NotRequired[list[CheckJson]]


class RulesetJson(TypedDict):
    """A rule set to choose from, with the value of each of its options."""

    name: str
    title: str
    target: int
    options: dict[str, Any]


class NamedScoreJson(TypedDict):
    """A player of a match in the journal; `team` is null for a player without a team."""

    name: str
    team: int | None
    score: int


class RulesNameJson(TypedDict):
    """The name and the title of a rule set."""

    name: str
    title: str


class SeriesNameJson(TypedDict):
    """The length and the id of a series. All matches of the series have the same id."""

    best_of: int
    id: str


class PlayedMatchJson(TypedDict):
    """A match in the journal. `key` is unique among all trays, and `position` is that of its last step.

    Times are in seconds since 1970, and null if the clock was not set. `winner` is a seat, null until somebody wins.
    `series` is null for a single match.
    """

    id: int
    key: str
    position: int
    rules: RulesNameJson
    target: int
    players: list[NamedScoreJson]
    winner: int | None
    turns: int
    begun_s: float | None
    last_s: float | None
    series: SeriesNameJson | None


class ThrownJson(TypedDict):
    """A throw of a finished turn, with the dice that were set aside."""

    dice: list[int]
    kept: list[int]


class FinishedTurnJson(TypedDict):
    """A finished turn. `number` counts the turns of the match, and `score` is the player's score after the turn."""

    number: int
    seat: int
    player: str
    ending: str
    points: int
    penalty: int
    score: int
    throws: list[ThrownJson]


class MatchTurnsJson(TypedDict):
    """A match with its finished turns."""

    rules: str
    target: int
    players: list[NamedScoreJson]
    winner: int | None
    turns: list[FinishedTurnJson]


class ClipJson(TypedDict):
    """A recording of a roll; `throw` is the `index` of the throw in the state."""

    throw: int
    url: str


class TallyJson(TypedDict):
    """The totals of a player in all matches. Rates and averages are null without data.

    `rating` is the Elo rating against the bots, null before the fifth match against one; the true rating is within
    `rating_error` of it with a chance of 95 %.
    """

    name: str
    matches: int
    won: int
    turns: int
    banks: int
    average_bank: float | None
    average_turn: float | None
    throws: int
    farkles: int
    farkle_rate: float | None
    expected_rate: float | None
    hot_dice: int
    best_turn: int
    comeback: int
    rating: float | None
    rating_error: float | None


class DiceSetJson(TypedDict):
    """How often each face of a dice set came up; `p` is the chance that fair dice are at least this uneven."""

    name: str
    matches: int
    faces: list[int]
    chi_square: float | None
    p: float | None
    verdict: str
    read: int
    corrected: int


class PhoneJson(TypedDict):
    """Who the scorekeeper is, from the point of view of the phone that sends the request, whose id is `me`.

    `asking_phone` is the id of the phone that is asking to keep score, or "".
    """

    me: str
    mine: bool
    taken: bool
    asking: bool
    asking_phone: str
    by_button: bool
    by_holder: bool
    asker: str
    own_turn: bool
    player: str | None


class LampJson(TypedDict):
    """The lamp at the tray. `colour` is "#rrggbb"; `blink` is how often it blinks per second, 0 if steady."""

    colour: str
    blink: float
    meaning: str


class RulesJson(TypedDict):
    """The rules in force. A match ends at `target` points or, if `rounds` is not 0, after that many turns each.

    `changed` lists the other options that differ from the published rules, as lines of a
    file of house rules.
    """

    name: str
    title: str
    n_dice: int
    target: int
    rounds: int
    opening: int
    changed: list[str]


class PlayerJson(TypedDict):
    """A player at a seat. `opened` means that the player is on the board.

    `here` is false after the player has left; `team` is null for a player without a team. `bot` is "" for a
    person, "beginner", "casual" or "best" for the level of a bot, or the name of the person whom it imitates.
    """

    seat: int
    name: str
    score: int
    opened: bool
    team: int | None
    here: bool
    on_turn: bool
    bot: str


class ThrowJson(TypedDict):
    """A throw. A correction refers to the throw by its `index`.

    `kept` are the dice set aside; `assumed` means that nobody has confirmed them.
    """

    index: int
    dice: list[int]
    kept: list[int] | None
    score: int
    assumed: bool


class TurnJson(TypedDict):
    """A turn. `ending` is "bank", "farkle", "reset", "win", "skip", or null while the turn goes on.

    `points` counts all its keeps, `locked_points` only those before the last throw. `broken_off`
    means that somebody set another turn by hand; such a turn is not one of the player's rounds.
    """

    seat: int
    throws: list[ThrowJson]
    points: int
    locked_points: int
    penalty: int
    ending: str | None
    broken_off: bool


class LastThrowJson(ThrowJson):
    """The throw in view: the last one of this turn or, until the next throw, of the previous turn.

    `ending` is the ending of its turn. `tapped_in` means that a person entered it, not the camera;
    `simulated`, that a bot threw simulated dice.
    """

    tapped_in: bool
    simulated: bool
    seat: int
    turn_points: int
    ending: str | None


class OddsJson(TypedDict):
    """What banking `at_risk` points and throwing `dice` dice are worth.

    `bank` and `throw` are the chances of winning after each choice, or null if the chance is
    unknown or the choice is not possible. `farkle` is the chance of a farkle, `points` the average
    points of the turn after throwing again. `refused` says why banking is not possible.
    `best` is "bank", "throw" or "tie". `rank` is "best" for the best keep, "tie" for a keep
    that is as good, and otherwise null.
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
    """A legal keep of the last throw. `effect` describes what the keep would lead to, or is empty.

    `odds` is null if the coach says nothing about it.
    """

    dice: list[int]
    score: int
    combos: list[str]
    dice_left: int
    hot: bool
    effect: str
    odds: OddsJson | None


class BankJson(TypedDict):
    """What banking would do now. `dice` are the dice that would be kept.

    `points` are the points of the turn, `total` is the player's score afterwards. `refusal` says why
    banking is not possible, or is null. `short` is how many points are missing for the opening or
    the minimum bank. `winner` is the seat that would win the match, or null.
    """

    dice: list[int]
    points: int
    total: int
    refusal: str | None
    short: int
    winner: int | None


class ChoiceJson(TypedDict):
    """An answer to the open question, or another interpretation of the last throw. `POST` its `id` to /answer."""

    id: str
    label: str


class PhotoDieJson(TypedDict):
    """A die in the photo. `x`, `y`, `w` and `h` are fractions of the photo; `x`, `y` is the centre.

    `angle` is its rotation in degrees. `slot` is its position among the dice of the throw in the
    photo, or null. `url` is an image of the die at full resolution.
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
    """The annotated photo of the throw in view, or of the open question, for which `index` is null.

    `index` is the index of the throw. `id` and `url` depend on what the photo shows, so they never
    refer to another photo. `clip` is the address of a short clip of how these dice came to rest, or
    null if there is none.
    """

    id: str
    url: str
    width: int
    height: int
    index: int | None
    clip: str | None
    dice: list[PhotoDieJson]


class LastRoundJson(TypedDict):
    """The last round: seat `closer` has reached the target, and the seats in `left` have one turn.

    `to_beat` is the score of seat `leader`. With `needed` more points than those at risk, the
    current player would lead; if `decides` is true, that wins the match, as nobody throws afterwards.
    """

    closer: int
    leader: int
    to_beat: int
    left: list[int]
    needed: int
    decides: bool


class LeftOverJson(TypedDict):
    """The `points` and `dice` that the current player may take over instead of throwing all dice."""

    points: int
    dice: int


class HighlightJson(TypedDict):
    """An event to celebrate or to regret, in the throw in view or the turn that has just ended.

    `kind` is "won", "last round", "farkle", "on the board", "lead" or "hot dice". `points` are the
    points lost, the points at risk, or the new score.
    """

    kind: str
    seat: int
    points: int
    words: str


class RollOffJson(TypedDict):
    """The roll-off that decides who starts. `rolls` contains the dice of each seat.

    `open` means that more players may still join. `seat` throws next; `first` starts the match.
    """

    rolls: list[list[int]]
    open: bool
    seat: int | None
    first: int | None


class ChoiceMadeJson(TypedDict):
    """A decision: which dice to keep, and whether to bank or to throw again."""

    dice: list[int]
    bank: bool


class MomentJson(TypedDict):
    """A moment of the turn that ended last: how lucky a throw was, or what a decision lost.

    `event` is its index in the timeline. `points` is its effect on the points of the turn, `win`
    its effect on the chance of winning, or null if this is unknown. `done` and `best` are the decision that
    was made and the best one, and null for a throw.
    """

    event: int
    kind: str
    points: float
    win: float | None
    done: ChoiceMadeJson | None
    best: ChoiceMadeJson | None


class LuckJson(TypedDict):
    """A sum of luck or of decisions, in points and in the chance of winning, which is null if it is unknown."""

    points: float
    win: float | None


class ReviewedPlayerJson(TypedDict):
    """The luck and the decisions of one player in a match."""

    name: str
    luck: LuckJson
    decisions: LuckJson


class ChanceJson(TypedDict):
    """The chance of winning of the player in a seat after an event of the timeline."""

    event: int
    seat: int
    win: float


class TurnMomentJson(MomentJson):
    """A moment of a match, with its turn and the seat of the player."""

    turn: int
    seat: int


class DrillChoiceJson(ChoiceMadeJson):
    """A choice in a drill, and what it costs compared with the best one.

    `points` are the points at risk after the keep. `cost` is in the chance of winning, from 0 to 1, if the
    position's `by_chance` is true, and otherwise in points on average.
    """

    points: int
    cost: float


class DrillPositionJson(TypedDict):
    """A position of a past match in which a player chose badly, after a throw.

    `turn` counts the finished turns before it. `at_risk` are the points of the turn before the throw.
    `done` is what the player chose in the match.
    """

    match: int
    event: int
    turn: int
    seat: int
    players: list[NamedScoreJson]
    at_risk: int
    dice: list[int]
    by_chance: bool
    done: ChoiceMadeJson
    choices: list[DrillChoiceJson]


class DrillJson(TypedDict):
    """The positions in which a player's decisions cost the most, the costliest first."""

    name: str
    positions: list[DrillPositionJson]


class ReviewJson(TypedDict):
    """Luck and decisions in a match. `solved` means that the chances of winning are known."""

    solved: bool
    of_two: bool
    players: list[ReviewedPlayerJson]
    curve: list[ChanceJson]
    moments: list[TurnMomentJson]


class CoachJson(TypedDict):
    """What the coach says. `mode` is "off", "after" (each turn), "why" (each decision) or "live".

    `solved` means that chances of winning are known. `solving` is how much of their calculation
    is done, from 0 to 1, or null; `trouble` says why there will be none, or is empty.
    `win` is the current player's chance of winning, or null. `caveats` list what the chances leave
    out: "estimate" (the match is not solved, and they are a rough estimate), "leader" (they are
    for two players, against the best of the others), "several" (they are for a race and off by
    about one point), "taking over", "penalties", "multiplied", "other". `left_out` says in
    words which rules of the match they leave out. `before` is the next throw at the beginning of a turn. `decision`
    is the newest decision of a person, with what it cost, or null.
    """

    mode: str
    solved: bool
    solving: float | None
    trouble: str
    win: float | None
    caveats: list[str]
    left_out: list[str]
    before: OddsJson | None
    turn: list[MomentJson]
    decision: MomentJson | None


class OwnPhoneJson(TypedDict):
    """The badge of a phone, and the name of the player to whom the phone belongs."""

    phone: str
    name: str


class ScorekeeperJson(TypedDict):
    """The scorekeeper: the phone `holder`. Phones are identified by their badges; "" means none.

    The phone `asking` asks to take over. If `by_button` is set, the next press of the real button
    decides; if `by_holder` is set, the scorekeeper decides. `asker` is a name for the asking phone:
    its player, or its kind, with a number if others of its kind are present. If `own_turn` is set,
    the `players` may use their own phones during their turns.
    """

    holder: str
    asking: str
    asker: str
    by_button: bool
    by_holder: bool
    own_turn: bool
    players: list[OwnPhoneJson]


class OtherTrayJson(TypedDict):
    """The other tray of a match that is played at two trays.

    `phase` is "inviting", "joining" or "playing". `seats` are the players at the other tray;
    `throws` means that it is their turn, so that this tray reads no dice. `trouble` says why
    the trays cannot play together now, or is null. `waits_for_match` means that the match can begin
    only after the one being played at this tray has been finished or set aside.
    """

    phase: str
    seats: list[int]
    throws: bool
    is_reachable: bool
    trouble: str | None
    waits_for_match: bool


class MatchJson(TypedDict):
    """The match. If there is none, the lists are empty and the objects null.

    A farkle would lose the points `at_risk`. `dice_to_throw` is the number of dice in the next
    throw. `turns` are the finished turns; `winner` is a seat. `closing` describes the winner's
    comeback, or the best turn, once somebody has won. `series` is null for a single match.
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
    left_over: LeftOverJson | None
    highlight: HighlightJson | None
    winner: int | None
    closing: str | None
    series: SeriesSummary | None


class DiceThrowJson(TypedDict):
    """A throw without a match. `dice` are all faces in the tray, `thrown` those that were rolled.

    `sum` is the sum of `dice`. `tapped_in` means that a person entered it, not the camera.
    """

    index: int
    dice: list[int]
    thrown: list[int]
    sum: int
    tapped_in: bool


class JustDiceJson(TypedDict):
    """Throws without a match: their number, the latest ones, and how often each face came up.

    `p` is the chance that fair dice are at least this uneven, or null below 300 dice.
    """

    n_throws: int
    throws: list[DiceThrowJson]
    counts: list[int]
    p: float | None


class StateJson(MatchJson):
    """The whole state. `version` grows with every change, `step` with every change of the match.

    `hold` is what holding the button for a second would do: "bank", "yes", "rematch", "begin the
    match", "stop waiting" or "". `unread_throw` says why nothing can be kept or banked before a throw is read, or is null.
    `question` is the open question; a hold of the button picks the first of its `choices`. Without
    a question, `choices` are other interpretations of the last throw. `camera` is null while there
    is no camera. If `hands_off` is set, the dice are read without a press of the button. `notice`
    says what has changed since the tray was calibrated; `troubles` are problems of the appliance.
    In `safe_mode`, the camera and the button are off because several starts failed.
    """

    version: int
    step: int
    situation: str
    message: str
    advice: list[str]
    lamp: LampJson
    hold: str
    simulated: bool
    camera: str | None
    hands_off: bool
    join_url: str
    calibrated: bool
    notice: str
    troubles: list[str]
    safe_mode: bool
    unread_throw: str | None
    question: str | None
    choices: list[ChoiceJson]
    photo: PhotoJson | None
    just_dice: JustDiceJson | None
    rolloff: RollOffJson | None
    scorekeeper: ScorekeeperJson
    other_tray: OtherTrayJson | None
    coach: CoachJson
