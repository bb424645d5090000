"""Joins the snapshots of all releases into the tables of classes: `python history.py` writes them.

A field is `since` the first release that takes it and `until` the first that no longer does; what was so in the oldest release
looked at has no `since`. What no source says by itself (bounds, removals that a method decides) stands in `supplement.json`;
`python history.py --supplement` writes it into the tables that are there, without the snapshots of the releases.
"""

import json
import pathlib
import re
import sys

import classes
from order import order

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DATA = ROOT / "crates" / "vramlint_catalog" / "data" / "classes"
SNAPSHOTS = ROOT / "target" / "oracle" / "snapshots"
GENERATED = "by tests/oracle/history.py, do not edit: what no release says by itself goes into tests/oracle/supplement.json"
SUPPLEMENT = json.loads((HERE / "supplement.json").read_text(encoding="utf-8"))
ORDER = ["name", "kind", "kinds", "values", "values_of", "closed", "closed_by", "extended_by", "past_values", "default", "defaults", "default_with", "required", "nullable", "position", "min", "above", "max", "below", "bounds_by",
         "since", "until", "absent", "library", "deprecated", "instead", "about", "source"]
CLASS_ORDER = ["name", "library", "names", "since", "until", "moved_to", "base", "base_since", "unknown"]


def spans(seen: list[bool], versions: list[str]) -> dict:
    """`since`, `until` and the gaps between, of something that releases have or lack."""
    first, last = seen.index(True), len(seen) - 1 - seen[::-1].index(True)
    found = {}
    if first:
        found["since"] = versions[first]
    if last + 1 < len(versions):
        found["until"] = versions[last + 1]
    gaps, start = [], None
    for place in range(first, last + 1):
        if not seen[place] and start is None:
            start = versions[place]
        elif seen[place] and start is not None:
            gaps.append([start, versions[place]])
            start = None
    if gaps:
        found["absent"] = gaps
    return found


def standing_value(state: dict) -> str:
    """The default of one release as a word."""
    if state.get("default") is not None:
        return state["default"]
    return "required" if state.get("required") else "computed" if state.get("computed") else "null"


def join_field(name: str, states: list[dict | None], versions: list[str], library: str) -> dict:
    """One field through all releases in which its class is there."""
    seen = [state is not None for state in states]
    latest = next(state for state in reversed(states) if state)
    newest = max(place for place, state in enumerate(states) if state)
    at = latest["at"]
    first_dropped = next((place for place, state in enumerate(states) if state and state.get("dropped")), None)
    if latest.get("dropped") and any(states[:first_dropped]):
        # What is only swallowed now says no more what it held.
        states = [*states[:first_dropped], *(state and {**states[first_dropped - 1], "deprecated": True} for state in states[first_dropped:])]
        latest = states[newest]
    field = {"name": name, "kind": latest["kind"], **spans(seen, versions), "library": library}
    if latest["kind"] == "any":
        latest = {**latest, "closed": False}
    for key in ("closed", "required", "nullable", "position", "min", "above", "max", "below", "instead"):
        if latest.get(key) is not None and latest[key] is not False:
            field[key] = latest[key]
    if latest["values"] and latest["kind"] in ("text", "int", "list", "float"):
        field["values"] = latest["values"]
        past = []
        having = [(place, state) for place, state in enumerate(states) if state and state["values"]]
        for value in dict.fromkeys(value for _, state in having for value in state["values"]):
            held = [value in state["values"] for _, state in having]
            span = spans(held, [versions[place] for place, _ in having])
            if span:
                past.append({"value": value, **{key: span[key] for key in ("since", "until") if key in span}})
        if past := [entry for entry in past if len(entry) > 1]:
            field["past_values"] = past
    moved = []
    for place, state in enumerate(states):
        if state is None:
            continue
        value = standing_value(state)
        if not moved or moved[-1][1] != value:
            moved.append([versions[place] if moved or place else None, value])
    if "default" in latest:
        field["default"] = latest["default"]
    if len(moved) > 1:
        field["defaults"] = moved
    kinds = []
    for place, state in enumerate(states):
        if state and state["kind"] != "any" and (not kinds or kinds[-1][1] != state["kind"]):
            kinds.append([versions[place] if kinds or place else None, state["kind"]])
    if len(kinds) > 1 and latest["kind"] != "any":
        field["kinds"] = kinds
    marks = [versions[place] for place, state in enumerate(states) if state and state.get("deprecated")]
    if marks and latest.get("deprecated"):
        # From the first release after which every one calls it deprecated.
        start = newest
        while start and states[start - 1] and states[start - 1].get("deprecated"):
            start -= 1
        field["deprecated"] = versions[start]
    else:
        field.pop("instead", None)
    if first_dropped is not None:
        field["about"] = f"accepted and dropped since {library} {versions[first_dropped]}"
    field["source"] = f"{library} {versions[newest]} {at}"
    return field


def join_class(spec: dict, library: str, versions: list[str], states: list[dict | None], supplement: dict) -> dict | None:
    """One class through all releases."""
    places = [place for place, state in enumerate(states) if state]
    if not places:
        return None
    known = list(range(places[0], places[-1] + 1))
    there = [versions[place] for place in known]
    names = dict.fromkeys(name for place in reversed(places) for name in states[place]["fields"])
    found = {"name": spec["name"], "library": library, "names": spec.get("names", [])}
    top = [bool(state and state["exported"]) for state in states]
    if any(top):
        found.update({key: value for key, value in spans(top, versions).items() if key != "absent"})
    if spec.get("base"):
        based = [bool(state and state.get("based")) for state in states]
        if any(based):
            found["base"] = spec["base"]
            first = based.index(True)
            if first > places[0]:
                found["base_since"] = versions[first]
    latest = states[places[-1]]
    found["unknown"] = spec.get("unknown") or ("passed" if latest["rest"] else "refused")
    # A class that its last module lost too went nowhere.
    if "until" in found and places[-1] + 1 == len(versions) and (folder := re.match(r"(trl/experimental/\w+)/", latest["path"])):
        found["moved_to"] = f"{folder[1].replace('/', '.')}.{spec['name'].rsplit('.', 1)[-1]}"
    extra = supplement.get(spec["name"], {})
    found.update(extra.get("class", {}))
    found = {key: found[key] for key in CLASS_ORDER if key in found}
    rows = []
    for name in names:
        line = [states[place]["fields"].get(name) if states[place] else None for place in known]
        # A release that lacks the class altogether says nothing about its fields.
        have = [place for place in range(len(known)) if states[known[place]]]
        field = join_field(name, [line[place] for place in have], [there[place] for place in have], library)
        if spec.get("closed") and field.get("values"):
            field["closed"] = True
        field.update(extra.get("fields", {}).get(name, {}))
        rows.append({key: field[key] for key in ORDER if key in field})
    for name, field in extra.get("fields", {}).items():
        if name not in names:
            field = {"name": name, "library": library, **field}
            rows.append({key: field[key] for key in ORDER if key in field})
    found["fields"] = rows
    return found


def write(library: str, tables: list[dict], versions: list[str]) -> None:
    """One file per library, one field a line."""
    DATA.mkdir(parents=True, exist_ok=True)
    lines = ["{", f' "generated": {json.dumps(GENERATED)},', f' "library": {json.dumps(library)}, "first": {json.dumps(versions[0])}, "last": {json.dumps(versions[-1])},', ' "classes": [']
    for number, table in enumerate(tables):
        rows = table.pop("fields")
        lines.append("  " + json.dumps(table, ensure_ascii=False)[:-1] + ', "fields": [')
        lines.extend("   " + json.dumps(row, ensure_ascii=False) + ("," if place + 1 < len(rows) else "") for place, row in enumerate(rows))
        lines.append("  ]}" + ("," if number + 1 < len(tables) else ""))
    lines += [" ]", "}"]
    name = {"ms-swift": "swift"}.get(library, library)
    (DATA / f"{name}.json").write_text("\n".join(lines) + "\n", encoding="utf-8")


def build(library: str) -> tuple[list[dict], list[str]]:
    """The tables of one library from its snapshots, which `snapshot.py` wrote."""
    files = sorted((SNAPSHOTS / library).glob("*.json"), key=lambda path: order(path.stem))
    versions = [path.stem for path in files]
    states = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    joined = (join_class(spec, library, versions, [state.get(spec["name"]) for state in states], SUPPLEMENT) for spec in classes.CLASSES[library])
    return [table for table in joined if table], versions


def reapply(path: pathlib.Path) -> None:
    """Writes what the supplement says of fields into the table of one library."""
    table = json.loads(path.read_text(encoding="utf-8"))
    for spec in table["classes"]:
        fields = {field["name"]: field for field in spec["fields"]}
        for name, extra in SUPPLEMENT.get(spec["name"], {}).get("fields", {}).items():
            fields.setdefault(name, {"name": name, "library": table["library"]}).update(extra)
        spec["fields"] = [{key: field[key] for key in ORDER if key in field} for field in fields.values()]
    write(table["library"], table["classes"], [table["first"], table["last"]])


def main() -> None:
    if sys.argv[1:] == ["--supplement"]:
        for path in sorted(DATA.glob("*.json")):
            reapply(path)
        return
    for library in sys.argv[1:] or classes.CLASSES:
        tables, versions = build(library)
        write(library, tables, versions)
        print(f"{library} {versions[0]} to {versions[-1]}: {len(versions)} releases, {len(tables)} classes")


if __name__ == "__main__":
    main()
