// What all ranks append to, as rank 0 finds it.
#pragma once

#include <string>

#include "comm/comm.h"
#include "store/store.h"

namespace esker {

/// Collective: `path` and `format` become those of the dataset that rank 0 finds (find_append_target()).
Status share_append_target(Comm& comm, Store& store, std::string& path, std::string& format);

}  // namespace esker
