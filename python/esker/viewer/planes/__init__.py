"""The page of planes: the models of Bokeh, and what its events do.

Only canvas.py, charts.py, page.py, controls.py, inquiry.py, playing.py and viewer.py import Bokeh.

Each module sees only those above it in this list, and the rooms above this one:

hatching.py   rectangles over the samples without a value
charts.py     the charts of these answers
canvas.py     a figure of Bokeh: images, hatches, outlines, axes, color bar
page.py       what page.js and the server tell each other: keys, the pointer, the link
searching.py  the search for the extremes of a field
questions.py  what a page asks, and its answers
controls.py   the widgets next to the picture
pane.py       one picture of a page: its plan, what of it is drawn, its texts
playing.py    one step after the other
inquiry.py    what is asked by the pointer, clicks, boxes, lines and keys
viewer.py     one open page: events in, views out
"""
