// Values to put, as a copy in the type of the variable.
#pragma once

#include "transfer.h"

namespace esker::pnetcdf {

/// Copies values that must not depend on the caller's memory (`always`), or that have another type than the
/// variable, so that the range is checked by the call that names them. False: some are out of range and
/// became the fill value of the variable.
bool detach(const OpenFile& file, bool always, Prepared& prepared);

/// Copies values only if some are out of range, as above. Others are converted by SharedFile without a copy:
/// it has another range (elements.h), and where several ranks put the same places it tells only of values
/// that are stored.
bool detach_unfit(const OpenFile& file, Prepared& prepared);

}  // namespace esker::pnetcdf
