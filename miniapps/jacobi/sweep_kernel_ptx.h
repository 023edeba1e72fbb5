// The kernel as PTX text.
#pragma once

namespace jacobi {

/// Has one kernel, sweep(Slab, const double* from, double* to), which computes all planes but those of
/// neighbours.
extern const char* const kSweepKernelPtx;

}  // namespace jacobi
