"""What bounds a run, and what could be changed: `esker tune explain`.

run_report.py    the JSON report of a run, checked
timeline.py      what each rank did when, read and drawn
phases.py        what each phase of a step is spent on, and what to try
limits.py        how fast a step could be on a machine
effects.py       what a model predicts of other settings
run.py           all of these, for a report
darshan_log.py   counters of a Darshan log
access.py        the shape of accesses in a Darshan log, and advice
figures.py       one picture of a report, one of a log
"""
