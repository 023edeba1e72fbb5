#include "sweep_kernel_ptx.h"

namespace jacobi {

const char* const kSweepKernelPtx =
#include "sweep_kernel_ptx.inc"
    ;

}  // namespace jacobi
