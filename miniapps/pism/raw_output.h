// RawOutput: the model's fields as models write them without a library, in one file.
//
// Step after step, field after field, in the order of the model's memory: (y, x, z), z fastest, in the
// machine's byte order. The bytes are the same in each mode:
//
//   gather       rank 0 receives the columns of all ranks, one rank after the other, and writes them
//   nodes        the first rank of each node does this for the ranks of the node
//   collective   MPI-IO, all ranks together (MPI_File_write_at_all)
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "common/world.h"
#include "fields.h"

namespace pism {

enum class RawMode { kGather, kNodes, kCollective };

struct NamedRawMode {
  const char* name;
  RawMode mode;
};
inline constexpr NamedRawMode kRawModes[] = {
    {"gather", RawMode::kGather}, {"nodes", RawMode::kNodes}, {"collective", RawMode::kCollective}};

class RawOutput {
 public:
  /// Collective; throws AgreedError, also if the file exists and is not to be overwritten. `grid` outlives
  /// it.
  RawOutput(const miniapp::World& world, const Grid& grid, RawMode mode, const std::string& path,
            bool overwrite);
  ~RawOutput();
  RawOutput(const RawOutput&) = delete;
  RawOutput& operator=(const RawOutput&) = delete;

  /// Collective: appends the fields of a step. Throws AgreedError; the file is then closed.
  void write(const std::vector<PutField>& fields);
  /// Collective: compares the fields of the last step in the file with these, to the bit. Throws AgreedError.
  void verify(const std::vector<PutField>& fields);
  /// Collective. Throws AgreedError.
  void close();
  /// Of the file so far.
  [[nodiscard]] Index size_bytes() const { return end_bytes_; }

 private:
  /// The part of a rank of one field in the file.
  struct Part {
    Index x = 0, y = 0, nx = 0, ny = 0;  ///< columns
    Index column_bytes = 0;
    [[nodiscard]] Index row_bytes() const { return nx * column_bytes; }
    [[nodiscard]] Index size_bytes() const { return ny * row_bytes(); }
  };
  [[nodiscard]] static Part part_of(const PutField& field);
  /// Of a field of the whole grid.
  [[nodiscard]] Index field_bytes(const Part& part) const { return grid_.Mx * grid_.My * part.column_bytes; }
  /// In the file, of a field that begins at `begin`.
  [[nodiscard]] Index row_offset(Index begin, const Part& part, Index row) const;
  void write_field(const PutField& field);
  void write_by_leader(const Part& mine, const std::vector<std::byte>& packed);
  void write_together(const Part& mine, const std::vector<std::byte>& packed, bool is_double);
  void store(const Part& part, const std::vector<std::byte>& packed) const;
  void compare(const PutField& field, Index begin) const;

  miniapp::World world_;
  const Grid& grid_;
  RawMode mode_;
  std::string path_;
  MPI_Comm group_ = MPI_COMM_NULL;  ///< whose first rank writes
  MPI_File file_ = MPI_FILE_NULL;
  int descriptor_ = -1;
  Index step_bytes_ = 0, end_bytes_ = 0;  ///< where the last step begins, and all end
};

}  // namespace pism
