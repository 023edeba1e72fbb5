// The files of a ByteSource as a store. What would write is kUnsupported.
#pragma once

#include <memory>

#include "esker/byte_source.hpp"
#include "store/store.h"

namespace esker {

/// Sizes are asked for once. Small reads fetch 64 KiB, and some of what they fetched is kept: each request may
/// take as long as the transfer of a megabyte.
std::shared_ptr<Store> source_store(std::shared_ptr<const ByteSource> source);

}  // namespace esker
