"""What copies of lossy fields record: the errors that were made before, as the attribute `prior_errors`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from esker.dataset.field import Field

PRIOR_ERRORS = "prior_errors"
"""Largest absolute error and RMS error of the samples before they were written; NaN if there was a loss that no program
recorded. Field.errors() adds it to the errors of the dataset's own compression."""


def attributes_for_copy(field: Field, steps: Sequence[int] | None = None) -> Mapping[str, Any]:
    """The attributes of a field, with its errors so far, for what is made of its samples.

    steps: the steps that are copied, of the whole grid: their RMS errors are computed from the tables of blocks.
           Without them both are the largest error of all steps.
    """
    errors = field.largest_errors
    if not errors:
        return field.attrs
    largest = rms = np.max(errors)  # NaN if one is
    if steps is not None:
        written = [-1] if field.fixed else [step for step in steps if field.has(step)]
        of_steps = [found for step in written if (found := field.errors(step)) is not None]
        largest, rms = np.max([[0.0, 0.0], *of_steps], axis=0)
    return {**field.attrs, PRIOR_ERRORS: [np.float64(largest), np.float64(rms)]}
