! A mode of writing: its files, in a separate directory, and the seconds to write them.
module output
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi
  use contents
  use esker_output
  use ocean
  use raw_output
  implicit none
  private
  public :: mode_output, is_mode, open_mode, write_files, files_hold, close_mode

  type :: mode_output
    character(16) :: mode = ""
    character(:), allocatable :: directory
    integer :: num_writers = 1            ! in mode "levels"
    real(real64) :: seconds(size(kinds)) = 0  ! by kind of file, the same on all ranks
    type(dataset), private :: datasets(size(kinds))
  end type

contains

  ! esker, esker_FORMAT, or one of raw_output's.
  logical function is_mode(mode)
    character(*), intent(in) :: mode
    is_mode = mode == "esker" .or. index(mode, "esker_") == 1 .or. any(mode == raw_modes)
  end function

  ! Also creates the directory. Collective, like all procedures below.
  subroutine open_mode(s, mode, directory, num_writers, out)
    type(state), intent(in) :: s
    character(*), intent(in) :: mode, directory
    integer, intent(in) :: num_writers  ! 0: each rank
    type(mode_output), intent(out) :: out
    integer :: ierr
    out%mode = mode
    out%directory = directory
    out%num_writers = merge(s%tile%num_ranks, min(num_writers, s%tile%num_ranks), num_writers == 0)
    if (s%tile%rank == 0) call make_folder(directory)
    call MPI_Barrier(s%tile%comm, ierr)
  end subroutine

  ! Writes files of a kind, of the ocean as it is now.
  subroutine write_files(s, kind, out)
    type(state), intent(in), target :: s
    integer, intent(in) :: kind
    type(mode_output), intent(inout) :: out
    type(file_contents) :: content
    real(real64) :: began
    content = contents_of(s, kind)
    began = together(s)
    if (any(out%mode == raw_modes)) then
      call write_raw(s, content, out%mode, out%num_writers, path_of(s, kind, out))
    else
      call write_dataset(s, content, out%mode(7:), path_of(s, kind, out), out%datasets(kind))
    end if
    out%seconds(kind) = out%seconds(kind) + together(s) - began
  end subroutine

  ! Whether the newest files have the model's samples.
  logical function files_hold(s, kind, out)
    type(state), intent(in), target :: s
    integer, intent(in) :: kind
    type(mode_output), intent(in) :: out
    if (any(out%mode == raw_modes)) then
      files_hold = holds_raw(s, contents_of(s, kind), path_of(s, kind, out))
    else
      files_hold = holds_dataset(s, contents_of(s, kind), path_of(s, kind, out))
    end if
  end function

  subroutine close_mode(s, out)
    type(state), intent(in) :: s
    type(mode_output), intent(inout) :: out
    real(real64) :: began
    integer :: kind
    do kind = 1, size(kinds)
      began = together(s)
      call close_dataset(out%datasets(kind))
      out%seconds(kind) = out%seconds(kind) + together(s) - began
    end do
  end subroutine

  ! Names of raw files contain the step.
  function path_of(s, kind, out) result(path)
    type(state), intent(in) :: s
    integer, intent(in) :: kind
    type(mode_output), intent(in) :: out
    character(:), allocatable :: path
    character(20) :: step
    path = out%directory // "/" // trim(kinds(kind))
    write (step, "(i0)") s%step
    if (any(out%mode == raw_modes)) path = path // "." // trim(step) // ".raw"
  end function

  ! The time at which all ranks have arrived.
  real(real64) function together(s)
    type(state), intent(in) :: s
    integer :: ierr
    call MPI_Barrier(s%tile%comm, ierr)
    together = MPI_Wtime()
  end function

  ! Creates a directory and its parents. Errors are reported by opening files in it.
  subroutine make_folder(path)
    character(*), intent(in) :: path
    interface
      integer(c_int) function mkdir(path, mode) bind(C)
        import
        character(kind=c_char), intent(in) :: path(*)
        integer(c_int), value :: mode
      end function
    end interface
    integer(c_int) :: status
    integer :: i
    do i = 2, len(path)
      if (path(i:i) == "/") status = mkdir(path(:i - 1) // c_null_char, int(o"777", c_int))
    end do
    status = mkdir(path // c_null_char, int(o"777", c_int))
  end subroutine
end module
