#include "base/system.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace esker {
namespace {

// Linux takes it only on file systems that have no files without names.
TEST(System, AnUnlinkedFileHasNoNameAndCanBeWritten) {
  const auto directory =
      std::filesystem::temp_directory_path() / ("esker-unlinked-" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  const int descriptor = open_unlinked_file(directory.string());
  ASSERT_GE(descriptor, 0);
  EXPECT_EQ(::pwrite(descriptor, "bytes", 5, 0), 5);
  struct stat facts {};
  EXPECT_EQ(::fstat(descriptor, &facts), 0);
  EXPECT_EQ(facts.st_nlink, 0U);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  ::close(descriptor);
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  std::filesystem::remove_all(directory);
  EXPECT_EQ(open_unlinked_file(directory.string()), -1);
}

TEST(System, LibraryLoadsGrowWithEachLibrary) {
  const std::uint64_t before = library_loads();
#ifdef __linux__
  EXPECT_EQ(library_loads(), before);
#endif
  void* const library = ::dlopen("libBrokenLocale.so.1", RTLD_LAZY);  // of glibc; no program has it
  if (library == nullptr) GTEST_SKIP() << ::dlerror();
  EXPECT_GT(library_loads(), before);
  ::dlclose(library);
}

}  // namespace
}  // namespace esker
