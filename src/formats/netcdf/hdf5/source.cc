#include "formats/netcdf/hdf5/source.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "formats/netcdf/hdf5/chunk_places.h"
#include "formats/netcdf/hdf5/contents.h"
#include "formats/netcdf/hdf5/journal.h"
#include "formats/netcdf/hdf5/session.h"
#include "formats/netcdf/hdf5/slab.h"
#include "formats/netcdf/hdf5/variable_values.h"
#include "formats/netcdf/model/existing.h"
#include "formats/netcdf/model/foreign.h"

namespace esker::hdf5 {
namespace {

Result<Description> describe_contents(hid_t file, Index end_bytes) {
  Contents contents = read_contents(file, end_bytes);
  Description found;
  found.end_bytes = end_bytes;
  found.is_ours = netcdf::is_of_esker(contents.header, found.warnings);
  if (!found.is_ours)
    found.warnings.insert(found.warnings.end(), contents.left_out.begin(), contents.left_out.end());
  VariableValues values(file, end_bytes, contents);
  const netcdf::ReadValues read_values = [&](int variable, Index step) { return values(variable, step); };
  ESKER_ASSIGN_OR_RETURN(netcdf::Existing existing,
                         found.is_ours ? netcdf::read_ours(contents.header, read_values, found.warnings)
                                       : netcdf::read_foreign(contents.header, read_values, found.warnings));
  found.schema = std::move(existing.schema);
  found.times = std::move(existing.times);
  for (const int variable : existing.file.variable_of_field) {
    found.of_field.push_back(contents.variables[static_cast<std::size_t>(variable)]);
    if (found.of_field.back().is_virtual) found.parts = contents.parts;  // not in a copy with all values
  }
  return found;
}

/// The magic bytes of a file, and the journal next to it that is not yet completely applied.
struct State {
  std::string superblock;
  std::optional<Journal> journal;
};

/// The magic bytes are read first. A writer creates the journal, changes the file from its first bytes on,
/// and removes the journal. If the magic bytes are the same after reading, nothing else has changed since the
/// check for the journal.
Result<State> state_of(Store& store, const std::string& path, const File& file) {
  State state;
  ESKER_ASSIGN_OR_RETURN(state.superblock, superblock_of(file));
  auto journal = read_journal(store, path);
  if (!journal.ok() && journal.status().code() != Code::kNotFound) return journal.status();
  if (journal.ok()) state.journal = std::move(*journal);
  return state;
}

bool has_kept(const State& state, const std::string& superblock) {
  if (state.journal)
    return superblock == state.journal->superblock_before || superblock == state.journal->superblock_after;
  return superblock == state.superblock;
}

}  // namespace

Result<Source> Source::open(const std::shared_ptr<Store>& store, const std::string& path) {
  Source source;
  source.store_ = store;
  source.path_ = path;
  ESKER_ASSIGN_OR_RETURN(source.file_, store->open(path, OpenMode::kRead));
  return source;
}

Status Source::run(const Action& action) const {
  constexpr int kMostTries = 200;
  Status failure;
  for (int n = 0; n < kMostTries; ++n) {
    if (n > 0) std::this_thread::sleep_for(std::chrono::milliseconds(std::min(n, 20)));
    const auto state = state_of(*store_, path_, *file_);
    failure = state.status();
    if (!state.ok()) {
      if (failure.code() == Code::kDataLoss && n < 5) continue;  // a step may have been committed in between
      return failure.with_context(path_);
    }
    ESKER_ASSIGN_OR_RETURN(Overlay overlay, overlay_of(*file_, state->journal));
    const Status status = run_session(overlay, Access::kRead, [&](VirtualFile& file) {
      return action(file, file.end_of_allocated(), state->journal.has_value());
    });
    ESKER_ASSIGN_OR_RETURN(const std::string superblock, superblock_of(*file_));
    if (has_kept(*state, superblock)) return status.with_context(path_);
  }
  return error(Code::kIoError, "{}: a writer changed the file during each of {} attempts to read it", path_,
               kMostTries);
}

Result<Description> Source::describe() const {
  Description found;
  ESKER_RETURN_IF_ERROR(run([&](VirtualFile& file, Index end_bytes, bool) -> Status {
    ESKER_ASSIGN_OR_RETURN(found, describe_contents(file.id, end_bytes));
    return {};
  }));
  return found;
}

Status Source::read(const std::string& dataset, SampleType type, const Slab& slab, std::byte* out) const {
  return run([&](VirtualFile& file, Index, bool) -> Status {
    read_slab(file.id, dataset, type, slab, out);
    return {};
  });
}

Result<Index> Source::stored_bytes(const std::string& dataset) const {
  hsize_t bytes = 0;
  ESKER_RETURN_IF_ERROR(run([&](VirtualFile& file, Index, bool) -> Status {
    const Handle opened(H5Dopen2(file.id, dataset.c_str(), H5P_DEFAULT), dataset.c_str());
    bytes = H5Dget_storage_size(opened);
    return {};
  }));
  return static_cast<Index>(bytes);
}

Result<Source::Places> Source::places(const StoredVariable& variable, SampleType type, Index record) const {
  const PlacesOf wanted{&variable, type, record};
  ESKER_ASSIGN_OR_RETURN(auto found, places(std::span(&wanted, 1)));
  return std::move(found.front());
}

Result<std::vector<Source::Places>> Source::places(std::span<const PlacesOf> wanted) const {
  std::vector<Places> found;
  ESKER_RETURN_IF_ERROR(run([&](VirtualFile& file, Index, bool has_journal) -> Status {
    found.assign(wanted.size(), std::nullopt);
    for (std::size_t n = 0; n < wanted.size() && !has_journal; ++n) {
      try {
        found[n] = chunk_places(file.id, *wanted[n].variable, wanted[n].type, wanted[n].record);
      } catch (const Failure&) {
        if (n == 0) throw;
      }
    }
    return {};
  }));
  return found;
}

Result<std::string> Source::superblock() const { return superblock_of(*file_); }

Result<bool> Source::has_journal() const { return store_->exists(journal_of(path_)); }

}  // namespace esker::hdf5
