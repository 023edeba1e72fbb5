// PowerLossDevice: files on a device that loses power. It records every write, change of a size and
// change of a name with the sync, if any, that made it durable. after() returns the files as they may be
// after a power loss.
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

/// The part of the unsynced changes that survives.
enum class PowerLoss {
  kNothing,        ///< neither names nor data
  kNames,          ///< names, of files that are empty
  kNamesAndSizes,  ///< and their sizes; they read as zeros
  kNamesNoneData,  ///< data of files that have a name already
  kPrefix,         ///< all changes before some moment
  kSomePages,      ///< all names and sizes, of the data any pages of 4 KiB
  kSomeSectors,    ///< the same, any sectors of 512 bytes: writes are torn
  kSomeOfAll,      ///< in each directory the names up to some moment, of the data any pages
};
inline constexpr int kNumPowerLosses = 8;

class PowerLossDevice {
 public:
  /// A store on this device, on a machine with that boot().
  static std::shared_ptr<Store> store(const std::shared_ptr<PowerLossDevice>& device, std::string boot);

  /// The number of events so far.
  [[nodiscard]] std::size_t now() const;
  /// The files after a power loss that follows `moment` events.
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
  std::map<std::string, int> names_;  // as processes see it
  std::vector<std::vector<std::byte>> files_;
  std::map<std::string, bool> directories_;
};

}  // namespace esker::testing_support
