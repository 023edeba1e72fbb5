"""
hvPlot and HoloViews: plots that are combined
=============================================

hvPlot draws what the engine `esker` of xarray opens, and HoloViews combines the plots. In a notebook they are interactive, on
Bokeh, without the line with `extension`. Data with several steps get a slider, and each of its positions reads one step.
"""

# sphinx_gallery_alt = "Greenland's ice at a coarse level with its edge, and all samples of a part of it."
import esker.xarray  # gives datasets to_esker()
import holoviews as hv
import hvplot.xarray  # gives variables hvplot()
import matplotlib.pyplot as plt
import xarray as xr

hvplot.extension("matplotlib")
with xr.open_dataset("data/greenland_5km.nc", engine="esker") as greenland:
    greenland[["thk"]].to_esker("ice.idx")

# %%
# A coarse level of the whole island, and all samples of a part. Each reads what it draws, when it is drawn.
whole = xr.open_dataset("ice.idx", engine="esker", level=15)["thk"]
part = xr.open_dataset("ice.idx", engine="esker")["thk"].isel(x1=slice(60, 160), y1=slice(200, 340))
print(f"{whole.size} and {part.size} samples")

# %%
# `+` puts plots side by side, `*` draws one on the other.
style = {"x": "x1", "y": "y1", "colorbar": False, "xaxis": None, "yaxis": None}
ice = {**style, "cmap": "Blues_r", "clim": (0, 3200), "aspect": "equal"}
edge = whole.hvplot.contour(levels=[10], cmap=["black"], **style)
plots = whole.hvplot.image(title="level 15", **ice) * edge + part.hvplot.image(title="all samples", **ice)
hv.save(plots.opts(shared_axes=False, sublabel_format="", fig_size=130), "ice.png", dpi=150)

fig = plt.figure(figsize=(7.6, 4.6), dpi=150)
ax = fig.add_axes((0, 0, 1, 1))
ax.imshow(plt.imread("ice.png"))
ax.axis("off")
plt.show()
