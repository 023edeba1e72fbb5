/* Datasets over time: append, rewind, several at once, reports. */
#include <string.h>

#include "world.h"

void test_append(const struct world* w) {
  static const double times[] = {0, 1, 2, 3};
  static const float before[] = {10, 11, 12, 13}, after[] = {10, 11, 22, 23};
  esker_options* options = small_options();
  esker_dataset* ds;
  const double* found = NULL;
  int64_t num = -1;
  int field = -1, s;
  ds = create_map(w, "append.idx", &field);
  for (s = 0; s < 3; ++s) CHECK_OK(ds, write_map(w, ds, field, times[s], before[s]));
  esker_free(ds); /* abandoned, as by a program that ends early: committed steps remain */
  expect_map(w, "append.idx", 3, times, before);

  ds = NULL;
  CHECK_OK(ds, esker_append(path_of(w, "append.idx"), w->comm, options, &ds));
  field = -1;
  CHECK_OK(ds, esker_inq_field_id(ds, "thk", &field));
  CHECK_OK(ds, esker_inq_steps(ds, &num, &found));
  CHECK(num == 3 && found[2] == 2);
  CHECK_OK(ds, write_map(w, ds, field, times[3], before[3]));
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
  expect_map(w, "append.idx", 4, times, before);

  ds = NULL;
  CHECK_OK(ds, esker_append(path_of(w, "append.idx"), w->comm, options, &ds));
  CHECK_OK(ds, esker_rewind(ds, 1.5));
  CHECK_OK(ds, esker_inq_steps(ds, &num, NULL));
  CHECK(num == 2);
  CHECK_OK(ds, write_map(w, ds, field, times[2], after[2]));
  CHECK_OK(ds, write_map(w, ds, field, times[3], after[3]));
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
  expect_map(w, "append.idx", 4, times, after);
  esker_options_free(options);
}

/* Steps that are stored while the program goes on. */
void test_asynchronous(const struct world* w) {
  static const double times[] = {0, 1, 2};
  static const float values[] = {1, 2, 3};
  int field = -1, s;
  int64_t num = -1;
  esker_dataset* ds = create_map(w, "asynchronous.idx", &field);
  for (s = 0; s < 3; ++s) {
    int64_t lo[2] = {0, 0}, extent[2] = {0, 7};
    float samples[13 * 7];
    int i;
    my_columns(w, &lo[0], &extent[0]);
    for (i = 0; i < 13 * 7; ++i) samples[i] = values[s];
    CHECK_OK(ds, esker_begin_step(ds, times[s]));
    CHECK_OK(ds, esker_put(ds, field, ESKER_FLOAT32, lo, extent, samples));
    CHECK_OK(ds, esker_end_step_async(ds));
    for (i = 0; i < 13 * 7; ++i) samples[i] = -1; /* the memory is the program's again */
    CHECK_OK(ds, esker_inq_steps(ds, &num, NULL));
    CHECK(num == s + 1);
    if (s == 1) {
      CHECK_OK(ds, esker_flush(ds));
      CHECK_OK(ds, esker_inq_steps(ds, &num, NULL));
      CHECK(num == 2);
    }
  }
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
  expect_map(w, "asynchronous.idx", 3, times, values);
}

/* Two datasets that are written and one that is read, alternately. */
void test_several(const struct world* w) {
  static const double times[] = {0, 1};
  static const float a_values[] = {1, 2}, b_values[] = {3, 4};
  esker_dataset *a, *b, *old = NULL;
  int a_field = -1, b_field = -1, s;
  float samples[13 * 7];
  a = create_map(w, "a.idx", &a_field);
  b = create_map(w, "b.idx", &b_field);
  CHECK_OK(old, esker_open(path_of(w, "append.idx"), 0, &old));
  for (s = 0; s < 2; ++s) {
    CHECK_OK(a, write_map(w, a, a_field, times[s], a_values[s]));
    CHECK_FAILS(old, esker_get(old, 0, 77, NULL, NULL, 0, samples, 4), ESKER_OUT_OF_RANGE, "step 77");
    CHECK_OK(b, write_map(w, b, b_field, times[s], b_values[s]));
    CHECK_OK(old, esker_get(old, 0, 0, NULL, NULL, ESKER_FULL_LEVEL, samples, sizeof samples));
    CHECK(samples[0] == 10 && samples[13 * 7 - 1] == 10);
  }
  CHECK(strcmp(esker_message(a), "") == 0 && strcmp(esker_message(b), "") == 0);
  CHECK(strstr(esker_message(old), "step 77") != NULL); /* each handle has its own message */
  CHECK_OK(b, esker_close(b));
  CHECK_OK(a, esker_close(a));
  esker_free(a);
  esker_free(old);
  esker_free(b);
  expect_map(w, "a.idx", 2, times, a_values);
  expect_map(w, "b.idx", 2, times, b_values);
}

void test_reports(const struct world* w) {
  esker_step_report last;
  const char* text = NULL;
  int field = -1;
  esker_dataset* ds = create_map(w, "reports.idx", &field);
  CHECK_OK(ds, esker_inq_last_step(ds, &last));
  CHECK(last.step == 0 && last.data_bytes == 0 && last.writers == 0);
  CHECK_OK(ds, write_map(w, ds, field, 5, 1));
  CHECK_OK(ds, write_map(w, ds, field, 6, 2));
  CHECK_OK(ds, esker_inq_last_step(ds, &last));
  CHECK(last.step == 1 && last.time == 6 && last.data_bytes == 13 * 7 * 4);
  CHECK(last.stored_bytes >= last.data_bytes && last.writers >= 1 && last.files >= 1 && last.seconds > 0);
  CHECK_OK(ds, esker_report_text(ds, &text));
  CHECK(text && strstr(text, "2 steps"));
  CHECK_OK(ds, esker_report_json(ds, w->rank == 0 ? &text : NULL)); /* the other ranks need no text */
  CHECK(w->rank > 0 || strstr(text, "\"steps\""));
  CHECK_OK(ds, esker_close(ds));
  esker_free(ds);
}
