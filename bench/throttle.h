// throttle: storage that takes a given number of bytes per second from each rank, as on large machines.
//
// The linker sends all calls of pwrite to the throttle (--wrap=pwrite): those of Esker, and of plain files.
#pragma once

namespace bench {

/// From now on each pwrite of this process takes at least its size divided by the rate; 0: no limit.
void throttle_writes(double bytes_per_second);

}  // namespace bench
