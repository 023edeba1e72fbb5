! The ocean's files as datasets of Esker. All is collective.
module esker_output
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  use esker
  use contents
  use ocean
  use tiles
  implicit none
  private
  public :: dataset, write_dataset, close_dataset, holds_dataset, read_restart

  ! Open from the first written step on. Fields have the numbers of variables.
  type :: dataset
    private
    type(esker_dataset) :: ds
    logical :: is_open = .false.
  end type

contains

  ! Writes the next step. The first one replaces an existing dataset. `format` is Esker's; empty: that of its options.
  ! Samples of 64 bits are put directly from the model's arrays.
  subroutine write_dataset(s, content, format, path, file)
    type(state), intent(in) :: s
    type(file_contents), intent(in) :: content
    character(*), intent(in) :: format, path
    type(dataset), intent(inout) :: file
    type(samples) :: packed(size(content%variables))
    real(real64), pointer :: values(:, :, :)
    integer :: v
    if (.not. file%is_open) call create(s, content, format, path, file)
    call esker_begin_step(file%ds, time_of(s))
    do v = 1, size(packed)
      associate (from => content%variables(v))
        if (content%bits == 64) then
          values => from%values
          if (from%has_levels) call esker_put(file%ds, v, start_of(s, 3), values)
          if (.not. from%has_levels) call esker_put(file%ds, v, start_of(s, 2), values(:, :, 1))
        else
          packed(v) = pack_samples(from, content%bits)
          if (from%has_levels) call esker_put(file%ds, v, start_of(s, 3), packed(v)%single)
          if (.not. from%has_levels) call esker_put(file%ds, v, start_of(s, 2), packed(v)%single(:, :, 1))
        end if
      end associate
    end do
    call esker_end_step(file%ds)
    if (content%bits == 32) call free_samples(packed)
    if (.not. content%is_series) call close_dataset(file)
  end subroutine

  subroutine close_dataset(file)
    type(dataset), intent(inout) :: file
    if (.not. file%is_open) return
    call esker_close(file%ds)
    call esker_free(file%ds)
    file%is_open = .false.
  end subroutine

  ! Whether the last step of a dataset has the model's samples, to the bit, on all ranks.
  logical function holds_dataset(s, content, path) result(same)
    type(state), intent(in) :: s
    type(file_contents), intent(in) :: content
    character(*), intent(in) :: path
    type(esker_dataset) :: ds
    type(samples) :: expected, found
    integer :: v, step
    call esker_open(ds, path, esker_open_verify)
    call esker_inq_steps(ds, step)
    same = .true.
    do v = 1, size(content%variables)
      expected = pack_samples(content%variables(v), content%bits)
      found = new_samples(content%variables(v), content%bits)
      call get(s, ds, v, step, content%variables(v), found)
      same = same .and. all(found%words == expected%words)
      call free_samples(expected)
      call free_samples(found)
    end do
    call esker_free(ds)
    same = on_all_ranks(s%tile, same)
  end function

  ! All ranks read their tiles together; halos are not filled. False, and the reason on stderr, if the grid differs.
  logical function read_restart(path, s) result(good)
    character(*), intent(in) :: path
    type(state), intent(inout), target :: s
    type(esker_dataset) :: ds
    type(esker_comm) :: comm
    type(file_contents) :: content
    integer(int64), allocatable :: step(:), count(:)
    integer :: v
    call esker_comm_from_fortran(s%tile%comm, comm)
    call esker_open_parallel(ds, path, comm, flags=esker_open_verify)
    call esker_comm_free(comm)
    call esker_inq_box(ds, 1, count=count)
    good = all(count == [s%nx, s%ny, size(s%level)])
    if (.not. good .and. s%tile%rank == 0) write (error_unit, "(a, *(1x, i0))") &
      "esker-pop: the restart is of another grid:", count
    if (.not. good) return
    call esker_get_att_int64(ds, esker_of_dataset, 0, "step", step)
    s%step = int(step(1))
    content = contents_of(s, restart)
    do v = 1, size(content%variables)
      associate (to => content%variables(v))
        if (to%has_levels) call esker_request(ds, v, 1, start_of(s, 3), to%values)
        if (.not. to%has_levels) call esker_request(ds, v, 1, start_of(s, 2), to%values(:, :, 1))
      end associate
    end do
    call esker_read(ds)
    call esker_free(ds)
  end function

  ! A tile of a field.
  subroutine get(s, ds, field, step, v, found)
    type(state), intent(in) :: s
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field, step
    type(variable), intent(in) :: v
    type(samples), intent(inout) :: found
    integer(int64) :: start(3), count(3)
    start = start_of(s, 3)
    count = shape(v%values)
    if (associated(found%single)) then
      if (v%has_levels) call esker_get(ds, field, step, found%single, start, count)
      if (.not. v%has_levels) call esker_get(ds, field, step, found%single(:, :, 1), start(:2), count(:2))
    else
      if (v%has_levels) call esker_get(ds, field, step, found%double, start, count)
      if (.not. v%has_levels) call esker_get(ds, field, step, found%double(:, :, 1), start(:2), count(:2))
    end if
  end subroutine

  ! A new dataset with the grids of the ocean and of its surface, and its fields.
  subroutine create(s, content, format, path, file)
    type(state), intent(in) :: s
    type(file_contents), intent(in) :: content
    character(*), intent(in) :: format, path
    type(dataset), intent(inout) :: file
    type(esker_options) :: options
    type(esker_comm) :: comm
    integer :: dims(3), volume, surface, v
    call esker_options_new(options)
    call esker_options_load(options)  ! other options come from esker.toml and ESKER_*
    call esker_options_set(options, "overwrite", "true")
    if (format /= "") call esker_options_set(options, "format", format)
    call esker_comm_from_fortran(s%tile%comm, comm)
    call esker_create(file%ds, path, comm, options)
    file%is_open = .true.
    call esker_comm_free(comm)
    call esker_options_free(options)
    call esker_def_dim(file%ds, "x", int(s%nx, int64), dims(1))
    call esker_def_dim(file%ds, "y", int(s%ny, int64), dims(2))
    call esker_def_dim(file%ds, "z", size(s%level, kind=int64), dims(3))
    call esker_def_grid(file%ds, "ocean", dims, volume)
    call esker_def_grid(file%ds, "surface", dims(:2), surface)
    call esker_def_coords(file%ds, volume, dims(3), s%level * depth)
    call describe(file%ds, dims(3))
    if (content%kind == restart) call esker_put_att_int64(file%ds, esker_of_dataset, 0, "step", [int(s%step, int64)])
    do v = 1, size(content%variables)
      associate (is => content%variables(v))
        call define(file%ds, merge(volume, surface, is%has_levels), &
          merge(esker_float32, esker_float64, content%bits == 32), is)
      end associate
    end do
  end subroutine

  ! The CF attributes of the dataset, of depth and of time.
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

  subroutine define(ds, grid, type, v)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: grid, type
    type(variable), intent(in) :: v
    integer :: field
    call esker_def_field(ds, grid, trim(v%name), type, 1, esker_every_step, field)
    call esker_put_att_text(ds, esker_of_field, field, "units", trim(v%units))
    call esker_put_att_text(ds, esker_of_field, field, "long_name", trim(v%long_name))
    if (v%standard_name /= "") call esker_put_att_text(ds, esker_of_field, field, "standard_name", trim(v%standard_name))
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
