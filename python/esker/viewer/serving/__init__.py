"""The server, and the notebook.

Only server.py imports Bokeh; loading.py says what to install where it is missing.

Each module sees only those above it in this list, and the rooms above this one:

bundling.py  all changes of a callback in one message
server.py    the server of Bokeh behind the gate
loading.py   the server, or what to install for it
notebook.py  esker.view(): the page in a notebook
"""
