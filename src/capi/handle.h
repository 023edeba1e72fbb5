// The handles of esker.h, and the common steps of every function: check, translate, call the C++ interface,
// keep the error for esker_message, return its code. Exceptions do not leave these functions.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/counting.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "esker/communicator.hpp"
#include "esker/dataset.hpp"
#include "esker/esker.h"
#include "esker/reader.hpp"
#include "esker/types/decomposition.hpp"
#include "esker/types/options.hpp"
#include "esker/verify.hpp"
#include "esker/writer.hpp"

/// A dataset that is written, read by one rank, or read by all ranks together; or none of these: a reader
/// that was closed, or a dataset that could not be opened, for the reason in `opening`.
struct esker_dataset {
  esker::Status opening;
  std::optional<esker::Writer> writer;
  std::optional<esker::Dataset> alone;
  std::optional<esker::Reader> together;
  esker::Status failure;   // of the last call that failed
  int first_number = 0;    // in messages, see esker_count_from
  void* stream = nullptr;  // see esker_set_stream; for esker_get
  std::string path;
  std::string report;                           // the last one
  std::vector<esker::Finding> findings;         // of the last esker_verify
  std::map<int, int> bits;                      // field -> see esker_set_bits
  std::map<int, int> mesh_levels;               // field -> see esker_set_mesh_level
  std::map<int, esker::MissingBlocks> missing;  // field -> see esker_set_missing; absent: kAuto
  // Values that esker_get_att_int64 and esker_get_att_double converted from another type, kept until the next
  // definition.
  std::map<const void*, std::vector<int64_t>> integers;
  std::map<const void*, std::vector<double>> reals;

  /// The dataset that is read; null if it is not open for reading.
  [[nodiscard]] const esker::Dataset* dataset() const {
    if (together) return &together->dataset();
    return alone ? &*alone : nullptr;
  }
};

struct esker_options {
  esker::Options values;
  std::vector<esker::Options::Entry> entries;  // own the texts that esker_options_inq returns
  esker::Status failure;
};

struct esker_decomposition {
  std::optional<esker::BrickDecomposition> split;
  esker::Status failure;  // of the last call that failed, or why there is no split
};

struct esker_comm {
  std::optional<esker::Communicator> group;
  esker::Status failure;  // why there is no group
};

namespace esker::capi {

inline esker_status code_of(const Status& status) { return static_cast<esker_status>(status.code()); }

/// The number from which messages of this handle count.
inline int first_number_of(const esker_dataset& ds) { return ds.first_number; }
template <class Handle>
int first_number_of(const Handle&) {
  return 0;
}

/// The code of what `work` returns or throws; the handle keeps its text.
template <class Handle, class Work>
esker_status call(Handle* handle, const char* operation, const Work& work) noexcept {
  if (!handle) return ESKER_INVALID_ARGUMENT;
  const CountFrom numbers(first_number_of(*handle));
  Status status = guarded(operation, work);
  const esker_status code = code_of(status);
  if (!status.ok()) handle->failure = std::move(status);
  return code;
}

/// A pointer that must not be NULL, and the name of the argument.
struct Needed {
  const void* pointer;
  const char* name;
};

inline Status check_given(const char* operation, std::initializer_list<Needed> needed) {
  for (const Needed& argument : needed) {
    if (!argument.pointer) return error(Code::kInvalidArgument, "{}: {} is NULL", operation, argument.name);
  }
  return {};
}

/// The error of opening if that failed; kWrongOrder for a reader that is closed. (A closed writer checks its
/// calls itself.)
Status check_open(const esker_dataset& ds, const char* operation);

/// A call of a writer, `Status work(Writer&)`.
template <class Work>
esker_status writer_call(esker_dataset* ds, const char* operation, const Work& work) noexcept {
  return call(ds, operation, [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_open(*ds, operation));
    if (!ds->writer) return error(Code::kWrongOrder, "{}: the dataset is open for reading only", operation);
    return work(*ds->writer);
  });
}

/// A call of a writer whose errors the next collective call returns again, as most of the Writer's own.
template <class Work>
esker_status recorded_call(esker_dataset* ds, const char* operation, std::initializer_list<Needed> needed,
                           const Work& work) noexcept {
  return writer_call(ds, operation, [&](Writer& writer) {
    Status status = guarded(operation, [&]() -> Status {
      ESKER_RETURN_IF_ERROR(check_given(operation, needed));
      return work(writer);
    });
    writer.fail(status);
    return status;
  });
}

/// A call of a reader, `Status work(const Dataset&)`.
template <class Work>
esker_status read_call(esker_dataset* ds, const char* operation, std::initializer_list<Needed> needed,
                       const Work& work) noexcept {
  return call(ds, operation, [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_open(*ds, operation));
    const Dataset* dataset = ds->dataset();
    if (!dataset) return error(Code::kWrongOrder, "{}: the dataset is open for writing", operation);
    ESKER_RETURN_IF_ERROR(check_given(operation, needed));
    return work(*dataset);
  });
}

/// A call of a reader on many ranks, `Status work(Reader&)`.
template <class Work>
esker_status parallel_call(esker_dataset* ds, const char* operation, const Work& work) noexcept {
  return call(ds, operation, [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_open(*ds, operation));
    if (ds->together) return work(*ds->together);
    return error(Code::kWrongOrder, "{}: the dataset was not opened by esker_open_parallel", operation);
  });
}

/// A call of either, `Status work(const Schema&)`.
template <class Work>
esker_status schema_call(esker_dataset* ds, const char* operation, std::initializer_list<Needed> needed,
                         const Work& work) noexcept {
  return call(ds, operation, [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_open(*ds, operation));
    ESKER_RETURN_IF_ERROR(check_given(operation, needed));
    return work(ds->writer ? ds->writer->schema() : ds->dataset()->schema());
  });
}

/// `*to = value`, unless `to` is NULL.
template <class T, class U>
void give(T* to, const U& value) {
  if (to) *to = static_cast<T>(value);
}

}  // namespace esker::capi
