// Definitions, and the codes of wrong ones: dimensions, variables, attributes, modes, inquiries.
#include "check.h"

static void define(int ncid) {
  int x, t, id, ids[2];
  OK(ncmpi_def_dim(ncid, "x", 8, &x));
  OK(ncmpi_def_dim(ncid, "t", NC_UNLIMITED, &t));
  EXPECT(ncmpi_def_dim(ncid, "x", 9, &id), NC_ENAMEINUSE);
  EXPECT(ncmpi_def_dim(ncid, "u", NC_UNLIMITED, &id), NC_EUNLIMIT);
  EXPECT(ncmpi_def_dim(ncid, "y", -1, &id), NC_EDIMSIZE);
  EXPECT(ncmpi_def_dim(ncid, "a/b", 3, &id), NC_EBADNAME);
  EXPECT(ncmpi_def_dim(ncid, "", 3, &id), NC_EBADNAME);
  EXPECT(ncmpi_inq_dimid(ncid, "none", &id), NC_EBADDIM);
  ids[0] = t, ids[1] = x;
  OK(ncmpi_def_var(ncid, "a", NC_INT, 2, ids, &id));
  CHECK(id == 0);
  OK(ncmpi_def_var(ncid, "b", NC_DOUBLE, 1, &x, &id));
  OK(ncmpi_def_var(ncid, "text", NC_CHAR, 1, &x, &id));
  OK(ncmpi_def_var(ncid, "scalar", NC_SHORT, 0, NULL, &id));
  EXPECT(ncmpi_def_var(ncid, "a", NC_INT, 1, &x, &id), NC_ENAMEINUSE);
  EXPECT(ncmpi_def_var(ncid, "c", 99, 1, &x, &id), NC_EBADTYPE);
  EXPECT(ncmpi_def_var(ncid, "c", NC_INT64, 1, &x, &id), NC_ESTRICTCDF2);
  EXPECT(ncmpi_def_var(ncid, "c", NC_INT, -1, &x, &id), NC_EINVAL);
  ids[0] = 7;
  EXPECT(ncmpi_def_var(ncid, "c", NC_INT, 1, ids, &id), NC_EBADDIM);
  ids[0] = x, ids[1] = t;
  EXPECT(ncmpi_def_var(ncid, "c", NC_INT, 2, ids, &id), NC_EUNLIMPOS);
}

static void attributes(int ncid) {
  const int numbers[3] = {1, 300, -5};
  int id, back[3];
  signed char bytes[3];
  char text[8] = "";
  nc_type type;
  MPI_Offset n;
  OK(ncmpi_put_att_text(ncid, NC_GLOBAL, "title", 4, "test"));
  OK(ncmpi_put_att_int(ncid, 0, "numbers", NC_SHORT, 3, numbers));
  EXPECT(ncmpi_put_att_int(ncid, 0, "bytes", NC_BYTE, 3, numbers), NC_ERANGE);
  EXPECT(ncmpi_put_att_int(ncid, 0, "chars", NC_CHAR, 3, numbers), NC_ECHAR);
  EXPECT(ncmpi_put_att_int(ncid, 9, "numbers", NC_INT, 3, numbers), NC_ENOTVAR);
  EXPECT(ncmpi_put_att_int(ncid, 0, "n", NC_INT64, 3, numbers), NC_ESTRICTCDF2);
  EXPECT(ncmpi_put_att_int(ncid, 0, "n", NC_INT, -1, numbers), NC_EINVAL);
  EXPECT(ncmpi_put_att_int(ncid, 0, "_FillValue", NC_SHORT, 1, numbers), NC_EBADTYPE);
  EXPECT(ncmpi_put_att_int(ncid, 0, "_FillValue", NC_INT, 2, numbers), NC_EINVAL);
  OK(ncmpi_inq_att(ncid, 0, "numbers", &type, &n));
  CHECK(type == NC_SHORT && n == 3);
  OK(ncmpi_get_att_int(ncid, 0, "numbers", back));
  CHECK(memcmp(numbers, back, sizeof back) == 0);
  EXPECT(ncmpi_get_att_schar(ncid, 0, "numbers", bytes), NC_ERANGE);
  CHECK(bytes[0] == 1 && bytes[2] == -5);
  OK(ncmpi_get_att_int(ncid, 0, "bytes", back));
  CHECK(back[0] == 1 && back[1] == NC_FILL_BYTE && back[2] == -5);
  EXPECT(ncmpi_get_att_text(ncid, 0, "numbers", text), NC_ECHAR);
  EXPECT(ncmpi_get_att_int(ncid, 0, "none", back), NC_ENOTATT);
  OK(ncmpi_get_att_text(ncid, NC_GLOBAL, "title", text));
  CHECK(strcmp(text, "test") == 0);
  OK(ncmpi_rename_att(ncid, 0, "bytes", "small"));
  EXPECT(ncmpi_rename_att(ncid, 0, "small", "numbers"), NC_ENAMEINUSE);
  OK(ncmpi_copy_att(ncid, 0, "small", ncid, 1));
  OK(ncmpi_del_att(ncid, 0, "small"));
  EXPECT(ncmpi_del_att(ncid, 0, "small"), NC_ENOTATT);
  OK(ncmpi_inq_attid(ncid, 1, "small", &id));
  CHECK(id == 0);
}

static void inquire(int ncid) {
  int n_dims, n_vars, n_atts, unlimited, ids[2], no_fill, fill;
  char name[NC_MAX_NAME + 1];
  nc_type type;
  MPI_Offset length;
  OK(ncmpi_inq(ncid, &n_dims, &n_vars, &n_atts, &unlimited));
  CHECK(n_dims == 2 && n_vars == 4 && n_atts == 1 && unlimited == 1);
  OK(ncmpi_inq_var(ncid, 0, name, &type, &n_dims, ids, &n_atts));
  CHECK(strcmp(name, "a") == 0 && type == NC_INT && n_dims == 2 && ids[0] == 1 && ids[1] == 0 && n_atts == 1);
  EXPECT(ncmpi_inq_varname(ncid, NC_GLOBAL, name), NC_EGLOBAL);
  EXPECT(ncmpi_inq_varname(ncid, 4, name), NC_ENOTVAR);
  EXPECT(ncmpi_inq_dim(ncid, 2, name, &length), NC_EBADDIM);
  OK(ncmpi_inq_dim(ncid, 1, name, &length));
  CHECK(strcmp(name, "t") == 0 && length == 0);
  OK(ncmpi_inq_num_rec_vars(ncid, &n_vars));
  CHECK(n_vars == 1);
  OK(ncmpi_inq_var_fill(ncid, 0, &no_fill, &fill));
  CHECK(no_fill == 1 && fill == NC_FILL_INT);
}

static void modes(int ncid, const char* path) {
  int id, values[8] = {0};
  MPI_Offset start[2] = {0, 0}, count[2] = {1, 8};
  EXPECT(ncmpi_put_vara_int_all(ncid, 0, start, count, values), NC_EINDEFINE);
  EXPECT(ncmpi_redef(ncid), NC_EINDEFINE);
  EXPECT(ncmpi_begin_indep_data(ncid), NC_EINDEFINE);
  EXPECT(ncmpi_sync(ncid), NC_EINDEFINE);
  OK(ncmpi_enddef(ncid));
  EXPECT(ncmpi_enddef(ncid), NC_ENOTINDEFINE);
  EXPECT(ncmpi_def_dim(ncid, "z", 3, &id), NC_ENOTINDEFINE);
  EXPECT(ncmpi_def_var(ncid, "z", NC_INT, 0, NULL, &id), NC_ENOTINDEFINE);
  EXPECT(ncmpi_put_att_text(ncid, NC_GLOBAL, "title", 5, "longer"), NC_ENOTINDEFINE);
  OK(ncmpi_put_att_text(ncid, NC_GLOBAL, "title", 4, "TEST"));
  EXPECT(ncmpi_rename_var(ncid, 1, "longer"), NC_ENOTINDEFINE);
  OK(ncmpi_rename_var(ncid, 1, "B"));
  EXPECT(ncmpi_put_vara_int(ncid, 0, start, count, values), NC_ENOTINDEP);
  OK(ncmpi_begin_indep_data(ncid));
  EXPECT(ncmpi_put_vara_int_all(ncid, 0, start, count, values), NC_EINDEP);
  OK(ncmpi_end_indep_data(ncid));
  OK(ncmpi_redef(ncid));
  OK(ncmpi_def_dim(ncid, "z", 3, &id));
  OK(ncmpi_close(ncid));
  EXPECT(ncmpi_close(ncid), NC_EBADID);
  OK(ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, MPI_INFO_NULL, &ncid));
  EXPECT(ncmpi_redef(ncid), NC_EPERM);
  EXPECT(ncmpi_put_vara_int_all(ncid, 0, start, count, values), NC_EPERM);
  OK(ncmpi_inq_varid(ncid, "B", &id));
  int no_fill = 1;
  OK(ncmpi_inq_var_fill(ncid, id, &no_fill, NULL));
  CHECK(no_fill == 0);
  OK(ncmpi_inq_ndims(ncid, &id));
  CHECK(id == 3);
  OK(ncmpi_close(ncid));
}

// As the files of WRF are called.
static void colons(const char* path) {
  char name[1000];
  int ncid, rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "%s_2000-01-01_00:00:00", path);
  OK(ncmpi_create(MPI_COMM_WORLD, name, NC_CLOBBER, MPI_INFO_NULL, &ncid));
  OK(ncmpi_enddef(ncid));
  OK(ncmpi_close(ncid));
  if (rank == 0) {
    FILE* file = fopen(name, "r");
    CHECK(file != NULL);
    if (file != NULL) fclose(file);
    OK(ncmpi_delete(name, MPI_INFO_NULL));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* path = argv[1];
  int ncid = -1;
  EXPECT(ncmpi_open(MPI_COMM_WORLD, "/nonexistent.nc", NC_NOWRITE, MPI_INFO_NULL, &ncid), NC_ENOENT);
  EXPECT(ncmpi_create(MPI_COMM_WORLD, path, NC_64BIT_DATA | NC_64BIT_OFFSET, MPI_INFO_NULL, &ncid),
         NC_EINVAL_CMODE);
  EXPECT(ncmpi_create(MPI_COMM_WORLD, path, NC_NETCDF4, MPI_INFO_NULL, &ncid), NC_ENOTBUILT);
  OK(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER, MPI_INFO_NULL, &ncid));
  define(ncid);
  attributes(ncid);
  inquire(ncid);
  modes(ncid, path);
  colons(path);
  EXPECT(ncmpi_create(MPI_COMM_WORLD, path, NC_NOCLOBBER, MPI_INFO_NULL, &ncid), NC_EEXIST);
  return finish();
}
