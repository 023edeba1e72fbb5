// Esker's errors as Python's exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>

#include "esker/status.hpp"

namespace esker::python {

/// A dataset that is not there, as against a name that the dataset does not have.
class NoSuchDataset : public Error {
  using Error::Error;
};

/// The result, with kNotFound thrown as NoSuchDataset.
template <class T>
T value_or_no_dataset(Result<T> result) {
  if (result.status().code() == Code::kNotFound)
    throw NoSuchDataset(Code::kNotFound, result.status().message());
  return std::move(result).value();
}

/// The exception as a Status, "ValueError: its text": of the code whose exception type it is.
Status status_of_exception(nanobind::handle exception);

/// For nanobind's register_exception_translator.
void translate_error(const std::exception_ptr& thrown, void*);

}  // namespace esker::python
