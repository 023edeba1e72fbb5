// How relays are chosen, for tests with parameters.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <ostream>

#include "plan/relays.h"

namespace esker::testing_support {

struct RelaySetting {
  const char* name;
  const char* restructure;
  int max_fan_in;

  [[nodiscard]] RelayRules rules() const { return {Restructure::parse(restructure).value(), max_fan_in}; }
};

inline void PrintTo(const RelaySetting& setting, std::ostream* out) { *out << setting.name; }

inline constexpr std::array<RelaySetting, 7> kRelaySettings{{{"Off", "off", 0},
                                                             {"Coarse", "off", 1},
                                                             {"SomeCoarse", "off", 6},
                                                             {"Default", "default", 0},
                                                             {"DefaultCoarse", "default", 5},
                                                             {"Expanded", "expanded", 0},
                                                             {"Given", "4,8,2", 0}}};

}  // namespace esker::testing_support
