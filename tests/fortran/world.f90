! The Fortran tests: cases are subroutines that run on all ranks of a world, alone or under mpiexec.
module world
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real32, real64
  use esker
  implicit none

  type(esker_comm) :: comm                ! never made in the serial program: this process alone
  integer :: rank = 0, num_ranks = 1
  character(:), allocatable :: directory  ! of the datasets, the same on all ranks
  integer :: num_failures = 0             ! of this rank

  integer, parameter :: map_nx = 13, map_ny = 7

contains

  ! Counts and prints a failure of this rank unless the condition holds.
  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    num_failures = num_failures + 1
    write (error_unit, "(a, i0, 2a)") "rank ", rank, ": failed: ", what
  end subroutine

  ! A call with `ds` that succeeded.
  subroutine check_ok(ds, ierr, what)
    type(esker_dataset), intent(in) :: ds
    integer, intent(in) :: ierr
    character(*), intent(in) :: what
    call check(ierr == esker_ok, what // ": " // esker_strerror(ierr) // ": " // esker_message(ds))
  end subroutine

  ! A call with `ds` that failed with this status, and a message that contains `word`.
  subroutine check_fails(ds, ierr, expected, word)
    type(esker_dataset), intent(in) :: ds
    integer, intent(in) :: ierr, expected
    character(*), intent(in) :: word
    character(:), allocatable :: text
    text = esker_message(ds)
    call check(ierr == expected .and. index(text, word) > 0, &
      "'" // esker_strerror(expected) // "' with '" // word // "'; found '" // esker_strerror(ierr) // "': " // &
      esker_message(ds))
  end subroutine

  function path_of(name) result(path)
    character(*), intent(in) :: name
    character(:), allocatable :: path
    path = directory // "/" // name
  end function

  ! Options for small datasets: small blocks, no report; existing datasets are replaced.
  subroutine make_small_options(options)
    type(esker_options), intent(out) :: options
    call esker_options_new(options)
    call esker_options_set(options, "overwrite", "true")
    call esker_options_set(options, "report", "none")
    call esker_options_set(options, "bits_per_block", "6")
    call esker_options_set(options, "blocks_per_file", "4")
  end subroutine

  ! A new dataset with these options.
  subroutine create(ds, name)
    type(esker_dataset), intent(out) :: ds
    character(*), intent(in) :: name
    type(esker_options) :: options
    call make_small_options(options)
    call esker_create(ds, path_of(name), comm, options)
    call esker_options_free(options)
  end subroutine

  ! The same with one grid "map" of 13 x 7 samples and one float32 field "thk".
  subroutine create_map(ds, name, field)
    type(esker_dataset), intent(out) :: ds
    character(*), intent(in) :: name
    integer, intent(out) :: field
    integer :: dims(2), grid
    call create(ds, name)
    call esker_def_dim(ds, "x", int(map_nx, int64), dims(1))
    call esker_def_dim(ds, "y", int(map_ny, int64), dims(2))
    call esker_def_grid(ds, "map", dims, grid)
    call esker_def_field(ds, grid, "thk", esker_float32, 1, esker_every_step, field)
  end subroutine

  ! This rank's part of x in 1 ... map_nx.
  subroutine my_columns(first, num)
    integer, intent(out) :: first, num
    first = map_nx * rank / num_ranks + 1
    num = map_nx * (rank + 1) / num_ranks + 1 - first
  end subroutine

  ! One step of create_map's dataset, all samples of which are `value`.
  subroutine write_map(ds, field, time, value, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field
    real(real64), intent(in) :: time
    real(real32), intent(in) :: value
    integer, intent(out) :: ierr
    real(real32), allocatable, target :: samples(:, :)
    integer :: first, num
    call my_columns(first, num)
    allocate(samples(num, map_ny), source=value)
    call esker_begin_step(ds, time, ierr)
    call esker_put(ds, field, [int(first, int64), 1_int64], samples, ierr=ierr)
    call esker_end_step(ds, ierr)  ! with the errors of the two before
  end subroutine

  ! Opens the dataset and checks times and values of such steps, from the first on.
  subroutine expect_map(name, times, values)
    character(*), intent(in) :: name
    real(real64), intent(in) :: times(:)
    real(real32), intent(in) :: values(:)
    type(esker_dataset) :: ds
    real(real64), allocatable :: found(:)
    real(real32) :: samples(map_nx, map_ny)
    integer :: num, field, step, ierr
    call esker_open(ds, path_of(name), esker_open_verify, ierr)
    call check_ok(ds, ierr, "open " // name)
    call esker_inq_steps(ds, num, found, ierr)
    call check(num == size(times), name // ": number of steps")
    call esker_inq_field_id(ds, "thk", field)
    do step = 1, min(num, size(times))
      call check(found(step) == times(step), name // ": time")
      call esker_get(ds, field, step, samples)
      call check(all(samples == values(step)), name // ": samples")
    end do
    call esker_close(ds, ierr)
    call check_ok(ds, ierr, "close")
    call esker_free(ds)
  end subroutine
end module
