! Parallel reading: sections with ghost cells, axes in another order, levels, all kinds, and errors of one rank.
module together_cases
  use, intrinsic :: iso_c_binding, only: c_loc
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32
  use world
  implicit none
  private
  public :: test_together, test_kinds_together

  integer, parameter :: ghost = 2

contains

  elemental real(real32) function value_of(x, y)
    integer, intent(in) :: x, y
    value_of = real(100 * y + x, real32)
  end function

  ! The columns that this rank reads: those of another rank.
  subroutine other_columns(first, num)
    integer, intent(out) :: first, num
    integer :: own
    own = rank
    rank = mod(rank + 1, num_ranks)
    call my_columns(first, num)
    rank = own
  end subroutine

  subroutine write_values(name)
    character(*), intent(in) :: name
    type(esker_dataset) :: ds
    real(real32), allocatable, target :: samples(:, :)
    integer :: field, first, num, x, y
    call create_map(ds, name, field)
    call my_columns(first, num)
    allocate(samples(num, map_ny))
    do y = 1, map_ny
      samples(:, y) = [(value_of(first + x - 1, y), x = 1, num)]
    end do
    call esker_begin_step(ds, 0d0)
    call esker_put(ds, field, [int(first, int64), 1_int64], samples)
    call esker_end_step(ds)
    call esker_close(ds)
    call esker_free(ds)
  end subroutine

  ! The inner part of an array with ghost cells; y first; a part by its address.
  subroutine read_sections(ds, field)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field
    real(real32), allocatable, target :: haloed(:, :), turned(:, :), whole(:, :)
    integer(int64) :: start(2)
    integer :: first, num, ierr, x, y
    call other_columns(first, num)
    start = [first, 1]
    allocate(haloed(1 - ghost:num + ghost, 1 - ghost:map_ny + ghost), turned(map_ny, num), whole(map_nx, map_ny))
    haloed = -1
    turned = -1
    whole = -1
    call esker_request(ds, field, -1, start, haloed(1:num, 1:map_ny), ierr=ierr)
    call check_ok(ds, ierr, "request")
    call esker_request(ds, field, 1, start, turned, order=[2, 1])
    call esker_request_strided(ds, field, esker_float32, 1, start, [int(num, int64), int(map_ny, int64)], &
      c_loc(whole(first, 1)), [4_int64, 4_int64 * map_nx], 0_int64, ierr)
    call check_ok(ds, ierr, "request_strided")
    call esker_read(ds, ierr)
    call check_ok(ds, ierr, "read")
    do y = 1, map_ny
      call check(all(haloed(1:num, y) == [(value_of(first + x - 1, y), x = 1, num)]), "haloed")
      call check(all(turned(y, :) == haloed(1:num, y)), "turned")
      call check(all(whole(first:first + num - 1, y) == haloed(1:num, y)), "by address")
    end do
    call check(count(haloed /= -1) == num * map_ny, "ghost cells stay")
    call check(count(whole /= -1) == num * map_ny, "elements without a request are unchanged")
  end subroutine

  subroutine read_level(ds, field)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field
    real(real32), allocatable, target :: coarse(:, :)
    integer(int64), allocatable :: samples(:), origin(:), stride(:)
    integer :: level, x, y
    call esker_inq_max_level(ds, field, level)
    call esker_inq_selection(ds, field, 1, level=level - 2, origin=origin, stride=stride, samples=samples)
    allocate(coarse(samples(1), samples(2)))
    call esker_request_level(ds, field, 1, coarse, level - 2)
    call esker_read(ds)
    do y = 1, int(samples(2))
      do x = 1, int(samples(1))
        call check(coarse(x, y) == value_of(int(origin(1) + (x - 1) * stride(1)), int(origin(2) + (y - 1) * stride(2))), &
          "level")
      end do
    end do
  end subroutine

  subroutine expect_errors(ds, field)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field
    real(real32), target :: samples(3, 3), deep(2, 2, 2)
    real(real64), target :: doubles(1, 1)
    logical :: is_last
    integer :: ierr
    is_last = rank == num_ranks - 1
    if (is_last) then
      call esker_request(ds, field, 1, [int(map_nx, int64), 1_int64], samples, ierr=ierr)
      call check_fails(ds, ierr, esker_out_of_range, "thk")
    end if
    call esker_read(ds, ierr)
    call check_fails(ds, ierr, esker_out_of_range, "exceeds the grid")
    if (is_last) then
      call esker_request(ds, field, 1, [1_int64, 1_int64], deep, ierr=ierr)
      call check_fails(ds, ierr, esker_invalid_argument, "2 components")
    end if
    call esker_read(ds, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "request 'thk'")
    if (is_last) then
      call esker_request(ds, field, 1, [1_int64, 1_int64], doubles, ierr=ierr)
      call check_fails(ds, ierr, esker_invalid_argument, "float64")
    end if
    call esker_read(ds, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "float32")
    if (is_last) call esker_request_level(ds, field, 1, samples(::2, :), 0, ierr=ierr)
    call esker_read(ds, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "not contiguous")
    if (is_last) then
      call esker_request_level(ds, field, 1, samples, 99, ierr=ierr)
      call check_fails(ds, ierr, esker_out_of_range, "99")
    end if
    call esker_read(ds, ierr)
    call check_fails(ds, ierr, esker_out_of_range, "99")
    if (is_last) then
      call esker_request_level(ds, field, 1, samples, 0, ierr=ierr)
      call check_fails(ds, ierr, esker_invalid_argument, "request 'thk': an array of 3 x 3")
    end if
    call esker_read(ds, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "request 'thk'")
    if (is_last) then  ! an error of this rank
      call esker_get(ds, field, 0, samples, ierr=ierr)
      call check_fails(ds, ierr, esker_out_of_range, "step 0")
      call esker_get(ds, field, 1, samples, ierr=ierr)
      call check_fails(ds, ierr, esker_invalid_argument, "get 'thk': an array of 3 x 3")
    end if
    call esker_read(ds, ierr)
    call check_ok(ds, ierr, "read nothing")
  end subroutine

  subroutine test_together()
    type(esker_dataset) :: ds
    type(esker_read_report) :: report
    character(:), allocatable :: text
    integer :: field, ierr
    call write_values("together.idx")
    call esker_open_parallel(ds, path_of("together.idx"), comm, flags=esker_open_verify, ierr=ierr)
    call check_ok(ds, ierr, "open_parallel")
    call esker_inq_field_id(ds, "thk", field)
    call read_sections(ds, field)
    call esker_inq_last_read(ds, report, ierr)
    call check_ok(ds, ierr, "inq_last_read")
    call check(report%data_bytes == 3 * 4 * map_nx * map_ny .and. report%readers >= 1, "report")
    call check(report%least_loaded_bytes > 0 .and. report%least_loaded_bytes <= report%most_loaded_bytes, "balance")
    call esker_report_json(ds, text, ierr)
    call check_ok(ds, ierr, "report_json")
    call check(text == "{}", "a report of reads that are not tuned")
    call read_level(ds, field)
    call expect_errors(ds, field)
    call esker_close(ds)
    call esker_free(ds)
    call esker_open_parallel(ds, path_of("nothing.idx"), comm, ierr=ierr)
    call check_fails(ds, ierr, esker_not_found, "nothing.idx")
    call esker_free(ds)
  end subroutine

  ! A field of each kind, all on every rank.
  subroutine test_kinds_together()
    type(esker_dataset) :: ds
    integer(int8), target :: i8(3), o8(3)
    integer(int16), target :: i16(3), o16(3)
    integer(int32), target :: i32(3), o32(3)
    integer(int64), target :: i64(3), o64(3)
    real(real32), target :: r32(3), p32(3)
    real(real64), target :: r64(3), p64(3)
    integer(int64), parameter :: start(1) = 1
    integer :: dim, grid, fields(6), f, level
    integer, parameter :: types(6) = &
      [esker_int8, esker_int16, esker_int32, esker_int64, esker_float32, esker_float64]
    i8 = [1_int8, -2_int8, 3_int8]
    i16 = i8
    i32 = i8
    i64 = i8
    r32 = i8
    r64 = i8
    call create(ds, "kinds_together.idx")
    call esker_def_dim(ds, "x", 3_int64, dim)
    call esker_def_grid(ds, "line", [dim], grid)
    do f = 1, 6
      call esker_def_field(ds, grid, esker_type_name(types(f)), types(f), 1, esker_every_step, fields(f))
    end do
    call esker_begin_step(ds, 0d0)
    if (rank == 0) then
      call esker_put(ds, fields(1), start, i8)
      call esker_put(ds, fields(2), start, i16)
      call esker_put(ds, fields(3), start, i32)
      call esker_put(ds, fields(4), start, i64)
      call esker_put(ds, fields(5), start, r32)
      call esker_put(ds, fields(6), start, r64)
    end if
    call esker_end_step(ds)
    call esker_close(ds)
    call esker_free(ds)

    call esker_open_parallel(ds, path_of("kinds_together.idx"), comm)
    call esker_inq_max_level(ds, fields(1), level)
    do f = 1, 2
      o8 = 0
      o16 = 0
      o32 = 0
      o64 = 0
      p32 = 0
      p64 = 0
      if (f == 1) then
        call esker_request(ds, fields(1), 1, start, o8)
        call esker_request(ds, fields(2), 1, start, o16)
        call esker_request(ds, fields(3), 1, start, o32)
        call esker_request(ds, fields(4), 1, start, o64)
        call esker_request(ds, fields(5), 1, start, p32)
        call esker_request(ds, fields(6), 1, start, p64)
      else
        call esker_request_level(ds, fields(1), 1, o8, level)
        call esker_request_level(ds, fields(2), 1, o16, level)
        call esker_request_level(ds, fields(3), 1, o32, level)
        call esker_request_level(ds, fields(4), 1, o64, level)
        call esker_request_level(ds, fields(5), 1, p32, level)
        call esker_request_level(ds, fields(6), 1, p64, level)
      end if
      call esker_read(ds)
      call check(all(o8 == i8) .and. all(o16 == i16) .and. all(o32 == i32) .and. all(o64 == i64), "integers")
      call check(all(p32 == r32) .and. all(p64 == r64), "reals")
    end do
    call esker_free(ds)
  end subroutine
end module
