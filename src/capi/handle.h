// What stands behind the handles of esker.h, and the way every function goes: check, translate, call the C++
// interface, keep the error for esker_message, return its code. No exception leaves.
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
#include "esker/decomposition.hpp"
#include "esker/esker.h"
#include "esker/options.hpp"
#include "esker/reader.hpp"
#include "esker/verify.hpp"
#include "esker/writer.hpp"

/// Written, or read, alone or by all ranks together, or neither: closed by a reader, or never opened, for
/// which `opening` then has the reason.
struct esker_dataset {
  esker::Status opening;
  std::optional<esker::Writer> writer;
  std::optional<esker::Dataset> alone;
  std::optional<esker::Reader> together;
  esker::Status failure;  // of the last call that failed
  int first_number = 0;   // in messages, see esker_count_from
  std::string path;
  std::string report;                    // the last one
  std::vector<esker::Finding> findings;  // of the last esker_verify
  // What esker_get_att_int64 and esker_get_att_double gave of attributes that have another type: converted
  // once, and kept until the next definition.
  std::map<const void*, std::vector<int64_t>> integers;
  std::map<const void*, std::vector<double>> reals;

  /// What is read; null if it is not open for reading.
  [[nodiscard]] const esker::Dataset* dataset() const {
    if (together) return &together->dataset();
    return alone ? &*alone : nullptr;
  }
};

struct esker_options {
  esker::Options values;
  std::vector<esker::Options::Entry> entries;  // what esker_options_inq gave texts of
  esker::Status failure;
};

struct esker_decomposition {
  std::optional<esker::BrickDecomposition> split;
  esker::Status failure;  // of the last call that failed, or why there is no split
};

struct esker_comm {
  std::optional<esker::Communicator> group;
  esker::Status failure;  // why there is none
};

namespace esker::capi {

inline esker_status code_of(const Status& status) { return static_cast<esker_status>(status.code()); }

/// The number from which messages of this handle's calls count.
inline int first_number_of(const esker_dataset& ds) { return ds.first_number; }
template <class Handle>
int first_number_of(const Handle&) {
  return 0;
}

/// The code of what `work` returns or throws; its text stays with the handle.
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

/// What opening it said if it never was open; kWrongOrder for one that was read and is closed. A closed
/// writer itself knows what it still allows.
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

/// One whose errors become those of the next collective call, as the Writer does with most of its own.
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

/// `*to = value`, where the caller wants it.
template <class T, class U>
void give(T* to, const U& value) {
  if (to) *to = static_cast<T>(value);
}

}  // namespace esker::capi
