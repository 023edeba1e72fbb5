! The state of the ocean: a basin of even depth on a beta plane, periodic in x, with walls in the south and north.
! Sea level and tracers are defined at cell centers, u on eastern and v on northern faces. SI units. Arrays have x first
! and one halo cell on each side.
module ocean
  use, intrinsic :: iso_fortran_env, only: real64
  use tiles
  implicit none
  private
  public :: state, make_state, time_of

  real(real64), parameter, public :: depth = 4000, gravity = 9.81, width_x = 3.6e7_real64, width_y = 1.6e7_real64
  integer, parameter, public :: substeps = 20  ! steps of the barotropic mode in one of tracers, which is a step of the model
  real(real64), parameter, public :: pi = 3.14159265358979324_real64

  type :: state
    type(tile) :: tile
    integer :: nx = 0, ny = 0                         ! of the whole grid
    integer :: step = 0                               ! steps since the beginning, over all runs
    real(real64) :: dx = 0, dy = 0, dt = 0            ! dt: of one barotropic step
    real(real64), allocatable :: level(:)             ! middle of levels as parts of the depth, 0 at the surface
    real(real64), allocatable :: eta(:, :, :), u(:, :, :), v(:, :, :)  ! of one level: the barotropic mode
    real(real64), allocatable :: gyre_u(:, :), gyre_v(:, :)            ! an additional steady flow, at the surface
    real(real64), allocatable :: temp(:, :, :)
    real(real64), allocatable :: temp_sum(:, :, :)    ! over the steps, for the average
  end type

contains

  ! A stratified ocean without motion, with a hill of water and with eddies in its temperature.
  subroutine make_state(mine, nx, ny, nz, s)
    type(tile), intent(in) :: mine
    integer, intent(in) :: nx, ny, nz
    type(state), intent(out) :: s
    real(real64) :: x, y
    integer :: i, j, k
    s%tile = mine
    s%nx = nx
    s%ny = ny
    s%dx = width_x / nx
    s%dy = width_y / ny
    s%dt = 0.4_real64 * min(s%dx, s%dy) / sqrt(gravity * depth)
    associate (mx => mine%count(1), my => mine%count(2))
      allocate(s%eta(0:mx + 1, 0:my + 1, 1), s%u(0:mx + 1, 0:my + 1, 1), s%v(0:mx + 1, 0:my + 1, 1), source=0._real64)
      allocate(s%temp(0:mx + 1, 0:my + 1, nz), s%temp_sum(mx, my, nz), source=0._real64)
    end associate
    s%level = [((k - 0.5_real64) / nz, k = 1, nz)]
    do j = 1, mine%count(2)
      do i = 1, mine%count(1)
        x = (mine%start(1) + i - 1.5_real64) / nx
        y = (mine%start(2) + j - 1.5_real64) / ny
        s%eta(i, j, 1) = exp(-100 * ((x - 0.5_real64)**2 + (y - 0.5_real64)**2))
        s%temp(i, j, :) = (25 * sin(pi * y) + 3 * sin(12 * pi * x) * sin(6 * pi * y)) * exp(-3 * s%level)
      end do
    end do
    call make_gyre(s, nx, ny)
    call exchange_halo(mine, s%eta)
    call exchange_halo(mine, s%temp)
  end subroutine

  ! Seconds since the beginning.
  real(real64) function time_of(s)
    type(state), intent(in) :: s
    time_of = s%step * substeps * s%dt
  end function

  ! The differences of a stream function, so free of divergence.
  subroutine make_gyre(s, nx, ny)
    type(state), intent(inout) :: s
    integer, intent(in) :: nx, ny
    integer :: i, j, mx, my, x, y
    mx = s%tile%count(1)
    my = s%tile%count(2)
    allocate(s%gyre_u(0:mx, my), s%gyre_v(mx, 0:my))
    do j = 0, my
      do i = 0, mx
        x = s%tile%start(1) + i - 1  ! the cell's column in the grid; its north-eastern corner
        y = s%tile%start(2) + j - 1
        if (j > 0) s%gyre_u(i, j) = -(stream(x, y, nx, ny) - stream(x, y - 1, nx, ny)) / s%dy
        if (i > 0) s%gyre_v(i, j) = (stream(x, y, nx, ny) - stream(x - 1, y, nx, ny)) / s%dx
      end do
    end do
  end subroutine

  ! At the corner between columns x and x + 1, rows y and y + 1; 0 at the walls, and the same on all ranks.
  real(real64) function stream(x, y, nx, ny)
    integer, intent(in) :: x, y, nx, ny
    real(real64), parameter :: speed = 1  ! m/s, the order of the surface velocity
    stream = 0
    if (y == 0 .or. y == ny) return
    stream = speed * width_y / pi * sin(pi * y / ny) * (1 + 0.5_real64 * sin(6 * pi * modulo(x, nx) / nx))
  end function
end module
