! pop_climatology_test FILE: cells of the grid that are cells of the file have its temperature
! (data/README.md), land has the mean of the sea in its row, and levels are interpolated. On any number of ranks.
program pop_climatology_test
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use climatology
  use mpi
  use ocean
  use tiles
  implicit none
  integer, parameter :: levels = 400  ! 10 m each: the third in 25 m, the middle of the file's first, the sixth in 55 m
  type(tile) :: mine
  type(state) :: s
  character(1000) :: path
  integer :: ierr
  call get_command_argument(1, path)
  call MPI_Init(ierr)
  call make_tile(90, 40, mine)
  call make_state(mine, 90, 40, levels, s)
  if (.not. read_temperature(trim(path), s)) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  call expect([1, 16, 3], 22.590494_real64)
  call expect([1, 16, 6], (22.590494_real64 + 17.446861_real64) / 2)
  call expect([1, 16, 1], 22.590494_real64)  ! above the middle of the file's first level
  call expect([61, 21, 3], 25.433174_real64)
  call expect([4, 16, 3], 25.915519_real64)  ! land: the mean of 68 values
  call MPI_Finalize(ierr)

contains

  subroutine expect(cell, temp)
    integer, intent(in) :: cell(3)
    real(real64), intent(in) :: temp
    integer :: i(2)
    i = cell(:2) - mine%start + 1
    if (any(i < 1) .or. any(i > mine%count)) return
    if (abs(s%temp(i(1), i(2), cell(3)) - temp) < 1e-5_real64) return
    write (error_unit, "(a, 3(1x, i0), 2(a, f0.6))") "at", cell, ": ", s%temp(i(1), i(2), cell(3)), ", expected ", temp
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine
end program
