// The file of a step: VTKHDF's OverlappingAMR, an HDF5 file with the patches of each level back to back.
//
//   /VTKHDF                    attributes Version, Type, GridDescription, Origin
//   /VTKHDF/Level<n>           attribute Spacing
//   /VTKHDF/Level<n>/AMRBox    the first and the last cell of each patch on x, y and z: 6 integers per patch
//   /VTKHDF/Level<n>/CellData/<field>   the samples of all patches, in the same order, x fastest; or
//   PointData
//
//   /esker/sums                checksums (run_sums.h)
//
// Levels that are finer than all patches of the step are left out. Axes that a mesh lacks have one cell. A
// patch of n nodes has n - 1 cells on each axis, in AMRBox; it may thus have none. The HDF5 library computes
// the metadata in memory, and where the samples go: first the samples, by level and field, so that ranks can
// store them at once, then the metadata, which makes the file complete. Source: "VTKHDF format
// specification", version 1.0, section OverlappingAMR.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "esker/types/mesh.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "formats/netcdf/hdf5/overlay.h"
#include "store/store.h"

namespace esker::vtkhdf {

/// Offsets in a file of the samples of level fields: [position in level_fields()]; nothing where a field is
/// not stored, or its level has no patches.
using Offsets = std::vector<std::optional<Index>>;

/// Where the data of a step go.
struct Places {
  Offsets offsets;
  Index sums = 0;  ///< of the checksums of the runs, if there are any
};

/// What a step file has.
struct StepFile {
  std::vector<MeshBox> patches;  ///< in order
  Offsets offsets;
  std::vector<std::uint64_t> sums;  ///< of the runs (run_sums.h), if run_bytes > 0
  Index run_bytes = 0;              ///< 0: no checksums
};

/// Success if steps of these fields can be stored. kInvalidArgument: no field. kUnsupported, naming the field
/// or the mesh: fields that are not on a mesh, several meshes, more than 3 axes, stored bits.
/// Pure.
Status check_schema(const Schema& schema);
/// kUnsupported: a mesh with more than 3 axes. Pure.
Status check_mesh(const Mesh& mesh);
/// The mesh of a schema that passed.
const Mesh& mesh_of(const Schema& schema);

/// Makes the file of a step in an empty overlay: everything but the samples. `patches`: in order; `present`:
/// [position in level_fields()], which fields have samples; those of coarser levels without patches get empty
/// data sets. `alignment_bytes`: of the samples of a field. `num_sums`: of the runs; 0: no checksums.
Result<Places> make_step_file(hdf5::Overlay& overlay, const Schema& schema, std::span<const MeshBox> patches,
                              const std::vector<bool>& present, Index alignment_bytes, Index num_sums);

/// kDataLoss: not a file that make_step_file() made, or damaged.
Result<StepFile> read_step_file(const File& file, const Schema& schema);

}  // namespace esker::vtkhdf
