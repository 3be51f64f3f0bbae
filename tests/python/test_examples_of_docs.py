"""Every public thing has a docstring, and an example in it that runs.

A function or class has one of its own. A class that a verb returns is in the output of
some verb's example. A method or property is used in an example of a class that has it, or
of such a class's methods.
"""

import doctest
import inspect
import pathlib
import re
import shutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from conftest import PHOTOS, pack

import shardine
import shardine.outcome

PARSER = doctest.DocTestParser()


def examples_of(thing: Any) -> list[doctest.Example]:
    """The examples of a thing's own docstring."""
    text = thing.__doc__ if isinstance(thing, property) else inspect.getdoc(thing)
    return PARSER.get_examples(text or "")


def members_of(cls: type) -> Iterator[tuple[str, Any]]:
    """Public functions and properties that a class of ours has."""
    for name in dir(cls):
        member = inspect.getattr_static(cls, name)
        owner = next(each for each in cls.__mro__ if name in vars(each))
        if name.startswith("_") or not owner.__module__.startswith(cls.__module__[:8]):
            continue
        if callable(member) or isinstance(member, (property, classmethod)) or (
            type(member).__name__ == "nb_property"
        ):
            yield name, member


def uses(example: doctest.Example, name: str) -> bool:
    return re.search(rf"\b{name}\b", example.source) is not None


def returned(public: dict[str, Any]) -> set[str]:
    """Classes that verbs return, and the classes of their members."""
    words: set[str] = set()
    for thing in public.values():
        calls = ([thing] if inspect.isroutine(thing)
                 else [each for _, each in members_of(thing)])
        for call in calls:
            kinds = getattr(call, "__annotations__", {})
            words |= set(re.findall(r"\w+", str(kinds.get("return"))))
    for name in sorted(words & set(public)):
        for kind in getattr(public[name], "__annotations__", {}).values():
            words |= set(re.findall(r"\w+", str(kind)))
    return words


def lacking(module: ModuleType) -> list[str]:
    """Public names without a docstring, or that no example shows."""
    found: list[str] = []
    public = {name: getattr(module, name) for name in module.__all__
              if not name.startswith("__")}
    every = [each for thing in public.values() for each in examples_of(thing)]
    kin = [thing for thing in public.values() if inspect.isclass(thing)]
    results = returned(public)
    for name, thing in public.items():
        is_result = inspect.isclass(thing) and issubclass(
            thing, shardine.outcome.Outcome)
        shown = bool(examples_of(thing)) or (is_result and name in results)
        if not inspect.getdoc(thing) or not shown:
            found.append(name)
        if not inspect.isclass(thing):
            continue
        family = [each for other in kin if issubclass(other, thing)
                  or issubclass(thing, other) for each in examples_of(other)]
        if is_result:
            family = every
        members = dict(members_of(thing))
        family += [each for member in members.values() for each in examples_of(member)]
        found += [f"{name}.{member}" for member in members
                  if not any(uses(each, member) for each in family)]
        found += [f"{name}.{member} has no docstring"
                  for member, what in members.items() if not inspect.getdoc(what)]
    return found


def test_every_public_name_has_an_example() -> None:
    assert lacking(shardine) == []


def test_a_name_without_an_example_is_found() -> None:
    module = ModuleType("shardine_made_up")

    def shown() -> int:
        """Has one.

        >>> shown()
        1
        """
        return 1

    def told() -> None:
        """Has none."""

    class Thing:
        """
        >>> Thing().used(), Thing().silent()
        """

        def used(self) -> None:
            """Above."""

        def unused(self) -> None:
            """Nowhere."""

        def silent(self) -> None:
            Thing().silent()

    Thing.__module__ = module.__name__
    for each in (shown, told, Thing):
        setattr(module, each.__name__, each)
    module.__all__ = ["shown", "told", "Thing"]  # type: ignore[attr-defined]
    assert lacking(module) == ["told", "Thing.unused", "Thing.silent has no docstring"]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The folder in which the examples run."""
    world = tmp_path_factory.mktemp("world")
    for name in ("boat", "house", "tree"):
        (world / "photos" / name).mkdir(parents=True)
        for number in range(8):
            shutil.copy(PHOTOS / "hounds" / "made_gray.jpg",
                        world / "photos" / name / f"{number}.jpg")
    pack(world / "photos", world / "packed")
    pack(world / "photos", world / "data", "--shard-size=64K", "--seed=7",
         "--variants=original,sz/160")
    shutil.copy(next((world / "packed").glob("*.rec")), world / "foreign.rec")
    return world


def documented() -> Iterator[str]:
    """Names with examples: of the package, and of classes that it has."""
    for name in shardine.__all__:
        thing = getattr(shardine, name)
        if examples_of(thing):
            yield name
        if inspect.isclass(thing):
            yield from (f"{name}.{member_name}" for member_name, member
                        in members_of(thing) if examples_of(member))


@pytest.mark.parametrize("name", list(documented()))
def test_the_example_runs(
    name: str, world: pathlib.Path, tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.copytree(world, tmp_path / "world")
    monkeypatch.chdir(tmp_path / "world")
    thing: Any = shardine
    if name.endswith(".as_torch"):
        pytest.importorskip("torch", reason="tests/interop/torch runs it")
    for part in name.split("."):
        thing = inspect.getattr_static(thing, part)
    text = thing.__doc__ if isinstance(thing, property) else inspect.getdoc(thing)
    test = PARSER.get_doctest(text or "", {"shardine": shardine}, name, None, None)
    said: list[str] = []
    doctest.DocTestRunner().run(test, out=said.append)
    assert not said, "".join(said)
