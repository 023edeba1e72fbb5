// Esker's C++ interface. Writer writes, Dataset reads, Reader reads on many ranks together. Programs with MPI
// also include esker/mpi.hpp.
#pragma once

#include "esker/communicator.hpp"          // IWYU pragma: export
#include "esker/dataset.hpp"               // IWYU pragma: export
#include "esker/dataset_name.hpp"          // IWYU pragma: export
#include "esker/plan.hpp"                  // IWYU pragma: export
#include "esker/reader.hpp"                // IWYU pragma: export
#include "esker/rebuild.hpp"               // IWYU pragma: export
#include "esker/repair.hpp"                // IWYU pragma: export
#include "esker/types/box.hpp"             // IWYU pragma: export
#include "esker/types/decomposition.hpp"   // IWYU pragma: export
#include "esker/types/in_block_order.hpp"  // IWYU pragma: export
#include "esker/types/lattice.hpp"         // IWYU pragma: export
#include "esker/types/options.hpp"         // IWYU pragma: export
#include "esker/types/patch.hpp"           // IWYU pragma: export
#include "esker/types/restructure.hpp"     // IWYU pragma: export
#include "esker/types/sample_type.hpp"     // IWYU pragma: export
#include "esker/types/schema.hpp"          // IWYU pragma: export
#include "esker/types/status.hpp"          // IWYU pragma: export
#include "esker/verify.hpp"                // IWYU pragma: export
#include "esker/version.h"
#include "esker/view.hpp"    // IWYU pragma: export
#include "esker/writer.hpp"  // IWYU pragma: export
