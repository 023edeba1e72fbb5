"""Models that predict the time of a step from a table of `esker tune characterize`: `esker tune fit`.

models.py         the models of the literature, and their errors there
features.py       attributes of a table as numbers for a model
evaluation.py     errors by grouped cross-validation, with other attributes, and next to the cost model
extrapolation.py  from few ranks to many, from the microbenchmark to applications, with and without online updates
stored.py         models in files that are safe to load
sound.py          whether a model that was loaded can be used without a crash
trees.py          tree models as JSON, for writers
figures.py        pictures of all of these
"""
