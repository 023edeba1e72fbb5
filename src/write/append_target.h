// The dataset that all ranks append to, found by rank 0.
#pragma once

#include <string>

#include "comm/comm.h"
#include "store/store.h"

namespace esker {

/// Collective: sets `path` and `format` to those of the dataset that rank 0 finds (find_append_target()).
Status share_append_target(Comm& comm, Store& store, std::string& path, std::string& format);

}  // namespace esker
