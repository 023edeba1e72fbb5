! Compressed fields, fields with stored bits, and their errors.
module compression_cases
  use world
  implicit none
  private
  public :: test_compression

  integer, parameter :: nx = map_nx, ny = 21, nz = 18, num_steps = 2

contains

  elemental real(real64) function sample(step, x, y, z)
    integer, intent(in) :: step, x, y, z
    sample = step * real(x * x + 3 * y * z, real64) / 7
  end function

  subroutine write_samples()
    type(esker_dataset) :: ds
    real(real64), allocatable, target :: samples(:, :, :)
    integer :: dims(3), grid, lossy, exact, step, first, num, i, j, k, ierr
    call create(ds, "compressed.idx")
    call esker_def_dim(ds, "x", int(nx, int64), dims(1))
    call esker_def_dim(ds, "y", int(ny, int64), dims(2))
    call esker_def_dim(ds, "z", int(nz, int64), dims(3))
    call esker_def_grid(ds, "volume", dims, grid)
    call esker_def_field(ds, grid, "lossy", esker_float64, 1, esker_every_step, lossy)
    call esker_def_field(ds, grid, "exact", esker_float64, 1, esker_every_step, exact)
    call esker_def_compression(ds, lossy, "zfp-accuracy=1e-3", ierr)
    call check_ok(ds, ierr, "def_compression")
    call esker_def_compression(ds, exact, "zip")
    call my_columns(first, num)
    allocate(samples(num, ny, nz))
    do step = 1, num_steps
      samples = reshape([(((sample(step, first - 1 + i, j, k), i = 1, num), j = 1, ny), k = 1, nz)], [num, ny, nz])
      call esker_begin_step(ds, real(step, real64))
      call esker_put(ds, lossy, [int(first, int64), 1_int64, 1_int64], samples)
      call esker_put(ds, exact, [int(first, int64), 1_int64, 1_int64], samples)
      call esker_end_step(ds, ierr)
      call check_ok(ds, ierr, "end_step")
    end do
    call esker_close(ds)
    call esker_free(ds)
  end subroutine

  subroutine expect_errors()
    type(esker_dataset) :: ds
    real(real64), allocatable :: found(:, :, :), expected(:, :, :)
    real(real64) :: largest, rms
    logical :: is_lossy
    integer :: step, i, j, k, ierr
    allocate(found(nx, ny, nz))
    call esker_open(ds, path_of("compressed.idx"))
    do step = 1, num_steps
      expected = reshape([(((sample(step, i, j, k), i = 1, nx), j = 1, ny), k = 1, nz)], [nx, ny, nz])
      call esker_inq_errors(ds, 1, step, is_lossy, largest, rms, ierr)
      call check_ok(ds, ierr, "inq_errors")
      call esker_get(ds, 1, step, found)
      call check(is_lossy .and. rms > 0 .and. rms <= largest .and. largest <= 1d-3, "errors of a lossy field")
      call check(maxval(abs(found - expected)) <= largest, "largest error")
      call esker_inq_errors(ds, 2, step, is_lossy, largest)
      call esker_get(ds, 2, step, found)
      call check(.not. is_lossy .and. largest == 0 .and. all(found == expected), "a field without loss")
    end do
    call esker_inq_errors(ds, 1, num_steps + 1, is_lossy, ierr=ierr)
    call check_fails(ds, ierr, esker_out_of_range, "step 3")
    call esker_close(ds)
    call esker_free(ds)
  end subroutine

  subroutine write_bits()
    type(esker_dataset) :: ds
    real(real64), allocatable, target :: samples(:, :, :)
    integer :: dims(3), grid, few, first, num, i, j, k, ierr
    call create(ds, "bits.idx")
    call esker_def_dim(ds, "x", int(nx, int64), dims(1))
    call esker_def_dim(ds, "y", int(ny, int64), dims(2))
    call esker_def_dim(ds, "z", int(nz, int64), dims(3))
    call esker_def_grid(ds, "volume", dims, grid)
    call esker_def_field(ds, grid, "few", esker_float64, 1, esker_every_step, few)
    call esker_def_stored_bits(ds, few, 32, ierr)
    call check_ok(ds, ierr, "def_stored_bits")
    call my_columns(first, num)
    allocate(samples(num, ny, nz))
    samples = reshape([(((sample(1, first - 1 + i, j, k), i = 1, num), j = 1, ny), k = 1, nz)], [num, ny, nz])
    call esker_begin_step(ds, 1.0_real64)
    call esker_put(ds, few, [int(first, int64), 1_int64, 1_int64], samples)
    call esker_end_step(ds, ierr)
    call check_ok(ds, ierr, "end_step")
    call esker_close(ds)
    call esker_free(ds)
  end subroutine

  subroutine expect_bits()
    type(esker_dataset) :: ds
    real(real64), allocatable :: all_bits(:, :, :), few_bits(:, :, :), expected(:, :, :)
    real(real64) :: largest
    logical :: is_lossy
    integer :: bits, i, j, k, ierr
    allocate(all_bits(nx, ny, nz), few_bits(nx, ny, nz), expected(nx, ny, nz))
    expected = reshape([(((sample(1, i, j, k), i = 1, nx), j = 1, ny), k = 1, nz)], [nx, ny, nz])
    call esker_open(ds, path_of("bits.idx"))
    call esker_inq_stored_bits(ds, 1, bits)
    call check(bits == 32, "stored bits")
    call esker_inq_errors(ds, 1, 1, is_lossy, largest)
    call esker_get(ds, 1, 1, all_bits)
    call esker_set_bits(ds, 1, 8)
    call esker_get(ds, 1, 1, few_bits)
    call check(is_lossy .and. maxval(abs(all_bits - expected)) <= largest, "error of all bits")
    call check(maxval(abs(few_bits - expected)) > largest, "error of few bits")
    call esker_set_bits(ds, 1, 33, ierr)
    call check_fails(ds, ierr, esker_out_of_range, "expected 1 to 32")
    call esker_close(ds)
    call esker_free(ds)
  end subroutine

  subroutine test_compression()
    call write_samples()
    call expect_errors()
    call write_bits()
    call expect_bits()
  end subroutine
end module
