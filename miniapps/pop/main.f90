! esker-pop: an ocean whose eddies move, and the files that POP writes of it. README.md says what is solved.
program esker_pop
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use mpi
  use barotropic
  use ocean
  use output
  use raw_output
  use settings
  use tiles
  use tracer
  implicit none
  type(tile) :: mine
  type(state) :: s
  integer :: ierr

  call MPI_Init(ierr)
  if (.not. read_settings()) call leave(2)
  if (mode /= "esker" .and. .not. is_raw_mode(mode)) then
    write (error_unit, "(3a)") "esker-pop: mode '", trim(mode), "', expected esker, gather, levels, sieving or collective"
    call leave(2)
  end if
  call make_tile(nx, ny, mine)
  if (mine%num_ranks == 0) then
    write (error_unit, "(a)") "esker-pop: more ranks than columns"
    call leave(2)
  end if
  call make_state(mine, nx, ny, nz, s)
  if (restart_from /= "") call go_on_from(restart_from)
  call run()
  call MPI_Finalize(ierr)

contains

  subroutine go_on_from(path)
    character(*), intent(in) :: path
    if (.not. read_restart(path, s)) call leave(1)
    call exchange_halo(mine, s%eta)
    call exchange_halo(mine, s%u)
    call exchange_halo(mine, s%v)
    call exchange_halo(mine, s%temp)
  end subroutine

  subroutine run()
    type(dataset) :: history, movie
    real(real64) :: began, output_began, output_s, history_s, before(2)
    integer :: n
    before = [total(s%temp), total(s%eta)]
    began = MPI_Wtime()
    if (mode == "esker") call open_history(s, path_of("history"), history)
    call open_movie(s, path_of("movie"), movie)
    output_s = MPI_Wtime() - began
    history_s = 0
    do n = 1, num_steps
      call step_model()
      output_began = MPI_Wtime()
      if (mod(s%step, movie_every) == 0) call write_movie(s, movie)
      history_s = history_s - MPI_Wtime()
      if (mod(s%step, history_every) == 0) call write_snapshot(history)
      history_s = history_s + MPI_Wtime()
      output_s = output_s + MPI_Wtime() - output_began
    end do
    output_began = MPI_Wtime()
    if (mode == "esker") call close_dataset(history)
    call close_dataset(movie)
    call write_restart(s, path_of("restart"))
    call write_average(s, path_of("average"))
    output_s = output_s + MPI_Wtime() - output_began
    call tell(MPI_Wtime() - began, output_s, history_s, before)
  end subroutine

  subroutine write_snapshot(history)
    type(dataset), intent(inout) :: history
    character(20) :: digits
    write (digits, "(i0)") s%step
    if (mode == "esker") call write_history(s, history)
    if (mode /= "esker") call write_raw(s, mode, path_of("history." // trim(digits) // ".raw"))
  end subroutine

  ! The barotropic mode in short steps, and one of tracers.
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

  ! Times are the slowest rank's.
  subroutine tell(run_s, output_s, history_s, before)
    real(real64), intent(in) :: run_s, output_s, history_s, before(:)
    real(real64) :: slowest(3), gained(2)
    call MPI_Allreduce([run_s, output_s, history_s], slowest, 3, MPI_DOUBLE_PRECISION, MPI_MAX, mine%comm, ierr)
    gained = [total(s%temp), total(s%eta)] / before - 1
    if (mine%rank /= 0) return
    print "(a, i0, a, i0, 'x', i0, 'x', i0, a, i0, a)", "step ", s%step, " of ", nx, ny, nz, " on ", mine%num_ranks, " ranks"
    print "(3(a, f0.3), 2a, f0.1, a)", "run ", slowest(1), " s, files ", slowest(2), " s; snapshots ", slowest(3), &
      " s by ", trim(mode) // ", ", 100 * slowest(3) / slowest(1), " % of the run"
    print "(a, 2es10.2)", "heat and water gained, as parts of all:", gained
  end subroutine

  function path_of(name) result(path)
    character(*), intent(in) :: name
    character(:), allocatable :: path
    path = trim(directory) // "/" // name
  end function

  ! The same on all ranks, or before they have anything in common.
  subroutine leave(status)
    integer, intent(in) :: status
    call MPI_Finalize(ierr)
    stop status, quiet=.true.
  end subroutine
end program
