! Decompositions, plans of steps, and what a camera sees.
module plan_cases
  use, intrinsic :: iso_c_binding, only: c_sizeof
  use world
  implicit none
  private
  public :: test_decompositions, test_plan, test_view

contains

  subroutine test_decompositions()
    type(esker_decomposition) :: d
    integer(int64), allocatable :: cuts(:), parts(:), start(:), count(:)
    integer(int64) :: num_parts
    integer :: num_dims, part, ierr
    call esker_decompose_even(d, [10_int64, 4_int64], [3_int64, 2_int64])
    call esker_decomposition_inq(d, num_dims, num_parts, parts)
    call check(num_dims == 2 .and. num_parts == 6 .and. all(parts == [3, 2]), "parts of an even split")
    call esker_decomposition_inq_cuts(d, 1, cuts)
    call check(all(cuts == [0, 4, 7, 10]), "cuts along x")
    call esker_decomposition_inq_box(d, 4, start, count)
    call check(all(start == [5, 3]) .and. all(count == [3, 2]), "box of part 4")
    call esker_decomposition_inq_part(d, [7_int64, 4_int64], part)
    call check(part == 4, "part of a sample")
    call esker_decomposition_inq_box(d, 6, start, ierr=ierr)
    call check(ierr == esker_out_of_range .and. index(esker_decomposition_message(d), "6 parts") > 0, "no part 6")
    call esker_decomposition_inq_part(d, [7_int64], part, ierr)
    call check(ierr == esker_out_of_range, "an index without y")
    call esker_decomposition_inq_cuts(d, 3, cuts, ierr)
    call check(ierr == esker_out_of_range .and. size(cuts) == 0, "no axis 3")
    call esker_decomposition_free(d)

    call esker_decompose_cuts(d, [2_int64, 1_int64], [0_int64, 3_int64, 10_int64, 0_int64, 4_int64])
    call esker_decomposition_inq_box(d, 1, start, count)
    call check(all(start == [4, 1]) .and. all(count == [7, 4]), "box between cuts")
    call esker_decomposition_free(d)
    call esker_decompose_cuts(d, [2_int64, 1_int64], [0_int64, 3_int64, 10_int64], ierr)
    call check(ierr == esker_invalid_argument, "cuts of one axis of two")
    call esker_decomposition_free(d)
    call esker_decompose_near_cubic(d, [64_int64, 64_int64, 64_int64], 8)
    call esker_decomposition_inq(d, parts=parts)
    call check(all(parts == [2, 2, 2]), "cubes")
    call esker_decomposition_free(d)
    call esker_decompose_pism(d, [10_int64, 4_int64], 0, ierr)
    call check(ierr == esker_invalid_argument .and. index(esker_decomposition_message(d), "0 ranks") > 0, "0 ranks")
    call esker_decomposition_free(d)
  end subroutine

  subroutine test_plan()
    type(esker_dataset) :: ds
    type(esker_decomposition) :: splits(1)
    type(esker_plan_report) :: report
    character(:), allocatable :: text
    integer :: field, ierr
    call check(c_sizeof(report) == 216, "layout of C")  ! tests/capi/abi.c
    call create_map(ds, "plan.idx", field)
    call esker_decompose_pism(splits(1), [int(map_nx, int64), int(map_ny, int64)], 4)
    call esker_plan_step(ds, 4, splits, report=report, text=text, ierr=ierr)
    call check_ok(ds, ierr, "plan_step")
    call check(report%ranks == 4 .and. report%data_bytes == map_nx * map_ny * 4, "planned bytes")
    call check(report%writers >= 1 .and. report%buffer_bytes%max > 0 .and. index(text, "4 ranks") > 0, "plan")
    call esker_plan_step(ds, 3, splits, report=report, ierr=ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "4 parts")
    call esker_plan_step(ds, 4, splits(:0), ierr=ierr)
    call check_fails(ds, ierr, esker_invalid_argument, "0 decompositions")
    call esker_decomposition_free(splits(1))
    call write_map(ds, field, 0d0, 1.0, ierr)
    call check_ok(ds, ierr, "a step after planning")
    call esker_close(ds)
    call esker_free(ds)
  end subroutine

  ! From above on the middle of the map, with 10 pixels per sample; then from the same place upwards.
  subroutine test_view()
    real(real64), parameter :: eye(3) = [6d0, 3d0, 10d0], up(3) = [0d0, 1d0, 0d0]
    type(esker_dataset) :: ds
    type(esker_camera) :: camera
    type(esker_placement) :: placement
    type(esker_view) :: view
    integer :: field, level, ierr
    call create_map(ds, "view.idx", field)
    call write_map(ds, field, 0d0, 1.0, ierr)
    call esker_close(ds)
    call esker_free(ds)
    call esker_open(ds, path_of("view.idx"))
    call esker_inq_max_level(ds, field, level)
    call esker_camera_orthographic(camera, eye, [6d0, 3d0, 0d0], up, 8d0, 1d0, 20d0, 140_int64, 80_int64)
    call esker_choose_view(ds, field, camera, view=view, ierr=ierr)
    call check_ok(ds, ierr, "choose_view")
    call check(view%visible == 1 .and. view%level == level .and. abs(view%pixels - 10) < 1, "level of a view")
    call check(all(view%start(:2) == 1) .and. all(view%count(:2) == [map_nx, map_ny]), "box of a view")
    call esker_choose_view(ds, field, camera, pixels_per_sample=50d0, view=view)
    call check(view%visible == 1 .and. view%level < level, "coarser level")
    call esker_inq_placement(ds, field, placement)
    call check(all(placement%origin == 0) .and. placement%step(1, 1) == 1 .and. placement%step(2, 1) == 0, "placement")
    placement%origin(1) = 6
    call esker_choose_view(ds, field, camera, placement, view=view)
    call check(view%visible == 1 .and. view%count(1) < map_nx, "half of the map")
    call esker_camera_perspective(camera, eye, [6d0, 3d0, 20d0], up, 45d0, 1d0, 20d0, 140_int64, 80_int64)
    call esker_choose_view(ds, field, camera, view=view)
    call check(view%visible == 0, "nothing in view")
    call esker_choose_view(ds, 7, camera, view=view, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "no field has the number 7")
    call esker_close(ds)
    call esker_free(ds)
  end subroutine
end module
