"""What reading, writing and converting share: plain values and functions, which know no dataset.

boxes.py          boxes of samples
dimensions.py     names of dimensions
pieces.py         arrays that are larger than memory, in pieces
options.py        options of writers and readers
values.py         values of attributes
counts.py         counts in sentences
units.py          names with units, and the units of time
fill_values.py    attributes that hold fill values
stored_types.py   NumPy types that can be stored
device_arrays.py  arrays in memory of a GPU
characters.py     fields of texts
names.py          names of other programs
communicator.py   communicators of mpi4py
system.py         what only some operating systems can do
"""
