"""The tables of keys (`data/deepspeed.json`, `data/accelerate.json`) against all releases.

    python keys.py           writes since, until and moved defaults of DeepSpeed's keys, as the releases have them

`deepspeed_releases.py` wrote what the releases take. What a row says beyond that (what it does, who fills it in) is written by hand.
"""

import json
import pathlib

import deepspeed_releases
import releases
from order import order

DATA = pathlib.Path(__file__).resolve().parents[2] / "crates/vramlint_catalog/data"
ORDER = ["path", "kind", "values", "default", "defaults", "since", "until", "absent"]
# Read by code that gets the block as it is, after the file was parsed: only the word itself is looked for in the release.
LATER = ("optimizer.params", "scheduler.params", "data_efficiency.data_routing.random_ltd.", "data_efficiency.data_sampling.curriculum_learning.",
         "data_efficiency.data_sampling.dynamic_batching.metrics_path", "data_parallel_size", "sequence_parallel_size")
# Asked for by old releases, but no key that anybody writes.
NO_KEYS = ("autotuning.model_info.hideen_size",)


def number(text):
    """Numbers by their value: 5e8 and 500000000 are one."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return text


def load(version: str) -> dict:
    """What one release of DeepSpeed takes: every spelling of a key, and what the release says of it."""
    found = json.loads((deepspeed_releases.FOLDER / f"{version}.json").read_text(encoding="utf-8"))
    names = {}
    for path, said in found["keys"].items():
        for spelling in [path, *said.get("aliases", [])]:
            names[spelling] = said
    for path, defaults in found["schedules"].items():
        distinct = {json.dumps(value) for value in defaults}
        # Of classes that disagree none speaks for the key.
        names[path] = {"default": shown(defaults[0]) if len(distinct) == 1 else "computed"}
    return {"names": names, "words": set(found["words"]), "blocks": found["blocks"], "refused": found["refused"] if "refused" in found else []}


def shown(value) -> str | None:
    """A default as the tables write it."""
    return None if value is None or isinstance(value, (list, dict)) else json.dumps(value) if not isinstance(value, str) else value


def asked(row: dict, release: dict):
    """What the release says of the row's key: None where it does not know it, and whether that was read or is but a word."""
    for spelling in [row["path"], *row.get("aliases", [])]:
        if spelling in release["names"]:
            return release["names"][spelling], True
    if row["path"].startswith(LATER) and row["path"].rsplit(".", 1)[-1].strip("[]<>") in release["words"]:
        return {}, False
    return None, False


def joined(row: dict, releases_: dict[str, dict]) -> dict:
    """`since`, `until` and `defaults` of a row."""
    versions = list(releases_)
    said = [asked(row, releases_[version])[0] for version in versions]
    there = [place for place, what in enumerate(said) if what is not None]
    if not there:
        return {}
    found = {}
    if there[0] and not (row.get("standing") == "refused" and row["path"] in releases_[versions[0]]["words"]):
        found["since"] = versions[there[0]]
    if there[-1] + 1 < len(versions):
        found["until"] = versions[there[-1] + 1]
    gaps = [(before, after) for before, after in zip(there, there[1:]) if after != before + 1]
    if gaps:
        found["absent"] = [[versions[before + 1], versions[after]] for before, after in gaps]
    moved = []
    for place in there:
        value = said[place].get("default")
        if row["kind"] not in ("map", "any") and value is not None and (not moved or number(moved[-1][1]) != number(value)):
            # What the first release that tells it has, it has from the start.
            moved.append([versions[place] if moved else found.get("since"), value])
    if len(moved) > 1:
        found["defaults"] = moved
    return found


def write(data: dict) -> None:
    """DeepSpeed's table, one row a line."""
    lines = ["{"]
    for number_, (name, rows) in enumerate(data.items()):
        lines.append(f' "{name}": [')
        lines.extend("  " + json.dumps(row, ensure_ascii=False) + ("," if place + 1 < len(rows) else "") for place, row in enumerate(rows))
        lines.append(" ]" + ("," if number_ + 1 < len(data) else ""))
    lines.append("}")
    (DATA / "deepspeed.json").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    all_releases = {version: load(version) for version in releases.cached("deepspeed")}
    newest = list(all_releases)[-1]
    data = json.loads((DATA / "deepspeed.json").read_text(encoding="utf-8"))
    for place, row in enumerate(data["keys"]):
        found = joined(row, all_releases)
        if not found and asked(row, all_releases[newest])[0] is None:
            print(f"{row['path']}: no release was seen to read it")
            continue
        if "until" in row and "until" not in found and found:
            print(f"{row['path']}: until {row['until']} in the table, still read")
        # A block that was gone for a while and came back stricter refuses its old keys only since then.
        keep = row["until"] if "until" in row and "until" in found and order(row["until"]) > order(found["until"]) else None
        rest = {key: value for key, value in row.items() if key not in ("since", "until", "defaults", "absent")}
        rest.update(found)
        if keep:
            rest["until"] = keep
        data["keys"][place] = {key: rest[key] for key in [*ORDER, *(key for key in rest if key not in ORDER)] if key in rest}
    write(data)
    rows = data["keys"]
    print(f"deepspeed: {len(all_releases)} releases, {len(rows)} keys, {sum('since' in row for row in rows)} with since, "
          f"{sum('until' in row for row in rows)} with until, {sum('defaults' in row for row in rows)} whose default moved")


if __name__ == "__main__":
    main()
