// PatchList: the patches of one field that one rank puts, in 8 bytes each where possible.
//
// Ten thousand patches of sixteen fields are a common step of an adaptive mesh. All fields have the same
// boxes, and most patches have the same strides. The lists share the boxes, and each list stores equal
// strides once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "esker/types/patch.hpp"

namespace esker {

/// Boxes in the order of the put calls. Copies share their memory, also after boxes are added to one of them,
/// as long as the added boxes are equal to those that the other copy has.
class PatchBoxes {
 public:
  PatchBoxes() = default;
  explicit PatchBoxes(std::vector<Box> boxes)
      : boxes_(std::make_shared<std::vector<Box>>(std::move(boxes))), size_(boxes_->size()) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const Box& operator[](std::size_t i) const { return (*boxes_)[i]; }
  [[nodiscard]] const Box* begin() const { return boxes_ ? boxes_->data() : nullptr; }
  [[nodiscard]] const Box* end() const { return begin() + size_; }
  [[nodiscard]] std::vector<Box> to_vector() const { return {begin(), end()}; }

  void push_back(const Box& box);
  /// An empty list that reuses the memory of this one.
  [[nodiscard]] PatchBoxes restarted() const;
  [[nodiscard]] bool shares_memory_with(const PatchBoxes& other) const { return boxes_ == other.boxes_; }
  [[nodiscard]] Index size_bytes() const {
    return boxes_ ? static_cast<Index>(boxes_->capacity() * sizeof(Box)) : 0;
  }

  friend bool operator==(const PatchBoxes& a, const PatchBoxes& b);

 private:
  std::shared_ptr<std::vector<Box>> boxes_;  // may hold more, of others that share it
  std::size_t size_ = 0;
};

class PatchList {
 public:
  PatchList() = default;
  PatchList(std::initializer_list<Patch> patches) {  // NOLINT(google-explicit-constructor)
    for (const Patch& patch : patches) push_back(patch);
  }

  /// For an empty list: its boxes will probably equal those of another list.
  void expect(const PatchBoxes& boxes) { boxes_ = boxes.restarted(); }
  /// Shares the boxes of another list, which are equal.
  void share(const PatchBoxes& boxes) { boxes_ = boxes; }
  void push_back(const Patch& patch);
  void clear() { *this = {}; }
  /// From now on the returned patches begin with this component.
  void set_first_component(Index component) { first_component_ = component; }

  [[nodiscard]] std::size_t size() const { return data_.size(); }
  [[nodiscard]] bool empty() const { return data_.empty(); }
  [[nodiscard]] Patch operator[](std::size_t i) const;
  [[nodiscard]] const PatchBoxes& boxes() const { return boxes_; }
  /// Does not include the boxes.
  [[nodiscard]] Index size_bytes() const;

  class Iterator {
   public:
    Iterator(const PatchList& list, std::size_t at) : list_(&list), at_(at) {}
    Patch operator*() const { return (*list_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const PatchList* list_;
    std::size_t at_;
  };
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size()}; }

 private:
  struct Strides {
    SampleType type = SampleType::kFloat32;
    std::array<Index, kMaxRank> stride_bytes{};
    Index component_stride_bytes = 0;
    Point repeat{1, 1, 1, 1, 1};
    bool is_on_device = false;

    friend bool operator==(const Strides&, const Strides&) = default;
  };
  [[nodiscard]] std::uint32_t number_of(const Strides& strides);

  PatchBoxes boxes_;
  std::vector<const std::byte*> data_;
  std::vector<Strides> strides_;
  std::vector<std::uint32_t> strides_of_;  // [patch]; empty: all patches have strides_[0]
  Index first_component_ = 0;
};

}  // namespace esker
