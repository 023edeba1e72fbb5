#include "write/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "format/json_writer.h"
#include "tune/tuning_json.h"
#include "write/timeline.h"

namespace esker {
namespace {

double stored_over_data(const StepReport& step) {
  return step.data_bytes > 0 ? static_cast<double>(step.stored_bytes) / static_cast<double>(step.data_bytes)
                             : 0;
}

double rate_GBps(const StepReport& step) {
  return step.seconds > 0 ? static_cast<double>(step.data_bytes) / 1e9 / step.seconds : 0;
}

/// The members that a sum of steps has, too.
void write_cost(JsonWriter& json, const StepReport& step) {
  json.key("data_bytes").integer(step.data_bytes);
  json.key("stored_bytes").integer(step.stored_bytes);
  json.key("stored_over_data").real(stored_over_data(step));
  json.key("seconds").real(step.seconds);
  json.key("GBps").real(rate_GBps(step));
}

void write_kept(JsonWriter& json, const StepReport& step) {
  json.key("kept").object([&] {
    json.key("primary_bytes").integer(step.primary_bytes);
    json.key("secondary_bytes").integer(step.secondary_bytes);
    json.key("padding_bytes").integer(step.padding_bytes);
    json.key("write_imbalance").real(step.write_imbalance);
    json.key("put_imbalance").real(step.put_imbalance);
    if (step.raised_from < 0) json.key("raised_from_level").integer(step.raised_from);
    json.key("fields").object([&] {
      for (const auto& [name, samples] : step.fields) {
        json.key(name).object([&, &samples = samples] {  // clang 14 captures no structured bindings
          json.key("primary").integer(samples.primary);
          json.key("secondary").integer(samples.secondary);
          json.key("padding").integer(samples.padding);
          json.key("blocks").integer(samples.blocks);
          json.key("efficiency").real(samples.efficiency());
        });
      }
    });
  });
}

void write_partitions(JsonWriter& json, const StepReport& step) {
  json.key("partitions").object([&] {
    json.key("count").integer(step.partitions);
    json.key("crossing_messages").integer(step.crossing_messages);
    json.key("crossing_bytes").integer(step.crossing_bytes);
    json.key("coarse_messages").integer(step.coarse_messages);
    json.key("coarse_bytes").integer(step.coarse_bytes);
  });
}

void write_step(JsonWriter& json, const StepReport& step) {
  json.object([&] {
    json.key("step").integer(step.step);
    json.key("time").real(step.time);
    write_cost(json, step);
    json.key("writers").integer(step.writers);
    json.key("files").integer(step.files);
    json.key("planned").boolean(step.planned);
    json.key("plan_s").real(step.plan_s);
    json.key("allocated_bytes").integer(step.allocated_bytes);
    json.key("metadata_messages").integer(step.metadata_messages);
    json.key("metadata_bytes").integer(step.metadata_bytes);
    json.key("checksum_messages").integer(step.checksum_messages);
    json.key("agreements").integer(step.agreements);
    if (step.partitions > 0) write_partitions(json, step);
    if (!step.fields.empty()) write_kept(json, step);
  });
}

/// The cost of the steps that made a plan, or that made none, in addition to moving and storing samples.
struct Upkeep {
  std::string steps;  ///< "2-10, 12"
  int num_steps = 0;
  double plan_s = 0;
  Index allocated_bytes = 0, metadata_messages = 0, metadata_bytes = 0, checksum_messages = 0;
  int agreements = 0;  ///< maximum over steps
};

/// "1-4, 6": `list`, whose last number is in `last`, and `next`, of a range that began at `first`.
void append_number(std::string& list, Index& first, Index& last, Index next) {
  const bool goes_on = !list.empty() && next == last + 1;
  if (!goes_on) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", next);
    first = next;
  } else {
    if (last > first) list.resize(list.rfind('-'));
    list += fmt::format("-{}", next);
  }
  last = next;
}

Upkeep upkeep_of(const std::vector<StepReport>& steps, bool planned) {
  Upkeep sum;
  Index first = 0;
  Index last = 0;
  for (const StepReport& step : steps) {
    if (step.planned != planned) continue;
    append_number(sum.steps, first, last, step.step);
    ++sum.num_steps;
    sum.plan_s += step.plan_s;
    sum.allocated_bytes += step.allocated_bytes;
    sum.metadata_messages += step.metadata_messages;
    sum.metadata_bytes += step.metadata_bytes;
    sum.checksum_messages += step.checksum_messages;
    sum.agreements = std::max(sum.agreements, step.agreements);
  }
  return sum;
}

/// "steps 1-9: planned 0, allocated 0 B, metadata messages 0, checksum messages 27, agreements 4 each"
std::string upkeep_to_text(const Upkeep& upkeep, bool planned) {
  if (upkeep.num_steps == 0) return {};
  return fmt::format(
      "steps {}: planned {}{}, allocated {}, metadata messages {}{}, checksum messages {}, agreements {} "
      "each\n",
      upkeep.steps, planned ? upkeep.num_steps : 0, planned ? fmt::format(" in {:.3g} s", upkeep.plan_s) : "",
      bytes_to_text(static_cast<double>(upkeep.allocated_bytes)), upkeep.metadata_messages,
      planned ? fmt::format(" of {}", bytes_to_text(static_cast<double>(upkeep.metadata_bytes))) : "",
      upkeep.checksum_messages, upkeep.agreements);
}

void write_upkeep(JsonWriter& json, const Upkeep& upkeep) {
  json.object([&] {
    json.key("steps").integer(upkeep.num_steps);
    json.key("plan_s").real(upkeep.plan_s);
    json.key("allocated_bytes").integer(upkeep.allocated_bytes);
    json.key("metadata_messages").integer(upkeep.metadata_messages);
    json.key("metadata_bytes").integer(upkeep.metadata_bytes);
    json.key("checksum_messages").integer(upkeep.checksum_messages);
    json.key("agreements_per_step").integer(upkeep.agreements);
  });
}

void write_spreads(JsonWriter& json, const std::vector<Spread>& spreads) {
  json.object([&] {
    for (const Spread& spread : spreads) {
      json.key(spread.name).object([&] {
        json.key("min").real(spread.min);
        json.key("mean").real(spread.mean);
        json.key("max").real(spread.max);
      });
    }
  });
}

void write_storage(JsonWriter& json, const StorageReport& storage) {
  json.object([&] {
    json.key("pattern").text(storage.pattern);
    json.key("stripe_size").integer(storage.stripe_size_bytes);
    json.key("stripe_count").integer(storage.stripe_count);
    json.key("hints").object([&] {
      for (const auto& [name, value] : storage.hints) json.key(name).text(value);
    });
    if (!storage.note.empty()) json.key("note").text(storage.note);
  });
}

void write_configuration(JsonWriter& json, const std::vector<Options::Entry>& entries) {
  json.object([&] {
    for (const Options::Entry& entry : entries) {
      json.key(entry.name).object([&] {
        json.key("value").text(entry.value);
        json.key("source").text(entry.source);
      });
    }
  });
}

StepReport sum_of(const std::vector<StepReport>& steps) {
  StepReport sum;
  for (const StepReport& step : steps) {
    sum.data_bytes += step.data_bytes;
    sum.stored_bytes += step.stored_bytes;
    sum.seconds += step.seconds;
    sum.files += step.files;
    sum.primary_bytes += step.primary_bytes;
    sum.secondary_bytes += step.secondary_bytes;
    sum.padding_bytes += step.padding_bytes;
    sum.raised_from = std::min(sum.raised_from, step.raised_from);
    sum.write_imbalance = std::max(sum.write_imbalance, step.write_imbalance);
    sum.put_imbalance = std::max(sum.put_imbalance, step.put_imbalance);
  }
  return sum;
}

/// "sparse steps: 301.2 MB primary, 28.1 MB secondary (efficiency 0.915), 3.1 MB padding; ..."
std::string kept_to_text(const StepReport& sum) {
  const Index in_grid = sum.primary_bytes + sum.secondary_bytes;
  if (in_grid == 0) return "";
  const auto bytes = [](Index count) { return bytes_to_text(static_cast<double>(count)); };
  std::string text = fmt::format(
      "sparse steps: {} primary, {} secondary (efficiency {:.3f}), {} padding; largest over mean bytes: "
      "{:.2f} of aggregators, {:.2f} of what ranks contribute\n",
      bytes(sum.primary_bytes), bytes(sum.secondary_bytes),
      static_cast<double>(sum.primary_bytes) / static_cast<double>(in_grid), bytes(sum.padding_bytes),
      sum.write_imbalance, sum.put_imbalance);
  if (sum.raised_from < 0) {
    text +=
        fmt::format("  level {} was asked for; block 0 is finer and the smallest unit\n", sum.raised_from);
  }
  return text;
}

std::string print_storage(const StorageReport& storage) {
  std::string text = "storage: " + storage.pattern;
  if (storage.stripe_size_bytes > 0) {
    text += fmt::format(", stripes of {}", bytes_to_text(static_cast<double>(storage.stripe_size_bytes)));
    if (storage.stripe_count > 0) text += fmt::format(" on {} targets", storage.stripe_count);
  }
  for (const auto& [name, value] : storage.hints) text += fmt::format("\n  {} = {}", name, value);
  if (!storage.note.empty()) text += "\n  " + storage.note;
  return text + "\n";
}

/// The last column: on the rank that the others waited for.
std::string print_phases(const RunReport& report) {
  std::string text =
      fmt::format("{:<20}{:>12}{:>12}{:>12}{:>12}\n", "phase, seconds", "min", "mean", "max", "critical");
  for (std::size_t i = 0; i < report.counters.phases.size(); ++i) {
    const Spread& phase = report.counters.phases[i];
    text += fmt::format("  {:<18}{:>12.4f}{:>12.4f}{:>12.4f}{:>12.4f}\n", phase.name, phase.min, phase.mean,
                        phase.max, report.counters.critical_path[i]);
  }
  return text;
}

/// "tuning: settled on ...", a line for each setting that was tried, and how to start with the best one.
std::string print_tuning(const TuningRecord& record) {
  std::string text = fmt::format("tuning: {}\n", record.state);
  if (record.default_s > 0) {
    text += fmt::format(
        "  a step takes {:.3g} s with the default, {:.3g} s with {}; the search cost {:.2g} steps\n",
        record.default_s, record.best_s, to_text(record.best), record.cost_steps);
  }
  for (const TuningRecord::Probe& probe : record.probes) {
    const std::string observed = probe.steps > 0 ? fmt::format("{:.2f}", probe.observed) : "-";
    const std::string modeled = probe.modeled > 0 ? fmt::format(" ({:.2f} by the model)", probe.modeled) : "";
    const std::string predicted =
        probe.predicted > 0 ? fmt::format(", predicted {:.2f} of a step", probe.predicted) : "";
    text += fmt::format("  step {}: {}{}{}, observed {} in {}: {}\n", probe.step, to_text(probe.setting),
                        predicted, modeled, observed, count_of(probe.steps, "step"),
                        probe.verdict.empty() ? "not decided" : probe.verdict);
  }
  for (const std::string& line : toml_lines(record.best)) text += "  for esker.toml: " + line + "\n";
  for (const std::string& warning : record.warnings) text += "  warning: " + warning + "\n";
  return text;
}

/// On one line: those that someone chose, and by what. The report in JSON has all.
std::string options_to_text(const std::vector<Options::Entry>& entries) {
  std::string text = "options:";
  std::size_t num_built_in = 0;
  for (const Options::Entry& entry : entries) {
    if (entry.source == "built-in")
      ++num_built_in;
    else
      text += fmt::format(" {}={} ({}),", entry.name, entry.value, entry.source);
  }
  return text + fmt::format(" {} built-in\n", num_built_in);
}

}  // namespace

std::string report_to_text(const RunReport& report) {
  const StepReport sum = sum_of(report.steps);
  std::string text =
      fmt::format("{} on {}: {} of data, {} stored ({:.3f} of the data), {:.3g} s, {:.3g} GB/s\n",
                  count_of(std::ssize(report.steps), "step"), count_of(report.ranks, "rank"),
                  bytes_to_text(static_cast<double>(sum.data_bytes)),
                  bytes_to_text(static_cast<double>(sum.stored_bytes)), stored_over_data(sum), sum.seconds,
                  rate_GBps(sum));
  text += kept_to_text(sum);
  for (const bool planned : {true, false}) text += upkeep_to_text(upkeep_of(report.steps, planned), planned);
  text += print_phases(report);
  text += fmt::format("{:<20}{:>12}{:>12}{:>12}\n", "per rank", "min", "mean", "max");
  for (const Spread& amount : report.counters.amounts) {
    const bool is_bytes = amount.name.ends_with("bytes");
    const auto print = [&](double value) {
      return is_bytes ? bytes_to_text(value) : fmt::format("{:.6g}", value);
    };
    text += fmt::format("  {:<20}{:>10}{:>12}{:>12}\n", amount.name, print(amount.min), print(amount.mean),
                        print(amount.max));
  }
  text += fmt::format("transport: {}{}{}\n", report.transport.used,
                      report.transport.reason.empty() ? "" : ", ", report.transport.reason);
  text += print_storage(report.storage);
  if (report.tuning) text += print_tuning(*report.tuning);
  for (const std::string& warning : report.warnings) text += "warning: " + warning + "\n";
  return text + options_to_text(report.configuration);
}

std::string report_to_json(const RunReport& report) {
  constexpr int kIndent = 2;
  const StepReport sum = sum_of(report.steps);
  JsonWriter json(kIndent);
  json.object([&] {
    json.key("ranks").integer(report.ranks);
    write_storage(json.key("storage"), report.storage);
    json.key("transport").object([&] {
      json.key("used").text(report.transport.used);
      json.key("reason").text(report.transport.reason);
    });
    json.key("total").object([&] {
      write_cost(json, sum);
      json.key("files").integer(sum.files);
    });
    write_upkeep(json.key("steps_that_planned"), upkeep_of(report.steps, true));
    write_upkeep(json.key("steps_that_did_not"), upkeep_of(report.steps, false));
    write_spreads(json.key("phases_s"), report.counters.phases);
    json.key("critical_path_s").object([&] {
      for (std::size_t i = 0; i < report.counters.phases.size(); ++i) {
        json.key(report.counters.phases[i].name).real(report.counters.critical_path[i]);
      }
    });
    write_spreads(json.key("per_rank"), report.counters.amounts);
    json.key("steps").array([&] {
      for (const StepReport& step : report.steps) write_step(json, step);
    });
    if (report.tuning) write_tuning(json.key("tuning"), *report.tuning);
    if (report.timeline) write_timeline(json.key("timeline"), *report.timeline);
    json.key("warnings").texts(report.warnings);
    if (!report.configuration.empty()) write_configuration(json.key("configuration"), report.configuration);
  });
  return json.take() + "\n";
}

// Where a step stores less than was put, in part or compressed, the rate is that of what it stores.
std::string StepReport::to_string() const {
  const std::string put = bytes_to_text(static_cast<double>(data_bytes));
  const bool stores_less = stored_bytes > 0 && stored_bytes < data_bytes;
  const auto moved = static_cast<double>(stores_less ? stored_bytes : data_bytes);
  return fmt::format("step {} time {:g}: {} in {:.3g} s, {:.3g} GB/s, {}, {}", step, time,
                     stores_less ? fmt::format("{} stored of {}", bytes_to_text(moved), put) : put, seconds,
                     seconds > 0 ? moved / 1e9 / seconds : 0.0, count_of(writers, "writer"),
                     count_of(files, "file"));
}

}  // namespace esker
