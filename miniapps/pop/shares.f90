! The share of the files in a run's time.
module shares
  use, intrinsic :: iso_fortran_env, only: real64
  use contents
  use ocean
  use output
  implicit none
  private
  public :: tell_shares

contains

  ! Prints one row per mode: seconds by kind of file and in total, their share of a run that writes in this mode only, and
  ! their ratio to the last mode. `model_s`: seconds of the model. Rank 0 prints.
  subroutine tell_shares(s, model_s, modes)
    type(state), intent(in) :: s
    real(real64), intent(in) :: model_s
    type(mode_output), intent(in) :: modes(:)
    real(real64) :: last
    integer :: m
    if (s%tile%rank /= 0) return
    print "(a, f0.3, a)", "model ", model_s, " s; seconds to write:"
    print "(a16, *(a9))", [character(16) :: "mode"], kinds, "all", "share %", "ratio"
    last = sum(modes(size(modes))%seconds)
    do m = 1, size(modes)
      associate (all_s => sum(modes(m)%seconds))
        print "(a16, 5f9.3, f9.1, f9.2)", modes(m)%mode, modes(m)%seconds, all_s, 100 * all_s / (all_s + model_s), &
          all_s / last
      end associate
    end do
  end subroutine
end module
