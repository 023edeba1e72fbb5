// The errors of PnetCDF 1.12.3: name, number, and text, which programs compare. A test compares them with the
// library.
#pragma once

// clang-format off
#define ESKER_PNETCDF_ERRORS(X) \
  X(NC_NOERR, 0, "No error") \
  X(NC_EBADID, -33, "NetCDF: Not a valid ID") \
  X(NC_ENFILE, -34, "NetCDF: Too many files open") \
  X(NC_EEXIST, -35, "NetCDF: File exists && NC_NOCLOBBER") \
  X(NC_EINVAL, -36, "NetCDF: Invalid argument") \
  X(NC_EPERM, -37, "NetCDF: Write to read only") \
  X(NC_ENOTINDEFINE, -38, "NetCDF: Operation not allowed in data mode") \
  X(NC_EINDEFINE, -39, "NetCDF: Operation not allowed in define mode") \
  X(NC_EINVALCOORDS, -40, "NetCDF: Index exceeds dimension bound") \
  X(NC_EMAXDIMS, -41, "NetCDF: NC_MAX_DIMS or NC_MAX_VAR_DIMS exceeded") \
  X(NC_ENAMEINUSE, -42, "NetCDF: String match to name in use") \
  X(NC_ENOTATT, -43, "NetCDF: Attribute not found") \
  X(NC_EMAXATTS, -44, "NetCDF: NC_MAX_ATTRS exceeded") \
  X(NC_EBADTYPE, -45, "NetCDF: Not a valid data type or _FillValue type mismatch") \
  X(NC_EBADDIM, -46, "NetCDF: Invalid dimension ID or name") \
  X(NC_EUNLIMPOS, -47, "NetCDF: NC_UNLIMITED in the wrong index") \
  X(NC_EMAXVARS, -48, "NetCDF: NC_MAX_VARS exceeded") \
  X(NC_ENOTVAR, -49, "NetCDF: Variable not found") \
  X(NC_EGLOBAL, -50, "NetCDF: Action prohibited on NC_GLOBAL varid") \
  X(NC_ENOTNC, -51, "NetCDF: Unknown file format (file format violates CDF specification)") \
  X(NC_ESTS, -52, "NetCDF: In Fortran, string too short") \
  X(NC_EMAXNAME, -53, "NetCDF: NC_MAX_NAME exceeded") \
  X(NC_EUNLIMIT, -54, "NetCDF: NC_UNLIMITED size already in use") \
  X(NC_ENORECVARS, -55, "NetCDF: nc_rec op when there are no record vars") \
  X(NC_ECHAR, -56, "NetCDF: Attempt to convert between text & numbers") \
  X(NC_EEDGE, -57, "NetCDF: Start+count exceeds dimension bound") \
  X(NC_ESTRIDE, -58, "NetCDF: Illegal stride") \
  X(NC_EBADNAME, -59, "NetCDF: Name contains illegal characters") \
  X(NC_ERANGE, -60, "NetCDF: Numeric conversion not representable") \
  X(NC_ENOMEM, -61, "NetCDF: Memory allocation (malloc) failure") \
  X(NC_EVARSIZE, -62, "NetCDF: One or more variable sizes violate format constraints") \
  X(NC_EDIMSIZE, -63, "NetCDF: Invalid dimension size") \
  X(NC_ETRUNC, -64, "NetCDF: File likely truncated or possibly corrupted") \
  X(NC_EAXISTYPE, -65, "NetCDF: Illegal axis type") \
  X(NC_EDAP, -66, "NetCDF: DAP failure") \
  X(NC_ECURL, -67, "NetCDF: libcurl failure") \
  X(NC_EIO, -68, "NetCDF: I/O failure") \
  X(NC_ENODATA, -69, "NetCDF: Variable has no data") \
  X(NC_EDAPSVC, -70, "NetCDF: DAP server error") \
  X(NC_EDAS, -71, "NetCDF: Malformed or inaccessible DAP DAS") \
  X(NC_EDDS, -72, "NetCDF: Malformed or inaccessible DAP2 DDS or DAP4 DMR response") \
  X(NC_EDATADDS, -73, "NetCDF: Malformed or inaccessible DAP2 DATADDS or DAP4 DAP response") \
  X(NC_EDAPURL, -74, "NetCDF: Malformed URL") \
  X(NC_EDAPCONSTRAINT, -75, "NetCDF: Malformed or unexpected Constraint") \
  X(NC_ETRANSLATION, -76, "NetCDF: Untranslatable construct") \
  X(NC_EACCESS, -77, "NetCDF: Access failure") \
  X(NC_EAUTH, -78, "NetCDF: Authorization failure") \
  X(NC_ENOTFOUND, -90, "NetCDF: file not found") \
  X(NC_ECANTREMOVE, -91, "NetCDF: cannot delete file") \
  X(NC_EINTERNAL, -92, "NetCDF: internal library error; Please contact Unidata support") \
  X(NC_EPNETCDF, -93, "NetCDF: PnetCDF error") \
  X(NC_EHDFERR, -101, "NetCDF: HDF error") \
  X(NC_ECANTREAD, -102, "NetCDF: Can't read file") \
  X(NC_ECANTWRITE, -103, "NetCDF: Can't write file") \
  X(NC_ECANTCREATE, -104, "NetCDF: Can't create file") \
  X(NC_EFILEMETA, -105, "NetCDF: Can't add HDF5 file metadata") \
  X(NC_EDIMMETA, -106, "NetCDF: Can't define dimensional metadata") \
  X(NC_EATTMETA, -107, "NetCDF: Can't open HDF5 attribute") \
  X(NC_EVARMETA, -108, "NetCDF: Problem with variable metadata.") \
  X(NC_ENOCOMPOUND, -109, "NetCDF: Can't create HDF5 compound type") \
  X(NC_EATTEXISTS, -110, "NetCDF: Attempt to create attribute that already exists") \
  X(NC_ENOTNC4, -111, "NetCDF: Attempting netcdf-4 operation on netcdf-3 file") \
  X(NC_ESTRICTNC3, -112, "NetCDF: Attempting netcdf-4 operation on strict nc3 netcdf-4 file") \
  X(NC_ENOTNC3, -113, "NetCDF: Attempting netcdf-3 operation on netcdf-4 file") \
  X(NC_ENOPAR, -114, "NetCDF: Parallel operation on file opened for non-parallel access") \
  X(NC_EPARINIT, -115, "NetCDF: Error initializing for parallel access") \
  X(NC_EBADGRPID, -116, "NetCDF: Bad group ID") \
  X(NC_EBADTYPID, -117, "NetCDF: Bad type ID") \
  X(NC_ETYPDEFINED, -118, "NetCDF: Type has already been defined and may not be edited") \
  X(NC_EBADFIELD, -119, "NetCDF: Bad field ID") \
  X(NC_EBADCLASS, -120, "NetCDF: Bad class") \
  X(NC_EMAPTYPE, -121, "NetCDF: Mapped access for atomic types only") \
  X(NC_ELATEFILL, -122, "NetCDF: Attempt to define fill value when data already exists.") \
  X(NC_ELATEDEF, -123, "NetCDF: Attempt to define var properties, like deflate, after enddef.") \
  X(NC_EDIMSCALE, -124, "NetCDF: Problem with HDF5 dimscales.") \
  X(NC_ENOGRP, -125, "NetCDF: No group found.") \
  X(NC_ESTORAGE, -126, "NetCDF: Cannot specify both contiguous and chunking.") \
  X(NC_EBADCHUNK, -127, "NetCDF: Bad chunk sizes.") \
  X(NC_ENOTBUILT, -128, "NetCDF: Attempt to use feature that was not turned on when netCDF was built.") \
  X(NC_EDISKLESS, -129, "NetCDF: Error in using diskless access") \
  X(NC_ECANTEXTEND, -130, \
    "NetCDF: Attempt to extend dataset during NC_INDEPENDENT I/O operation. Use nc_var_par_access " \
    "to set mode NC_COLLECTIVE before extending variable.") \
  X(NC_EMPI, -131, "NetCDF: MPI operation failed.") \
  X(NC_EFILTER, -132, "NetCDF: Filter error: bad id or parameters or duplicate filter") \
  X(NC_ERCFILE, -133, "NetCDF: RC File Failure.") \
  X(NC_ENULLPAD, -134, "NetCDF: File fails strict Null-Byte Header check.") \
  X(NC_EINMEMORY, -135, "NetCDF: In-memory File operation failed.") \
  X(NC_ENOFILTER, -136, "NetCDF: Filter error: unimplemented filter encountered") \
  X(NC_ESMALL, -201, "Size of MPI_Offset or MPI_Aint too small for requested format") \
  X(NC_ENOTINDEP, -202, "Operation not allowed in collective data mode") \
  X(NC_EINDEP, -203, "Operation not allowed in independent data mode") \
  X(NC_EFILE, -204, "Unknown error in file operation") \
  X(NC_EREAD, -205, "Unknown error occurs in reading file") \
  X(NC_EWRITE, -206, "Unknown error occurs in writing file") \
  X(NC_EOFILE, -207, "Fail to open/create file") \
  X(NC_EMULTITYPES, -208, "Multiple etypes used in MPI datatype") \
  X(NC_EIOMISMATCH, -209, "Input/Output data amount mismatch") \
  X(NC_ENEGATIVECNT, -210, "Negative count is prohibited") \
  X(NC_EUNSPTETYPE, -211, "Unsupported etype in the MPI datatype describing the I/O buffer") \
  X(NC_EINVAL_REQUEST, -212, "Invalid nonblocking request ID.") \
  X(NC_EAINT_TOO_SMALL, -213, "MPI_Aint not large enough to hold requested value.") \
  X(NC_ENOTSUPPORT, -214, "Feature is not yet supported.") \
  X(NC_ENULLBUF, -215, "Trying to attach a NULL buffer or the buffer size is negative.") \
  X(NC_EPREVATTACHBUF, -216, "Previous attached buffer is found.") \
  X(NC_ENULLABUF, -217, "No attached buffer is found.") \
  X(NC_EPENDINGBPUT, -218, "Cannot detach buffer due to pending bput request is found.") \
  X(NC_EINSUFFBUF, -219, "Attached buffer is too small.") \
  X(NC_ENOENT, -220, "Specified netCDF file does not exist.") \
  X(NC_EINTOVERFLOW, -221, "Integer type casting overflow.") \
  X(NC_ENOTENABLED, -222, "Feature is not enabled at configure time.") \
  X(NC_EBAD_FILE, -223, "Invalid file name (e.g., path name too long).") \
  X(NC_ENO_SPACE, -224, "Not enough space.") \
  X(NC_EQUOTA, -225, "Quota exceeded.") \
  X(NC_ENULLSTART, -226, "Argument start is a NULL pointer") \
  X(NC_ENULLCOUNT, -227, "Argument count is a NULL pointer") \
  X(NC_EINVAL_CMODE, -228, "Invalid file create mode") \
  X(NC_ETYPESIZE, -229, "MPI datatype size error (bigger than the variable size)") \
  X(NC_ETYPE_MISMATCH, -230, "etype of the MPI datatype mismatches the variable data type") \
  X(NC_ETYPESIZE_MISMATCH, -231, "MPI filetype size mismatches buftype size * bufcount") \
  X(NC_ESTRICTCDF2, -232, "Attempting CDF-5 operation on strict CDF or CDF-2 file") \
  X(NC_ENOTRECVAR, -233, "Attempting operation only for record variables") \
  X(NC_ENOTFILL, -234, "Attempting to fill a record when its variable fill mode is off") \
  X(NC_EINVAL_OMODE, -235, "Invalid or unsupported file open mode") \
  X(NC_EPENDING, -236, "Pending nonblocking request is found at file close") \
  X(NC_EMAX_REQ, -237, "Size of I/O request exceeds INT_MAX") \
  X(NC_EBADLOG, -238, "Unrecognized burst buffering log file format.") \
  X(NC_EFLUSHED, -239, "Nonblocking requests already flushed.") \
  X(NC_EADIOS, -240, "unknown ADIOS error.") \
  X(NC_EMULTIDEFINE, -250, "File header is inconsistent among processes") \
  X(NC_EMULTIDEFINE_OMODE, -251, "File open mode is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_DIM_NUM, -252, "Number of dimensions is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_DIM_SIZE, -253, "Dimension size is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_DIM_NAME, -254, "Dimension name is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_VAR_NUM, -255, "Number of variables is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_VAR_NAME, -256, "Variable name is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_VAR_NDIMS, -257, "Dimensionality of this variable is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_VAR_DIMIDS, -258, \
    "Dimension IDs used to define this variable are inconsistent among " \
    "processes.") \
  X(NC_EMULTIDEFINE_VAR_TYPE, -259, "Data type of this variable is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_VAR_LEN, -260, "Number of elements of this variable is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_NUMRECS, -261, "Number of records is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_VAR_BEGIN, -262, \
    "Starting file offset of this variable is inconsistent among " \
    "processes.") \
  X(NC_EMULTIDEFINE_ATTR_NUM, -263, "Number of attributes is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_ATTR_SIZE, -264, \
    "Memory space used by attribute (internal use) is inconsistent among " \
    "processes.") \
  X(NC_EMULTIDEFINE_ATTR_NAME, -265, "Attribute name is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_ATTR_TYPE, -266, "Attribute type is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_ATTR_LEN, -267, "Attribute length is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_ATTR_VAL, -268, "Attribute value is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_FNC_ARGS, -269, "Arguments in collective API are inconsistent among processes.") \
  X(NC_EMULTIDEFINE_FILL_MODE, -270, "File fill mode is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_VAR_FILL_MODE, -271, "Variable fill mode is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_VAR_FILL_VALUE, -272, "Variable fill value is inconsistent among processes.") \
  X(NC_EMULTIDEFINE_CMODE, -273, "File create mode is inconsistent among processes.")
// clang-format on
