"""Pages that need no server: `esker view --save`.

Each module sees only those above it in this list, and the rooms above this one:

saving.py      what a saved page shows
standalone.py  the page itself, with standalone.js, standalone.css and standalone.html
"""
