// One sweep of a slab. sweep_kernel_ptx.inc has what a compiler made of it (scripts/device_kernel.sh).
#include "jacobi/sweep_cell.h"

extern "C" __attribute__((global)) void sweep(const jacobi::Slab slab, const double* from, double* to) {
  const long long threads =
      static_cast<long long>(__nvvm_read_ptx_sreg_ntid_x()) * __nvvm_read_ptx_sreg_nctaid_x();
  const long long plane = slab.nx * slab.ny, end = plane * (slab.planes - 1);
  long long cell = plane +
                   static_cast<long long>(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() +
                   __nvvm_read_ptx_sreg_tid_x();
  for (; cell < end; cell += threads) to[cell] = jacobi::sweep_cell(slab, from, cell);
}
