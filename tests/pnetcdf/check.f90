! What the Fortran programs share: they count what is wrong, and run with PnetCDF's library, too.
module checks
  use mpi
  implicit none
  include 'pnetcdf.inc'
  private
  public :: expect, check, is_esker, finish
  integer :: number = 0, wrong = 0
contains
  ! The call returned this code.
  subroutine expect(code, wanted)
    integer, intent(in) :: code, wanted
    number = number + 1
    if (code == wanted) return
    print *, 'check', number, ': code ', trim(nfmpi_strerror(code)), ', expected ', trim(nfmpi_strerror(wanted))
    wrong = wrong + 1
  end subroutine

  subroutine check(is_so)
    logical, intent(in) :: is_so
    number = number + 1
    if (is_so) return
    print *, 'check', number, ': a comparison failed'
    wrong = wrong + 1
  end subroutine

  ! Whether the library is ours, for what PnetCDF does wrong.
  function is_esker()
    logical :: is_esker
    character(len=80) :: version
    version = nfmpi_inq_libvers()
    is_esker = index(version, 'Esker') > 0
  end function

  ! Prints the result once, and ends the program.
  subroutine finish()
    integer :: everywhere, rank, ierr
    character(len=80) :: version, wanted
    call get_environment_variable('PNETCDF_TEST_LIBRARY', wanted)
    version = nfmpi_inq_libvers()
    call check(index(version, trim(wanted)) > 0)
    call MPI_Allreduce(wrong, everywhere, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    if (rank == 0) print *, trim(version), ':', everywhere, 'wrong'
    call MPI_Finalize(ierr)
    if (everywhere > 0) error stop 1
  end subroutine
end module
