"""What axe-core finds on a page that would stop somebody, in both themes."""

from axe_playwright_python.base import AXE_SCRIPT

SERIOUS = ("serious", "critical")
RULES = {"light": None, "dark": ["color-contrast", "link-in-text-block"]}
"""Of each theme, where not all: they differ in colours alone."""


def faults(page):
    """Those of the page as it stands, with theme and element; it is light afterwards."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = [fault for theme in RULES for fault in _faults(page, theme)]
    page.emulate_media(color_scheme="light")
    return found


def _faults(page, theme):
    page.emulate_media(color_scheme=theme)
    options = {"resultTypes": ["violations"]} | ({"runOnly": RULES[theme]} if RULES[theme] else {})
    found = page.evaluate("(options) => axe.run(options)", options)
    assert "color-contrast" in {rule["id"] for rule in found["passes"]}  # it did look
    return [
        (theme, fault["id"], node["html"][:160], node["failureSummary"][:200])
        for fault in found["violations"]
        if fault["impact"] in SERIOUS
        for node in fault["nodes"]
    ]
