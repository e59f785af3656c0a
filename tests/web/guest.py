"""All that an app answers, as a guest asks for it: read from the app itself, so that nothing is left out."""

import re

FILLED = {
    "match_id": 1,
    "position": 1,
    "photo_id": "x",
    "die": 0,
    "name": "zilch",
    "filename": "actions.js",
}
"""What stands in a path for what varies."""

ENDLESS = re.compile(r"/(live|events)$")
_VARIES = re.compile(r"<(?:\w+:)?(\w+)>")


def routes(app):
    """Each as `GET /matches/<match_id>`, in order."""
    return sorted(
        f"{method} {_VARIES.sub(_bare, rule.rule)}"
        for rule in app.url_map.iter_rules()
        for method in {"GET", "POST"} & rule.methods
    )


def _bare(found):
    return f"<{found[1]}>"


def filled(path, **others):
    """The path with something in the place of what varies."""
    return _VARIES.sub(lambda found: str((FILLED | others)[found[1]]), path)
