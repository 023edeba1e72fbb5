! The Fortran tests on the ranks of an MPI job: fortran_mpi DIRECTORY. Every rank's failure fails the program.
program mpi_main
  use mpi
  use cases
  implicit none
  integer :: ierr
  logical :: failed
  call esker_comm_from_fortran(MPI_COMM_WORLD, comm, ierr)
  call check(ierr == esker_wrong_order, "no communicator before MPI_Init")
  call esker_comm_free(comm)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, num_ranks, ierr)
  call require_world_size()
  call take_directory()
  call test_communicators()
  call esker_comm_from_mpi(MPI_COMM_WORLD, comm)
  call run_all()
  call esker_comm_free(comm)
  failed = num_failures > 0
  call MPI_Allreduce(MPI_IN_PLACE, failed, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
  if (failed) error stop 1

contains

  ! With the mpiexec of another MPI, each rank would be in a world of size 1.
  subroutine require_world_size()
    character(20) :: expected, found
    call get_environment_variable("ESKER_TEST_RANKS", expected)
    write (found, "(i0)") num_ranks
    if (expected == found) return
    print "(4a)", "a world of ", trim(found), ", expected ESKER_TEST_RANKS=", trim(expected)
    call MPI_Abort(MPI_COMM_WORLD, 2, ierr)
  end subroutine

  subroutine test_communicators()
    type(esker_comm) :: none, world_comm, last_alone
    type(esker_dataset) :: ds
    integer :: found, status, split
    call esker_comm_from_fortran(MPI_COMM_NULL, none, status)
    call check(status == esker_invalid_argument, "no communicator of MPI_COMM_NULL")
    call esker_comm_rank(none, found, status)
    call check(status == esker_invalid_argument, "an invalid communicator returns its error")
    call esker_create(ds, "never.idx", none, ierr=status)
    call check_fails(ds, status, esker_invalid_argument, "MPI_COMM_NULL")
    call esker_free(ds)
    call esker_comm_free(none)
    call esker_comm_from_fortran(MPI_COMM_WORLD, world_comm, status)
    call check(status == esker_ok, "communicator of the world")
    call esker_comm_rank(world_comm, found)
    call check(found == rank, "rank")
    call esker_comm_size(world_comm, found)
    call check(found == num_ranks, "size")
    call esker_comm_free(world_comm)
    call MPI_Comm_split(MPI_COMM_WORLD, merge(1, 0, rank == num_ranks - 1), rank, split, ierr)
    call esker_comm_from_fortran(split, last_alone)
    call esker_comm_size(last_alone, found)
    call check(found == merge(1, num_ranks - 1, rank == num_ranks - 1), "size of a part of the world")
    call esker_comm_free(last_alone)
    call MPI_Comm_free(split, ierr)
  end subroutine
end program
