"""The report of a verification, as `shardine finalize --json` prints it."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Optional, Sequence

from ..dataset_results import Contents
from ..verb_results import Finding, SplitCopies, VerifyResult

# Codes of findings that are damage, as tools/README.md has exit codes; else the first
# finding gives the code of the error that kept the check from finding out.
_DAMAGE = ("corrupt", "not_found", "changed")
_EXIT_CODES = {"io": 5, "remote": 6}


def _name(text: str) -> str:
    """Any bytes, which the program writes as \\xHH where they are not plain."""
    plain = re.sub(
        rb"\\x([0-9a-f]{2})", lambda found: bytes.fromhex(found[1].decode()), text.encode()
    )
    return plain.decode(errors="surrogateescape")


def _finding(found: Dict[str, Any]) -> Finding:
    key = found.get("key")
    return Finding(
        code=found["code"].replace("-", "_"),
        path=_name(found["path"]),
        record=found.get("record"),
        key=None if key is None else _name(key),
        byte=found.get("byte"),
        message=found["message"],
    )


def report_of(said: bytes) -> Optional[VerifyResult]:
    """None: the output of finalize is no report."""
    try:
        report = json.loads(said)
    except ValueError:
        return None
    if "findings" not in report:
        return None
    return VerifyResult(
        target=_name(report["target"]),
        sound=report["sound"],
        shards=report["shards"],
        samples=report["samples"],
        bytes=report["bytes"],
        contents=Contents(**report["contents"]),
        findings=tuple(map(_finding, report["findings"])),
        notes=tuple(report["notes"]),
        copies=tuple(
            SplitCopies(**{**each, **{name: _name(each[name]) for name in ("split", "other")}})
            for each in report["copies"]
        ),
    )


def exit_code(findings: Sequence[Finding]) -> int:
    """The exit code of `shardine verify`."""
    if not findings:
        return 0
    if any(finding.code in _DAMAGE for finding in findings):
        return 4
    return _EXIT_CODES.get(findings[0].code, 1)
