! A Fortran program that forgets to close its dataset: MPI_Finalize discards the open step and releases the lock.
!
!   mpiexec -n N fortran_forget_close DIRECTORY
program forget_close
  use mpi
  use world
  implicit none
  type(esker_comm) :: alone
  type(esker_dataset) :: ds
  type(esker_options) :: options
  integer :: field, num, ierr
  character(1000) :: argument
  call get_command_argument(1, argument)
  directory = trim(argument)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, num_ranks, ierr)
  if (rank == 0) call execute_command_line("mkdir -p '" // directory // "'")
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call esker_comm_from_mpi(MPI_COMM_WORLD, comm)
  call create_map(ds, "run.idx", field)
  call write_map(ds, field, 0d0, 1.0, ierr)
  call check_ok(ds, ierr, "the first step")
  call esker_begin_step(ds, 1d0)
  call check(lock_exists(), "the writer holds a lock")
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)

  call esker_end_step(ds, ierr)
  call check_fails(ds, ierr, esker_wrong_order, "MPI has been finalized")
  call esker_free(ds)
  call esker_comm_free(comm)
  if (rank == 0) then  ! in the same process, so that the lock is not that of a process that has ended
    call check(.not. lock_exists(), "the lock is released")
    call make_small_options(options)
    call esker_append(ds, path_of("run.idx"), alone, options, ierr)
    call check_ok(ds, ierr, "append")
    call esker_inq_steps(ds, num, ierr=ierr)
    call check(num == 1, "the open step is discarded")
    call esker_close(ds)
    call esker_free(ds)
    call esker_options_free(options)
  end if
  if (num_failures > 0) error stop 1

contains

  logical function lock_exists()
    inquire(file=path_of("run.esker-lock"), exist=lock_exists)
  end function
end program
