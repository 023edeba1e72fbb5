! pop_compare DATASET STEP RAW_FILE: whether a step of a dataset of Esker has the samples of a raw file (raw_output.f90), in
! the order of its fields, and the file no others.
program pop_compare
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use esker
  implicit none
  character(1000) :: arguments(3)
  character(4) :: beyond
  type(esker_dataset) :: ds
  integer :: i, step, unit, status
  do i = 1, 3
    call get_command_argument(i, arguments(i))
  end do
  read (arguments(2), *) step
  call esker_open(ds, arguments(1))
  open (newunit=unit, file=trim(arguments(3)), access="stream", form="unformatted", status="old", action="read")
  call esker_inq_num_fields(ds, status)
  do i = 1, status
    call compare(i)
  end do
  read (unit, iostat=status) beyond
  if (status == 0) error stop "more bytes than samples"

contains

  subroutine compare(field)
    integer, intent(in) :: field
    integer(int64), allocatable :: n(:)
    integer :: type
    real(real32), allocatable :: single(:, :, :), flat_single(:, :)
    real(real64), allocatable :: double(:, :, :), flat_double(:, :)
    call esker_inq_field(ds, field, type=type)
    call esker_inq_box(ds, field, count=n)
    if (type == esker_float32 .and. size(n) == 3) then
      allocate(single(n(1), n(2), n(3)))
      call esker_get(ds, field, step, single)
      call compare_words(transfer(single, [0_int32]))
    else if (type == esker_float32) then
      allocate(flat_single(n(1), n(2)))
      call esker_get(ds, field, step, flat_single)
      call compare_words(transfer(flat_single, [0_int32]))
    else if (size(n) == 3) then
      allocate(double(n(1), n(2), n(3)))
      call esker_get(ds, field, step, double)
      call compare_words(transfer(double, [0_int32]))
    else
      allocate(flat_double(n(1), n(2)))
      call esker_get(ds, field, step, flat_double)
      call compare_words(transfer(flat_double, [0_int32]))
    end if
  end subroutine

  subroutine compare_words(words)
    integer(int32), intent(in) :: words(:)
    integer(int32), allocatable :: raw(:)
    allocate(raw(size(words)))
    read (unit) raw
    if (any(words /= raw)) error stop "other samples"
  end subroutine
end program
