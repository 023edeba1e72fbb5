"""What all requests pass.

Each module sees only those above it in this list, and the rooms above this one:

gate.py             who may talk to the server: token, cookie, Host and Origin
reading_handler.py  requests that wait for a read
"""
