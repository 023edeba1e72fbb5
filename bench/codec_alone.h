// codec_alone: the time that the codecs of a dataset take for its blocks, without anything else.
//
// The lower bound of what a compressed step costs beyond a raw one, in the same run and on the same blocks.
#pragma once

#include <mpi.h>

#include <string>

namespace bench {

struct CodecTimes {
  double compress_s = 0;  ///< as a writer does, with decoding and measuring where there is loss
  double decode_s = 0;
};

/// Compresses and decodes the blocks of all steps of an IDX dataset, whose blocks are dealt to the ranks in
/// turn; the times are those of the slowest rank. The blocks are in memory before. Collective; errors are
/// thrown.
CodecTimes time_codecs(MPI_Comm comm, const std::string& idx_path);

}  // namespace bench
