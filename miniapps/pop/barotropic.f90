! The barotropic mode: linear shallow water on a beta plane with wind and bottom drag,
!
!   eta_t = -depth (u_x + v_y),   u_t = f v - g eta_x + wind - drag u,   v_t = -f u - g eta_y - drag v,
!
! forward for sea level and backward for the velocities, which is stable for dt sqrt(2 g depth) < dx.
module barotropic
  use, intrinsic :: iso_fortran_env, only: real64
  use ocean
  use tiles
  implicit none
  private
  public :: step_barotropic

  real(real64), parameter :: f0 = 1e-4_real64, beta = 1e-11_real64, drag = 1e-6_real64, wind = 1e-7_real64

contains

  ! One step of s%dt. Collective.
  subroutine step_barotropic(s)
    type(state), intent(inout) :: s
    integer :: i, j, mx, my
    real(real64) :: f, y
    mx = s%tile%count(1)
    my = s%tile%count(2)
    associate (eta => s%eta(:, :, 1), u => s%u(:, :, 1), v => s%v(:, :, 1), dt => s%dt)
      ! (associate: the lower bounds are 1 here, so cell (i, j) is element (i + 1, j + 1))
      do j = 2, my + 1
        do i = 2, mx + 1
          eta(i, j) = eta(i, j) - dt * depth * ((u(i, j) - u(i - 1, j)) / s%dx + (v(i, j) - v(i, j - 1)) / s%dy)
        end do
      end do
      call exchange_halo(s%tile, s%eta)
      do j = 2, my + 1
        y = (s%tile%start(2) + j - 2.5_real64) * s%dy - width_y / 2
        f = f0 + beta * y
        do i = 2, mx + 1
          u(i, j) = (1 - dt * drag) * u(i, j) + dt * (wind * cos(2 * pi * y / width_y) - &
            gravity * (eta(i + 1, j) - eta(i, j)) / s%dx + &
            f * 0.25_real64 * (v(i, j) + v(i + 1, j) + v(i, j - 1) + v(i + 1, j - 1)))
        end do
      end do
      call exchange_halo(s%tile, s%u)
      do j = 2, my + 1
        if (s%tile%start(2) + j - 2 == s%ny) cycle  ! the northern wall
        f = f0 + beta * ((s%tile%start(2) + j - 2) * s%dy - width_y / 2)
        do i = 2, mx + 1
          v(i, j) = (1 - dt * drag) * v(i, j) - dt * (gravity * (eta(i, j + 1) - eta(i, j)) / s%dy + &
            f * 0.25_real64 * (u(i, j) + u(i - 1, j) + u(i, j + 1) + u(i - 1, j + 1)))
        end do
      end do
      call exchange_halo(s%tile, s%v)
    end associate
  end subroutine
end module
