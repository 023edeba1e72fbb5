"""Writing datasets, in one process or with all ranks of a communicator.

Dimensions, offsets and boxes list x first, as everywhere in Esker; arrays are (z, y, x[, component]).

writer.py       Writer: creates or continues a dataset, defines grids and fields
step.py         Step: takes the arrays of a step
definitions.py  grids and fields of a writer
attributes.py   attributes and coordinates of a writer
serial.py       write: a dataset of one step
chunked.py      Chunked: samples that are computed or read piece by piece
replacing.py    publishes datasets by rename once they are complete
"""
