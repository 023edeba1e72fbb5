"""
A camera: the box and the level that a picture needs
====================================================

`Field.view` chooses the box that a camera sees, and the coarsest level whose samples are still a pixel apart.
"""

# sphinx_gallery_alt = "The part of Greenland's bed that a camera sees from close by and from far away."
import matplotlib.pyplot as plt

import esker

bed = esker.open("data/greenland_5km.nc")["topg"].read()
esker.write("bed.idx", {"topg": bed})
topg = esker.open("bed.idx")["topg"]

# %%
# Two cameras above the map, with pictures of 300 × 300 pixels.
fig, axes = plt.subplots(1, 2, figsize=(7.4, 4), layout="constrained")
for ax, height in zip(axes, (150, 2400), strict=True):
    camera = esker.Camera.perspective(
        (150, 300, height), (150, 300, 0), up=(0, 1, 0), near=1, far=5000, viewport=(300, 300)
    )
    view = topg.view(camera)
    values = topg.read(box=view.box, level=view.level)
    ax.imshow(values, origin="lower", cmap="terrain", vmin=-3000, vmax=3000)
    ax.set(xticks=[], yticks=[], title=f"{height} samples away: level {view.level},\n{values.size} samples")
plt.show()
