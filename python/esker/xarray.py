"""Writes xarray datasets: `import esker.xarray` adds the method `ds.to_esker(path)`.

Reading needs no import: `xarray.open_dataset(path, engine="esker")`.
"""

try:
    from esker.integrations.xarray.writing import ToEsker, to_esker
except ModuleNotFoundError as error:
    if error.name != "xarray":
        raise
    message = "esker.xarray: xarray is not installed; install it with: pip install 'esker[xarray]'"
    raise ModuleNotFoundError(message, name="xarray") from error

__all__ = ["ToEsker", "to_esker"]
