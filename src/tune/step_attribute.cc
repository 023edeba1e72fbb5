#include "tune/step_attribute.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "model/option_table.h"
#include "model/option_text.h"

namespace esker {
namespace {

double ranks_per_aggregator(const TuningFacts& facts, const Options& options) {
  const Index aggregators = options.aggregators > 0 ? options.aggregators : facts.aggregators;
  return static_cast<double>(facts.ranks) / static_cast<double>(std::max<Index>(aggregators, 1));
}

struct NamedFact {
  std::string_view name;
  double (*value)(const TuningFacts&, const Options&);
};

constexpr std::array kFacts{
    NamedFact{"ranks", [](const TuningFacts& f, const Options&) { return static_cast<double>(f.ranks); }},
    NamedFact{"fields", [](const TuningFacts& f, const Options&) { return static_cast<double>(f.fields); }},
    NamedFact{"step_bytes",
              [](const TuningFacts& f, const Options&) { return static_cast<double>(f.step_bytes); }},
    NamedFact{"bytes_per_rank",
              [](const TuningFacts& f, const Options&) {
                return static_cast<double>(f.step_bytes) / static_cast<double>(std::max(f.ranks, 1));
              }},
    NamedFact{
        "buffer_bytes",
        [](const TuningFacts&, const Options& o) { return static_cast<double>(o.collective_buffer_bytes); }},
    NamedFact{"ranks_per_aggregator", ranks_per_aggregator}};

std::optional<Index> number_of(const std::string& text) {
  return parse_size(text, 0, std::numeric_limits<Index>::max());
}

}  // namespace

Result<StepAttribute> StepAttribute::named(std::string_view name) {
  StepAttribute attribute;
  const auto fact = std::ranges::find(kFacts, name, &NamedFact::name);
  if (fact != kFacts.end()) {
    attribute.fact_ = fact->value;
    return attribute;
  }
  const auto equals = name.find('=');
  const OptionRow* row = find_option(name.substr(0, equals));
  Options options;
  const bool is_known =
      row != nullptr && (equals == std::string_view::npos ? number_of(row->print(options)).has_value()
                                                          : row->parse(name.substr(equals + 1), options));
  if (!is_known) return error(Code::kInvalidArgument, "unknown attribute '{}'", excerpt(std::string(name)));
  attribute.option_ = row->name;
  if (equals != std::string_view::npos) attribute.is_ = row->print(options);
  return attribute;
}

double StepAttribute::value(const TuningFacts& facts, const Options& options) const {
  if (fact_) return fact_(facts, options);
  const std::string text = find_option(option_)->print(options);
  if (is_.empty()) return static_cast<double>(number_of(text).value_or(0));
  return text == is_ ? 1 : 0;
}

}  // namespace esker
