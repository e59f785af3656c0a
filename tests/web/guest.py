"""Every route of an app, as a guest requests it. The routes come from the app, so none is missed."""

import re

FILLED = {
    "match_id": 1,
    "position": 1,
    "photo_id": "x",
    "die": 0,
    "name": "zilch",
    "filename": "actions.js",
    "faces": "135",
}
"""Values for the variable parts of paths."""

ENDLESS = re.compile(r"/(live|events)$")
_VARIABLE = re.compile(r"<(?:\w+:)?(\w+)>")


def routes(app):
    """Return each route as `GET /matches/<match_id>`, sorted."""
    return sorted(
        f"{method} {_VARIABLE.sub(_bare, rule.rule)}"
        for rule in app.url_map.iter_rules()
        for method in {"GET", "POST"} & rule.methods
    )


def _bare(found):
    return f"<{found[1]}>"


def filled(path, **others):
    """Return a path with values for its variable parts."""
    return _VARIABLE.sub(lambda found: str((FILLED | others)[found[1]]), path)
