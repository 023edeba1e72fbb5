// UnsyncedSteps: maintains the marker file of a dataset (store/unsynced.h) while a run writes. Active on rank
// 0 only.
//
// Contract: if the machine goes down, each committed step has reached the device, or a marker file on the
// device says that it may not have: it or an earlier step is the first unsynced one. A closed dataset has no
// marker file, unless it was opened with one that was not resolved. With fsync=step or none there is no
// marker file: each step is synced before its commit, or nothing is guaranteed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "esker/types/box.hpp"
#include "store/store.h"

namespace esker {

class UnsyncedSteps {
 public:
  /// The files of steps begin ... end - 1, and those that name the steps.
  using PathsOf = std::function<std::vector<std::string>(Index begin, Index end)>;

  /// For a new dataset without steps. `stem`: its path without extension. `top`: the directory that holds it.
  /// `syncs_at_close`: fsync=close. `store` must outlive this object.
  UnsyncedSteps(Store& store, std::string stem, std::string top, bool syncs_at_close);

  /// A new dataset has replaced the old one: removes the marker file of the old one.
  Status created();
  /// The dataset exists, with `num_steps` steps. If an earlier run left unsynced steps that are still in this
  /// machine's memory, they are synced and their marker file is removed. Otherwise check() fails until they
  /// are rewound.
  Status settle(Index num_steps, const PathsOf& paths_of);
  /// The first step that a power failure may have damaged.
  [[nodiscard]] std::optional<Index> lost_from() const {
    return has_lost_steps_ ? marked_steps_ : std::nullopt;
  }
  /// The caller has verified the steps from lost_from() on: syncs them and removes their marker file.
  Status accept(Index num_steps, const PathsOf& paths_of);
  /// kDataLoss: the machine went down before all steps had reached the device, so no step can be appended.
  [[nodiscard]] Status check() const;
  /// A step is about to be committed. The marker file is durable when this returns.
  Status before_commit();
  /// Steps from number `num_steps` on have been removed; their numbers may be used again.
  Status rewound(Index num_steps);
  /// All files have been synced: removes the marker file.
  Status closed();

 private:
  Status remove_marker();

  Store* store_;
  std::string stem_, top_;
  bool syncs_at_close_;
  Index synced_steps_ = 0;             // steps before this one are on the device
  std::optional<Index> marked_steps_;  // value in the marker file; may be too large after rewound()
  bool has_lost_steps_ = false;        // steps from marked_steps_ on may be damaged
};

}  // namespace esker
