"""The files of the pages: HTML, CSS and JavaScript.

page.* is the page of planes; volume.* and solid.* are those of volumes and globes, with globe.js, drawing.js and
following.js; keys.js belongs to all three. standalone.* is a saved page.

files.py  reads one of them
"""
