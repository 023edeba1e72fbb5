// Arguments of Fortran procedures as arguments of C functions. A temporary of these classes is made in the
// call of the C function; results are stored when it is destroyed, at the end of that call.
//
// Fortran counts dimensions, variables and attributes from 1, and lists them fastest first. Texts have no end
// mark: their length is another argument, behind all others.
#pragma once

#include <mpi.h>

#include <string>
#include <string_view>
#include <vector>

#include "constants.h"

namespace esker::pnetcdf {

/// A text given by the program: without the blanks at its end.
class Text {
 public:
  Text(const char* text, int length);
  operator const char*() const { return text_.c_str(); }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] MPI_Offset size() const { return static_cast<MPI_Offset>(text_.size()); }

 private:
  std::string text_;
};

/// Stores a text as the program has it: cut off at `length`, or padded by blanks.
void give_text(std::string_view from, char* to, int length);

/// A text returned to the program.
class TextResult {
 public:
  TextResult(char* text, int length) : text_(text), length_(length) {}
  TextResult(const TextResult&) = delete;
  TextResult& operator=(const TextResult&) = delete;
  ~TextResult() { give_text(buffer_.data(), text_, length_); }
  operator char*() { return buffer_.data(); }  // NOLINT(google-explicit-constructor)

 private:
  char* text_;
  int length_;
  std::vector<char> buffer_ = std::vector<char>(4096, '\0');
};

/// A number of a dimension, variable or attribute, as a result; -1, that of none, stays.
class NumberResult {
 public:
  explicit NumberResult(MPI_Fint* number) : number_(number) {}
  NumberResult(const NumberResult&) = delete;
  NumberResult& operator=(const NumberResult&) = delete;
  ~NumberResult() {
    if (value_ != kUnset) *number_ = value_ >= 0 ? value_ + 1 : value_;
  }
  operator int*() { return &value_; }  // NOLINT(google-explicit-constructor)

 private:
  static constexpr int kUnset = -1000;
  MPI_Fint* number_;
  int value_ = kUnset;
};

/// Numbers of dimensions given by the program.
class Dimensions {
 public:
  Dimensions(const MPI_Fint* dims, int n);
  operator const int*() const { return dims_.data(); }  // NOLINT(google-explicit-constructor)

 private:
  std::vector<int> dims_;
};

/// The numbers of the dimensions of a variable, as a result.
class DimensionsResult {
 public:
  DimensionsResult(int ncid, int varid, MPI_Fint* dims);
  DimensionsResult(const DimensionsResult&) = delete;
  DimensionsResult& operator=(const DimensionsResult&) = delete;
  ~DimensionsResult();
  operator int*() { return values_.data(); }  // NOLINT(google-explicit-constructor)

 private:
  MPI_Fint* dims_;
  std::vector<int> values_;
};

/// How many dimensions a variable has; 0 if there is none.
int n_dims_of(int ncid, int varid);

/// A list with a number per dimension of a variable; `first` is the first index, which is subtracted.
class Indices {
 public:
  Indices(int ncid, int varid, const MPI_Offset* list, MPI_Offset first);
  operator const MPI_Offset*() const { return list_.data(); }  // NOLINT(google-explicit-constructor)

 private:
  std::vector<MPI_Offset> list_;
};

/// `n` such lists, one after the other.
class IndexLists {
 public:
  IndexLists(int ncid, int varid, int n, const MPI_Offset* lists, MPI_Offset first);
  operator MPI_Offset* const*() const { return lists_.data(); }  // NOLINT(google-explicit-constructor)

 private:
  std::vector<MPI_Offset> numbers_;
  std::vector<MPI_Offset*> lists_;
};

/// A copy of the requests of a call, which Fortran programs keep.
class RequestCopy {
 public:
  RequestCopy(const MPI_Fint* requests, int n);
  operator int*() { return requests_.data(); }  // NOLINT(google-explicit-constructor)

 private:
  std::vector<int> requests_;
};

}  // namespace esker::pnetcdf
