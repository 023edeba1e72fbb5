// Amounts in the reports of runs, next to those of plans.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "esker/plan.hpp"
#include "write/report.h"

namespace esker::testing_support {

/// -1 if the report has no such amount.
inline double amount(const RunReport& report, const std::string& name, double Spread::*which) {
  const auto found = std::ranges::find(report.counters.amounts, name, &Spread::name);
  return found == report.counters.amounts.end() ? -1 : (*found).*which;
}

inline void expect_same(const OverRanks& planned, const RunReport& report, const std::string& name) {
  EXPECT_EQ(static_cast<double>(planned.min), amount(report, name, &Spread::min)) << name;
  EXPECT_NEAR(planned.mean, amount(report, name, &Spread::mean), 1e-6 * (1 + planned.mean)) << name;
  EXPECT_EQ(static_cast<double>(planned.max), amount(report, name, &Spread::max)) << name;
}

}  // namespace esker::testing_support
