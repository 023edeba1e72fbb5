// The solver converges to a manufactured solution at the stated order.
#include "verify.h"

#include <gtest/gtest.h>

namespace s3d {
namespace {

TEST(Verify, TheOrderIsTheStatedOne) { EXPECT_NO_THROW(verify(MPI_COMM_WORLD, false)); }

}  // namespace
}  // namespace s3d
