/* Reads a field at a sixteenth of its samples, without MPI: read_c */
#include <stdio.h>
#include <stdlib.h>

#include "esker/esker.h"

int main(void) {
  esker_dataset* ds;
  int thk = 0, level = 0, failed;
  int64_t count[2] = {0, 0}, bytes;
  float* samples;
  /* [README */
  esker_open("run.idx", 0, &ds);
  esker_inq_field_id(ds, "thk", &thk);
  esker_inq_max_level(ds, thk, &level);
  esker_inq_selection(ds, thk, ESKER_LAST_STEP, NULL, NULL, level - 4, NULL, NULL, count);
  bytes = count[0] * count[1] * (int64_t)sizeof(float);
  samples = malloc((size_t)bytes);
  failed = esker_get(ds, thk, ESKER_LAST_STEP, NULL, NULL, level - 4, samples, bytes);
  /* README] */
  if (failed) {
    fprintf(stderr, "%s\n", esker_message(ds));
  } else {
    printf("thk: %d x %d samples, first %g, last %g\n", (int)count[0], (int)count[1], samples[0],
           samples[count[0] * count[1] - 1]);
  }
  free(samples);
  esker_free(ds);
  return failed;
}
