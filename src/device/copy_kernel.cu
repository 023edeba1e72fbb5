// The copy kernel. copy_kernel_ptx.cc has what a compiler made of it (scripts/device_kernel.sh).
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#include "device/copy_units.h"

extern "C" __global__ void esker_copy(const esker::device::CopyTask task) {
  const unsigned threads = __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_nctaid_x();
  const unsigned first =
      __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  for (unsigned unit = first; unit < task.num_units; unit += threads) {
    esker::device::copy_unit(task, unit);
  }
}
