// PTX that clang 14 made of two kernels, as scripts/device_kernel.sh makes that of the copy kernel.
//
// clang-format off
//   extern "C" __global__ void saxpy(int n, double a, const double* x, double* y) {
//     if (i < n) y[i] = a * x[i] + y[i];
//   }
//   extern "C" __global__ void stencil(const double* __restrict__ from, double* __restrict__ to, int nx, int ny, double dt) {
//     if (x >= nx || y >= ny) return;
//     const long long at = x + (long long)nx * y;
//     if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1) { to[at] = from[at]; return; }
//     to[at] = from[at] + dt * (from[at - 1] + from[at + 1] + from[at - nx] + from[at + nx] - 4 * from[at]);
//   }
// clang-format on
#pragma once

namespace esker::cuda_double {

inline constexpr const char* kExampleKernels = R"ptx(
.version 6.0
.target sm_50
.address_size 64
.visible .entry saxpy(
	.param .u32 saxpy_param_0,
	.param .f64 saxpy_param_1,
	.param .u64 saxpy_param_2,
	.param .u64 saxpy_param_3
)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<8>;
	.reg .f64 	%fd<5>;
	ld.param.u32 	%r2, [saxpy_param_0];
	mov.u32 	%r3, %ctaid.x;
	mov.u32 	%r4, %ntid.x;
	mov.u32 	%r5, %tid.x;
	mad.lo.s32 	%r1, %r3, %r4, %r5;
	setp.ge.s32 	%p1, %r1, %r2;
	@%p1 bra 	LBB0_2;
	ld.param.f64 	%fd1, [saxpy_param_1];
	ld.param.u64 	%rd3, [saxpy_param_3];
	cvta.to.global.u64 	%rd1, %rd3;
	ld.param.u64 	%rd4, [saxpy_param_2];
	cvta.to.global.u64 	%rd2, %rd4;
	mul.wide.s32 	%rd5, %r1, 8;
	add.s64 	%rd6, %rd2, %rd5;
	ld.global.f64 	%fd2, [%rd6];
	add.s64 	%rd7, %rd1, %rd5;
	ld.global.f64 	%fd3, [%rd7];
	fma.rn.f64 	%fd4, %fd2, %fd1, %fd3;
	st.global.f64 	[%rd7], %fd4;
LBB0_2:
	ret;
}
.visible .entry stencil(
	.param .u64 stencil_param_0,
	.param .u64 stencil_param_1,
	.param .u32 stencil_param_2,
	.param .u32 stencil_param_3,
	.param .f64 stencil_param_4
)
{
	.reg .pred 	%p<11>;
	.reg .b32 	%r<13>;
	.reg .b64 	%rd<18>;
	.reg .f64 	%fd<14>;
	ld.param.u32 	%r4, [stencil_param_3];
	ld.param.u32 	%r3, [stencil_param_2];
	mov.u32 	%r5, %ctaid.x;
	mov.u32 	%r6, %ntid.x;
	mov.u32 	%r7, %tid.x;
	mad.lo.s32 	%r1, %r5, %r6, %r7;
	mov.u32 	%r8, %ctaid.y;
	mov.u32 	%r9, %ntid.y;
	mov.u32 	%r10, %tid.y;
	mad.lo.s32 	%r2, %r8, %r9, %r10;
	setp.lt.s32 	%p1, %r1, %r3;
	setp.lt.s32 	%p2, %r2, %r4;
	and.pred  	%p3, %p1, %p2;
	@!%p3 bra 	LBB1_4;
	bra.uni 	LBB1_1;
LBB1_1:
	ld.param.u64 	%rd6, [stencil_param_0];
	ld.param.u64 	%rd7, [stencil_param_1];
	cvta.to.global.u64 	%rd1, %rd7;
	cvta.to.global.u64 	%rd2, %rd6;
	cvt.s64.s32 	%rd8, %r1;
	mul.wide.s32 	%rd9, %r3, %r2;
	add.s64 	%rd4, %rd9, %rd8;
	setp.eq.s32 	%p4, %r1, 0;
	setp.eq.s32 	%p5, %r2, 0;
	or.pred  	%p6, %p4, %p5;
	add.s32 	%r11, %r3, -1;
	setp.eq.s32 	%p7, %r1, %r11;
	or.pred  	%p8, %p6, %p7;
	add.s32 	%r12, %r4, -1;
	setp.eq.s32 	%p9, %r2, %r12;
	or.pred  	%p10, %p8, %p9;
	shl.b64 	%rd10, %rd4, 3;
	add.s64 	%rd5, %rd2, %rd10;
	ld.global.nc.f64 	%fd13, [%rd5];
	@%p10 bra 	LBB1_3;
	ld.param.f64 	%fd4, [stencil_param_4];
	cvt.s64.s32 	%rd3, %r3;
	ld.global.nc.f64 	%fd5, [%rd5+-8];
	ld.global.nc.f64 	%fd6, [%rd5+8];
	add.f64 	%fd7, %fd5, %fd6;
	sub.s64 	%rd11, %rd4, %rd3;
	shl.b64 	%rd12, %rd11, 3;
	add.s64 	%rd13, %rd2, %rd12;
	ld.global.nc.f64 	%fd8, [%rd13];
	add.f64 	%fd9, %fd7, %fd8;
	shl.b64 	%rd14, %rd3, 3;
	add.s64 	%rd15, %rd5, %rd14;
	ld.global.nc.f64 	%fd10, [%rd15];
	add.f64 	%fd11, %fd9, %fd10;
	fma.rn.f64 	%fd12, %fd13, 0dC010000000000000, %fd11;
	fma.rn.f64 	%fd13, %fd12, %fd4, %fd13;
LBB1_3:
	add.s64 	%rd17, %rd1, %rd10;
	st.global.f64 	[%rd17], %fd13;
LBB1_4:
	ret;
}
)ptx";

}  // namespace esker::cuda_double
