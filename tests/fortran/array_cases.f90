! Arrays of every kind, of every number of dimensions, with any bounds and strides.
module array_cases
  use, intrinsic :: iso_c_binding, only: c_intptr_t, c_loc
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32
  use world
  implicit none
  private
  public :: test_kinds, test_ranks, test_bounds, test_structures, test_buffered

  integer, parameter :: extents(5) = [5, 3, 2, 4, 2]
  integer(int64), parameter :: one(2) = 1

  type :: cell
    integer :: id = 0
    real(real32) :: thk = -1
    real(real64) :: temp = -1
  end type

contains

  ! A component of an array of structures: as an array, also through a pointer, or by its address and strides. The
  ! values are those of the structures at the time of esker_end_step; requests fill the structures.
  subroutine test_structures()
    type(esker_dataset) :: ds
    type(cell), target :: cells(map_nx, 0:map_ny)
    real(real32), pointer :: thk(:, :)
    real(real32) :: found(map_nx, map_ny)
    integer :: field, step
    call create_map(ds, "structures.idx", field)
    thk => cells(:, 1:)%thk
    do step = 1, 4
      cells%thk = -7
      call esker_begin_step(ds, real(step, real64))
      if (rank == 0) then
        if (step == 1) call esker_put(ds, field, one, cells(:, 1:)%thk)
        if (step == 2) call esker_put(ds, field, one, thk)
        if (step == 3) call esker_put(ds, field, one, cells(map_nx:1:-1, map_ny:1:-1)%thk)
        if (step == 4) call esker_put_strided(ds, field, esker_float32, one, [int(map_nx, int64), int(map_ny, int64)], &
          c_loc(cells(1, 1)%thk), [distance(cells(1, 1), cells(2, 1)), distance(cells(1, 1), cells(1, 2))], 0_int64)
      end if
      call fill(cells(:, 1:))
      call esker_end_step(ds)
    end do
    call esker_close(ds)
    call esker_free(ds)
    call esker_open(ds, path_of("structures.idx"))
    do step = 1, 4
      call esker_get(ds, field, step, found)
      if (step == 3) found = found(map_nx:1:-1, map_ny:1:-1)
      call check(all(found == cells(:, 1:)%thk), "a component of structures")
    end do
    call esker_free(ds)
    call request_structures(field, found)
  end subroutine

  subroutine request_structures(field, expected)
    integer, intent(in) :: field
    real(real32), intent(in) :: expected(:, :)
    type(esker_dataset) :: ds
    type(cell), target :: cells(map_nx, map_ny)
    real(real32), target :: wide(2 * map_nx, map_ny)
    integer :: ierr
    call esker_open_parallel(ds, path_of("structures.idx"), comm)
    call esker_request(ds, field, 1, one, cells%thk)
    call esker_request_level(ds, field, 1, wide(::2, :), esker_full_level, ierr=ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "not contiguous")
    call esker_read(ds, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "not contiguous")
    call esker_request(ds, field, 1, one, cells%thk)
    call esker_read(ds)
    call check(all(cells%thk == expected) .and. all(cells%id == 0) .and. all(cells%temp == -1), &
      "what is asked for comes to the structures")
    call esker_free(ds)
  end subroutine

  subroutine fill(cells)
    type(cell), intent(inout) :: cells(:, :)
    integer :: i, j
    do j = 1, size(cells, 2)
      cells(:, j)%thk = [(real(i * j, real32), i = 1, size(cells, 1))]
    end do
  end subroutine

  integer(int64) function distance(a, b)
    type(cell), intent(in), target :: a, b
    distance = transfer(c_loc(b), 0_c_intptr_t) - transfer(c_loc(a), 0_c_intptr_t)
  end function

  ! Expressions of any kind, whose memory is gone before esker_end_step, and numbers of other kinds than the field's.
  subroutine test_buffered()
    type(esker_dataset) :: ds
    real(real64), parameter :: pi = 3.14159265358979d0
    real(real64) :: b(map_nx, map_ny)
    real(real32) :: found(map_nx, map_ny), expected(map_nx, map_ny)
    type(cell) :: cells(map_nx, map_ny)
    integer :: field, step, ierr, i
    b = reshape([(pi * i, i = 1, map_nx * map_ny)], [map_nx, map_ny])
    cells%temp = b
    call create_map(ds, "buffered.idx", field)
    do step = 1, 5
      call esker_begin_step(ds, real(step, real64))
      if (rank == 0) then
        if (step == 1) call esker_put_buffered(ds, field, one, real(b, real32))
        if (step == 2) call esker_put_buffered(ds, field, one, b * 2)
        if (step == 3) call esker_put_buffered(ds, field, one, transpose(b), order=[2, 1])
        if (step == 4) call esker_put_buffered(ds, field, one, int(b, int16))
        if (step == 5) call esker_put_buffered(ds, field, one, cells%temp)
      end if
      call random_number(found)  ! reuses the freed memory
      call esker_end_step(ds)
    end do
    call esker_begin_step(ds, 6d0)
    if (rank == 0) then
      b(3, 2) = -1d200
      call esker_put_buffered(ds, field, one, b, ierr=ierr)
      call check_fails(ds, ierr, esker_out_of_range, "sample (3, 2) is -1e+200, which float32 cannot hold")
    end if
    call esker_end_step(ds, ierr)
    call check_fails(ds, ierr, esker_out_of_range, "float32 cannot hold")
    call esker_close(ds)
    call esker_free(ds)
    call esker_open(ds, path_of("buffered.idx"))
    b(3, 2) = cells(3, 2)%temp
    do step = 1, 5
      expected = real(b, real32)
      if (step == 2) expected = real(b * 2, real32)
      if (step == 4) expected = real(int(b, int16), real32)
      call esker_get(ds, field, step, found)
      call check(all(found == expected), "buffered")
    end do
    call esker_free(ds)
  end subroutine

  ! A field of each type; unsigned ones have the same bits.
  subroutine test_kinds()
    type(esker_dataset) :: ds
    integer(int8), target :: i8(map_nx)
    integer(int16), target :: i16(map_nx)
    integer(int32), target :: i32(map_nx)
    integer(int64), target :: i64(map_nx), start(1)
    real(real32), target :: r32(map_nx)
    real(real64), target :: r64(map_nx)
    integer :: dim, grid, type, fields(0:9), first, num, last, i
    i64 = [(huge(i64) - i, i = 1, map_nx)]
    i32 = [(-huge(i32) + i, i = 1, map_nx)]
    i16 = [(int(-i, int16), i = 1, map_nx)]
    i8 = [(int(127 - i, int8), i = 1, map_nx)]
    r32 = [(1 / real(i, real32), i = 1, map_nx)]
    r64 = [(1 / real(i, real64), i = 1, map_nx)]
    call create(ds, "kinds.idx")
    call esker_def_dim(ds, "x", int(map_nx, int64), dim)
    call esker_def_grid(ds, "line", [dim], grid)
    do type = esker_int8, esker_float64
      call esker_def_field(ds, grid, esker_type_name(type), type, 1, esker_every_step, fields(type))
    end do
    call my_columns(first, num)
    last = first + num - 1
    start = first
    call esker_begin_step(ds, -1d0)
    call esker_put(ds, fields(esker_int8), start, i8(first:last))
    call esker_put(ds, fields(esker_uint8), start, i8(first:last))
    call esker_put(ds, fields(esker_int16), start, i16(first:last))
    call esker_put(ds, fields(esker_uint16), start, i16(first:last))
    call esker_put(ds, fields(esker_int32), start, i32(first:last))
    call esker_put(ds, fields(esker_uint32), start, i32(first:last))
    call esker_put(ds, fields(esker_int64), start, i64(first:last))
    call esker_put(ds, fields(esker_uint64), start, i64(first:last))
    call esker_put(ds, fields(esker_float32), start, r32(first:last))
    call esker_put(ds, fields(esker_float64), start, r64(first:last))
    call esker_end_step(ds)
    call esker_close(ds)
    call esker_free(ds)
    call expect_kinds(i8, i16, i32, i64, r32, r64)
  end subroutine

  subroutine expect_kinds(i8, i16, i32, i64, r32, r64)
    integer(int8), intent(in) :: i8(:)
    integer(int16), intent(in) :: i16(:)
    integer(int32), intent(in) :: i32(:)
    integer(int64), intent(in) :: i64(:)
    real(real32), intent(in) :: r32(:)
    real(real64), intent(in) :: r64(:)
    type(esker_dataset) :: ds
    integer(int8) :: b8(map_nx)
    integer(int16) :: b16(map_nx)
    integer(int32) :: b32(map_nx)
    integer(int64) :: b64(map_nx)
    real(real32) :: f32(map_nx)
    real(real64) :: f64(map_nx)
    integer :: sign, ierr
    call esker_open(ds, path_of("kinds.idx"))
    do sign = 0, 1  ! fields are in the order of types, from 1
      call esker_get(ds, esker_int8 + sign + 1, 1, b8)
      call esker_get(ds, esker_int16 + sign + 1, 1, b16)
      call esker_get(ds, esker_int32 + sign + 1, 1, b32)
      call esker_get(ds, esker_int64 + sign + 1, 1, b64)
      call check(all(b8 == i8) .and. all(b16 == i16) .and. all(b32 == i32) .and. all(b64 == i64), "integers")
    end do
    call esker_get(ds, esker_float32 + 1, 1, f32)
    call esker_get(ds, esker_float64 + 1, 1, f64)
    call check(all(f32 == r32) .and. all(f64 == r64), "reals")
    call esker_get(ds, esker_float32 + 1, 1, b32, ierr=ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "13 int32, expected 13 float32")
    call esker_free(ds)
  end subroutine

  ! Grids of 1 to 5 axes, and components; from sections of arrays that have a margin and twice as many points
  ! along y.
  subroutine test_ranks()
    type(esker_dataset) :: ds
    real(real64), target :: a1(0:6), a2(5, 6), a3(5, 3, 0:3), a4(5, 3, 2, 4), a5(2:6, 3, 2, 4, 2)
    real(real64), target :: a6(2, 5, 3, 2, 4, 2)
    integer :: dims(5), grids(5), fields(6), r
    integer(int64) :: first(5)
    first = 1
    call random_init(repeatable=.true., image_distinct=.false.)  ! the same on all ranks
    call random_number(a1)
    call random_number(a2)
    call random_number(a3)
    call random_number(a4)
    call random_number(a5)
    call random_number(a6)
    call create(ds, "ranks.idx")
    do r = 1, 5
      call esker_def_dim(ds, "d" // achar(48 + r), int(extents(r), int64), dims(r))
      call esker_def_grid(ds, "g" // achar(48 + r), dims(:r), grids(r))
      call esker_def_field(ds, grids(r), "f" // achar(48 + r), esker_float64, 1, 1, fields(r))
    end do
    call esker_def_field(ds, grids(5), "f6", esker_float64, 2, 1, fields(6))
    call esker_begin_step(ds, 0d0)
    if (rank == 0) then  ! the other ranks hold no samples
      call esker_put(ds, fields(1), first(:1), a1(1:5))
      call esker_put(ds, fields(2), first(:2), a2(:, 1::2))
      call esker_put(ds, fields(3), first(:3), a3(:, 3:1:-1, 1:2))
      call esker_put(ds, fields(4), first(:4), a4)
      call esker_put(ds, fields(5), first, a5)
      call esker_put(ds, fields(6), first, a6)
    end if
    call esker_end_step(ds)
    call esker_close(ds)
    call esker_free(ds)
    call expect_ranks(a1(1:5), a2(:, 1::2), a3(:, 3:1:-1, 1:2), a4, a5, a6)
  end subroutine

  subroutine expect_ranks(a1, a2, a3, a4, a5, a6)
    real(real64), intent(in) :: a1(:), a2(:, :), a3(:, :, :), a4(:, :, :, :), a5(:, :, :, :, :), a6(:, :, :, :, :, :)
    type(esker_dataset) :: ds
    real(real64) :: b1(5), b2(5, 3), b3(5, 3, 2), b4(5, 3, 2, 4), b5(5, 3, 2, 4, 2), b6(2, 5, 3, 2, 4, 2)
    call esker_open(ds, path_of("ranks.idx"))
    call esker_get(ds, 1, 1, b1)
    call esker_get(ds, 2, 1, b2)
    call esker_get(ds, 3, 1, b3)
    call esker_get(ds, 4, 1, b4)
    call esker_get(ds, 5, 1, b5)
    call esker_get(ds, 6, 1, b6)
    call check(all(b1 == a1), "one dimension")
    call check(all(b2 == a2), "two dimensions")
    call check(all(b3 == a3), "three dimensions")
    call check(all(b4 == a4), "four dimensions")
    call check(all(b5 == a5), "five dimensions")
    call check(all(b6 == a6), "five dimensions and components")
    call esker_free(ds)
  end subroutine

  ! Arrays as models have them: allocatables and pointers whose bounds do not begin at 1, dummies with explicit
  ! bounds. The values are those of the caller's memory at the time of esker_end_step.
  subroutine test_bounds()
    type(esker_dataset) :: ds
    real(real32), allocatable, target :: a(:, :)
    real(real32), pointer :: p(:, :)
    real(real32), target :: b(-1:map_nx + 2, -1:map_ny + 2)
    real(real32) :: found(map_nx, map_ny)
    integer :: field, step
    call create_map(ds, "bounds.idx", field)
    allocate(a(0:map_nx - 1, -3:map_ny - 4))
    do step = 1, 4
      a = -1
      b = -1
      call esker_begin_step(ds, real(step, real64))
      p(0:, 0:) => a
      if (rank == 0) then
        if (step == 1) call esker_put(ds, field, [1_int64, 1_int64], a)
        if (step == 2) call esker_put(ds, field, [1_int64, 1_int64], p)
        if (step == 3) call put_inner(ds, field, b)
        if (step == 4) call esker_put(ds, field, [1_int64, 1_int64], p(map_nx - 1:0:-1, map_ny - 1:0:-1))
      end if
      call random_number(a)
      call random_number(b)
      call esker_end_step(ds)
      call expect_step(ds, step, a, b)
    end do
    call esker_close(ds)
    call esker_free(ds)
    call esker_open(ds, path_of("bounds.idx"))
    if (rank == 0) then  ! random numbers of another rank may differ
      call esker_get(ds, field, 1, found)
      call check(maxval(found) < 1 .and. minval(found) >= 0 .and. any(found /= found(1, 1)), "as at end_step")
      call esker_get(ds, field, 4, found)
      call check(all(found(map_nx:1:-1, map_ny:1:-1) == a), "backwards")
      call esker_get(ds, field, 3, found)
      call check(maxval(found) < 1 .and. minval(found) >= 0, "the inner part")
    end if
    call esker_free(ds)
  end subroutine

  ! Another handle sees the step that was just committed.
  subroutine expect_step(ds, step, a, b)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: step
    real(real32), intent(in) :: a(:, :), b(-1:, -1:)
    type(esker_dataset) :: reader
    real(real32) :: found(map_nx, map_ny)
    integer :: num
    call esker_inq_steps(ds, num)
    call check(num == step, "steps so far")
    if (rank /= 0) return
    call esker_open(reader, path_of("bounds.idx"))
    call esker_get(reader, 1, esker_last_step, found)
    if (step <= 2) call check(all(found == a), "bounds other than 1")
    if (step == 3) call check(all(found == b(1:map_nx, 1:map_ny)), "a section of a dummy")
    call esker_free(reader)
  end subroutine

  subroutine put_inner(ds, field, b)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field
    real(real32), intent(inout), target, asynchronous :: b(-1:, -1:)
    call esker_put(ds, field, [1_int64, 1_int64], b(1:map_nx, 1:map_ny))
  end subroutine
end module
