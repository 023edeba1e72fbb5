/* Deprecated: include "esker/types/export.h". Removed in the next release. */
#include "esker/types/export.h"
