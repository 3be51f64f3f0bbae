"""The blocks of code of python/examples/README.md, by the headings that they stand
under, to be run as they are written there."""

import pathlib
import re
from typing import Any

PAGE = pathlib.Path(__file__).parents[3] / "python" / "examples" / "README.md"
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def _found() -> list[tuple[str, str, str, int]]:
    """Heading, language and text of each block, and the line that it begins after."""
    page = PAGE.read_text()
    # A comment in a block looks like a heading.
    bare = _FENCE.sub(lambda fence: re.sub(r"[^\n]", " ", fence[0]), page)
    headings = [(each.start(), each[1]) for each in _HEADING.finditer(bare)]
    return [([name for at, name in headings if at < fence.start()][-1], fence[1], fence[2],
             page.count("\n", 0, fence.start(2)))
            for fence in _FENCE.finditer(page)]


def headings() -> set[str]:
    """All headings that code stands under."""
    return {heading for heading, *_ in _found()}


def shell_lines() -> str:
    """The page's commands for the shell."""
    return "".join(text for _, language, text, _ in _found() if language == "sh")


def run_block(heading: str, given: dict[str, Any], number: int = 0) -> dict[str, Any]:
    """Runs the block of that number under the heading with these names given;
    returns them with the names that it defines."""
    texts = [(text, line) for name, language, text, line in _found()
             if name == heading and language == "python"]
    text, line = texts[number]
    # A traceback shows the line of the page.
    exec(compile("\n" * line + text, str(PAGE), "exec"), given)
    return given
