"""The options of the rules as the set-up of a match shows them: each in words, with its choices.

The tables of points by face are left to house files.
"""

from dataclasses import dataclass
from enum import StrEnum

from game.rules.ruleset import Alike, HotDice, LastRound, Piggyback, Ruleset, Win


def _(phrase: str) -> str:
    """Marks a phrase for the catalogues."""
    return phrase


Value = str | int | bool


@dataclass(frozen=True, slots=True)
class RuleOption:
    """An option of `Ruleset`; `choices` are its values in words, none where it is points or yes."""

    name: str
    label: str
    choices: tuple[tuple[StrEnum, str], ...] = ()

    @property
    def yes_or_no(self) -> bool:
        return isinstance(getattr(DEFAULTS, self.name), bool)


@dataclass(frozen=True, slots=True)
class Group:
    """Options that are shown together."""

    title: str
    hint: str
    options: tuple[RuleOption, ...]


GROUPS = (
    Group(
        _("A turn"),
        _("0 asks for nothing"),
        (
            RuleOption("opening", _("To get on the board, at least")),
            RuleOption("minimum_bank", _("To bank, at least")),
            RuleOption(
                "hot_dice",
                _("Whoever scores with all dice"),
                (
                    (HotDice.MAY, _("may throw them all again")),
                    (HotDice.MUST, _("must throw them all again")),
                ),
            ),
            RuleOption(
                "piggyback",
                _("The next player may take over what was banked"),
                (
                    (Piggyback.NO, _("no")),
                    (Piggyback.YES, _("yes")),
                    (Piggyback.NOT_HEAVY, _("yes, unless all dice had scored")),
                ),
            ),
            RuleOption("must_bank_after_triple", _("Three of a kind ends the turn and is banked")),
        ),
    ),
    Group(
        _("The end"),
        "",
        (
            RuleOption(
                "win",
                _("The target is"),
                (
                    (Win.AT_LEAST, _("to be reached")),
                    (Win.OVER, _("to be passed")),
                    (Win.EXACTLY, _("to be hit exactly")),
                ),
            ),
            RuleOption(
                "last_round",
                _("After that"),
                (
                    (LastRound.NONE, _("the match is over")),
                    (LastRound.EVERY_OTHER, _("all others have one more turn")),
                    (LastRound.LATER_IN_ROUND, _("the rest of the round has its turn")),
                    (LastRound.CHARITY_ROLL, _("all others have one more throw")),
                ),
            ),
            RuleOption("all_alike_wins", _("All dice alike in one throw win")),
        ),
    ),
    Group(
        _("What scores"),
        _("0 is no combination"),
        (
            RuleOption("straight", _("A straight, 1 to 6")),
            RuleOption("low_straight", _("A low straight, 1 to 5")),
            RuleOption("high_straight", _("A high straight, 2 to 6")),
            RuleOption("three_pairs", _("Three pairs")),
            RuleOption("four_and_pair", _("Four of a kind with a pair")),
            RuleOption("six_as_pairs", _("Six of a kind as three pairs")),
            RuleOption("two_triplets", _("Two triplets")),
            RuleOption("nothing", _("All dice, and nothing scores")),
            RuleOption("last_die_twice", _("A last die, thrown twice if need be")),
            RuleOption(
                "alike",
                _("Four, five, six of a kind"),
                (
                    (Alike.NONE, _("are no more than three")),
                    (Alike.DOUBLING, _("double the triple each time")),
                    (Alike.ADDING, _("add the triple each time")),
                    (Alike.FIXED, _("have points of their own")),
                ),
            ),
        ),
    ),
    Group(
        _("Penalties"),
        _("0 costs nothing"),
        (
            RuleOption("three_farkles", _("Three farkles in a row")),
            RuleOption("three_scoreless_starts", _("Three first throws in a row without points")),
            RuleOption("triple_threes", _("Three 3s in one throw")),
            RuleOption("four_twos_reset", _("Four 2s in one throw set the score to zero")),
            RuleOption("below_zero", _("A score may fall below zero")),
        ),
    ),
)

DEFAULTS = Ruleset("", "")


def values(rules: Ruleset) -> dict[str, Value]:
    """What these rules say of each, as JSON has it."""
    return {
        option.name: _plain(getattr(rules, option.name))
        for group in GROUPS
        for option in group.options
    }


def beyond_defaults(rules: Ruleset) -> dict[str, Value]:
    """Only those that are not as usual."""
    usual = values(DEFAULTS)
    return {name: value for name, value in values(rules).items() if value != usual[name]}


def _plain(value: Value) -> Value:
    return value.value if isinstance(value, StrEnum) else value
