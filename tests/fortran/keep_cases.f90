! Adaptive storage: rules, level maps, what is stored, and how reads fill what is not.
!
! 8 x 8 samples, levels 0 to 6. Kept are level 4 everywhere (16 samples) and all of the quadrant x >= 5, y >= 5 (16, of
! which 4 are of level 4): 28 samples.
module keep_cases
  use, intrinsic :: iso_fortran_env, only: int8
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan, ieee_quiet_nan, ieee_value
  use world
  implicit none
  private
  public :: test_keep

  integer, parameter :: n = 8, max_level = 6, primary = 28, num_rules = 5
  real(real32), parameter :: fill = -7
  integer(int64), parameter :: one(2) = 1

  ! A dataset that is written, and what this rank puts of it: columns of two fields, and levels.
  type :: run_data
    type(esker_dataset) :: ds
    integer :: grid = 0, f = 0, mark = 0
    integer(int64) :: start(2) = 1
    ! f is linear; mark is 1 in the inner 2 x 2 samples of the quadrant, NaN at (2, 2)
    real(real32), allocatable :: f_samples(:, :), mark_samples(:, :)
    integer(int8), allocatable :: levels(:, :), levels_y_first(:, :)
  end type

contains

  ! Linear, so that interpolation is exact.
  elemental real(real32) function linear(x, y)
    integer, intent(in) :: x, y
    linear = real(10 * y + x, real32)
  end function

  elemental logical function in_quadrant(x, y)
    integer, intent(in) :: x, y
    in_quadrant = x >= 5 .and. y >= 5
  end function

  subroutine start_run(run, name, bits_per_block)
    type(run_data), intent(inout), target :: run
    character(*), intent(in) :: name
    integer, intent(in) :: bits_per_block
    type(esker_options) :: options
    character(8) :: digits
    integer :: dims(2), first, num, x, y
    write (digits, "(i0)") bits_per_block
    call make_small_options(options)
    call esker_options_set(options, "bits_per_block", digits)
    call esker_create(run%ds, path_of(name), comm, options)
    call esker_options_free(options)
    call esker_def_dim(run%ds, "x", int(n, int64), dims(1))
    call esker_def_dim(run%ds, "y", int(n, int64), dims(2))
    call esker_def_grid(run%ds, "map", dims, run%grid)
    call esker_def_field(run%ds, run%grid, "f", esker_float32, 1, esker_every_step, run%f)
    call esker_def_field(run%ds, run%grid, "mark", esker_float32, 1, esker_every_step, run%mark)
    call esker_put_att_double(run%ds, esker_of_field, run%f, "_FillValue", [real(fill, real64)])
    first = n * rank / num_ranks + 1
    num = n * (rank + 1) / num_ranks + 1 - first
    run%start(1) = first
    allocate(run%f_samples(num, n), run%mark_samples(num, n), run%levels(num, n), run%levels_y_first(n, num))
    run%f_samples = reshape([((linear(first - 1 + x, y), x = 1, num), y = 1, n)], [num, n])
    run%mark_samples = 0
    run%levels = esker_keep_dropped
    do y = 1, n
      do x = 1, num
        if (in_quadrant(first - 1 + x, y)) run%levels(x, y) = 0
        if (any(first - 1 + x == [6, 7]) .and. any(y == [6, 7])) run%mark_samples(x, y) = 1
        if (first - 1 + x == 2 .and. y == 2) run%mark_samples(x, y) = ieee_value(1.0_real32, ieee_quiet_nan)
      end do
    end do
    run%levels_y_first = transpose(run%levels)
  end subroutine

  subroutine put_step(run, time)
    type(run_data), intent(inout), target :: run
    integer, intent(in) :: time
    call esker_begin_step(run%ds, real(time, real64))
    call esker_put(run%ds, run%f, run%start, run%f_samples)
    call esker_put(run%ds, run%mark, run%start, run%mark_samples)
  end subroutine

  ! The quadrant, by another kind of rule each time.
  subroutine add_rule(run, rule, ierr)
    type(run_data), intent(inout), target :: run
    integer, intent(in) :: rule
    integer, intent(out) :: ierr
    integer(int64) :: start(2, 2), extent(2, 2)
    select case (rule)
    case (1)  ! two boxes that overlap and leave the grid, known to the last rank only
      start = reshape([5_int64, 5_int64, 5_int64, 7_int64], [2, 2])
      extent = reshape([100_int64, 3_int64, 4_int64, 2_int64], [2, 2])
      if (rank == num_ranks - 1) then
        call esker_keep_boxes(run%ds, esker_of_grid, run%grid, start, extent, ierr=ierr)
      else
        call esker_keep_boxes(run%ds, esker_of_grid, run%grid, start(:, :0), extent(:, :0), ierr=ierr)
      end if
    case (2)
      start = 7
      extent = 1
      call esker_keep_boxes(run%ds, esker_of_grid, run%grid, start(:, :1), extent(:, :1), dilate=2, ierr=ierr)
    case (3)
      call esker_keep_range(run%ds, esker_of_grid, run%grid, run%mark, 1d0, 2d0, dilate=1, drop_nan=.true., ierr=ierr)
    case (4)
      call esker_keep_levels(run%ds, esker_of_grid, run%grid, run%start, run%levels, ierr=ierr)
    case (5)
      call esker_keep_levels(run%ds, esker_of_grid, run%grid, run%start, run%levels_y_first, order=[2, 1], ierr=ierr)
    end select
  end subroutine

  subroutine check_samples(samples, is_sparse, stored, bits)
    type(esker_stored_samples), intent(in) :: samples
    logical, intent(in) :: is_sparse
    integer, intent(in) :: stored, bits
    call check(is_sparse .and. samples%primary == primary .and. samples%secondary == stored - primary, "samples")
    call check(samples%padding == 0 .and. samples%blocks == stored / 2**bits, "blocks")
  end subroutine

  subroutine write_rules(name, bits, stored)
    character(*), intent(in) :: name
    integer, intent(in) :: bits, stored
    type(run_data), target :: run
    type(esker_kept_report) :: report
    type(esker_stored_samples) :: samples
    logical :: is_sparse
    integer :: rule, ierr
    integer, parameter :: sample_bytes = 2 * 4  ! of both fields
    call start_run(run, name, bits)
    do rule = 1, num_rules
      call put_step(run, rule)
      call esker_keep_level(run%ds, esker_of_grid, run%grid, -2, ierr)
      call check_ok(run%ds, ierr, "keep_level")
      call add_rule(run, rule, ierr)
      call check_ok(run%ds, ierr, "rule")
      call esker_end_step(run%ds, ierr)
      call check_ok(run%ds, ierr, "end_step")
      call esker_inq_last_kept(run%ds, report, ierr)
      call check_ok(run%ds, ierr, "inq_last_kept")
      call check(report%primary_bytes == primary * sample_bytes .and. report%padding_bytes == 0, "primary bytes")
      call check(report%secondary_bytes == (stored - primary) * sample_bytes .and. report%raised_from == 0, "bytes")
      call check(report%write_imbalance >= 1 .and. report%put_imbalance >= 1, "imbalance")
      call esker_inq_last_kept_field(run%ds, run%f, is_sparse, samples, ierr)
      call check_ok(run%ds, ierr, "inq_last_kept_field")
      call check_samples(samples, is_sparse, stored, bits)
    end do
    call esker_close(run%ds)
    call esker_free(run%ds)
  end subroutine

  ! Blocks of 2^bits samples. The map is exact for the smallest blocks; larger ones hold more.
  subroutine expect_levels(ds, step, bits)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: step, bits
    integer(int8) :: levels(n, n), part(4, 5), coarse(4, 4), wanted(n, n)
    integer :: x, y, ierr
    wanted = int(reshape([((merge(max_level, 4, in_quadrant(x, y)), x = 1, n), y = 1, n)], [n, n]), int8)
    call esker_get_levels(ds, 1, step, levels, ierr=ierr)
    call check_ok(ds, ierr, "get_levels")
    call check(all(levels >= wanted .and. levels <= max_level), "levels")
    if (bits == 2) call check(all(levels == wanted), "levels of the smallest blocks")
    call esker_get_levels(ds, 1, step, part, start=[4_int64, 3_int64], count=[4_int64, 5_int64])
    call check(all(part == levels(4:7, 3:7)), "levels of a box")
    call esker_get_levels(ds, 1, step, coarse, level=4)
    call check(all(coarse == levels(::2, ::2)), "levels of a coarse level")
  end subroutine

  ! The smallest blocks, none of whose samples is secondary.
  subroutine expect_values(ds, step, missing)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: step, missing
    real(real32) :: samples(n, n), below
    integer :: x, y, ierr
    call esker_set_missing(ds, 1, missing, ierr)
    call check_ok(ds, ierr, "set_missing")
    call esker_get(ds, 1, step, samples)
    do y = 1, n
      do x = 1, n
        below = linear(x - mod(x - 1, 2), y - mod(y - 1, 2))
        if (in_quadrant(x, y) .or. below == linear(x, y) .or. missing == esker_missing_linear) then
          call check(samples(x, y) == linear(x, y), "stored or linear")
        else if (missing == esker_missing_fill) then
          call check(samples(x, y) == fill, "fill value")
        else if (missing == esker_missing_nan) then
          call check(ieee_is_nan(samples(x, y)), "NaN")
        else
          call check(samples(x, y) == below, "nearest")
        end if
      end do
    end do
  end subroutine

  subroutine read_rules(name, bits, stored)
    character(*), intent(in) :: name
    integer, intent(in) :: bits, stored
    type(esker_dataset) :: ds
    type(esker_stored_samples) :: samples
    logical :: is_sparse
    integer :: step, missing, ierr
    call esker_open(ds, path_of(name), esker_open_verify)
    do step = 1, num_rules
      call esker_inq_stored_samples(ds, 1, step, is_sparse, samples, ierr)
      call check_ok(ds, ierr, "inq_stored_samples")
      call check_samples(samples, is_sparse, stored, bits)
      call expect_levels(ds, step, bits)
      if (bits > 2) cycle
      do missing = esker_missing_auto, esker_missing_nan
        call expect_values(ds, step, missing)
      end do
    end do
    call esker_close(ds)
    call esker_free(ds)
  end subroutine

  ! All ranks read a sparse step together.
  subroutine read_together(name)
    character(*), intent(in) :: name
    type(esker_dataset) :: ds
    real(real32), target :: samples(n, n), whole(n, n)
    real(real32) :: alone(n, n)
    integer :: missing, ierr
    call esker_open_parallel(ds, path_of(name), comm)
    call expect_values(ds, 1, esker_missing_linear)
    do missing = esker_missing_auto, esker_missing_linear
      samples = 0
      whole = 0
      call esker_set_missing(ds, 1, missing)
      call esker_get(ds, 1, 1, alone)
      call esker_request(ds, 1, 1, one, samples)
      call esker_request_level(ds, 1, 1, whole, max_level)
      call esker_read(ds, ierr)
      call check_ok(ds, ierr, "read")
      call check(all(samples == alone) .and. all(whole == alone), "read together")
    end do
    call esker_close(ds)
    call esker_free(ds)
  end subroutine

  ! Rules of one field, NaN inside of a range, a level below block 0; then a step without rules.
  subroutine write_fields(name)
    character(*), intent(in) :: name
    type(run_data), target :: run
    type(esker_kept_report) :: report
    type(esker_stored_samples) :: samples
    logical :: is_sparse
    integer :: ierr
    call start_run(run, name, 2)
    call put_step(run, 0)
    call esker_keep_level(run%ds, esker_of_field, run%f, -6)
    call esker_keep_range(run%ds, esker_of_field, run%f, run%mark, 1d0, 1d0, -2)
    call esker_end_step(run%ds, ierr)
    call check_ok(run%ds, ierr, "end_step")
    call esker_inq_last_kept(run%ds, report)
    call check(report%raised_from == -6, "raised")
    call esker_inq_last_kept_field(run%ds, run%f, is_sparse, samples)
    ! Block 0 with its 4 samples, (7, 7), of level 4, and the NaN at (2, 2), of the finest one.
    call check(is_sparse .and. samples%primary == 6, "NaN is inside")
    call esker_inq_last_kept_field(run%ds, run%mark, is_sparse, samples)
    call check(.not. is_sparse .and. samples%blocks == 0, "no rules of the other field")
    call put_step(run, 1)
    call esker_end_step(run%ds)
    call esker_inq_last_kept_field(run%ds, run%f, is_sparse)
    call check(.not. is_sparse, "no rules in the second step")
    call esker_close(run%ds)
    call esker_free(run%ds)
  end subroutine

  subroutine read_fields(name)
    character(*), intent(in) :: name
    type(esker_dataset) :: ds
    type(esker_stored_samples) :: samples
    integer(int8) :: levels(n, n)
    logical :: is_sparse
    call esker_open(ds, path_of(name))
    call esker_inq_stored_samples(ds, 1, 1, is_sparse, samples)
    call check(is_sparse .and. samples%primary == 6, "the field with rules")
    call esker_inq_stored_samples(ds, 2, 1, is_sparse, samples)
    call check(.not. is_sparse .and. samples%blocks == 0, "the field without rules")
    call esker_inq_stored_samples(ds, 1, esker_last_step, is_sparse)
    call check(.not. is_sparse, "the step without rules")
    call esker_get_levels(ds, 1, esker_last_step, levels)
    call check(all(levels == max_level), "all levels")
    call esker_close(ds)
    call esker_free(ds)
  end subroutine

  ! One wrong rule per step, whose error esker_end_step returns again.
  subroutine expect_wrong_rules(name)
    character(*), intent(in) :: name
    type(run_data), target :: run
    integer(int8), target :: cube(2, 1, 1)
    integer(int64) :: box(2, 1), flat(1, 1)
    integer :: case, ierr
    character(80) :: word
    cube = 0
    box = 1
    flat = 1
    call start_run(run, name, 2)
    do case = 1, 11
      call put_step(run, 0)
      select case (case)
      case (1)
        call esker_keep_level(run%ds, esker_of_grid, run%grid, 1, ierr)
        word = "level 1"
      case (2)
        call esker_keep_level(run%ds, esker_of_grid, 2, -1, ierr)
        word = "no grid has the number 2; there are 1"
      case (3)
        call esker_keep_level(run%ds, esker_of_field, 0, -1, ierr)
        word = "no field has the number 0; there are 2"
      case (4)
        call esker_keep_level(run%ds, esker_of_dim, 1, -1, ierr)
        word = "object 3"
      case (5)
        call esker_keep_boxes(run%ds, esker_of_grid, run%grid, flat, flat, ierr=ierr)
        word = "keep_boxes 'map': start is 1 x 1, count 1 x 1; expected 2 x the number"
      case (6)
        call esker_keep_boxes(run%ds, esker_of_field, run%f, box, box(:, :0), ierr=ierr)
        word = "keep_boxes 'f': start is 2 x 1, count 2 x 0"
      case (7)
        call esker_keep_boxes(run%ds, esker_of_grid, run%grid, box, -box, ierr=ierr)
        word = "box 1: extent -1 on axis 1"
      case (8)
        call esker_keep_range(run%ds, esker_of_grid, run%grid, run%mark, 2d0, 1d0, ierr=ierr)
        word = "low <= high"
      case (9)
        call esker_keep_range(run%ds, esker_of_grid, run%grid, 3, 1d0, 2d0, ierr=ierr)
        word = "no field has the number 3; there are 2"
      case (10)
        call esker_keep_levels(run%ds, esker_of_grid, run%grid, run%start, cube, ierr=ierr)
        word = "keep_levels 'map': 2 components, expected 1"
      case (11)
        call esker_keep_levels(run%ds, esker_of_grid, run%grid, [9_int64, 9_int64], run%levels, ierr=ierr)
        word = "exceeds the grid (1:8, 1:8)"
      end select
      call check(ierr /= esker_ok, word)
      call check_fails(run%ds, ierr, ierr, trim(word))
      call esker_end_step(run%ds, ierr)
      call check(ierr /= esker_ok, "end_step: " // word)
    end do
    call esker_keep_level(run%ds, esker_of_grid, run%grid, 0, ierr)
    call check_fails(run%ds, ierr, esker_wrong_order, "no step")
    call esker_end_step(run%ds, ierr)
    call check_fails(run%ds, ierr, esker_wrong_order, "no step")
    call put_step(run, 0)
    call esker_keep_level(run%ds, esker_of_grid, run%grid, -2)
    call esker_end_step(run%ds, ierr)
    call check_ok(run%ds, ierr, "the dataset is still usable")
    call esker_close(run%ds)
    call esker_free(run%ds)
  end subroutine

  subroutine expect_wrong_reads(name)
    character(*), intent(in) :: name
    type(esker_dataset) :: ds
    integer(int8) :: levels(n, n)
    logical :: is_sparse
    integer :: ierr
    call esker_open(ds, path_of(name))
    call esker_get_levels(ds, 1, 1, levels(:3, :), ierr=ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "get_levels 'f': an array of 3 x 8, expected 8 x 8")
    call esker_get_levels(ds, 3, 1, levels, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "number 3")
    call esker_get_levels(ds, 1, 0, levels, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "step 0")
    call esker_inq_stored_samples(ds, 1, 2, is_sparse, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "step 2")
    call esker_inq_stored_samples(ds, 1, 0, is_sparse, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "step 0")
    call esker_set_missing(ds, 3, esker_missing_fill, ierr)
    call check_fails(ds, ierr, esker_out_of_range, "number 3")
    call esker_set_missing(ds, 1, 5, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "value 5")
    call esker_keep_level(ds, esker_of_grid, 1, -1, ierr)
    call check_fails(ds, ierr, esker_wrong_order, "reading only")
    call esker_close(ds)
    call esker_free(ds)
  end subroutine

  subroutine test_keep()
    call write_rules("kept_4.idx", 4, 48)
    call read_rules("kept_4.idx", 4, 48)
    call write_rules("kept_3.idx", 3, 32)
    call read_rules("kept_3.idx", 3, 32)
    call write_rules("kept_2.idx", 2, primary)
    call read_rules("kept_2.idx", 2, primary)
    call read_together("kept_2.idx")
    call write_fields("kept_fields.idx")
    call read_fields("kept_fields.idx")
    call expect_wrong_rules("wrong_rules.idx")
    call expect_wrong_reads("wrong_rules.idx")
  end subroutine
end module
