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
    integer(int32), allocatable :: words(:), raw(:)
    real(real32), allocatable :: single(:, :, :), flat_single(:, :)
    real(real64), allocatable :: double(:, :, :), flat_double(:, :)
    call esker_inq_field(ds, field, type=type)
    call esker_inq_box(ds, field, count=n)
    if (type == esker_float32 .and. size(n) == 3) then
      allocate(single(n(1), n(2), n(3)))
      call esker_get(ds, field, step, single)
      words = transfer(single, words)
    else if (type == esker_float32) then
      allocate(flat_single(n(1), n(2)))
      call esker_get(ds, field, step, flat_single)
      words = transfer(flat_single, words)
    else if (size(n) == 3) then
      allocate(double(n(1), n(2), n(3)))
      call esker_get(ds, field, step, double)
      words = transfer(double, words)
    else
      allocate(flat_double(n(1), n(2)))
      call esker_get(ds, field, step, flat_double)
      words = transfer(flat_double, words)
    end if
    allocate(raw, mold=words)
    read (unit) raw
    if (any(words /= raw)) error stop "other samples"
  end subroutine
end program
