! All ranks write one step of one field together: mpiexec -n 4 write_f90
program write_f90
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real32
  use mpi
  use esker
  implicit none
  integer, parameter :: nx = 300, ny = 100
  real(real32), target :: thickness(0:nx + 1, 0:ny + 1)  ! with ghost cells around
  type(esker_comm) :: comm
  type(esker_dataset) :: ds
  integer :: rank, num_ranks, dims(2), grid, thk, ierr

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, num_ranks, ierr)
  thickness = 1 + rank
  ! [README
  call esker_comm_from_fortran(MPI_COMM_WORLD, comm)
  call esker_create(ds, "run.idx", comm, ierr=ierr)  ! without ierr an error stops the program and says what it is
  call esker_def_dim(ds, "x", int(nx, int64), dims(1), ierr)
  call esker_def_dim(ds, "y", int(ny * num_ranks, int64), dims(2), ierr)
  call esker_def_grid(ds, "map", dims, grid, ierr)
  call esker_def_field(ds, grid, "thk", esker_float32, 1, esker_every_step, thk, ierr)
  call esker_begin_step(ds, 0d0, ierr)
  call esker_put(ds, thk, [1_int64, int(ny * rank + 1, int64)], thickness(1:nx, 1:ny), ierr=ierr)  ! no copy

  call esker_end_step(ds, ierr)  ! collective, with the errors of all calls above
  if (ierr == esker_ok) call esker_close(ds, ierr)
  if (ierr /= esker_ok) write (error_unit, "(a, i0, 2a)") "rank ", rank, ": ", esker_message(ds)
  call esker_free(ds)
  ! README]
  call esker_comm_free(comm)
  call MPI_Finalize(grid)
  if (ierr /= esker_ok) stop 1
end program
