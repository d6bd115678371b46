"""What a reader sees: at three widths, light and dark, with mouse, keyboard, without scripts, on paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Open = Callable[..., Page]

pytestmark = pytest.mark.browser

PAGES = ("index", "oscillators", "claims", "devices/nvidia-h200")
SCHEMES = ("light", "dark")
ENOUGH = 4.5  # WCAG 2, level AA, for text of ordinary size

CONTRAST = """selectors => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = colour => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const light = c => {
    const [r, g, b] = c.map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = e => {
    const layers = [];
    for (; e; e = e.parentElement) layers.push(rgba(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]);
  };
  const opacity = e => { let o = 1; for (; e; e = e.parentElement) o *= getComputedStyle(e).opacity; return o; };
  const out = {};
  for (const selector of selectors) {
    const found = [...document.querySelectorAll(selector)].filter(e => e.offsetParent && e.textContent.trim());
    const ratios = found.slice(0, 40).map(e => {
      const under = ground(e), ink = rgba(getComputedStyle(e).color);
      ink[3] *= opacity(e);
      const [a, b] = [light(over(ink, under)), light(under)].sort((x, y) => y - x);
      return (a + 0.05) / (b + 0.05);
    });
    out[selector] = ratios.length ? Math.min(...ratios) : null;
  }
  return out;
}"""

TEXTS = {
    "index": (".perfdocs-table th", ".perfdocs-table td", ".perfdocs-table a"),
    "claims": (".perfdocs-table th", ".perfdocs-table td", ".perfdocs-fastest li", ".perfdocs-folded summary"),
    "oscillators": (
        ".perfdocs-table td",
        ".perfdocs-table td a",
        ".perfdocs-table td.m",
        ".perfdocs-table th[scope=row]",
        ".perfdocs-table thead th",
        ".perfdocs-table caption",
        ".perfdocs sup",
        ".perfdocs-caption",
        ".perfdocs-notes li",
        ".perfdocs-flags li",
        ".perfdocs-downloads",
        ".perfdocs-downloads a",
        ".perfdocs-fastest li",
        ".perfdocs-figure figcaption",
        ".perfdocs-tabs > label",
        ".perfdocs-folded summary",
        "a.perfdocs-claim",
        ".perfdocs-claim-flags",
    ),
}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [1280, 768, 390])
def test_no_page_scrolls_sideways(open_page: Open, width: int, scheme: str) -> None:
    """Errors in the console fail in the fixture."""
    for name in PAGES:
        page = open_page(name, width=width, scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        wide = "[...document.querySelectorAll('.perfdocs')].filter(e => e.scrollWidth > e.clientWidth + 1).length"
        assert page.evaluate(wide) == 0, name  # tables and figures scroll within their own container


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_stands_out(open_page: Open, scheme: str) -> None:
    for name, selectors in TEXTS.items():
        ratios = open_page(name, scheme=scheme).evaluate(CONTRAST, list(selectors))
        assert {s: r for s, r in ratios.items() if r is None or r < ENOUGH} == {}, name


def figures(page: Page) -> list[list[bool]]:
    """Of each figure in sight, whether its light and its dark image show."""
    script = """() => [...document.querySelectorAll(".perfdocs-figure")].filter(f => f.offsetParent).map(
        f => ["light", "dark"].map(s => f.querySelector(`.perfdocs-${s} img`).getClientRects().length > 0))"""
    shown: list[list[bool]] = page.evaluate(script)
    return shown


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_figure_of_the_scheme_in_use_shows_and_only_it(open_page: Open, scheme: str, script: bool) -> None:
    page = open_page("oscillators", scheme=scheme, script=script)
    dark = scheme == "dark" and script  # without scripts the theme stays light, and so do the figures
    red = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/rgb\\((\\d+)/)?.[1] ?? 255")
    assert (int(red) < 128) is dark
    assert figures(page) == [[not dark, dark]] * 2  # of the page, and of the open tab
    seen = page.locator(f".perfdocs-{'dark' if dark else 'light'} img").first
    assert seen.evaluate("e => e.complete && e.naturalWidth > 300")


def panels(page: Page) -> list[bool]:
    """Which panels of the first tabs show."""
    shown: list[bool] = page.evaluate(
        "[...document.querySelector('.perfdocs-tabs').querySelectorAll(':scope > .perfdocs-panel')]"
        ".map(p => p.getClientRects().length > 0)"
    )
    return shown


@pytest.mark.parametrize("script", [True, False])
def test_tabs_by_mouse_and_by_keyboard(open_page: Open, script: bool) -> None:
    page = open_page("oscillators", script=script)
    count = len(panels(page))
    assert count >= 2
    assert panels(page) == [True] + [False] * (count - 1)
    page.locator(".perfdocs-tabs > label").nth(1).click()
    assert panels(page)[:2] == [False, True]
    page.keyboard.press("ArrowLeft")  # the click has moved the focus to the radio button
    assert panels(page)[:2] == [True, False]
    page.keyboard.press("ArrowRight")
    assert panels(page)[:2] == [False, True]
    outline = "getComputedStyle(document.querySelector('.perfdocs-tabs > input:focus-visible + label')).outlineStyle"
    assert page.evaluate(outline) == "solid"
    page.keyboard.press("ArrowLeft")
    assert panels(page)[:2] == [True, False]


@pytest.mark.parametrize("script", [True, False])
def test_details_open(open_page: Open, script: bool) -> None:
    page = open_page("oscillators", script=script)
    whole = page.locator(".perfdocs-folded", has_text="All measurements").first
    part = whole.locator(".perfdocs-folded").first
    table = part.locator(".perfdocs-table")
    assert not part.is_visible()
    whole.locator("> summary").click()
    assert part.is_visible()
    assert not table.is_visible()
    part.locator("> summary").click()
    assert table.is_visible()
    part.locator("> summary").press("Enter")
    assert not table.is_visible()
    whole.locator("> summary").click()


@pytest.mark.parametrize("link", ["a.perfdocs-claim[href]", ".perfdocs-table td a[href*='/rk4.html#r']"])
def test_a_link_of_a_number_lands_where_it_comes_from(open_page: Open, link: str) -> None:
    page = open_page("oscillators")
    first = page.locator(link).first
    wanted = str(first.get_attribute("href")).partition("#")[2]
    first.click()
    page.wait_for_load_state("load")
    row = page.locator(f"[id='{wanted}']").first
    assert row.is_visible()
    assert row.evaluate("e => e.matches(':target')")
    header = page.evaluate("document.querySelector('header').getBoundingClientRect().bottom")
    box = row.bounding_box()
    assert box is not None
    assert header - 1 <= box["y"] < 900 - min(box["height"], 300)
    marks = "e => [getComputedStyle(e).boxShadow, getComputedStyle(e).outlineStyle]"
    assert row.evaluate(marks) != ["none", "none"]


@pytest.mark.parametrize("script", [True, False])
def test_a_link_to_a_row_opens_what_it_stands_in(open_page: Open, script: bool) -> None:
    page = open_page("devices/nvidia-h200", script=script)
    row = page.locator(".perfdocs-folded .perfdocs-folded tr[id]").last
    assert not row.is_visible()
    page.goto(f"{page.url}#{row.get_attribute('id')}")
    assert row.is_visible()


def test_on_paper_every_table_shows(open_page: Open) -> None:
    page = open_page("devices/amd-epyc-2c")
    closed = page.locator("details.perfdocs-folded:not([open]) .perfdocs-table").last
    assert not closed.is_visible()
    page.emulate_media(media="print")
    assert closed.evaluate("e => e.checkVisibility({contentVisibilityAuto: true}) && e.clientHeight > 20")


def test_on_paper_every_tab_shows_and_the_light_figure(open_page: Open) -> None:
    page = open_page("oscillators", scheme="dark")
    page.emulate_media(media="print")
    assert panels(page) == [True] * len(panels(page))
    titles = page.locator(".perfdocs-panel-title")
    assert all(titles.nth(i).is_visible() for i in range(titles.count()))
    assert not page.locator(".perfdocs-tabs > label").first.is_visible()
    assert figures(page) == [[True, False]] * (1 + len(panels(page)))
