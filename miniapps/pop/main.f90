! esker-pop: an ocean whose eddies move, and the files that POP writes of it. README.md says what is solved.
program esker_pop
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use mpi
  use barotropic
  use climatology
  use contents
  use ocean
  use output
  use esker_output, only: read_restart
  use raw_output, only: can_write_raw, prefer_romio
  use settings
  use shares
  use tiles
  use tracer
  implicit none
  type(tile) :: mine
  type(state), target :: s
  integer :: m, ierr

  call prefer_romio()
  call MPI_Init(ierr)
  if (.not. read_settings()) call leave(2)
  do m = 1, size(mode)
    if (can_write_raw(mode(m))) cycle
    write (error_unit, "(3a)") "esker-pop: mode '", trim(mode(m)), "' needs ROMIO: unset OMPI_MCA_io"
    call leave(2)
  end do
  call make_tile(nx, ny, mine)
  if (mine%num_ranks == 0) then
    write (error_unit, "(a)") "esker-pop: more ranks than columns along an axis: use fewer ranks"
    call leave(2)
  end if
  call make_state(mine, nx, ny, nz, s)
  if (temperature_from /= "") call start_from(trim(temperature_from))
  if (restart_from /= "") call go_on_from(restart_from)
  call run()
  call MPI_Finalize(ierr)

contains

  subroutine start_from(path)
    character(*), intent(in) :: path
    if (.not. on_all_ranks(mine, read_temperature(path, s))) call leave(1)
    call exchange_halo(mine, s%temp)
  end subroutine

  subroutine go_on_from(path)
    character(*), intent(in) :: path
    if (.not. read_restart(path, s)) call leave(1)
    call exchange_halo(mine, s%eta)
    call exchange_halo(mine, s%u)
    call exchange_halo(mine, s%v)
    call exchange_halo(mine, s%temp)
  end subroutine

  subroutine run()
    type(mode_output), allocatable :: modes(:)
    real(real64) :: began, model_s, before(2)
    integer :: n
    before = [total(s%temp), total(s%eta)]
    call open_modes(modes)
    model_s = 0
    do n = 1, num_steps
      began = MPI_Wtime()
      call step_model()
      call MPI_Barrier(mine%comm, ierr)
      model_s = model_s + MPI_Wtime() - began
      if (mod(s%step, movie_every) == 0) call write_all(movie, n, modes)
      if (mod(s%step, history_every) == 0) call write_all(history, n, modes)
    end do
    call write_all(restart, num_steps, modes)
    call write_all(average, num_steps, modes)
    do n = 1, size(modes)
      call close_mode(s, modes(n))
    end do
    call tell(model_s, modes, before)
  end subroutine

  ! With several modes, each mode has a separate directory.
  subroutine open_modes(modes)
    type(mode_output), allocatable, intent(out) :: modes(:)
    integer :: m
    allocate(modes(count(mode /= "")))
    do m = 1, size(modes)
      if (size(modes) == 1) call open_mode(s, mode(m), trim(directory), writers, modes(m))
      if (size(modes) > 1) call open_mode(s, mode(m), trim(directory) // "/" // trim(mode(m)), writers, modes(m))
    end do
  end subroutine

  ! Writes files of a kind in all modes, starting with another mode each time. With several modes, reads them back.
  subroutine write_all(kind, first, modes)
    integer, intent(in) :: kind, first
    type(mode_output), intent(inout) :: modes(:)
    integer :: i, m
    do i = 1, size(modes)
      m = modulo(first + i, size(modes)) + 1
      call write_files(s, kind, modes(m))
      if (size(modes) == 1) cycle
      if (files_hold(s, kind, modes(m))) cycle
      if (mine%rank == 0) write (error_unit, "(5a)") "esker-pop: mode ", trim(modes(m)%mode), ": the samples in the ", &
        trim(kinds(kind)), " file differ from the model's state"
      call leave(1)
    end do
  end subroutine

  ! Short steps of the barotropic mode, then one step of the tracer.
  subroutine step_model()
    integer :: i
    do i = 1, substeps
      call step_barotropic(s)
    end do
    call step_tracer(s, substeps * s%dt)
    s%step = s%step + 1
    s%temp_sum = s%temp_sum + s%temp(1:mine%count(1), 1:mine%count(2), :)
  end subroutine

  real(real64) function total(a)
    real(real64), intent(in) :: a(0:, 0:, :)
    real(real64) :: here
    here = sum(a(1:mine%count(1), 1:mine%count(2), :))
    call MPI_Allreduce(here, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, mine%comm, ierr)
  end function

  subroutine tell(model_s, modes, before)
    real(real64), intent(in) :: model_s, before(:)
    type(mode_output), intent(in) :: modes(:)
    real(real64) :: gained(2)
    gained = [total(s%temp), total(s%eta)] / before - 1
    if (mine%rank == 0) then
      print "(a, i0, a, i0, 'x', i0, 'x', i0, a, i0, a)", "step ", s%step, " of ", nx, ny, nz, " on ", mine%num_ranks, " ranks"
      print "(a, 2es10.2)", "relative change of heat and water:", gained
    end if
    call tell_shares(s, model_s, modes)
  end subroutine

  ! Ends the program, with the same status on all ranks.
  subroutine leave(status)
    integer, intent(in) :: status
    call MPI_Finalize(ierr)
    stop status, quiet=.true.
  end subroutine
end program
