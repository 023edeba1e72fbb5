// Arrays of the Fortran 90 procedures, as gfortran 8 and later pass those of assumed shape (libgfortran.h has
// the same struct). None of its code is needed for that, nor its library.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "elements.h"
#include "mirror.h"

namespace esker::pnetcdf {

/// gfortran's descriptor of an array. Of `axes`, fastest first, there are as many as the array has.
struct FortranArray {
  struct Axis {
    std::ptrdiff_t step, lower, upper;  ///< step: values between neighbors; 0 means 1 for the first axis
  };
  void* first;
  std::size_t offset;
  struct {
    std::size_t value_bytes;
    int version;
    signed char rank, type_code;
    short attribute;
  } type;
  std::ptrdiff_t span;
  Axis axes[7];
};

/// Values of a program: one axis for each of an array, and one for the characters of texts.
class Section {
 public:
  /// One value.
  Section(const void* value, Type type);
  /// An array of so many axes.
  Section(const FortranArray& array, int rank, Type type);
  /// One text, or an array of them.
  Section(const void* text, std::size_t length);
  Section(const FortranArray& texts, int rank, std::size_t length);

  [[nodiscard]] std::byte* first() const { return first_; }
  [[nodiscard]] Type type() const { return type_; }
  [[nodiscard]] Index value_bytes() const { return netcdf::size_bytes(type_); }
  /// Slowest axis first.
  [[nodiscard]] std::span<const Index> count() const { return {count_.data(), rank_}; }
  [[nodiscard]] std::span<const Index> step_bytes() const { return {step_bytes_.data(), rank_}; }
  [[nodiscard]] Index n_values() const;
  /// Whether values follow one another in memory.
  [[nodiscard]] bool is_dense() const;

 private:
  void set_axes(const FortranArray& array, int rank, Index value_bytes);

  std::byte* first_;
  Type type_;
  std::size_t rank_ = 0;
  std::array<Index, 8> count_{}, step_bytes_{};
};

/// The values of a section as a dense list: where they are, or a copy, which is given back if it is told so.
class DenseValues {
 public:
  /// May throw, also for errors of a GPU that has the section.
  DenseValues(const Section& section, bool gives_back);
  DenseValues(const DenseValues&) = delete;
  DenseValues& operator=(const DenseValues&) = delete;
  ~DenseValues() { (void)give_back(); }

  /// Before the end, for its code: of an error of a GPU. Once.
  int give_back() noexcept;
  [[nodiscard]] std::byte* first() { return copy_.empty() ? section_.first() : copy_.data(); }
  [[nodiscard]] bool is_copy() const { return !copy_.empty(); }

 private:
  Section section_;
  bool gives_back_;
  Mirror mirror_;  // of a section that is not dense
  std::vector<std::byte> copy_;
};

/// The numbers of an array, fastest axis first. May throw.
std::vector<MPI_Offset> numbers_of(const FortranArray& array, int rank);

}  // namespace esker::pnetcdf
