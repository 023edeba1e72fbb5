// A store for the files of a ByteSource. Operations that write give kUnsupported.
#pragma once

#include <memory>

#include "esker/types/byte_source.hpp"
#include "store/store.h"

namespace esker {

/// Sizes are requested once. Small reads fetch 64 KiB, and a part of the fetched data is cached, because a
/// request may take as long as the transfer of a megabyte.
std::shared_ptr<Store> source_store(std::shared_ptr<const ByteSource> source);

}  // namespace esker
