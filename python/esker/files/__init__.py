"""What is done with the files of a dataset once it is written.

verification.py   verify: looks for damage
originals.py      samples that verify compares a dataset with
comparison.py     compares two datasets: `esker diff`
repairing.py      repair, rebuild, adopt
merging.py        merge: partitions into the global order
moving.py         copy and move, in the order in which they can be interrupted
dataset_files.py  which files a dataset has, and those of a target
copying.py        copies them to a staging directory
renaming.py       renames that publish or move them
move_plan.py      what remains to be done, in a file that a repeated command finishes
trees.py          what is in a directory, and whether it changed
durable.py        files and directories that survive a power failure
"""
