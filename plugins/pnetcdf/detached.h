// Values to put later, as a copy in the type of the variable.
#pragma once

#include "transfer.h"

namespace esker::pnetcdf {

/// Copies values that must not depend on the caller's memory (`always`), or that have another type than the
/// variable, so that the range is checked by the call that names them. False: some are out of range and
/// became fill values.
bool detach(const OpenFile& file, bool always, Prepared& prepared);

/// Whether the values to put fit in the type of the variable. SharedFile tells this only of values that are
/// stored: where several ranks put the same places, of those of the last one.
bool fits(const OpenFile& file, const cdf::Access& access);

}  // namespace esker::pnetcdf
