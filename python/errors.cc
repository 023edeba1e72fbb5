#include "errors.h"

#include <Python.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstring>
#include <string>

namespace nb = nanobind;

namespace esker::python {
namespace {

/// Derived exception classes come before their base classes.
constexpr std::array kCodes{Code::kInvalidArgument, Code::kOutOfRange, Code::kNotFound,
                            Code::kAlreadyExists,   Code::kIoError,    Code::kUnsupported,
                            Code::kOutOfMemory};

PyObject* exception_type(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return PyExc_ValueError;
    case Code::kOutOfRange:
      return PyExc_IndexError;
    case Code::kNotFound:
      return PyExc_KeyError;
    case Code::kAlreadyExists:
      return PyExc_FileExistsError;
    case Code::kDataLoss:
    case Code::kIoError:
      return PyExc_OSError;
    case Code::kUnsupported:
      return PyExc_NotImplementedError;
    case Code::kOutOfMemory:
      return PyExc_MemoryError;
    case Code::kCancelled:
      return PyExc_KeyboardInterrupt;
    default:
      return PyExc_RuntimeError;
  }
}

/// Names of files, fields and attributes in a message may contain bytes that are not UTF-8.
void raise(PyObject* type, const char* text) {
  const auto size = static_cast<Py_ssize_t>(std::strlen(text));
  const nb::object message = nb::steal(PyUnicode_DecodeUTF8(text, size, "backslashreplace"));
  if (message.is_valid()) PyErr_SetObject(type, message.ptr());
}

}  // namespace

Status status_of_exception(nb::handle exception) {
  std::string text = nb::cast<std::string>(exception.type().attr("__name__"));
  try {
    const nb::bytes utf8(nb::str(exception).attr("encode")("utf-8", "backslashreplace"));
    text += ": " + std::string(utf8.c_str(), utf8.size());
  } catch (const std::exception&) {  // send the class name alone: the other ranks wait for a status
  }
  for (const Code code : kCodes) {
    if (PyErr_GivenExceptionMatches(exception.ptr(), exception_type(code))) return {code, text};
  }
  return {Code::kInternal, text};  // becomes RuntimeError on the other ranks
}

void translate_error(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const NoSuchDataset& error) {
    raise(PyExc_FileNotFoundError, error.what());
  } catch (const Error& error) {
    raise(exception_type(error.code()), error.what());
  }
}

}  // namespace esker::python
