// Workload: the fields of one rank of a simulation. Values are computed for each step, so that no cache or
// storage has them before, and any rank can compute all of them, so that every value that is read is checked.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "esker/types/box.hpp"

namespace bench {

using esker::Box;
using esker::Index;
using esker::Point;

/// How values depend on the place: numbers whose digits identify it; a smooth field with a little noise, as
/// compression finds it in simulations; or the temperature of a burning sheet, which moves at each step.
enum class Values { kExact, kSmooth, kFlame };

/// Burning sheets, in points along z.
struct Flame {
  Index period = 1;     ///< from one sheet to the next
  Index thickness = 1;  ///< of the part of a sheet that is above 1200
};

/// A field's samples as the simulation holds them: float64, without ghost cells.
struct FieldMemory {
  std::string name;
  int grid = 0;  ///< position in Workload::grids
  int components = 1;
  Box box;                                       ///< this rank's part, in samples of the level
  Point spacing{1, 1, 1, 1, 1};                  ///< points of the grid from one sample to the next
  std::array<Index, esker::kMaxRank> strides{};  ///< samples from one to the next along each axis, x first
  Index component_stride = 0;                    ///< samples from one component to the next
  std::vector<double> samples;
  Values values = Values::kExact;
  Flame flame = {};

  [[nodiscard]] Index num_samples() const { return box.num_samples() * components; }
  [[nodiscard]] Index bytes() const { return num_samples() * Index{sizeof(double)}; }
  /// `box` in points of the grid: the smallest one that holds its samples.
  [[nodiscard]] Box points() const;
  /// Dense memory: the axes `fastest` first, components slowest.
  void set_strides(const std::vector<int>& fastest);
};

struct GridExtent {
  std::string axes;  ///< one letter per axis, fastest on disk first
  int rank = 0;
  Point extent{};
};

/// Values of one step of one repetition differ from those of all others.
struct Salt {
  Index repeat = 0, step = 0;
};

/// What a sparse step keeps: the samples of the level that is `halvings` below the finest, where the flame is
/// at least so hot.
struct KeptAbove {
  Index halvings = 0;
  double from_temperature = kEverywhere;

  static constexpr double kEverywhere = -std::numeric_limits<double>::infinity();
};

struct Workload {
  std::string name;
  std::vector<GridExtent> grids;
  std::vector<FieldMemory> fields;
  Index data_bytes = 0;  ///< per step, all ranks
  Index halvings = 0;    ///< levels below the finest; see at_level()

  /// Adds this rank's part of a field, with memory in which the axes `fastest` are dense, the first one the
  /// most, and components are slowest.
  void add_field(const std::string& field_name, int grid, const Box& box, int components,
                 const std::vector<int>& fastest);
  /// Fills the samples of all fields.
  void compute(const Salt& salt);
  [[nodiscard]] Index bytes_of_rank() const;
  /// The position of the field with the values of a flame; -1: there is none.
  [[nodiscard]] int flame() const;
  /// The workload at the level that is `halvings` below the finest, with about 1 / 2^halvings of the samples:
  /// each grid keeps every second point along one axis after the other, the slowest axis first. Fields are
  /// dense, in the same order, and only for reading: they have no samples.
  [[nodiscard]] Workload at_level(Index halvings) const;
};

/// The memory layout of one field that was read.
struct Answer {
  const double* first = nullptr;  ///< component 0 of the sample at box.lo
  std::array<Index, esker::kMaxRank> strides{};
  Index component_stride = 1;
};

/// Per field, the samples of one rank.
using Samples = std::vector<std::vector<double>>;
/// Memory of the workload's size, with all pages touched.
Samples make_samples(const Workload& workload);

/// Counts the samples of `field` in `answer` that differ by more than `tolerance` from compute(salt) of field
/// number `number`. With `may_lack`, NaN is right, too.
Index count_bad(const FieldMemory& field, int number, const Answer& answer, const Salt& salt,
                double tolerance = 0, bool may_lack = false);
/// Counts the samples of field number `number` that are NaN in `answer`, at places where `kept` has a sample.
Index count_lacking(const Workload& workload, int number, const Answer& answer,
                    const std::vector<KeptAbove>& kept, const Salt& salt);
/// An answer in the layout of the field's own memory, and a dense one (x fastest, components innermost).
Answer like_memory(const FieldMemory& field, const double* first);
Answer dense(const FieldMemory& field, const double* first);

}  // namespace bench
