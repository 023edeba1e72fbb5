! write_read_f90 DATASET: writes and reads a dataset of the same samples as write_read.cc, without MPI.
program write_read
  use, intrinsic :: iso_fortran_env, only: int64, real32
  use esker
  implicit none
  integer, parameter :: nx = 15, ny = 33
  real(real32), target :: samples(nx, ny)
  real(real32) :: found(nx, ny)
  character(1000) :: path
  type(esker_dataset) :: ds
  integer :: dims(2), grid, thk, i

  call get_command_argument(1, path)
  samples = reshape([(real(i, real32), i = 0, nx * ny - 1)], [nx, ny])
  call esker_create(ds, path)
  call esker_def_dim(ds, "x", int(nx, int64), dims(1))
  call esker_def_dim(ds, "y", int(ny, int64), dims(2))
  call esker_def_grid(ds, "map", dims, grid)
  call esker_def_field(ds, grid, "thk", esker_float32, 1, esker_every_step, thk)
  call esker_begin_step(ds, 0d0)
  call esker_put(ds, thk, [1_int64, 1_int64], samples)
  call esker_end_step(ds)
  call esker_close(ds)
  call esker_free(ds)

  call esker_open(ds, path)
  call esker_get(ds, thk, 1, found)
  call esker_free(ds)
  if (any(found /= samples)) error stop "other samples than were written"
  print "(2a)", trim(path), ": written and read in Fortran"
end program
