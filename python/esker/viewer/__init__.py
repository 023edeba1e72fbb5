"""A viewer in the browser: `esker view` and esker.view().

A picture shows a plane of one field at a step: a map, or an axis-aligned plane of a field with three axes. Each layer sees
only those above it in this list:

session.py          Scene: what is shown, as a value. It is read from a link, written to one, and fitted to the datasets
views.py            the scenes of a page: up to four, which one is selected, and which are differences of others
axes.py             an axis of a picture: from sample indices to the drawn coordinates and back
reads.py            which level and box the visible part of a picture needs, and the order of the reads: coarse first
samples.py          reads one request: values, and why there are none (fill value, NaN, missing block, not stored at this level)
sources.py          what a view shows: samples of a field, or those minus the samples of another, one by one
reader.py           runs reads in a few threads, ends those that became stale, keeps the latest pictures
colors.py           palettes and the range of the colors
ranges.py           the range of a step, or of all steps
keys.py             what the keys of the keyboard change
hatching.py         rectangles over the samples without a value
asking.py           series, profiles, statistics, and the samples of a box as files
texts.py            all sentences that the page shows
outlines.py         the outlines of the patches of a mesh
watching.py         whether a dataset changed on disk
charts.py           the charts of these answers
canvas.py           a figure of Bokeh: images, hatches, outlines, axes, color bar
page.py             what page.js and the server tell each other: texts, keys, the pointer, the link
pointing.py         the exact value of the sample under the pointer
sections.py         the samples along a line
questions.py        what a page asks, and its answers
controls.py         the widgets next to the picture
pane.py             one picture of a page: its plan, what of it is drawn, its texts
playing.py          one step after the other
inquiry.py          what is asked by the pointer, clicks, boxes, lines and keys
viewer.py           one open page: events in, views out
bundling.py         all changes of a callback in one message
saving.py           what a saved page shows
pyramid.py          a field as an image of several levels, for other viewers
ome_zarr.py         its keys as OME-Zarr, and what they hold
volumes.py          what the page of volumes shows, and its reads: a value, as Scene and its plan
volume_samples.py   reads the samples of a volume, as numbers of 16 bits
volume_texts.py     the sentences of the 3-D pages
globes.py           fields on cells of the sphere: which there are, their reads, and which cells touch
globe_samples.py    reads the values and places of the cells
vtkjs.py            where vtk.js is: the library that draws volumes and globes in the page
reading_handler.py  requests that wait for a read
gate.py             who may talk to the server: token, cookie, Host and Origin
answering.py        the files of the 3-D pages, and how samples reach them
volume_page.py      the routes of volumes; the page is volume.html with volume.js, globe.js, drawing.js and solid.js
globe_page.py       the routes of globes; the same page
zarr_route.py       the route of the OME-Zarr images
server.py           the server of Bokeh behind the gate
standalone.py       a saved page, with standalone.js, standalone.css and standalone.html
loading.py          the server, or what to install for it
notebook.py         esker.view(): the page in a notebook

page.html, page.js and page.css are the page itself. Only canvas.py, page.py, charts.py, controls.py, inquiry.py,
playing.py, viewer.py, server.py and standalone.py import Bokeh, and loading.py tries to. Texts of datasets reach the page as
text and never as HTML.
"""
