"""The viewer in a browser: it asks no other machine, names are text, and everybody can
use it."""

import pathlib

import html5lib
import pytest
from shown_datasets import HOSTILE
from playwright.sync_api import Browser
from visits import Visit

from shardine.viewer import Viewer

pytest_plugins = ["shown_datasets"]
SCHEMES = ("light", "dark")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_pages_break_no_serious_rule_of_axe(
    browser: Browser, leaking: pathlib.Path, hostile: pathlib.Path, scheme: str
) -> None:
    for name, datasets in {"one": [leaking], "two": [leaking, leaking], "hostile": [hostile]}.items():
        with Viewer(datasets) as viewer:
            visit = Visit(browser, scheme)
            for page in ("", "?finding=leakage", "sample?split=train&position=1"):
                visit.open(viewer.url + page)
                assert visit.nodes() <= 3000 and visit.is_within()
                assert visit.violations() == []
                visit.keep(f"view-{name}-{scheme}-{page[:7].strip('?=')}")
            visit.ends_well(viewer.url)


def test_hostile_names_are_text_in_pages(browser: Browser, hostile: pathlib.Path) -> None:
    with Viewer([hostile]) as viewer:
        visit = Visit(browser, "light")
        page = visit.open(viewer.url)
        assert HOSTILE[0] in page.inner_text("body")
        assert page.locator("img[src=x], script").count() == 0
        page.click("figure a >> nth=0")
        page.wait_for_selector("section")
        assert HOSTILE[0] in page.inner_text("body")
        assert page.evaluate("window.hacked") is None
        visit.ends_well(viewer.url)


def test_pages_are_valid_html(leaking: pathlib.Path, hostile: pathlib.Path) -> None:
    for dataset in (leaking, hostile):
        with Viewer([dataset]) as viewer:
            for page, query in {
                "": {},
                "sample": {"split": "train", "position": "0"},
            }.items():
                content = viewer.answer(page, query)[1]
                html5lib.HTMLParser(strict=True).parse(content.decode())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_keyboard_reaches_all_of_a_page(
    browser: Browser, leaking: pathlib.Path, scheme: str
) -> None:
    with Viewer([leaking]) as viewer:
        visit = Visit(browser, scheme)
        page = visit.open(viewer.url)
        wanted, seen = visit.reached()
        assert len(wanted) > 10 and seen[: len(wanted)] == wanted
        page.focus("select[name=finding]")
        page.keyboard.press("l")  # leakage
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_url("**finding=leakage**")
        visit.ends_well(viewer.url)


def test_each_of_21841_classes_can_be_chosen(
    browser: Browser, many_classes: pathlib.Path
) -> None:
    with Viewer([many_classes]) as viewer:
        visit = Visit(browser, "light")
        page = visit.open(viewer.url)
        assert visit.nodes() <= 3000
        page.fill("input[name=label]", "n00021840")
        page.select_option("select[name=split]", "val")
        page.click("button")
        page.wait_for_url("**label=n00021840**")
        assert "n00021840/n00021840_21840.JPEG" in page.inner_text("body")
        assert visit.violations() == []
        visit.ends_well(viewer.url)
