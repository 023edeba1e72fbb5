"""What is shown, as values: pure, tested without a browser or a read.

Each module sees only those above it in this list, and the rooms above this one:

session.py  Scene: what is shown, as a value. It is read from a link, written to one, and fitted to the datasets
views.py    the scenes of a page: up to four, which one is selected, and which are differences of others
axes.py     an axis of a picture: from sample indices to the drawn coordinates and back
colors.py   palettes and the range of the colors
keys.py     what the keys of the keyboard change
"""
