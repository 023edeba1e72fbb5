! The settings of a run: a namelist, like POP's pop_in.
module settings
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use output, only: is_mode
  use raw_output, only: raw_modes
  implicit none
  private
  public :: read_settings

  integer, public, protected :: nx = 360, ny = 240, nz = 10  ! POP's 0.1 degree grid: 3600, 2400, 42
  integer, public, protected :: num_steps = 12       ! steps of this run, of about 2 hours each
  integer, public, protected :: history_every = 6    ! steps between snapshots, movie frames
  integer, public, protected :: movie_every = 2
  character(16), public, protected :: mode(8) = ""   ! how files are written; several modes are compared; all: each once
  integer, public, protected :: writers = 0          ! number of writers in mode "levels"; 0: each rank
  character(1000), public, protected :: directory = "pop"    ! directory of the datasets
  character(1000), public, protected :: temperature_from = ""  ! data/ocean_temperature_january.be32; else a formula
  character(1000), public, protected :: restart_from = ""    ! dataset of an earlier run that this run continues

contains

  ! Reads the namelist &pop from the file named by the only argument. False, and the reason on stderr, if that fails.
  logical function read_settings() result(good)
    character(1000) :: path, message
    integer :: unit, status, i
    namelist /pop/ nx, ny, nz, num_steps, history_every, movie_every, mode, writers, directory, &
      temperature_from, restart_from
    good = command_argument_count() == 1
    if (.not. good) then
      write (error_unit, "(a)") "usage: mpiexec -n N esker-pop NAMELIST"
      return
    end if
    call get_command_argument(1, path)
    open (newunit=unit, file=trim(path), status="old", action="read", iostat=status, iomsg=message)
    if (status == 0) read (unit, nml=pop, iostat=status, iomsg=message)
    if (status == 0 .and. min(nx, ny, nz, num_steps, history_every, movie_every) < 1) then
      status = 1
      message = "expected sizes, num_steps and steps between files of at least 1"
    end if
    if (status == 0 .and. writers < 0) then
      status = 1
      message = "expected writers of at least 0"
    end if
    if (mode(1) == "") mode(1) = "esker"
    if (mode(1) == "all") mode(:size(raw_modes) + 1) = [character(16) :: raw_modes, "esker"]
    do i = 1, size(mode)
      if (status /= 0 .or. mode(i) == "" .or. is_mode(mode(i))) cycle
      status = 1
      message = "mode '" // trim(mode(i)) // "', expected all, esker, esker_FORMAT, gather, levels, sieving or collective"
    end do
    good = status == 0
    if (.not. good) write (error_unit, "(4a)") "esker-pop: ", trim(path), ": ", trim(message)
  end function
end module
