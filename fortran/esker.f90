! esker.f90: the module `esker`, Esker for Fortran 2018. It calls the C interface and nothing else. Compile it with
! the compiler of your program, as module files are each compiler's own; link esker and, with MPI, esker_mpi.
! docs/guide/fortran.md has an example; include/esker/esker.h says in full what each function does.
!
! What holds for every procedure:
!
! - Names are those of C. All are subroutines, but for the few that only give a text. What C returns through
!   pointers comes in arguments; strings and arrays are allocated for the caller, who owns them.
! - Status. The last argument is `ierr`, optional: esker_ok or an error, of which esker_message(ds) has the text.
!   Without it an error stops the program with that text. Which calls are collective, and that the errors of local
!   calls come back from the next collective one, is as in C.
! - Everything is counted from 1: dimensions, grids, fields, options, attributes, parts, warnings, findings, steps
!   and the indices of samples; 0 says that there is none. Steps may be counted from the end: -1 is the newest.
!   Levels are no count: 0 is the coarsest, as in C.
! - Axes. Fortran's order of dimensions is Esker's: x first. A box is its first sample `start` and its extent
!   `count`. The components of a field stand in a dimension of their own before the others: vel(3, nx, ny).
! - Texts of errors count from 1, too, and name boxes as sections: (1:5, 4:6). Ranks are MPI's, from 0.
! - Numbers of objects and steps are default integers; sizes, `start` and `count` are integer(int64).
! - Strings. Trailing blanks of names, paths and options do not count; those of attributes do.
! - Unsigned types are put from, and read to, integers of the same size, bit by bit.
! - Handles. Each is ended by one call of its _free; a copy of the variable is the same dataset.
module esker
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  implicit none
  private

  ! How a call ended.
  integer, parameter, public :: esker_ok = 0, esker_invalid_argument = 1, esker_out_of_range = 2, &
    esker_not_found = 3, esker_already_exists = 4, esker_wrong_order = 5, esker_mismatched_call = 6, &
    esker_data_loss = 7, esker_io_error = 8, esker_unsupported = 9, esker_out_of_memory = 10, esker_internal = 11, &
    esker_cancelled = 12

  ! The type of one component of a sample.
  integer, parameter, public :: esker_int8 = 0, esker_uint8 = 1, esker_int16 = 2, esker_uint16 = 3, esker_int32 = 4, &
    esker_uint32 = 5, esker_int64 = 6, esker_uint64 = 7, esker_float32 = 8, esker_float64 = 9, esker_text = 10

  ! What an attribute belongs to, and the type of its value.
  integer, parameter, public :: esker_of_dataset = 0, esker_of_grid = 1, esker_of_field = 2, &
    esker_of_dim = 3, esker_of_time = 4, esker_of_scalar = 5
  integer, parameter, public :: esker_att_text = 0, esker_att_int64 = 1, esker_att_double = 2

  integer, parameter, public :: esker_max_rank = 5, esker_fixed = 0, esker_every_step = 1, esker_last_step = -1, &
    esker_full_level = -1, esker_open_verify = 1

  ! A dataset that is written or read. Errors that are found on this side of the C interface keep their text here.
  type, bind(C), public :: esker_dataset
    private
    type(c_ptr) :: handle = c_null_ptr
    type(c_ptr) :: own_message = c_null_ptr  ! a message_text
  end type

  ! Everything about writing that can be chosen without touching the model's code.
  type, public :: esker_options
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  ! The group of ranks that writes a dataset together; in C, too, it is no more than a pointer.
  type, bind(C), public :: esker_comm
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  ! What one committed step cost; the same on all ranks.
  type, bind(C), public :: esker_step_report
    integer(c_int64_t) :: step = 0          ! position in the dataset; 0: no step was committed
    real(c_double) :: time = 0              ! the model's time value
    integer(c_int64_t) :: data_bytes = 0    ! samples that were put
    integer(c_int64_t) :: stored_bytes = 0  ! block data in files, padding included
    real(c_double) :: seconds = 0           ! esker_end_step, the slowest rank
    integer(c_int64_t) :: writers = 0       ! ranks that wrote
    integer(c_int64_t) :: files = 0         ! files written
  end type

  ! What one esker_read cost; the same on all ranks.
  type, bind(C), public :: esker_read_report
    integer(c_int64_t) :: data_bytes = 0    ! that ranks got
    integer(c_int64_t) :: loaded_bytes = 0  ! that were loaded for that
    real(c_double) :: seconds = 0           ! the slowest rank
    integer(c_int64_t) :: aggregated = 0    ! 1: loaded by some ranks and delivered; 0: each rank loaded its own
    integer(c_int64_t) :: readers = 0       ! ranks that loaded
    integer(c_int64_t) :: buffer_bytes = 0  ! of memory for it, the most of any rank
    integer(c_int64_t) :: most_loaded_bytes = 0   ! of loaded_bytes, by the reader that loaded the most
    integer(c_int64_t) :: least_loaded_bytes = 0  ! and by the one that loaded the least
  end type

  ! One .idx of a dataset: a grid's fields that vary in time, or its fixed ones.
  type, public :: esker_part
    character(:), allocatable :: name      ! the grid's name, "_fixed" behind it for fixed fields
    character(:), allocatable :: path      ! of its .idx, or of the file that all parts are in
    character(:), allocatable :: bitmask   ! of the HZ order, as in the .idx
    integer :: num_fields = 0              ! see esker_inq_part_field
    integer(int64), allocatable :: start(:), count(:)  ! its box
    integer :: bits_per_block = 0
    integer(int64) :: blocks_per_file = 0
    integer(int64) :: num_blocks = 0       ! blocks that exist, per field and step
    integer(int64) :: num_steps = 0        ! 1 for fixed fields
  end type

  ! What esker_verify counted.
  type, bind(C), public :: esker_verify_report
    integer(c_int64_t) :: findings = 0              ! that esker_inq_finding gives: the first 1000
    integer(c_int64_t) :: errors = 0                ! 0: the dataset is good
    integer(c_int64_t) :: warnings = 0              ! nothing that was committed is lost
    integer(c_int64_t) :: steps = 0                 ! committed
    integer(c_int64_t) :: files = 0                 ! block files that were opened
    integer(c_int64_t) :: blocks = 0                ! read, all of them
    integer(c_int64_t) :: bytes = 0                 ! of these
    integer(c_int64_t) :: blocks_with_checksum = 0  ! among them
    integer(c_int64_t) :: blocks_left_out = 0       ! absent in another writer's dataset
  end type

  abstract interface
    ! Gets the part done, 0 ... 1, now and then. Does not end the program.
    subroutine esker_progress(done)
      import :: real64
      real(real64), intent(in) :: done
    end subroutine
  end interface
  public :: esker_progress

  public :: esker_version, esker_strerror, esker_type_name, esker_type_bytes
  public :: esker_options_new, esker_options_load, esker_options_set, esker_options_inq_num, esker_options_inq, &
    esker_options_message, esker_options_free
  public :: esker_comm_from_fortran, esker_comm_from_mpi, esker_comm_rank, esker_comm_size, esker_comm_free
  public :: esker_create, esker_append, esker_open, esker_open_parallel, esker_close, esker_free, esker_message
  public :: esker_def_dim, esker_def_grid, esker_def_coords, esker_def_field
  public :: esker_def_coords_values, esker_def_time, esker_def_scalar
  public :: esker_put_att_text, esker_put_att_int64, esker_put_att_double, esker_put_att_values
  public :: esker_begin_step, esker_put, esker_put_strided, esker_put_buffered, esker_end_step, esker_rewind, &
    esker_fail, esker_abandon
  public :: esker_inq_last_step, esker_report_text, esker_report_json
  public :: esker_request, esker_request_strided, esker_request_level, esker_read, esker_inq_last_read
  public :: esker_inq_num_dims, esker_inq_dim, esker_inq_dim_id, esker_inq_num_grids, esker_inq_grid, &
    esker_inq_grid_id, esker_inq_coords, esker_inq_num_fields, esker_inq_field, esker_inq_field_id, esker_inq_box, &
    esker_inq_steps
  public :: esker_inq_num_atts, esker_inq_att_name, esker_inq_att, esker_get_att_text, esker_get_att_int64, &
    esker_get_att_double, esker_get_att_values
  public :: esker_inq_coords_values, esker_inq_time, esker_inq_num_scalars, esker_inq_scalar
  public :: esker_inq_has, esker_inq_max_level, esker_inq_selection, esker_get
  public :: esker_inq_num_parts, esker_inq_part, esker_inq_part_field, esker_inq_num_warnings, esker_inq_warning, &
    esker_inq_storage, esker_verify, esker_inq_finding

  ! esker_put(ds, field, start, data [, order] [, ierr]): records a patch of a field, the samples from `start` on.
  ! Local.
  !
  ! `data` is a variable of the field's type: a whole array, a section with any strides, a component of an array of
  ! structures, cells%t. Nothing is copied: it stays as it is until esker_end_step has returned, so declare it `target`
  ! or `asynchronous`. The compiler rejects expressions, a*2, and arrays that are intent(in), as their memory may be
  ! gone by then: esker_put_buffered takes them. (The procedures are bind(C), as gfortran then makes no copy of
  ! components of structures.) `order` says what the dimensions of data run along, if they are not x, y, ...: 1 for x,
  ! 2 for y, 3 for z, 0 for components. order=[3, 1, 2] is data(z, x, y), order=[1, 2, 0] is vel(x, y, 3).
  interface esker_put
    procedure :: put_int8, put_int16, put_int32, put_int64, put_real32, put_real64
  end interface

  ! esker_put_buffered(ds, field, start, data [, order] [, ierr]): the same of a copy, which the step keeps. Local.
  !
  ! `data` is anything of an integer or real kind, also an expression, and is the caller's again at once; its numbers
  ! become those of the field's type: reals lose their fraction where that is an integer, and a number that does not
  ! fit is an error. (Integers go bit by bit to unsigned fields of their size.) The copies of a step take up to half of
  ! the option memory_budget.
  interface esker_put_buffered
    procedure :: put_buffered_int8, put_buffered_int16, put_buffered_int32, put_buffered_int64, put_buffered_real32, &
      put_buffered_real64
  end interface

  ! esker_get(ds, field, step, data [, start] [, count] [, level] [, ierr]): reads samples of levels 0 ... `level`
  ! that lie in the box. Local. `start` and `count` both absent: the whole grid; `level` absent: every sample.
  ! `data` is of the field's type and has the shape that esker_inq_selection says, with the components before it if
  ! there are several.
  interface esker_get
    procedure :: get_int8, get_int16, get_int32, get_int64, get_real32, get_real64
  end interface

  ! esker_request(ds, field, step, start, data [, order] [, ierr]): asks for the samples from `start` on that `data`
  ! holds, which esker_read fills. Local.
  !
  ! `data` is as esker_put takes it: a section leaves what is around it as it is, `order` says what its dimensions run
  ! along, and it belongs to Esker until esker_read has returned (`target` or `asynchronous`).
  interface esker_request
    procedure :: request_int8, request_int16, request_int32, request_int64, request_real32, &
      request_real64
  end interface

  ! esker_request_level(ds, field, step, data, level [, start] [, count] [, ierr]): asks for what esker_get reads with
  ! these arguments. Local. `data` is contiguous, and belongs to Esker until esker_read has returned.
  interface esker_request_level
    procedure :: request_level_int8, request_level_int16, request_level_int32, request_level_int64, &
      request_level_real32, request_level_real64
  end interface

  ! Where the first sample of an array is, and its neighbour along each dimension: from these come the strides.
  ! Element 0 is the array's first, element d its second along dimension d, or the first where the extent is 1.
  ! C_NULL_PTR for an array without elements. One function per kind, as Fortran gives no address of an element of
  ! unknown type.
  interface corners
    procedure :: corners_int8, corners_int16, corners_int32, corners_int64, corners_real32, corners_real64
  end interface

  integer, parameter :: max_array_rank = esker_max_rank + 1  ! with the components

  ! How the samples of an array lie: of its components, element 0, and along each axis.
  type :: memory_form
    integer(c_int64_t) :: extent(0:esker_max_rank) = 0, stride(0:esker_max_rank) = 0
  end type

  ! The text of an error that was found on this side of the C interface.
  type :: message_text
    character(:), allocatable :: text
  end type

  ! A field as put and get need it.
  type :: field_info
    character(:), allocatable :: name
    integer(c_int) :: type = -1, components = 0
    integer(int64) :: rank = 0  ! number of axes; 0: there is no such field
  end type

  ! The program's procedure behind the pointer that C hands back.
  type :: progress_context
    procedure(esker_progress), pointer, nopass :: call => null()
  end type

  type, bind(C) :: c_part
    type(c_ptr) :: name, path, bitmask
    integer(c_int64_t) :: num_fields, rank, lo(esker_max_rank), extent(esker_max_rank), bits_per_block, &
      blocks_per_file, num_blocks, num_steps
  end type

  ! The C interface, without its prefix.
  interface
    type(c_ptr) function c_version() bind(C, name="esker_version")
      import
    end function
    type(c_ptr) function c_strerror(status) bind(C, name="esker_strerror")
      import
      integer(c_int), value :: status
    end function
    type(c_ptr) function c_type_name(type) bind(C, name="esker_type_name")
      import
      integer(c_int), value :: type
    end function
    subroutine c_count_from(ds, first) bind(C, name="esker_count_from")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: first
    end subroutine
    integer(c_int) function c_type_bytes(type) bind(C, name="esker_type_bytes")
      import
      integer(c_int), value :: type
    end function
    integer(c_int) function c_options_new(out) bind(C, name="esker_options_new")
      import
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function c_options_load(options) bind(C, name="esker_options_load")
      import
      type(c_ptr), value :: options
    end function
    integer(c_int) function c_options_set(options, name, value) bind(C, name="esker_options_set")
      import
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*), value(*)
    end function
    integer(c_int) function c_options_inq_num(options, num) bind(C, name="esker_options_inq_num")
      import
      type(c_ptr), value :: options
      integer(c_int), intent(inout) :: num
    end function
    integer(c_int) function c_options_inq(options, number, name, value, source, help) &
        bind(C, name="esker_options_inq")
      import
      type(c_ptr), value :: options
      integer(c_int), value :: number
      type(c_ptr), intent(out) :: name, value, source, help
    end function
    type(c_ptr) function c_options_message(options) bind(C, name="esker_options_message")
      import
      type(c_ptr), value :: options
    end function
    subroutine c_options_free(options) bind(C, name="esker_options_free")
      import
      type(c_ptr), value :: options
    end subroutine
    integer(c_int) function c_comm_rank(comm, rank) bind(C, name="esker_comm_rank")
      import
      type(c_ptr), value :: comm
      integer(c_int), intent(inout) :: rank
    end function
    integer(c_int) function c_comm_size(comm, size) bind(C, name="esker_comm_size")
      import
      type(c_ptr), value :: comm
      integer(c_int), intent(inout) :: size
    end function
    subroutine c_comm_free(comm) bind(C, name="esker_comm_free")
      import
      type(c_ptr), value :: comm
    end subroutine
    integer(c_int) function c_create(path, comm, options, out) bind(C, name="esker_create")
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: comm, options
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function c_append(path, comm, options, out) bind(C, name="esker_append")
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: comm, options
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function c_open(path, flags, out) bind(C, name="esker_open")
      import
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: flags
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function c_close(ds) bind(C, name="esker_close")
      import
      type(c_ptr), value :: ds
    end function
    subroutine c_free(ds) bind(C, name="esker_free")
      import
      type(c_ptr), value :: ds
    end subroutine
    type(c_ptr) function c_message(ds) bind(C, name="esker_message")
      import
      type(c_ptr), value :: ds
    end function
    integer(c_int) function c_def_dim(ds, name, size, dim) bind(C, name="esker_def_dim")
      import
      type(c_ptr), value :: ds
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: size
      integer(c_int), intent(inout) :: dim
    end function
    integer(c_int) function c_def_grid(ds, name, num_dims, dims, grid) bind(C, name="esker_def_grid")
      import
      type(c_ptr), value :: ds
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: num_dims
      integer(c_int), intent(in) :: dims(*)
      integer(c_int), intent(inout) :: grid
    end function
    integer(c_int) function c_def_coords(ds, grid, dim, values, count) bind(C, name="esker_def_coords")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: grid, dim
      real(c_double), intent(in) :: values(*)
      integer(c_int64_t), value :: count
    end function
    integer(c_int) function c_def_field(ds, grid, name, type, components, every, field) &
        bind(C, name="esker_def_field")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: grid, type, components, every
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(inout) :: field
    end function
    integer(c_int) function c_def_coords_values(ds, grid, dim, type, values, count) &
        bind(C, name="esker_def_coords_values")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: grid, dim, type
      type(c_ptr), value :: values
      integer(c_int64_t), value :: count
    end function
    integer(c_int) function c_def_time(ds, name, type) bind(C, name="esker_def_time")
      import
      type(c_ptr), value :: ds
      character(c_char), intent(in) :: name(*)
      integer(c_int), value :: type
    end function
    integer(c_int) function c_def_scalar(ds, name, type, value, scalar) bind(C, name="esker_def_scalar")
      import
      type(c_ptr), value :: ds
      character(c_char), intent(in) :: name(*)
      integer(c_int), value :: type
      type(c_ptr), value :: value
      integer(c_int), intent(inout) :: scalar
    end function
    integer(c_int) function c_put_att_values(ds, object, number, name, type, values, count) &
        bind(C, name="esker_put_att_values")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: object, number
      character(c_char), intent(in) :: name(*)
      integer(c_int), value :: type
      type(c_ptr), value :: values
      integer(c_int64_t), value :: count
    end function
    integer(c_int) function c_get_att_values(ds, object, number, name, type, values, count) &
        bind(C, name="esker_get_att_values")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: object, number
      character(c_char), intent(in) :: name(*)
      integer(c_int), intent(inout) :: type
      type(c_ptr), intent(inout) :: values
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int) function c_inq_coords_values(ds, grid, dim, type, values, count) &
        bind(C, name="esker_inq_coords_values")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: grid, dim
      integer(c_int), intent(inout) :: type
      type(c_ptr), intent(inout) :: values
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int) function c_inq_time(ds, name, type) bind(C, name="esker_inq_time")
      import
      type(c_ptr), value :: ds
      type(c_ptr), intent(inout) :: name
      integer(c_int), intent(inout) :: type
    end function
    integer(c_int) function c_inq_num_scalars(ds, num) bind(C, name="esker_inq_num_scalars")
      import
      type(c_ptr), value :: ds
      integer(c_int), intent(inout) :: num
    end function
    integer(c_int) function c_inq_scalar(ds, scalar, name, type, value) bind(C, name="esker_inq_scalar")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: scalar
      type(c_ptr), intent(inout) :: name
      integer(c_int), intent(inout) :: type
      type(c_ptr), intent(inout) :: value
    end function
    integer(c_int) function c_put_att_text(ds, object, number, name, text) bind(C, name="esker_put_att_text")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: object, number
      character(kind=c_char), intent(in) :: name(*), text(*)
    end function
    integer(c_int) function c_put_att_int64(ds, object, number, name, values, count) &
        bind(C, name="esker_put_att_int64")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: object, number
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), intent(in) :: values(*)
      integer(c_int64_t), value :: count
    end function
    integer(c_int) function c_put_att_double(ds, object, number, name, values, count) &
        bind(C, name="esker_put_att_double")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: object, number
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), intent(in) :: values(*)
      integer(c_int64_t), value :: count
    end function
    integer(c_int) function c_begin_step(ds, time) bind(C, name="esker_begin_step")
      import
      type(c_ptr), value :: ds
      real(c_double), value :: time
    end function
    integer(c_int) function c_put_strided(ds, field, type, lo, extent, data, strides, component_stride) &
        bind(C, name="esker_put_strided")
      import
      type(c_ptr), value :: ds, data
      integer(c_int), value :: field, type
      integer(c_int64_t), intent(in) :: lo(*), extent(*), strides(*)
      integer(c_int64_t), value :: component_stride
    end function

    integer(c_int) function c_put_buffered(ds, field, type, lo, extent, data, strides, component_stride) &
        bind(C, name="esker_put_buffered")
      import
      type(c_ptr), value :: ds, data
      integer(c_int), value :: field, type
      integer(c_int64_t), intent(in) :: lo(*), extent(*), strides(*)
      integer(c_int64_t), value :: component_stride
    end function
    integer(c_int) function c_end_step(ds) bind(C, name="esker_end_step")
      import
      type(c_ptr), value :: ds
    end function
    integer(c_int) function c_rewind(ds, time) bind(C, name="esker_rewind")
      import
      type(c_ptr), value :: ds
      real(c_double), value :: time
    end function
    integer(c_int) function c_fail(ds, status, message) bind(C, name="esker_fail")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: status
      character(kind=c_char), intent(in) :: message(*)
    end function
    integer(c_int) function c_abandon(ds, status, message) bind(C, name="esker_abandon")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: status
      character(kind=c_char), intent(in) :: message(*)
    end function
    integer(c_int) function c_inq_last_step(ds, report) bind(C, name="esker_inq_last_step")
      import
      type(c_ptr), value :: ds
      type(esker_step_report), intent(inout) :: report
    end function
    integer(c_int) function c_report_text(ds, text) bind(C, name="esker_report_text")
      import
      type(c_ptr), value :: ds
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function c_report_json(ds, text) bind(C, name="esker_report_json")
      import
      type(c_ptr), value :: ds
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function c_inq_num_dims(ds, num) bind(C, name="esker_inq_num_dims")
      import
      type(c_ptr), value :: ds
      integer(c_int), intent(inout) :: num
    end function
    integer(c_int) function c_inq_dim(ds, dim, name, size) bind(C, name="esker_inq_dim")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: dim
      type(c_ptr), intent(out) :: name
      integer(c_int64_t), intent(inout) :: size
    end function
    integer(c_int) function c_inq_dim_id(ds, name, dim) bind(C, name="esker_inq_dim_id")
      import
      type(c_ptr), value :: ds
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(inout) :: dim
    end function
    integer(c_int) function c_inq_num_grids(ds, num) bind(C, name="esker_inq_num_grids")
      import
      type(c_ptr), value :: ds
      integer(c_int), intent(inout) :: num
    end function
    integer(c_int) function c_inq_grid(ds, grid, name, num_dims, dims) bind(C, name="esker_inq_grid")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: grid
      type(c_ptr), intent(out) :: name
      integer(c_int), intent(inout) :: num_dims
      integer(c_int), intent(inout) :: dims(*)
    end function
    integer(c_int) function c_inq_grid_id(ds, name, grid) bind(C, name="esker_inq_grid_id")
      import
      type(c_ptr), value :: ds
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(inout) :: grid
    end function
    integer(c_int) function c_inq_coords(ds, grid, dim, values, count) bind(C, name="esker_inq_coords")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: grid, dim
      type(c_ptr), intent(out) :: values
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int) function c_inq_num_fields(ds, num) bind(C, name="esker_inq_num_fields")
      import
      type(c_ptr), value :: ds
      integer(c_int), intent(inout) :: num
    end function
    integer(c_int) function c_inq_field(ds, field, name, grid, type, components, every) &
        bind(C, name="esker_inq_field")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: field
      type(c_ptr), intent(out) :: name
      integer(c_int), intent(inout) :: grid, type, components, every
    end function
    integer(c_int) function c_inq_field_id(ds, name, field) bind(C, name="esker_inq_field_id")
      import
      type(c_ptr), value :: ds
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(inout) :: field
    end function
    integer(c_int) function c_inq_box(ds, field, lo, extent) bind(C, name="esker_inq_box")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: field
      integer(c_int64_t), intent(inout) :: lo(*), extent(*)
    end function
    integer(c_int) function c_inq_steps(ds, num, times) bind(C, name="esker_inq_steps")
      import
      type(c_ptr), value :: ds
      integer(c_int64_t), intent(inout) :: num
      type(c_ptr), intent(out) :: times
    end function
    integer(c_int) function c_inq_num_atts(ds, object, number, num) bind(C, name="esker_inq_num_atts")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: object, number
      integer(c_int), intent(inout) :: num
    end function
    integer(c_int) function c_inq_att_name(ds, object, number, position, name) bind(C, name="esker_inq_att_name")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: object, number, position
      type(c_ptr), intent(out) :: name
    end function
    integer(c_int) function c_inq_att(ds, object, number, name, type, count) bind(C, name="esker_inq_att")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: object, number
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(inout) :: type
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int) function c_get_att_text(ds, object, number, name, text) bind(C, name="esker_get_att_text")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: object, number
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function c_get_att_int64(ds, object, number, name, values, count) &
        bind(C, name="esker_get_att_int64")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: object, number
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: values
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int) function c_get_att_double(ds, object, number, name, values, count) &
        bind(C, name="esker_get_att_double")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: object, number
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: values
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int) function c_inq_has(ds, field, step, has) bind(C, name="esker_inq_has")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: field
      integer(c_int64_t), value :: step
      integer(c_int), intent(inout) :: has
    end function
    integer(c_int) function c_inq_max_level(ds, field, level) bind(C, name="esker_inq_max_level")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: field
      integer(c_int), intent(inout) :: level
    end function
    integer(c_int) function c_inq_selection(ds, field, step, lo, extent, level, origin, stride, count) &
        bind(C, name="esker_inq_selection")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: field, level
      integer(c_int64_t), value :: step
      integer(c_int64_t), intent(in), optional :: lo(*), extent(*)
      integer(c_int64_t), intent(inout) :: origin(*), stride(*), count(*)
    end function
    integer(c_int) function c_get(ds, field, step, lo, extent, level, buffer, bytes) bind(C, name="esker_get")
      import
      type(c_ptr), value :: ds, buffer
      integer(c_int), value :: field, level
      integer(c_int64_t), value :: step, bytes
      integer(c_int64_t), intent(in), optional :: lo(*), extent(*)
    end function
    integer(c_int) function c_open_parallel(path, comm, options, flags, out) bind(C, name="esker_open_parallel")
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: comm, options
      integer(c_int), value :: flags
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function c_request(ds, field, step, lo, extent, level, buffer, bytes) &
        bind(C, name="esker_request")
      import
      type(c_ptr), value :: ds, buffer
      integer(c_int), value :: field, level
      integer(c_int64_t), value :: step, bytes
      integer(c_int64_t), intent(in), optional :: lo(*), extent(*)
    end function
    integer(c_int) function c_request_strided(ds, field, type, step, lo, extent, data, strides, component_stride) &
        bind(C, name="esker_request_strided")
      import
      type(c_ptr), value :: ds, data
      integer(c_int), value :: field, type
      integer(c_int64_t), value :: step
      integer(c_int64_t), intent(in) :: lo(*), extent(*), strides(*)
      integer(c_int64_t), value :: component_stride
    end function
    integer(c_int) function c_read(ds) bind(C, name="esker_read")
      import
      type(c_ptr), value :: ds
    end function
    integer(c_int) function c_inq_last_read(ds, report) bind(C, name="esker_inq_last_read")
      import
      type(c_ptr), value :: ds
      type(esker_read_report), intent(inout) :: report
    end function
    integer(c_int) function c_inq_num_parts(ds, num) bind(C, name="esker_inq_num_parts")
      import
      type(c_ptr), value :: ds
      integer(c_int), intent(inout) :: num
    end function
    integer(c_int) function c_inq_part(ds, part, info) bind(C, name="esker_inq_part")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: part
      type(c_part), intent(inout) :: info
    end function
    integer(c_int) function c_inq_part_field(ds, part, position, name) bind(C, name="esker_inq_part_field")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: part, position
      type(c_ptr), intent(out) :: name
    end function
    integer(c_int) function c_inq_num_warnings(ds, num) bind(C, name="esker_inq_num_warnings")
      import
      type(c_ptr), value :: ds
      integer(c_int), intent(inout) :: num
    end function
    integer(c_int) function c_inq_warning(ds, number, text) bind(C, name="esker_inq_warning")
      import
      type(c_ptr), value :: ds
      integer(c_int), value :: number
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function c_inq_storage(ds, files, bytes) bind(C, name="esker_inq_storage")
      import
      type(c_ptr), value :: ds
      integer(c_int64_t), intent(inout) :: files, bytes
    end function
    integer(c_int) function c_verify(ds, progress, context, report) bind(C, name="esker_verify")
      import
      type(c_ptr), value :: ds, context
      type(c_funptr), value :: progress
      type(esker_verify_report), intent(inout) :: report
    end function
    integer(c_int) function c_inq_finding(ds, number, is_error, path, text) bind(C, name="esker_inq_finding")
      import
      type(c_ptr), value :: ds
      integer(c_int64_t), value :: number
      integer(c_int), intent(inout) :: is_error
      type(c_ptr), intent(out) :: path, text
    end function

    integer(c_size_t) function c_string_length(text) bind(C, name="strlen")
      import
      type(c_ptr), value :: text
    end function

    ! Esker's communicator for the ranks of MPI's `mpi_comm`, an integer of mpif.h or `use mpi`, or comm%mpi_val of
    ! mpi_f08. Collective. Ended by esker_comm_free. An error is also that of the first call that takes `comm`, so
    ! without `ierr` it is esker_create that stops. A procedure of the library esker_mpi: programs that do not call
    ! it need no MPI.
    subroutine esker_comm_from_fortran(mpi_comm, comm, ierr) bind(C, name="esker_fortran_comm")
      import
      integer(c_int), intent(in) :: mpi_comm
      type(esker_comm), intent(out) :: comm
      integer(c_int), intent(out), optional :: ierr
    end subroutine
  end interface

  ! In Fortran the same.
  interface esker_comm_from_mpi
    procedure :: esker_comm_from_fortran
  end interface

contains

  ! ---- The library

  ! "0.1.0": of the library that runs. Local.
  function esker_version() result(version)
    character(:), allocatable :: version
    version = text_of(c_version())
  end function

  ! A few words for a status, also for a number that is none. Local.
  function esker_strerror(status) result(text)
    integer, intent(in) :: status
    character(:), allocatable :: text
    text = text_of(c_strerror(status))
  end function

  ! "int8" ... "float64"; "unknown" for a number that is no type. Local.
  function esker_type_name(type) result(name)
    integer, intent(in) :: type
    character(:), allocatable :: name
    name = text_of(c_type_name(type))
  end function

  ! Bytes of one component: 1, 2, 4 or 8; 0 for a number that is no type. Local.
  function esker_type_bytes(type) result(bytes)
    integer, intent(in) :: type
    integer :: bytes
    bytes = c_type_bytes(type)
  end function

  ! ---- Options

  ! Options with their built-in values. Local.
  subroutine esker_options_new(options, ierr)
    type(esker_options), intent(out) :: options
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    status = c_options_new(options%handle)
    call conclude_options(options, status, ierr)
  end subroutine

  ! Sets all options anew: built-in values, the file that ESKER_CONFIG names or ./esker.toml, the environment. Local.
  subroutine esker_options_load(options, ierr)
    type(esker_options), intent(in) :: options
    integer, intent(out), optional :: ierr
    call conclude_options(options, c_options_load(options%handle), ierr)
  end subroutine

  ! Sets one option from text: esker_options_set(options, "memory_budget", "256M"). Local.
  subroutine esker_options_set(options, name, value, ierr)
    type(esker_options), intent(in) :: options
    character(*), intent(in) :: name, value
    integer, intent(out), optional :: ierr
    call conclude_options(options, c_options_set(options%handle, to_c(trim(name)), to_c(trim(value))), ierr)
  end subroutine

  ! How many options there are. Local.
  subroutine esker_options_inq_num(options, num, ierr)
    type(esker_options), intent(in) :: options
    integer, intent(out) :: num
    integer, intent(out), optional :: ierr
    num = 0
    call conclude_options(options, c_options_inq_num(options%handle, num), ierr)
  end subroutine

  ! One option, 1 ... num: name, value as text, where that came from, what it does. Local.
  subroutine esker_options_inq(options, number, name, value, source, help, ierr)
    type(esker_options), intent(in) :: options
    integer, intent(in) :: number
    character(:), allocatable, intent(out), optional :: name, value, source, help
    integer, intent(out), optional :: ierr
    type(c_ptr) :: texts(4)
    integer(c_int) :: status
    texts = c_null_ptr
    status = c_options_inq(options%handle, number - 1, texts(1), texts(2), texts(3), texts(4))
    if (present(name)) name = text_of(texts(1))
    if (present(value)) value = text_of(texts(2))
    if (present(source)) source = text_of(texts(3))
    if (present(help)) help = text_of(texts(4))
    call conclude_options(options, status, ierr)
  end subroutine

  ! The text of the last call with `options` that failed, or "". Local.
  function esker_options_message(options) result(text)
    type(esker_options), intent(in) :: options
    character(:), allocatable :: text
    text = text_of(c_options_message(options%handle))
  end function

  ! Ends the options; a dataset keeps its own. Local.
  subroutine esker_options_free(options)
    type(esker_options), intent(inout) :: options
    call c_options_free(options%handle)
    options%handle = c_null_ptr
  end subroutine

  ! ---- Communicators

  ! The rank of the caller, 0 ... size - 1. Local. A communicator that was never made is that of this process alone.
  subroutine esker_comm_rank(comm, rank, ierr)
    type(esker_comm), intent(in) :: comm
    integer, intent(out) :: rank
    integer, intent(out), optional :: ierr
    rank = -1
    call conclude_comm(c_comm_rank(comm%handle, rank), ierr)
  end subroutine

  ! The number of ranks. Local.
  subroutine esker_comm_size(comm, size, ierr)
    type(esker_comm), intent(in) :: comm
    integer, intent(out) :: size
    integer, intent(out), optional :: ierr
    size = 0
    call conclude_comm(c_comm_size(comm%handle, size), ierr)
  end subroutine

  ! Ends a communicator; datasets made with it keep what they need of it. Collective as MPI_Comm_free.
  subroutine esker_comm_free(comm)
    type(esker_comm), intent(inout) :: comm
    call c_comm_free(comm%handle)
    comm%handle = c_null_ptr
  end subroutine

  ! ---- Opening and closing

  ! A new dataset at `path`. Collective over `comm`; without one, this process alone. Options of rank 0 hold for all.
  subroutine esker_create(ds, path, comm, options, ierr)
    type(esker_dataset), intent(out) :: ds
    character(*), intent(in) :: path
    type(esker_comm), intent(in), optional :: comm
    type(esker_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    status = c_create(to_c(trim(path)), handle_of_comm(comm), handle_of_options(options), ds%handle)
    call c_count_from(ds%handle, 1)
    call conclude(ds, status, ierr)
  end subroutine

  ! Goes on with a dataset that Esker wrote: the next step follows its last one. Collective, as esker_create.
  subroutine esker_append(ds, path, comm, options, ierr)
    type(esker_dataset), intent(out) :: ds
    character(*), intent(in) :: path
    type(esker_comm), intent(in), optional :: comm
    type(esker_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    status = c_append(to_c(trim(path)), handle_of_comm(comm), handle_of_options(options), ds%handle)
    call c_count_from(ds%handle, 1)
    call conclude(ds, status, ierr)
  end subroutine

  ! Opens a dataset for reading. Local. `flags`: 0 (absent) or esker_open_verify.
  subroutine esker_open(ds, path, flags, ierr)
    type(esker_dataset), intent(out) :: ds
    character(*), intent(in) :: path
    integer, intent(in), optional :: flags
    integer, intent(out), optional :: ierr
    integer(c_int) :: given, status
    given = 0
    if (present(flags)) given = flags
    status = c_open(to_c(trim(path)), given, ds%handle)
    call c_count_from(ds%handle, 1)
    call conclude(ds, status, ierr)
  end subroutine

  ! Opens a dataset for all ranks of `comm` to read together: esker_request and esker_read. Collective. Options of rank
  ! 0 hold for all.
  subroutine esker_open_parallel(ds, path, comm, options, flags, ierr)
    type(esker_dataset), intent(out) :: ds
    character(*), intent(in) :: path
    type(esker_comm), intent(in), optional :: comm
    type(esker_options), intent(in), optional :: options
    integer, intent(in), optional :: flags
    integer, intent(out), optional :: ierr
    integer(c_int) :: given, status
    given = 0
    if (present(flags)) given = flags
    status = c_open_parallel(to_c(trim(path)), handle_of_comm(comm), handle_of_options(options), given, ds%handle)
    call c_count_from(ds%handle, 1)
    call conclude(ds, status, ierr)
  end subroutine

  ! Closes the dataset; the handle stays, for esker_message and esker_free. Collective for a dataset that is written.
  subroutine esker_close(ds, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(out), optional :: ierr
    call conclude(ds, c_close(ds%handle), ierr)
  end subroutine

  ! Ends the handle in any state. Local, but that with the last handle of a communicator MPI's duplicate of it is
  ! freed: all ranks, in the same order, before MPI_Finalize.
  subroutine esker_free(ds)
    type(esker_dataset), intent(inout) :: ds
    call c_free(ds%handle)
    ds%handle = c_null_ptr
    call forget(ds)
  end subroutine

  ! The text of the last call with `ds` that failed, "" if none has. Local.
  function esker_message(ds) result(text)
    type(esker_dataset), intent(in) :: ds
    character(:), allocatable :: text
    type(message_text), pointer :: own
    if (c_associated(ds%own_message)) then
      call c_f_pointer(ds%own_message, own)
      text = own%text
    else
      text = text_of(c_message(ds%handle))
    end if
  end function

  ! ---- Defining: before the first esker_end_step of a new dataset, the same on all ranks

  ! A dimension of `size` >= 1 points; `dim` is its number. Local.
  subroutine esker_def_dim(ds, name, size, dim, ierr)
    type(esker_dataset), intent(inout) :: ds
    character(*), intent(in) :: name
    integer(int64), intent(in) :: size
    integer, intent(out) :: dim
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    dim = -1
    status = c_def_dim(ds%handle, to_c(trim(name)), size, dim)
    dim = dim + 1
    call conclude(ds, status, ierr)
  end subroutine

  ! A grid of the dimensions `dims`, x first; `grid` is its number. Local.
  subroutine esker_def_grid(ds, name, dims, grid, ierr)
    type(esker_dataset), intent(inout) :: ds
    character(*), intent(in) :: name
    integer, intent(in) :: dims(:)
    integer, intent(out) :: grid
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    grid = -1
    status = c_def_grid(ds%handle, to_c(trim(name)), size(dims), dims - 1, grid)
    grid = grid + 1
    call conclude(ds, status, ierr)
  end subroutine

  ! Coordinates of the grid along dimension `dim`, one value per point. Local.
  subroutine esker_def_coords(ds, grid, dim, values, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: grid, dim
    real(real64), intent(in) :: values(:)
    integer, intent(out), optional :: ierr
    call conclude(ds, c_def_coords(ds%handle, grid - 1, dim - 1, values, size(values, kind=int64)), ierr)
  end subroutine

  ! The same with values of any type, which files keep: `type` is that of `values`. Local.
  subroutine esker_def_coords_values(ds, grid, dim, type, values, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: grid, dim, type
    type(*), intent(in), target, contiguous :: values(:)
    integer, intent(out), optional :: ierr
    call conclude(ds, c_def_coords_values(ds%handle, grid - 1, dim - 1, type, c_loc(values), &
      size(values, kind=int64)), ierr)
  end subroutine

  ! How netCDF files name the dimension and the variable of the times ("time" without this call), and their type.
  ! Local. With the name "" the dataset has fixed fields only, and one step, at time 0.
  subroutine esker_def_time(ds, name, type, ierr)
    type(esker_dataset), intent(inout) :: ds
    character(*), intent(in) :: name
    integer, intent(in) :: type
    integer, intent(out), optional :: ierr
    call conclude(ds, c_def_time(ds%handle, to_c(trim(name)), type), ierr)
  end subroutine

  ! A value without axes, such as a grid mapping: one number of `type`, or with esker_text a text that ends with
  ! c_null_char; `value` is its address, `scalar` its number. Local.
  subroutine esker_def_scalar(ds, name, type, value, scalar, ierr)
    type(esker_dataset), intent(inout) :: ds
    character(*), intent(in) :: name
    integer, intent(in) :: type
    type(c_ptr), intent(in) :: value
    integer, intent(out) :: scalar
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    scalar = -1
    status = c_def_scalar(ds%handle, to_c(trim(name)), type, value, scalar)
    scalar = scalar + 1
    call conclude(ds, status, ierr)
  end subroutine

  ! A field with `components` values per sample; `field` is its number. Local. `every`: esker_every_step; n: due at
  ! the first step, and then at every n-th; esker_fixed.
  subroutine esker_def_field(ds, grid, name, type, components, every, field, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: grid, type, components, every
    character(*), intent(in) :: name
    integer, intent(out) :: field
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    field = -1
    status = c_def_field(ds%handle, grid - 1, to_c(trim(name)), type, components, every, field)
    field = field + 1
    call conclude(ds, status, ierr)
  end subroutine

  ! An attribute of a grid, field or dimension, or of the dataset or of time, where `number` is 0. Local. One of the
  ! same name is replaced.
  subroutine esker_put_att_text(ds, object, number, name, text, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: object, number
    character(*), intent(in) :: name, text
    integer, intent(out), optional :: ierr
    call conclude(ds, c_put_att_text(ds%handle, object, c_number(object, number), to_c(trim(name)), to_c(text)), ierr)
  end subroutine

  ! The same with integers. Local.
  subroutine esker_put_att_int64(ds, object, number, name, values, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: object, number
    character(*), intent(in) :: name
    integer(int64), intent(in) :: values(:)
    integer, intent(out), optional :: ierr
    call conclude(ds, c_put_att_int64(ds%handle, object, c_number(object, number), to_c(trim(name)), values, &
      size(values, kind=int64)), ierr)
  end subroutine

  ! The same with reals. Local.
  subroutine esker_put_att_double(ds, object, number, name, values, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: object, number
    character(*), intent(in) :: name
    real(real64), intent(in) :: values(:)
    integer, intent(out), optional :: ierr
    call conclude(ds, c_put_att_double(ds%handle, object, c_number(object, number), to_c(trim(name)), values, &
      size(values, kind=int64)), ierr)
  end subroutine

  ! The same with numbers of any type, which files keep: `type` is that of `values`. Local.
  subroutine esker_put_att_values(ds, object, number, name, type, values, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: object, number, type
    character(*), intent(in) :: name
    type(*), intent(in), target, contiguous :: values(:)
    integer, intent(out), optional :: ierr
    call conclude(ds, c_put_att_values(ds%handle, object, c_number(object, number), to_c(trim(name)), type, &
      c_loc(values), size(values, kind=int64)), ierr)
  end subroutine

  ! ---- Writing steps (esker_put: above)

  ! Opens the next step. Local. `time` is greater than that of the step before.
  subroutine esker_begin_step(ds, time, ierr)
    type(esker_dataset), intent(inout) :: ds
    real(real64), intent(in) :: time
    integer, intent(out), optional :: ierr
    call conclude(ds, c_begin_step(ds%handle, time), ierr)
  end subroutine

  ! The same as esker_put for memory that has no Fortran array of its kind and shape: `data` is the address of the
  ! sample at `start`, `stride_bytes` has one entry per axis, from one sample to the next; `component_stride_bytes`
  ! is from one component to the next, 0 where they are together. Local.
  subroutine esker_put_strided(ds, field, type, start, count, data, stride_bytes, component_stride_bytes, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field, type
    integer(int64), intent(in) :: start(:), count(:), stride_bytes(:)
    type(c_ptr), intent(in) :: data
    integer(int64), intent(in) :: component_stride_bytes
    integer, intent(out), optional :: ierr
    if (.not. sizes_fit(ds, "put", field, [size(start), size(count), size(stride_bytes)], ierr)) return
    call conclude(ds, c_put_strided(ds%handle, field - 1, type, start - 1, count, data, stride_bytes, &
      component_stride_bytes), ierr)
  end subroutine

  ! Whether start, count and stride_bytes, of so many elements, fit the field's grid. False, and an error of `ds`, if not.
  logical function sizes_fit(ds, operation, field, sizes, ierr)
    type(esker_dataset), intent(inout) :: ds
    character(*), intent(in) :: operation
    integer, intent(in) :: field, sizes(3)
    integer, intent(out), optional :: ierr
    type(field_info) :: info
    call describe(ds, field, info)
    sizes_fit = .not. is_known(info) .or. all(sizes == info%rank)
    if (sizes_fit) return
    call fail(ds, esker_invalid_argument, operation // " '" // info%name // "': start, count, stride_bytes have " // &
      joined(int(sizes, int64), ", ") // " elements, expected " // joined([info%rank], "") // " each", ierr)
  end function

  ! Moves the data and commits the step: whole, or not at all. Collective.
  subroutine esker_end_step(ds, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(out), optional :: ierr
    call conclude(ds, c_end_step(ds%handle), ierr)
  end subroutine

  ! Removes the committed steps whose time is greater than `time`. Collective.
  subroutine esker_rewind(ds, time, ierr)
    type(esker_dataset), intent(inout) :: ds
    real(real64), intent(in) :: time
    integer, intent(out), optional :: ierr
    call conclude(ds, c_rewind(ds%handle, time), ierr)
  end subroutine

  ! Says that this rank cannot do its part: the next collective call fails on all ranks with this status and text.
  ! Local.
  subroutine esker_fail(ds, status, message, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: status
    character(*), intent(in) :: message
    integer, intent(out), optional :: ierr
    call conclude(ds, c_fail(ds%handle, status, to_c(trim(message))), ierr)
  end subroutine

  ! Ends the dataset for a rank that leaves its program's common path. Collective in the sense of esker.h. `status`
  ! esker_ok: this rank follows one that has left.
  subroutine esker_abandon(ds, status, message, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: status
    character(*), intent(in) :: message
    integer, intent(out), optional :: ierr
    call conclude(ds, c_abandon(ds%handle, status, to_c(trim(message))), ierr)
  end subroutine

  ! The last step that was committed through `ds`. Local.
  subroutine esker_inq_last_step(ds, report, ierr)
    type(esker_dataset), intent(inout) :: ds
    type(esker_step_report), intent(out) :: report
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    status = c_inq_last_step(ds%handle, report)
    if (report%writers > 0) report%step = report%step + 1
    call conclude(ds, status, ierr)
  end subroutine

  ! The run so far: phases as min, mean and max over ranks, bytes, messages, memory. Collective.
  subroutine esker_report_text(ds, text, ierr)
    type(esker_dataset), intent(inout) :: ds
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: ierr
    type(c_ptr) :: found
    integer(c_int) :: status
    found = c_null_ptr
    status = c_report_text(ds%handle, found)
    text = text_of(found)
    call conclude(ds, status, ierr)
  end subroutine

  ! The same as JSON. Collective.
  subroutine esker_report_json(ds, text, ierr)
    type(esker_dataset), intent(inout) :: ds
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: ierr
    type(c_ptr) :: found
    integer(c_int) :: status
    found = c_null_ptr
    status = c_report_json(ds%handle, found)
    text = text_of(found)
    call conclude(ds, status, ierr)
  end subroutine

  ! ---- What a dataset is made of (read or written)

  ! How many dimensions there are. Local.
  subroutine esker_inq_num_dims(ds, num, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(out) :: num
    integer, intent(out), optional :: ierr
    num = 0
    call conclude(ds, c_inq_num_dims(ds%handle, num), ierr)
  end subroutine

  ! Name and size of a dimension. Local.
  subroutine esker_inq_dim(ds, dim, name, size, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: dim
    character(:), allocatable, intent(out), optional :: name
    integer(int64), intent(out), optional :: size
    integer, intent(out), optional :: ierr
    type(c_ptr) :: text
    integer(c_int64_t) :: found
    integer(c_int) :: status
    text = c_null_ptr
    found = 0
    status = c_inq_dim(ds%handle, dim - 1, text, found)
    if (present(name)) name = text_of(text)
    if (present(size)) size = found
    call conclude(ds, status, ierr)
  end subroutine

  ! The number of a dimension by name. Local.
  subroutine esker_inq_dim_id(ds, name, dim, ierr)
    type(esker_dataset), intent(inout) :: ds
    character(*), intent(in) :: name
    integer, intent(out) :: dim
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    dim = -1
    status = c_inq_dim_id(ds%handle, to_c(trim(name)), dim)
    dim = dim + 1
    call conclude(ds, status, ierr)
  end subroutine

  ! How many grids there are. Local.
  subroutine esker_inq_num_grids(ds, num, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(out) :: num
    integer, intent(out), optional :: ierr
    num = 0
    call conclude(ds, c_inq_num_grids(ds%handle, num), ierr)
  end subroutine

  ! Name and, x first, the dimensions of a grid. Local.
  subroutine esker_inq_grid(ds, grid, name, dims, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: grid
    character(:), allocatable, intent(out), optional :: name
    integer, allocatable, intent(out), optional :: dims(:)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: text
    integer(c_int) :: found(esker_max_rank), num_dims, status
    text = c_null_ptr
    num_dims = 0
    status = c_inq_grid(ds%handle, grid - 1, text, num_dims, found)
    if (present(name)) name = text_of(text)
    if (present(dims)) dims = found(:num_dims) + 1
    call conclude(ds, status, ierr)
  end subroutine

  ! The number of a grid by name. Local.
  subroutine esker_inq_grid_id(ds, name, grid, ierr)
    type(esker_dataset), intent(inout) :: ds
    character(*), intent(in) :: name
    integer, intent(out) :: grid
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    grid = -1
    status = c_inq_grid_id(ds%handle, to_c(trim(name)), grid)
    grid = grid + 1
    call conclude(ds, status, ierr)
  end subroutine

  ! Coordinates of a grid along dimension `dim`, one per point. Local.
  subroutine esker_inq_coords(ds, grid, dim, values, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: grid, dim
    real(real64), allocatable, intent(out) :: values(:)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: found
    integer(c_int64_t) :: count
    integer(c_int) :: status
    found = c_null_ptr
    count = 0
    status = c_inq_coords(ds%handle, grid - 1, dim - 1, found, count)
    values = reals_of(found, count)
    call conclude(ds, status, ierr)
  end subroutine

  ! Coordinates in the type that the dataset has them in: `count` values at `values`, for c_f_pointer. Local.
  subroutine esker_inq_coords_values(ds, grid, dim, type, values, count, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: grid, dim
    integer, intent(out) :: type
    type(c_ptr), intent(out) :: values
    integer(int64), intent(out) :: count
    integer, intent(out), optional :: ierr
    type = -1
    values = c_null_ptr
    count = 0
    call conclude(ds, c_inq_coords_values(ds%handle, grid - 1, dim - 1, type, values, count), ierr)
  end subroutine

  ! How netCDF files name the times, and their type. Local.
  subroutine esker_inq_time(ds, name, type, ierr)
    type(esker_dataset), intent(inout) :: ds
    character(:), allocatable, intent(out) :: name
    integer, intent(out) :: type
    integer, intent(out), optional :: ierr
    type(c_ptr) :: text
    integer(c_int) :: status
    text = c_null_ptr
    type = -1
    status = c_inq_time(ds%handle, text, type)
    name = text_of(text)
    call conclude(ds, status, ierr)
  end subroutine

  ! How many scalars there are. Local.
  subroutine esker_inq_num_scalars(ds, num, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(out) :: num
    integer, intent(out), optional :: ierr
    num = 0
    call conclude(ds, c_inq_num_scalars(ds%handle, num), ierr)
  end subroutine

  ! One of them; `value` is the address of one number of `type`, or, with esker_text, of a text that ends with
  ! c_null_char. Local.
  subroutine esker_inq_scalar(ds, scalar, name, type, value, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: scalar
    character(:), allocatable, intent(out) :: name
    integer, intent(out) :: type
    type(c_ptr), intent(out) :: value
    integer, intent(out), optional :: ierr
    type(c_ptr) :: text
    integer(c_int) :: status
    text = c_null_ptr
    value = c_null_ptr
    type = -1
    status = c_inq_scalar(ds%handle, scalar - 1, text, type, value)
    name = text_of(text)
    call conclude(ds, status, ierr)
  end subroutine

  ! How many fields there are. Local.
  subroutine esker_inq_num_fields(ds, num, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(out) :: num
    integer, intent(out), optional :: ierr
    num = 0
    call conclude(ds, c_inq_num_fields(ds%handle, num), ierr)
  end subroutine

  ! A field as esker_def_field takes it. Local.
  subroutine esker_inq_field(ds, field, name, grid, type, components, every, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field
    character(:), allocatable, intent(out), optional :: name
    integer, intent(out), optional :: grid, type, components, every
    integer, intent(out), optional :: ierr
    type(c_ptr) :: text
    integer(c_int) :: found(4), status
    text = c_null_ptr
    found = [-1, -1, 0, 0]
    status = c_inq_field(ds%handle, field - 1, text, found(1), found(2), found(3), found(4))
    if (present(name)) name = text_of(text)
    if (present(grid)) grid = found(1) + 1
    if (present(type)) type = found(2)
    if (present(components)) components = found(3)
    if (present(every)) every = found(4)
    call conclude(ds, status, ierr)
  end subroutine

  ! The number of a field by name. Local.
  subroutine esker_inq_field_id(ds, name, field, ierr)
    type(esker_dataset), intent(inout) :: ds
    character(*), intent(in) :: name
    integer, intent(out) :: field
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    field = -1
    status = c_inq_field_id(ds%handle, to_c(trim(name)), field)
    field = field + 1
    call conclude(ds, status, ierr)
  end subroutine

  ! The index range of the field's grid. Local. `start` may differ from 1 in datasets of others.
  subroutine esker_inq_box(ds, field, start, count, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field
    integer(int64), allocatable, intent(out), optional :: start(:), count(:)
    integer, intent(out), optional :: ierr
    type(field_info) :: info
    integer(c_int64_t) :: lo(esker_max_rank), extent(esker_max_rank)
    integer(c_int) :: status
    call describe(ds, field, info)
    status = c_inq_box(ds%handle, field - 1, lo, extent)
    if (status /= esker_ok) info%rank = 0
    if (present(start)) start = lo(:info%rank) + 1
    if (present(count)) count = extent(:info%rank)
    call conclude(ds, status, ierr)
  end subroutine

  ! Number of committed steps and their time values. Local.
  subroutine esker_inq_steps(ds, num, times, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(out), optional :: num
    real(real64), allocatable, intent(out), optional :: times(:)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: found
    integer(c_int64_t) :: count
    integer(c_int) :: status
    found = c_null_ptr
    count = 0
    status = c_inq_steps(ds%handle, count, found)
    if (present(num)) num = int(count)
    if (present(times)) times = reals_of(found, count)
    call conclude(ds, status, ierr)
  end subroutine

  ! How many attributes a grid or field has, or the dataset, where `number` is 0. Local.
  subroutine esker_inq_num_atts(ds, object, number, num, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: object, number
    integer, intent(out) :: num
    integer, intent(out), optional :: ierr
    num = 0
    call conclude(ds, c_inq_num_atts(ds%handle, object, c_number(object, number), num), ierr)
  end subroutine

  ! The name of one of them, 1 ... num, in the order of names. Local.
  subroutine esker_inq_att_name(ds, object, number, position, name, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: object, number, position
    character(:), allocatable, intent(out) :: name
    integer, intent(out), optional :: ierr
    type(c_ptr) :: text
    integer(c_int) :: status
    text = c_null_ptr
    status = c_inq_att_name(ds%handle, object, c_number(object, number), position - 1, text)
    name = text_of(text)
    call conclude(ds, status, ierr)
  end subroutine

  ! Type and number of values of an attribute; for a text the bytes. Local.
  subroutine esker_inq_att(ds, object, number, name, type, count, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: object, number
    character(*), intent(in) :: name
    integer, intent(out), optional :: type
    integer(int64), intent(out), optional :: count
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: values
    integer(c_int) :: found, status
    found = -1
    values = 0
    status = c_inq_att(ds%handle, object, c_number(object, number), to_c(trim(name)), found, values)
    if (present(type)) type = found
    if (present(count)) count = values
    call conclude(ds, status, ierr)
  end subroutine

  ! A text attribute. Local.
  subroutine esker_get_att_text(ds, object, number, name, text, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: object, number
    character(*), intent(in) :: name
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: ierr
    type(c_ptr) :: found
    integer(c_int) :: status
    found = c_null_ptr
    status = c_get_att_text(ds%handle, object, c_number(object, number), to_c(trim(name)), found)
    text = text_of(found)
    call conclude(ds, status, ierr)
  end subroutine

  ! Attribute of integers. Local.
  subroutine esker_get_att_int64(ds, object, number, name, values, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: object, number
    character(*), intent(in) :: name
    integer(int64), allocatable, intent(out) :: values(:)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: found
    integer(int64), pointer :: integers(:)
    integer(c_int64_t) :: count
    integer(c_int) :: status
    found = c_null_ptr
    count = 0
    status = c_get_att_int64(ds%handle, object, c_number(object, number), to_c(trim(name)), found, count)
    allocate(values(0))
    if (c_associated(found)) then
      call c_f_pointer(found, integers, [count])
      values = integers
    end if
    call conclude(ds, status, ierr)
  end subroutine

  ! Attribute of reals. Local.
  subroutine esker_get_att_double(ds, object, number, name, values, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: object, number
    character(*), intent(in) :: name
    real(real64), allocatable, intent(out) :: values(:)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: found
    integer(c_int64_t) :: count
    integer(c_int) :: status
    found = c_null_ptr
    count = 0
    status = c_get_att_double(ds%handle, object, c_number(object, number), to_c(trim(name)), found, count)
    values = reals_of(found, count)
    call conclude(ds, status, ierr)
  end subroutine

  ! The numbers of an attribute in their type: `count` of them at `values`, for c_f_pointer. Local.
  subroutine esker_get_att_values(ds, object, number, name, type, values, count, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: object, number
    character(*), intent(in) :: name
    integer, intent(out) :: type
    type(c_ptr), intent(out) :: values
    integer(int64), intent(out) :: count
    integer, intent(out), optional :: ierr
    type = -1
    values = c_null_ptr
    count = 0
    call conclude(ds, c_get_att_values(ds%handle, object, c_number(object, number), to_c(trim(name)), type, values, &
      count), ierr)
  end subroutine

  ! ---- Reading together (esker_open_parallel, and esker_request above)

  ! Asks for the samples of a box by the address of the first one and strides in bytes. Local.
  subroutine esker_request_strided(ds, field, type, step, start, count, data, stride_bytes, component_stride_bytes, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field, type, step
    integer(int64), intent(in) :: start(:), count(:), stride_bytes(:)
    type(c_ptr), intent(in) :: data
    integer(int64), intent(in) :: component_stride_bytes
    integer, intent(out), optional :: ierr
    if (.not. is_step(ds, step, ierr)) return
    if (.not. sizes_fit(ds, "request", field, [size(start), size(count), size(stride_bytes)], ierr)) return
    call conclude(ds, c_request_strided(ds%handle, field - 1, type, c_step(step), start - 1, count, data, &
      stride_bytes, component_stride_bytes), ierr)
  end subroutine

  ! Carries out what was requested since the last esker_read; a rank may want nothing. Collective.
  subroutine esker_read(ds, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(out), optional :: ierr
    call conclude(ds, c_read(ds%handle), ierr)
  end subroutine

  ! What the last esker_read that succeeded cost; all 0 if there is none. Local.
  subroutine esker_inq_last_read(ds, report, ierr)
    type(esker_dataset), intent(inout) :: ds
    type(esker_read_report), intent(out) :: report
    integer, intent(out), optional :: ierr
    call conclude(ds, c_inq_last_read(ds%handle, report), ierr)
  end subroutine

  ! ---- Reading (esker_open, and esker_get above): local, all of it

  ! Whether the field was written at that step; fixed fields: always. Local.
  subroutine esker_inq_has(ds, field, step, has, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field, step
    logical, intent(out) :: has
    integer, intent(out), optional :: ierr
    integer(c_int) :: found, status
    has = .false.
    if (.not. is_step(ds, step, ierr, alone=.true.)) return
    found = 0
    status = c_inq_has(ds%handle, field - 1, c_step(step), found)
    has = found /= 0
    call conclude(ds, status, ierr)
  end subroutine

  ! The finest level of the field's grid; each level below halves the resolution along one axis. Local.
  subroutine esker_inq_max_level(ds, field, level, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field
    integer, intent(out) :: level
    integer, intent(out), optional :: ierr
    level = -1
    call conclude(ds, c_inq_max_level(ds%handle, field - 1, level), ierr)
  end subroutine

  ! Which samples esker_get reads with these arguments: origin + i * stride, 0 <= i < samples, per axis. Local.
  ! Samples of a level are anchored at the grid's first sample, not at the box.
  subroutine esker_inq_selection(ds, field, step, start, count, level, origin, stride, samples, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field, step
    integer(int64), intent(in), optional :: start(:), count(:)
    integer, intent(in), optional :: level
    integer(int64), allocatable, intent(out), optional :: origin(:), stride(:), samples(:)
    integer, intent(out), optional :: ierr
    type(field_info) :: info
    integer(int64), dimension(esker_max_rank) :: found_origin, found_stride, found_count
    call describe(ds, field, info)
    if (.not. selected(ds, field, info, step, start, count, level, &
        found_origin, found_stride, found_count, ierr, alone=.true.)) return
    if (present(origin)) origin = found_origin(:info%rank) + 1
    if (present(stride)) stride = found_stride(:info%rank)
    if (present(samples)) samples = found_count(:info%rank)
  end subroutine

  ! How many .idx files the dataset has. Local.
  subroutine esker_inq_num_parts(ds, num, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(out) :: num
    integer, intent(out), optional :: ierr
    num = 0
    call conclude(ds, c_inq_num_parts(ds%handle, num), ierr)
  end subroutine

  ! One of them. Local.
  subroutine esker_inq_part(ds, part, info, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: part
    type(esker_part), intent(out) :: info
    integer, intent(out), optional :: ierr
    type(c_part) :: found
    integer(c_int) :: status
    found = c_part(c_null_ptr, c_null_ptr, c_null_ptr, 0, 0, 0, 0, 0, 0, 0, 0)
    status = c_inq_part(ds%handle, part - 1, found)
    info%name = text_of(found%name)
    info%path = text_of(found%path)
    info%bitmask = text_of(found%bitmask)
    info%num_fields = int(found%num_fields)
    info%start = found%lo(:found%rank) + 1
    info%count = found%extent(:found%rank)
    info%bits_per_block = int(found%bits_per_block)
    info%blocks_per_file = found%blocks_per_file
    info%num_blocks = found%num_blocks
    info%num_steps = found%num_steps
    call conclude(ds, status, ierr)
  end subroutine

  ! The name of a field of a part. Local.
  subroutine esker_inq_part_field(ds, part, position, name, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: part, position
    character(:), allocatable, intent(out) :: name
    integer, intent(out), optional :: ierr
    type(c_ptr) :: text
    integer(c_int) :: status
    text = c_null_ptr
    status = c_inq_part_field(ds%handle, part - 1, position - 1, text)
    name = text_of(text)
    call conclude(ds, status, ierr)
  end subroutine

  ! How many warnings opening gave. Local.
  subroutine esker_inq_num_warnings(ds, num, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(out) :: num
    integer, intent(out), optional :: ierr
    num = 0
    call conclude(ds, c_inq_num_warnings(ds%handle, num), ierr)
  end subroutine

  ! One of them. Local.
  subroutine esker_inq_warning(ds, number, text, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: number
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: ierr
    type(c_ptr) :: found
    integer(c_int) :: status
    found = c_null_ptr
    status = c_inq_warning(ds%handle, number - 1, found)
    text = text_of(found)
    call conclude(ds, status, ierr)
  end subroutine

  ! Number and bytes of the block files of all committed steps. Local.
  subroutine esker_inq_storage(ds, files, bytes, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer(int64), intent(out) :: files, bytes
    integer, intent(out), optional :: ierr
    files = 0
    bytes = 0
    call conclude(ds, c_inq_storage(ds%handle, files, bytes), ierr)
  end subroutine

  ! Reads every block of every committed step, and counts what is damaged. Local. Damage is a finding, not an error.
  subroutine esker_verify(ds, report, progress, ierr)
    type(esker_dataset), intent(inout) :: ds
    type(esker_verify_report), intent(out) :: report
    procedure(esker_progress), optional :: progress
    integer, intent(out), optional :: ierr
    type(progress_context), target :: context
    type(c_funptr) :: callback
    callback = c_null_funptr
    if (present(progress)) then
      context%call => progress
      callback = c_funloc(call_progress)
    end if
    call conclude(ds, c_verify(ds%handle, callback, c_loc(context), report), ierr)
  end subroutine

  ! A finding of the last esker_verify: whether it is an error or a warning, where, what. Local.
  subroutine esker_inq_finding(ds, number, is_error, path, text, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: number
    logical, intent(out), optional :: is_error
    character(:), allocatable, intent(out), optional :: path, text
    integer, intent(out), optional :: ierr
    type(c_ptr) :: texts(2)
    integer(c_int) :: flag, status
    texts = c_null_ptr
    flag = 0
    status = c_inq_finding(ds%handle, int(number - 1, int64), flag, texts(1), texts(2))
    if (present(is_error)) is_error = flag /= 0
    if (present(path)) path = text_of(texts(1))
    if (present(text)) text = text_of(texts(2))
    call conclude(ds, status, ierr)
  end subroutine

  ! ---- Arrays of any kind and shape

  ! Records an array as a patch; `shape` and `corners` are its own, and `array_type` is the type of its kind. `buffered`:
  ! as a copy.
  subroutine put_array(ds, field, start, array_type, shape, corners, order, ierr, buffered)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field, array_type
    integer(int64), intent(in) :: start(:), shape(:)
    type(c_ptr), intent(in) :: corners(0:)
    integer, intent(in), optional :: order(:)
    integer, intent(out), optional :: ierr
    logical, intent(in) :: buffered
    type(field_info) :: info
    type(memory_form) :: form
    integer(c_int) :: type, status
    call describe(ds, field, info)
    if (.not. has_form(ds, "put", info, size(start), shape, corners, order, form, ierr)) return
    type = matching_type(array_type, info)
    if (buffered) then
      status = c_put_buffered(ds%handle, field - 1, type, start - 1, form%extent(1:), corners(0), form%stride(1:), &
        form%stride(0))
    else
      status = c_put_strided(ds%handle, field - 1, type, start - 1, form%extent(1:), corners(0), form%stride(1:), &
        form%stride(0))
    end if
    call conclude(ds, status, ierr)
  end subroutine

  subroutine request_array(ds, field, step, start, array_type, shape, corners, order, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field, step, array_type
    integer(int64), intent(in) :: start(:), shape(:)
    type(c_ptr), intent(in) :: corners(0:)
    integer, intent(in), optional :: order(:)
    integer, intent(out), optional :: ierr
    type(field_info) :: info
    type(memory_form) :: form
    call describe(ds, field, info)
    if (.not. is_step(ds, step, ierr)) return
    if (.not. has_form(ds, "request", info, size(start), shape, corners, order, form, ierr)) return
    call conclude(ds, c_request_strided(ds%handle, field - 1, matching_type(array_type, info), c_step(step), &
      start - 1, form%extent(1:), corners(0), form%stride(1:), form%stride(0)), ierr)
  end subroutine

  ! How an array holds samples of a field. False, and an error of `ds`, if it cannot; of an unknown field C says what
  ! is wrong.
  logical function has_form(ds, operation, info, num_start, shape, corners, order, form, ierr)
    type(esker_dataset), intent(inout) :: ds
    character(*), intent(in) :: operation
    type(field_info), intent(in) :: info
    integer, intent(in) :: num_start
    integer(int64), intent(in) :: shape(:)
    type(c_ptr), intent(in) :: corners(0:)
    integer, intent(in), optional :: order(:)
    type(memory_form), intent(out) :: form
    integer, intent(out), optional :: ierr
    integer :: axes(size(shape)), d
    has_form = .true.
    if (.not. is_known(info)) return
    has_form = axes_fit(ds, operation, info, num_start, order, axes, ierr)
    if (.not. has_form) return
    form%extent(0) = info%components
    do d = 1, size(shape)
      form%extent(axes(d)) = shape(d)
      form%stride(axes(d)) = address(corners(d)) - address(corners(0))
    end do
    has_form = form%extent(0) == info%components
    if (has_form) return
    call fail(ds, esker_invalid_argument, operation // " '" // info%name // "': " // joined(form%extent(:0), "") // &
      " components, expected " // joined([int(info%components, int64)], ""), ierr)
  end function

  ! What the dimensions of an array run along: `axes`, 1 for x, 0 for components. False, and an error of `ds`, if the
  ! number of dimensions, of elements of `start`, or `order` do not fit the field.
  logical function axes_fit(ds, operation, info, num_start, order, axes, ierr)
    type(esker_dataset), intent(inout) :: ds
    character(*), intent(in) :: operation
    type(field_info), intent(in) :: info
    integer, intent(in) :: num_start
    integer, intent(in), optional :: order(:)
    integer, intent(out) :: axes(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable :: found
    integer :: more, i
    more = size(axes) - int(info%rank)
    axes = [(i, i = 1 - more, int(info%rank))]
    axes_fit = num_start == info%rank .and. (more == 1 .or. (more == 0 .and. info%components == 1))
    if (present(order)) then
      if (axes_fit) axes_fit = size(order) == size(axes)
      if (axes_fit) axes_fit = all([(count(order == axes(i)) == 1, i = 1, size(axes))])
      if (axes_fit) axes = order
    end if
    if (axes_fit) return
    found = joined([int(size(axes), int64)], "") // " dimensions, start of " // joined([int(num_start, int64)], "")
    if (present(order)) found = found // ", order of " // joined(int(order, int64), ", ")
    call fail(ds, esker_invalid_argument, operation // " '" // info%name // "': an array of " // found // &
      "; the grid has " // &
      joined([info%rank], "") // ", the field " // joined([int(info%components, int64)], "") // " component(s)", ierr)
  end function

  ! Whether an array is dense, so that samples can be put in later. False, and an error of `ds`, if not. (Of the dummy
  ! of a bind(C) procedure gfortran's is_contiguous says true.)
  logical function can_be_filled(ds, shape, corners, array_type, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer(int64), intent(in) :: shape(:)
    type(c_ptr), intent(in) :: corners(0:)
    integer, intent(in) :: array_type
    integer, intent(out), optional :: ierr
    integer(int64) :: dense
    integer :: d
    can_be_filled = .true.
    dense = esker_type_bytes(array_type)
    do d = 1, size(shape)
      if (shape(d) > 1) can_be_filled = can_be_filled .and. address(corners(d)) - address(corners(0)) == dense
      dense = dense * shape(d)
    end do
    if (can_be_filled .or. any(shape == 0)) return
    call fail(ds, esker_invalid_argument, "request: an array section that is not contiguous", ierr)
  end function

  ! Reads to a dense array of that shape at `buffer`, now, or, `later`, in esker_read; `array_type` is the type of its
  ! kind.
  subroutine get_array(ds, field, step, array_type, shape, buffer, start, count, level, ierr, later)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field, step, array_type
    integer(int64), intent(in) :: shape(:)
    type(c_ptr), intent(in) :: buffer
    integer(int64), intent(in), optional :: start(:), count(:)
    integer, intent(in), optional :: level
    integer, intent(out), optional :: ierr
    logical, intent(in), optional :: later
    type(field_info) :: info
    integer(int64), dimension(esker_max_rank) :: origin, stride, samples
    integer(int64), allocatable :: expected(:), lo(:)
    logical :: alone
    alone = .not. present(later)
    call describe(ds, field, info)
    if (.not. selected(ds, field, info, step, start, count, level, origin, stride, samples, ierr, alone)) return
    expected = samples(:info%rank)
    if (info%components > 1 .or. size(shape) > info%rank) expected = [int(info%components, int64), expected]
    if (matching_type(array_type, info) /= info%type .or. .not. are_equal(shape, expected)) then
      call fail(ds, esker_invalid_argument, trim(merge("get    ", "request", alone)) // " '" // info%name // &
        "': an array of " // joined(shape, " x ") // " " // esker_type_name(array_type) // ", expected " // &
        joined(expected, " x ") // " " // esker_type_name(int(info%type)), ierr, alone)
      return
    end if
    if (present(start)) allocate(lo, source=start - 1)
    if (.not. alone) then
      call conclude(ds, c_request(ds%handle, field - 1, c_step(step), lo, count, c_level(level), buffer, &
        product(shape) * esker_type_bytes(array_type)), ierr)
      return
    end if
    call conclude(ds, c_get(ds%handle, field - 1, c_step(step), lo, count, c_level(level), buffer, &
      product(shape) * esker_type_bytes(array_type)), ierr)
  end subroutine

  ! The samples of a query, as C counts them. False, and an error of `ds`, if they cannot be had.
  logical function selected(ds, field, info, step, start, count, level, origin, stride, samples, ierr, alone)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field, step
    type(field_info), intent(in) :: info
    integer(int64), intent(in), optional :: start(:), count(:)
    integer, intent(in), optional :: level
    integer(int64), dimension(:), intent(out) :: origin, stride, samples
    integer, intent(out), optional :: ierr
    logical, intent(in) :: alone
    integer(int64), allocatable :: lo(:)
    integer(int64) :: sizes(2)
    integer(c_int) :: status
    sizes = info%rank
    if (present(start)) sizes(1) = size(start)
    if (present(count)) sizes(2) = size(count)
    selected = is_step(ds, step, ierr, alone)
    if (.not. selected) return
    if (is_known(info) .and. any(sizes /= info%rank)) then
      selected = .false.
      call fail(ds, esker_invalid_argument, "field '" // info%name // "': start, count have " // &
        joined(sizes, ", ") // " elements, expected " // joined([info%rank], "") // " each", ierr, alone)
      return
    end if
    if (present(start)) allocate(lo, source=start - 1)
    origin = 0
    stride = 0
    samples = 0
    status = c_inq_selection(ds%handle, field - 1, c_step(step), lo, count, c_level(level), origin, stride, samples)
    selected = status == esker_ok
    if (selected .or. alone) then
      call conclude(ds, status, ierr)
    else
      call fail(ds, int(status), text_of(c_message(ds%handle)), ierr)
    end if
  end function

  ! Name, type, components and axes of a field; rank 0 if there is no such field.
  subroutine describe(ds, field, info)
    type(esker_dataset), intent(in) :: ds
    integer, intent(in) :: field
    type(field_info), intent(out) :: info
    type(c_ptr) :: name, grid_name
    integer(c_int) :: grid, every, num_dims, dims(esker_max_rank), status
    name = c_null_ptr
    status = c_inq_field(ds%handle, field - 1, name, grid, info%type, info%components, every)
    info%name = text_of(name)
    if (status == esker_ok) status = c_inq_grid(ds%handle, grid, grid_name, num_dims, dims)
    if (status == esker_ok) info%rank = num_dims
  end subroutine

  logical function is_known(info)
    type(field_info), intent(in) :: info
    is_known = info%rank > 0
  end function

  ! The type of an array that is put to, or read from, the field: the field's own where it differs in the sign alone.
  integer(c_int) function matching_type(array_type, info) result(type)
    integer, intent(in) :: array_type
    type(field_info), intent(in) :: info
    type = array_type
    if (array_type < esker_float32 .and. info%type == array_type + 1) type = info%type
  end function

  ! What an array of any kind is to put_array and others: one procedure of each per kind. Those that keep the array's
  ! address are bind(C) and want to change it, so that the compiler neither copies it nor takes an expression. (Of an
  ! expression that is passed to one that is not bind(C), gfortran 12 gives elements of other indices.)

  subroutine put_int8(ds, field, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field
    integer(c_int64_t), intent(in) :: start(:)
    integer(c_int8_t), intent(inout), target, asynchronous :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call put_array(ds, field, start, esker_int8, shape(data, kind=int64), corners(data), order, ierr, buffered=.false.)
  end subroutine

  subroutine put_buffered_int8(ds, field, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field
    integer(c_int64_t), intent(in) :: start(:)
    integer(c_int8_t), intent(in), target :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call put_array(ds, field, start, esker_int8, shape(data, kind=int64), corners(data), order, ierr, buffered=.true.)
  end subroutine

  subroutine get_int8(ds, field, step, data, start, count, level, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field, step
    integer(int8), intent(inout), target, contiguous :: data(..)
    integer(int64), intent(in), optional :: start(:), count(:)
    integer, intent(in), optional :: level
    integer, intent(out), optional :: ierr
    type(c_ptr) :: at
    at = c_null_ptr
    if (size(data, kind=int64) > 0) at = c_loc(data)
    call get_array(ds, field, step, esker_int8, shape(data, kind=int64), at, start, count, level, ierr)
  end subroutine

  subroutine request_int8(ds, field, step, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field, step
    integer(c_int64_t), intent(in) :: start(:)
    integer(c_int8_t), intent(inout), target, asynchronous :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call request_array(ds, field, step, start, esker_int8, shape(data, kind=int64), corners(data), order, ierr)
  end subroutine

  subroutine request_level_int8(ds, field, step, data, level, start, count, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field, step, level
    integer(c_int8_t), intent(inout), target, asynchronous :: data(..)
    integer(c_int64_t), intent(in), optional :: start(:), count(:)
    integer(c_int), intent(out), optional :: ierr
    type(c_ptr) :: at(0:max_array_rank)
    at = corners(data)
    if (.not. can_be_filled(ds, shape(data, kind=int64), at, esker_int8, ierr)) return
    call get_array(ds, field, step, esker_int8, shape(data, kind=int64), at(0), start, count, level, ierr, later=.true.)
  end subroutine

  recursive function corners_int8(a) result(at)
    integer(int8), intent(in), target, asynchronous :: a(..)
    type(c_ptr) :: at(0:max_array_rank)
    at = c_null_ptr
    if (size(a, kind=int64) == 0) return
    select rank (a)
    rank (1); at(0) = c_loc(a(1)); at(1) = c_loc(a(min(2, size(a))))
    rank (2); at = corners(a(:, 1)); at(2) = c_loc(a(1, min(2, size(a, 2))))
    rank (3); at = corners(a(:, :, 1)); at(3) = c_loc(a(1, 1, min(2, size(a, 3))))
    rank (4); at = corners(a(:, :, :, 1)); at(4) = c_loc(a(1, 1, 1, min(2, size(a, 4))))
    rank (5); at = corners(a(:, :, :, :, 1)); at(5) = c_loc(a(1, 1, 1, 1, min(2, size(a, 5))))
    rank (6); at = corners(a(:, :, :, :, :, 1)); at(6) = c_loc(a(1, 1, 1, 1, 1, min(2, size(a, 6))))
    end select
  end function

  subroutine put_int16(ds, field, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field
    integer(c_int64_t), intent(in) :: start(:)
    integer(c_int16_t), intent(inout), target, asynchronous :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call put_array(ds, field, start, esker_int16, shape(data, kind=int64), corners(data), order, ierr, buffered=.false.)
  end subroutine

  subroutine put_buffered_int16(ds, field, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field
    integer(c_int64_t), intent(in) :: start(:)
    integer(c_int16_t), intent(in), target :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call put_array(ds, field, start, esker_int16, shape(data, kind=int64), corners(data), order, ierr, buffered=.true.)
  end subroutine

  subroutine get_int16(ds, field, step, data, start, count, level, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field, step
    integer(int16), intent(inout), target, contiguous :: data(..)
    integer(int64), intent(in), optional :: start(:), count(:)
    integer, intent(in), optional :: level
    integer, intent(out), optional :: ierr
    type(c_ptr) :: at
    at = c_null_ptr
    if (size(data, kind=int64) > 0) at = c_loc(data)
    call get_array(ds, field, step, esker_int16, shape(data, kind=int64), at, start, count, level, ierr)
  end subroutine

  subroutine request_int16(ds, field, step, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field, step
    integer(c_int64_t), intent(in) :: start(:)
    integer(c_int16_t), intent(inout), target, asynchronous :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call request_array(ds, field, step, start, esker_int16, shape(data, kind=int64), corners(data), order, ierr)
  end subroutine

  subroutine request_level_int16(ds, field, step, data, level, start, count, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field, step, level
    integer(c_int16_t), intent(inout), target, asynchronous :: data(..)
    integer(c_int64_t), intent(in), optional :: start(:), count(:)
    integer(c_int), intent(out), optional :: ierr
    type(c_ptr) :: at(0:max_array_rank)
    at = corners(data)
    if (.not. can_be_filled(ds, shape(data, kind=int64), at, esker_int16, ierr)) return
    call get_array(ds, field, step, esker_int16, shape(data, kind=int64), at(0), start, count, level, ierr, later=.true.)
  end subroutine

  recursive function corners_int16(a) result(at)
    integer(int16), intent(in), target, asynchronous :: a(..)
    type(c_ptr) :: at(0:max_array_rank)
    at = c_null_ptr
    if (size(a, kind=int64) == 0) return
    select rank (a)
    rank (1); at(0) = c_loc(a(1)); at(1) = c_loc(a(min(2, size(a))))
    rank (2); at = corners(a(:, 1)); at(2) = c_loc(a(1, min(2, size(a, 2))))
    rank (3); at = corners(a(:, :, 1)); at(3) = c_loc(a(1, 1, min(2, size(a, 3))))
    rank (4); at = corners(a(:, :, :, 1)); at(4) = c_loc(a(1, 1, 1, min(2, size(a, 4))))
    rank (5); at = corners(a(:, :, :, :, 1)); at(5) = c_loc(a(1, 1, 1, 1, min(2, size(a, 5))))
    rank (6); at = corners(a(:, :, :, :, :, 1)); at(6) = c_loc(a(1, 1, 1, 1, 1, min(2, size(a, 6))))
    end select
  end function

  subroutine put_int32(ds, field, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field
    integer(c_int64_t), intent(in) :: start(:)
    integer(c_int32_t), intent(inout), target, asynchronous :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call put_array(ds, field, start, esker_int32, shape(data, kind=int64), corners(data), order, ierr, buffered=.false.)
  end subroutine

  subroutine put_buffered_int32(ds, field, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field
    integer(c_int64_t), intent(in) :: start(:)
    integer(c_int32_t), intent(in), target :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call put_array(ds, field, start, esker_int32, shape(data, kind=int64), corners(data), order, ierr, buffered=.true.)
  end subroutine

  subroutine get_int32(ds, field, step, data, start, count, level, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field, step
    integer(int32), intent(inout), target, contiguous :: data(..)
    integer(int64), intent(in), optional :: start(:), count(:)
    integer, intent(in), optional :: level
    integer, intent(out), optional :: ierr
    type(c_ptr) :: at
    at = c_null_ptr
    if (size(data, kind=int64) > 0) at = c_loc(data)
    call get_array(ds, field, step, esker_int32, shape(data, kind=int64), at, start, count, level, ierr)
  end subroutine

  subroutine request_int32(ds, field, step, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field, step
    integer(c_int64_t), intent(in) :: start(:)
    integer(c_int32_t), intent(inout), target, asynchronous :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call request_array(ds, field, step, start, esker_int32, shape(data, kind=int64), corners(data), order, ierr)
  end subroutine

  subroutine request_level_int32(ds, field, step, data, level, start, count, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field, step, level
    integer(c_int32_t), intent(inout), target, asynchronous :: data(..)
    integer(c_int64_t), intent(in), optional :: start(:), count(:)
    integer(c_int), intent(out), optional :: ierr
    type(c_ptr) :: at(0:max_array_rank)
    at = corners(data)
    if (.not. can_be_filled(ds, shape(data, kind=int64), at, esker_int32, ierr)) return
    call get_array(ds, field, step, esker_int32, shape(data, kind=int64), at(0), start, count, level, ierr, later=.true.)
  end subroutine

  recursive function corners_int32(a) result(at)
    integer(int32), intent(in), target, asynchronous :: a(..)
    type(c_ptr) :: at(0:max_array_rank)
    at = c_null_ptr
    if (size(a, kind=int64) == 0) return
    select rank (a)
    rank (1); at(0) = c_loc(a(1)); at(1) = c_loc(a(min(2, size(a))))
    rank (2); at = corners(a(:, 1)); at(2) = c_loc(a(1, min(2, size(a, 2))))
    rank (3); at = corners(a(:, :, 1)); at(3) = c_loc(a(1, 1, min(2, size(a, 3))))
    rank (4); at = corners(a(:, :, :, 1)); at(4) = c_loc(a(1, 1, 1, min(2, size(a, 4))))
    rank (5); at = corners(a(:, :, :, :, 1)); at(5) = c_loc(a(1, 1, 1, 1, min(2, size(a, 5))))
    rank (6); at = corners(a(:, :, :, :, :, 1)); at(6) = c_loc(a(1, 1, 1, 1, 1, min(2, size(a, 6))))
    end select
  end function

  subroutine put_int64(ds, field, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field
    integer(c_int64_t), intent(in) :: start(:)
    integer(c_int64_t), intent(inout), target, asynchronous :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call put_array(ds, field, start, esker_int64, shape(data, kind=int64), corners(data), order, ierr, buffered=.false.)
  end subroutine

  subroutine put_buffered_int64(ds, field, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field
    integer(c_int64_t), intent(in) :: start(:)
    integer(c_int64_t), intent(in), target :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call put_array(ds, field, start, esker_int64, shape(data, kind=int64), corners(data), order, ierr, buffered=.true.)
  end subroutine

  subroutine get_int64(ds, field, step, data, start, count, level, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field, step
    integer(int64), intent(inout), target, contiguous :: data(..)
    integer(int64), intent(in), optional :: start(:), count(:)
    integer, intent(in), optional :: level
    integer, intent(out), optional :: ierr
    type(c_ptr) :: at
    at = c_null_ptr
    if (size(data, kind=int64) > 0) at = c_loc(data)
    call get_array(ds, field, step, esker_int64, shape(data, kind=int64), at, start, count, level, ierr)
  end subroutine

  subroutine request_int64(ds, field, step, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field, step
    integer(c_int64_t), intent(in) :: start(:)
    integer(c_int64_t), intent(inout), target, asynchronous :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call request_array(ds, field, step, start, esker_int64, shape(data, kind=int64), corners(data), order, ierr)
  end subroutine

  subroutine request_level_int64(ds, field, step, data, level, start, count, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field, step, level
    integer(c_int64_t), intent(inout), target, asynchronous :: data(..)
    integer(c_int64_t), intent(in), optional :: start(:), count(:)
    integer(c_int), intent(out), optional :: ierr
    type(c_ptr) :: at(0:max_array_rank)
    at = corners(data)
    if (.not. can_be_filled(ds, shape(data, kind=int64), at, esker_int64, ierr)) return
    call get_array(ds, field, step, esker_int64, shape(data, kind=int64), at(0), start, count, level, ierr, later=.true.)
  end subroutine

  recursive function corners_int64(a) result(at)
    integer(int64), intent(in), target, asynchronous :: a(..)
    type(c_ptr) :: at(0:max_array_rank)
    at = c_null_ptr
    if (size(a, kind=int64) == 0) return
    select rank (a)
    rank (1); at(0) = c_loc(a(1)); at(1) = c_loc(a(min(2, size(a))))
    rank (2); at = corners(a(:, 1)); at(2) = c_loc(a(1, min(2, size(a, 2))))
    rank (3); at = corners(a(:, :, 1)); at(3) = c_loc(a(1, 1, min(2, size(a, 3))))
    rank (4); at = corners(a(:, :, :, 1)); at(4) = c_loc(a(1, 1, 1, min(2, size(a, 4))))
    rank (5); at = corners(a(:, :, :, :, 1)); at(5) = c_loc(a(1, 1, 1, 1, min(2, size(a, 5))))
    rank (6); at = corners(a(:, :, :, :, :, 1)); at(6) = c_loc(a(1, 1, 1, 1, 1, min(2, size(a, 6))))
    end select
  end function

  subroutine put_real32(ds, field, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field
    integer(c_int64_t), intent(in) :: start(:)
    real(c_float), intent(inout), target, asynchronous :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call put_array(ds, field, start, esker_float32, shape(data, kind=int64), corners(data), order, ierr, buffered=.false.)
  end subroutine

  subroutine put_buffered_real32(ds, field, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field
    integer(c_int64_t), intent(in) :: start(:)
    real(c_float), intent(in), target :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call put_array(ds, field, start, esker_float32, shape(data, kind=int64), corners(data), order, ierr, buffered=.true.)
  end subroutine

  subroutine get_real32(ds, field, step, data, start, count, level, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field, step
    real(real32), intent(inout), target, contiguous :: data(..)
    integer(int64), intent(in), optional :: start(:), count(:)
    integer, intent(in), optional :: level
    integer, intent(out), optional :: ierr
    type(c_ptr) :: at
    at = c_null_ptr
    if (size(data, kind=int64) > 0) at = c_loc(data)
    call get_array(ds, field, step, esker_float32, shape(data, kind=int64), at, start, count, level, ierr)
  end subroutine

  subroutine request_real32(ds, field, step, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field, step
    integer(c_int64_t), intent(in) :: start(:)
    real(c_float), intent(inout), target, asynchronous :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call request_array(ds, field, step, start, esker_float32, shape(data, kind=int64), corners(data), order, ierr)
  end subroutine

  subroutine request_level_real32(ds, field, step, data, level, start, count, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field, step, level
    real(c_float), intent(inout), target, asynchronous :: data(..)
    integer(c_int64_t), intent(in), optional :: start(:), count(:)
    integer(c_int), intent(out), optional :: ierr
    type(c_ptr) :: at(0:max_array_rank)
    at = corners(data)
    if (.not. can_be_filled(ds, shape(data, kind=int64), at, esker_float32, ierr)) return
    call get_array(ds, field, step, esker_float32, shape(data, kind=int64), at(0), start, count, level, ierr, later=.true.)
  end subroutine

  recursive function corners_real32(a) result(at)
    real(real32), intent(in), target, asynchronous :: a(..)
    type(c_ptr) :: at(0:max_array_rank)
    at = c_null_ptr
    if (size(a, kind=int64) == 0) return
    select rank (a)
    rank (1); at(0) = c_loc(a(1)); at(1) = c_loc(a(min(2, size(a))))
    rank (2); at = corners(a(:, 1)); at(2) = c_loc(a(1, min(2, size(a, 2))))
    rank (3); at = corners(a(:, :, 1)); at(3) = c_loc(a(1, 1, min(2, size(a, 3))))
    rank (4); at = corners(a(:, :, :, 1)); at(4) = c_loc(a(1, 1, 1, min(2, size(a, 4))))
    rank (5); at = corners(a(:, :, :, :, 1)); at(5) = c_loc(a(1, 1, 1, 1, min(2, size(a, 5))))
    rank (6); at = corners(a(:, :, :, :, :, 1)); at(6) = c_loc(a(1, 1, 1, 1, 1, min(2, size(a, 6))))
    end select
  end function

  subroutine put_real64(ds, field, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field
    integer(c_int64_t), intent(in) :: start(:)
    real(c_double), intent(inout), target, asynchronous :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call put_array(ds, field, start, esker_float64, shape(data, kind=int64), corners(data), order, ierr, buffered=.false.)
  end subroutine

  subroutine put_buffered_real64(ds, field, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field
    integer(c_int64_t), intent(in) :: start(:)
    real(c_double), intent(in), target :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call put_array(ds, field, start, esker_float64, shape(data, kind=int64), corners(data), order, ierr, buffered=.true.)
  end subroutine

  subroutine get_real64(ds, field, step, data, start, count, level, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: field, step
    real(real64), intent(inout), target, contiguous :: data(..)
    integer(int64), intent(in), optional :: start(:), count(:)
    integer, intent(in), optional :: level
    integer, intent(out), optional :: ierr
    type(c_ptr) :: at
    at = c_null_ptr
    if (size(data, kind=int64) > 0) at = c_loc(data)
    call get_array(ds, field, step, esker_float64, shape(data, kind=int64), at, start, count, level, ierr)
  end subroutine

  subroutine request_real64(ds, field, step, start, data, order, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field, step
    integer(c_int64_t), intent(in) :: start(:)
    real(c_double), intent(inout), target, asynchronous :: data(..)
    integer(c_int), intent(in), optional :: order(:)
    integer(c_int), intent(out), optional :: ierr
    call request_array(ds, field, step, start, esker_float64, shape(data, kind=int64), corners(data), order, ierr)
  end subroutine

  subroutine request_level_real64(ds, field, step, data, level, start, count, ierr) bind(C, name="")
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: field, step, level
    real(c_double), intent(inout), target, asynchronous :: data(..)
    integer(c_int64_t), intent(in), optional :: start(:), count(:)
    integer(c_int), intent(out), optional :: ierr
    type(c_ptr) :: at(0:max_array_rank)
    at = corners(data)
    if (.not. can_be_filled(ds, shape(data, kind=int64), at, esker_float64, ierr)) return
    call get_array(ds, field, step, esker_float64, shape(data, kind=int64), at(0), start, count, level, ierr, later=.true.)
  end subroutine

  recursive function corners_real64(a) result(at)
    real(real64), intent(in), target, asynchronous :: a(..)
    type(c_ptr) :: at(0:max_array_rank)
    at = c_null_ptr
    if (size(a, kind=int64) == 0) return
    select rank (a)
    rank (1); at(0) = c_loc(a(1)); at(1) = c_loc(a(min(2, size(a))))
    rank (2); at = corners(a(:, 1)); at(2) = c_loc(a(1, min(2, size(a, 2))))
    rank (3); at = corners(a(:, :, 1)); at(3) = c_loc(a(1, 1, min(2, size(a, 3))))
    rank (4); at = corners(a(:, :, :, 1)); at(4) = c_loc(a(1, 1, 1, min(2, size(a, 4))))
    rank (5); at = corners(a(:, :, :, :, 1)); at(5) = c_loc(a(1, 1, 1, 1, min(2, size(a, 5))))
    rank (6); at = corners(a(:, :, :, :, :, 1)); at(6) = c_loc(a(1, 1, 1, 1, 1, min(2, size(a, 6))))
    end select
  end function

  ! ---- From C and to C

  ! A text of C, "" for none.
  function text_of(c_text) result(text)
    type(c_ptr), intent(in) :: c_text
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    if (.not. c_associated(c_text)) then
      text = ""
      return
    end if
    call c_f_pointer(c_text, characters, [c_string_length(c_text)])
    allocate(character(size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function

  ! C's reals as an array of the caller's.
  function reals_of(c_values, count) result(values)
    type(c_ptr), intent(in) :: c_values
    integer(c_int64_t), intent(in) :: count
    real(real64), allocatable :: values(:)
    real(real64), pointer :: reals(:)
    allocate(values(0))
    if (.not. c_associated(c_values)) return
    call c_f_pointer(c_values, reals, [count])
    values = reals
  end function

  function to_c(text) result(c_text)
    character(*), intent(in) :: text
    character(:, kind=c_char), allocatable :: c_text
    c_text = text // c_null_char
  end function

  ! 1, 2 ... from the first, -1, -2 ... from the last: C begins with 0.
  integer(c_int64_t) function c_step(step)
    integer, intent(in) :: step
    c_step = step
    if (step > 0) c_step = step - 1
  end function

  ! False, and an error of `ds`, for step 0.
  logical function is_step(ds, step, ierr, alone)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: step
    integer, intent(out), optional :: ierr
    logical, intent(in), optional :: alone
    is_step = step /= 0
    if (.not. is_step) call fail(ds, esker_out_of_range, &
      "step 0: steps are counted from 1, or from -1, which is the newest", ierr, alone)
  end function

  integer(c_int) function c_level(level)
    integer, intent(in), optional :: level
    c_level = esker_full_level
    if (present(level)) c_level = level
  end function

  ! The number of what an attribute belongs to.
  integer(c_int) function c_number(object, number)
    integer, intent(in) :: object, number
    c_number = number
    if (object /= esker_of_dataset .and. object /= esker_of_time) c_number = number - 1
  end function

  type(c_ptr) function handle_of_comm(comm) result(handle)
    type(esker_comm), intent(in), optional :: comm
    handle = c_null_ptr
    if (present(comm)) handle = comm%handle
  end function

  type(c_ptr) function handle_of_options(options) result(handle)
    type(esker_options), intent(in), optional :: options
    handle = c_null_ptr
    if (present(options)) handle = options%handle
  end function

  integer(c_intptr_t) function address(at)
    type(c_ptr), intent(in) :: at
    address = transfer(at, address)
  end function

  logical function are_equal(a, b)
    integer(int64), intent(in) :: a(:), b(:)
    are_equal = size(a) == size(b)
    if (are_equal) are_equal = all(a == b)
  end function

  ! "3 x 4" for [3, 4] and " x ".
  function joined(numbers, separator) result(text)
    integer(int64), intent(in) :: numbers(:)
    character(*), intent(in) :: separator
    character(:), allocatable :: text
    character(20) :: digits
    integer :: i
    text = ""
    do i = 1, size(numbers)
      write (digits, "(i0)") numbers(i)
      if (i > 1) text = text // separator
      text = text // trim(digits)
    end do
  end function

  subroutine call_progress(done, context) bind(C, name="")
    real(c_double), value :: done
    type(c_ptr), value :: context
    type(progress_context), pointer :: program
    call c_f_pointer(context, program)
    call program%call(done)
  end subroutine

  ! ---- How a call ends

  ! Gives `status` to the caller, or stops the program if it is an error and the caller did not ask.
  subroutine conclude(ds, status, ierr)
    type(esker_dataset), intent(inout) :: ds
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: ierr
    if (present(ierr)) ierr = status
    if (status == esker_ok) return
    call forget(ds)
    if (.not. present(ierr)) error stop "esker: " // esker_message(ds)
  end subroutine

  subroutine conclude_options(options, status, ierr)
    type(esker_options), intent(in) :: options
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: ierr
    if (present(ierr)) ierr = status
    if (status /= esker_ok .and. .not. present(ierr)) error stop "esker: " // esker_options_message(options)
  end subroutine

  subroutine conclude_comm(status, ierr)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: ierr
    if (present(ierr)) ierr = status
    if (status == esker_ok .or. present(ierr)) return
    error stop "esker: communicator: " // esker_strerror(int(status))
  end subroutine

  ! An error that was found here. The next collective call returns it on all ranks, unless it is of what a rank does
  ! `alone`.
  subroutine fail(ds, status, text, ierr, alone)
    type(esker_dataset), intent(inout) :: ds
    integer, intent(in) :: status
    character(*), intent(in) :: text
    integer, intent(out), optional :: ierr
    logical, intent(in), optional :: alone
    logical :: noted
    integer(c_int) :: ignored  ! a dataset that is opened by one rank takes no note of it
    type(message_text), pointer :: own
    noted = .true.
    if (present(alone)) noted = .not. alone
    if (noted) ignored = c_fail(ds%handle, status, to_c(text))
    call forget(ds)
    allocate(own)
    own%text = text
    ds%own_message = c_loc(own)
    if (present(ierr)) ierr = status
    if (.not. present(ierr)) error stop "esker: " // text
  end subroutine

  ! The text of an error that was found here is the last one no more.
  subroutine forget(ds)
    type(esker_dataset), intent(inout) :: ds
    type(message_text), pointer :: own
    if (.not. c_associated(ds%own_message)) return
    call c_f_pointer(ds%own_message, own)
    deallocate(own)
    ds%own_message = c_null_ptr
  end subroutine
end module
