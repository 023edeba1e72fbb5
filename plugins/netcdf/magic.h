/* The first bytes of files that the plug-in opens. In C, because the preloaded library is. */
#pragma once

#define ESKER_MAGIC_BYTES 8
#define ESKER_DOOR_MAGIC "CDF\001Eskr"
#define ESKER_IDX_MAGIC "(version"
