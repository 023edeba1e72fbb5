"""The speed of `esker view` in headless Chromium, each figure next to a limit of the same run.

    python bench/viewer/run.py [CASE...]     prints one JSON object; without cases: all of them

Needs playwright and chromium, as the tests do; `volumes` needs Panel too. Windows have 1024 x 768 pixels, all programs run on
this machine and share its processors. Datasets are made in the folder for temporary files; `huge` needs 300 MB there.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import amounts
import distant
import huge
import memory
import planes
import redraw
import volumes
from chrome import chromium

CASES = {
    "huge": huge,
    "redraw": redraw,
    "planes": planes,
    "distant": distant,
    "amounts": amounts,
    "memory": memory,
    "volumes": volumes,
}


def main() -> None:
    found = {}
    with chromium() as browser:
        for name in sys.argv[1:] or CASES:
            with tempfile.TemporaryDirectory() as folder:
                found[name] = CASES[name].measured(browser, Path(folder))
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
