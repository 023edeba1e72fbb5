// A small file whose variables have all kinds of shapes, and what ought to be in it.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "shared_cdf/shared_file.h"
#include "support/thread_comm.h"

namespace esker::testing_support {

inline const std::vector<int> kRankCounts{1, 2, 4, 7};
inline constexpr Index kMostRecords = 3;

/// Dimensions t (records), x 13, y 9, z 6, u 3, v 2; variables of 0 to 7 dimensions and several types.
inline void define_all_shapes(cdf::Header& header) {
  using netcdf::Type;
  header.dims = {{"t", 0}, {"x", 13}, {"y", 9}, {"z", 6}, {"u", 3}, {"v", 2}};
  const auto add = [&](const char* name, Type type, std::vector<int> dims) {
    cdf::Variable variable;
    variable.name = name;
    variable.type = type;
    variable.dims = std::move(dims);
    header.variables.push_back(std::move(variable));
  };
  add("scalar", Type::kInt, {});
  add("x", Type::kDouble, {1});
  add("volume", Type::kFloat, {3, 2, 1});
  add("text", Type::kChar, {2, 1});
  add("time", Type::kDouble, {0});
  add("field", Type::kDouble, {0, 3, 2, 1});
  add("small", Type::kShort, {0, 1});
  add("deep", Type::kInt, {4, 5, 4, 5, 3, 4, 5});
  add("deep_record", Type::kFloat, {0, 5, 4, 5, 4, 5, 4});
}

/// One of the accesses that a rank brings, with its memory.
struct CaseAccess {
  cdf::Access access;
  std::vector<double> values;  // what is to be written, dense

  void point() {
    access.memory_type = netcdf::Type::kDouble;
    access.values = access.target = values.data();
  }
};

/// Values by variable and flat index (records first).
using Contents = std::map<std::pair<int, std::vector<Index>>, double>;

/// A random box of a variable. Values are small whole numbers, which every type holds.
inline CaseAccess random_access(const cdf::Header& header, int number, Index most_records,
                                std::mt19937& random) {
  const cdf::Variable& variable = header.variables[static_cast<std::size_t>(number)];
  const auto in = [&](Index lo, Index hi) { return std::uniform_int_distribution<Index>(lo, hi)(random); };
  CaseAccess made;
  made.access.variable = number;
  Index n = 1;
  for (std::size_t d = 0; d < variable.dims.size(); ++d) {
    const Index length = d == 0 && header.is_record(variable)
                             ? most_records
                             : header.dims[static_cast<std::size_t>(variable.dims[d])].length;
    const Index start = in(0, length - 1);
    const Index step = in(0, 4) == 0 ? in(1, 3) : 1;
    const Index most = (length - 1 - start) / step + 1;
    made.access.start.push_back(start);
    made.access.step.push_back(step);
    made.access.count.push_back(in(0, 9) == 0 ? 0 : in(1, most));
    n *= made.access.count.back();
  }
  for (Index i = 0; i < n; ++i) made.values.push_back(static_cast<double>(in(0, 100)));
  return made;
}

/// Calls visit(index in the variable, position in the dense values) for the values of an access.
template <class Visit>
void for_each_value(const cdf::Access& access, const Visit& visit) {
  std::vector<Index> at(access.count.size());
  Index n = 1;
  for (const Index count : access.count) n *= count;
  for (Index position = 0; position < n; ++position) {
    Index rest = position;
    for (std::size_t d = at.size(); d-- > 0;) {
      at[d] = access.start[d] + (rest % access.count[d]) * (access.step.empty() ? 1 : access.step[d]);
      rest /= access.count[d];
    }
    visit(at, static_cast<std::size_t>(position));
  }
}

/// The accesses of all ranks for one transfer, at most `most` of each. All ranks make the same list.
inline std::vector<std::vector<CaseAccess>> random_accesses(const cdf::Header& header, int n_ranks,
                                                            unsigned seed, int most = 4) {
  std::mt19937 random(seed);
  std::vector<std::vector<CaseAccess>> of_rank(static_cast<std::size_t>(n_ranks));
  for (auto& accesses : of_rank) {
    const int n = std::uniform_int_distribution<int>(0, most)(random);
    for (int i = 0; i < n; ++i) {
      const int variable =
          std::uniform_int_distribution<int>(0, static_cast<int>(header.variables.size()) - 1)(random);
      if (header.variables[static_cast<std::size_t>(variable)].type == netcdf::Type::kChar) continue;
      accesses.push_back(random_access(header, variable, kMostRecords, random));
    }
  }
  return of_rank;
}

/// Later ranks, and later accesses of one, overwrite earlier ones.
inline void add_to(const std::vector<std::vector<CaseAccess>>& of_rank, Contents& contents) {
  for (const auto& accesses : of_rank) {
    for (const CaseAccess& each : accesses) {
      for_each_value(each.access, [&](const std::vector<Index>& at, std::size_t position) {
        contents[{each.access.variable, at}] = each.values[position];
      });
    }
  }
}

inline std::vector<cdf::Access> own_accesses(std::vector<CaseAccess>& accesses) {
  std::vector<cdf::Access> own;
  for (CaseAccess& each : accesses) {
    each.point();
    own.push_back(each.access);
  }
  return own;
}

/// Whether the file has exactly these values where anything was written.
inline void expect_contents(cdf::SharedFile& file, const Contents& contents) {
  for (const auto& [place, value] : contents) {
    double found = -1;
    cdf::Access access;
    access.variable = place.first;
    access.start = place.second;
    access.count.assign(place.second.size(), 1);
    access.memory_type = netcdf::Type::kDouble;
    access.target = &found;
    file.get_alone({&access, 1}).check();
    ASSERT_EQ(found, value) << file.header().variables[static_cast<std::size_t>(place.first)].name;
  }
}

}  // namespace esker::testing_support
