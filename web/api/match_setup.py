"""The set-up of a match on the page: players, a bot, and head starts."""

from collections.abc import Mapping
from typing import Any

from game.commands import StartMatch
from game.match.bot import Bot, BotDice
from game.message import Message
from game.practice.handicap import HeadStart
from game.rules import rule_files
from game.rules.ruleset import Ruleset
from web.contracts.coach import Coach
from web.pages.matches import require_coach
from web.problem import HttpProblem

BEST, LIKE = "best", "like"
"""How a bot plays: as well as possible, or like a person."""

BOT_NAME = "Bot"
MAX_NAME = 24


class MatchSetup:
    """Turns the fields of a request into a match to start.

    Args:
        rules: The rule sets to choose from, the default first.
        coach: Knows how people play; None if there is no coach.
    """

    def __init__(self, rules: tuple[Ruleset, ...], coach: Coach | None) -> None:
        self._rules, self._coach = rules, coach

    def start(
        self,
        names: tuple[str, ...],
        bot: str | None = None,
        like: str | None = None,
        bot_dice: str | None = None,
        **setup: Any,
    ) -> StartMatch:
        """Return the match to start. A bot sits in the last seat.

        Args:
            names: The players' names, by seat, without the bot.
            bot: How the bot plays; None means a match without a bot.
            like: Name of the person whom the bot imitates; None if it imitates nobody.
            bot_dice: Who throws the bot's dice; None means that they are simulated.
            **setup: Other fields of `StartMatch`, such as the rules and the target.

        Raises:
            HttpProblem: If the bot cannot play.
            OddsError: If too little is known about the person.
        """
        if bot is None:
            return StartMatch(names, **setup)
        if setup.get("teams"):
            raise HttpProblem(
                400,
                Message("bot: a bot cannot play in a team: leave out either the bot or the teams"),
            )
        dice = BotDice(bot_dice or BotDice.SIMULATED)
        if bot == BEST:
            name, player = BOT_NAME, Bot(dice)
        else:
            if not like or not like.strip():
                raise HttpProblem(400, Message("like: name the person whom the bot should imitate"))
            rules = self._changed_rules(
                setup.get("rules"), setup.get("target"), setup.get("options")
            )
            style = require_coach(self._coach).style(like.strip(), rules)
            name, player = f"{BOT_NAME} {style.player}"[:MAX_NAME], Bot(dice, style)
        return StartMatch((*names, name), bots=(*(None,) * len(names), player), **setup)

    def head_start(
        self,
        rules: str | None = None,
        target: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> HeadStart:
        """Return the head start that gives two equally good players the same chance of winning.

        Args:
            rules: Name of a rule set; None means the default.
            target: Points to play for; None means the target of the rules.
            options: Options that differ from the rule set.

        Raises:
            OddsError: If the chances of winning under these rules have not been computed.
            RulesetError: If the rules are not valid.
        """
        return require_coach(self._coach).head_start(self._changed_rules(rules, target, options))

    def _changed_rules(
        self, name: str | None, target: int | None, options: Mapping[str, Any] | None
    ) -> Ruleset:
        changed = ({} if target is None else {"target": target}) | dict(options or {})
        return rule_files.with_options(self._ruleset(name), changed)

    def _ruleset(self, name: str | None) -> Ruleset:
        """Return the rule set with this name, preferably one of the table's own; None means the default."""
        known = (each for each in self._rules if name in (None, each.name))
        return next(known, None) or rule_files.published(str(name))
