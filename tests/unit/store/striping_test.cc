// Striping from Lustre's library, with a replacement of the library.
#include "store/striping.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace esker {
namespace {

TEST(Striping, ComesFromTheLibraryOfLustre) {
  const Striping found = lustre_striping("/scratch/run", FAKE_LUSTREAPI);
  EXPECT_EQ(found.size_bytes, Index{4} << 20);
  EXPECT_EQ(found.count, 12);
}

TEST(Striping, IsNotKnownWithoutLibraryOrAnswer) {
  EXPECT_EQ(lustre_striping("/scratch/run", "libnot-there.so.1").count, 0);
  EXPECT_EQ(lustre_striping("/nothing", FAKE_LUSTREAPI).count, 0);
  EXPECT_EQ(lustre_striping("/wide", FAKE_LUSTREAPI).size_bytes, 0);
}

TEST(Striping, ReleasesTheLibrary) {
  void* library = ::dlopen(FAKE_LUSTREAPI, RTLD_NOW);
  ASSERT_NE(library, nullptr);
  (void)lustre_striping("/scratch/run", FAKE_LUSTREAPI);
  (void)lustre_striping("/wide", FAKE_LUSTREAPI);
  EXPECT_EQ(*static_cast<int*>(::dlsym(library, "fake_layouts_held")), 0);
  ::dlclose(library);
}

}  // namespace
}  // namespace esker
