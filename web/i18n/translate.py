"""Messages in the words of the language now: that of the phone that asks, or of a page for all."""

from flask_babel import get_domain, gettext, ngettext

from game.message import Message, Percentage, format_value
from game.names import display_name
from web.i18n.languages import decimal, language, percent, points


class _Here:
    """A `game.message.Language`: the one that is spoken now."""

    def template(self, english: str) -> str:
        return str(get_domain().get_translations().ugettext(english))

    def plural(self, one: str, many: str, n: int) -> str:
        return str(get_domain().get_translations().ungettext(one, many, n))

    def whole(self, number: int) -> str:
        return points(number)

    def decimal(self, number: float) -> str:
        return decimal(number)

    def percent(self, share: Percentage) -> str:
        said = percent(share.value, share.digits)
        return said if language() == "en" else said.replace("%", "\u00a0%")


_HERE = _Here()


def translate(message: Message) -> str:
    """In the language now; what the catalogues do not know stays English, and nothing breaks."""
    return message.translate(_HERE)


def player_name(name: str) -> str:
    """A player's name; who has none yet is called so in the language now."""
    return format_value(display_name(name), _HERE)


def match_length(title: str, target: int, rounds: int) -> str:
    """The name of a game, and how far it goes."""
    if rounds:
        return str(
            ngettext(
                "%(rules)s, one turn each", "%(rules)s, %(num)s turns each", rounds, rules=title
            )
        )
    return str(gettext("%(rules)s, to %(target)s", rules=title, target=points(target)))


def translate_text(text: str) -> str:
    """What a published rule set says of itself, or what the reader calls a problem.

    What a house file says stays as it is written.
    """
    return str(gettext(text))
