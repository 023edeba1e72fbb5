#include "read/chunk_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "layout/places.h"

namespace esker {
namespace {

/// An array of int64 whose samples are their numbers, x fastest.
struct Numbered {
  ChunkedArray array;
  int rank = 1;
  int num_calls = 0;

  std::vector<Index> read(const Lattice& selection) {
    std::vector<Index> found(static_cast<std::size_t>(selection.num_samples()), -1);
    const auto read_chunk = [&](const Point& chunk, const Lattice& part, std::byte* out) -> Status {
      ++num_calls;
      for_each_place(part.all_indices(), [&](const Point& index) {
        Point at = part.point(index);
        for (int a = 0; a < rank; ++a) at[a] += chunk[a] * array.chunk[a];
        const Index number = number_in(array.extent, rank, at);
        std::memcpy(out, &number, sizeof(number));
        out += sizeof(number);
      });
      return {};
    };
    read_chunks(array, selection, read_chunk, reinterpret_cast<std::byte*>(found.data())).check();
    return found;
  }

  [[nodiscard]] std::vector<Index> expected(const Lattice& selection) const {
    std::vector<Index> numbers;
    for_each_place(selection.all_indices(), [&](const Point& index) {
      numbers.push_back(number_in(array.extent, rank, selection.point(index)));
    });
    return numbers;
  }
};

TEST(ReadChunks, ReadsEveryLattice) {
  Numbered numbered{{{17, 11, 5, 1, 1}, {4, 3, 5, 1, 1}, sizeof(Index)}, 3};
  for (const Point& stride : {Point{1, 1, 1, 1, 1}, Point{2, 5, 1, 1, 1}, Point{4, 3, 2, 1, 1},
                              Point{5, 4, 4, 1, 1}, Point{16, 1, 3, 1, 1}}) {
    for (const Index origin : {0, 1, 2}) {
      Lattice selection{3, {origin, origin, origin, 0, 0}, stride};
      for (int a = 0; a < 3; ++a)
        selection.count[a] = (numbered.array.extent[a] - 1 - origin) / stride[a] + 1;
      EXPECT_EQ(numbered.read(selection), numbered.expected(selection)) << selection.to_string();
    }
  }
}

/// A coarse level of a large grid, as of a map of a web server, costs what it has, not what the grid has.
TEST(ReadChunks, SamplesFarApartCostNoVisitOfTheChunksBetweenThem) {
  constexpr Index kExtent = Index{1} << 40;
  Numbered numbered{{{kExtent, kExtent / 4, 1, 1, 1}, {8, 8, 1, 1, 1}, sizeof(Index)}, 2};
  const Lattice selection{2, {3, 5, 0, 0, 0}, {kExtent / 4, kExtent / 8, 1, 1, 1}, {4, 2, 1, 1, 1}};
  EXPECT_EQ(numbered.read(selection), numbered.expected(selection));
  EXPECT_EQ(numbered.num_calls, 8);
}

}  // namespace
}  // namespace esker
