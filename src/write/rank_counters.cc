#include "write/rank_counters.h"

#include <array>
#include <span>

namespace esker {
namespace {

struct TimeRow {
  const char* name;
  Seconds RankCounters::*member;
};
struct AmountRow {
  const char* name;
  Index RankCounters::*member;
};

constexpr std::array kPhases{
    TimeRow{"plan", &RankCounters::plan_s},         TimeRow{"pack", &RankCounters::pack_s},
    TimeRow{"exchange", &RankCounters::exchange_s}, TimeRow{"place", &RankCounters::place_s},
    TimeRow{"checksum", &RankCounters::checksum_s}, TimeRow{"compress", &RankCounters::compress_s},
    TimeRow{"store", &RankCounters::store_s},       TimeRow{"async", &RankCounters::async_s},
    TimeRow{"wait", &RankCounters::wait_s},         TimeRow{"agree", &RankCounters::agree_s},
    TimeRow{"commit", &RankCounters::commit_s},     TimeRow{"end_step", &RankCounters::step_s},
};
constexpr std::array kAmounts{
    AmountRow{"put_bytes", &RankCounters::put_bytes},
    AmountRow{"sent_bytes", &RankCounters::sent_bytes},
    AmountRow{"placed_bytes", &RankCounters::placed_bytes},
    AmountRow{"stored_bytes", &RankCounters::stored_bytes},
    AmountRow{"writes", &RankCounters::writes},
    AmountRow{"largest_write_bytes", &RankCounters::largest_write_bytes},
    AmountRow{"untried_pieces", &RankCounters::untried_pieces},
    AmountRow{"messages", &RankCounters::messages},
    AmountRow{"plans", &RankCounters::plans},
    AmountRow{"peak_buffer_bytes", &RankCounters::peak_buffer_bytes},
    AmountRow{"async_bytes", &RankCounters::async_bytes},
    AmountRow{"async_memory_bytes", &RankCounters::async_memory_bytes},
    AmountRow{"async_staged_bytes", &RankCounters::async_staged_bytes},
    AmountRow{"async_cpu_ms", &RankCounters::async_cpu_ms},
    AmountRow{"copied_bytes", &RankCounters::copied_bytes},
    AmountRow{"device_bytes", &RankCounters::device_bytes},
    AmountRow{"device_to_host_bytes", &RankCounters::device_to_host_bytes},
    AmountRow{"device_pinned_bytes", &RankCounters::device_pinned_bytes},
    AmountRow{"device_row_bytes", &RankCounters::device_row_bytes},
    AmountRow{"plan_bytes", &RankCounters::plan_bytes},
};

/// Whether it is what a thread may do.
bool is_storing(const TimeRow& row) {
  return row.member == &RankCounters::store_s || row.member == &RankCounters::checksum_s ||
         row.member == &RankCounters::compress_s;
}

}  // namespace

void RankCounters::record_in(Spans& work, Spans& store) {
  for (std::size_t kind = 0; kind < kPhases.size() - 1; ++kind) {
    const auto member = kPhases[kind].member;
    (this->*member).record_in(is_storing(kPhases[kind]) ? store : work, static_cast<int>(kind));
  }
}

ExchangeStats RankCounters::begin_exchange(bool queues) const {
  ExchangeStats stats;
  stats.pack_s = pack_s.restarted();
  stats.wait_s = exchange_s.restarted();
  stats.place_s = place_s.restarted();
  stats.store_s = (queues ? async_s : store_s).restarted();
  stats.idle_s = wait_s.restarted();
  return stats;
}

void RankCounters::add(const ExchangeStats& stats, bool queues) {
  pack_s.correct(stats.pack_s);
  exchange_s.correct(stats.wait_s);
  place_s.correct(stats.place_s);
  (queues ? async_s : store_s).correct(stats.store_s);
  wait_s.correct(stats.idle_s);
  sent_bytes += stats.sent_bytes;
  placed_bytes += stats.placed_bytes;
  messages += stats.messages;
  device_bytes += stats.device_bytes;
}

void RankCounters::add_phases(const RankCounters& from, const RankCounters& to, bool stored_later) {
  for (const TimeRow& row : kPhases) {
    if (stored_later && is_storing(row)) continue;
    (this->*row.member).correct(to.*row.member - from.*row.member);
  }
}

std::vector<std::string> phase_names() {
  std::vector<std::string> names;
  for (const TimeRow& row : kPhases) names.emplace_back(row.name);
  names.pop_back();
  return names;
}

GatheredCounters gather_counters(Comm& comm, const RankCounters& counters, const RankCounters& critical) {
  std::array<double, kPhases.size()> critical_s{};
  for (std::size_t i = 0; i < kPhases.size(); ++i) critical_s[i] = critical.*kPhases[i].member;
  comm.all_reduce_sum(critical_s);
  std::array<double, kPhases.size() + kAmounts.size()> sums{};
  auto next = sums.begin();
  for (const TimeRow& row : kPhases) *next++ = counters.*row.member;
  for (const AmountRow& row : kAmounts) *next++ = static_cast<double>(counters.*row.member);
  auto maxima = sums;
  auto minima = sums;  // as maxima of the negatives
  for (double& value : minima) value = -value;
  comm.all_reduce_sum(sums);
  comm.all_reduce_max(std::span<double>(maxima));
  comm.all_reduce_max(std::span<double>(minima));

  GatheredCounters all;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const bool is_phase = i < kPhases.size();
    const char* name = is_phase ? kPhases[i].name : kAmounts[i - kPhases.size()].name;
    auto& list = is_phase ? all.phases : all.amounts;
    list.push_back({name, 0.0 - minima[i], sums[i] / comm.size(), maxima[i]});
  }
  all.critical_path.assign(critical_s.begin(), critical_s.end());
  return all;
}

}  // namespace esker
