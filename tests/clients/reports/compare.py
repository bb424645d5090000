"""Compares the reports with the findings of `--output-format json`, read by other people's readers where there are any.

    compare.py FOLDER REPORTS

FOLDER is the project; REPORTS holds `json`, `sarif`, `gitlab`, `junit`, `rdjson` of it, and `moved.gitlab`, the same after a line was
put above everything.
"""

import json
import re
import sys
from pathlib import Path
from urllib.parse import unquote

from junitparser import Failure, JUnitXml

folder, reports = Path(sys.argv[1]), Path(sys.argv[2])


def read(name: str):
    return json.loads((reports / name).read_text(encoding="utf-8"))


def text_of(path: str) -> str:
    with open(folder / path, encoding="utf-8", newline="") as handle:
        return handle.read()


FINDINGS = read("json")["findings"]
LINES = re.compile("\r\n|\n|\r")


def line_starts(text: str) -> list[int]:
    """Where each line starts, in characters."""
    return [0] + [match.end() for match in LINES.finditer(text)]


def offset(text: str, line: int, column: int, encoding: str, unit: int) -> int:
    """The byte offset of a line and a column, both from 1, in units of an encoding."""
    start = line_starts(text)[line - 1]
    before = text[start:].encode(encoding, "surrogatepass")[: (column - 1) * unit].decode(encoding)
    return len(text[:start].encode()) + len(before.encode())


def sarif() -> None:
    run = read("sarif")["runs"][0]
    assert run["columnKind"] == "utf16CodeUnits"
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) == len(FINDINGS) > 500
    levels = {"error": "error", "warning": "warning", "info": "note"}

    def place(physical) -> tuple[str, int, int]:
        address, region = physical["artifactLocation"], physical["region"]
        assert address["uriBaseId"] == "%SRCROOT%" and re.fullmatch(r"[A-Za-z0-9._~/%-]+", address["uri"]), address
        path = unquote(address["uri"])
        text = text_of(path)
        ends = [offset(text, region[f"{end}Line"], region[f"{end}Column"], "utf-16-le", 2) for end in ("start", "end")]
        return path, *ends

    def ours(at) -> tuple[str, int, int]:
        return at["path"], at["start"]["offset"], at["end"]["offset"]

    links = 0
    for result, finding in zip(run["results"], FINDINGS, strict=True):
        assert result["ruleId"] == finding["code"] == rules[result["ruleIndex"]]["id"]
        assert rules[result["ruleIndex"]]["name"] == finding["name"]
        assert result["level"] == levels[finding["severity"]]
        assert place(result["locations"][0]["physicalLocation"]) == ours(finding)
        related = result.get("relatedLocations", [])
        assert [place(one["physicalLocation"]) for one in related] == [ours(one) for one in finding["related"]]
        # Links are `[text](id)`, brackets in text have a backslash: each place that takes part is linked once, nothing else is.
        linked = re.findall(r"(?<!\\)\[(?:[^\[\]\\]|\\.)*\]\((\d+)\)", result["message"]["text"], re.DOTALL)
        assert linked == [str(one["id"]) for one in related], result["message"]
        links += len(linked)
        text = result["message"]["text"]
        if related or "](" in finding["message"]:
            text = re.sub(r"\\([\\\[\]])", r"\1", text)
        assert text.startswith(finding["message"]), text
        fixes = [fix for fix in finding["fixes"] if fix["applicability"] != "display"]
        assert len(fixes) == len(result.get("fixes", []))
        for theirs, fix in zip(result.get("fixes", []), fixes, strict=True):
            edits = {
                (*place({"artifactLocation": change["artifactLocation"], "region": one["deletedRegion"]}), one["insertedContent"]["text"])
                for change in theirs["artifactChanges"]
                for one in change["replacements"]
            }
            assert edits == {(edit["path"], edit["offset"], edit["end_offset"], edit["text"]) for edit in fix["edits"]}
    prints = [result["partialFingerprints"]["vramlintLine/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)
    print(f"sarif: {len(FINDINGS)} results, {links} links, places and fixes are those of the JSON")


def gitlab() -> None:
    issues, moved = read("gitlab"), read("moved.gitlab")
    assert len(issues) == len(FINDINGS)
    for issue, finding in zip(issues, FINDINGS, strict=True):
        assert issue["location"] == {"path": finding["path"], "lines": {"begin": finding["start"]["line"], "end": finding["end"]["line"]}}
        assert issue["description"] == f"{finding['code']} {finding['message']}" and issue["check_name"] == finding["name"]
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
    prints = {issue["fingerprint"] for issue in issues}
    assert len(prints) == len(issues), "GitLab shows only the first of those that share one"
    assert [issue["location"]["lines"]["begin"] for issue in moved] != [issue["location"]["lines"]["begin"] for issue in issues]
    assert {issue["fingerprint"] for issue in moved} == prints, "what moves stays known"
    print(f"gitlab: {len(issues)} issues, known again after all of them moved")


def junit() -> None:
    xml = JUnitXml.fromfile(str(reports / "junit"))
    cases = [case for suite in xml for case in suite]
    assert len(cases) == xml.tests == len(FINDINGS)
    grave = [finding for finding in FINDINGS if finding["severity"] != "info"]
    assert xml.failures == len(grave) == sum(bool(case.result) for case in cases)
    assert xml.failures < xml.tests

    def shown(text: str) -> str:
        # XML has no control characters; a reader makes one kind of line break of three, and blanks of those in an attribute.
        return re.sub("[\0-\x08\x0b\x0c\x0e-\x1f]", "\ufffd", text)

    by_name = sorted((f"{finding['code']} {finding['name']}", shown(finding["path"]), finding["start"]["line"]) for finding in FINDINGS)
    assert sorted((case.name, case.classname, int(case._elem.get("line"))) for case in cases) == by_name
    told = sorted(result.message for case in cases for result in case.result if isinstance(result, Failure))
    assert told == sorted(shown(finding["message"]) for finding in grave)
    print(f"junit: {xml.tests} cases, {xml.failures} failures, read by junitparser")


def rdjson() -> None:
    result = read("rdjson")
    assert set(result) == {"source", "diagnostics"}
    severities = {"error": "ERROR", "warning": "WARNING", "info": "INFO"}
    suggestions = 0
    for diagnostic, finding in zip(result["diagnostics"], FINDINGS, strict=True):
        assert set(diagnostic) - {"suggestions"} == {"message", "location", "severity", "code"}
        assert diagnostic["severity"] == severities[finding["severity"]] and diagnostic["code"] == {"value": finding["code"]}
        assert diagnostic["message"].startswith(finding["message"])
        text = text_of(finding["path"])

        def ends(span) -> list[int]:
            return [offset(text, span[end]["line"], span[end]["column"], "utf-8", 1) for end in ("start", "end")]

        assert diagnostic["location"]["path"] == finding["path"]
        assert ends(diagnostic["location"]["range"]) == [finding["start"]["offset"], finding["end"]["offset"]]
        edits = [(edit["offset"], edit["end_offset"], edit["text"]) for fix in finding["fixes"] for edit in fix["edits"]]
        for suggestion in diagnostic.get("suggestions", []):
            suggestions += 1
            assert (*ends(suggestion["range"]), suggestion["text"]) in edits
    assert suggestions > 0
    print(f"rdjson: {len(result['diagnostics'])} diagnostics, {suggestions} suggestions")


sarif()
gitlab()
junit()
rdjson()
