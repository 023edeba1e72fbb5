// The copy kernel as PTX text, for all NVIDIA devices since compute capability 5.0.
#pragma once

namespace esker::device {

/// Has one kernel, esker_copy, whose parameter is a CopyTask by value. Any number of threads and blocks, in
/// one dimension.
extern const char* const kCopyKernelPtx;

}  // namespace esker::device
