"""Pictures of datasets: `esker plot` and `esker movie`.

planes.py      a plane of samples, read at a level that suits the picture
charts.py      a histogram of values, and their range over time
movies.py      the pictures of a plane at several steps, with the same colors
encoders.py    pictures as an MP4 or a GIF file
color_ends.py  the ends of the colors for a range of values
labels.py      texts of axes, times and positions
legends.py     legends outside of the axes
levels.py      the finest level that fits, and the coarsest that suffices
"""
