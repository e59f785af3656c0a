"""Messages, names and lengths of matches in the current language."""

from flask_babel import get_domain, gettext, ngettext

from game.message import Message, Percentage, format_value
from game.names import display_name
from web.i18n.languages import decimal, language, percent, points


class _CurrentLanguage:
    """A `game.message.Language` that writes in the language of the current request."""

    def template(self, english: str) -> str:
        return str(get_domain().get_translations().ugettext(english))

    def plural(self, one: str, many: str, n: int) -> str:
        return str(get_domain().get_translations().ungettext(one, many, n))

    def whole(self, number: int) -> str:
        return points(number)

    def decimal(self, number: float) -> str:
        return decimal(number)

    def percent(self, share: Percentage) -> str:
        text = percent(share.value, share.digits)
        return text if language() == "en" else text.replace("%", "\u00a0%")


_CURRENT = _CurrentLanguage()


def translate(message: Message) -> str:
    """Return a message in the current language. A message without a translation stays in English."""
    return message.translate(_CURRENT)


def player_name(name: str) -> str:
    """Return a player's name. A player without a name becomes "Player 2" in the current language."""
    return format_value(display_name(name), _CURRENT)


def match_length(title: str, target: int, rounds: int) -> str:
    """Return the title of a game and how long a match is.

    Args:
        title: Title of the rule set.
        target: Points to win.
        rounds: Turns of each player; 0 if the match is played to the target.
    """
    if rounds:
        return str(
            ngettext(
                "%(rules)s · one turn each", "%(rules)s · %(num)s turns each", rounds, rules=title
            )
        )
    return str(gettext("%(rules)s · first to %(target)s", rules=title, target=points(target)))


def translate_text(text: str) -> str:
    """Translate a text from a published rule set, or a problem that the dice reader reports.

    Texts from a file of house rules have no translation and stay as they are.
    """
    return str(gettext(text))
