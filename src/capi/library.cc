// Calls that need no handle, and what all handles share.
#include <array>

#include "capi/handle.h"

namespace {

using esker::Code;
using esker::SampleType;

// esker.h's numbers are those of the C++ interface.
static_assert(ESKER_OK == static_cast<int>(Code::kOk));
static_assert(ESKER_INVALID_ARGUMENT == static_cast<int>(Code::kInvalidArgument));
static_assert(ESKER_OUT_OF_RANGE == static_cast<int>(Code::kOutOfRange));
static_assert(ESKER_NOT_FOUND == static_cast<int>(Code::kNotFound));
static_assert(ESKER_ALREADY_EXISTS == static_cast<int>(Code::kAlreadyExists));
static_assert(ESKER_WRONG_ORDER == static_cast<int>(Code::kWrongOrder));
static_assert(ESKER_MISMATCHED_CALL == static_cast<int>(Code::kMismatchedCall));
static_assert(ESKER_DATA_LOSS == static_cast<int>(Code::kDataLoss));
static_assert(ESKER_IO_ERROR == static_cast<int>(Code::kIoError));
static_assert(ESKER_UNSUPPORTED == static_cast<int>(Code::kUnsupported));
static_assert(ESKER_OUT_OF_MEMORY == static_cast<int>(Code::kOutOfMemory));
static_assert(ESKER_INTERNAL == static_cast<int>(Code::kInternal));
static_assert(ESKER_CANCELLED == static_cast<int>(Code::kCancelled));

static_assert(ESKER_INT8 == static_cast<int>(SampleType::kInt8));
static_assert(ESKER_UINT8 == static_cast<int>(SampleType::kUint8));
static_assert(ESKER_INT16 == static_cast<int>(SampleType::kInt16));
static_assert(ESKER_UINT16 == static_cast<int>(SampleType::kUint16));
static_assert(ESKER_INT32 == static_cast<int>(SampleType::kInt32));
static_assert(ESKER_UINT32 == static_cast<int>(SampleType::kUint32));
static_assert(ESKER_INT64 == static_cast<int>(SampleType::kInt64));
static_assert(ESKER_UINT64 == static_cast<int>(SampleType::kUint64));
static_assert(ESKER_FLOAT32 == static_cast<int>(SampleType::kFloat32));
static_assert(ESKER_FLOAT64 == static_cast<int>(SampleType::kFloat64));

static_assert(ESKER_MAX_RANK == esker::kMaxRank);

constexpr std::array kTexts{"success",
                            "invalid argument",
                            "out of range",
                            "not found",
                            "already exists",
                            "call not allowed now",
                            "ranks made different collective calls",
                            "data are damaged",
                            "input or output failed",
                            "not supported",
                            "out of memory",
                            "internal error",
                            "cancelled"};
static_assert(kTexts.size() == ESKER_CANCELLED + 1);

bool is_type(esker_type type) { return type >= ESKER_INT8 && type <= ESKER_FLOAT64; }

}  // namespace

namespace esker::capi {

Status check_open(const esker_dataset& ds, const char* operation) {
  if (!ds.opening.ok()) return ds.opening;
  if (!ds.writer && !ds.dataset()) return error(Code::kWrongOrder, "{}: the dataset is closed", operation);
  return {};
}

}  // namespace esker::capi

extern "C" {

const char* esker_version(void) { return ESKER_VERSION; }

const char* esker_strerror(esker_status status) {
  if (status < 0 || static_cast<std::size_t>(status) >= kTexts.size()) return "unknown status";
  return kTexts[static_cast<std::size_t>(status)];
}

const char* esker_type_name(esker_type type) {
  return is_type(type) ? esker::name(static_cast<SampleType>(type)).data() : "unknown";
}

int esker_type_bytes(esker_type type) {
  return is_type(type) ? esker::size_bytes(static_cast<SampleType>(type)) : 0;
}

}  // extern "C"
