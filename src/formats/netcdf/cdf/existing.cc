#include "formats/netcdf/cdf/existing.h"

#include "base/error.h"
#include "base/macros.h"
#include "base/pack_values.h"
#include "base/text.h"
#include "format/schema_json.h"
#include "formats/netcdf/model/foreign.h"

namespace esker::cdf {

Result<std::string> read_existing(const File& file) {
  ESKER_ASSIGN_OR_RETURN(const Header header, read_header(file));
  const netcdf::ReadValues read = [&](int variable, Index step) {
    return read_values(file, header, variable, step);
  };
  std::vector<std::string> warnings;
  ESKER_ASSIGN_OR_RETURN(const netcdf::Existing found, read_ours(header, read, warnings));
  ESKER_ASSIGN_OR_RETURN(const Index size_bytes, file.size_bytes());
  if (size_bytes < file_bytes(found.file.header, header.num_records)) {
    return error(Code::kDataLoss, "the file has {} bytes, but its {} records end at byte {}", size_bytes,
                 header.num_records, file_bytes(found.file.header, header.num_records));
  }
  std::vector<std::byte> bytes(print_header(header).size());
  ESKER_RETURN_IF_ERROR(file.read_at(bytes, 0));
  return pack_texts(
      {print_schema(found.schema), pack_values(bytes), pack_values(found.times), pack_texts(warnings)});
}

Result<Existing> parse_existing(const std::string& text) {
  const std::vector<std::string> texts = unpack_texts(text);
  Existing existing;
  ESKER_ASSIGN_OR_RETURN(existing.schema, parse_schema(texts.at(0)));
  existing.header_bytes = unpack_values<std::byte>(texts.at(1));
  ESKER_ASSIGN_OR_RETURN(const Header header, parse_header(existing.header_bytes));
  ESKER_ASSIGN_OR_RETURN(existing.file, find_file(existing.schema, header));
  existing.times = unpack_values<double>(texts.at(2));
  existing.warnings = unpack_texts(texts.at(3));
  return existing;
}

Result<netcdf::Existing> read_foreign(const File& file, const Header& header,
                                      std::vector<std::string>& warnings) {
  ESKER_ASSIGN_OR_RETURN(const Index size_bytes, file.size_bytes());
  const Header present = present_part(header, size_bytes, warnings);
  const netcdf::ReadValues read = [&](int variable, Index step) {
    return read_values(file, present, variable, step);
  };
  return netcdf::read_foreign(present, read, warnings);
}

}  // namespace esker::cdf
