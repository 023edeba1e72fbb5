! Temperature, moved in each level by the barotropic velocity and a steady gyre that decay with depth: first-order upwind
! fluxes through the faces of cells of constant volume, so that the total is conserved. (Not that of a constant field:
! levels do not move with the sea surface.)
module tracer
  use, intrinsic :: iso_fortran_env, only: real64
  use ocean
  use tiles
  implicit none
  private
  public :: step_tracer

contains

  ! One step of `dt` seconds. Collective.
  subroutine step_tracer(s, dt)
    type(state), intent(inout) :: s
    real(real64), intent(in) :: dt
    real(real64), allocatable :: east(:, :), north(:, :)
    real(real64) :: decay, speed
    integer :: i, j, k, mx, my
    mx = s%tile%count(1)
    my = s%tile%count(2)
    allocate(east(0:mx, my), north(mx, 0:my))
    do k = 1, size(s%level)
      decay = exp(-3 * s%level(k))
      do j = 1, my
        do i = 0, mx
          speed = decay * (s%u(i, j, 1) + s%gyre_u(i, j))
          east(i, j) = max(speed, 0._real64) * s%temp(i, j, k) + min(speed, 0._real64) * s%temp(i + 1, j, k)
        end do
      end do
      do j = 0, my
        do i = 1, mx
          speed = decay * (s%v(i, j, 1) + s%gyre_v(i, j))
          north(i, j) = max(speed, 0._real64) * s%temp(i, j, k) + min(speed, 0._real64) * s%temp(i, j + 1, k)
        end do
      end do
      do j = 1, my
        do i = 1, mx
          s%temp(i, j, k) = s%temp(i, j, k) - dt * ((east(i, j) - east(i - 1, j)) / s%dx + &
            (north(i, j) - north(i, j - 1)) / s%dy)
        end do
      end do
    end do
    call exchange_halo(s%tile, s%temp)
  end subroutine
end module
