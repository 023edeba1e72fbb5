#include "comm/mpi/mpi_put_source.h"

#include <vector>

namespace esker {
namespace {

/// The parts in the form that MPI_Type_create_struct takes. It owns the types other than MPI_BYTE.
class Fields {
 public:
  explicit Fields(std::size_t room) {
    lengths_.reserve(room);
    displacements_.reserve(room);
    types_.reserve(room);
  }
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;
  ~Fields() {
    for (MPI_Datatype& type : types_) {
      if (type != MPI_BYTE) MPI_Type_free(&type);
    }
  }

  /// The contiguous bytes are a block; each further axis is a vector of the type of the axes before it.
  void add(const SpreadBytes& part) {
    Index block_bytes = part.block_bytes;
    MPI_Datatype type = MPI_BYTE;
    for (int a = 0; a < part.num_axes; ++a) {
      const auto [count, stride_bytes] = part.axes[static_cast<std::size_t>(a)];
      if (count == 1) continue;
      if (type == MPI_BYTE && stride_bytes == block_bytes) {
        block_bytes *= count;
        continue;
      }
      const int length = type == MPI_BYTE ? static_cast<int>(block_bytes) : 1;
      const MPI_Datatype spread = stride_bytes == -1 ? one_byte_back(type, length, count)
                                                     : vector_of(type, length, count, stride_bytes);
      if (type != MPI_BYTE) MPI_Type_free(&type);
      type = spread;
    }
    lengths_.push_back(type == MPI_BYTE ? static_cast<int>(block_bytes) : 1);
    displacements_.push_back(static_cast<MPI_Aint>(part.offset_bytes));
    types_.push_back(type);
  }

  [[nodiscard]] MPI_Datatype join() const {
    MPI_Datatype joined = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(static_cast<int>(types_.size()), lengths_.data(), displacements_.data(),
                           types_.data(), &joined);
    MPI_Type_commit(&joined);
    return joined;
  }

 private:
  static MPI_Datatype vector_of(MPI_Datatype type, int length, Index count, Index stride_bytes) {
    MPI_Datatype spread = MPI_DATATYPE_NULL;
    MPI_Type_create_hvector(static_cast<int>(count), length, static_cast<MPI_Aint>(stride_bytes), type,
                            &spread);
    return spread;
  }

  /// Blocks, each of which begins one byte before the previous one. Not a vector with that stride: Open MPI
  /// 4.1.4 packs it as if the stride were 1, whatever its blocks are.
  static MPI_Datatype one_byte_back(MPI_Datatype type, int length, Index count) {
    std::vector<MPI_Aint> displacements(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < displacements.size(); ++i) displacements[i] = -static_cast<MPI_Aint>(i);
    MPI_Datatype spread = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed_block(static_cast<int>(count), length, displacements.data(), type, &spread);
    return spread;
  }

  std::vector<int> lengths_;
  std::vector<MPI_Aint> displacements_;
  std::vector<MPI_Datatype> types_;
};

}  // namespace

MpiPutSource::MpiPutSource(std::span<const SpreadBytes> parts) {
  Fields fields(parts.size());
  for (const SpreadBytes& part : parts) fields.add(part);
  type_ = fields.join();
  MPI_Type_size(type_, &size_bytes_);
}

MpiPutSource::~MpiPutSource() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Type_free(&type_);
}

}  // namespace esker
