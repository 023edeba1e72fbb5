// Sessions with the HDF5 library in which memory runs out.
#include "formats/netcdf/hdf5/session.h"

#include <gtest/gtest.h>

#include "base/guarded.h"
#include "support/test_new.h"

namespace esker::hdf5 {
namespace {

using testing_support::FailingNew;

Status make_group(VirtualFile& file) {
  const Handle group(H5Gcreate2(file.id, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "group");
  return {};
}

// Also while the library writes to close the file: the library must not keep a file that it could not close,
// and access it, freed, when the program ends.
TEST(Session, AnyFailedAllocationIsAnErrorAndTheProgramEndsNormally) {
  long num_failed = 1;
  for (long after = 0; num_failed > 0; ++after) {
    ASSERT_LT(after, 1000);
    Overlay overlay(nullptr, 0);
    Status status;
    {
      const FailingNew failing({after, 0, false});
      status = guarded("", [&] { return run_session(overlay, Access::kCreate, make_group); });
      num_failed = FailingNew::num_failed();
    }
    EXPECT_TRUE(num_failed == 0 ? status.ok() : status.ok() || status.code() == Code::kOutOfMemory)
        << "request " << after << ": " << status.message();
  }
}

}  // namespace
}  // namespace esker::hdf5
