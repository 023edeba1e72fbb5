! The split of the columns over ranks: each rank has a tile of the horizontal grid. Tiles exchange halos.
module tiles
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi
  implicit none
  private
  public :: tile, make_tile, exchange_halo, on_all_ranks

  ! A rank's columns: start ... start + count - 1 of the grid, 1-based. The grid is periodic in x and has walls in y.
  type :: tile
    integer :: comm = MPI_COMM_NULL, rank = 0, num_ranks = 1
    integer :: start(2) = 1, count(2) = 0
    integer :: west = MPI_PROC_NULL, east = MPI_PROC_NULL, south = MPI_PROC_NULL, north = MPI_PROC_NULL
  end type

contains

  ! Collective over MPI_COMM_WORLD. num_ranks of the tile is 0 if there are more ranks along an axis than columns.
  subroutine make_tile(nx, ny, mine)
    integer, intent(in) :: nx, ny
    type(tile), intent(out) :: mine
    integer :: shape(2), place(2), ierr, a
    call MPI_Comm_size(MPI_COMM_WORLD, mine%num_ranks, ierr)
    shape = 0
    call MPI_Dims_create(mine%num_ranks, 2, shape, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, shape, [.true., .false.], .false., mine%comm, ierr)
    call MPI_Comm_rank(mine%comm, mine%rank, ierr)
    call MPI_Cart_coords(mine%comm, mine%rank, 2, place, ierr)
    call MPI_Cart_shift(mine%comm, 0, 1, mine%west, mine%east, ierr)
    call MPI_Cart_shift(mine%comm, 1, 1, mine%south, mine%north, ierr)
    do a = 1, 2
      mine%start(a) = place(a) * merge(nx, ny, a == 1) / shape(a) + 1
      mine%count(a) = (place(a) + 1) * merge(nx, ny, a == 1) / shape(a) + 1 - mine%start(a)
    end do
    if (any(shape > [nx, ny])) mine%num_ranks = 0
  end subroutine

  ! Fills the halo, one cell around a rank's own; it is unchanged outside walls. Collective. `a` is dimensioned
  ! (0:count + 1, 0:count + 1, levels).
  subroutine exchange_halo(mine, a)
    type(tile), intent(in) :: mine
    real(real64), intent(inout) :: a(0:, 0:, :)
    integer :: nx, ny
    nx = mine%count(1)
    ny = mine%count(2)
    call shift(mine, a(nx, 1:ny, :), mine%east, mine%west, a(0, 1:ny, :))
    call shift(mine, a(1, 1:ny, :), mine%west, mine%east, a(nx + 1, 1:ny, :))
    call shift(mine, a(:, ny, :), mine%north, mine%south, a(:, 0, :))  ! with the corners
    call shift(mine, a(:, 1, :), mine%south, mine%north, a(:, ny + 1, :))
  end subroutine

  ! Whether the condition is true on all ranks. Collective.
  logical function on_all_ranks(mine, is_so)
    type(tile), intent(in) :: mine
    logical, intent(in) :: is_so
    integer :: ierr
    call MPI_Allreduce(is_so, on_all_ranks, 1, MPI_LOGICAL, MPI_LAND, mine%comm, ierr)
  end function

  ! Sends `from` and receives `into`, which is unchanged without a neighbour.
  subroutine shift(mine, from, to_rank, from_rank, into)
    type(tile), intent(in) :: mine
    real(real64), intent(in) :: from(:, :)
    integer, intent(in) :: to_rank, from_rank
    real(real64), intent(inout) :: into(:, :)
    real(real64), allocatable :: sent(:, :), received(:, :)
    integer :: ierr
    allocate(sent, source=from)
    allocate(received, source=into)
    call MPI_Sendrecv(sent, size(sent), MPI_DOUBLE_PRECISION, to_rank, 0, received, size(received), &
      MPI_DOUBLE_PRECISION, from_rank, 0, mine%comm, MPI_STATUS_IGNORE, ierr)
    into = received
  end subroutine
end module
