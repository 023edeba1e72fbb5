// SegmentList: the segments of a message, in a few bytes each.
//
//   for (const Segment& segment : message.segments) { ... }
//
// A plan names every segment, and is kept for the steps that follow; ten thousand small patches of many
// fields make a million of them. So a list holds *runs*: the segments of one part of a piece. What does not
// depend on the field - the patches, the indices, the order in the part - is a string of small numbers in a
// SegmentPool, in which equal strings exist once: fields with the same boxes share them, whatever their
// layouts are.
// docs/internals/decisions/0026-plans-share-segments.md
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
  /// Where `text` begins; it is added unless it exists already. May throw.
  std::size_t add(std::string_view text);
  /// Nothing will be added any more: frees what only add() needs.
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
  /// Segments of one field that belong to one part of a piece, as a string of the pool describes them.
  struct Run {
    Index position = 0;
    Index sample_bytes = 0;
    std::size_t text = 0;
    int field = 0;
    int first_relayed = 0;  ///< what numbers of relayed samples are counted from
    int count = 0;
  };

  /// Decodes as it goes: what it refers to changes with ++.
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
    int left_ = 0;  // of the run, behind this one
    const char* next_ = nullptr;
    Point origin_{};  // of the part
    Segment segment_;
  };

  [[nodiscard]] Iterator begin() const { return Iterator(*this); }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }
  [[nodiscard]] bool empty() const { return runs_.empty(); }
  [[nodiscard]] Index size() const;
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }

  /// `pool` is that of all runs of the list.
  void add(const Run& run, const std::shared_ptr<const SegmentPool>& pool) {
    runs_.push_back(run);
    pool_ = pool;
  }
  /// Puts the runs in the order of positions; those of one position stay in the order of adding.
  void sort();
  /// Without the strings.
  [[nodiscard]] Index size_bytes() const { return static_cast<Index>(runs_.capacity() * sizeof(Run)); }

 private:
  std::vector<Run> runs_;
  std::shared_ptr<const SegmentPool> pool_;
};

/// Describes segments as they are found, and adds them to the lists of their messages.
class SegmentCollector {
 public:
  SegmentCollector() : pool_(std::make_shared<SegmentPool>()) {}

  /// `list` outlives the next flush().
  void add(SegmentList& list, const Segment& segment) { waiting_.push_back({&list, segment}); }
  /// Many segments wait, which take memory.
  [[nodiscard]] bool is_full() const { return waiting_.size() >= kFull; }
  /// Adds what waits to the lists, in the order of (position, patch, place); all of it is of one field. May
  /// throw.
  void flush();
  /// What all lists refer to. Nothing can be added any more.
  [[nodiscard]] std::shared_ptr<const SegmentPool> complete();

 private:
  static constexpr std::size_t kFull = 8192;
  struct Waiting {
    SegmentList* list = nullptr;
    Segment segment;
  };
  void add_run(std::size_t first, std::size_t last);

  std::shared_ptr<SegmentPool> pool_;
  std::vector<Waiting> waiting_;
  std::vector<std::uint32_t> sorted_;  // of waiting_
  std::string text_;                   // of the run at hand
};

}  // namespace esker
