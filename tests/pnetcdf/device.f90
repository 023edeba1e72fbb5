! Sections of arrays in memory of a GPU, which the tests' double of the CUDA driver has, in the Fortran 90 procedures that
! take values as a list: pnetcdf_device_fortran FILE
program device
  use checks
  use driver
  use mpi
  use pnetcdf
  implicit none
  integer, parameter :: wide = 10, n = 4
  integer(c_size_t), parameter :: bytes = wide * wide * 8
  real(c_double), target :: values(wide, wide), found(wide, wide)
  real(c_double), pointer :: on_device(:, :)
  real(c_double) :: in_file(n, n)
  type(c_ptr) :: context, address
  integer(MPI_OFFSET_KIND) :: starts(2, 1), counts(2, 1)
  integer :: ierr, ncid, x, y, varid, i, j
  character(len=256) :: file

  call MPI_Init(ierr)
  call get_command_argument(1, file)
  do j = 1, wide
    do i = 1, wide
      values(i, j) = 100 * i + j
    end do
  end do
  call check(retain_context(context, 0) == 0 .and. push_context(context) == 0)
  call check(allocate_bytes(address, bytes) == 0)
  call check(copy_to_device(address, c_loc(values), bytes) == 0)
  call c_f_pointer(address, on_device, [wide, wide])

  call expect(nf90mpi_create(MPI_COMM_WORLD, file, ior(NF90_CLOBBER, NF90_64BIT_DATA), MPI_INFO_NULL, ncid), NF90_NOERR)
  call expect(nf90mpi_def_dim(ncid, 'x', int(n, MPI_OFFSET_KIND), x), NF90_NOERR)
  call expect(nf90mpi_def_dim(ncid, 'y', int(n, MPI_OFFSET_KIND), y), NF90_NOERR)
  call expect(nf90mpi_def_var(ncid, 'v', NF90_DOUBLE, [x, y], varid), NF90_NOERR)
  call expect(nf90mpi_enddef(ncid), NF90_NOERR)
  starts = 1
  counts = n
  call expect(nf90mpi_put_varn_all(ncid, varid, on_device(3:6, 2:8:2), 1, starts, counts), NF90_NOERR)
  call expect(nf90mpi_get_var_all(ncid, varid, in_file), NF90_NOERR)
  call check(all(in_file == values(3:6, 2:8:2)))

  ! What is not in the section remains.
  call expect(nf90mpi_get_varn_all(ncid, varid, on_device(7:10, 1:4), 1, starts, counts), NF90_NOERR)
  call check(copy_to_host(c_loc(found), address, bytes) == 0)
  values(7:10, 1:4) = in_file
  call check(all(found == values))
  call expect(nf90mpi_close(ncid), NF90_NOERR)
  call finish()
end program
