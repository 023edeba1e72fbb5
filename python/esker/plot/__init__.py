"""Pictures of datasets: `esker plot`.

labels.py  the texts of axes, times and positions
planes.py  a plane of samples, read at a level that suits the picture
charts.py  a histogram of values, and their range over time
"""
