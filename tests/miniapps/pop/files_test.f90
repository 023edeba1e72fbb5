! pop_files_test FOLDER: files of each mode and kind hold the model's samples, and a changed sample on one rank is
! detected. On any number of ranks.
program pop_files_test
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi
  use contents
  use ocean
  use output
  use raw_output, only: prefer_romio
  use tiles
  implicit none
  character(16), parameter :: modes(6) = &
    [character(16) :: "gather", "levels", "sieving", "collective", "esker", "esker_cdf5"]
  type(tile) :: mine
  type(state), target :: s
  type(mode_output) :: out
  character(1000) :: folder
  integer :: m, kind, ierr
  call get_command_argument(1, folder)
  call prefer_romio()
  call MPI_Init(ierr)
  call make_tile(23, 17, mine)
  call make_state(mine, 23, 17, 3, s)
  s%step = 1
  do m = 1, size(modes)
    call open_mode(s, modes(m), trim(folder) // "/" // trim(modes(m)), 2, out)
    do kind = 1, size(kinds)
      call write_files(s, kind, out)
      call expect(.true.)
      call change(1)
      call expect(.false.)
      call change(-1)
      if (.not. out%seconds(kind) > 0) call fail("no time")
    end do
    call close_mode(s, out)
  end do
  call MPI_Finalize(ierr)

contains

  ! The last sample of the last rank, exactly.
  subroutine change(by)
    integer, intent(in) :: by
    if (mine%rank /= mine%num_ranks - 1) return
    associate (n => mine%count)
      s%temp(n(1), n(2), 1) = s%temp(n(1), n(2), 1) * merge(2.0, 0.5, by > 0)
      s%temp_sum(n(1), n(2), 3) = s%temp_sum(n(1), n(2), 3) + by
    end associate
  end subroutine

  subroutine expect(same)
    logical, intent(in) :: same
    if (files_hold(s, kind, out) .neqv. same) call fail(merge("other samples", "not told     ", same))
  end subroutine

  subroutine fail(what)
    character(*), intent(in) :: what
    write (error_unit, "(5a)") trim(modes(m)), ", ", trim(kinds(kind)), ": ", what
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine
end program
