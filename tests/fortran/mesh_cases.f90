! Meshes with several levels: patches of two levels, and the composite that is read.
module mesh_cases
  use world
  implicit none
  private
  public :: test_mesh

  ! 6 x 5 cells; those of level 1 are 4 times finer along x, and 2 times along y: 24 x 10.
  integer, parameter :: nx = 6, ny = 5, rx = 4, ry = 2, fine_nx = nx * rx, fine_ny = ny * ry
  integer(int64), parameter :: mesh_extent(2) = [nx, ny], mesh_ratios(2, 1) = reshape([rx, ry], [2, 1])
  integer(int64), parameter :: one(2) = 1
  real(real64), parameter :: mesh_origin(2) = [-1d0, 0.5d0], mesh_spacing(2) = [0.25d0, 2d0]

  ! Patches of level 1, fine_start(:, p) and fine_count(:, p): of the first rank, and of the last.
  integer, parameter :: fine_start(2, 2) = reshape([5, 3, 17, 5], [2, 2])
  integer, parameter :: fine_count(2, 2) = reshape([8, 4, 8, 6], [2, 2])

  ! A dataset that is written: rho is put without a copy, p from float64 with a copy, v with its components last.
  type :: run_data
    type(esker_dataset) :: ds
    integer :: grid = 0, rho = 0, p = 0, v = 0
  end type

  type :: patch_data
    real(real64), allocatable :: rho(:, :), v(:, :, :)
  end type

contains

  elemental real(real64) function coarse(x, y)
    integer, intent(in) :: x, y
    coarse = 100 * y + x
  end function

  elemental real(real64) function fine(x, y)
    integer, intent(in) :: x, y
    fine = 0.5d0 + 100 * y + x
  end function

  ! What is read at an index of level 1.
  real(real64) function composite(x, y)
    integer, intent(in) :: x, y
    integer :: p
    composite = coarse((x - 1) / rx + 1, (y - 1) / ry + 1)
    do p = 1, 2
      if (all([x, y] >= fine_start(:, p) .and. [x, y] < fine_start(:, p) + fine_count(:, p))) composite = fine(x, y)
    end do
  end function

  subroutine start_run(run, name)
    type(run_data), intent(inout) :: run
    character(*), intent(in) :: name
    integer :: ierr
    call create(run%ds, name)
    call esker_def_mesh(run%ds, "amr", ["x   ", "yyyy"], mesh_extent, mesh_ratios, run%grid, origin=mesh_origin, &
      spacing=mesh_spacing, ierr=ierr)
    call check_ok(run%ds, ierr, "def_mesh")
    call esker_def_field(run%ds, run%grid, "rho", esker_float64, 1, esker_every_step, run%rho)
    call esker_def_field(run%ds, run%grid, "p", esker_float32, 1, esker_every_step, run%p)
    call esker_def_field(run%ds, run%grid, "v", esker_float64, 2, esker_every_step, run%v)
  end subroutine

  subroutine put_patch(run, level, patch, start, count)
    type(run_data), intent(inout) :: run
    integer, intent(in) :: level, start(2), count(2)
    type(patch_data), intent(inout), target :: patch
    integer :: x, y, ierr
    allocate(patch%rho(count(1), count(2)), patch%v(count(1), count(2), 2))
    do y = 1, count(2)
      do x = 1, count(1)
        patch%rho(x, y) = merge(coarse(start(1) - 1 + x, start(2) - 1 + y), fine(start(1) - 1 + x, start(2) - 1 + y), &
          level == 0)
      end do
    end do
    patch%v(:, :, 1) = 2 * patch%rho
    patch%v(:, :, 2) = 3 * patch%rho
    call esker_put_level(run%ds, run%rho, level, int(start, int64), patch%rho, ierr=ierr)
    call check_ok(run%ds, ierr, "put_level")
    call esker_put_buffered_level(run%ds, run%p, level, int(start, int64), -transpose(patch%rho), [2, 1], ierr)
    call check_ok(run%ds, ierr, "put_buffered_level")
    call esker_put_level(run%ds, run%v, level, int(start, int64), patch%v, [1, 2, 0], ierr)
    call check_ok(run%ds, ierr, "put_level of components")
  end subroutine

  ! This rank's columns of level 0, and its patches of level 1, which need `patches` until the step ends.
  subroutine put_all(run, patches)
    type(run_data), intent(inout) :: run
    type(patch_data), intent(inout), target :: patches(3)
    integer :: first
    first = nx * rank / num_ranks + 1
    call put_patch(run, 0, patches(1), [first, 1], [nx * (rank + 1) / num_ranks + 1 - first, ny])
    if (rank == 0) call put_patch(run, 1, patches(2), fine_start(:, 1), fine_count(:, 1))
    if (rank == num_ranks - 1) call put_patch(run, 1, patches(3), fine_start(:, 2), fine_count(:, 2))
  end subroutine

  subroutine finish(run)
    type(run_data), intent(inout) :: run
    integer :: ierr
    call esker_close(run%ds, ierr)
    call check_ok(run%ds, ierr, "close")
    call esker_free(run%ds)
  end subroutine

  ! The mesh is the one that start_run defines.
  subroutine expect_mesh(ds)
    type(esker_dataset), intent(inout) :: ds
    integer(int64), allocatable :: extent(:), ratios(:, :), ratio(:)
    real(real64), allocatable :: origin(:), spacing(:)
    integer, allocatable :: dims(:)
    character(:), allocatable :: name
    integer :: grid, centering, ierr
    call esker_inq_grid_id(ds, "amr", grid)
    call esker_inq_grid(ds, grid, dims=dims)
    call esker_inq_dim(ds, dims(2), name)
    call check(name == "yyyy", "name of an axis")
    call esker_inq_mesh(ds, grid, extent, ratios, centering, origin, spacing, ierr)
    call check_ok(ds, ierr, "inq_mesh")
    call check(all(extent == mesh_extent) .and. all(shape(ratios) == [2, 1]) .and. all(ratios == mesh_ratios), "mesh")
    call check(centering == esker_at_cells .and. all(origin == mesh_origin) .and. all(spacing == mesh_spacing), "place")
    call esker_inq_mesh_level(ds, grid, 0, extent, ratio, ierr)
    call check_ok(ds, ierr, "inq_mesh_level")
    call check(all(extent == mesh_extent) .and. all(ratio == [rx, ry]), "level 0")
    call esker_inq_mesh_level(ds, grid, 1, extent, ratio)
    call check(all(extent == [fine_nx, fine_ny]) .and. all(ratio == 1), "level 1")
    call esker_inq_mesh_level(ds, grid, 2, extent, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "level 2, the mesh has 0 to 1")
    call esker_inq_mesh(ds, 9, extent, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "no grid has the number 9")
    call check(size(extent) == 0, "extent of no mesh")
  end subroutine

  ! The patches of both steps: the ranks' columns of level 0, then those of level 1.
  subroutine expect_patches(ds)
    type(esker_dataset), intent(inout) :: ds
    integer(int64), allocatable :: start(:, :), count(:, :), patches(:), samples(:), covered(:)
    integer, allocatable :: levels(:)
    integer :: columns, ierr
    columns = min(num_ranks, nx)
    call esker_inq_patches(ds, 1, -1, levels, start, count, ierr)
    call check_ok(ds, ierr, "inq_patches")
    call check(size(levels) == columns + 2 .and. all(shape(start) == [2, columns + 2]), "number of patches")
    call check(all(levels(:columns) == 0) .and. all(levels(columns + 1:) == 1), "levels of patches")
    call check(start(1, 1) == 1 .and. sum(count(1, :columns)) == nx .and. all(count(2, :columns) == ny), "columns")
    call check(all(start(:, columns + 1:) == fine_start) .and. all(count(:, columns + 1:) == fine_count), "patches")
    call esker_inq_level_covers(ds, 2, 1, patches, samples, covered, ierr)
    call check_ok(ds, ierr, "inq_level_covers")
    call check(all(patches == [columns, 2]) .and. all(samples == [nx * ny, 80]), "level covers")
    call check(all(covered == [80 / (rx * ry), 0]), "covered samples")
    call esker_inq_patches(ds, 1, 3, levels, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "step 3")
    call check(size(levels) == 0, "no patches")
    call esker_inq_patches(ds, 1, 0, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "step 0")
    call esker_inq_level_covers(ds, 9, 1, patches, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "no field has the number 9")
  end subroutine

  subroutine write_levels(name)
    character(*), intent(in) :: name
    type(run_data) :: run
    integer :: step, ierr
    call start_run(run, name)
    call expect_mesh(run%ds)
    do step = 1, 2
      call write_step(real(step, real64))
    end do
    call finish(run)
  contains
    subroutine write_step(time)
      real(real64), intent(in) :: time
      type(patch_data), target :: patches(3)
      call esker_begin_step(run%ds, time)
      call put_all(run, patches)
      call esker_end_step(run%ds, ierr)
      call check_ok(run%ds, ierr, "end_step")
    end subroutine
  end subroutine

  subroutine read_levels(name)
    character(*), intent(in) :: name
    type(esker_dataset) :: ds
    real(real64) :: rho(fine_nx, fine_ny), v(2, fine_nx, fine_ny)
    real(real32) :: p(fine_nx, fine_ny)
    integer :: step, x, y, ierr
    logical :: whole
    call esker_open(ds, path_of(name), esker_open_verify)
    call expect_mesh(ds)
    call expect_patches(ds)
    call esker_inq_whole_levels(ds, 1, whole)
    call check(.not. whole, "no whole levels")
    call esker_set_mesh_level(ds, 1, 0, ierr)  ! this format does not store whole levels
    call check_fails(ds, ierr, esker_unsupported, "only format=vtkhdf")
    call esker_set_mesh_level(ds, 1, esker_all_mesh_levels)
    do step = 1, 2
      call esker_get(ds, 1, step, rho)
      call esker_get(ds, 2, step, p)
      call esker_get(ds, 3, step, v)
      do y = 1, fine_ny
        do x = 1, fine_nx
          call check(rho(x, y) == composite(x, y), "rho")
          call check(p(x, y) == -real(composite(x, y), real32), "p")
          call check(all(v(:, x, y) == [2, 3] * composite(x, y)), "v")
        end do
      end do
    end do
    call esker_close(ds)
    call esker_free(ds)
  end subroutine

  ! One wrong patch per step, whose error esker_end_step returns again.
  subroutine expect_wrong_patches(name)
    character(*), intent(in) :: name
    type(run_data) :: run
    type(patch_data), target :: patches(3)
    real(real64), target :: samples(nx, ny), line(nx)
    integer :: case, code, ierr
    character(80) :: word
    samples = 0
    line = 0
    call start_run(run, name)
    do case = 1, 7
      call esker_begin_step(run%ds, 0d0)
      code = esker_out_of_range
      select case (case)
      case (1)
        call esker_put_level(run%ds, run%rho, 2, one, samples, ierr=ierr)
        word = "level 2, the mesh has 0 to 1"
      case (2)
        call esker_put_buffered_level(run%ds, run%p, 2, one, samples, ierr=ierr)
        word = "level 2, the mesh has 0 to 1"
      case (3)
        call esker_put_level(run%ds, run%rho, -1, one, samples, ierr=ierr)
        word = "level -1, the mesh has 0 to 1"
      case (4)
        call esker_put_level(run%ds, run%rho, 0, one + 1, samples, ierr=ierr)
        word = "the patch (2:7, 2:6) exceeds the level 0, (1:6, 1:5)"
      case (5)
        call esker_put_level(run%ds, 4, 0, one, samples, ierr=ierr)
        word = "no field has the number 4"
      case (6)
        call esker_put_level(run%ds, run%rho, 0, one, line, ierr=ierr)
        word = "put 'rho': an array of 1 dimensions"
        code = esker_invalid_argument
      case (7)
        call esker_put(run%ds, run%rho, one, samples, ierr=ierr)
        word = "put its patches with a level"
        code = esker_invalid_argument
      end select
      call check_fails(run%ds, ierr, code, trim(word))
      call esker_end_step(run%ds, ierr)
      call check_fails(run%ds, ierr, code, trim(word))
    end do
    call esker_begin_step(run%ds, 0d0)
    call put_all(run, patches)
    call esker_end_step(run%ds, ierr)
    call check_ok(run%ds, ierr, "the dataset is still usable")
    call finish(run)
  end subroutine

  subroutine expect_wrong_meshes(name)
    character(*), intent(in) :: name
    type(esker_dataset) :: ds
    integer(int64) :: odd(2, 1)
    integer :: field, grid, ierr
    odd = 3
    call create_map(ds, name, field)
    call esker_def_mesh(ds, "m", ["a", "b"], mesh_extent(:1), mesh_ratios, grid, ierr=ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "are for 1, 2, 2, 2 axes, expected 2 each")
    call check(grid == 0, "no grid")
    call esker_def_mesh(ds, "m", ["a", "b"], mesh_extent, mesh_ratios, grid, spacing=[1d0], ierr=ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "are for 2, 2, 2, 1 axes, expected 2 each")
    call esker_def_mesh(ds, "m", ["a", "b"], mesh_extent, odd, grid, ierr=ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "ratio 3 of axis 'a'")
    call esker_def_mesh(ds, "m", ["a", "b"], mesh_extent, mesh_ratios, grid, 2, ierr=ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "centering 2")
    call check(grid == 0, "no grid")
    call esker_inq_mesh(ds, 1, ierr=ierr)
    call check_fails(ds, ierr, esker_not_found, "grid 'map' is not that of a mesh")
    call esker_inq_mesh_level(ds, 1, 0, ierr=ierr)
    call check_fails(ds, ierr, esker_not_found, "grid 'map' is not that of a mesh")
    call esker_end_step(ds, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "are for 1, 2, 2, 2 axes")
    call esker_close(ds)
    call esker_free(ds)
  end subroutine

  ! Samples at nodes; a mesh with one level, without origin and spacing.
  subroutine expect_nodes(name)
    character(*), intent(in) :: name
    type(esker_dataset) :: ds
    integer(int64), allocatable :: extent(:), ratios(:, :)
    real(real64), allocatable :: origin(:), spacing(:)
    integer :: grid, centering
    logical :: nested
    call create(ds, name)
    call esker_def_mesh(ds, "amr", ["x", "y"], mesh_extent, mesh_ratios(:, :0), grid, esker_at_nodes)
    call esker_inq_mesh(ds, grid, extent, ratios, centering, origin, spacing)
    call check(all(extent == mesh_extent) .and. all(shape(ratios) == [2, 0]) .and. centering == esker_at_nodes, "nodes")
    call check(all(origin == 0) .and. all(spacing == 1) .and. size(origin) == 2, "defaults")
    call esker_inq_mesh_level(ds, grid, 0, extent)
    call check(all(extent == mesh_extent + 1), "one more than cells")
    call esker_inq_nested(ds, grid, nested)
    call check(.not. nested, "no promise")
    call esker_def_nested(ds, grid)
    call esker_inq_nested(ds, grid, nested)
    call check(nested, "a promise")
    call esker_close(ds)
    call esker_free(ds)
  end subroutine

  ! What VTKHDF files cannot hold.
  subroutine expect_limits_of_whole_levels(name)
    character(*), intent(in) :: name
    type(esker_dataset) :: ds
    type(esker_options) :: options
    integer(int64) :: extent(4), ratios(4, 0)
    integer :: grid, field, ierr
    extent = 2
    call make_small_options(options)
    call esker_create(ds, path_of(name), comm, options, ierr)
    call esker_options_free(options)
    if (ierr == esker_unsupported) then  ! built without HDF5
      call esker_free(ds)
      return
    end if
    call esker_def_mesh(ds, "m", ["x", "y", "z", "p"], extent, ratios, grid, ierr=ierr)
    call check_fails(ds, ierr, esker_unsupported, "mesh 'm': 4 axes, but VTKHDF files (format=vtkhdf) hold at most 3")
    call esker_end_step(ds, ierr)
    call check_fails(ds, ierr, esker_unsupported, "with format=idx")
    call esker_def_mesh(ds, "m", ["x", "y", "z"], extent(:3), ratios(:3, :), grid)
    call esker_def_field(ds, grid, "f", esker_float32, 1, esker_every_step, field)
    call esker_def_compression(ds, field, "zip")
    call esker_begin_step(ds, 0d0)
    call esker_end_step(ds, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "field 'f': compression zip: VTKHDF files cannot be compressed")
    call esker_close(ds, ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "with format=idx")
    call esker_free(ds)
  end subroutine

  subroutine test_mesh()
    call write_levels("levels.idx")
    call read_levels("levels.idx")
    call expect_wrong_patches("wrong_patches.idx")
    call expect_wrong_meshes("wrong_meshes.idx")
    call expect_nodes("nodes.idx")
    call expect_limits_of_whole_levels("limits.vtkhdf.series")
  end subroutine
end module
