#include "tune/tuning_json.h"

#include <limits>

#include "base/error.h"
#include "base/macros.h"
#include "tune/setting_json.h"

namespace esker {
namespace {

constexpr Index kMaxIndex = std::numeric_limits<Index>::max();

void write_probe(JsonWriter& json, const TuningRecord::Probe& probe) {
  json.object([&] {
    json.key("step").integer(probe.step);
    write_setting(json.key("setting"), probe.setting);
    json.key("steps").integer(probe.steps);
    json.key("predicted").real(probe.predicted);
    json.key("modeled").real(probe.modeled);
    json.key("observed").real(probe.observed);
    json.key("plan_s").real(probe.plan_s);
    json.key("verdict").text(probe.verdict);
  });
}

Result<double> get_real(const Json& object, const char* key) {
  const auto member = object.find(key);
  if (member != object.end() && member->is_number()) return member->get<double>();
  return error(Code::kDataLoss, "'{}': expected a number", key);
}

Result<TuningRecord::Probe> parse_probe(const Json& json) {
  TuningRecord::Probe probe;
  ESKER_ASSIGN_OR_RETURN(probe.step, get_integer(json, "step", 0, kMaxIndex));
  ESKER_ASSIGN_OR_RETURN(probe.setting, get_setting(json, "setting"));
  ESKER_ASSIGN_OR_RETURN(const Index steps, get_integer(json, "steps", 0, std::numeric_limits<int>::max()));
  probe.steps = static_cast<int>(steps);
  ESKER_ASSIGN_OR_RETURN(probe.predicted, get_real(json, "predicted"));
  ESKER_ASSIGN_OR_RETURN(probe.modeled, get_real(json, "modeled"));
  ESKER_ASSIGN_OR_RETURN(probe.observed, get_real(json, "observed"));
  ESKER_ASSIGN_OR_RETURN(probe.plan_s, get_real(json, "plan_s"));
  ESKER_ASSIGN_OR_RETURN(probe.verdict, get_text(json, "verdict"));
  return probe;
}

Result<TuningRecord::Change> parse_change(const Json& json) {
  TuningRecord::Change change;
  ESKER_ASSIGN_OR_RETURN(change.from_step, get_integer(json, "from_step", 0, kMaxIndex));
  ESKER_ASSIGN_OR_RETURN(change.setting, get_setting(json, "setting"));
  return change;
}

/// The elements of an array of objects.
template <class Element, class Parse>
Status parse_all(const Json& object, const char* key, std::vector<Element>& elements, const Parse& parse) {
  ESKER_ASSIGN_OR_RETURN(const Json* array, get_array(object, key));
  for (const Json& json : *array) {
    if (!json.is_object()) return error(Code::kDataLoss, "'{}': expected objects", key);
    ESKER_ASSIGN_OR_RETURN(Element element, parse(json));
    elements.push_back(std::move(element));
  }
  return {};
}

}  // namespace

void write_tuning(JsonWriter& json, const TuningRecord& record) {
  json.object([&] {
    json.key("state").text(record.state);
    json.key("default_s").real(record.default_s);
    json.key("best_s").real(record.best_s);
    write_setting(json.key("best"), record.best);
    json.key("esker_toml").texts(toml_lines(record.best));
    json.key("cost_steps").real(record.cost_steps);
    json.key("probes").array([&] {
      for (const TuningRecord::Probe& probe : record.probes) write_probe(json, probe);
    });
    json.key("changes").array([&] {
      for (const TuningRecord::Change& change : record.changes) {
        json.object([&] {
          json.key("from_step").integer(change.from_step);
          write_setting(json.key("setting"), change.setting);
        });
      }
    });
    json.key("warnings").texts(record.warnings);
  });
}

Result<TuningRecord> parse_tuning(const std::string& text) {
  constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;
  ESKER_ASSIGN_OR_RETURN(const JsonHolder report, parse_json_object(text, kMaxTextBytes));
  ESKER_ASSIGN_OR_RETURN(const Json* json, get_object(report.json, "tuning"));
  TuningRecord record;
  ESKER_ASSIGN_OR_RETURN(record.state, get_text(*json, "state"));
  ESKER_ASSIGN_OR_RETURN(record.default_s, get_real(*json, "default_s"));
  ESKER_ASSIGN_OR_RETURN(record.best_s, get_real(*json, "best_s"));
  ESKER_ASSIGN_OR_RETURN(record.best, get_setting(*json, "best"));
  ESKER_ASSIGN_OR_RETURN(record.cost_steps, get_real(*json, "cost_steps"));
  ESKER_RETURN_IF_ERROR(parse_all(*json, "probes", record.probes, parse_probe));
  ESKER_RETURN_IF_ERROR(parse_all(*json, "changes", record.changes, parse_change));
  ESKER_ASSIGN_OR_RETURN(record.warnings, get_texts(*json, "warnings"));
  return record;
}

}  // namespace esker
