"""The conda recipe has rattler-build's form and agrees with pyproject.toml.

The recipe is rendered, not built. Each library of tools/install_deps.sh has its
package in the recipe. Usage: conda_recipe.py ROOT
"""

import pathlib
import re
import sys
import tomllib
from collections.abc import Iterator
from typing import Any

import rattler_build

# Debian's packages of libraries and their names on conda-forge.
HOST = {"libboost-program-options-dev": "libboost-devel", "libcsv-dev": "libcsv",
        "libcurl4-openssl-dev": "libcurl", "libexpat1-dev": "expat",
        "libgif-dev": "giflib", "libhdf5-dev": "hdf5", "libhwy-dev": "libhwy", "libisal-dev": "isa-l",
        "libjpeg62-turbo-dev": "libjpeg-turbo", "liblmdb-dev": "lmdb",
        "libpng-dev": "libpng", "libprotobuf-dev": "libprotobuf", "libre2-dev": "re2",
        "libsimdjson-dev": "simdjson", "libssl-dev": "openssl",
        "libstb-dev": "stb", "libtiff-dev": "libtiff", "libwebp-dev": "libwebp-base",
        "libutf8proc-dev": "libutf8proc", "libxxhash-dev": "xxhash",
        "libyaml-dev": "yaml", "libzstd-dev": "zstd", "nlohmann-json3-dev": "nlohmann_json",
        "protobuf-compiler": "libprotobuf", "zlib1g-dev": "zlib"}
PROGRAMS = {"ca-certificates", "cmake", "g++", "git", "ninja-build", "pkg-config"}


def rendered(text: str) -> dict[str, Any]:
    variant = rattler_build.VariantConfig({
        "c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"],
        "cxx_compiler": ["gxx"], "python": ["3.12"]})
    outputs = rattler_build.Stage0Recipe.from_yaml(text).render(variant)
    recipe: dict[str, Any] = outputs[0].recipe.to_dict()
    return recipe


def faults(root: pathlib.Path, recipe: dict[str, Any]) -> Iterator[str]:
    """The places where the recipe and the project disagree."""
    project = tomllib.loads((root / "pyproject.toml").read_text())
    cmake = (root / "CMakeLists.txt").read_text()
    version = re.search(r"^project\(shardine VERSION (\S+)", cmake, re.MULTILINE)
    if version is None or recipe["package"]["version"] != version[1]:
        yield f"version {recipe['package']['version']}"
    needs = recipe["requirements"]
    host = {line.partition(" ")[0]: line for line in needs["host"]}
    for pin in project["build-system"]["requires"]:
        name, _, number = pin.partition("==")
        if host.get(name) != f"{name} =={number}":
            yield f"{pin} of pyproject.toml"
    wanted = [re.sub(r"(?=>=)", " ", need, count=1)
              for need in project["project"]["dependencies"]]
    wanted.append("python " + project["project"]["requires-python"])
    if sorted(needs["run"]) != sorted(wanted):
        yield f"run: {needs['run']}, not {wanted}"
    scripts = [f"{name} = {call}" for name, call in project["project"]["scripts"].items()]
    if recipe["build"]["python"]["entry_points"] != scripts:
        yield f"entry points, not {scripts}"
    listed = re.search(r"^build=\((.*?)^\)", (root / "tools/install_deps.sh").read_text(),
                       re.MULTILINE | re.DOTALL)
    if listed is None:
        sys.exit("tools/install_deps.sh has no list called build")
    for package in listed[1].split():
        if package not in PROGRAMS and HOST.get(package) not in host:
            yield f"{package} of tools/install_deps.sh: {HOST.get(package)}"


def prove_itself(root: pathlib.Path, text: str) -> None:
    for change in (("zstd\n", "lz4\n"), ("==3.1.0", "==3.0.0"), ("0.1.0", "0.0.9"),
                   ("numpy >=1.22", "numpy"), (" = _shardine_programs:im2rec", " = im2rec:main")):
        if not list(faults(root, rendered(text.replace(*change)))):
            sys.exit(f"a changed recipe passes: {change}")
    try:
        rendered(text.replace("requirements:", "requires:"))
    except rattler_build.RattlerBuildError:
        return
    sys.exit("rattler-build takes a field that it does not know")


def main(root: pathlib.Path) -> int:
    text = (root / "tools/conda/recipe.yaml").read_text()
    wrong = list(faults(root, rendered(text)))
    for line in wrong:
        print(line)
    prove_itself(root, text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
