"""The plug-in for ParaView: where it is, how to load it, and whether a ParaView can."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PLUGIN = Path(__file__).with_name("paraview_plugin.py")
_PYTHON = "{}.{}".format(*sys.version_info[:2])
_SECONDS = 120

HOW = f"""\
{PLUGIN}

In ParaView:  Tools, Manage Plugins, Load New ...: choose this file; tick "Auto Load" to have it at each start.
              Then File, Open opens run.idx, and the directory of a dataset, or esker.json in it.
In pvpython:  from paraview import simple
              simple.LoadPlugin("{PLUGIN}", ns=globals())
              reader = EskerReader(FileName="run.idx")

The plug-in brings this package along; it needs no PYTHONPATH. Two things can be wrong in ParaView's Python:
- It is not {_PYTHON}, which this package was built for. Install the package for that version in a new folder, and
  load esker/integrations/vtk/paraview_plugin.py of that folder:
      python3.Y -m pip install --target FOLDER --no-deps esker
- It has no numpy. Put a folder with numpy, and without vtk, in PYTHONPATH.
ParaView 5.11 and older on Python 3.11 and newer (Debian 12) needs two lines before it loads any plug-in in Python:
              import inspect
              inspect.getargspec = inspect.getfullargspec
`esker paraview --check` tries it with pvpython."""

_PROGRAM = f"""\
import inspect, sys
if not hasattr(inspect, "getargspec"):
    inspect.getargspec = inspect.getfullargspec
    print("without inspect.getargspec:", end=" ")
from paraview import simple
simple.LoadPlugin({os.fspath(PLUGIN)!r}, ns=globals())
EskerReader
import numpy
version = simple.GetParaViewVersion()
print(f"loaded by ParaView {{version.major}}.{{version.minor}}", "with Python", sys.version.split()[0], "and numpy", numpy.__version__)
"""


def check(pvpython: str = "pvpython") -> str:
    """Loads the plug-in in a ParaView, and says which. Raises FileNotFoundError without that program, OSError with what it
    said if it does not load the plug-in."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "check.py"
        program.write_text(_PROGRAM)
        try:
            done = subprocess.run(
                [pvpython, str(program)],
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                stdin=subprocess.DEVNULL,
            )
        except FileNotFoundError as error:
            raise FileNotFoundError(
                f"{pvpython}: no such program; put ParaView's folder bin in PATH"
            ) from error
        except subprocess.TimeoutExpired as error:
            raise OSError(f"{pvpython}: no answer in {_SECONDS} s") from error
    if done.returncode or "loaded by" not in done.stdout:
        said = " ".join((done.stdout + done.stderr).split())
        raise OSError(f"{pvpython} does not load {PLUGIN}: {said[-2000:]}")
    return done.stdout.strip()
