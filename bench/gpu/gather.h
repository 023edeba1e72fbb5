// How fast samples get from a GPU to pinned memory of the host, next to a copy of as many bytes.
#pragma once

namespace esker::bench {

/// Prints a line for each shape: GB/s, and the ratio to a copy to pinned memory in the same repetition.
/// `edge`: of an array of float64 with a layer of ghost cells, a multiple of 64. Whether all bytes were
/// right.
bool measure_gather(long edge, int repeat);

}  // namespace esker::bench
