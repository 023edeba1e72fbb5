// PieceSpace: the pieces of all layouts that take part in one exchange, as one list.
#pragma once

#include <algorithm>
#include <vector>

#include "layout/layout.h"

namespace esker {

/// Concatenated layouts: ordinals and positions of the second layout continue those of the first. A position
/// is a linear offset in bytes in the order of the files. Non-owning.
class PieceSpace {
 public:
  static constexpr int kSeparate = -1;  ///< a layout with its own files
  /// Otherwise the layout is in the file with the number `joined_file`: its pieces follow those of the layout
  /// before it, if that one is in the same file. The file belongs to rank 0, which need not store any of its
  /// pieces.
  void add(const Layout& layout, int joined_file = kSeparate);

  [[nodiscard]] int num_layouts() const { return static_cast<int>(layouts_.size()); }
  [[nodiscard]] const Layout& layout(int number) const { return *layouts_[number]; }
  [[nodiscard]] Index num_pieces() const { return first_ordinal_.back(); }
  [[nodiscard]] Index stored_bytes() const { return first_position_.back(); }
  [[nodiscard]] Index largest_piece_bytes() const;
  /// Whether any layout is.
  [[nodiscard]] bool is_sparse() const {
    return std::any_of(layouts_.begin(), layouts_.end(), [](const Layout* l) { return l->is_sparse(); });
  }
  /// The sum over all layouts.
  [[nodiscard]] Index most_writers() const;

  /// The number of the layout that contains a piece, and of the layout at a position.
  [[nodiscard]] int layout_of(Index piece) const;
  [[nodiscard]] int layout_at(Index position) const;
  [[nodiscard]] Index first_ordinal(int layout_number) const { return first_ordinal_[layout_number]; }
  [[nodiscard]] Index first_position(int layout_number) const { return first_position_[layout_number]; }

  [[nodiscard]] Piece piece(Index piece) const;
  /// Calls visit(number of its layout, piece) for the pieces [first, last), in order. Cheaper than separate
  /// lookups.
  template <class Visit>
  void for_each_piece(Index first, Index last, const Visit& visit) const {
    while (first < last) {
      const int number = layout_of(first);
      const Index base = first_ordinal(number);
      const Index end = std::min(last, base + layout(number).num_pieces());
      layout(number).for_each_piece(first - base, end - base,
                                    [&](const Piece& piece) { visit(number, piece); });
      first = end;
    }
  }
  [[nodiscard]] Index position_bytes(Index piece) const;
  /// Whether a layout joins others in one file.
  [[nodiscard]] bool joins(int layout_number) const { return joined_file(layout_number) != kSeparate; }
  /// Whether it is the first of those in its file; only for layouts that join.
  [[nodiscard]] bool begins_joined(int layout_number) const {
    return layout_number == 0 || joined_file(layout_number - 1) != joined_file(layout_number);
  }
  /// Whether two layouts, the same or adjacent, are in one file.
  [[nodiscard]] bool share_a_file(int layout_number, int other) const {
    return layout_number == other ||
           (joins(layout_number) && joined_file(layout_number) == joined_file(other));
  }
  /// The file at a position, as Layout::file_at, but with positions in the space and all layouts that join.
  [[nodiscard]] Layout::FileSpan file_at(Index position) const;
  /// The positions at which the files end, in order. O(files).
  [[nodiscard]] std::vector<Index> ends_of_files() const;
  /// The first piece whose position is >= `position`; num_pieces() if there is none.
  [[nodiscard]] Index first_piece_from(Index position) const;

 private:
  [[nodiscard]] int joined_file(int layout_number) const {
    return joined_files_[static_cast<std::size_t>(layout_number)];
  }

  std::vector<const Layout*> layouts_;
  std::vector<int> joined_files_;
  std::vector<Index> first_ordinal_{0};  // per layout, then the total
  std::vector<Index> first_position_{0};
};

}  // namespace esker
