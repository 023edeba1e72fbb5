// How values get into a shared file, and out of it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/byte_order.h"
#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/gather.h"
#include "formats/netcdf/model/fill.h"
#include "shared_cdf/shared_file.h"
#include "store/checksum.h"
#include "transfer/own_access.h"

namespace esker::cdf {
namespace {

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

/// netCDF's fill value of a type, in memory.
std::vector<std::byte> fill_in_memory(Type type) {
  Variable variable;
  variable.type = type;
  std::vector<std::byte> value = netcdf::fill_value(variable);
  swap_bytes(value, static_cast<int>(netcdf::size_bytes(type)));
  return value;
}

/// The different arrays of patches, in order.
std::vector<ArrayKey> keys_of(const std::vector<KeyedPatch>& patches) {
  std::vector<ArrayKey> keys;
  for (const KeyedPatch& patch : patches) {
    if (keys.empty() || keys.back() != patch.key) keys.push_back(patch.key);
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

Status SharedFile::check_moving(const char* operation, bool writes) const {
  if (is_defining_) return error(Code::kWrongOrder, "{}: {} is being defined", operation, path_);
  if (!file_) return error(Code::kWrongOrder, "{}: {} is closed", operation, path_);
  if (writes && !is_writable_)
    return error(Code::kInvalidArgument, "{}: {} was opened for reading", operation, path_);
  return {};
}

Status SharedFile::check_accesses(std::span<const Access> accesses, bool writes) const {
  ESKER_RETURN_IF_ERROR(check_moving(writes ? "put" : "get", writes));
  for (const Access& access : accesses) ESKER_RETURN_IF_ERROR(check_access(header_, access));
  if (writes) return {};
  const Index needed = records_needed(header_, accesses);
  if (needed <= header_.num_records) return {};
  return error(Code::kOutOfRange, "get: record {} of {} that the file has", needed, header_.num_records);
}

/// The arrays that any rank brings boxes of, and the new number of records in header_. Collective.
Result<std::vector<ArrayKey>> SharedFile::keys_of_all(const std::vector<KeyedPatch>& patches,
                                                      Index needed_records) {
  std::vector<ArrayKey> keys;
  std::uint64_t hash = 0;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "put", [&] {
    keys = keys_of(patches);
    hash = checksum(std::as_bytes(std::span(keys)), 0);
    return Status();
  }));
  const Index records = std::max(header_.num_records, needed_records);
  std::array<std::uint64_t, 3> most{hash, ~hash, static_cast<std::uint64_t>(records)};
  comm_->all_reduce_max(most);
  ESKER_RETURN_IF_ERROR(begin_records(static_cast<Index>(most[2])));
  if (most[0] == ~most[1]) return keys;
  ESKER_ASSIGN_OR_RETURN(const Gathered all, gather(*comm_, std::as_bytes(std::span(keys))));
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "put", [&] {
    for (const auto bytes : all.of_rank) {
      const std::size_t n = keys.size();
      keys.resize(n + bytes.size() / sizeof(ArrayKey));
      std::memcpy(keys.data() + n, bytes.data(), bytes.size());
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return Status();
  }));
  return keys;
}

/// Before later records are written, those before them are in the file. Collective.
Status SharedFile::begin_records(Index num_records) {
  if (num_records == header_.num_records) return {};
  if (header_.num_records != stored_->num_records) {
    ESKER_RETURN_IF_ERROR(root_does(*comm_, "put", [&] { return write_num_records(); }));
    stored_->num_records = header_.num_records;
  }
  header_.num_records = num_records;
  return {};
}

Status SharedFile::put(const Status& local, std::span<Access> accesses) {
  std::vector<KeyedPatch> patches;
  const Status mine = !local.ok() ? local : guarded("put", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_accesses(accesses, true));
    patches = patches_of(header_, accesses);
    return {};
  });
  if (!mine.ok()) {
    accesses = {};
    patches.clear();
  }
  const Status state = check_moving("put", true);
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{state, "put", 0, ""}));
  ESKER_ASSIGN_OR_RETURN(const std::vector<ArrayKey> keys,
                         keys_of_all(patches, records_needed(header_, accesses)));
  std::vector<FileArray> arrays;
  std::vector<ArrayPatch> to_put;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "put", [&] {
    for (const ArrayKey& key : keys) arrays.push_back(array_of(header_, key));
    for (const KeyedPatch& patch : patches) {
      const auto array = std::lower_bound(keys.begin(), keys.end(), patch.key) - keys.begin();
      to_put.push_back(
          {static_cast<int>(array), to_write(patch, accesses[static_cast<std::size_t>(patch.access)])});
    }
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(const Transfers::Moved moved, transfers_->put(arrays, to_put, *file_));
  for (std::size_t p = 0; p < patches.size(); ++p) {
    if (moved.out_of_range[p]) accesses[static_cast<std::size_t>(patches[p].access)].is_out_of_range = true;
  }
  return mine;
}

Status SharedFile::put_alone(std::span<Access> accesses) {
  return guarded("put", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_accesses(accesses, true));
    for (const KeyedPatch& patch : patches_of(header_, accesses)) {
      Access& access = accesses[static_cast<std::size_t>(patch.access)];
      bool all_fit = true;
      ESKER_RETURN_IF_ERROR(
          write_alone(*file_, array_of(header_, patch.key), to_write(patch, access), all_fit));
      if (!all_fit) access.is_out_of_range = true;
    }
    header_.num_records = std::max(header_.num_records, records_needed(header_, accesses));
    return {};
  });
}

Status SharedFile::get_alone(std::span<Access> accesses) {
  return guarded("get", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_accesses(accesses, false));
    for (const KeyedPatch& patch : patches_of(header_, accesses)) {
      Access& access = accesses[static_cast<std::size_t>(patch.access)];
      bool all_fit = true;
      ESKER_RETURN_IF_ERROR(read_alone(*file_, array_of(header_, patch.key), to_read(patch, access),
                                       fill_in_memory(access.memory_type), all_fit));
      if (!all_fit) access.is_out_of_range = true;
    }
    return {};
  });
}

Status SharedFile::get(const Status& local, std::span<Access> accesses) {
  const Status state = check_moving("get", false);
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{state, "get", 0, ""}));
  const Status wrong = !local.ok() ? local : guarded("get", [&] { return check_accesses(accesses, false); });
  const Status read = wrong.ok() ? get_alone(accesses) : Status();
  ESKER_RETURN_IF_ERROR(agree(*comm_, read));
  return wrong;
}

Status SharedFile::fill(int variable, Index record) {
  const Status local = guarded("fill", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_moving("fill", true));
    if (variable >= 0 && variable < std::ssize(header_.variables) && record >= 0) return {};
    return error(Code::kOutOfRange, "fill: variable {} or record {} does not exist", variable, record);
  });
  const std::uint64_t arguments = hash_text(static_cast<std::uint64_t>(variable), std::to_string(record));
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{local, "fill", arguments, "another variable or record"}));
  const Variable& filled = header_.variables[static_cast<std::size_t>(variable)];
  if (header_.is_record(filled))
    ESKER_RETURN_IF_ERROR(begin_records(std::max(header_.num_records, record + 1)));
  return all_do(*comm_, "fill", [&] {  // a share of the values by each rank
    const Index size = netcdf::size_bytes(filled.type), n = header_.value_bytes(filled) / size;
    const Index first = n * comm_->rank() / comm_->size(), last = n * (comm_->rank() + 1) / comm_->size();
    const Index begin = offset_of(header_, variable, header_.is_record(filled) ? record : 0);
    return netcdf::write_fill(*file_, filled, begin + first * size, (last - first) * size);
  });
}

}  // namespace esker::cdf
