// Propagates errors to the caller in one line.
#pragma once

#include <utility>

#include "esker/types/status.hpp"

#define ESKER_CONCAT_INNER(a, b) a##b
#define ESKER_CONCAT(a, b) ESKER_CONCAT_INNER(a, b)

/// Returns the Status of `expr` from the enclosing function unless it is ok.
#define ESKER_RETURN_IF_ERROR(expr)                                                        \
  do {                                                                                     \
    if (::esker::Status esker_status_ = (expr); !esker_status_.ok()) return esker_status_; \
  } while (false)

/// `ESKER_ASSIGN_OR_RETURN(auto x, f());`: x = the value, or the enclosing function returns the error.
#define ESKER_ASSIGN_OR_RETURN(declaration, expr)                     \
  auto ESKER_CONCAT(esker_result_, __LINE__) = (expr);                \
  if (!ESKER_CONCAT(esker_result_, __LINE__).ok()) {                  \
    return std::move(ESKER_CONCAT(esker_result_, __LINE__)).status(); \
  }                                                                   \
  declaration = std::move(*ESKER_CONCAT(esker_result_, __LINE__))
