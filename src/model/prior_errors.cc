#include "model/prior_errors.h"

#include <cmath>
#include <limits>
#include <variant>
#include <vector>

namespace esker {

std::optional<FieldErrors> prior_errors(const Field& field) {
  const auto found = field.attributes.find(kPriorErrorsAttribute);
  if (found == field.attributes.end()) return {};
  const std::vector<double> values =
      std::visit([](const auto& numbers) { return std::vector<double>(numbers.begin(), numbers.end()); },
                 numbers_of(found->second));
  if (values.size() == 2 && values[0] >= 0 && values[1] >= 0) return FieldErrors{values[0], values[1]};
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  return FieldErrors{kUnknown, kUnknown};
}

std::optional<FieldErrors> sum_of(const std::optional<FieldErrors>& first,
                                  const std::optional<FieldErrors>& second) {
  if (!first || !second) return first ? first : second;
  const auto up = [](double a, double b) {
    return a == 0 || b == 0 ? a + b : std::nextafter(a + b, std::numeric_limits<double>::infinity());
  };
  return FieldErrors{up(first->largest, second->largest), up(first->rms, second->rms)};
}

}  // namespace esker
