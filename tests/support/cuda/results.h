// Results of the CUDA driver (CUresult) that its double returns.
#pragma once

namespace esker::cuda_double {

inline constexpr int kInvalidValue = 1, kOutOfMemory = 2, kInvalidDevice = 101, kInvalidContext = 201,
                     kInvalidPtx = 218, kInvalidHandle = 400, kNotFound = 500, kIllegalAddress = 700,
                     kContextIsDestroyed = 709, kAlreadyRegistered = 712, kNotRegistered = 713,
                     kMisalignedAddress = 716;

}  // namespace esker::cuda_double
