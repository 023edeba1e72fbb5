"""Which samples a view needs, and their reads in threads.

Each module sees only those above it in this list, and the rooms above this one:

reads.py     which level and box the visible part of a picture needs, and the order of the reads: coarse first
samples.py   reads one request: values, and why there are none (fill value, NaN, missing block, not stored at this level)
sources.py   what a view shows: samples of a field, or those minus the samples of another, one by one
reader.py    runs reads in a few threads, ends those that became stale, keeps the latest pictures
ranges.py    the range of a step, or of all steps
outlines.py  the outlines of the patches of a mesh
watching.py  whether a dataset changed on disk
"""
