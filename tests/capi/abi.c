/* The binary interface of compiled programs: numbers and the layout of structs. It changes only with a new
   major version; the compiler reports a change here as a negative array size. */
#include <stddef.h>

#include "esker/esker.h"

#define PINNED(name, condition) typedef char pinned_##name[(condition) ? 1 : -1]

PINNED(first_status, ESKER_OK == 0 && ESKER_INVALID_ARGUMENT == 1 && ESKER_OUT_OF_RANGE == 2);
PINNED(middle_status, ESKER_NOT_FOUND == 3 && ESKER_ALREADY_EXISTS == 4 && ESKER_WRONG_ORDER == 5);
PINNED(later_status, ESKER_MISMATCHED_CALL == 6 && ESKER_DATA_LOSS == 7 && ESKER_IO_ERROR == 8);
PINNED(last_status, ESKER_UNSUPPORTED == 9 && ESKER_OUT_OF_MEMORY == 10 && ESKER_INTERNAL == 11);
PINNED(integers, ESKER_INT8 == 0 && ESKER_UINT8 == 1 && ESKER_INT64 == 6 && ESKER_UINT64 == 7);
PINNED(reals, ESKER_FLOAT32 == 8 && ESKER_FLOAT64 == 9);
PINNED(objects,
       ESKER_DATASET == 0 && ESKER_GRID == 1 && ESKER_FIELD == 2 && ESKER_DIM == 3 && ESKER_TIME == 4);
PINNED(attributes, ESKER_ATT_TEXT == 0 && ESKER_ATT_INT64 == 1 && ESKER_ATT_DOUBLE == 2);
PINNED(centering, ESKER_AT_CELLS == 0 && ESKER_AT_NODES == 1);
PINNED(missing, ESKER_MISSING_AUTO == 0 && ESKER_MISSING_FILL == 1 && ESKER_MISSING_NEAREST == 2 &&
                    ESKER_MISSING_LINEAR == 3 && ESKER_MISSING_NAN == 4 && ESKER_KEEP_DROPPED == -128);
PINNED(limits, ESKER_MAX_RANK == 5 && ESKER_FIXED == 0 && ESKER_EVERY_STEP == 1);
PINNED(defaults, ESKER_LAST_STEP == -1 && ESKER_FULL_LEVEL == -1 && ESKER_OPEN_VERIFY == 1);

PINNED(step_report, sizeof(esker_step_report) == 56 && offsetof(esker_step_report, files) == 48);
PINNED(stored_samples, sizeof(esker_stored_samples) == 32 && offsetof(esker_stored_samples, blocks) == 24);
PINNED(kept_report, sizeof(esker_kept_report) == 48 && offsetof(esker_kept_report, put_imbalance) == 40);
PINNED(read_report, sizeof(esker_read_report) == 64 && offsetof(esker_read_report, least_loaded_bytes) == 56);
PINNED(part, offsetof(esker_part, lo) == 3 * sizeof(char*) + 16 &&
                 offsetof(esker_part, extent) == 3 * sizeof(char*) + 56);
PINNED(part_size, sizeof(esker_part) == 3 * sizeof(char*) + 128);
PINNED(verify_report,
       sizeof(esker_verify_report) == 72 && offsetof(esker_verify_report, blocks_left_out) == 64);
PINNED(plan_report, sizeof(esker_plan_report) == 216 && offsetof(esker_plan_report, messages) == 96);
PINNED(camera, sizeof(esker_camera) == 144 && offsetof(esker_camera, width_pixels) == 128);
PINNED(placement, sizeof(esker_placement) == 96 && offsetof(esker_placement, step) == 24);
PINNED(view,
       sizeof(esker_view) == 104 && offsetof(esker_view, lo) == 24 && offsetof(esker_view, extent) == 64);
