// UnsyncedSteps: keeps a dataset's mark (store/unsynced.h) true while a run writes. For rank 0; elsewhere it
// is idle.
//
// Contract: whenever the machine goes down, each committed step has reached the device, or a mark on the
// device says that it may have not: it or an earlier step is the first that is not synced. A dataset that was
// closed has no mark, unless it had one when it was opened that nobody has settled. With fsync=step or none
// there is no mark: each step is synced before its commit, or nothing is promised.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "esker/box.hpp"
#include "store/store.h"

namespace esker {

class UnsyncedSteps {
 public:
  /// The files of steps begin ... end - 1, and those that name the steps.
  using PathsOf = std::function<std::vector<std::string>(Index begin, Index end)>;

  /// Of a new dataset without steps. `stem`: its path without extension; `top`: the directory that holds it;
  /// `syncs_at_close`: fsync=close. `store` outlives this.
  UnsyncedSteps(Store& store, std::string stem, std::string top, bool syncs_at_close);

  /// A new dataset has taken the place of what was there: the mark of that goes.
  Status created();
  /// The dataset was there, with so many steps. Those that an earlier run left unsynced are synced and their
  /// mark goes, if they are in this machine's memory; if not, check() fails until they are rewound.
  Status settle(Index num_steps, const PathsOf& paths_of);
  /// The first step that a power failure may have damaged.
  [[nodiscard]] std::optional<Index> lost_from() const {
    return has_lost_steps_ ? marked_steps_ : std::nullopt;
  }
  /// The caller has found the steps from lost_from() on to be whole: they are synced and their mark goes.
  Status accept(Index num_steps, const PathsOf& paths_of);
  /// kDataLoss: the machine went down before all steps had reached the device, so none may follow them.
  [[nodiscard]] Status check() const;
  /// A step is about to be committed. The mark is durable when this returns.
  Status before_commit();
  /// Steps from number `num_steps` on have been removed, and their numbers may be used again.
  Status rewound(Index num_steps);
  /// All files have been synced: the mark goes.
  Status closed();

 private:
  Status remove_mark();

  Store* store_;
  std::string stem_, top_;
  bool syncs_at_close_;
  Index synced_steps_ = 0;             // steps before this one are on the device
  std::optional<Index> marked_steps_;  // what the mark says, if there is one; may be more after rewound()
  bool has_lost_steps_ = false;        // steps from marked_steps_ on may be damaged
};

}  // namespace esker
