// Translates between Esker's errors and Python exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>

#include "esker/types/status.hpp"

namespace esker::python {

/// A missing dataset, as opposed to a missing name within a dataset.
class NoSuchDataset : public Error {
  using Error::Error;
};

/// The value of a result; throws NoSuchDataset for kNotFound, otherwise Error.
template <class T>
T value_or_no_dataset(Result<T> result) {
  if (result.status().code() == Code::kNotFound)
    throw NoSuchDataset(Code::kNotFound, result.status().message());
  return std::move(result).value();
}

/// The exception as a Status with the text "ValueError: message" and the code that translates to its type.
Status status_of_exception(nanobind::handle exception);

/// For nanobind's register_exception_translator.
void translate_error(const std::exception_ptr& thrown, void*);

}  // namespace esker::python
