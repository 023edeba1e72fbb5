// Replaces the header of a file in place, so that a killed program leaves the old one or the new one.
//
// A journal next to the file holds both until the new one is complete. The next program that opens the file
// for writing completes the change.
#pragma once

#include <span>
#include <string>

#include "esker/types/status.hpp"
#include "store/store.h"

namespace esker::cdf {

/// Where the journal of a file is.
std::string header_journal_of(const std::string& path);

/// Writes `after` over the first bytes of the file, after completing a change that was interrupted. If that
/// fails, the bytes are as before, or the journal stays. Local; rank 0.
Status edit_header(Store& store, const std::string& path, std::span<const std::byte> after, bool durable);

/// Completes a change that was interrupted. A journal that is torn, or not of this file, is removed. Local;
/// rank 0, which holds the writer lock.
Status recover_header(Store& store, const std::string& path, bool durable);

}  // namespace esker::cdf
