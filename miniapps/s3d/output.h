// Output: the checkpoint's variables as an Esker dataset, in whole or with the regions that are kept.
//
// One grid "xyz" with the fields T, P, u (3 components) and Y (11), float64. All are put from the arrays of
// the solver in place, by strides, without a copy.
#pragma once

#include <optional>
#include <string>

#include "bricks.h"
#include "esker/communicator.hpp"
#include "esker/writer.hpp"
#include "regions.h"
#include "variables.h"

namespace s3d {

class Output {
 public:
  /// Collective; throws AgreedError. Without `regions` all cells are stored. `stored_bits`: see
  /// esker::FieldOptions.
  Output(const std::string& path, const esker::Communicator& comm, const Bricks& bricks,
         const esker::Options& options, std::optional<Regions> regions, int stored_bits);

  /// Collective: writes a step. Throws AgreedError; the dataset then keeps its earlier steps.
  void write(double time, const Array& scalars, const Variables& variables);
  /// Collective.
  void close();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const esker::Writer& writer() const { return writer_; }

 private:
  void define(int stored_bits);
  void describe_axis(esker::GridId grid, esker::DimId dim, int axis);

  std::string path_;
  const Bricks& bricks_;
  std::optional<Regions> regions_;
  esker::Writer writer_;
  esker::GridId grid_;
  esker::FieldId temperature_, pressure_, velocity_, species_;
};

/// An array's own cells in place, all components from `first` on. `Data` is const double or double.
template <class PatchType, class ArrayType>
PatchType patch_of(const Bricks& bricks, ArrayType& array, Index first = 0) {
  PatchType patch =
      PatchType::strided(bricks.own, array.row(first, 0, 0), {1, array.stride_y(), array.stride_z()});
  patch.component_stride_bytes = array.stride_c() * static_cast<Index>(sizeof(double));
  return patch;
}

}  // namespace s3d
