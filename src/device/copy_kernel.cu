// The copy kernel. copy_kernel_ptx.inc has what a compiler made of it for NVIDIA (scripts/device_kernel.sh).
#include "device/copy_units.h"

#ifdef __HIP__
#define ESKER_FIRST_UNIT \
  (__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x())
#define ESKER_NUM_THREADS __builtin_amdgcn_grid_size_x()
#else
#define ESKER_FIRST_UNIT \
  (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x())
#define ESKER_NUM_THREADS (__nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_nctaid_x())
#endif

extern "C" __attribute__((global)) void esker_copy(const esker::device::CopyTask task) {
  const unsigned threads = ESKER_NUM_THREADS, first = ESKER_FIRST_UNIT;
  for (unsigned unit = first; unit < task.num_units; unit += threads) {
    esker::device::copy_unit(task, unit);
  }
}
