! The ocean's files as models write them without a library: raw, variable after variable, each by levels, all (x, y), x
! first, in the machine's byte order. The bytes are the same in each mode, of which there are four:
!
!   gather       rank 0 gathers each level and writes it
!   levels       each level is gathered by one of the writers, in turn, and written by it alone
!   sieving      MPI-IO, each rank its own tiles, with ROMIO's data sieving: blocks are read, changed and written
!   collective   MPI-IO in two phases, without data sieving
!
! All is collective; an error of MPI-IO ends the run.
module raw_output
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  use, intrinsic :: iso_fortran_env, only: int32
  use mpi
  use contents
  use ocean
  use tiles
  implicit none
  private
  public :: write_raw, holds_raw, can_write_raw, prefer_romio

  character(10), parameter, public :: raw_modes(4) = ["gather    ", "levels    ", "sieving   ", "collective"]

  ! Positions within a level are counted in words of 32 bits.
  type :: raw_file
    integer :: handle = MPI_FILE_NULL, comm = MPI_COMM_NULL, rank = 0, num_ranks = 1
    integer :: whole(2) = 0, start(2) = 0, count(2) = 0  ! of a level, and of this rank's part in it; from 0
    integer :: num_levels = 0                            ! before those that come next
  end type

contains

  ! Writes to a new file; in mode `levels` with the given number of writers.
  subroutine write_raw(s, content, mode, num_writers, path)
    type(state), intent(in) :: s
    type(file_contents), intent(in) :: content
    character(*), intent(in) :: mode, path
    integer, intent(in) :: num_writers
    type(raw_file) :: file
    type(samples) :: packed
    integer :: v, ierr
    call open_raw(s, content, mode, path, ior(MPI_MODE_CREATE, MPI_MODE_RDWR), file)
    call MPI_File_set_size(file%handle, 0_MPI_OFFSET_KIND, ierr)  ! truncates an older file
    call require(ierr)
    do v = 1, size(content%variables)
      packed = pack_samples(content%variables(v), content%bits)
      select case (mode)
      case ("gather")
        call write_gathered(file, packed%words, 1)
      case ("levels")
        call write_gathered(file, packed%words, num_writers)
      case default
        call set_view(file, size(packed%words, 3))
        call MPI_File_write_all(file%handle, packed%words, size(packed%words), MPI_INTEGER4, MPI_STATUS_IGNORE, ierr)
        call require(ierr)
      end select
      file%num_levels = file%num_levels + size(packed%words, 3)
      call free_samples(packed)
    end do
    call MPI_File_close(file%handle, ierr)
    call require(ierr)
  end subroutine

  ! Whether a file has the model's samples, to the bit, on all ranks, and no others.
  logical function holds_raw(s, content, path) result(same)
    type(state), intent(in) :: s
    type(file_contents), intent(in) :: content
    character(*), intent(in) :: path
    type(raw_file) :: file
    type(samples) :: packed
    integer(int32), allocatable :: found(:, :, :)
    integer(MPI_OFFSET_KIND) :: num_bytes
    integer :: v, ierr
    call open_raw(s, content, "", path, MPI_MODE_RDONLY, file)
    same = .true.
    do v = 1, size(content%variables)
      packed = pack_samples(content%variables(v), content%bits)
      allocate(found, mold=packed%words)
      call set_view(file, size(found, 3))
      call MPI_File_read_all(file%handle, found, size(found), MPI_INTEGER4, MPI_STATUS_IGNORE, ierr)
      call require(ierr)
      same = same .and. all(found == packed%words)
      file%num_levels = file%num_levels + size(found, 3)
      deallocate(found)
      call free_samples(packed)
    end do
    call MPI_File_get_size(file%handle, num_bytes, ierr)
    call require(ierr)
    same = on_all_ranks(s%tile, same .and. num_bytes == offset_of(file, file%num_levels))
    call MPI_File_close(file%handle, ierr)
  end function

  ! Lets Open MPI use ROMIO for MPI-IO, unless the environment names another. Called before MPI_Init. Local.
  subroutine prefer_romio()
    interface
      integer(c_int) function setenv(name, text, overwrite) bind(c)
        import :: c_char, c_int
        character(kind=c_char), intent(in) :: name(*), text(*)
        integer(c_int), value :: overwrite
      end function
    end interface
    integer(c_int) :: failed
    failed = setenv("OMPI_MCA_io" // c_null_char, "romio321" // c_null_char, 0_c_int)
    if (failed /= 0) error stop "esker-pop: no memory for the environment"
  end subroutine

  ! Whether the MPI-IO in use supports a mode: the last two need ROMIO. Open MPI contains ROMIO and OMPIO; OMPIO ignores the
  ! hints, and may lose samples (4.1, open-mpi/ompi issue 12718). Local.
  logical function can_write_raw(mode) result(can)
    character(*), intent(in) :: mode
    character(MPI_MAX_LIBRARY_VERSION_STRING) :: version
    character(5) :: chosen
    integer :: length, ierr
    call MPI_Get_library_version(version, length, ierr)
    call get_environment_variable("OMPI_MCA_io", chosen)
    can = .not. (mode == "sieving" .or. mode == "collective") .or. index(version, "Open MPI") == 0 .or. chosen == "romio"
  end function

  subroutine open_raw(s, content, mode, path, access, file)
    type(state), intent(in) :: s
    type(file_contents), intent(in) :: content
    character(*), intent(in) :: mode, path
    integer, intent(in) :: access
    type(raw_file), intent(out) :: file
    integer :: info, ierr, words
    words = content%bits / 32
    file%comm = s%tile%comm
    file%rank = s%tile%rank
    file%num_ranks = s%tile%num_ranks
    file%whole = [words * s%nx, s%ny]
    file%start = [words, 1] * (s%tile%start - 1)
    file%count = [words, 1] * s%tile%count
    call MPI_Info_create(info, ierr)
    if (mode == "sieving" .or. mode == "collective") then
      call MPI_Info_set(info, "romio_cb_write", merge("disable", "enable ", mode == "sieving"), ierr)
      call MPI_Info_set(info, "romio_ds_write", merge("enable ", "disable", mode == "sieving"), ierr)
      call MPI_Info_set(info, "cb_config_list", "*:*", ierr)  ! each rank collects and writes a part, not one per node
    end if
    call MPI_File_open(file%comm, path, access, info, file%handle, ierr)
    call require(ierr)
    call MPI_Info_free(info, ierr)
  end subroutine

  ! The next levels go to the writers in turn, level k of the file (from 0) to rank mod(k, num_writers).
  subroutine write_gathered(file, levels, num_writers)
    type(raw_file), intent(in) :: file
    integer(int32), intent(in) :: levels(:, :, :)
    integer, intent(in) :: num_writers
    integer(int32), allocatable :: whole(:, :), all_tiles(:)
    integer :: boxes(4, 0:file%num_ranks - 1), counts(0:file%num_ranks - 1), places(0:file%num_ranks - 1)
    integer :: k, r, writer, ierr
    call MPI_Allgather([file%start, file%count], 4, MPI_INTEGER, boxes, 4, MPI_INTEGER, file%comm, ierr)
    counts = boxes(3, :) * boxes(4, :)
    places = [(sum(counts(:r - 1)), r = 0, file%num_ranks - 1)]
    allocate(whole(file%whole(1), file%whole(2)), all_tiles(merge(sum(counts), 0, file%rank < num_writers)))
    do k = 1, size(levels, 3)
      writer = mod(file%num_levels + k - 1, num_writers)
      call MPI_Gatherv(levels(:, :, k), counts(file%rank), MPI_INTEGER4, all_tiles, counts, places, MPI_INTEGER4, &
        writer, file%comm, ierr)
      if (file%rank /= writer) cycle
      do r = 0, file%num_ranks - 1
        associate (lo => boxes(:2, r), n => boxes(3:, r))
          whole(lo(1) + 1:lo(1) + n(1), lo(2) + 1:lo(2) + n(2)) = &
            reshape(all_tiles(places(r) + 1:places(r) + counts(r)), [n(1), n(2)])
        end associate
      end do
      call MPI_File_write_at(file%handle, offset_of(file, file%num_levels + k - 1), whole, size(whole), MPI_INTEGER4, &
        MPI_STATUS_IGNORE, ierr)
      call require(ierr)
    end do
  end subroutine

  ! Sets the file view to the rank's own samples of the next levels.
  subroutine set_view(file, num_levels)
    type(raw_file), intent(in) :: file
    integer, intent(in) :: num_levels
    integer :: mine, ierr
    call MPI_Type_create_subarray(3, [file%whole, num_levels], [file%count, num_levels], [file%start, 0], &
      MPI_ORDER_FORTRAN, MPI_INTEGER4, mine, ierr)
    call MPI_Type_commit(mine, ierr)
    call MPI_File_set_view(file%handle, offset_of(file, file%num_levels), MPI_INTEGER4, mine, "native", MPI_INFO_NULL, &
      ierr)
    call require(ierr)
    call MPI_Type_free(mine, ierr)
  end subroutine

  ! Bytes before a level, counted from 0.
  integer(MPI_OFFSET_KIND) function offset_of(file, level)
    type(raw_file), intent(in) :: file
    integer, intent(in) :: level
    offset_of = 4_MPI_OFFSET_KIND * level * file%whole(1) * file%whole(2)
  end function

  ! Unlike the rest of MPI, calls on files return errors.
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
