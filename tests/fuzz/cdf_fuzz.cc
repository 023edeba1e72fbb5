// A CDF file: its header, which prints what it reads; and the file as a dataset, opened, verified and read.
#include "formats/netcdf/cdf/header.h"
#include "fuzz/use_dataset.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace esker;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto header = cdf::parse_header(bytes);
  fuzz::require_short_message(header.status());
  if (header.ok() && cdf::check_header(*header).ok()) {
    const auto printed = cdf::print_header(*header);
    const auto again = cdf::parse_header(printed);
    fuzz::require(again.ok(), "a printed header parses");
    fuzz::require(cdf::print_header(*again) == printed, "a printed header reads back as equal");
  }
  fuzz::use_file(bytes);
  return 0;
}
