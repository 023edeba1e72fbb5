/* Calls without a dataset: version, texts, types, options, the communicator of one rank. */
#include <string.h>

#include "world.h"

void test_library(const struct world* w) {
  static const int bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  int status, type, n = -1;
  (void)w;
  CHECK(strcmp(esker_version(), ESKER_VERSION) == 0);
  CHECK(strncmp(esker_build_facts(), "compiler: ", 10) == 0 && strstr(esker_build_facts(), "\ncodecs: zlib "));
  CHECK(strstr(esker_build_facts(), "\nGPU memory: CUDA"));
  for (status = ESKER_OK; status <= ESKER_INTERNAL; ++status) {
    CHECK(strlen(esker_strerror(status)) > 3);
    CHECK(strcmp(esker_strerror(status), "unknown status") != 0);
    CHECK(status == 0 || strcmp(esker_strerror(status), esker_strerror(status - 1)) != 0);
  }
  CHECK(strcmp(esker_strerror(-1), "unknown status") == 0);
  CHECK(strcmp(esker_strerror(ESKER_CANCELLED + 1), "unknown status") == 0);
  for (type = ESKER_INT8; type <= ESKER_FLOAT64; ++type) CHECK(esker_type_bytes(type) == bytes[type]);
  CHECK(strcmp(esker_type_name(ESKER_UINT16), "uint16") == 0);
  CHECK(strcmp(esker_type_name(-1), "unknown") == 0 && esker_type_bytes(-1) == 0);
  CHECK(strcmp(esker_type_name(10), "unknown") == 0 && esker_type_bytes(10) == 0);
  CHECK(esker_comm_size(NULL, &n) == ESKER_OK && n == 1);
  CHECK(esker_comm_rank(NULL, &n) == ESKER_OK && n == 0);
}

/* The position of an option, or -1. */
static int find_option(esker_options* options, const char* wanted) {
  int num = 0, i;
  const char* name = NULL;
  CHECK(esker_options_inq_num(options, &num) == ESKER_OK);
  CHECK(num > 5);
  for (i = 0; i < num; ++i) {
    CHECK(esker_options_inq(options, i, &name, NULL, NULL, NULL) == ESKER_OK);
    if (strcmp(name, wanted) == 0) return i;
  }
  return -1;
}

void test_options(const struct world* w) {
  esker_options* options = NULL;
  const char *value = NULL, *source = NULL, *help = NULL;
  int place;
  (void)w;
  CHECK(esker_options_new(NULL) == ESKER_INVALID_ARGUMENT);
  CHECK(esker_options_new(&options) == ESKER_OK);
  CHECK(strcmp(esker_options_message(options), "") == 0);
  place = find_option(options, "aggregators");
  CHECK(place >= 0);
  CHECK(esker_options_inq(options, place, NULL, &value, &source, &help) == ESKER_OK);
  CHECK(strcmp(value, "0") == 0 && strcmp(source, "built-in") == 0 && strlen(help) > 0);
  CHECK(esker_options_set(options, "aggregators", "3") == ESKER_OK);
  CHECK(esker_options_inq(options, place, NULL, &value, &source, NULL) == ESKER_OK);
  CHECK(strcmp(value, "3") == 0 && strcmp(source, "program") == 0);

  CHECK(esker_options_set(options, "aggregators", "many") == ESKER_INVALID_ARGUMENT);
  CHECK(strstr(esker_options_message(options), "many") != NULL);
  CHECK(esker_options_set(options, "agregators", "3") == ESKER_INVALID_ARGUMENT);
  CHECK(strstr(esker_options_message(options), "agregators") != NULL);
  CHECK(esker_options_set(options, NULL, "3") == ESKER_INVALID_ARGUMENT);
  CHECK(strstr(esker_options_message(options), "name is NULL") != NULL);
  CHECK(esker_options_set(options, "aggregators", NULL) == ESKER_INVALID_ARGUMENT);
  CHECK(esker_options_inq(options, -1, NULL, NULL, NULL, NULL) == ESKER_OUT_OF_RANGE);
  CHECK(esker_options_inq(options, 1000, NULL, NULL, NULL, NULL) == ESKER_OUT_OF_RANGE);
  CHECK(esker_options_inq_num(options, NULL) == ESKER_INVALID_ARGUMENT);
  CHECK(esker_options_inq(options, place, NULL, &value, NULL, NULL) == ESKER_OK);
  CHECK(strcmp(value, "3") == 0); /* errors change nothing */

  CHECK(esker_options_load(options) == ESKER_OK); /* the test's environment says ESKER_AGGREGATORS=2 */
  CHECK(esker_options_inq(options, place, NULL, &value, &source, NULL) == ESKER_OK);
  CHECK(strcmp(value, "2") == 0 && strcmp(source, "ESKER_AGGREGATORS") == 0);
  esker_options_free(options);
}
