"""The part of a page that is visible without scrolling, measured in a real browser."""

FONTS = ("DejaVu Sans", "TeX Gyre Heros, Liberation Sans, Arial")
"""A wide font and a usual one: a page that fits in both fits on a phone."""

NEEDED = (".strip", ".hero h1", ".big-dice", ".keep.top", ".message", "#bank", "#undo")
PHOTO_PART, PHOTO_SPILL = 0.3, 0.01
"""Shares of the height of the screen. A desktop has a larger photo beside everything else."""

DESKTOP_PX = 1024

SPILL_PX = 0.6
"""The error that rounding can cause, in pixels."""

MEASURE = """([needed, spill]) => {
  const box = (element) => element.getBoundingClientRect();
  const shown = (element) => element && element.getClientRects().length > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);
  const dock = document.querySelector(".dock");
  const edge = box(dock).top;
  const hidden = [];
  for (const selector of needed) {
    for (const element of all(selector).slice(0, 1)) {
      const { top, bottom, left, right } = box(element);
      const below = dock.contains(element) ? innerHeight : edge;
      if (top < -spill || bottom > below + spill || left < -spill || right > innerWidth + spill) {
        hidden.push([selector, top, bottom, left, right, below]);
      }
    }
  }
  // Words and numbers that are cut off, except names that end with an ellipsis.
  const cut = all("h1 span, .big, .unit, .strip b, .keep .score, .primary span:not(.unseen), .wide, .needs, .flag, .ends, .tip")
    .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline"
      && getComputedStyle(element).textOverflow !== "ellipsis")
    .map((element) => element.textContent.trim());
  const over = all(".keep, .primary, .strip li, .hero, .wide").filter((element) => element.scrollWidth > element.clientWidth + 1)
    .map((element) => element.textContent.trim());
  const tight = all(".keep .score").filter((element) => box(element).right > box(element.closest(".keep")).right - 4)
    .map((element) => element.textContent);
  const lines = (element) => Math.round(box(element).height / parseFloat(getComputedStyle(element).lineHeight));
  const split = all(".hero h1 span, .strip .who:not(.several), .big").filter((element) => lines(element) > 1).map((element) => element.textContent);
  const photo = all(".photo")[0];
  return {
    hidden, cut, over, tight, split,
    sideways: document.documentElement.scrollWidth - innerWidth,
    photo: photo ? box(photo).height / innerHeight : 0,
  };
}"""


def set_font(page, font):
    """Show the page in this font."""
    page.evaluate("font => { document.documentElement.style.fontFamily = font; }", font)


def layout_faults(page, needed=NEEDED):
    """Return what is hidden, cut off, split or too large on the first screen."""
    found = page.evaluate(MEASURE, [needed, SPILL_PX])
    photo, sideways = found.pop("photo"), found.pop("sideways")
    faults = {kind: elements for kind, elements in found.items() if elements}
    if photo > PHOTO_PART + PHOTO_SPILL and page.viewport_size["width"] < DESKTOP_PX:
        faults["photo"] = photo
    if sideways > 0:
        faults["sideways"] = sideways
    return faults


FAULTY = """(selectors) => {
  const dock = document.querySelector(".dock, .tv-foot, .go");
  const faults = [];
  for (const selector of selectors) {
    const found = [...document.querySelectorAll(selector)];
    if (!found.length) faults.push(`${selector}: missing`);
    for (const element of found) {
      const { top, bottom, left, right, width, height } = element.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      const at = width && height ? document.elementFromPoint(x, y) : null;
      const below = dock && !dock.contains(element) && dock !== element ? dock.getBoundingClientRect().top : innerHeight;
      const fault = !width || !height ? "missing"
        : top < -1 || left < -1 || right > innerWidth + 1 || bottom > Math.max(below, 0) + 1 ? "out of view"
        : at && !element.contains(at) && !at.contains(element) ? `covered by ${at.className || at.tagName}`
        : !element.childElementCount && !element.matches(".strip .who, .caption span") && getComputedStyle(element).display !== "inline"
          && element.scrollWidth > element.clientWidth + 1 ? "cut" : "";
      if (fault) faults.push(`${selector}: ${fault}: ${element.textContent.trim().slice(0, 40)}`);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  return faults;
}"""


def parts_out_of_view(page, selectors):
    """Return what is missing, out of view, covered or cut off, of everything that has to be seen.

    A name in the strip of scores or above the dice may end with an ellipsis, because it is whole elsewhere.

    Args:
        page: The page.
        selectors: CSS selectors. Every element that one of them finds has to be seen.
    """
    return page.evaluate(FAULTY, list(selectors))


DOUBLE_TEXT = """() => {
  const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(".unseen, .meaning, [inert]");
  const label = (element) => `${element.tagName.toLowerCase()} ${element.id || element.className.baseVal || element.className}: ${element.textContent.trim().replace(/\\s+/g, " ").slice(0, 40)}`;
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  const dialog = document.querySelector("dialog[open]") || document.body;
  for (const element of dialog.querySelectorAll("button, a, summary, input, select, h1, h2, p, li")) {
    if (!shown(element) || !element.getClientRects().length || element.matches(".slot, .big-dice")) continue; // dice are tilted
    const style = getComputedStyle(element);
    const ends = (each) => getComputedStyle(each).textOverflow === "ellipsis" || each.tagName === "SELECT" || each.tagName === "INPUT";
    const spills = (each) => getComputedStyle(each).display !== "inline" && each.scrollWidth > each.clientWidth + 2 && !ends(each);
    if (spills(element)) faults.push(`spills: ${label(element)}`);
    if (style.overflowY === "hidden" && !element.matches(".caption") && element.scrollHeight > element.clientHeight + 4 && !ends(element)) faults.push(`cut: ${label(element)}`);
    if (!element.matches("button, a, summary, input, select") || element.disabled) continue;
    element.scrollIntoView({ block: "center", behavior: "instant" });
    const box = element.getClientRects()[0];
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const found = document.elementFromPoint(x, y);
    if (box.left < -1 || box.right > innerWidth + 1) faults.push(`out of view: ${label(element)}`);
    else if (found && !element.contains(found) && !found.contains(element) && !element.closest("label")?.contains(found)) faults.push(`covered by ${label(found)}: ${label(element)}`);
    else if (element.matches("button") && Math.min(box.width, box.height) < 43) faults.push(`small: ${label(element)}`);
  }
  scrollTo(0, 0);
  const fixed = [...document.querySelectorAll(".dock, .go, .told")].filter((each) => shown(each) && getComputedStyle(each).position === "sticky");
  if (fixed.some((each) => each.getBoundingClientRect().height > 0.4 * innerHeight)) faults.push("buttons cover the page");
  return faults;
}"""


def double_text_faults(page):
    """Double the size of the text and return what cannot be read or used then (WCAG 1.4.4).

    That is what is cut off, spills out of its box, is covered, too small or out of view. The page keeps the large text.
    """
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    return page.evaluate(DOUBLE_TEXT)
