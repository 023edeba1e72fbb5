// FilesToSync: what this rank has written in committed steps, for a run that makes it durable when it closes
// (fsync=close). Empty in other runs.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "format/format_writer.h"
#include "store/store.h"

namespace esker {

class FilesToSync {
 public:
  /// The files of a step. Those noted before are replaced.
  void note(Index step, std::vector<std::string> paths) { of_steps_[step] = std::move(paths); }
  /// Adds those that are not noted yet.
  void add(Index step, std::vector<std::string> paths);
  /// The indexes of partitions that this rank has committed.
  void add_partitions(const std::vector<int>& partitions) {
    partitions_.insert(partitions.begin(), partitions.end());
  }
  /// The step was discarded.
  void forget(Index step) { of_steps_.erase(step); }
  /// The steps from number `num_steps` on were removed.
  void forget_from(Index num_steps) { of_steps_.erase(of_steps_.lower_bound(num_steps), of_steps_.end()); }

  /// Syncs them, with their names up to `top`. Local.
  Status sync(Store& store, const FormatWriter& format, const std::string& top) const;

 private:
  std::map<Index, std::vector<std::string>> of_steps_;
  std::set<int> partitions_;
};

}  // namespace esker
