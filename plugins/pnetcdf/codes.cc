#include "codes.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>

namespace esker::pnetcdf {
namespace {

bool names(const Status& status, int system_error) {
  return status.message().find(std::strerror(system_error)) != std::string::npos;
}

int io_code(const Status& status) {
  if (names(status, ENOSPC)) return NC_ENO_SPACE;
  if (names(status, EDQUOT)) return NC_EQUOTA;
  if (names(status, EACCES)) return NC_EACCESS;
  if (names(status, ENAMETOOLONG)) return NC_EBAD_FILE;
  if (names(status, ENOENT)) return NC_ENOENT;
  return NC_EFILE;
}

int number_of(const Status& status) {
  switch (status.code()) {
    case Code::kOk:
      return NC_NOERR;
    case Code::kNotFound:
      return NC_ENOENT;
    case Code::kInvalidArgument:
      return NC_EINVAL;
    case Code::kOutOfRange:
      return NC_EINVALCOORDS;
    case Code::kMismatchedCall:
      return NC_EMULTIDEFINE_FNC_ARGS;
    case Code::kDataLoss:
      return NC_ENOTNC;
    case Code::kUnsupported:
      return NC_ENOTSUPPORT;
    case Code::kOutOfMemory:
      return NC_ENOMEM;
    default:
      return io_code(status);
  }
}

}  // namespace

void warn(const std::string& text, bool prints) {
  static std::set<std::string> printed;
  if (printed.insert(text).second && prints) std::fprintf(stderr, "esker: %s\n", text.c_str());
}

int code_of(const Status& status) {
  if (!status.ok()) warn(status.message());
  return number_of(status);
}

int code_of(const Status& status, cdf::Mismatch mismatch) {
  const int code = code_of(status);
  if (status.code() != Code::kMismatchedCall) return code;
  using cdf::Mismatch;
  switch (mismatch) {
    case Mismatch::kNone:
      return code;
    case Mismatch::kNumDims:
      return NC_EMULTIDEFINE_DIM_NUM;
    case Mismatch::kDimName:
      return NC_EMULTIDEFINE_DIM_NAME;
    case Mismatch::kDimLength:
      return NC_EMULTIDEFINE_DIM_SIZE;
    case Mismatch::kNumAttributes:
      return NC_EMULTIDEFINE_ATTR_NUM;
    case Mismatch::kAttributeName:
      return NC_EMULTIDEFINE_ATTR_NAME;
    case Mismatch::kAttributeType:
      return NC_EMULTIDEFINE_ATTR_TYPE;
    case Mismatch::kAttributeLength:
      return NC_EMULTIDEFINE_ATTR_LEN;
    case Mismatch::kAttributeValue:
      return NC_EMULTIDEFINE_ATTR_VAL;
    case Mismatch::kNumVariables:
      return NC_EMULTIDEFINE_VAR_NUM;
    case Mismatch::kVariableName:
      return NC_EMULTIDEFINE_VAR_NAME;
    case Mismatch::kVariableType:
      return NC_EMULTIDEFINE_VAR_TYPE;
    case Mismatch::kVariableNumDims:
      return NC_EMULTIDEFINE_VAR_NDIMS;
    case Mismatch::kVariableDims:
      return NC_EMULTIDEFINE_VAR_DIMIDS;
    case Mismatch::kOther:
      return NC_EMULTIDEFINE;
  }
  return code;
}

}  // namespace esker::pnetcdf
