! All cases, in the order in which they run.
module cases
  use world
  use library_cases
  use round_trip_cases
  implicit none

contains

  subroutine take_directory()
    integer :: length
    call get_command_argument(1, length=length)
    allocate(character(length) :: directory)
    call get_command_argument(1, directory)
    if (command_argument_count() /= 1) error stop "usage: PROGRAM DIRECTORY"
  end subroutine

  subroutine run_all()
    call run("library", test_library)
    call run("options", test_options)
    call run("round_trip", test_round_trip)
  end subroutine

  subroutine run(name, test)
    character(*), intent(in) :: name
    procedure() :: test
    integer :: before
    before = num_failures
    call test()
    if (rank == 0) print "(a, ': ', a)", name, merge("ok    ", "FAILED", num_failures == before)
  end subroutine
end module
