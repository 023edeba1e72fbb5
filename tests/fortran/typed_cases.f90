! Attributes, coordinates, times and scalars keep type and name; time series.
module typed_cases
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int32
  use world
  implicit none
  private
  public :: test_typed

contains

  subroutine define(ds, field)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(out) :: field
    integer(int32), target :: zero
    character(kind=c_char), target :: site(5)
    integer :: dim, grid, series, scalar, ierr
    zero = 0
    site = ["c", "a", "m", "p", c_null_char]
    call esker_def_time(ds, "t", esker_int32, ierr)
    call check_ok(ds, ierr, "def_time")
    call esker_def_dim(ds, "x", 3_int64, dim)
    call esker_def_grid(ds, "line", [dim], grid)
    call esker_def_coords_values(ds, grid, dim, esker_int64, [1_int64, 2_int64, 2_int64**53 + 1], ierr)
    call check_ok(ds, ierr, "def_coords_values")
    call esker_def_grid(ds, "series", [integer ::], series, ierr)
    call check_ok(ds, ierr, "def_grid")
    call esker_def_field(ds, series, "dt", esker_float64, 1, esker_every_step, field)
    call esker_put_att_values(ds, esker_of_field, field, "flag_values", esker_int8, [0_int8, 1_int8, 2_int8], ierr)
    call check_ok(ds, ierr, "put_att_values")
    call esker_put_att_texts(ds, esker_of_field, field, "flag_names", ["land        ", "            ", "floating ice"], &
      ierr)
    call check_ok(ds, ierr, "put_att_texts")
    call esker_def_scalar(ds, "crs", esker_int32, c_loc(zero), scalar, ierr)
    call check_ok(ds, ierr, "def_scalar")
    call check(scalar == 1, "number of the first scalar")
    call esker_put_att_text(ds, esker_of_scalar, scalar, "grid_mapping_name", "polar_stereographic")
    call esker_def_scalar(ds, "site", esker_text, c_loc(site), scalar)
  end subroutine

  subroutine expect(ds)
    type(esker_dataset), intent(inout) :: ds
    character(:), allocatable :: name
    integer :: type, num, ierr
    integer(int64) :: count
    type(c_ptr) :: values
    integer(int8), pointer :: flags(:)
    integer(int32), pointer :: value
    integer(int64), pointer :: ids(:)
    call esker_inq_time(ds, name, type, ierr)
    call check_ok(ds, ierr, "inq_time")
    call check(name == "t" .and. type == esker_int32, "time")
    call esker_get_att_values(ds, esker_of_field, 1, "flag_values", type, values, count, ierr)
    call check_ok(ds, ierr, "get_att_values")
    call c_f_pointer(values, flags, [count])
    call check(type == esker_int8 .and. all(flags == [0_int8, 1_int8, 2_int8]), "flag_values")
    call esker_inq_coords_values(ds, 1, 1, type, values, count, ierr)
    call check_ok(ds, ierr, "inq_coords_values")
    call c_f_pointer(values, ids, [count])
    call check(type == esker_int64 .and. ids(3) == 2_int64**53 + 1, "coordinates")
    call esker_get_att_text(ds, esker_of_field, 1, "flag_names", name, ierr)
    call check_ok(ds, ierr, "get_att_text")
    call check(name == "land" // new_line("a") // new_line("a") // "floating ice", "list of texts")
    call esker_inq_num_scalars(ds, num)
    call check(num == 2, "number of scalars")
    call esker_inq_scalar(ds, 1, name, type, values, ierr)
    call check_ok(ds, ierr, "inq_scalar")
    call c_f_pointer(values, value)
    call check(name == "crs" .and. type == esker_int32 .and. value == 0, "scalar")
    call esker_get_att_text(ds, esker_of_scalar, 1, "grid_mapping_name", name)
    call check(name == "polar_stereographic", "attribute of a scalar")
  end subroutine

  subroutine test_typed()
    type(esker_dataset) :: ds
    real(real64), target :: dt(1)
    integer :: field
    call create(ds, "typed.idx")
    call define(ds, field)
    dt = 0.5d0
    call esker_begin_step(ds, 10d0)
    if (rank == 0) call esker_put(ds, field, [1_int64], dt)
    call esker_end_step(ds)
    call esker_close(ds)
    call esker_free(ds)
    call esker_open(ds, directory // "/typed.idx", 0)
    call expect(ds)
    call esker_close(ds)
    call esker_free(ds)
  end subroutine
end module
