! Write, then read: all kinds of fields, attributes, coordinates, memory layouts and types.
module round_trip_cases
  use, intrinsic :: iso_c_binding, only: c_loc
  use, intrinsic :: iso_fortran_env, only: int8, int16
  use world
  implicit none
  private
  public :: test_round_trip

  integer, parameter :: nx = map_nx, ny = map_ny, nz = 5, num_steps = 3, ghost = 2

  type :: model
    integer :: dims(3), volume, plane, temp, vel, wind, mask, topg
  end type

contains

  elemental integer function sample_value(step, x, y, z, c)
    integer, intent(in) :: step, x, y, z, c
    sample_value = mod(x + 17 * y + 31 * z + 7 * step + 3 * c, 101) + 1
  end function

  subroutine define(ds, m)
    type(esker_dataset), intent(inout) :: ds
    type(model), intent(out) :: m
    integer :: ierr, i
    call esker_def_dim(ds, "x", int(nx, int64), m%dims(1))
    call esker_def_dim(ds, "y", int(ny, int64), m%dims(2), ierr)
    call check_ok(ds, ierr, "def_dim")
    call esker_def_dim(ds, "z", int(nz, int64), m%dims(3))
    call esker_def_grid(ds, "volume", m%dims, m%volume)
    call esker_def_grid(ds, "plane", m%dims(:2), m%plane, ierr)
    call check_ok(ds, ierr, "def_grid")
    call esker_def_coords(ds, m%plane, m%dims(1), [(0.5d0 * i, i = 1, nx)], ierr)
    call check_ok(ds, ierr, "def_coords")
    call esker_def_field(ds, m%volume, "temp", esker_float64, 1, esker_every_step, m%temp)
    call esker_def_field(ds, m%volume, "vel", esker_float32, 3, esker_every_step, m%vel)
    call esker_def_field(ds, m%volume, "wind", esker_float32, 3, esker_every_step, m%wind)
    call esker_def_field(ds, m%plane, "mask", esker_uint8, 1, 2, m%mask)
    call esker_def_field(ds, m%plane, "topg", esker_int16, 1, esker_fixed, m%topg, ierr)
    call check_ok(ds, ierr, "def_field")
    call esker_put_att_text(ds, esker_of_dataset, 0, "title", "Inland ice ")
    call esker_put_att_text(ds, esker_of_time, 0, "units", "days since 1990-1-1")
    call esker_put_att_text(ds, esker_of_dim, 1, "axis", "X")
    call esker_put_att_int64(ds, esker_of_grid, m%plane, "history", [2_int64**40, -7_int64])
    call esker_put_att_double(ds, esker_of_field, m%temp, "range", [0.5d0, -1d300, 3d0])
    call esker_put_att_text(ds, esker_of_field, m%temp, "units", "degC")
    call esker_put_att_text(ds, esker_of_field, m%temp, "units", "K")  ! replaced
  end subroutine

  ! Every layout of memory: an array of the box's shape; the inner part of one with ghost cells, its x backwards;
  ! axes in another order, components first and last; memory whose shape is not that of the grid, by its address.
  subroutine write_step(ds, m, step)
    type(esker_dataset), intent(inout) :: ds
    type(model), intent(in) :: m
    integer, intent(in) :: step
    real(real64), allocatable, target :: temp(:, :, :)
    real(real32), allocatable, target :: vel(:, :, :, :), wind(:, :, :, :)
    integer(int8), allocatable, target :: mask(:, :)
    integer(int16), allocatable, target :: topg(:)
    integer :: first, num, i, j, k, c, ierr
    integer(int64) :: start(3)
    call my_columns(first, num)
    start = [first, 1, 1]
    allocate(temp(1 - ghost:num + ghost, 0:ny + 1, nz), source=-1d0)
    allocate(vel(3, num, ny, nz), wind(nz, num, ny, 3), mask(num, ny), topg(num * ny))
    do c = 1, 3
      do k = 1, nz
        do j = 1, ny
          do i = 1, num
            temp(num + 1 - i, j, k) = sample_value(step, first - 1 + i, j, k, 0)
            vel(c, i, j, k) = real(sample_value(step, first - 1 + i, j, k, c), real32)
            wind(k, i, j, c) = -vel(c, i, j, k)
            mask(i, j) = int(sample_value(step, first - 1 + i, j, 0, 1), int8)
            topg(i + num * (j - 1)) = int(-sample_value(0, first - 1 + i, j, 0, 2), int16)
          end do
        end do
      end do
    end do
    call esker_begin_step(ds, 0.5d0 * step, ierr)
    call check_ok(ds, ierr, "begin_step")
    call esker_put(ds, m%temp, start, temp(num:1:-1, 1:ny, :), ierr=ierr)
    call check_ok(ds, ierr, "put temp")
    call esker_put(ds, m%vel, start, vel(:, :, :, :2))  ! two patches, of lower and upper z
    call esker_put(ds, m%vel, start + [0, 0, 2], vel(:, :, :, 3:), ierr=ierr)
    call check_ok(ds, ierr, "put vel")
    call esker_put(ds, m%wind, start, wind, order=[3, 1, 2, 0], ierr=ierr)
    call check_ok(ds, ierr, "put wind")
    if (mod(step, 2) == 1) call esker_put(ds, m%mask, start(:2), mask)
    if (step == 1 .and. num > 0) call esker_put_strided(ds, m%topg, esker_int16, start(:2), &
      [int(num, int64), int(ny, int64)], c_loc(topg), [2_int64, 2_int64 * num], 0_int64, ierr)
    call check_ok(ds, ierr, "put topg")
    call esker_end_step(ds, ierr)
    call check_ok(ds, ierr, "end_step")
  end subroutine

  subroutine expect_schema(ds, m)
    type(esker_dataset), intent(inout) :: ds
    type(model), intent(in) :: m
    character(:), allocatable :: name
    integer, allocatable :: dims(:)
    real(real64), allocatable :: xs(:)
    integer(int64) :: length
    integer :: num, grid, type, components, every, ierr
    call esker_inq_num_dims(ds, num)
    call check(num == 3, "number of dimensions")
    call esker_inq_dim(ds, m%dims(2), name, length)
    call check(name == "y" .and. length == ny, "dimension y")
    call esker_inq_dim_id(ds, "z", num)
    call check(num == m%dims(3), "number of dimension z")
    call esker_inq_num_grids(ds, num)
    call check(num == 2, "number of grids")
    call esker_inq_grid(ds, m%volume, name, dims)
    call check(name == "volume" .and. size(dims) == 3, "grid volume")
    if (size(dims) == 3) call check(all(dims == m%dims), "dimensions of the grid")
    call esker_inq_grid_id(ds, "plane", grid)
    call check(grid == m%plane, "number of grid plane")
    call esker_inq_coords(ds, m%plane, m%dims(1), xs)
    call check(size(xs) == nx, "coordinates")
    if (size(xs) == nx) call check(xs(4) == 2d0, "coordinate 4")
    call esker_inq_coords(ds, m%volume, m%dims(1), xs, ierr)
    call check_fails(ds, ierr, esker_not_found, "'volume'")
    call esker_inq_num_fields(ds, num)
    call check(num == 5, "number of fields")
    call esker_inq_field(ds, m%vel, name, grid, type, components, every)
    call check(name == "vel" .and. grid == m%volume .and. type == esker_float32, "field vel")
    call check(components == 3 .and. every == esker_every_step, "components of vel")
    call esker_inq_field(ds, m%topg, type=type, every=every)
    call check(type == esker_int16 .and. every == esker_fixed, "field topg")
    call esker_inq_field_id(ds, "topg", num)
    call check(num == m%topg, "number of field topg")
    call esker_inq_field_id(ds, "none", num, ierr)
    call check_fails(ds, ierr, esker_not_found, "available: ")
    call check(num == 0, "0 for no field")
  end subroutine

  subroutine expect_attributes(ds, m)
    type(esker_dataset), intent(inout) :: ds
    type(model), intent(in) :: m
    character(:), allocatable :: text
    integer(int64), allocatable :: integers(:)
    real(real64), allocatable :: reals(:)
    integer(int64) :: length
    integer :: num, type, ierr
    call esker_get_att_text(ds, esker_of_time, 0, "units", text)
    call check(text == "days since 1990-1-1", "an attribute of time")
    call esker_get_att_text(ds, esker_of_dim, 1, "axis", text)
    call check(text == "X", "an attribute of the first dimension")
    call esker_get_att_text(ds, esker_of_dataset, 0, "title", text)
    call check(text == "Inland ice" .and. len(text) == 11, "title")
    call esker_inq_att(ds, esker_of_dataset, 0, "title", type, length)
    call check(type == esker_att_text .and. length == 11, "type and length of the title")
    call esker_get_att_int64(ds, esker_of_grid, m%plane, "history", integers)
    call check(size(integers) == 2, "history")
    if (size(integers) == 2) call check(all(integers == [2_int64**40, -7_int64]), "values of history")
    call esker_get_att_double(ds, esker_of_field, m%temp, "range", reals)
    call check(size(reals) == 3, "range")
    if (size(reals) == 3) call check(all(reals == [0.5d0, -1d300, 3d0]), "values of range")
    call esker_inq_num_atts(ds, esker_of_field, m%temp, num)
    call check(num == 2, "number of attributes")
    call esker_inq_att_name(ds, esker_of_field, m%temp, 2, text)
    call check(text == "units", "name of attribute 2")
    call esker_get_att_text(ds, esker_of_field, m%temp, "units", text)
    call check(text == "K", "units")
    call esker_get_att_int64(ds, esker_of_field, m%temp, "units", integers, ierr)
    call check(ierr == esker_invalid_argument .and. size(integers) == 0, "a text is no integer")
    call esker_get_att_text(ds, esker_of_field, m%vel, "units", text, ierr)
    call check_fails(ds, ierr, esker_not_found, "'units'")
    call esker_inq_att_name(ds, esker_of_field, m%temp, 3, text, ierr)
    call check_fails(ds, ierr, esker_out_of_range, "there are 2")
  end subroutine

  ! All samples of a query of "vel" and "wind", compared with the values that were put.
  subroutine expect_vel(ds, m, step, start, count, level)
    type(esker_dataset), intent(inout) :: ds
    type(model), intent(in) :: m
    integer, intent(in) :: step
    integer(int64), intent(in), optional :: start(:), count(:)
    integer, intent(in), optional :: level
    integer(int64), allocatable :: origin(:), stride(:), samples(:)
    real(real32), allocatable :: vel(:, :, :, :), wind(:, :, :, :)
    integer :: i, j, k, c, p(3), ierr
    call esker_inq_selection(ds, m%vel, step, start, count, level, origin, stride, samples, ierr)
    call check_ok(ds, ierr, "inq_selection")
    allocate(vel(3, samples(1), samples(2), samples(3)), wind(3, samples(1), 0:2 * samples(2), samples(3)))
    wind = 0
    call esker_get(ds, m%vel, step, vel, start, count, level, ierr)
    call check_ok(ds, ierr, "get vel")
    call esker_get(ds, m%wind, step, wind(:, :, 1::2, :), start, count, level)  ! a section: every other y
    do k = 1, int(samples(3))
      do j = 1, int(samples(2))
        do i = 1, int(samples(1))
          p = int(origin + ([i, j, k] - 1) * stride)
          call check(all(nint(vel(:, i, j, k)) == sample_value(step, p(1), p(2), p(3), [(c, c = 1, 3)])), "vel")
        end do
      end do
    end do
    call check(all(wind(:, :, 1::2, :) == -vel), "samples of wind")
    call check(all(wind(:, :, 0::2, :) == 0), "elements outside the section are unchanged")
  end subroutine

  subroutine expect_samples(ds, m)
    type(esker_dataset), intent(inout) :: ds
    type(model), intent(in) :: m
    integer(int64), parameter :: start(3) = [4, 3, 2], count(3) = [8, 4, 3]
    integer(int64), allocatable :: found_start(:), found_count(:)
    real(real64) :: temp(nx, ny, nz)
    integer(int8) :: mask(nx, ny)
    integer(int16) :: topg(nx, ny)
    integer :: step, level, l, i, j, k
    logical :: has
    call esker_inq_max_level(ds, m%vel, level)
    do step = 1, num_steps
      call expect_vel(ds, m, step)
      call expect_vel(ds, m, step, start, count, level)
      do l = 0, level - 1
        call expect_vel(ds, m, step, level=l)
      end do
      call esker_get(ds, m%temp, step - num_steps - 1, temp)  ! counted from the end
      do k = 1, nz
        call check(all(nint(temp(:, :, k)) == reshape([((sample_value(step, i, j, k, 0), i = 1, nx), j = 1, ny)], &
          [nx, ny])), "samples of temp")
      end do
      call esker_inq_has(ds, m%mask, step, has)
      call check(has .eqv. mod(step, 2) == 1, "steps of mask")
    end do
    call esker_inq_box(ds, m%vel, found_start, found_count)
    call check(all(found_start == 1) .and. all(found_count == [nx, ny, nz]), "box of vel")
    call esker_get(ds, m%mask, esker_last_step, mask)
    call check(mask(3, 4) == sample_value(num_steps, 3, 4, 0, 1), "samples of mask")
    call esker_get(ds, m%topg, 2, topg)
    call check(topg(5, 6) == -sample_value(0, 5, 6, 0, 2) .and. topg(nx, ny) == -sample_value(0, nx, ny, 0, 2), &
      "samples of topg")
  end subroutine

  subroutine expect_errors(ds, m)
    type(esker_dataset), intent(inout) :: ds
    type(model), intent(in) :: m
    integer(int64), allocatable :: samples(:)
    integer(int8) :: mask(nx, ny)
    integer(int16) :: topg(nx, ny), row(nx)
    real(real32) :: vel(nx, ny, nz), nothing(3, 0, 0, 0)
    logical :: has
    integer :: ierr
    call esker_get(ds, m%mask, 2, mask, ierr=ierr)
    call check_fails(ds, ierr, esker_not_found, "'mask' was not written")
    call esker_get(ds, m%topg, 1, row, ierr=ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "'topg': an array of 13 int16, expected 13 x 7 int16")
    call esker_get(ds, m%topg, 1, mask, ierr=ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "an array of 13 x 7 int8, expected 13 x 7 int16")
    call esker_get(ds, m%vel, 1, vel, ierr=ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "expected 3 x 13 x 7 x 5")
    call esker_get(ds, m%topg, 0, topg, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "step 0")
    call esker_inq_has(ds, m%topg, 0, has, ierr)
    call check_fails(ds, ierr, esker_out_of_range, "step 0")
    call esker_get(ds, m%vel, num_steps + 1, vel, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "step 4 does not exist; the dataset has 3")  ! texts count as C does
    call esker_get(ds, m%vel, 1, vel, level=99, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "level 99")
    call esker_get(ds, m%vel, 1, vel, start=[1_int64, 1_int64, 1_int64], ierr=ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "extent is NULL")
    call esker_get(ds, m%vel, 1, vel, [1_int64], [1_int64], ierr=ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "1, 1 elements, expected 3 each")
    call esker_get(ds, 9, 1, vel, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "number 9; there are 5")
    call esker_inq_selection(ds, m%vel, 1, [21_int64, 1_int64, 1_int64], [8_int64, 4_int64, 3_int64], 4, &
      samples=samples, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "exceeds the grid")
    call esker_get(ds, m%vel, 1, nothing, [1_int64, 1_int64, 1_int64], [0_int64, 0_int64, 0_int64], ierr=ierr)
    call check_ok(ds, ierr, "get of nothing")
  end subroutine

  subroutine expect_storage(ds)
    type(esker_dataset), intent(inout) :: ds
    type(esker_part) :: part
    character(:), allocatable :: text
    integer(int64) :: files, bytes
    integer :: num, p, num_fixed, ierr
    call esker_inq_num_parts(ds, num)
    call check(num == 3, "number of parts")
    num_fixed = 0
    do p = 1, num
      call esker_inq_part(ds, p, part)
      call check(part%start(1) == 1 .and. part%count(1) == nx .and. part%bits_per_block == 6, "box of " // part%name)
      call check(size(part%start) == merge(3, 2, part%name == "volume"), "axes of " // part%name)
      call check(part%blocks_per_file >= 1 .and. part%blocks_per_file <= 4 .and. part%num_blocks > 0, part%name)
      call check(index(part%path, ".idx") > 0 .and. part%bitmask(1:1) == "V" .and. part%num_steps > 0, part%path)
      call check(part%num_fields >= 1, "fields of " // part%name)
      call esker_inq_part_field(ds, p, 1, text)
      call check(len(text) >= 3, "field of " // part%name)
      if (part%name == "plane_fixed") num_fixed = num_fixed + 1
    end do
    call check(num_fixed == 1, "one part of fixed fields")
    call esker_inq_part_field(ds, 1, 99, text, ierr)
    call check_fails(ds, ierr, esker_out_of_range, "number 99; there are 1")
    call esker_inq_storage(ds, files, bytes)
    call check(files > 3 .and. bytes > num_steps * nx * ny * nz * 32, "storage")
    call esker_inq_num_warnings(ds, num)
    call check(num == 0, "warnings")
    call esker_inq_warning(ds, 1, text, ierr)
    call check_fails(ds, ierr, esker_out_of_range, "there are 0")
  end subroutine

  subroutine test_round_trip()
    type(esker_dataset) :: ds
    type(model) :: m
    real(real64), allocatable :: times(:)
    integer :: step, num
    call create(ds, "round_trip.idx")
    call define(ds, m)
    call expect_schema(ds, m)  ! inquiries work while writing, too
    call expect_attributes(ds, m)
    do step = 1, num_steps
      call write_step(ds, m, step)
    end do
    call esker_inq_steps(ds, num, times)
    call check(num == num_steps .and. size(times) == num, "steps written")
    call esker_close(ds)
    call esker_free(ds)
    call esker_open(ds, path_of("round_trip.idx"))
    call esker_inq_steps(ds, num, times)
    call check(num == num_steps .and. size(times) == num, "steps read")
    call check(times(2) == 1d0, "time of step 2")
    call expect_schema(ds, m)
    call expect_attributes(ds, m)
    call expect_samples(ds, m)
    call expect_errors(ds, m)
    call expect_storage(ds)
    call esker_close(ds)
    call esker_free(ds)
  end subroutine
end module
