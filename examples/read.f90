! Reads a field at a sixteenth of its samples, without MPI: read_f90
program read_f90
  use, intrinsic :: iso_fortran_env, only: int64, real32
  use esker
  implicit none
  type(esker_dataset) :: ds
  integer :: thk, level
  integer(int64), allocatable :: n(:)
  real(real32), allocatable :: samples(:, :)
  ! [README
  call esker_open(ds, "run.idx")
  call esker_inq_field_id(ds, "thk", thk)
  call esker_inq_max_level(ds, thk, level)
  call esker_inq_selection(ds, thk, esker_last_step, level=level - 4, samples=n)
  allocate(samples(n(1), n(2)))
  call esker_get(ds, thk, esker_last_step, samples, level=level - 4)
  ! README]
  print "(*(g0))", "thk: ", n(1), " x ", n(2), " samples, first ", nint(samples(1, 1)), ", last ", &
    nint(samples(n(1), n(2)))
  call esker_free(ds)
end program
