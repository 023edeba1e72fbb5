// SegmentList: the segments of a message, in a few bytes each.
//
//   for (const Segment& segment : message.segments) { ... }
//
// A plan lists every segment, and is kept for the following steps. Ten thousand small patches of many fields
// make a million segments. So a list holds *runs*: the segments of one part of a piece. The data that does
// not depend on the field (the patches, the indices, the order in the part) is encoded as a string of small
// numbers in a SegmentPool, which stores equal strings once. Fields with the same boxes share them, whatever
// their layouts are. docs/internals/decisions/0026-plans-share-segments.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plan/segment.h"

namespace esker {

/// The strings of one plan.
class SegmentPool {
 public:
  /// The offset of `text`, which is added unless it is already stored. May throw.
  std::size_t add(std::string_view text);
  /// Frees what only add() needs; nothing can be added afterwards.
  void complete();

  [[nodiscard]] const char* at(std::size_t begin) const { return text_.data() + begin; }
  [[nodiscard]] Index size_bytes() const { return static_cast<Index>(text_.capacity()); }

 private:
  struct Place {
    std::size_t begin = 0, size = 0;
  };
  std::string text_;
  std::unordered_multimap<std::size_t, Place> places_;  // by hash
};

class SegmentList {
 public:
  /// Segments of one field that belong to one part of a piece, described by a string of the pool.
  struct Run {
    Index position = 0;
    Index sample_bytes = 0;
    std::size_t text = 0;
    int field = 0;
    int first_relayed = 0;  ///< base of the numbers of relayed samples
    int count = 0;
  };

  /// Decodes while it advances: ++ overwrites the segment that it refers to.
  class Iterator {
   public:
    explicit Iterator(const SegmentList& list) : list_(&list) { begin_run(); }
    const Segment& operator*() const { return segment_; }
    const Segment* operator->() const { return &segment_; }
    Iterator& operator++();
    friend bool operator==(const Iterator& at, std::default_sentinel_t) { return at.is_at_end(); }

   private:
    [[nodiscard]] bool is_at_end() const { return run_ == list_->runs_.size(); }
    void begin_run();
    void decode();

    const SegmentList* list_;
    std::size_t run_ = 0;
    int left_ = 0;  // in the run, after this one
    const char* next_ = nullptr;
    Point origin_{};  // of the part
    Segment segment_;
  };

  [[nodiscard]] Iterator begin() const { return Iterator(*this); }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }
  [[nodiscard]] bool empty() const { return runs_.empty(); }
  [[nodiscard]] Index size() const;
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }

  /// `pool` must be the pool of all runs of the list.
  void add(const Run& run, const std::shared_ptr<const SegmentPool>& pool) {
    runs_.push_back(run);
    pool_ = pool;
  }
  /// Sorts the runs by position; runs of one position keep their order.
  void sort();
  /// Does not include the strings.
  [[nodiscard]] Index size_bytes() const { return static_cast<Index>(runs_.capacity() * sizeof(Run)); }

 private:
  std::vector<Run> runs_;
  std::shared_ptr<const SegmentPool> pool_;
};

/// Encodes segments as they are found, and adds them to the lists of their messages.
class SegmentCollector {
 public:
  SegmentCollector() : pool_(std::make_shared<SegmentPool>()) {}

  /// `list` must outlive the next flush().
  void add(SegmentList& list, const Segment& segment) {
    waiting_.push_back({&list, segment, also_.size(), also_.size()});
  }
  /// A list that gets the same segments of another field.
  struct Also {
    SegmentList* list = nullptr;
    Index position = 0;  ///< as in Segment
    Index sample_bytes = 0;
    int field = 0;
  };
  /// Adds the last segment again. All segments of a part that are added to one list have the same others.
  void add_also(const Also& also) {
    also_.push_back(also);
    waiting_.back().last_also = also_.size();
  }
  /// Whether enough segments are waiting that memory requires a flush().
  [[nodiscard]] bool is_full() const { return waiting_.size() >= kFull; }
  /// Adds the waiting segments to the lists, in the order of (position, patch, place). May throw.
  void flush();
  /// The pool of all lists. Nothing can be added afterwards.
  [[nodiscard]] std::shared_ptr<const SegmentPool> complete();

 private:
  static constexpr std::size_t kFull = 8192;
  struct Waiting {
    SegmentList* list = nullptr;
    Segment segment;
    std::size_t first_also = 0, last_also = 0;  // range in also_
  };
  void add_run(std::size_t first, std::size_t last);

  std::shared_ptr<SegmentPool> pool_;
  std::vector<Waiting> waiting_;
  std::vector<Also> also_;
  std::vector<std::uint32_t> sorted_;  // of waiting_
  std::string text_;                   // of the current run
};

}  // namespace esker
