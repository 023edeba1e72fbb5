// DevicePatches: patches of a writer whose memory only an accelerator can access.
//
// An exchange gathers them where it needs their samples. What reads values before, on this rank, gets a copy
// in memory of the host.
#pragma once

#include "esker/types/patch.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "exchange/device_copies.h"
#include "write/buffered_patch.h"
#include "write/plan_maker.h"
#include "write/step_input.h"

namespace esker {

class DevicePatches {
 public:
  /// `maker`: of the plans by which steps are moved.
  explicit DevicePatches(PlanMaker& maker) : maker_(maker) {}

  /// Sets Patch::is_on_device; kInvalidArgument if it is true before, and no device can access the memory.
  /// Such a patch is read after what `stream` has to do now; null: the legacy stream. Errors of the driver.
  /// Local; may throw.
  Status find(Patch& patch, void* stream);
  /// Returns when the host can access managed and pinned memory of the patches that were found. Errors of the
  /// driver. Local.
  Status finish_streams() { return esker::finish_streams(maker_.buffers()); }
  /// A dense copy of a patch on a device, of its type. kOutOfMemory; errors of the driver. Local.
  Result<BufferedPatch> copy_to_host(const Patch& patch, int components);

  /// Replaces patches of a step whose values are needed before they move: of fields with stored_bits or
  /// with a rule for a range of their values, and of all fields for means, equal nodes or derived datatypes.
  /// The copies count as those of buffered puts. kOutOfMemory names the budget that is needed. Local.
  /// `averages_levels`: of the format.
  Status bring_to_host(const Schema& schema, bool averages_levels, StepInput& input);

 private:
  [[nodiscard]] bool needs_on_host(const Schema& schema, int field, const StepInput& input,
                                   bool averages_levels) const;
  Status bring(const Field& field, StepInput& input, Patch& patch);

  PlanMaker& maker_;
};

}  // namespace esker
