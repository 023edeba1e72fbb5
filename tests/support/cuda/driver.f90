! Those functions of the CUDA driver that a program calls, and of the tests' double of it.
module driver
  use, intrinsic :: iso_c_binding
  implicit none

  interface
    integer(c_int) function retain_context(context, device) bind(C, name="cuDevicePrimaryCtxRetain")
      import
      type(c_ptr), intent(out) :: context
      integer(c_int), value :: device
    end function
    integer(c_int) function push_context(context) bind(C, name="cuCtxPushCurrent_v2")
      import
      type(c_ptr), value :: context
    end function
    integer(c_int) function create_stream(stream, flags) bind(C, name="cuStreamCreate")
      import
      type(c_ptr), intent(out) :: stream
      integer(c_int), value :: flags
    end function
    integer(c_int) function allocate_bytes(address, bytes) bind(C, name="cuMemAlloc_v2")
      import
      type(c_ptr), intent(out) :: address
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function copy_to_device(to, from, bytes) bind(C, name="cuMemcpyHtoD_v2")
      import
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function copy_to_host(to, from, bytes) bind(C, name="cuMemcpyDtoH_v2")
      import
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
    end function
    subroutine fill_later(stream, address, bytes, byte) bind(C, name="esker_double_fill_later")
      import
      type(c_ptr), value :: stream, address
      integer(c_size_t), value :: bytes
      integer(c_int), value :: byte
    end subroutine
  end interface
end module
