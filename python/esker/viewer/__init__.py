"""A viewer in the browser: `esker view` and esker.view().

A picture shows a plane of one field at a step: a map, or an axis-aligned plane of a field with three axes. Volumes and
globes have other pages. Each room sees only those above it in this list, and each module in a room those above it
in the list of its room:

pages/    the HTML, CSS and JavaScript of all pages
scenes/   what is shown, as values: scenes, views, axes, colors, keys
reading/  which samples a view needs, and their reads in threads
answers/  series, profiles, statistics, sections, and the sentences of the page
access/   who may talk to the server, and requests that wait for a read
planes/   the page of planes, which Bokeh draws
saved/    pages that need no server
images/   fields as OME-Zarr images, for other viewers
solids/   the pages of volumes and globes, which vtk.js draws
serving/  the server of Bokeh, and esker.view() in a notebook

Only modules of planes/, saved/ and serving/ import Bokeh, and loading.py tries to. Texts of datasets reach the page as text
and never as HTML.
"""
