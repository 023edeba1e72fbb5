#include "tune/parallel/step_tuner.h"

#include <fmt/format.h>

#include <array>

#include "base/macros.h"
#include "base/text.h"
#include "comm/agree.h"
#include "comm/gather.h"
#include "tune/knowledge.h"
#include "tune/tuning_json.h"

namespace esker {
namespace {

constexpr std::string_view kReplay = "replay:";
constexpr std::size_t kMaxReportBytes = std::size_t{64} << 20;

/// What a rank moves, in bytes: a message is packed, sent and placed, other samples are copied once. Each
/// message costs as much as some bytes more.
double work_of(const Plan& plan) {
  constexpr double kMessageBytes = 16 << 10;
  double moved = 0;
  for (const Round& round : plan.rounds) {
    for (const auto* sends : {&round.relay.sends, &round.sends}) {
      for (const Message& message : *sends) moved += 3 * static_cast<double>(message.bytes) + kMessageBytes;
    }
    for (const Message& message : round.places) moved += static_cast<double>(message.bytes);
    moved += static_cast<double>(round.local.bytes);
  }
  return moved;
}

}  // namespace

StepTuner::StepTuner(const Comm& comm, std::shared_ptr<Store> store, const Options& options, Purpose purpose,
                     std::string knowledge, std::vector<TuningRecord::Change> replayed)
    : store_(std::move(store)),
      configured_(options),
      purpose_(purpose),
      knowledge_(std::move(knowledge)),
      n_ranks_(comm.size()),
      replayed_(std::move(replayed)) {
  if (options.tune == "auto") adaptive_.emplace(options, static_cast<std::uint64_t>(options.tune_seed));
}

Result<std::unique_ptr<StepTuner>> StepTuner::make(Comm& comm, std::shared_ptr<Store> store,
                                                   const Options& options, Purpose purpose) {
  std::unique_ptr<StepTuner> tuner;
  if (options.tune == "off") return tuner;
  std::vector<TuningRecord::Change> replayed;
  ESKER_RETURN_IF_ERROR(root_does(comm, "tune", [&]() -> Status {
    if (!options.tune.starts_with(kReplay)) return {};
    const std::string path = options.tune.substr(kReplay.size());
    ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(*store, path, kMaxReportBytes));
    Result<TuningRecord> record = parse_tuning(text);
    if (!record.ok()) return record.status().with_context("tune=replay: " + path);
    replayed = std::move(record->changes);
    return {};
  }));
  ESKER_RETURN_IF_ERROR(all_do(comm, "tune", [&] {
    const bool remembers = options.tune == "auto" && options.tune_cache && comm.rank() == 0;
    tuner.reset(new StepTuner(comm, std::move(store), options, purpose, remembers ? knowledge_path() : "",
                              std::move(replayed)));
    return Status();
  }));
  return tuner;
}

bool StepTuner::choose(Index step, const std::string& workload) {
  if (adaptive_) {
    chosen_ = adaptive_->choose(step, workload);
  } else {
    chosen_.clear();
    for (const TuningRecord::Change& change : replayed_) {
      if (change.from_step <= step) chosen_ = change.setting;
    }
  }
  return chosen_ != in_force_;
}

Result<std::optional<Options>> StepTuner::take(Comm& comm) {
  std::string packed;
  ESKER_RETURN_IF_ERROR(root_does(comm, "tune", [&] {
    std::vector<std::string> texts;
    for (const auto& [option, value] : chosen_) texts.insert(texts.end(), {option, value});
    packed = pack_texts(texts);
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(packed, share_text(comm, std::move(packed), 0));
  std::optional<Options> options;
  Setting setting;
  ESKER_RETURN_IF_ERROR(all_do(comm, "tune", [&]() -> Status {
    const std::vector<std::string> texts = unpack_texts(packed);
    for (std::size_t t = 0; t + 1 < texts.size(); t += 2) setting[texts[t]] = texts[t + 1];
    if (setting == in_force_) return {};
    ESKER_ASSIGN_OR_RETURN(options, with_setting(configured_, setting));
    return {};
  }));
  in_force_ = std::move(setting);
  return options;
}

Status StepTuner::judge(Comm& comm, const Status& planned, const Plan& plan, double plan_s, bool& again) {
  again = false;
  if (is_replaying()) return planned;
  std::array<double, 2> most{planned.ok() ? work_of(plan) : 0, plan_s};
  comm.all_reduce_max(std::span<double>(most));
  std::array<std::uint64_t, 1> takes_another{0};
  ESKER_RETURN_IF_ERROR(root_does(comm, "tune", [&] {
    const bool is_good =
        planned.ok() ? adaptive_->accepts_plan(most[0], most[1]) : !adaptive_->rejects_setting();
    takes_another[0] = is_good ? 0 : 1;
    if (!is_good) chosen_ = adaptive_->chosen();
    return Status();
  }));
  comm.all_reduce_max(takes_another);
  again = takes_another[0] == 1;
  return again ? Status() : planned;
}

void StepTuner::observe(const TunedStep& step) {
  if (!adaptive_) return;
  if (++num_observed_ == 2) {  // the search begins with these
    recall_earlier_run(step.workload);
    read_model();
  }
  adaptive_->observe(step);
}

/// What runs have to have in common: the machine, its ranks, what they write, and the options that are set.
std::string StepTuner::key_of(const std::string& workload) const {
  const char* reads = purpose_ == Purpose::kReading ? "reading " : "";
  std::string key = fmt::format("{} {} ranks {}{}", machine_name(), n_ranks_, reads, workload);
  for (const Options::Entry& entry : configured_.entries()) {
    const bool matters =
        !entry.name.starts_with("tune") && entry.name != "report" && entry.name != "overwrite";
    if (matters && entry.source != "built-in") key += fmt::format(" {}={}", entry.name, entry.value);
  }
  return key;
}

void StepTuner::recall_earlier_run(const std::string& workload) {
  if (knowledge_.empty()) return;
  const auto known = recall(*store_, knowledge_, key_of(workload));
  if (!known.ok()) warnings_.push_back("what earlier runs found is ignored: " + known.status().message());
  if (known.ok() && *known) adaptive_->recall(**known);
}

/// A model that cannot be used is ignored.
void StepTuner::read_model() {
  if (purpose_ == Purpose::kReading) return;
  const bool is_named = !configured_.tune_model.empty();
  const std::string path = is_named             ? configured_.tune_model
                           : knowledge_.empty() ? ""
                                                : StepModel::default_path();
  if (path.empty()) return;
  Result<StepModel> model = StepModel::read(*store_, path);
  if (!is_named && model.status().code() == Code::kNotFound) return;
  if (!model.ok()) {
    warnings_.push_back("the model of step times is ignored: " + model.status().message());
    return;
  }
  model_.emplace(std::move(*model));
  adaptive_->consult([this](const TuningFacts& facts, const Setting& setting) {
    return model_->ratio(facts, configured_, setting);
  });
}

void StepTuner::remember() {
  if (knowledge_.empty() || !adaptive_->is_worth_remembering()) return;
  std::pair found(key_of(adaptive_->workload()), adaptive_->record().best);
  if (remembered_ == found) return;
  const Status status = esker::remember(*store_, knowledge_, found.first, found.second);
  remembered_ = std::move(found);
  if (!status.ok()) warnings_.push_back("not remembered for later runs: " + status.message());
}

void StepTuner::fail() {
  if (adaptive_) adaptive_->fail();
}

Result<TuningRecord> StepTuner::record(Comm& comm) const {
  std::string text;
  ESKER_RETURN_IF_ERROR(root_does(comm, "report", [&] {
    TuningRecord record;
    if (adaptive_) record = adaptive_->record();
    record.warnings = warnings_;
    if (is_replaying()) record.state = "repeating " + configured_.tune.substr(kReplay.size());
    if (is_replaying()) record.changes = replayed_;
    JsonWriter json;
    json.object([&] { write_tuning(json.key("tuning"), record); });
    text = json.take();
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(text, share_text(comm, std::move(text), 0));
  TuningRecord record;
  ESKER_RETURN_IF_ERROR(all_do(comm, "report", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(record, parse_tuning(text));
    return {};
  }));
  return record;
}

}  // namespace esker
