#include "errors.h"

#include <Python.h>

namespace esker::python {
namespace {

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
    default:
      return PyExc_RuntimeError;
  }
}

}  // namespace

void translate_error(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const NoSuchDataset& error) {
    PyErr_SetString(PyExc_FileNotFoundError, error.what());
  } catch (const Error& error) {
    PyErr_SetString(exception_type(error.code()), error.what());
  }
}

}  // namespace esker::python
