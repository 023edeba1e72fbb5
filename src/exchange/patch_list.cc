#include "exchange/patch_list.h"

#include <algorithm>

namespace esker {
namespace {

// The number of recent strides that are searched before equal strides are stored again.
constexpr std::size_t kRecentStrides = 8;

template <class T>
Index list_bytes(const std::vector<T>& list) {
  return static_cast<Index>(list.capacity() * sizeof(T));
}

}  // namespace

void PatchBoxes::push_back(const Box& box) {
  if (!boxes_) boxes_ = std::make_shared<std::vector<Box>>();
  if (size_ < boxes_->size() && !((*boxes_)[size_] == box)) {
    boxes_ = std::make_shared<std::vector<Box>>(begin(), end());
  }
  if (size_ == boxes_->size()) boxes_->push_back(box);
  ++size_;
}

PatchBoxes PatchBoxes::restarted() const {
  PatchBoxes boxes;
  boxes.boxes_ = boxes_;
  return boxes;
}

bool operator==(const PatchBoxes& a, const PatchBoxes& b) {
  if (a.size_ != b.size_) return false;
  return a.boxes_ == b.boxes_ || std::equal(a.begin(), a.end(), b.begin());
}

void PatchList::push_back(const Patch& patch) {
  const std::uint32_t number = number_of(
      {patch.type, patch.stride_bytes, patch.component_stride_bytes, patch.repeat, patch.is_on_device});
  if (number > 0 && strides_of_.empty()) strides_of_.resize(data_.size());
  if (!strides_of_.empty() || number > 0) strides_of_.push_back(number);
  data_.push_back(static_cast<const std::byte*>(patch.data));
  boxes_.push_back(patch.box);
}

std::uint32_t PatchList::number_of(const Strides& strides) {
  const std::size_t recent = std::min(strides_.size(), kRecentStrides);
  const auto known = std::find(strides_.end() - static_cast<std::ptrdiff_t>(recent), strides_.end(), strides);
  const auto number = static_cast<std::uint32_t>(known - strides_.begin());
  if (known == strides_.end()) strides_.push_back(strides);
  return number;
}

Patch PatchList::operator[](std::size_t i) const {
  const Strides& strides = strides_[strides_of_.empty() ? 0 : strides_of_[i]];
  return {boxes_[i],
          data_[i] + first_component_ * strides.component_stride_bytes,
          strides.type,
          strides.stride_bytes,
          strides.component_stride_bytes,
          false,
          strides.repeat,
          strides.is_on_device};
}

Index PatchList::size_bytes() const {
  return list_bytes(data_) + list_bytes(strides_) + list_bytes(strides_of_);
}

}  // namespace esker
