"""A report in a browser: nothing leaves the machine, names are text, and everybody can
use it."""

import pathlib

import html5lib
import pytest
from shown_datasets import HOSTILE
from playwright.sync_api import Browser
from visits import Visit

import shardine

pytest_plugins = ["shown_datasets"]
SCHEMES = ("light", "dark")


@pytest.fixture(scope="session")
def reports(
    leaking: pathlib.Path, hostile: pathlib.Path, many_classes: pathlib.Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, pathlib.Path]:
    folder = tmp_path_factory.mktemp("reports")
    paths = {}
    for name, dataset in {
        "leaking": leaking, "hostile": hostile, "many": many_classes
    }.items():
        paths[name] = folder / f"{name}.html"
        shardine.report(dataset, paths[name])
    return paths


def open_all(visit: Visit) -> None:
    """Opens each section, and waits until it is drawn."""
    for summary in visit.page.query_selector_all("summary"):
        summary.click()
    visit.page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["leaking", "hostile", "many"])
def test_a_report_breaks_no_serious_rule_of_axe(
    browser: Browser, reports: dict[str, pathlib.Path], name: str, scheme: str
) -> None:
    visit = Visit(browser, scheme)
    visit.open(reports[name].as_uri())
    assert visit.nodes() <= 3000 and visit.is_within()
    assert visit.violations() == []
    visit.keep(f"report-{name}-{scheme}")
    open_all(visit)
    if name == "leaking":
        visit.keep(f"report-{name}-{scheme}-open")
    assert visit.violations() == []
    visit.ends_well("file://")


def test_hostile_names_are_text_in_a_report(
    browser: Browser, reports: dict[str, pathlib.Path]
) -> None:
    visit = Visit(browser, "light")
    page = visit.open(reports["hostile"].as_uri())
    open_all(visit)
    page.fill("#search", "onerror")
    assert page.locator("#search-results figure").count() > 0
    assert page.evaluate("window.hacked") is None
    assert page.locator("img[src=x], main script").count() == 0
    text = page.inner_text("main")
    assert HOSTILE[0] in text and "{{json}}" in text
    assert "\x1b" not in text
    visit.ends_well("file://")


def test_a_report_is_valid_html(reports: dict[str, pathlib.Path]) -> None:
    for path in reports.values():
        html5lib.HTMLParser(strict=True).parse(path.read_text("utf-8"))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_keyboard_reaches_all_of_a_report(
    browser: Browser, reports: dict[str, pathlib.Path], scheme: str
) -> None:
    visit = Visit(browser, scheme)
    page = visit.open(reports["leaking"].as_uri())
    wanted, seen = visit.reached()
    assert len(wanted) > 15 and seen[: len(wanted)] == wanted
    # The first one leads to the verdict; Enter opens a section.
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    assert page.locator(".skip").get_attribute("href") == "#verdict"
    page.focus('details[data-section="found"] summary')
    page.keyboard.press("Enter")
    page.wait_for_selector('details[data-section="found"] figure img')
    visit.ends_well("file://")


def test_light_and_dark_are_different_colors(
    browser: Browser, reports: dict[str, pathlib.Path]
) -> None:
    seen = set()
    for scheme in SCHEMES:
        visit = Visit(browser, scheme)
        page = visit.open(reports["leaking"].as_uri())
        seen.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        visit.ends_well("file://")
    assert len(seen) == 2


def test_all_of_21841_classes_are_reached_in_a_small_page(
    browser: Browser, reports: dict[str, pathlib.Path]
) -> None:
    path = reports["many"]
    assert path.stat().st_size <= 5_000_000
    visit = Visit(browser, "light")
    page = visit.open(path.as_uri())
    page.click('details[data-section="classes"] summary')
    assert "1 to 100 of 21,841 classes" in page.inner_text("#classes")
    page.fill("#class-filter", "n00021840")
    assert "n00021840" in page.inner_text("#classes tbody")
    page.fill("#class-filter", "")
    page.click('details[data-section="samples"] summary')
    assert visit.nodes() <= 6000
    visit.ends_well("file://")


def test_a_printed_report_has_its_sections(
    browser: Browser, reports: dict[str, pathlib.Path]
) -> None:
    visit = Visit(browser, "light")
    page = visit.open(reports["leaking"].as_uri())
    assert page.pdf()[:5] == b"%PDF-"
    assert page.locator("details[data-section]:not([open])").count() == 0
    page.emulate_media(media="print")
    assert not page.locator("#search-form").is_visible()
    visit.keep("report-print")
    visit.ends_well("file://")
