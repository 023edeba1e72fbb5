! Every error is a status and a message, on all ranks; the dataset can be used afterwards.
module error_cases
  use, intrinsic :: iso_c_binding, only: c_loc
  use world
  implicit none
  private
  public :: test_opening, test_definitions, test_puts, test_one_rank_fails, test_order

  integer(int64), parameter :: one(2) = 1

contains

  subroutine test_opening()
    type(esker_dataset) :: ds
    integer :: ierr, n
    call esker_open(ds, path_of("none.idx"), ierr=ierr)
    call check_fails(ds, ierr, esker_not_found, "none.idx")
    call esker_inq_num_fields(ds, n, ierr)  ! every call returns the same error
    call check_fails(ds, ierr, esker_not_found, "none.idx")
    call esker_free(ds)
    call esker_open(ds, path_of("a.idx"), 6, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "0x6")
    call esker_free(ds)
    call esker_create(ds, path_of("a.idx"), comm, ierr=ierr)
    call check_fails(ds, ierr, esker_already_exists, "a.idx")
    call esker_free(ds)
    call esker_append(ds, path_of("none.idx"), comm, ierr=ierr)
    call check_fails(ds, ierr, esker_not_found, "none")
    call esker_free(ds)
  end subroutine

  subroutine test_definitions()
    type(esker_dataset) :: ds
    integer :: x, grid, field, n, ierr
    call create(ds, "definitions.idx")
    call esker_def_dim(ds, "x ", 13_int64, x)
    call esker_def_dim(ds, "x", 13_int64, n, ierr)
    call check_fails(ds, ierr, esker_already_exists, "'x'")
    call check(n == 0, "0 for no dimension")
    call esker_def_dim(ds, "y", 0_int64, n, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "size 0")
    call esker_def_grid(ds, "g", [x, x], n, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "twice")
    call esker_def_grid(ds, "g", [x, x, x, x, x, x], n, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "6 dimensions")
    call esker_def_grid(ds, "g", [x], grid)
    call esker_def_field(ds, grid, "f", esker_int8, 0, 1, n, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "0 components")
    call esker_def_field(ds, grid + 1, "f", esker_int8, 1, 1, n, ierr)
    call check(ierr == esker_invalid_argument .and. n == 0, "a field of no grid")
    call esker_def_field(ds, grid, "f", esker_int8, 1, 1, field)
    call esker_def_coords(ds, grid, x, [1d0, 2d0], ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "2")
    call esker_put_att_text(ds, esker_of_field, field + 1, "units", "m", ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "field 2")
    call esker_put_att_text(ds, 6, 1, "units", "m", ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "object 6")
    call esker_put_att_int64(ds, esker_of_grid, grid, "n", [integer(int64) ::], ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "values")
    call esker_put_att_texts(ds, esker_of_grid, grid, "n", [character(3) ::], ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "count 0")
    call esker_put_att_double(ds, esker_of_grid, grid, "", [1d0], ierr)
    call check(ierr == esker_invalid_argument, "a name of no letter")
    call esker_inq_grid_id(ds, "q", n, ierr)
    call check_fails(ds, ierr, esker_not_found, "available: g")
    call esker_inq_dim_id(ds, "q", n, ierr)
    call check_fails(ds, ierr, esker_not_found, "available: x")
    ! The collective call returns the first of these errors again: a program may check only that call.
    call esker_end_step(ds, ierr)
    call check_fails(ds, ierr, esker_already_exists, "dimension 'x' already exists")
    call check((index(esker_message(ds), "rank 0: ") == 1) .eqv. (num_ranks > 1), "an error of one rank names none")
    call esker_close(ds)
    call esker_free(ds)
  end subroutine

  ! One wrong put per step, whose error esker_end_step returns again.
  subroutine test_puts()
    type(esker_dataset) :: ds
    real(real32), target :: samples(map_nx, map_ny), line(map_nx), pairs(2, map_nx, map_ny)
    real(real64), target :: doubles(map_nx, map_ny)
    integer :: field, case, ierr
    character(80) :: word
    samples = 0
    line = 0
    pairs = 0
    doubles = 0
    call create_map(ds, "puts.idx", field)
    do case = 1, 10
      call esker_begin_step(ds, 1d0)
      select case (case)
      case (1)
        call esker_put(ds, field, one, doubles, ierr=ierr)
        word = "float64"
      case (2)
        call esker_put(ds, field + 4, one, samples, ierr=ierr)
        word = "no field has the number 5; there are 1"
      case (3)
        call esker_put(ds, field, one + 1, samples, ierr=ierr)
        word = "the patch (2:14, 2:8) exceeds the grid (1:13, 1:7)"
      case (4)
        call esker_put(ds, field, one(:1), line, ierr=ierr)
        word = "put 'thk': an array of 1 dimensions, start of 1; the grid has 2"
      case (5)
        call esker_put(ds, field, one, pairs, ierr=ierr)
        word = "put 'thk': 2 components, expected 1"
      case (6)
        call esker_put(ds, field, one, samples, [1, 1], ierr)
        word = "order of 1, 1"
      case (7)
        call esker_put(ds, field, one, samples, [1, 2, 0], ierr)
        word = "order of 1, 2, 0"
      case (8)
        call esker_put(ds, field, [1_int64, 1_int64, 1_int64], samples, ierr=ierr)
        word = "start of 3"
      case (9)
        call esker_put_strided(ds, field, esker_float32, one, one, c_loc(samples), [4_int64], 0_int64, ierr)
        word = "2, 2, 1 elements, expected 2 each"
      case (10)
        call esker_put(ds, field, one, samples, [2, 1], ierr)  ! x along the second dimension, which has ny points
        word = "exceeds the grid"
      end select
      call check(ierr /= esker_ok, word)
      call check_fails(ds, ierr, ierr, trim(word))
      call esker_end_step(ds, ierr)
      call check(ierr /= esker_ok, "end_step: " // word)
      call check_fails(ds, ierr, ierr, trim(word))
    end do
    call esker_begin_step(ds, 1d0)
    call esker_end_step(ds, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "no rank put")
    call write_map(ds, field, 1d0, 1., ierr)
    call check_ok(ds, ierr, "the dataset is still usable")
    call esker_begin_step(ds, 1d0, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "does not follow")
    call esker_close(ds, ierr)
    call esker_free(ds)
  end subroutine

  ! Only the last rank makes an error: all ranks get the same status, and none waits.
  subroutine test_one_rank_fails()
    type(esker_dataset) :: ds
    character(20) :: digits
    character(:), allocatable :: who
    logical :: mine
    real(real32), target :: line(map_nx)
    integer :: field, ierr
    write (digits, "(i0)") num_ranks - 1
    who = ""
    if (num_ranks > 1) who = "rank " // trim(digits) // ": "
    mine = rank == num_ranks - 1
    line = 0
    call create_map(ds, "one.idx", field)
    call write_map(ds, field, 0d0, 1., ierr)
    call esker_begin_step(ds, 1d0)
    if (mine) call esker_put(ds, field, one, line, ierr=ierr)  ! found by the module itself
    call esker_end_step(ds, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, who // "put 'thk': an array of 1 dimensions")
    call esker_begin_step(ds, 1d0)
    if (mine) call esker_fail(ds, esker_data_loss, "the model has NaNs", ierr)
    call esker_end_step(ds, ierr)
    call check_fails(ds, ierr, esker_data_loss, "the model has NaNs")
    if (mine) call esker_fail(ds, esker_ok, "fine", ierr)
    if (mine) call check_fails(ds, ierr, esker_invalid_argument, "not an error")
    call write_map(ds, field, 1d0, 2., ierr)
    call check_ok(ds, ierr, "write after errors")
    call esker_close(ds)
    call esker_free(ds)
    call expect_map("one.idx", [0d0, 1d0], [1., 2.])

    call create_map(ds, "left.idx", field)  ! a rank that leaves does not block the others
    call write_map(ds, field, 0d0, 1., ierr)
    if (.not. mine) then
      call write_map(ds, field, 1d0, 2., ierr)
      call check_fails(ds, ierr, esker_mismatched_call, "gone home")
    end if
    call esker_abandon(ds, merge(esker_unsupported, esker_ok, mine), "gone home", ierr)
    call check_fails(ds, ierr, esker_unsupported, "gone home")
    call esker_free(ds)
  end subroutine

  ! Calls that are not allowed now, or not with this kind of dataset.
  subroutine test_order()
    type(esker_dataset) :: ds
    type(esker_verify_report) :: verified
    real(real32), target :: samples(map_nx, map_ny)
    integer :: field, n, ierr
    samples = 0
    call create_map(ds, "order.idx", field)
    call esker_put(ds, field, one, samples, ierr=ierr)
    call check_fails(ds, ierr, esker_wrong_order, "no step")
    call esker_end_step(ds, ierr)
    call check_fails(ds, ierr, esker_wrong_order, "no step")
    call write_map(ds, field, 0d0, 1., ierr)
    call esker_get(ds, field, 1, samples, ierr=ierr)
    call check_fails(ds, ierr, esker_wrong_order, "for writing")
    call esker_inq_max_level(ds, field, n, ierr)
    call check_fails(ds, ierr, esker_wrong_order, "for writing")
    call esker_verify(ds, verified, ierr=ierr)
    call check_fails(ds, ierr, esker_wrong_order, "for writing")
    call esker_close(ds)
    call esker_close(ds)  ! closing twice does nothing
    call esker_begin_step(ds, 1d0, ierr)
    call check_fails(ds, ierr, esker_wrong_order, "closed")
    call esker_put(ds, field, one, samples, ierr=ierr)
    call check_fails(ds, ierr, esker_wrong_order, "no step")
    call esker_rewind(ds, 1d0, ierr)
    call check_fails(ds, ierr, esker_wrong_order, "closed")
    call esker_free(ds)
    call esker_open(ds, path_of("order.idx"))
    call esker_begin_step(ds, 1d0, ierr)
    call check_fails(ds, ierr, esker_wrong_order, "reading only")
    call esker_put(ds, field, one, samples, ierr=ierr)
    call check_fails(ds, ierr, esker_wrong_order, "reading only")
    call esker_close(ds)
    call esker_get(ds, field, 1, samples, ierr=ierr)
    call check_fails(ds, ierr, esker_wrong_order, "closed")
    call esker_free(ds)
    call esker_get(ds, field, 1, samples, ierr=ierr)  ! a handle that was never made
    call check_fails(ds, ierr, esker_invalid_argument, "NULL")
    call esker_free(ds)  ! frees the error's text
  end subroutine
end module
