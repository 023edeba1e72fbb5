// PowerLossDevice: files on a device that loses power. Every write, change of a size and change of a name is
// kept with the sync, if any, that made it durable; after() gives the files as they may be found when the power
// is back.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "store/store.h"

namespace esker::testing_support {

/// What survives of what was not synced.
enum class PowerLoss {
  kNothing,        ///< neither names nor data
  kNames,          ///< names, of files that are empty
  kNamesAndSizes,  ///< and their sizes; they read as zeros
  kNamesNoneData,  ///< data of files that have a name already
  kPrefix,         ///< what was done before some moment
  kSomePages,      ///< all names and sizes, of the data any pages of 4 KiB
  kSomeSectors,    ///< the same, any sectors of 512 bytes: writes are torn
  kSomeOfAll,      ///< in each directory the names up to some moment, of the data any pages
};
inline constexpr int kNumPowerLosses = 8;

class PowerLossDevice {
 public:
  /// A store on this device, on a machine with that boot().
  static std::shared_ptr<Store> store(const std::shared_ptr<PowerLossDevice>& device, std::string boot);

  /// So many events have happened so far.
  [[nodiscard]] std::size_t now() const;
  /// The files after the power went when `moment` events had happened.
  [[nodiscard]] std::map<std::string, std::vector<std::byte>> after(std::size_t moment, PowerLoss model,
                                                                    std::mt19937& random) const;

 private:
  friend class PowerLossStore;
  friend class PowerLossFile;
  friend class PowerLossSurvivors;

  struct Event {
    enum Kind { kWrite, kResize, kName, kRename, kUnlink, kMakeDirectory, kSync } kind = kSync;
    int file = -1;
    Index offset = 0;  ///< or size
    std::vector<std::byte> bytes = {};
    std::string path = {}, to = {};
    std::size_t durable_from = SIZE_MAX;  ///< the number of the sync
  };

  void add(Event event);
  void sync_file(int file);
  void sync_names(const std::string& directory);

  mutable std::mutex mutex_;
  std::vector<Event> events_;
  std::map<std::string, int> names_;        // as processes see it
  std::vector<std::vector<std::byte>> files_;
  std::map<std::string, bool> directories_;
};

}  // namespace esker::testing_support
