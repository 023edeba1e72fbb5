"""What the page says: answers to questions, and its sentences.

Each module sees only those above it in this list, and the rooms above this one:

tables.py    comma-separated values
asking.py    series, profiles, statistics, and the samples of a box as files
texts.py     the sentences of the page of planes, with what all pages share
pointing.py  the exact value of the sample under the pointer
sections.py  the samples along a line
extremes.py  where and when a field has its least and its greatest value
"""
