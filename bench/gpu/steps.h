// How fast a step is written from a GPU, from the host, and from the host after a copy of the whole field.
#pragma once

#include <string>

#include "esker/communicator.hpp"

namespace esker::bench {

/// 16 fields of float64 of edge^3 samples per rank, as S3D has. Prints seconds of a step and ratios on rank
/// 0. Collective. Whether the three ways wrote the same samples, which are those that were put.
bool measure_steps(const Communicator& comm, const std::string& directory, long edge, int repeat);

}  // namespace esker::bench
