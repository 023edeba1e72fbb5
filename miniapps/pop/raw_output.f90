! Snapshots as models write them without a library: one raw file, levels of TEMP, then SSH, UBTROP, VBTROP, all (x, y), x
! first, 32 bits in the machine's order. The bytes are the same in each mode, of which there are four:
!
!   gather       rank 0 gathers each level and writes it
!   levels       each level is gathered by one rank, in turn, and written by it alone
!   sieving      MPI-IO, each rank its own tiles, with ROMIO's data sieving: blocks are read, changed and written
!   collective   MPI-IO in two phases, without data sieving
!
! The hints of the last two are ROMIO's; other MPI-IO implementations may take no note of them.
module raw_output
  use, intrinsic :: iso_fortran_env, only: int64, real32
  use mpi
  use ocean
  use tiles
  implicit none
  private
  public :: write_raw, is_raw_mode

contains

  logical function is_raw_mode(mode)
    character(*), intent(in) :: mode
    is_raw_mode = any(mode == [character(10) :: "gather", "levels", "sieving", "collective"])
  end function

  ! Writes a snapshot to a new file. Collective. An error of MPI-IO ends the run.
  subroutine write_raw(s, mode, path)
    type(state), intent(in) :: s
    character(*), intent(in) :: mode, path
    real(real32), allocatable :: levels(:, :, :)
    integer :: file, info, nz, ierr
    nz = size(s%level)
    associate (n => s%tile%count)
      allocate(levels(n(1), n(2), nz + 3))
      levels(:, :, :nz) = real(s%temp(1:n(1), 1:n(2), :), real32)
      levels(:, :, nz + 1) = real(s%eta(1:n(1), 1:n(2), 1), real32)
      levels(:, :, nz + 2) = real(s%u(1:n(1), 1:n(2), 1), real32)
      levels(:, :, nz + 3) = real(s%v(1:n(1), 1:n(2), 1), real32)
    end associate
    call make_hints(mode, info)
    call MPI_File_open(s%tile%comm, path, ior(MPI_MODE_CREATE, MPI_MODE_RDWR), info, file, ierr)
    call require(ierr)
    call MPI_Info_free(info, ierr)
    call MPI_File_set_size(file, size(levels, 3) * 4_MPI_OFFSET_KIND * s%nx * s%ny, ierr)  ! an older file may be longer
    call require(ierr)
    if (mode == "gather" .or. mode == "levels") then
      call write_gathered(s, levels, merge(1, s%tile%num_ranks, mode == "gather"), file)
    else
      call write_tiles(s, levels, file)
    end if
    call MPI_File_close(file, ierr)
    call require(ierr)
  end subroutine

  subroutine make_hints(mode, info)
    character(*), intent(in) :: mode
    integer, intent(out) :: info
    integer :: ierr
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, "romio_cb_write", merge("disable", "enable ", mode == "sieving"), ierr)
    call MPI_Info_set(info, "romio_ds_write", merge("enable ", "disable", mode == "sieving"), ierr)
  end subroutine

  ! Level k goes to rank mod(k - 1, num_writers), which writes it.
  subroutine write_gathered(s, levels, num_writers, file)
    type(state), intent(in) :: s
    real(real32), intent(in) :: levels(:, :, :)
    integer, intent(in) :: num_writers, file
    real(real32), allocatable :: whole(:, :), all_tiles(:)
    integer :: boxes(4, 0:s%tile%num_ranks - 1), counts(0:s%tile%num_ranks - 1), places(0:s%tile%num_ranks - 1)
    integer(MPI_OFFSET_KIND) :: offset
    integer :: k, r, writer, ierr
    call MPI_Allgather([s%tile%start, s%tile%count], 4, MPI_INTEGER, boxes, 4, MPI_INTEGER, s%tile%comm, ierr)
    counts = boxes(3, :) * boxes(4, :)
    places = [(sum(counts(:r - 1)), r = 0, s%tile%num_ranks - 1)]
    allocate(whole(s%nx, s%ny), all_tiles(sum(counts)))
    do k = 1, size(levels, 3)
      writer = mod(k - 1, num_writers)
      call MPI_Gatherv(levels(:, :, k), counts(s%tile%rank), MPI_REAL, all_tiles, counts, places, MPI_REAL, writer, &
        s%tile%comm, ierr)
      if (s%tile%rank /= writer) cycle
      do r = 0, s%tile%num_ranks - 1
        whole(boxes(1, r):boxes(1, r) + boxes(3, r) - 1, boxes(2, r):boxes(2, r) + boxes(4, r) - 1) = &
          reshape(all_tiles(places(r) + 1:places(r) + counts(r)), boxes(3:4, r))
      end do
      offset = (k - 1) * 4_MPI_OFFSET_KIND * s%nx * s%ny
      call MPI_File_write_at(file, offset, whole, size(whole), MPI_REAL, MPI_STATUS_IGNORE, ierr)
      call require(ierr)
    end do
  end subroutine

  ! All ranks at once, each its own samples of all levels.
  subroutine write_tiles(s, levels, file)
    type(state), intent(in) :: s
    real(real32), intent(in), contiguous :: levels(:, :, :)
    integer, intent(in) :: file
    integer :: mine, ierr
    call MPI_Type_create_subarray(3, [s%nx, s%ny, size(levels, 3)], shape(levels), [s%tile%start - 1, 0], &
      MPI_ORDER_FORTRAN, MPI_REAL, mine, ierr)
    call MPI_Type_commit(mine, ierr)
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_REAL, mine, "native", MPI_INFO_NULL, ierr)
    call require(ierr)
    call MPI_File_write_all(file, levels, size(levels), MPI_REAL, MPI_STATUS_IGNORE, ierr)
    call require(ierr)
    call MPI_Type_free(mine, ierr)
  end subroutine

  ! Files, unlike the rest of MPI, return errors.
  subroutine require(status)
    integer, intent(in) :: status
    character(MPI_MAX_ERROR_STRING) :: text
    integer :: length, ierr
    if (status == MPI_SUCCESS) return
    call MPI_Error_string(status, text, length, ierr)
    print "(2a)", "esker-pop: ", text(:length)
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine
end module
