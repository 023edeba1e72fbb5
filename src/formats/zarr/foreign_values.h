// ForeignValues: the values of coordinates, times, numbers and texts of another program's Zarr group.
#pragma once

#include <map>
#include <vector>

#include "esker/types/schema.hpp"
#include "formats/netcdf/model/header.h"
#include "formats/zarr/foreign_group.h"
#include "store/store.h"

namespace esker::zarr {

class ForeignValues {
 public:
  /// The references must outlive it.
  ForeignValues(Store& store, const ForeignGroup& group) : store_(store), group_(group) {}

  /// The text that an array without axes is. kDataLoss: its file does not hold one.
  [[nodiscard]] Result<std::string> text_of(const ForeignArray& array) const;
  /// The same; returns the bytes of the file.
  [[nodiscard]] Result<Index> check_text(const ForeignArray& array) const;
  /// netcdf::ReadValues: all values of a variable, or those of one record. kDataLoss, kIoError.
  Result<AttributeValue> read(const netcdf::Header& header, int variable, Index step);

 private:
  [[nodiscard]] Result<std::vector<std::byte>> bytes_of(const ForeignArray& array, Index step) const;
  Result<AttributeValue> time_of(std::size_t array, Index step);

  Store& store_;
  const ForeignGroup& group_;
  std::map<std::size_t, Numbers> times_;  // by array
};

}  // namespace esker::zarr
