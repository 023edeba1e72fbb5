// HIP, AMD's runtime for GPUs, behind the functions of the CUDA driver.
//
// Written from the headers of HIP 6 and 7. A context is a device, as HIP has it since its contexts are
// deprecated. HIP has no code that runs on all of its devices: the copy kernel is compiled by hipRTC when it
// is first needed.
#pragma once

#include "device/driver.h"

namespace esker::device {

/// The functions of HIP in `library`, a handle of dlopen(). `compiler`: the name of hipRTC's library. Whether
/// all were found. Local.
bool load_hip_functions(void* library, const char* compiler, Driver& driver);

}  // namespace esker::device
