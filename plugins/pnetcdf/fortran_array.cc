#include "fortran_array.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "codes.h"
#include "strided.h"

namespace esker::pnetcdf {
namespace {

std::byte* bytes_at(const void* values) { return static_cast<std::byte*>(const_cast<void*>(values)); }

}  // namespace

Section::Section(const void* value, Type type) : first_(bytes_at(value)), type_(type) {}

Section::Section(const FortranArray& array, int rank, Type type)
    : first_(bytes_at(array.first)), type_(type) {
  set_axes(array, rank, value_bytes());
}

Section::Section(const void* text, std::size_t length)
    : first_(bytes_at(text)), type_(Type::kChar), rank_(1) {
  count_[0] = static_cast<Index>(length);
  step_bytes_[0] = 1;
}

Section::Section(const FortranArray& texts, int rank, std::size_t length)
    : first_(bytes_at(texts.first)), type_(Type::kChar) {
  set_axes(texts, rank, static_cast<Index>(length));
  count_[rank_] = static_cast<Index>(length);
  step_bytes_[rank_] = 1;
  ++rank_;
}

void Section::set_axes(const FortranArray& array, int rank, Index value_bytes) {
  for (int i = rank - 1; i >= 0; --i) {
    const FortranArray::Axis& axis = array.axes[i];
    count_[rank_] = std::max<Index>(axis.upper - axis.lower + 1, 0);
    step_bytes_[rank_] = (i == 0 && axis.step == 0 ? 1 : axis.step) * value_bytes;
    ++rank_;
  }
}

Index Section::n_values() const {
  Index n = 1;
  for (const Index each : count()) n *= each;
  return n;
}

bool Section::is_dense() const {
  if (n_values() == 0) return true;
  Index dense_bytes = value_bytes();
  for (std::size_t i = rank_; i-- > 0;) {
    if (count_[i] != 1 && step_bytes_[i] != dense_bytes) return false;
    dense_bytes *= count_[i];
  }
  return true;
}

DenseValues::DenseValues(const Section& section, bool gives_back)
    : section_(section), gives_back_(gives_back) {
  if (section.is_dense()) return;
  MemoryRange range = range_of_steps(section.count(), section.step_bytes(), section.value_bytes());
  range.has_gaps = true;  // a map may leave some values as they are
  if (const Status taken = mirror_.take(section.first(), range, gives_back); !taken.ok()) {
    warn(taken.message());
    throw std::runtime_error("no copy of a section");
  }
  const std::byte* const from = mirror_.is_used() ? mirror_.values() : section.first();
  copy_.resize(static_cast<std::size_t>(section.n_values() * section.value_bytes()));
  gather(section.count(), section.step_bytes(), from, section.value_bytes(), copy_.data());
}

int DenseValues::give_back() noexcept {
  if (!std::exchange(gives_back_, false) || copy_.empty()) return NC_NOERR;
  std::byte* const to = mirror_.is_used() ? mirror_.values() : section_.first();
  scatter(section_.count(), section_.step_bytes(), to, section_.value_bytes(), copy_.data());
  return hand_over(mirror_);
}

std::vector<MPI_Offset> numbers_of(const FortranArray& array, int rank) {
  const Section section(array, rank, type_of<MPI_Offset>());
  std::vector<MPI_Offset> numbers(static_cast<std::size_t>(section.n_values()));
  gather(section.count(), section.step_bytes(), section.first(), section.value_bytes(),
         reinterpret_cast<std::byte*>(numbers.data()));
  return numbers;
}

}  // namespace esker::pnetcdf
