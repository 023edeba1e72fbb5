// Made from copy_kernel.cu by scripts/device_kernel.sh.
#include "device/copy_kernel_ptx.h"

namespace esker::device {

const char* const kCopyKernelPtx = R"ptx(
.version 6.0
.target sm_50
.address_size 64
.visible .entry esker_copy(
	.param .align 8 .b8 esker_copy_param_0[3456]
)
{
	.reg .pred 	%p<10>;
	.reg .b16 	%rs<3>;
	.reg .b32 	%r<27>;
	.reg .b64 	%rd<40>;
	mov.u32 	%r13, %ntid.x;
	mov.u32 	%r15, %ctaid.x;
	mov.u32 	%r16, %tid.x;
	mad.lo.s32 	%r24, %r15, %r13, %r16;
	ld.param.u32 	%r3, [esker_copy_param_0+16];
	setp.ge.u32 	%p1, %r24, %r3;
	@%p1 bra 	LBB0_19;
	mov.b64 	%rd22, esker_copy_param_0;
	mov.u64 	%rd1, %rd22;
	mov.u32 	%r14, %nctaid.x;
	mul.lo.s32 	%r1, %r13, %r14;
	ld.param.u64 	%rd2, [%rd1];
	ld.param.u64 	%rd3, [%rd1+8];
	ld.param.u32 	%r4, [%rd1+24];
	ld.param.u32 	%r5, [%rd1+20];
	add.s64 	%rd4, %rd1, 32;
	setp.eq.s32 	%p2, %r4, 0;
	setp.eq.s32 	%p6, %r5, 4;
	setp.eq.s32 	%p7, %r5, 2;
	setp.ne.s32 	%p8, %r5, 1;
	bra.uni 	LBB0_2;
LBB0_15:
	ld.u16 	%rs1, [%rd38];
	st.u16 	[%rd39], %rs1;
LBB0_18:
	add.s32 	%r24, %r24, %r1;
	setp.lt.u32 	%p9, %r24, %r3;
	@%p9 bra 	LBB0_2;
	bra.uni 	LBB0_19;
LBB0_2:
	mov.u64 	%rd38, %rd2;
	mov.u64 	%rd39, %rd3;
	@%p2 bra 	LBB0_11;
	mov.u64 	%rd33, %rd4;
	mov.u32 	%r25, %r4;
	mov.u64 	%rd39, %rd3;
	mov.u64 	%rd38, %rd2;
	mov.u32 	%r26, %r24;
	bra.uni 	LBB0_4;
LBB0_9:
	cvt.u64.u32 	%rd14, %r22;
	add.s64 	%rd28, %rd14, %rd9;
	shl.b64 	%rd29, %rd28, 3;
	add.s64 	%rd30, %rd1, %rd29;
	ld.param.u64 	%rd37, [%rd30+256];
LBB0_10:
	add.s64 	%rd38, %rd36, %rd38;
	add.s64 	%rd39, %rd37, %rd39;
	add.s32 	%r25, %r25, -1;
	add.s64 	%rd33, %rd33, 32;
	setp.ne.s32 	%p5, %r25, 0;
	mov.u32 	%r26, %r10;
	@%p5 bra 	LBB0_4;
	bra.uni 	LBB0_11;
LBB0_4:
	ld.param.v2.u32 	{%r17, %r9}, [%rd33];
	div.u32 	%r10, %r26, %r17;
	mul.lo.s32 	%r20, %r10, %r17;
	sub.s32 	%r21, %r26, %r20;
	cvt.u64.u32 	%rd9, %r21;
	setp.gt.s32 	%p3, %r9, -1;
	@%p3 bra 	LBB0_6;
	bra.uni 	LBB0_5;
LBB0_6:
	cvt.u64.u32 	%rd23, %r9;
	add.s64 	%rd24, %rd23, %rd9;
	shl.b64 	%rd25, %rd24, 3;
	add.s64 	%rd26, %rd1, %rd25;
	ld.param.u64 	%rd36, [%rd26+256];
	bra.uni 	LBB0_7;
LBB0_5:
	ld.param.u64 	%rd27, [%rd33+16];
	mul.lo.s64 	%rd36, %rd27, %rd9;
LBB0_7:
	ld.param.u32 	%r22, [%rd33+8];
	setp.gt.s32 	%p4, %r22, -1;
	@%p4 bra 	LBB0_9;
	ld.param.u64 	%rd31, [%rd33+24];
	mul.lo.s64 	%rd37, %rd31, %rd9;
	bra.uni 	LBB0_10;
LBB0_11:
	@%p6 bra 	LBB0_16;
	@%p7 bra 	LBB0_15;
	@%p8 bra 	LBB0_17;
	ld.u8 	%rs2, [%rd38];
	st.u8 	[%rd39], %rs2;
	bra.uni 	LBB0_18;
LBB0_16:
	ld.u32 	%r23, [%rd38];
	st.u32 	[%rd39], %r23;
	bra.uni 	LBB0_18;
LBB0_17:
	ld.u64 	%rd32, [%rd38];
	st.u64 	[%rd39], %rd32;
	bra.uni 	LBB0_18;
LBB0_19:
	ret;
}
)ptx";

}  // namespace esker::device
