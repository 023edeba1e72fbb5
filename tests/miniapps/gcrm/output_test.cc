#include "output.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "case.h"
#include "common/together.h"
#include "sphere.h"

namespace gcrm {
namespace {

constexpr int kLevel = 3, kLayers = 3;

/// A tracer with a different value for each cell, layer and step, and a directory that all ranks share.
class OutputTest : public ::testing::Test {
 protected:
  OutputTest() : case_(MPI_COMM_WORLD, kLevel) {
    int pid = getpid();
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    folder_ = std::filesystem::temp_directory_path() / ("gcrm_output_" + std::to_string(pid));
    options_.set("report", "none");
    options_.set("format", "idx");
  }
  ~OutputTest() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (Case::rank(MPI_COMM_WORLD) == 0) std::filesystem::remove_all(folder_);
  }

  static double value(Index cell, Index layer, int step) {
    return static_cast<double>(cell * 100 + layer * 10 + step);
  }
  [[nodiscard]] std::vector<double> tracer(int step) const {
    std::vector<double> values(case_.mesh.num_local() * kLayers, -1);
    for (Index v = 0; v < case_.mesh.num_own() * kLayers; ++v) {
      values[v] = value(case_.mesh.own.first + v / kLayers, v % kLayers, step);
    }
    return values;
  }
  void write(const std::string& path) {
    Output output(MPI_COMM_WORLD, path, case_.panels, case_.mesh, kLayers, ESKER_FLOAT32, options_);
    for (int step = 0; step < 2; ++step) output.write(0.5 * step, tracer(step));
    output.close();
  }
  /// A whole field of the written dataset at a level.
  template <class T>
  static std::vector<T> read(const std::string& path, const std::string& field, int step, Index count,
                             int level = ESKER_FULL_LEVEL) {
    esker_dataset* ds = nullptr;
    int number = 0;
    std::vector<T> values(count);
    esker_open(path.c_str(), ESKER_OPEN_VERIFY, &ds);
    esker_inq_field_id(ds, field.c_str(), &number);
    const auto bytes = static_cast<Index>(values.size() * sizeof(T));
    EXPECT_EQ(esker_get(ds, number, step, nullptr, nullptr, level, values.data(), bytes), ESKER_OK)
        << field << ": " << esker_message(ds);
    esker_free(ds);
    return values;
  }

  Case case_;
  std::filesystem::path folder_;
  Options options_;
};

TEST_F(OutputTest, PanelsHoldEachCellAtItsPosition) {
  const std::string path = (folder_ / "run.idx").string();
  write(path);
  const Index n = case_.panels.side(), count = n * n * kLayers;
  for (int step = 0; step < 2; ++step) {
    for (int p = 0; p < kNumPanels; ++p) {
      const auto found = read<float>(path, "tracer_p" + std::to_string(p), step, count);
      for (Index v = 0; v < count; ++v) {
        const Place at{p, v / kLayers % n, v / kLayers / n};
        ASSERT_EQ(found[v], static_cast<float>(value(case_.panels.cell(at), v % kLayers, step)))
            << p << ' ' << v;
      }
    }
    const auto poles = read<float>(path, "tracer_poles", step, 2 * kLayers);
    EXPECT_EQ(poles[0], static_cast<float>(value(case_.panels.north_pole(), 0, step)));
    EXPECT_EQ(poles[2 * kLayers - 1], static_cast<float>(value(case_.panels.south_pole(), 2, step)));
  }
}

// Level 2 m of a panel is the panel of the grid of level m, with all layers.
TEST_F(OutputTest, LevelsOfTheDatasetAreThoseOfTheGrid) {
  const std::string path = (folder_ / "run.idx").string();
  write(path);
  for (int level = 0; level <= kLevel; ++level) {
    const Panels coarse(level);
    const Index n = coarse.side(), stride = case_.panels.side() / n;
    const auto found = read<float>(path, "tracer_p7", 1, n * n * kLayers, 2 * level);
    const auto lon = read<double>(path, "lon_p7", 0, n * n, 2 * level);
    for (Index v = 0; v < n * n; ++v) {
      const Place at{7, v % n, v / n};
      const Index cell = case_.panels.cell({7, stride * at.i, stride * at.j});
      EXPECT_EQ(found[v * kLayers + 1], static_cast<float>(value(cell, 1, 1)));
      EXPECT_EQ(lon[v], longitude_degrees(cell_centre(coarse, at)));
    }
  }
}

TEST_F(OutputTest, FailuresAreTheSameOnAllRanks) {
  const std::string path = (folder_ / "run.idx").string();
  write(path);
  try {
    write(path);
    FAIL() << "wrote over a dataset";
  } catch (const miniapp::AgreedError& e) {
    EXPECT_NE(std::string(e.what()).find("run"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace gcrm
