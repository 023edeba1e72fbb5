! The contents of POP's kinds of files: history (snapshots), movie (small, often), restart (all of the state, in full
! precision), average (mean over time). Other modules write them.
module contents
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc
  use, intrinsic :: iso_fortran_env, only: int32, real32, real64
  use ocean
  implicit none
  private
  public :: variable, file_contents, samples, contents_of, new_samples, pack_samples, free_samples

  integer, parameter, public :: history = 1, movie = 2, restart = 3, average = 4
  character(7), parameter, public :: kinds(4) = ["history", "movie  ", "restart", "average"]

  type :: variable
    character(8) :: name = ""
    logical :: has_levels = .true.  ! false: of the surface
    character(4) :: units = ""
    character(40) :: long_name = "", standard_name = ""  ! CF; empty if it has no name
    real(real64), pointer :: values(:, :, :) => null()   ! the model's array without halo cells
    integer :: over = 1             ! number of steps that values are summed over
  end type

  type :: file_contents
    integer :: kind = 0
    integer :: bits = 32           ! of a sample
    logical :: is_series = .false. ! many steps, not only the last
    type(variable), allocatable :: variables(:)
  end type

  ! A variable in the layout of files, by level. A sample of 64 bits is two words, adjacent in x.
  type :: samples
    integer(int32), pointer, contiguous :: words(:, :, :) => null()
    real(real32), pointer, contiguous :: single(:, :, :) => null()  ! the same memory, if samples have 32 bits
    real(real64), pointer, contiguous :: double(:, :, :) => null()  ! and if they have 64
  end type

contains

  ! The contents point to `s`, which outlives them.
  function contents_of(s, kind) result(file)
    type(state), intent(in), target :: s
    integer, intent(in) :: kind
    type(file_contents) :: file
    type(variable) :: temp, temp_sum, mean, sst, ssh, flow(2)
    associate (mx => s%tile%count(1), my => s%tile%count(2))
      temp = variable("TEMP", .true., "degC", "temperature", "sea_water_potential_temperature", s%temp(1:mx, 1:my, :))
      temp_sum = variable("TEMP_SUM", .true., "degC", "temperature, summed over steps", "", s%temp_sum)
      mean = variable("TEMP", .true., "degC", "temperature, mean over time", temp%standard_name, s%temp_sum, s%step)
      sst = variable("SST", .false., "degC", "sea surface temperature", "sea_surface_temperature", &
        s%temp(1:mx, 1:my, 1:1))
      ssh = variable("SSH", .false., "m", "sea surface height", "sea_surface_height_above_geoid", s%eta(1:mx, 1:my, :))
      flow = [variable("UBTROP", .false., "m/s", "barotropic velocity, eastward", &
          "barotropic_eastward_sea_water_velocity", s%u(1:mx, 1:my, :)), &
        variable("VBTROP", .false., "m/s", "barotropic velocity, northward", &
          "barotropic_northward_sea_water_velocity", s%v(1:mx, 1:my, :))]
    end associate
    select case (kind)
    case (history)
      file = file_contents(kind, 32, .true., [temp, ssh, flow])
    case (movie)
      file = file_contents(kind, 32, .true., [sst, ssh])
    case (restart)
      file = file_contents(kind, 64, .false., [temp, temp_sum, ssh, flow])
    case (average)
      file = file_contents(kind, 32, .false., [mean])
    end select
  end function

  ! Memory for a variable's samples, to be freed.
  function new_samples(v, bits) result(packed)
    type(variable), intent(in) :: v
    integer, intent(in) :: bits
    type(samples) :: packed
    integer :: n(3)
    n = shape(v%values)
    allocate(packed%words(bits / 32 * n(1), n(2), n(3)))
    if (bits == 32) call c_f_pointer(c_loc(packed%words), packed%single, n)
    if (bits == 64) call c_f_pointer(c_loc(packed%words), packed%double, n)
  end function

  ! A copy of them, to be freed.
  function pack_samples(v, bits) result(packed)
    type(variable), intent(in) :: v
    integer, intent(in) :: bits
    type(samples) :: packed
    packed = new_samples(v, bits)
    if (bits == 32) packed%single = real(v%values / v%over, real32)
    if (bits == 64) packed%double = v%values / v%over
  end function

  elemental subroutine free_samples(packed)
    type(samples), intent(inout) :: packed
    deallocate(packed%words)
  end subroutine
end module
