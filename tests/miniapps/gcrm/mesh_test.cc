#include "mesh.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "case.h"
#include "reduce.h"

namespace gcrm {
namespace {

TEST(Mesh, AreasSumToTheSphere) {
  for (const int level : {0, 1, 3, 5}) {
    const Case c(MPI_COMM_WORLD, level >= 1 || Case::size(MPI_COMM_WORLD) < 7 ? level : 1);
    std::vector<ExactSum> sum(1);
    for (const double area : c.mesh.areas) {
      EXPECT_GT(area, 0);
      sum[0].add(area);
    }
    sum_over_ranks(c.comm, sum);
    EXPECT_NEAR(sum[0].value(), 4 * M_PI, 1e-13) << "level " << level;
  }
}

// Halo: each ghost gets the value of its cell, at any width.
TEST(Halo, GhostsGetTheValuesOfTheirOwners) {
  const Case c(MPI_COMM_WORLD, 3);
  for (const Index width : {1, 3}) {
    std::vector<double> values(c.mesh.num_local() * width, -1);
    const auto number = [&](Index local) {
      const Index n = c.mesh.num_own();
      return local < n ? c.mesh.own.first + local : c.border.ghosts[local - n];
    };
    for (Index v = 0; v < c.mesh.num_own() * width; ++v) {
      values[v] = static_cast<double>(100 * number(v / width) + v % width);
    }
    c.halo.exchange(values, width);
    for (Index v = 0; v < c.mesh.num_local() * width; ++v) {
      EXPECT_EQ(values[v], static_cast<double>(100 * number(v / width) + v % width));
    }
  }
}

TEST(Mesh, CellsAreClosedAndCentroidsNearCentres) {
  const Case c(MPI_COMM_WORLD, 4);
  for (Index cell = 0; cell < c.mesh.num_own(); ++cell) {
    Vec3 around;
    double longest = 0;
    for (Index e = c.mesh.first_edge[cell]; e < c.mesh.first_edge[cell + 1]; ++e) {
      around = around + c.mesh.edges[e].along;
      longest = std::max(longest, norm(c.mesh.edges[e].along));
    }
    EXPECT_LT(norm(around), 1e-15);
    EXPECT_LT(norm(c.mesh.middles[cell] - c.mesh.centres[cell]), 0.1 * longest);
  }
}

/// The largest error of the gradient of a function that is linear in space.
double gradient_error(int level) {
  const Case c(MPI_COMM_WORLD, level);
  const Vec3 wanted{0.3, -0.7, 0.2};
  double largest = 0;
  for (Index cell = 0; cell < c.mesh.num_own(); ++cell) {
    const Vec3& here = c.mesh.middles[cell];
    Vec3 found;
    for (Index e = c.mesh.first_edge[cell]; e < c.mesh.first_edge[cell + 1]; ++e) {
      const Edge& edge = c.mesh.edges[e];
      found = found + dot(wanted, c.mesh.middles[edge.beyond] - here) * edge.slope;
    }
    largest = std::max(largest, norm(found - tangent(wanted, here)));
  }
  return max_over_ranks(c.comm, largest);
}

// They would be exact in the plane; on the sphere the error shrinks with the cells.
TEST(Mesh, SlopesFindGradients) {
  const double coarse = gradient_error(4), fine = gradient_error(5);
  EXPECT_LT(fine, 0.01);
  EXPECT_LT(fine, 0.6 * coarse);
}

// The nodes that a cell names are the ends of its edges.
TEST(Mesh, NodesAreTheEndsOfTheEdges) {
  const Case c(MPI_COMM_WORLD, 3);
  for (Index cell = 0; cell < c.mesh.num_own(); ++cell) {
    const Index size = c.mesh.first_edge[cell + 1] - c.mesh.first_edge[cell];
    EXPECT_EQ(c.mesh.face_nodes[6 * cell + 5] == -1, size == 5);
    for (Index m = 0; m < size; ++m) {
      const Index from = c.mesh.face_nodes[6 * cell + (m + size - 1) % size] - 2 * c.mesh.own.first;
      const Index to = c.mesh.face_nodes[6 * cell + m] - 2 * c.mesh.own.first;
      const auto end = static_cast<Index>(c.mesh.nodes.size());
      if (from < 0 || to < 0 || from >= end || to >= end) continue;  // another rank's
      const Vec3 along = c.mesh.nodes[to] - c.mesh.nodes[from];
      EXPECT_EQ(norm(along - c.mesh.edges[c.mesh.first_edge[cell] + m].along), 0);
    }
  }
}

TEST(Mesh, HasTheSameBitsOnAnyNumberOfRanks) {
  const Case c(MPI_COMM_WORLD, 4);
  EXPECT_EQ(checksum(c.comm, c.mesh.areas.data(), c.mesh.num_own(), c.mesh.own.first),
            checksum(MPI_COMM_SELF, Case(MPI_COMM_SELF, 4).mesh.areas.data(), c.panels.num_cells(), 0));
}

}  // namespace
}  // namespace gcrm
