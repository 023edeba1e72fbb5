! Datasets over time: append, rewind, several at once, reports, damage.
module session_cases
  use world
  implicit none
  private
  public :: test_append, test_asynchronous, test_several, test_reports, test_verify

  real(real64) :: last_progress

contains

  subroutine test_append()
    real(real64), parameter :: times(4) = [0d0, 1d0, 2d0, 3d0]
    real(real32), parameter :: before(4) = [10., 11., 12., 13.], after(4) = [10., 11., 22., 23.]
    type(esker_options) :: options
    type(esker_dataset) :: ds
    real(real64), allocatable :: found(:)
    integer :: field, num, s, ierr
    call make_small_options(options)
    call create_map(ds, "append.idx", field)
    do s = 1, 3
      call write_map(ds, field, times(s), before(s), ierr)
      call check_ok(ds, ierr, "write")
    end do
    call esker_free(ds)  ! abandoned, as by a program that ends early: committed steps remain
    call expect_map("append.idx", times(:3), before(:3))

    call esker_append(ds, path_of("append.idx"), comm, options, ierr)
    call check_ok(ds, ierr, "append")
    call esker_inq_field_id(ds, "thk", field)
    call esker_inq_steps(ds, num, found)
    call check(num == 3 .and. found(3) == 2, "steps of the appended dataset")
    call write_map(ds, field, times(4), before(4), ierr)
    call check_ok(ds, ierr, "write after append")
    call esker_close(ds)
    call esker_free(ds)
    call expect_map("append.idx", times, before)

    call esker_append(ds, path_of("append.idx"), comm, options)
    call esker_rewind(ds, 1.5d0, ierr)
    call check_ok(ds, ierr, "rewind")
    call esker_inq_steps(ds, num)
    call check(num == 2, "steps after rewind")
    call write_map(ds, field, times(3), after(3), ierr)
    call write_map(ds, field, times(4), after(4), ierr)
    call check_ok(ds, ierr, "write after rewind")
    call esker_close(ds)
    call esker_free(ds)
    call expect_map("append.idx", times, after)
    call esker_options_free(options)
  end subroutine

  ! Steps that are stored while the program goes on.
  subroutine test_asynchronous()
    type(esker_dataset) :: ds
    real(real32), allocatable, target :: samples(:, :)
    integer :: field, num, s, ierr, first, width
    call create_map(ds, "asynchronous.idx", field)
    call my_columns(first, width)
    allocate(samples(width, map_ny))
    do s = 1, 3
      samples = real(s, real32)
      call esker_begin_step(ds, real(s, real64))
      call esker_put(ds, field, [int(first, int64), 1_int64], samples)
      call esker_end_step_async(ds, ierr)
      call check_ok(ds, ierr, "end_step_async")
      samples = -1  ! the memory is the program's again
      call esker_inq_steps(ds, num)
      call check(num == s, "steps before a flush")
    end do
    call esker_flush(ds, ierr)
    call check_ok(ds, ierr, "flush")
    call esker_inq_steps(ds, num)
    call check(num == 3, "steps after a flush")
    call esker_close(ds)
    call esker_free(ds)
    call expect_map("asynchronous.idx", [1d0, 2d0, 3d0], [1., 2., 3.])
  end subroutine

  ! One dataset that is written and one that is read, alternately; each has its own message.
  subroutine test_several()
    type(esker_dataset) :: a, old
    real(real32) :: samples(map_nx, map_ny)
    integer :: field, s, ierr
    call create_map(a, "a.idx", field)
    call esker_open(old, path_of("append.idx"))
    do s = 1, 2
      call write_map(a, field, real(s, real64), real(s, real32), ierr)
      call check_ok(a, ierr, "write a")
      call esker_get(old, 1, 77, samples, ierr=ierr)
      call check_fails(old, ierr, esker_out_of_range, "step 77")
      call esker_get(old, 1, 1, samples)
      call check(all(samples == 10), "samples of the old one")
    end do
    call check(esker_message(a) == "", "no error of a")
    call esker_close(a)
    call esker_free(a)
    call esker_free(old)
    call expect_map("a.idx", [1d0, 2d0], [1., 2.])
  end subroutine

  subroutine test_reports()
    type(esker_dataset) :: ds
    type(esker_step_report) :: last
    character(:), allocatable :: text
    integer :: field, ierr
    call create_map(ds, "reports.idx", field)
    call esker_inq_last_step(ds, last)
    call check(last%step == 0 .and. last%data_bytes == 0 .and. last%writers == 0, "no step yet")
    call write_map(ds, field, 5d0, 1., ierr)
    call write_map(ds, field, 6d0, 2., ierr)
    call esker_inq_last_step(ds, last, ierr)
    call check_ok(ds, ierr, "inq_last_step")
    call check(last%step == 2 .and. last%time == 6 .and. last%data_bytes == map_nx * map_ny * 4, "last step")
    call check(last%stored_bytes >= last%data_bytes .and. last%writers >= 1 .and. last%files >= 1, "its files")
    call check(last%seconds > 0, "its time")
    call esker_report_text(ds, text, ierr)
    call check(ierr == esker_ok .and. index(text, "2 steps") > 0, "report")
    call esker_report_json(ds, text, ierr)
    call check(ierr == esker_ok .and. index(text, '"steps"') > 0, "report as JSON")
    call esker_close(ds)
    call esker_free(ds)
  end subroutine

  subroutine note_progress(done)
    real(real64), intent(in) :: done
    call check(done >= last_progress .and. done <= 1, "progress")
    last_progress = done
  end subroutine

  ! Only one rank reads, because the test damages the dataset.
  subroutine test_verify()
    type(esker_dataset) :: ds
    type(esker_verify_report) :: report
    integer :: field, ierr
    call create_map(ds, "verify.idx", field)
    call write_map(ds, field, 0d0, 1., ierr)
    call esker_close(ds)
    call esker_free(ds)
    if (rank /= 0) return
    call esker_open(ds, path_of("verify.idx"))
    last_progress = 0
    call esker_verify(ds, report, note_progress)
    call check(last_progress > 0, "progress was reported")
    call check(report%errors == 0 .and. report%warnings == 0 .and. report%findings == 0, "a good dataset")
    call check(report%steps == 1 .and. report%files >= 1 .and. report%blocks >= 2 .and. report%bytes > 0, "counts")
    call check(report%blocks_with_checksum == report%blocks .and. report%blocks_left_out == 0, "checksums")
    call esker_free(ds)
    call damage(path_of("verify/time_0000/0000.bin"))
    call expect_damage()
  end subroutine

  ! Changes the last byte, which belongs to a block.
  subroutine damage(path)
    character(*), intent(in) :: path
    character :: byte
    integer :: unit, bytes
    open (newunit=unit, file=path, access="stream", form="unformatted", action="readwrite", status="old")
    inquire (unit=unit, size=bytes)
    read (unit, pos=bytes) byte
    write (unit, pos=bytes) achar(ieor(iachar(byte), 90))
    close (unit)
  end subroutine

  subroutine expect_damage()
    type(esker_dataset) :: ds
    type(esker_verify_report) :: report
    character(:), allocatable :: path, text
    real(real32) :: samples(map_nx, map_ny)
    logical :: is_error
    integer :: i, num_named, ierr
    call esker_open(ds, path_of("verify.idx"))
    call esker_verify(ds, report)
    call check(report%errors == 1 .and. report%findings >= 1, "one error")
    num_named = 0
    do i = 1, int(report%findings)
      call esker_inq_finding(ds, i, is_error, path, text)
      if (is_error .and. index(path, "0000.bin") > 0 .and. len(text) > 5) num_named = num_named + 1
    end do
    call check(num_named == 1, "the damaged file is named once")
    call esker_inq_finding(ds, int(report%findings) + 1, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "finding")
    call esker_free(ds)
    call esker_open(ds, path_of("verify.idx"), esker_open_verify)
    call esker_get(ds, 1, 1, samples, ierr=ierr)
    call check_fails(ds, ierr, esker_data_loss, "0000.bin")
    call esker_free(ds)
  end subroutine
end module
