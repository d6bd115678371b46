"""A browser on the project's own site, read from files: nothing is served and nothing leaves the machine."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import pytest
from tests.site_kit import Site, built_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = "/usr/bin/chromium"
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

Open = Callable[..., "Page"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if shutil.which(CHROMIUM) is None:
        pytest.skip(f"there is no {CHROMIUM}")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Built only where there is a browser to show it."""
    return built_site(tmp_path_factory)


@dataclass
class Tab:
    """A page that stays open between tests, and what its console said since the last one."""

    page: Page
    said: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def tabs(browser: Browser) -> Iterator[dict[tuple[str, bool], Tab]]:
    """Loading takes longest, so each page is loaded once."""
    contexts = {
        script: browser.new_context(java_script_enabled=script, reduced_motion="reduce") for script in (True, False)
    }

    class Tabs(dict[tuple[str, bool], Tab]):
        def __missing__(self, key: tuple[str, bool]) -> Tab:
            name, script = key
            page = contexts[script].new_page()
            page.set_default_timeout(10_000)
            tab = self[key] = Tab(page)
            page.on("console", lambda m: tab.said.append(f"{name}: {m.text}") if m.type == "error" else None)
            page.on("pageerror", lambda e: tab.said.append(f"{name}: {e}"))
            if script:  # without, those for scripts are given up
                page.on("requestfailed", lambda r: tab.said.append(f"{name}: {r.url} failed"))
            return tab

    yield Tabs()
    for context in contexts.values():
        context.close()


@pytest.fixture
def open_page(tabs: dict[tuple[str, bool], Tab], site: Site) -> Iterator[Open]:
    """A page of the site as given, on a screen; after the test, its console must be empty of errors."""
    used: list[Tab] = []

    def open_(name: str, *, width: int = 1280, scheme: Literal["light", "dark"] = "light", script: bool = True) -> Page:
        tab = tabs[name, script]
        used.append(tab)
        tab.page.set_viewport_size({"width": width, "height": 900})
        tab.page.emulate_media(media="screen", color_scheme=scheme)
        url = (site.out / f"{name}.html").as_uri()
        if tab.page.url != url:
            tab.page.goto(url)
        if script:  # the theme follows a moment later
            tab.page.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=scheme)
        tab.page.bring_to_front()
        return tab.page

    yield open_
    said = [line for tab in used for line in tab.said]
    for tab in used:
        tab.said.clear()
    assert said == []
