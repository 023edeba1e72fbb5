! pop_compare DATASET STEP RAW_FILE: whether a snapshot of Esker's has the samples of a raw file (raw_output.f90).
program pop_compare
  use, intrinsic :: iso_fortran_env, only: int64, real32
  use esker
  implicit none
  character(1000) :: arguments(3)
  character(4) :: beyond
  integer(int64), allocatable :: n(:)
  real(real32), allocatable :: temp(:, :, :), raw_temp(:, :, :), flat(:, :), raw_flat(:, :)
  type(esker_dataset) :: ds
  integer :: i, step, unit, status
  do i = 1, 3
    call get_command_argument(i, arguments(i))
  end do
  read (arguments(2), *) step
  call esker_open(ds, arguments(1))
  call esker_inq_box(ds, 1, count=n)
  allocate(temp(n(1), n(2), n(3)), raw_temp(n(1), n(2), n(3)), flat(n(1), n(2)), raw_flat(n(1), n(2)))
  open (newunit=unit, file=trim(arguments(3)), access="stream", form="unformatted", status="old", action="read")
  call esker_get(ds, 1, step, temp)
  read (unit) raw_temp
  if (any(transfer(temp, [0]) /= transfer(raw_temp, [0]))) error stop "other temperatures"
  do i = 2, 4
    call esker_get(ds, i, step, flat)
    read (unit) raw_flat
    if (any(transfer(flat, [0]) /= transfer(raw_flat, [0]))) error stop "another surface"
  end do
  read (unit, iostat=status) beyond
  if (status == 0) error stop "more bytes than samples"
end program
