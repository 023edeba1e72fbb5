// The copy kernel as text. It has one function, esker_copy, whose parameter is a CopyTask by value. Any
// number of threads and blocks, in one dimension.
#pragma once

namespace esker::device {

/// PTX, for all NVIDIA devices since compute capability 5.0.
extern const char* const kCopyKernelPtx;

/// The source, and the headers that it includes, to be compiled for AMD devices.
extern const char *const kCopyKernelSource, *const kCopyUnitsSource, *const kCopyTaskSource;

}  // namespace esker::device
