"""Compares the tables, evaluated at earlier releases, with what these releases take.

    python past.py           the releases of VERSIONS
    python past.py --all     every release of the cache

`releases.py` fetches the archives, `snapshot.py` and `deepspeed_releases.py` read them. A table says for a release which names it has, with
which defaults and values, and what is deprecated; the release is read anew and must say the same.
"""

import json
import pathlib
import sys

import classes
import history
import keys
import releases
from order import order

VERSIONS = {
    "transformers": ["4.36.0", "4.46.3", "4.51.3", "4.57.6", "5.0.0", "5.10.4", "5.23.0"],
    "trl": ["0.7.0", "0.9.6", "0.12.0", "0.16.1", "0.20.0", "0.25.1", "0.29.0", "1.2.0", "1.7.0", "1.16.0"],
    "peft": ["0.6.2", "0.10.0", "0.13.2", "0.17.1", "0.21.2"],
    "accelerate": ["0.20.0", "0.28.0", "0.34.0", "1.0.0", "1.6.0", "1.10.0", "1.15.0"],
    "deepspeed": ["0.9.0", "0.12.6", "0.14.0", "0.16.0", "0.18.0", "0.19.3", "0.19.8"],
}
DATA = history.DATA.parent


class Report:
    """The differences of one library."""

    def __init__(self):
        self.wrong, self.facts = [], 0

    def check(self, right: bool, text: str) -> None:
        self.facts += 1
        if not right:
            self.wrong.append(text)


def holds(row: dict, version: str) -> bool:
    """Whether a row says that the release has it."""
    at = order(version)
    return (order(row.get("since", "0")) <= at and ("until" not in row or at < order(row["until"]))
            and not any(order(start) <= at < order(end) for start, end in row.get("absent", [])))


def default_at(row: dict, version: str) -> str | None:
    """The default that a row tells for a release; None where it tells none."""
    moved = [value for since, value in row.get("defaults", []) if since is None or order(since) <= order(version)]
    if moved:
        return moved[-1]
    return row["default"] if "default" in row else "required" if row.get("required") else None


def values_at(row: dict, version: str) -> set:
    """The values that a row lists for a release."""
    past = {entry["value"]: entry for entry in row.get("past_values", [])}
    return {value for value in [*row.get("values", []), *past] if value not in past or holds(past[value], version)}


def kind_at(row: dict, version: str) -> str:
    """The kind that a row tells for a release."""
    moved = [kind for since, kind in row.get("kinds", []) if since is None or order(since) <= order(version)]
    return moved[-1] if moved else row["kind"]


def classes_of(library: str, versions: list[str], report: Report) -> None:
    """The classes of a library."""
    table = {row["name"]: row for row in json.loads((DATA / "classes" / f"{library}.json").read_text(encoding="utf-8"))["classes"]}
    for version in versions:
        states = json.loads((history.SNAPSHOTS / library / f"{version}.json").read_text(encoding="utf-8"))
        for spec in classes.CLASSES[library]:
            name, state = spec["name"], states.get(spec["name"])
            if state is None:
                report.check(name not in table or table[name].get("since") is None or not holds(table[name], version),
                             f"{library} {version}: {name} is in the table alone")
                continue
            row, where = table[name], f"{library} {version} {name}"
            report.check(holds(row, version) == state["exported"] or not any(key in row for key in ("since", "until")),
                         f"{where}: exported {state['exported']}")
            if "base" in row and row["base"] in table:
                report.check((order(row.get("base_since", "0")) <= order(version)) == state["based"], f"{where}: base")
            own = {field["name"]: field for field in row["fields"]}
            there = {field for field in own if holds(own[field], version)}
            for field in sorted(there ^ set(state["fields"])):
                report.check(False, f"{where}.{field}: {'the release' if field in state['fields'] else 'the table'} alone has it")
            for field in sorted(there & set(state["fields"])):
                said, told = state["fields"][field], own[field]
                report.check(True, "")
                wanted, value = default_at(told, version), history.standing_value(said)
                if not said.get("dropped"):
                    report.check(wanted == value or wanted is None and value in ("computed", "null"), f"{where}.{field}: default {value}, {wanted} in the table")
                if said["values"] and "values" in told and told["kind"] == said["kind"]:
                    report.check(values_at(told, version) == set(said["values"]) or "past_values" in history.SUPPLEMENT.get(name, {}).get("fields", {}).get(field, {}),
                                 f"{where}.{field}: values {sorted(values_at(told, version) ^ set(said['values']))}")
                if "deprecated" in told and order(told["deprecated"]) <= order(version):
                    report.check(said.get("deprecated", False), f"{where}.{field}: not deprecated")
                # An annotation that allows several kinds says nothing of one.
                if "any" not in (told["kind"], said["kind"]):
                    report.check(kind_at(told, version) == said["kind"], f"{where}.{field}: {said['kind']}, {kind_at(told, version)} in the table")


def deepspeed_keys(versions: list[str], report: Report) -> None:
    """DeepSpeed's keys."""
    data = json.loads((DATA / "deepspeed.json").read_text(encoding="utf-8"))
    rows = data["keys"]
    spellings = {path for row in rows for path in [row["path"], *row.get("aliases", [])]}
    blocks = {path.rsplit(".", depth)[0] for path in spellings for depth in range(1, path.count(".") + 1)}
    gone = tuple(f"{row['path']}." for row in rows if row.get("standing") in ("refused", "converted"))
    for version in versions:
        release = keys.load(version)
        for row in rows:
            said, parsed = keys.asked(row, release)
            if said is None and row["path"] == "eigenvalue":
                continue
            back = row.get("standing") == "refused" and said is None and "until" in row
            report.check(holds(row, version) == (said is not None) or back,
                         f"deepspeed {version} {row['path']}: {'read' if said is not None else 'not read'}")
            if said is None or not parsed or not holds(row, version):
                continue
            value, wanted = said.get("default"), default_at(row, version)
            if value is not None and row["kind"] not in ("map", "any"):
                report.check(keys.number(value) == keys.number(wanted) or wanted is None and value in ("null", "computed"),
                             f"deepspeed {version} {row['path']}: default {value}, {wanted} in the table")
        for path in release["names"]:
            known = path in spellings or path in blocks or path.startswith(gone) or path in keys.NO_KEYS
            report.check(known, f"deepspeed {version} {path}: the release alone reads it")


def accelerate_keys(versions: list[str], report: Report) -> None:
    """The keys of accelerate's file: at the top those of the class, in blocks the flags of the launcher."""
    data = json.loads((DATA / "accelerate.json").read_text(encoding="utf-8"))
    place = "accelerate.commands.config.config_args."
    for version in versions:
        states = json.loads((history.SNAPSHOTS / "accelerate" / f"{version}.json").read_text(encoding="utf-8"))
        flags = states["accelerate.launch"]["fields"]
        for part, rows in (("ClusterConfig", data["keys"]), ("SageMakerConfig", data["sagemaker"])):
            fields = states[place + part]["fields"]
            top = {row["path"]: row for row in rows if "." not in row["path"] and row.get("standing") != "converted"}
            for name in sorted(set(fields) | {name for name in top if holds(top[name], version)}):
                report.check(name in fields and name in top and holds(top[name], version),
                             f"accelerate {version} {part}.{name}: {'the class' if name in fields else 'the table'} alone has it")
            for row in rows:
                block, _, name = row["path"].rpartition(".")
                if not block or not (name in flags or "commands/launch.py" in row["source"]):
                    continue
                report.check(holds(row, version) == (name in flags), f"accelerate {version} {row['path']}: {'a flag' if name in flags else 'no flag'}")


def main() -> None:
    wrong = 0
    for library in VERSIONS:
        report = Report()
        versions = releases.cached(library) if "--all" in sys.argv else VERSIONS[library]
        if library == "deepspeed":
            deepspeed_keys(versions, report)
        else:
            classes_of(library, versions, report)
            if library == "accelerate":
                accelerate_keys(versions, report)
        print(f"{library}: {len(versions)} releases, {report.facts} facts, {len(report.wrong)} differences")
        for text in report.wrong:
            print("  " + text)
        wrong += len(report.wrong)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
