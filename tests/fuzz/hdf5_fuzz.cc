// An HDF5 file as a dataset, opened, verified and read: Esker's calls of the HDF5 library, on damaged files.
#include "fuzz/use_dataset.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  esker::fuzz::use_file({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
