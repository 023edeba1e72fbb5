"""What a step costs in messages, files and memory, from its boxes alone: no MPI, no data.

planner.py       plans a step of a grid, a dataset or a mesh; text files of boxes
rank_boxes.py    boxes of ranks in the order of the Z curve
fine_patches.py  patches of a mesh with two levels, near surfaces
keep_plans.py    sweeps over plans of steps that keep a share of the boxes
"""
