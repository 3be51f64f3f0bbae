"""Visits of pages by Chromium, without a window."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
from collections.abc import Iterator
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

WIDE = {"width": 1280, "height": 900}


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    program = shutil.which("chromium")
    assert program, "no chromium: see tools/install_deps.sh --browser"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


class Visit:
    """A page in a context of its own, and everything that it said and asked for."""

    def __init__(self, browser: Browser, scheme: str) -> None:
        context = browser.new_context(color_scheme=scheme, viewport=WIDE)
        self.page: Page = context.new_page()
        self.said: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(dialog.message))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def open(self, address: str) -> Page:
        self.page.goto(address)
        self.page.wait_for_load_state("networkidle")
        return self.page

    def nodes(self) -> int:
        return int(self.page.evaluate("document.querySelectorAll('*').length"))

    def is_within(self) -> bool:
        """Whether nothing is wider than the window."""
        return bool(
            self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        )

    def violations(self) -> list[str]:
        """The rules of axe-core that are broken, but for minor and moderate ones."""
        found: list[dict[str, Any]] = Axe().run(self.page).response["violations"]
        return [
            f"{each['id']}: {node['target']} {node['failureSummary']}"
            for each in found
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"]
        ]

    def reached(self) -> tuple[list[str], list[str]]:
        """Elements that Tab should reach, and those of them that show the focus."""
        self.page.evaluate(
            """() => {
              window.wanted = [...document.querySelectorAll(
                  'a[href], button, input, select, summary')]
                .filter((e) => !e.disabled && e.checkVisibility());
              window.wanted.forEach((e, i) => { e.dataset.tab = String(i); });
              document.activeElement.blur();
            }"""
        )
        wanted = self.page.evaluate("window.wanted.map((e) => e.dataset.tab)")
        seen: list[str] = []
        for _ in range(len(wanted) + 2):
            self.page.keyboard.press("Tab")
            tab, outline = self.page.evaluate(
                """() => [document.activeElement.dataset.tab,
                          getComputedStyle(document.activeElement).outlineStyle]"""
            )
            if tab is not None and outline != "none":
                seen.append(tab)
        return wanted, seen

    def keep(self, name: str) -> None:
        """A picture of the page in the folder SHARDINE_SCREENSHOTS, if that is set."""
        folder = os.environ.get("SHARDINE_SCREENSHOTS")
        if folder:
            path = pathlib.Path(folder) / f"{name}.png"
            self.page.screenshot(path=path, full_page=True)

    def ends_well(self, *own: str) -> None:
        """Nothing was said, and nothing asked for but at these addresses."""
        assert self.said == [], self.said
        others = [each for each in self.requests if not each.startswith(("data:", *own))]
        assert others == [], others
        self.page.context.close()
