// Each rank writes a slab of a grid; then any process reads it all and compares.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "esker/esker.hpp"

inline constexpr esker::Index kNx = 15, kNy = 33;

inline float sample(esker::Index x, esker::Index y) { return static_cast<float>(x + kNx * y); }

/// Collective over `comm`; at most kNy ranks. Throws esker::Error.
inline void write_slabs(const std::string& path, const esker::Communicator& comm) {
  const esker::Index first = kNy * comm.rank() / comm.size(), end = kNy * (comm.rank() + 1) / comm.size();
  std::vector<float> slab;
  for (esker::Index y = first; y < end; ++y) {
    for (esker::Index x = 0; x < kNx; ++x) slab.push_back(sample(x, y));
  }
  auto writer = esker::Writer::create(path, comm).value();
  const auto grid =
      writer.def_grid("map", {writer.def_dim("x", kNx).value(), writer.def_dim("y", kNy).value()});
  const auto field = writer.def_field(grid.value(), "thk", esker::SampleType::kFloat32).value();
  writer.begin_step(0).check();
  writer.put(field, esker::Patch::dense(esker::Box({0, first}, {kNx, end}), slab.data())).check();
  writer.end_step().check();
  writer.close().check();
}

/// Number of samples that differ from those of write_slabs. Throws esker::Error.
inline int compare(const std::string& path) {
  std::vector<float> all(kNx * kNy, -1);
  const auto dataset = esker::Dataset::open(path).value();
  dataset.read({.field = "thk"}, all.data(), all.size() * sizeof(float)).check();
  int different = 0;
  for (esker::Index y = 0; y < kNy; ++y) {
    for (esker::Index x = 0; x < kNx; ++x) different += all[x + kNx * y] != sample(x, y);
  }
  std::printf("%s: %zu samples, %d different\n", path.c_str(), all.size(), different);
  return different;
}

/// Whether an exception of the library is caught by its type, which must be the same on both sides.
inline bool errors_are_caught(const std::string& path) {
  try {
    esker::Dataset::open(path + ".is-not-there").value();
  } catch (const esker::Error& error) {
    return error.code() == esker::Code::kNotFound;
  }
  return false;
}
