"""A viewer in the browser: `esker view` and esker.view().

A picture shows a plane of one field at a step: a map, or an axis-aligned plane of a field with three axes. Each layer sees
only those above it in this list:

session.py   Scene: what is shown, as a value. It is read from a link, written to one, and fitted to the datasets
axes.py      an axis of a picture: from sample indices to the drawn coordinates and back
reads.py     which level and box the visible part of a picture needs, and the order of the reads: coarse first
samples.py   reads one request: values, and why there are none (fill value, NaN, missing block, not stored at this level)
reader.py    runs reads in a few threads, ends those that became stale, keeps the latest pictures
colors.py    palettes and the range of the colors
texts.py     all sentences that the page shows
ranges.py    the range of a step, or of all steps
keys.py      what the keys of the keyboard change
hatching.py  rectangles over the samples without a value
pointing.py  the exact value of the sample under the pointer
asking.py    series, profiles, statistics, and the samples of a box as files
charts.py    the charts of these answers
questions.py what a page asks, and its answers
page.py      the models of Bokeh, and page.js and page.css, which connect them with the keyboard, the link and the texts
controls.py  the widgets next to the picture
viewer.py    one open page: events in, pictures and texts out
gate.py      who may talk to the server: token, cookie, Host and Origin
server.py    the server of Bokeh behind the gate
loading.py   the server, or what to install for it
notebook.py  esker.view(): the page in a notebook

page.html, page.js and page.css are the page itself. Only page.py, charts.py, controls.py, viewer.py and server.py import
Bokeh. Texts of datasets reach the page as text and never as HTML.
"""
