#include "device/copy_kernel.h"

namespace esker::device {

const char* const kCopyKernelPtx =
#include "device/copy_kernel_ptx.inc"
    ;
const char* const kCopyKernelSource =
#include "device_sources/copy_kernel.cu.inc"
    ;
const char* const kCopyUnitsSource =
#include "device_sources/copy_units.h.inc"
    ;
const char* const kCopyTaskSource =
#include "device_sources/copy_task.h.inc"
    ;

}  // namespace esker::device
