"""Measures how a machine writes, one setting after the other, for models that predict it: `esker tune characterize`.

workloads.py    what is written: the workloads of esker-bench, as the planner needs them
design.py       which settings are measured: one option at a time, and a design that fills the space
attributes.py   what is known of a setting before it is measured: sizes, options, statistics of its plan, cost model
table.py        the results: a log with one line per measurement, and a Parquet file
measuring.py    runs of esker-bench, each with a reference
sweep.py        all of these within a budget; a sweep that was killed continues
simulated.py    the same table for machines that one does not have
views.py        four pictures of a table
"""
