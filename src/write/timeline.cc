#include "write/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <string>

#include "comm/gather.h"

namespace esker {
namespace {

std::size_t spans_of_a_row(int n_ranks) {
  return Timeline::kMostSpans / static_cast<std::size_t>(std::min(n_ranks, Timeline::kMostRanks)) / 2;
}

}  // namespace

Timeline::Timeline(int rank, int n_ranks)
    : stride_((n_ranks + kMostRanks - 1) / kMostRanks),
      records_(rank % stride_ == 0),
      origin_(Spans::Clock::now()),
      work_(records_ ? spans_of_a_row(n_ranks) : 1, origin_),
      store_(records_ ? spans_of_a_row(n_ranks) : 1, origin_) {}

void Timeline::record(RankCounters& counters) {
  if (records_) counters.record_in(work_, store_);
}

void Timeline::begin_step(Index step) {
  work_.begin_step(step);
  store_.begin_step(step);
}

void Timeline::keep_step() {
  work_.keep_step();
  store_.keep_step();
}

namespace {

/// Spans of the two rows: the number of those of the first, then all.
std::vector<std::byte> packed(const std::vector<Spans::Span>& work, const std::vector<Spans::Span>& store) {
  const std::uint64_t count = work.size();
  std::vector<std::byte> bytes(sizeof count + (work.size() + store.size()) * sizeof(Spans::Span));
  std::byte* target = bytes.data();
  const auto append = [&](const void* source, std::size_t size) {
    if (size > 0) std::memcpy(target, source, size);
    target += size;
  };
  append(&count, sizeof count);
  append(work.data(), work.size() * sizeof(Spans::Span));
  append(store.data(), store.size() * sizeof(Spans::Span));
  return bytes;
}

TimelineReport::Rank unpacked(int rank, std::span<const std::byte> bytes) {
  std::uint64_t count = 0;
  std::memcpy(&count, bytes.data(), sizeof count);
  bytes = bytes.subspan(sizeof count);
  std::vector<Spans::Span> all(bytes.size() / sizeof(Spans::Span));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(count);
  return {rank, {all.begin(), middle}, {middle, all.end()}};
}

}  // namespace

Result<TimelineReport> Timeline::gather(Comm& comm) const {
  std::vector<std::byte> mine;
  ESKER_RETURN_IF_ERROR(all_do(comm, "report", [&] {
    if (records_) mine = packed(work_.list(), store_.list());
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(const Gathered all, esker::gather(comm, mine));
  TimelineReport report;
  ESKER_RETURN_IF_ERROR(all_do(comm, "report", [&] {
    report.kinds = phase_names();
    for (int r = 0; r < comm.size(); r += stride_) {
      report.ranks.push_back(unpacked(r, all.of_rank[static_cast<std::size_t>(r)]));
    }
    return Status();
  }));
  return report;
}

namespace {

using Row = std::span<const Spans::Span>;

/// The spans of each step whose begin is known.
std::vector<Row> steps_of(Row row) {
  std::vector<Row> steps;
  for (std::size_t n = 0; n < row.size(); ++n) {
    if (row[n].kind == Spans::kBegin) steps.push_back(row.subspan(n, 0));
    if (!steps.empty()) steps.back() = {steps.back().data(), steps.back().size() + 1};
  }
  return steps;
}

std::string microseconds(Row row, double origin_s) {
  std::string text;
  for (const Spans::Span& span : row) {
    if (span.kind == Spans::kBegin) continue;
    const auto rounded = [](double seconds) { return std::lround(1e6 * seconds); };
    text += fmt::format("{}{} {} {}", text.empty() ? "" : " ", span.kind, rounded(span.begin_s - origin_s),
                        rounded(static_cast<double>(span.seconds)));
  }
  return text;
}

void write_step(JsonWriter& json, Row work, Row store) {
  const double begin_s = work.front().begin_s;
  json.object([&] {
    json.key("step").integer(work.front().step);
    json.key("begin_s").real(begin_s);
    json.key("work").text(microseconds(work, begin_s));
    json.key("store").text(microseconds(store, begin_s));
    std::vector<std::string> cut;
    if (work.front().is_cut != 0) cut.emplace_back("work");
    if (store.front().is_cut != 0) cut.emplace_back("store");
    if (!cut.empty()) json.key("cut").texts(cut);
  });
}

/// The rows end with the same step; they may begin with different ones.
void write_rank(JsonWriter& json, const TimelineReport::Rank& rank) {
  const std::vector<Row> work = steps_of(rank.work), store = steps_of(rank.store);
  const std::size_t n = std::min(work.size(), store.size());
  json.key("rank").integer(rank.rank);
  json.key("steps").array([&] {
    for (std::size_t i = n; i > 0; --i) write_step(json, work[work.size() - i], store[store.size() - i]);
  });
}

}  // namespace

void write_timeline(JsonWriter& json, const TimelineReport& timeline) {
  json.object([&] {
    json.key("kinds").texts(timeline.kinds);
    json.key("ranks").array([&] {
      for (const TimelineReport::Rank& rank : timeline.ranks) {
        json.object([&] { write_rank(json, rank); });
      }
    });
  });
}

}  // namespace esker
