// Esker's C++ interface. Writer writes, Dataset reads, Reader reads on many ranks together. Programs with MPI
// also include esker/mpi.hpp.
#pragma once

#include "esker/box.hpp"             // IWYU pragma: export
#include "esker/communicator.hpp"    // IWYU pragma: export
#include "esker/dataset.hpp"         // IWYU pragma: export
#include "esker/dataset_name.hpp"    // IWYU pragma: export
#include "esker/decomposition.hpp"   // IWYU pragma: export
#include "esker/in_block_order.hpp"  // IWYU pragma: export
#include "esker/lattice.hpp"         // IWYU pragma: export
#include "esker/options.hpp"         // IWYU pragma: export
#include "esker/patch.hpp"           // IWYU pragma: export
#include "esker/plan.hpp"            // IWYU pragma: export
#include "esker/reader.hpp"          // IWYU pragma: export
#include "esker/repair.hpp"          // IWYU pragma: export
#include "esker/restructure.hpp"     // IWYU pragma: export
#include "esker/sample_type.hpp"     // IWYU pragma: export
#include "esker/schema.hpp"          // IWYU pragma: export
#include "esker/status.hpp"          // IWYU pragma: export
#include "esker/rebuild.hpp"         // IWYU pragma: export
#include "esker/verify.hpp"          // IWYU pragma: export
#include "esker/version.h"
#include "esker/view.hpp"    // IWYU pragma: export
#include "esker/writer.hpp"  // IWYU pragma: export
