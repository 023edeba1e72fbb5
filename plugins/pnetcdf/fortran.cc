#include "fortran.h"

#include <algorithm>
#include <cstring>

#include "interface.h"

namespace esker::pnetcdf {

Text::Text(const char* text, int length) : text_(text, static_cast<std::size_t>(std::max(length, 0))) {
  const auto last = text_.find_last_not_of(' ');
  text_.resize(last == std::string::npos ? 0 : last + 1);
}

void give_text(std::string_view from, char* to, int length) {
  const std::size_t room = static_cast<std::size_t>(std::max(length, 0));
  const std::size_t n = std::min(from.size(), room);
  std::memcpy(to, from.data(), n);
  std::memset(to + n, ' ', room - n);
}

Dimensions::Dimensions(const MPI_Fint* dims, int n) {
  for (int i = n - 1; i >= 0; --i) dims_.push_back(dims[i] - 1);
}

int n_dims_of(int ncid, int varid) {
  int n = 0;
  return ncmpi_inq_varndims(ncid, varid, &n) == NC_NOERR ? n : 0;
}

DimensionsResult::DimensionsResult(int ncid, int varid, MPI_Fint* dims)
    : dims_(dims), values_(static_cast<std::size_t>(n_dims_of(ncid, varid))) {}

DimensionsResult::~DimensionsResult() {
  for (std::size_t i = 0; i < values_.size(); ++i) dims_[i] = values_[values_.size() - 1 - i] + 1;
}

Indices::Indices(int ncid, int varid, const MPI_Offset* list, MPI_Offset first) {
  for (int i = n_dims_of(ncid, varid) - 1; i >= 0; --i) list_.push_back(list[i] - first);
}

IndexLists::IndexLists(int ncid, int varid, int n, const MPI_Offset* lists, MPI_Offset first) {
  const int n_dims = n_dims_of(ncid, varid);
  for (int k = 0; k < n; ++k) {
    for (int i = n_dims - 1; i >= 0; --i) numbers_.push_back(lists[k * n_dims + i] - first);
  }
  for (int k = 0; k < n; ++k) lists_.push_back(numbers_.data() + k * n_dims);
}

RequestCopy::RequestCopy(const MPI_Fint* requests, int n) {
  if (n > 0) requests_.assign(requests, requests + n);
}

}  // namespace esker::pnetcdf
