! Calls without a dataset: version, texts, types, options, the communicator of one rank.
module library_cases
  use, intrinsic :: iso_c_binding, only: c_sizeof
  use world
  implicit none
  private
  public :: test_library, test_options

contains

  subroutine test_library()
    integer, parameter :: bytes(0:9) = [1, 1, 2, 2, 4, 4, 8, 8, 4, 8]
    type(esker_comm) :: none
    type(esker_step_report) :: step_report
    type(esker_verify_report) :: verify_report
    integer :: i, n
    call check(c_sizeof(step_report) == 56 .and. c_sizeof(verify_report) == 72, "layouts as in C")  ! tests/capi/abi.c
    call check(index(esker_version(), ".") > 0, "version")
    call check(index(esker_build_facts(), "HDF5: ") > 0, "build_facts")
    do i = esker_ok, esker_internal
      call check(esker_strerror(i) /= "unknown status" .and. len(esker_strerror(i)) > 3, "strerror")
    end do
    call check(esker_strerror(-1) == "unknown status", "strerror of no status")
    do i = esker_int8, esker_float64
      call check(esker_type_bytes(i) == bytes(i), "bytes of type " // esker_type_name(i))
    end do
    call check(esker_type_name(esker_uint16) == "uint16" .and. esker_type_name(10) == "unknown", "type names")
    call check(esker_type_bytes(10) == 0, "bytes of no type")
    call esker_comm_size(none, n)
    call check(n == 1, "size of the group of one")
    call esker_comm_rank(none, n)
    call check(n == 0, "rank in the group of one")
    call esker_comm_free(none)
  end subroutine

  ! The position of option aggregators, or 0.
  integer function find_aggregators(options) result(place)
    type(esker_options), intent(in) :: options
    character(:), allocatable :: name
    integer :: num
    call esker_options_inq_num(options, num)
    call check(num > 5, "number of options")
    do place = 1, num
      call esker_options_inq(options, place, name)
      if (name == "aggregators") return
    end do
    place = 0
  end function

  subroutine test_options()
    type(esker_options) :: options
    character(:), allocatable :: value, source, help
    integer :: place, ierr
    call esker_options_new(options, ierr)
    call check(ierr == esker_ok .and. esker_options_message(options) == "", "new options")
    place = find_aggregators(options)
    call esker_options_inq(options, place, value=value, source=source, help=help)
    call check(value == "0" .and. source == "built-in" .and. len(help) > 0, "built-in value")
    call esker_options_set(options, "aggregators  ", "3 ")
    call esker_options_inq(options, place, value=value, source=source)
    call check(value == "3" .and. source == "program", "value of the program")
    call esker_options_set(options, "aggregators", "many", ierr)
    call check(ierr == esker_invalid_argument .and. index(esker_options_message(options), "many") > 0, "wrong value")
    call esker_options_set(options, "agregators", "3", ierr)
    call check(ierr == esker_invalid_argument .and. index(esker_options_message(options), "agreg") > 0, "no option")
    call esker_options_inq(options, 0, value=value, ierr=ierr)
    call check(ierr == esker_out_of_range .and. value == "", "option 0")
    call esker_options_inq(options, 1000, ierr=ierr)
    call check(ierr == esker_out_of_range, "option 1000")
    call esker_options_inq(options, place, value=value)
    call check(value == "3", "errors change nothing")
    call esker_options_load(options)  ! the test's environment says ESKER_AGGREGATORS=2
    call esker_options_inq(options, place, value=value, source=source)
    call check(value == "2" .and. source == "ESKER_AGGREGATORS", "value of the environment")
    call esker_options_free(options)
  end subroutine
end module
