"""Shows the progress of ninja or ctest as one line: stage, counts, the rest.

Reads their output from stdin. On a terminal the line is rewritten; elsewhere one
line a minute is printed. All other output, such as errors and the output of
failed tests, passes through. ELAPSED seconds of the stage are over; it takes
about MINUTES as a whole.
Usage: progress.py STAGE STEP ELAPSED MINUTES
"""

import re
import sys
import time

BUILT = re.compile(r"\[(\d+)/(\d+)\] ")
TESTED = re.compile(r" *(\d+)/(\d+) Test +#\d+: .*?(Passed|\*\*\*\w[\w ]*?) +[\d.]+ sec")
HIDDEN = re.compile(r" +Start +\d+: |Test project |Internal ctest |Constructing a list|"
                    r"Checking test dep|Updating test list|Done |ninja: |$")
INTERVAL_S = 60.0


class Progress:
    """One line of progress, printed at most once in each interval."""

    def __init__(self, stage: str, step: str, elapsed_s: float,
                 minutes: float) -> None:
        self.name = f"{stage} {step}"
        self.minutes = minutes
        self.on_terminal = sys.stdout.isatty()
        self.printed = time.monotonic()
        self.begin = self.printed - elapsed_s
        self.failed = 0

    def text(self, done: int, total: int) -> str:
        elapsed = (time.monotonic() - self.begin) / 60
        failed = f"{self.failed} failed, " if self.failed else ""
        return (f"[{self.name}] {done}/{total}, {failed}{total - done} left; "
                f"{elapsed:.1f} of about {self.minutes:g} min")

    def show(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self.on_terminal:
            sys.stdout.write(f"\r\033[K{self.text(done, total)}")
        elif now - self.printed >= INTERVAL_S or done == total:
            self.printed = now
            print(self.text(done, total))
        sys.stdout.flush()

    def pass_on(self, line: str) -> None:
        if self.on_terminal:
            sys.stdout.write("\r\033[K")
        sys.stdout.write(line)
        sys.stdout.flush()

    def take(self, line: str) -> None:
        if built := BUILT.match(line):
            self.show(int(built[1]), int(built[2]))
        elif tested := TESTED.match(line):
            if tested[3] != "Passed" and "Skipped" not in tested[3]:
                self.failed += 1
            if tested[3] != "Passed":
                self.pass_on(line)
            self.show(int(tested[1]), int(tested[2]))
        elif not HIDDEN.match(line):
            self.pass_on(line)


def main(stage: str, step: str, elapsed_s: str, minutes: str) -> None:
    progress = Progress(stage, step, float(elapsed_s), float(minutes))
    for raw in sys.stdin.buffer:
        progress.take(raw.decode(errors="backslashreplace"))
    if progress.on_terminal:
        print()


if __name__ == "__main__":
    main(*sys.argv[1:])
