// throttle: storage that takes a given number of bytes per second from each rank, as on large machines, or
// that takes all bytes at once and keeps none.
//
// The linker sends all calls of pwrite to the throttle (--wrap=pwrite): those of Esker, and of plain files.
#pragma once

namespace bench {

/// From now on each pwrite of this process takes at least its size divided by the rate; 0: no limit.
void throttle_writes(double bytes_per_second);

/// From now on, or no longer, only the first 64 KiB of each file are stored, which hold its metadata. The
/// files cannot be read. Measures everything except the device.
void drop_writes(bool drops);

}  // namespace bench
