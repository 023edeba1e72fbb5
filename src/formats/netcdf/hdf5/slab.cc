#include "formats/netcdf/hdf5/slab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "formats/netcdf/hdf5/global_heap.h"
#include "formats/netcdf/hdf5/stored_sizes.h"
#include "formats/netcdf/hdf5/variable_text.h"

namespace esker::hdf5 {

hid_t memory_type(SampleType type) {
  switch (type) {
    case SampleType::kInt8:
      return H5T_NATIVE_INT8;
    case SampleType::kUint8:
      return H5T_NATIVE_UINT8;
    case SampleType::kInt16:
      return H5T_NATIVE_INT16;
    case SampleType::kUint16:
      return H5T_NATIVE_UINT16;
    case SampleType::kInt32:
      return H5T_NATIVE_INT32;
    case SampleType::kUint32:
      return H5T_NATIVE_UINT32;
    case SampleType::kInt64:
      return H5T_NATIVE_INT64;
    case SampleType::kUint64:
      return H5T_NATIVE_UINT64;
    case SampleType::kFloat32:
      return H5T_NATIVE_FLOAT;
    case SampleType::kFloat64:
      return H5T_NATIVE_DOUBLE;
  }
  return H5I_INVALID_HID;
}

namespace {

std::vector<hsize_t> unsigned_of(const std::vector<Index>& values) { return {values.begin(), values.end()}; }

/// The form of values in memory.
struct InMemory {
  hid_t type;
  std::size_t value_bytes;
};

void fill(hid_t dataset, const InMemory& memory, std::size_t n, std::byte* out) {
  const std::size_t value_bytes = memory.value_bytes;
  const Handle list(H5Dget_create_plist(dataset), "fill value");
  H5D_fill_value_t defined{};
  checked(H5Pfill_value_defined(list, &defined), "fill value");
  std::vector<std::byte> value(value_bytes);
  if (defined != H5D_FILL_VALUE_UNDEFINED) {
    checked(H5Pget_fill_value(list, memory.type, value.data()), "fill value");
  }
  for (std::size_t i = 0; i < n; ++i) std::memcpy(out + i * value_bytes, value.data(), value_bytes);
}

/// The number of available indices per axis in a dataset of those extents.
std::vector<hsize_t> present_of(const Slab& slab, const std::vector<hsize_t>& extents) {
  std::vector<hsize_t> present;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const auto extent = static_cast<Index>(extents[axis]);
    const Index behind = extent - slab.start[axis];
    const Index n = behind <= 0 ? 0 : (behind - 1) / slab.stride[axis] + 1;
    present.push_back(static_cast<hsize_t>(std::min(n, slab.count[axis])));
  }
  return present;
}

std::size_t num_values(const Slab& slab) {
  std::size_t n = 1;
  for (const Index of_axis : slab.count) n *= static_cast<std::size_t>(of_axis);
  return n;
}

void read_values(hid_t dataset, const std::string& path, const InMemory& memory, const Slab& slab,
                 std::byte* out) {
  const Handle list(H5Dget_create_plist(dataset), "storage");
  if (H5Pget_layout(list) == H5D_VIRTUAL)
    throw Failure(fmt::format("'{}': its values are in other files", excerpt(path)));
  const Handle stored(H5Dget_space(dataset), "extents");
  const auto rank = static_cast<std::size_t>(checked(H5Sget_simple_extent_ndims(stored), "extents"));
  if (rank != slab.count.size())
    throw Failure(fmt::format("'{}': the axes have changed since the file was opened", excerpt(path)));
  if (rank == 0) {
    checked(H5Dread(dataset, memory.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out), "value");
    return;
  }
  std::vector<hsize_t> extents(rank);
  checked(H5Sget_simple_extent_dims(stored, extents.data(), nullptr), "extents");
  const auto start = unsigned_of(slab.start), stride = unsigned_of(slab.stride),
             count = unsigned_of(slab.count);
  const std::vector<hsize_t> present = present_of(slab, extents);
  if (present != count) {
    if (rank > 1 && present[0] != count[0])
      throw Failure(fmt::format("'{}': steps have been removed since the file was opened", excerpt(path)));
    fill(dataset, memory, num_values(slab), out);
  }
  if (std::find(present.begin(), present.end(), hsize_t{0}) != present.end()) return;
  std::vector<hsize_t> end = start;
  for (std::size_t axis = 0; axis < rank; ++axis) end[axis] += (present[axis] - 1) * stride[axis] + 1;
  check_chunk_sizes(dataset, start, end);
  checked(H5Sselect_hyperslab(stored, H5S_SELECT_SET, start.data(), stride.data(), present.data(), nullptr),
          "selection");
  const Handle selected(H5Screate_simple(static_cast<int>(rank), count.data(), nullptr), "memory");
  const std::vector<hsize_t> origin(rank, 0);
  checked(H5Sselect_hyperslab(selected, H5S_SELECT_SET, origin.data(), nullptr, present.data(), nullptr),
          "memory");
  checked(H5Dread(dataset, memory.type, selected, stored, H5P_DEFAULT, out), "values");
}

/// Of the texts of all other axes, the characters on the last axis. Behind a text there are NULs.
void take_characters(const std::vector<std::string>& texts, const Slab& slab, std::byte* out) {
  const Index start = slab.start.back(), stride = slab.stride.back(), count = slab.count.back();
  for (const std::string& text : texts) {
    for (Index n = 0; n < count; ++n) {
      const auto at = static_cast<std::size_t>(start + n * stride);
      *out++ = at < text.size() ? static_cast<std::byte>(text[at]) : std::byte{0};
    }
  }
}

std::vector<std::string> split(const std::vector<std::byte>& values, std::size_t n_bytes) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < values.size(); at += n_bytes) {
    texts.emplace_back(reinterpret_cast<const char*>(&values[at]), n_bytes);
  }
  return texts;
}

void read_characters(hid_t dataset, hid_t stored, const std::string& path, const Slab& slab, std::byte* out) {
  const bool is_variable = H5Tis_variable_str(stored) > 0;
  const Handle references = reference_type();
  const InMemory memory{is_variable ? static_cast<hid_t>(references) : stored,
                        is_variable ? kReferenceBytes : H5Tget_size(stored)};
  if (memory.value_bytes == 1) return read_values(dataset, path, memory, slab, out);
  if (slab.count.empty())
    throw Failure(fmt::format("'{}': the type has changed since the file was opened", excerpt(path)));
  Slab of_texts = slab;
  for (auto* axes : {&of_texts.start, &of_texts.stride, &of_texts.count}) axes->pop_back();
  std::vector<std::byte> values(num_values(of_texts) * memory.value_bytes);
  read_values(dataset, path, memory, of_texts, values.data());
  take_characters(is_variable ? texts_at(file_of(dataset), values) : split(values, memory.value_bytes), slab,
                  out);
}

}  // namespace

void read_slab(hid_t file, const std::string& path, SampleType type, const Slab& slab, std::byte* out) {
  const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), "variable");
  const Handle stored(H5Dget_type(dataset), "type");
  if (H5Tget_class(stored) == H5T_STRING && type == SampleType::kUint8)
    return read_characters(dataset, stored, path, slab, out);
  read_values(dataset, path, {memory_type(type), static_cast<std::size_t>(size_bytes(type))}, slab, out);
}

}  // namespace esker::hdf5
