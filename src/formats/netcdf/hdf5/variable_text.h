// Variable-length texts. For use within run_session(); throws on failure.
//
// HDF5 1.10 does not validate the reference of such a text before it follows it, so a damaged file would
// crash the program. This code asks the library for the references only, and reads the texts itself.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "formats/netcdf/hdf5/session.h"

namespace esker::hdf5 {

/// During its lifetime the library converts variable-length texts to references as they are in the file, and
/// to nothing else: as texts, such as fill values, they are empty. run_session() has one while a file is
/// read.
class TextsAsReferences {
 public:
  TextsAsReferences();
  TextsAsReferences(const TextsAsReferences&) = delete;
  TextsAsReferences& operator=(const TextsAsReferences&) = delete;
  ~TextsAsReferences();

 private:
  Handle text_, reference_;
};

/// The type of a reference in memory, of kReferenceBytes.
Handle reference_type();

/// The texts that references refer to, without padding.
std::vector<std::string> texts_at(const VirtualFile& file, std::span<const std::byte> references);

/// The `n` values of an attribute whose type is a variable-length text.
std::vector<std::string> read_variable_texts(hid_t attribute, std::size_t n);

}  // namespace esker::hdf5
