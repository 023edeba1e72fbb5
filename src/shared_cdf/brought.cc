#include "shared_cdf/brought.h"

#include <algorithm>
#include <cstring>

#include "formats/netcdf/model/fill.h"
#include "store/checksum.h"

namespace esker::cdf {
std::array<std::byte, 8> misfit_of(Type type) {
  const std::vector<std::byte> value = netcdf::fill_in_memory(type);
  std::array<std::byte, 8> misfit{};
  std::copy(value.begin(), value.end(), misfit.begin());
  return misfit;
}

Patch to_write(const KeyedPatch& patch, const Access& access) {
  Patch made;
  made.box = patch.box;
  made.data = static_cast<const std::byte*>(access.values) + patch.first_byte;
  made.type = sample_type(access.memory_type);
  made.stride_bytes = patch.stride_bytes;
  made.component_stride_bytes = size_bytes(made.type);
  made.repeats = true;
  return made;
}

MutablePatch to_read(const KeyedPatch& patch, const Access& access) {
  MutablePatch made;
  made.box = patch.box;
  made.data = static_cast<std::byte*>(access.target) + patch.first_byte;
  made.type = sample_type(access.memory_type);
  made.stride_bytes = patch.stride_bytes;
  made.component_stride_bytes = size_bytes(made.type);
  return made;
}

void Brought::take(const Header& header, std::span<const Access> accesses) {
  patches = patches_of(header, accesses);
  for (const KeyedPatch& patch : patches) {
    if (keys.empty() || keys.back() != patch.key) keys.push_back(patch.key);
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

void Brought::find_arrays(const Header& header, std::span<const Access> accesses, bool writes) {
  arrays.clear();
  to_put.clear();
  to_get.clear();
  const Index record_bytes = header.record_bytes();
  for (const ArrayKey& key : keys) arrays.push_back(array_of(header, record_bytes, key));
  std::array<std::byte, 8> misfit{};
  for (std::size_t p = 0; p < patches.size(); ++p) {
    const KeyedPatch& patch = patches[p];
    const Access& access = accesses[static_cast<std::size_t>(patch.access)];
    const int array = static_cast<int>(std::lower_bound(keys.begin(), keys.end(), patch.key) - keys.begin());
    if (writes) {
      to_put.push_back({array, to_write(patch, access)});
      continue;
    }
    if (p == 0 || patch.access != patches[p - 1].access) misfit = misfit_of(access.memory_type);
    to_get.push_back({array, to_read(patch, access), misfit});
  }
}

void Brought::mark(const std::vector<bool>& out_of_range, std::span<Access> accesses) const {
  for (std::size_t p = 0; p < patches.size(); ++p) {
    if (out_of_range[p]) accesses[static_cast<std::size_t>(patches[p].access)].is_out_of_range = true;
  }
}

std::uint64_t Brought::hash() const {
  return checksum(std::as_bytes(std::span(keys)), static_cast<std::uint64_t>(plan));
}

}  // namespace esker::cdf
