"""Reading datasets as NumPy arrays.

Boxes, origins and strides list x first, as everywhere in Esker. Shapes, dimension names and arrays list the
slowest axis first, as everywhere in NumPy. `selection.slowest_first` converts one order to the other.

opening.py      open and Dataset: fields by name, steps, attributes, files
description.py  grids, scalars, parts, and what a step stores
field.py        Field: reads samples, coarse to fine, and their levels and errors
selection.py    which samples a query selects
destination.py  the arrays that reads fill
array.py        Array: all steps of a field, lazily, by NumPy's indices
mesh.py         meshes with several levels (AMR)
levels.py       the samples of one of these levels
viewing.py      cameras, and the box and level that they see
display.py      what notebooks show: tables with thumbnails
parallel.py     Reader: each rank of a communicator reads its own boxes
decoding.py     CF attributes: missing values, scale, offset
same_part.py    the same part of fields on different grids
losses.py       errors that copies of lossy fields record
"""
