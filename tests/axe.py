"""Accessibility faults that axe-core finds on a page, in both themes."""

from axe_playwright_python.base import AXE_SCRIPT

EXPERIMENTAL = {"label-content-name-mismatch": {"enabled": True}}
"""Rules that axe does not check by default: people who speak to a phone say the words that they see."""

SERIOUS = ("moderate", "serious", "critical")
RULES = {"light": None, "dark": ["color-contrast", "link-in-text-block"]}
"""Rules for each theme, or None for all. The dark theme differs only in its colours."""


def faults(page):
    """Return the faults of a page that are not minor, with their theme and element, and leave the page light."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = [fault for theme in RULES for fault in _faults(page, theme)]
    page.emulate_media(color_scheme="light")
    return found


def _faults(page, theme):
    page.emulate_media(color_scheme=theme)
    options = {"resultTypes": ["violations"], "rules": EXPERIMENTAL}
    if RULES[theme]:
        options = {"resultTypes": ["violations"], "runOnly": RULES[theme]}
    found = page.evaluate("(options) => axe.run(options)", options)
    assert "color-contrast" in {rule["id"] for rule in found["passes"]}  # the check ran
    return [
        (theme, fault["id"], node["html"][:160], node["failureSummary"][:200])
        for fault in found["violations"]
        if fault["impact"] in SERIOUS
        for node in fault["nodes"]
    ]
