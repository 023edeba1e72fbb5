// The deprecated paths of headers that are in esker/types now: programs that include them still compile.
#include <gtest/gtest.h>

#include <type_traits>

#include "esker/box.hpp"
#include "esker/byte_source.hpp"
#include "esker/decomposition.hpp"
#include "esker/export.h"
#include "esker/in_block_order.hpp"
#include "esker/lattice.hpp"
#include "esker/options.hpp"
#include "esker/patch.hpp"
#include "esker/restructure.hpp"
#include "esker/sample_type.hpp"
#include "esker/schema.hpp"
#include "esker/status.hpp"

namespace esker {
namespace {

#ifndef ESKER_API
#error "esker/export.h does not define ESKER_API"
#endif

TEST(OldHeaders, DeclareTheSameTypes) {
  static_assert(std::is_abstract_v<ByteSource>);
  static_assert(std::is_class_v<BrickDecomposition> && std::is_class_v<Restructure>);
  static_assert(std::is_enum_v<InBlockOrder> && std::is_enum_v<SampleType>);
  EXPECT_EQ(Box::from_extent(2, {3, 4}).num_samples(), 12);
  EXPECT_EQ(Lattice{}.num_samples(), 1);
  EXPECT_EQ(MutablePatch{}.data, nullptr);
  EXPECT_EQ(Options().overwrite, false);
  EXPECT_TRUE(Schema().grids().empty());
  EXPECT_TRUE(Status().ok());
}

}  // namespace
}  // namespace esker
