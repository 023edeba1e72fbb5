! All cases, in the order in which they run.
module cases
  use world
  use array_cases
  use compression_cases
  use error_cases
  use keep_cases
  use library_cases
  use mesh_cases
  use plan_cases
  use round_trip_cases
  use session_cases
  use together_cases
  use typed_cases
  implicit none

contains

  ! The only argument of the program.
  subroutine take_directory()
    integer :: length
    if (command_argument_count() /= 1) error stop "usage: PROGRAM DIRECTORY"
    call get_command_argument(1, length=length)
    allocate(character(length) :: directory)
    call get_command_argument(1, directory)
  end subroutine

  subroutine run_all()
    call run("library", test_library)
    call run("options", test_options)
    call run("round_trip", test_round_trip)
    call run("typed", test_typed)
    call run("kinds", test_kinds)
    call run("ranks", test_ranks)
    call run("bounds", test_bounds)
    call run("structures", test_structures)
    call run("buffered", test_buffered)
    call run("together", test_together)
    call run("kinds_together", test_kinds_together)
    call run("compression", test_compression)
    call run("keep", test_keep)
    call run("mesh", test_mesh)
    call run("append", test_append)
    call run("asynchronous", test_asynchronous)
    call run("several", test_several)
    call run("reports", test_reports)
    call run("verify", test_verify)
    call run("opening", test_opening)
    call run("definitions", test_definitions)
    call run("puts", test_puts)
    call run("one_rank_fails", test_one_rank_fails)
    call run("order", test_order)
    call run("decompositions", test_decompositions)
    call run("plan", test_plan)
    call run("view", test_view)
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
