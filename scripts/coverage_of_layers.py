"""Prints the line coverage of each layer.

    scripts/coverage_of_layers.py COVERAGE

COVERAGE is what `gcovr --json` wrote. A layer is a folder of src/ with a CMakeLists.txt; include/ is one more.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ALL = "all layers"


def layer_of(file: Path) -> str:
    """The innermost folder of the file that is a layer; the first folder of the path if none is."""
    for folder in file.parents:
        if len(folder.parts) > 1 and (ROOT / folder / "CMakeLists.txt").exists():
            return str(folder)
    return file.parts[0]


def counts_of(coverage: Path) -> dict[Path, dict[int, int]]:
    """File -> line -> how often it ran. Headers are found by several paths, which are links to one file."""
    counts: dict[Path, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for entry in json.loads(coverage.read_text(encoding="utf-8"))["files"]:
        file = (ROOT / entry["file"]).resolve().relative_to(ROOT)
        for line in entry["lines"]:
            if not line.get("gcovr/noncode", False):
                counts[file][line["line_number"]] += line["count"]
    return counts


def main() -> int:
    covered: dict[str, int] = defaultdict(int)
    total: dict[str, int] = defaultdict(int)
    for file, lines in counts_of(Path(sys.argv[1])).items():
        for name in (layer_of(file), ALL):
            covered[name] += sum(count > 0 for count in lines.values())
            total[name] += len(lines)
    if not total[ALL]:
        print(f"{sys.argv[1]}: no lines were counted", file=sys.stderr)
        return 1
    for name in sorted(total, key=lambda name: (name == ALL, name)):
        print(f"lines of {name}: {100 * covered[name] / total[name]:.1f} % of {total[name]} covered")
    return 0


if __name__ == "__main__":
    sys.exit(main())
