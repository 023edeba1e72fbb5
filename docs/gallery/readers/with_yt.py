"""
yt: an adaptive mesh
====================

`yt.load` opens meshes that Esker wrote, without an import of Esker. yt sees the patches of each level.
"""

# sphinx_gallery_alt = "The thickness of ice in the Amundsen Sea sector, drawn by yt from patches of three levels."
import subprocess

import matplotlib.pyplot as plt
import numpy as np
import yt

yt.set_log_level("error")
convert = "esker convert data/chombo/amundsen_3level_checkpoint.2d.h5 amundsen.idx"
subprocess.run(convert.split(), check=True, capture_output=True)
ds = yt.load("amundsen.idx")
print(f"{ds.index.num_grids} patches, levels 0 to {ds.index.max_level}, fields such as {ds.field_list[0]}")


# %%
# yt takes the finest cell at each place.
def at_finest_resolution(mesh: yt.data_objects.static_output.Dataset) -> np.ndarray:
    """Ice thickness, (x, y)."""
    extent = mesh.domain_dimensions * np.array([4, 4, 1])
    cells = mesh.covering_grid(mesh.index.max_level, mesh.domain_left_edge, extent)
    return np.asarray(cells["stream", "thickness"])[:, :, 0]


thickness = at_finest_resolution(ds)
print(f"{ds.all_data()['stream', 'thickness'].size} cells, {thickness.size} at the finest resolution")
fig, ax = plt.subplots(figsize=(5.6, 5.4), layout="constrained")
image = ax.imshow(thickness.T, origin="lower", cmap="Blues_r")
ax.set(xticks=[], yticks=[], title=f"yt {yt.__version__}")
fig.colorbar(image, label="ice thickness [m]", shrink=0.8)
plt.show()
