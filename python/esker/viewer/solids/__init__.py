"""The pages of volumes and globes, which vtk.js draws.

Each module sees only those above it in this list, and the rooms above this one:

volumes.py         what the page of volumes shows, and its reads: a value, as Scene and its plan
volume_samples.py  reads the samples of a volume, as numbers of 16 bits
volume_texts.py    the sentences of the 3-D pages
globes.py          fields on cells of the sphere: which there are, their reads, and which cells touch
globe_samples.py   reads the values and places of the cells
vtkjs.py           where vtk.js is: the library that draws volumes and globes in the page
answering.py       the files of the 3-D pages, and how samples reach them
volume_page.py     the routes of volumes; the page is volume.html with volume.js, globe.js, drawing.js and solid.js
globe_page.py      the routes of globes; the same page
"""
