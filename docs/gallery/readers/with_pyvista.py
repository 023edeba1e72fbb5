"""
PyVista: a landscape in three dimensions
========================================

`esker.vtk.Reader` is a source of VTK. PyVista takes what it reads: a grid with its coordinates, at any level and in any box.
"""

# sphinx_gallery_alt = "Greenland's bed, seen obliquely from the south, from few samples and from all."
import matplotlib.pyplot as plt
import numpy as np
import pyvista as pv
from esker.vtk import Reader

import esker

bed = esker.open("data/greenland_5km.nc")["topg"].read()
km = {"x": 5.0 * np.arange(bed.shape[1]), "y": 5.0 * np.arange(bed.shape[0])}
esker.write("bed.idx", {"bed": bed}, coords=km)

reader = Reader()
reader.SetFileName("bed.idx")


# %%
# The grid is an image of VTK, and `warp_by_scalar` lifts its points.
def landscape(level: int | str) -> tuple[pv.ImageData, np.ndarray]:
    """What is read at a level, and its picture."""
    reader.SetLevel(level)
    reader.Update()
    grid = pv.wrap(reader.GetOutputDataObject(0))
    plotter = pv.Plotter(off_screen=True, window_size=(700, 600))
    colors = {"cmap": "gist_earth", "clim": (-3000, 3000), "show_scalar_bar": False}
    plotter.add_mesh(grid.warp_by_scalar("bed", factor=0.1), scalars="bed", **colors)
    plotter.camera_position = [(750, -700, 1700), (750, 1250, 0), (0, 0, 1)]
    return grid, plotter.screenshot(return_img=True)


fig, axes = plt.subplots(1, 2, figsize=(9, 4.1), layout="constrained")
for ax, level in zip(axes, (13, "full"), strict=True):
    grid, picture = landscape(level)
    ax.imshow(picture)
    ax.set(title=f"level {level}: {grid.n_points} samples")
    ax.axis("off")
plt.show()
