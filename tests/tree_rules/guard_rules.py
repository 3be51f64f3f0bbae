"""Checks that no function of a library has a static variable with a guard: the child of
a fork that came while a thread made the variable would wait for ever. base/made_once.h
has the replacement.

Each run first proves that the checker sees a guard.
Usage: guard_rules.py NM LIBRARY
"""

import re
import subprocess
import sys

GUARD = re.compile(r"^[0-9a-f]+ \w guard variable for (.*)$", re.MULTILINE)
ACQUIRE = re.compile(r"^ +U __cxa_guard_acquire$", re.MULTILINE)
# No guard of a variable of each thread is ever waited for: such units never acquire one.
UNIT = re.compile(r"^(\S+\.o):$", re.MULTILINE)


def guarded(listing: str) -> list[str]:
    """`listing` is nm's of an archive, with names as C++ has them."""
    parts = UNIT.split(listing)
    return [f"{unit}: {name}" for unit, symbols in zip(parts[1::2], parts[2::2])
            if ACQUIRE.search(symbols) for name in GUARD.findall(symbols)]


def main(nm: str, library: str) -> int:
    example = ("\na.cc.o:\n00 b guard variable for A()::a\n                 U "
               "__cxa_guard_acquire\n\nb.cc.o:\n00 b guard variable for B()::of_thread\n")
    if guarded(example) != ["a.cc.o: A()::a"]:
        raise SystemExit("guard_rules.py does not see a guard")
    listing = subprocess.run([nm, "-C", library], check=True, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    wrong = guarded(listing)
    for line in wrong:
        print(f"{line} has a guard")
    units = len(UNIT.findall(listing))
    print(f"{units} units, {len(wrong)} guards")
    return 1 if wrong or units < 20 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
