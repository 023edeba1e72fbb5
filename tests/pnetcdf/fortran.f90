! Fortran's order of dimensions, numbers from 1, texts with blanks, requests and several boxes.
program fortran
  use mpi
  use checks
  implicit none
  include 'pnetcdf.inc'
  integer, parameter :: nx = 6, ny = 4, nt = 2
  integer :: ierr, rank, n_ranks, ncid, dims(3), a, b, id, n, kind_of, ids(3), request(1), statuses(1)
  integer(kind=mpi_offset_kind) :: start(3), counts(3), length, starts(2, 2), boxes(2, 2)
  integer :: values(nx, ny), back(nx, ny)
  real :: corners(2), all_of_b(nx, ny)
  character(len=256) :: path, name
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n_ranks, ierr)
  call get_command_argument(1, path)

  call expect(nfmpi_create(MPI_COMM_WORLD, path, ior(nf_clobber, nf_64bit_data), MPI_INFO_NULL, ncid), nf_noerr)
  call expect(nfmpi_def_dim(ncid, 'x', int(nx, mpi_offset_kind), dims(1)), nf_noerr)
  call expect(nfmpi_def_dim(ncid, 'y   ', int(ny, mpi_offset_kind), dims(2)), nf_noerr)
  call expect(nfmpi_def_dim(ncid, 't', nfmpi_unlimited, dims(3)), nf_noerr)
  call check(all(dims == [1, 2, 3]))
  call expect(nfmpi_def_var(ncid, 'a', nf_int, 3, dims, a), nf_noerr)
  call expect(nfmpi_def_var(ncid, 'b', nf_float, 2, dims, b), nf_noerr)
  call check(a == 1 .and. b == 2)
  call expect(nfmpi_put_att_text(ncid, nf_global, 'title', 5_mpi_offset_kind, 'waves'), nf_noerr)
  call expect(nfmpi_put_att_int(ncid, a, 'n', nf_short, 2_mpi_offset_kind, [3, 4]), nf_noerr)
  call expect(nfmpi_inq_var(ncid, a, name, kind_of, n, ids, id), nf_noerr)
  call check(name == 'a' .and. kind_of == nf_int .and. n == 3 .and. all(ids == dims) .and. id == 1)
  call expect(nfmpi_enddef(ncid), nf_noerr)

  ! Rank r has the rows from ny * r / n_ranks on.
  start = [1, 1 + ny * rank / n_ranks, nt]
  counts = [nx, ny * (rank + 1) / n_ranks - ny * rank / n_ranks, 1]
  do id = 1, ny
    values(:, id) = [(100 * (int(start(2)) + id - 1) + n, n = 1, nx)]
  end do
  call expect(nfmpi_put_vara_int_all(ncid, a, start, counts, values), nf_noerr)
  start(3) = 1
  call expect(nfmpi_iput_vara_int(ncid, a, start, counts, values, request(1)), nf_noerr)
  call expect(nfmpi_wait_all(ncid, 1, request, statuses), nf_noerr)
  call expect(nfmpi_get_vara_int_all(ncid, a, [1_8, 1_8, 2_8], [6_8, 4_8, 1_8], back), nf_noerr)
  call check(back(2, 3) == 302 .and. back(6, 4) == 406)
  call expect(nfmpi_inq_dimlen(ncid, dims(3), length), nf_noerr)
  call check(length == nt)

  ! All ranks put two corners.
  starts = reshape([1_8, 1_8, 6_8, 4_8], [2, 2])
  boxes = 1
  corners = [1.5, 2.5]
  call expect(nfmpi_put_varn_real_all(ncid, b, 2, starts, boxes, corners), nf_noerr)
  call expect(nfmpi_get_var_real_all(ncid, b, all_of_b), nf_noerr)
  call check(all_of_b(1, 1) == 1.5 .and. all_of_b(nx, ny) == 2.5)
  start(1) = 9
  call expect(nfmpi_put_vara_int_all(ncid, a, start, counts, values), nf_einvalcoords)
  call expect(nfmpi_close(ncid), nf_noerr)

  call finish()
end program
