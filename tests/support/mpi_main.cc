// main() of the MPI tests: every rank runs all tests; rank 0 prints; any rank's failure fails the program.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <string>

namespace {

/// Checks the size of the world: with a wrong mpiexec, each rank would be in a world of size 1.
bool world_has_expected_size(int size) {
  const char* expected = std::getenv("ESKER_TEST_RANKS");
  return !expected || std::stoi(expected) == size;
}

/// Prints failures of this rank with its number.
class RankedFailures final : public testing::EmptyTestEventListener {
 public:
  explicit RankedFailures(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed()) {
      std::fprintf(stderr, "rank %d: %s:%d: %s\n", rank_, result.file_name() ? result.file_name() : "?",
                   result.line_number(), result.summary());
    }
  }

 private:
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!world_has_expected_size(size)) {
    std::fprintf(stderr,
                 "world of %d ranks, ESKER_TEST_RANKS says %s: is mpiexec that of the MPI we linked?\n", size,
                 std::getenv("ESKER_TEST_RANKS"));
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new RankedFailures(rank));
  }
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
