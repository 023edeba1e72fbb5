#include "esker/repair.hpp"

#include <memory>

#include "api/within_memory.h"
#include "base/error.h"
#include "base/macros.h"
#include "esker/communicator.hpp"
#include "formats/registry/formats.h"
#include "formats/registry/make_writer.h"
#include "formats/registry/verify.h"
#include "store/store.h"
#include "store/unsynced.h"
#include "write/pipeline.h"

namespace esker {
namespace {

/// Whether checksums show that all steps are complete. Some formats have none, and the IDX half of a dataset
/// in two formats does not cover the other half.
Result<bool> is_whole(const std::shared_ptr<Store>& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const AppendTarget target, find_append_target(*store, path, "auto"));
  const FormatEntry* format = find_format(target.format);  // null for two formats
  if (!format || !format->has_checksums) return false;
  ESKER_ASSIGN_OR_RETURN(const VerifyReport found, verify_dataset(store, path));
  return found.good() && found.blocks > 0 && found.blocks == found.blocks_with_checksum;
}

/// Keeps the steps that a power failure may have damaged if they are complete.
Status settle_lost_steps(const std::shared_ptr<Store>& store, const std::string& path,
                         WritePipeline& pipeline) {
  const auto first = pipeline.lost_from();
  if (!first) return {};
  ESKER_ASSIGN_OR_RETURN(const bool whole, is_whole(store, path));
  if (whole) return pipeline.accept_lost_steps();
  return error(Code::kDataLoss,
               "{}: only the first {} steps had reached the device when the machine went down, and checksums "
               "do not confirm that the later ones are complete (netCDF files have no checksums): `esker "
               "repair {} --to-time` with the time of an earlier step drops them",
               path, *first, path);
}

}  // namespace

Status repair(const std::string& path, const std::optional<double>& to_time) {
  return within_memory([&]() -> Status {
    Options options;
    options.report = "none";
    const Communicator alone = Communicator::serial();
    const auto store = posix_store();
    ESKER_ASSIGN_OR_RETURN(const auto pipeline,
                           WritePipeline::append(alone.get(), store, path, options, to_time));
    Status repaired = to_time ? pipeline->rewind({}, *to_time) : Status();
    if (repaired.ok()) repaired = settle_lost_steps(store, path, *pipeline);
    const Status closed = pipeline->close({});
    return repaired.ok() ? closed : repaired;
  });
}

}  // namespace esker
