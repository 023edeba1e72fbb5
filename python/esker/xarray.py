"""Writes xarray datasets: `import esker.xarray` adds the method `ds.to_esker(path)`.

Reading needs no import: `xarray.open_dataset(path, engine="esker")`.
"""

from esker.integrations.xarray.writing import ToEsker, to_esker

__all__ = ["ToEsker", "to_esker"]
