"""Checks that tools/install_deps.sh installs the Debian package of each library that
CMake looks for, and no library beside these.

Proves first that it sees a package that is missing and one that nothing needs.
Usage: needed_packages.py ROOT
"""

import pathlib
import re
import shutil
import subprocess
import sys

# Exit code of a test that cannot run here.
SKIPPED = 77
# Found by a name that pkg-config does not have.
WITHOUT_MODULE = {"libboost-program-options-dev"}


def words_of(text: str, begin: str) -> set[str]:
    """The words between BEGIN and the parenthesis that closes its list."""
    found = re.search(re.escape(begin) + r"([^)]*)\)", text)
    return set(found[1].split()) if found else set()


def modules_of(cmake: pathlib.Path) -> set[str]:
    """The modules of pkg-config that a build looks for."""
    linked = (cmake / "linked_libraries.cmake").read_text()
    others = (cmake / "dependencies.cmake").read_text()
    return (words_of(linked, "set(SHARDINE_LINKED_MODULES")
            | set(re.findall(r"pkg_check_modules\(\w+ REQUIRED ([a-z]\S*)\)", others))
            | set(re.findall(r"find_package\((nlohmann_json)", others)))


def libraries_of(cmake: pathlib.Path) -> set[str]:
    """The libraries without a module that a build looks for."""
    return set(re.findall(r"find_library\(\w+ (\w+) REQUIRED\)",
                          (cmake / "dependencies.cmake").read_text()))


def owners_of(files: dict[str, str]) -> dict[str, str]:
    """{module or library: Debian package that has its file}."""
    owners = {}
    for module, file in files.items():
        listing = subprocess.run(["dpkg-query", "--search", file],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 text=True).stdout
        owners[module] = listing.split(":")[0] or "no package"
    return owners


def faults_of(owners: dict[str, str], installed: set[str]) -> list[str]:
    faults = [f"{module} is of {owner}, which install_deps.sh does not install"
              for module, owner in sorted(owners.items()) if owner not in installed]
    libraries = {name for name in installed
                 if re.fullmatch(r"(lib|nlohmann|zlib).*-dev", name)}
    return faults + [f"CMake looks for no library of {name}" for name in
                     sorted(libraries - {*owners.values()} - WITHOUT_MODULE)]


def main(root: pathlib.Path) -> int:
    owners = {"zlib": "zlib1g-dev"}
    if (faults_of(owners, {"zlib1g-dev", "g++"})
            or len(faults_of(owners, {"g++"})) != 1
            or len(faults_of(owners, {"zlib1g-dev", "libold-dev"})) != 1):
        raise SystemExit("needed_packages.py does not see what it must")
    if not shutil.which("dpkg-query"):
        print("not run: this system has no dpkg-query")
        return SKIPPED
    installed = words_of((root / "tools/install_deps.sh").read_text(), "build=(")
    cmake = root / "tools/cmake"
    owners = owners_of(
        {module: f"*/pkgconfig/{module}.pc" for module in modules_of(cmake)}
        | {library: f"*/lib{library}.so" for library in libraries_of(cmake)})
    faults = faults_of(owners, installed)
    for fault in faults:
        print(fault)
    print(f"{len(owners)} libraries, {len(faults)} faults")
    return 1 if faults or len(owners) < 10 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
