! A measured temperature for the start: January, 15 levels of 40 rows of 90 cells, 4 degrees wide, from 80 S to 80 N
! (data/README.md). The model's values are interpolated from it.
module climatology
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, real32, real64
  use ocean
  implicit none
  private
  public :: read_temperature

  integer, parameter :: n(3) = [90, 40, 15]
  real(real64), parameter :: thickness(n(3)) = &  ! of levels, m
    [50, 70, 100, 140, 190, 240, 290, 340, 390, 440, 490, 540, 590, 640, 690]

contains

  ! Sets the temperature of a rank's own cells. Local. False, and the reason on stderr, if the file cannot be read.
  logical function read_temperature(path, s) result(good)
    character(*), intent(in) :: path
    type(state), intent(inout) :: s
    character(4), allocatable :: raw(:, :, :)
    character(1000) :: message
    real(real64), allocatable :: temp(:, :, :)
    real(real64) :: x, y
    integer :: unit, status, i, j
    allocate(raw(n(1), n(2), n(3)))
    open (newunit=unit, file=path, access="stream", form="unformatted", status="old", action="read", iostat=status, &
      iomsg=message)
    if (status == 0) read (unit, iostat=status, iomsg=message) raw
    good = status == 0
    if (.not. good) write (error_unit, "(4a)") "esker-pop: ", path, ": ", trim(message)
    if (.not. good) return
    close (unit)
    temp = number(raw)
    call fill_land(temp)
    do j = 1, s%tile%count(2)
      do i = 1, s%tile%count(1)
        x = (s%tile%start(1) + i - 1.5_real64) / s%nx
        y = (s%tile%start(2) + j - 1.5_real64) / s%ny
        s%temp(i, j, :) = in_depth(column(temp, x, y), s%level * depth)
      end do
    end do
  end function

  ! Four bytes, big-endian.
  elemental real(real64) function number(bytes)
    character(4), intent(in) :: bytes
    integer(int32) :: bits
    integer :: b
    bits = 0
    do b = 1, 4
      bits = ior(ishft(bits, 8), ichar(bytes(b:b)))
    end do
    number = transfer(bits, 0._real32)
  end function

  ! Replaces land, which is 0, by the mean of the sea in its row or, without sea there, in its level.
  subroutine fill_land(temp)
    real(real64), intent(inout) :: temp(:, :, :)
    real(real64) :: of_level
    integer :: j, k
    do k = 1, n(3)
      of_level = mean_of_sea(reshape(temp(:, :, k), [n(1) * n(2)]), 0._real64)
      do j = 1, n(2)
        where (is_land(temp(:, j, k))) temp(:, j, k) = mean_of_sea(temp(:, j, k), of_level)
      end do
    end do
  end subroutine

  elemental logical function is_land(temp)
    real(real64), intent(in) :: temp
    is_land = .not. abs(temp) > 0
  end function

  ! `otherwise` without values.
  pure real(real64) function mean_of_sea(temp, otherwise) result(mean)
    real(real64), intent(in) :: temp(:), otherwise
    mean = otherwise
    if (.not. all(is_land(temp))) mean = sum(temp) / count(.not. is_land(temp))
  end function

  ! The value at a position given as fractions of the width, which is periodic, and of the height.
  pure function column(temp, x, y)
    real(real64), intent(in) :: temp(:, :, :), x, y
    real(real64) :: column(n(3)), at(2), part(2)
    integer :: i(2), j(2)
    at = [x * n(1) + 0.5_real64, min(max(y * n(2) + 0.5_real64, 1._real64), real(n(2), real64))]
    i = modulo([floor(at(1)), floor(at(1)) + 1] - 1, n(1)) + 1
    j = min([floor(at(2)), floor(at(2)) + 1], n(2))
    part = at - floor(at)
    column = (1 - part(2)) * ((1 - part(1)) * temp(i(1), j(1), :) + part(1) * temp(i(2), j(1), :)) + &
      part(2) * ((1 - part(1)) * temp(i(1), j(2), :) + part(1) * temp(i(2), j(2), :))
  end function

  ! Interpolates between the centers of levels; outside, takes the nearest level.
  pure function in_depth(column, depths) result(temp)
    real(real64), intent(in) :: column(:), depths(:)
    real(real64) :: temp(size(depths)), middle(n(3)), part
    integer :: k, above
    middle = [(sum(thickness(:k)) - thickness(k) / 2, k = 1, n(3))]
    do k = 1, size(depths)
      above = min(max(count(middle <= depths(k)), 1), n(3) - 1)
      part = min(max((depths(k) - middle(above)) / (middle(above + 1) - middle(above)), 0._real64), 1._real64)
      temp(k) = (1 - part) * column(above) + part * column(above + 1)
    end do
  end function
end module
