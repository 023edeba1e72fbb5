! Puts memory of a GPU, which the tests' double of the CUDA driver has: fortran_device FILE
!
! That memory cannot be accessed at its addresses, so a copy that the module or the compiler makes ends the program.
program device_main
  use, intrinsic :: iso_fortran_env, only: int16, int64
  use esker
  use driver
  implicit none
  integer, parameter :: nx = 13, ny = 7, ghosts = 2
  integer(int64), parameter :: corner(2) = 1
  integer(int16), target :: samples(nx + ghosts, ny)
  integer(int16), pointer :: on_device(:, :)
  integer(c_size_t), parameter :: bytes = size(samples) * 2
  integer :: i
  type(c_ptr) :: context, stream, address
  type(esker_dataset) :: ds
  character(1024) :: path

  call get_command_argument(1, path)
  samples = reshape([(int(i * 7, int16), i = 1, size(samples))], shape(samples))
  if (retain_context(context, 0) /= 0 .or. push_context(context) /= 0) error stop "context"
  if (create_stream(stream, 0) /= 0 .or. allocate_bytes(address, bytes) /= 0) error stop "memory"
  if (copy_to_device(address, c_loc(samples), bytes) /= 0) error stop "copy"
  call c_f_pointer(address, on_device, shape(samples))
  call create(ds)
  call put_step(0, on_device)
  call fill_later(stream, address, bytes, 3)
  call esker_set_stream(ds, stream)
  call put_step(1, on_device)
  call fill_later(stream, address, bytes, 5)
  call esker_set_stream(ds, transfer(stream, 0_c_intptr_t))
  call put_step(2, on_device)
  call esker_close(ds)
  call esker_free(ds)

  call esker_open(ds, path)
  call expect(1, samples(:nx, :))
  samples = int(z"0303", int16)
  call expect(2, samples(:nx, :))
  samples = int(z"0505", int16)
  call expect(3, samples(:nx, :))
  call esker_set_stream(ds, stream)
  call esker_close(ds)
  call esker_set_stream(ds, c_null_ptr, i)
  if (i /= esker_wrong_order) error stop "a stream for a dataset that is closed"
  call esker_free(ds)

contains

  subroutine create(ds)
    type(esker_dataset), intent(out) :: ds
    type(esker_options) :: options
    integer :: dims(2), grid, field
    call esker_options_new(options)
    call esker_options_set(options, "overwrite", "true")
    call esker_options_set(options, "report", "none")
    call esker_create(ds, path, options=options)
    call esker_options_free(options)
    call esker_def_dim(ds, "x", int(nx, int64), dims(1))
    call esker_def_dim(ds, "y", int(ny, int64), dims(2))
    call esker_def_grid(ds, "map", dims, grid)
    call esker_def_field(ds, grid, "n", esker_int16, 1, esker_every_step, field)
  end subroutine

  ! The array without its ghost cells, in two patches; the second as the compiler passes on a pointer.
  subroutine put_step(time, array)
    integer, intent(in) :: time
    integer(int16), intent(inout), target :: array(:, :)
    integer(int16), pointer :: rest(:, :)
    call esker_begin_step(ds, real(time, c_double))
    call esker_put(ds, 1, corner, array(:nx, :2))
    rest => array(:nx, 3:)
    call esker_put(ds, 1, [1_int64, 3_int64], rest)
    call esker_end_step(ds)
  end subroutine

  subroutine expect(step, samples)
    integer, intent(in) :: step
    integer(int16), intent(in) :: samples(:, :)
    integer(int16) :: found(nx, ny)
    call esker_get(ds, 1, step, found)
    if (any(found /= samples)) error stop "other samples"
  end subroutine
end program
