! What POP writes, as datasets of Esker: history (snapshots), movie (small, often), restart (all of the state, in full
! precision), average (time mean). All are collective.
module output
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real32, real64
  use esker
  use ocean
  implicit none
  private
  public :: dataset, open_history, open_movie, write_history, write_movie, write_restart, write_average, read_restart, &
    close_dataset

  ! A dataset of the ocean's grids. Fields are numbered in the order in which they are defined.
  type :: dataset
    private
    type(esker_dataset) :: ds
    integer :: volume = 0, surface = 0
  end type

contains

  subroutine open_history(s, path, file)
    type(state), intent(in) :: s
    character(*), intent(in) :: path
    type(dataset), intent(out) :: file
    call create(s, path, file)
    call define(file, file%volume, "TEMP", esker_float32, "degC", "temperature", &
      "sea_water_potential_temperature")
    call define(file, file%surface, "SSH", esker_float32, "m", "sea surface height", &
      "sea_surface_height_above_geoid")
    call define(file, file%surface, "UBTROP", esker_float32, "m/s", "barotropic velocity, eastward", &
      "barotropic_eastward_sea_water_velocity")
    call define(file, file%surface, "VBTROP", esker_float32, "m/s", "barotropic velocity, northward", &
      "barotropic_northward_sea_water_velocity")
  end subroutine

  subroutine write_history(s, file)
    type(state), intent(in) :: s
    type(dataset), intent(inout) :: file
    real(real32), allocatable, target :: temp(:, :, :), flat(:, :, :)
    associate (n => s%tile%count)
      allocate(temp, source=real(s%temp(1:n(1), 1:n(2), :), real32))
      allocate(flat(n(1), n(2), 3))
      flat(:, :, 1) = real(s%eta(1:n(1), 1:n(2), 1), real32)
      flat(:, :, 2) = real(s%u(1:n(1), 1:n(2), 1), real32)
      flat(:, :, 3) = real(s%v(1:n(1), 1:n(2), 1), real32)
    end associate
    call esker_begin_step(file%ds, time_of(s))
    call esker_put(file%ds, 1, start_of(s, 3), temp)
    call esker_put(file%ds, 2, start_of(s, 2), flat(:, :, 1))
    call esker_put(file%ds, 3, start_of(s, 2), flat(:, :, 2))
    call esker_put(file%ds, 4, start_of(s, 2), flat(:, :, 3))
    call esker_end_step(file%ds)
  end subroutine

  subroutine open_movie(s, path, file)
    type(state), intent(in) :: s
    character(*), intent(in) :: path
    type(dataset), intent(out) :: file
    call create(s, path, file)
    call define(file, file%surface, "SST", esker_float32, "degC", "sea surface temperature", &
      "sea_surface_temperature")
    call define(file, file%surface, "SSH", esker_float32, "m", "sea surface height", &
      "sea_surface_height_above_geoid")
  end subroutine

  subroutine write_movie(s, file)
    type(state), intent(in) :: s
    type(dataset), intent(inout) :: file
    real(real32), allocatable, target :: flat(:, :, :)
    associate (n => s%tile%count)
      allocate(flat(n(1), n(2), 2))
      flat(:, :, 1) = real(s%temp(1:n(1), 1:n(2), 1), real32)
      flat(:, :, 2) = real(s%eta(1:n(1), 1:n(2), 1), real32)
    end associate
    call esker_begin_step(file%ds, time_of(s))
    call esker_put(file%ds, 1, start_of(s, 2), flat(:, :, 1))
    call esker_put(file%ds, 2, start_of(s, 2), flat(:, :, 2))
    call esker_end_step(file%ds)
  end subroutine

  ! All that a later run needs to go on with the same bits: put from the model's own arrays, halo cells skipped.
  subroutine write_restart(s, path)
    type(state), intent(in), target :: s
    character(*), intent(in) :: path
    type(dataset) :: file
    call create(s, path, file)
    call define(file, file%volume, "TEMP", esker_float64, "degC", "temperature", &
      "sea_water_potential_temperature")
    call define(file, file%volume, "TEMP_SUM", esker_float64, "degC", "temperature, summed over steps")
    call define(file, file%surface, "SSH", esker_float64, "m", "sea surface height", &
      "sea_surface_height_above_geoid")
    call define(file, file%surface, "UBTROP", esker_float64, "m/s", "barotropic velocity, eastward", &
      "barotropic_eastward_sea_water_velocity")
    call define(file, file%surface, "VBTROP", esker_float64, "m/s", "barotropic velocity, northward", &
      "barotropic_northward_sea_water_velocity")
    call esker_put_att_int64(file%ds, esker_of_dataset, 0, "step", [int(s%step, int64)])
    call esker_begin_step(file%ds, time_of(s))
    associate (n => s%tile%count)
      call esker_put(file%ds, 1, start_of(s, 3), s%temp(1:n(1), 1:n(2), :))
      call esker_put(file%ds, 2, start_of(s, 3), s%temp_sum)
      call esker_put(file%ds, 3, start_of(s, 2), s%eta(1:n(1), 1:n(2), 1))
      call esker_put(file%ds, 4, start_of(s, 2), s%u(1:n(1), 1:n(2), 1))
      call esker_put(file%ds, 5, start_of(s, 2), s%v(1:n(1), 1:n(2), 1))
    end associate
    call esker_end_step(file%ds)
    call close_dataset(file)
  end subroutine

  ! Each rank reads its tile; halos are not filled. False, and why on stderr, if the grid is another one.
  logical function read_restart(path, s) result(good)
    character(*), intent(in) :: path
    type(state), intent(inout) :: s
    type(esker_dataset) :: ds
    integer(int64), allocatable :: step(:), count(:)
    integer(int64) :: mine(3)
    call esker_open(ds, path, esker_open_verify)
    call esker_inq_box(ds, 1, count=count)
    good = all(count == [s%nx, s%ny, size(s%level)])
    if (.not. good .and. s%tile%rank == 0) write (error_unit, "(a, *(1x, i0))") &
      "esker-pop: the restart is of another grid:", count
    if (.not. good) return
    mine = [s%tile%count, size(s%level)]
    call esker_get_att_int64(ds, esker_of_dataset, 0, "step", step)
    s%step = int(step(1))
    associate (n => s%tile%count)
      call esker_get(ds, 1, 1, s%temp(1:n(1), 1:n(2), :), start_of(s, 3), mine)
      call esker_get(ds, 2, 1, s%temp_sum, start_of(s, 3), mine)
      call esker_get(ds, 3, 1, s%eta(1:n(1), 1:n(2), 1), start_of(s, 2), mine(:2))
      call esker_get(ds, 4, 1, s%u(1:n(1), 1:n(2), 1), start_of(s, 2), mine(:2))
      call esker_get(ds, 5, 1, s%v(1:n(1), 1:n(2), 1), start_of(s, 2), mine(:2))
    end associate
    call esker_free(ds)
  end function

  ! The mean over all steps since the beginning, those before a restart included.
  subroutine write_average(s, path)
    type(state), intent(in) :: s
    character(*), intent(in) :: path
    type(dataset) :: file
    real(real32), allocatable, target :: temp(:, :, :)
    allocate(temp, source=real(s%temp_sum / s%step, real32))
    call create(s, path, file)
    call define(file, file%volume, "TEMP", esker_float32, "degC", "temperature, mean over time", &
      "sea_water_potential_temperature")
    call esker_begin_step(file%ds, time_of(s))
    call esker_put(file%ds, 1, start_of(s, 3), temp)
    call esker_end_step(file%ds)
    call close_dataset(file)
  end subroutine

  subroutine close_dataset(file)
    type(dataset), intent(inout) :: file
    call esker_close(file%ds)
    call esker_free(file%ds)
  end subroutine

  ! A new dataset, in place of one that is there, with the grids of the ocean and of its surface.
  subroutine create(s, path, file)
    type(state), intent(in) :: s
    character(*), intent(in) :: path
    type(dataset), intent(out) :: file
    type(esker_options) :: options
    type(esker_comm) :: comm
    integer :: dims(3)
    call esker_options_new(options)
    call esker_options_load(options)  ! esker.toml and ESKER_* say the rest
    call esker_options_set(options, "overwrite", "true")
    call esker_comm_from_fortran(s%tile%comm, comm)
    call esker_create(file%ds, path, comm, options)
    call esker_comm_free(comm)
    call esker_options_free(options)
    call esker_def_dim(file%ds, "x", int(s%nx, int64), dims(1))
    call esker_def_dim(file%ds, "y", int(s%ny, int64), dims(2))
    call esker_def_dim(file%ds, "z", size(s%level, kind=int64), dims(3))
    call esker_def_grid(file%ds, "ocean", dims, file%volume)
    call esker_def_grid(file%ds, "surface", dims(:2), file%surface)
    call esker_def_coords(file%ds, file%volume, dims(3), s%level * depth)
    call describe(file%ds, dims(3))
  end subroutine

  ! What the CF conventions want of a dataset, of depth and of time.
  subroutine describe(ds, depths)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: depths
    call esker_put_att_text(ds, esker_of_dataset, 0, "Conventions", "CF-1.11")
    call esker_put_att_text(ds, esker_of_dataset, 0, "title", "Esker ocean miniapp: a basin on a beta plane")
    call esker_put_att_text(ds, esker_of_dataset, 0, "source", "esker-pop")
    call esker_put_att_text(ds, esker_of_dim, depths, "standard_name", "depth")
    call esker_put_att_text(ds, esker_of_dim, depths, "long_name", "depth of the middle of levels")
    call esker_put_att_text(ds, esker_of_dim, depths, "units", "m")
    call esker_put_att_text(ds, esker_of_dim, depths, "positive", "down")
    call esker_put_att_text(ds, esker_of_dim, depths, "axis", "Z")
    call esker_put_att_text(ds, esker_of_time, 0, "standard_name", "time")
    call esker_put_att_text(ds, esker_of_time, 0, "units", "seconds since 2000-01-01")
    call esker_put_att_text(ds, esker_of_time, 0, "calendar", "noleap")
    call esker_put_att_text(ds, esker_of_time, 0, "axis", "T")
  end subroutine

  subroutine define(file, grid, name, type, units, long_name, standard_name)
    type(dataset), intent(inout) :: file
    integer, intent(in) :: grid, type
    character(*), intent(in) :: name, units, long_name
    character(*), intent(in), optional :: standard_name
    integer :: field
    call esker_def_field(file%ds, grid, name, type, 1, esker_every_step, field)
    call esker_put_att_text(file%ds, esker_of_field, field, "units", units)
    call esker_put_att_text(file%ds, esker_of_field, field, "long_name", long_name)
    if (present(standard_name)) call esker_put_att_text(file%ds, esker_of_field, field, "standard_name", standard_name)
  end subroutine

  ! This rank's first sample on a grid of that many axes.
  function start_of(s, rank) result(start)
    type(state), intent(in) :: s
    integer, intent(in) :: rank
    integer(int64) :: start(rank)
    start = 1
    start(:2) = s%tile%start
  end function
end module
