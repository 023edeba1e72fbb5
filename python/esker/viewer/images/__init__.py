"""Fields as multiscale images, for other viewers.

Each module sees only those above it in this list, and the rooms above this one:

pyramid.py     a field as an image of several levels, for other viewers
ome_zarr.py    the keys of such an image as OME-Zarr, and what they hold
zarr_route.py  the route of the OME-Zarr images
"""
