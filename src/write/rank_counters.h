// RankCounters: what a run has cost one rank.
#pragma once

#include <string>
#include <vector>

#include "base/spans.h"
#include "comm/comm.h"
#include "esker/types/box.hpp"
#include "exchange/run.h"

namespace esker {

/// Counters of one rank since the dataset was created. All byte counts are for this rank.
struct RankCounters {
  Seconds plan_s;      ///< gathering boxes, checking them, making plans
  Seconds pack_s;      ///< samples from patches to messages and collective buffers
  Seconds exchange_s;  ///< waiting for messages, and for samples of ranks of the node
  Seconds place_s;     ///< samples from messages to collective buffers
  Seconds checksum_s;  ///< checksums, and conversion of samples to the stored byte order
  Seconds compress_s;  ///< compressing pieces, measuring errors, checksums of compressed pieces
  Seconds store_s;     ///< writing, syncing and closing files
  Seconds async_s;     ///< with `async`: copying for the thread that stores, waiting for memory and for it
  Seconds wait_s;      ///< waiting for ranks of the node that store
  Seconds agree_s;     ///< waiting for the status of the other ranks: until the last one begins, and ends
  Seconds commit_s;    ///< making the step visible
  Seconds step_s;      ///< end_step in total
  Index put_bytes = 0;
  Index sent_bytes = 0;
  Index placed_bytes = 0;
  Index stored_bytes = 0;
  Index writes = 0;  ///< write calls for samples: stored_bytes in that many calls
  Index largest_write_bytes = 0;
  Index untried_pieces = 0;  ///< stored raw without being compressed, because earlier steps did not shrink
  Index messages = 0;
  Index plans = 0;
  Index peak_buffer_bytes = 0;
  Index async_bytes = 0;           ///< stored after end_step had returned
  Index async_memory_bytes = 0;    ///< memory of such bytes, not part of the budget, maximum over steps
  Index async_cpu_ms = 0;          ///< processor time of the thread that stores
  Index async_staged_bytes = 0;    ///< in files of the option `stage`
  Index copied_bytes = 0;          ///< copies of buffered patches, maximum over steps
  Index device_bytes = 0;          ///< gathered from memory of GPUs; part of put_bytes
  Index device_to_host_bytes = 0;  ///< copied to the host before they moved, because values were needed
  Index device_pinned_bytes = 0;   ///< buffers that GPUs write to directly, maximum over steps
  Index device_row_bytes = 0;      ///< copied by rows, where the kernel could not be used
  Index plan_bytes = 0;            ///< memory of the cached plans; the budget covers each with its buffers

  /// What is added to these counters becomes spans of the rank and of storing, whose kinds are positions in
  /// phase_names(). Both must outlive the counters and their copies.
  void record_in(Spans& work, Spans& store);
  /// Counters of an exchange that record where these do. `queues`: its buffers are queued for a thread.
  [[nodiscard]] ExchangeStats begin_exchange(bool queues) const;
  void add(const ExchangeStats& stats, bool queues);
  /// Adds the seconds that the phases took between two moments; without those of storing if a thread did that
  /// while the program computed (`stored_later`).
  void add_phases(const RankCounters& from, const RankCounters& to, bool stored_later);
};

/// min, mean and max over ranks of one counter.
struct Spread {
  std::string name;
  double min = 0, mean = 0, max = 0;
};

/// The counters of all ranks.
struct GatheredCounters {
  std::vector<Spread> phases;         ///< seconds
  std::vector<double> critical_path;  ///< seconds of each of these phases, from `critical` of all ranks
  std::vector<Spread> amounts;        ///< bytes and counts
};

/// `critical`: the phases of the steps in which the others waited for this rank. Collective; the same on all
/// ranks. If it throws, it does so after all communication.
GatheredCounters gather_counters(Comm& comm, const RankCounters& counters, const RankCounters& critical);

/// The phases of a step, in the order in which reports list them, without end_step.
std::vector<std::string> phase_names();

}  // namespace esker
