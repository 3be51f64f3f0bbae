"""Takes the steps of a Dockerfile on a system below a folder, by chroot, and writes a
script that runs the entry point there as the user of the Dockerfile.

Usage: container_steps.py DOCKERFILE CONTEXT ROOT SCRIPT
"""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys


def steps_of(text: str) -> list[tuple[str, str]]:
    """Instruction and value of each step, continued lines as one."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    steps = [line.split(maxsplit=1) for line in joined.splitlines() if line.strip()]
    return [(name, value) for name, value in steps]


class Container:
    def __init__(self, context: pathlib.Path, root: pathlib.Path) -> None:
        self.context = context
        self.root = root
        self.environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
        self.user = "root"
        self.folder = "/"
        self.entry_point: list[str] = []

    def command(self, *words: str, user: str = "root") -> list[str]:
        inside = f'cd {shlex.quote(self.folder)} && exec "$@"'
        return ["chroot", f"--userspec={user}", str(self.root), "env", "-i",
                *self.environment, "sh", "-c", inside, "sh", *words]

    def take(self, name: str, value: str) -> None:
        if name == "FROM":
            if value != "debian:12-slim":
                sys.exit(f"the system below ROOT is Debian 12, not {value}")
        elif name == "RUN":
            pip = ["PIP_NO_INDEX=1", "PIP_FIND_LINKS=/srv/given",
                   "DEBIAN_FRONTEND=noninteractive"]
            subprocess.run(self.command("env", *pip, "sh", "-euc", value),
                           check=True, stdout=sys.stderr)
        elif name == "COPY":
            pattern, target = value.split()
            found = sorted(self.context.glob(pattern))
            if not found:
                sys.exit(f"{pattern}: there is no such file in {self.context}")
            for path in found:
                shutil.copy(path, self.root / target.lstrip("/"))
        elif name == "ENV":
            self.environment = [one for one in self.environment
                                if one.split("=")[0] != value.split("=")[0]]
            self.environment.append(value)
        elif name == "USER":
            self.user = value
        elif name == "WORKDIR":
            self.folder = value
            (self.root / value.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif name == "ENTRYPOINT":
            self.entry_point = json.loads(value)
        else:
            sys.exit(f"the step {name} is not known here")

    def script(self) -> str:
        passwd = (self.root / "etc/passwd").read_text(encoding="utf-8")
        entry = re.search(rf"^{self.user}:[^:]*:(\d+):(\d+):", passwd, re.MULTILINE)
        if entry is None or entry[1] == "0":
            sys.exit(f"the user {self.user} is root, or is not in /etc/passwd")
        words = self.command(*self.entry_point, user=f"{entry[1]}:{entry[2]}")
        return f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n'


def main(file: str, context: str, root: str, script: str) -> None:
    container = Container(pathlib.Path(context), pathlib.Path(root).resolve())
    for name, value in steps_of(pathlib.Path(file).read_text(encoding="utf-8")):
        container.take(name, value)
    path = pathlib.Path(script)
    path.write_text(container.script(), encoding="utf-8")
    path.chmod(0o755)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__.split("Usage: ")[1].strip())
    main(*sys.argv[1:])
