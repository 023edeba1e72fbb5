#include "codec_alone.h"

#include <vector>

#include "codec/compress.h"
#include "formats/idx/idx_part.h"
#include "formats/idx/plain_blocks.h"
#include "store/store.h"

namespace bench {
namespace {

using esker::Index;

/// A block as stored, and its samples.
struct Block {
  esker::CodecSpec codec, of_field;
  esker::BlockShape shape;
  esker::Box inside;
  std::vector<std::byte> stored, samples;
};

Block load(const esker::idx::IdxPart& part, int field, Index number, Index time) {
  const auto& entry = part.header().fields[static_cast<std::size_t>(field)];
  const auto found = part.files().find(field, number, time).value();
  const esker::Lattice lattice = part.blocks().lattice(number);
  Block block;
  block.codec = found.codec;
  block.of_field = esker::parse_codec_spec(entry.compression).value();
  block.shape = {entry.type, entry.components, lattice.rank, lattice.count};
  block.inside = lattice.indices_in(part.blocks().box());
  block.stored.resize(static_cast<std::size_t>(found.size_bytes));
  found.file->file->read_at(block.stored, found.offset_bytes).check();
  block.samples.resize(static_cast<std::size_t>(block.shape.size_bytes()));
  esker::decode(block.codec, block.stored, block.shape, block.samples).check();
  return block;
}

std::vector<Block> load_mine(MPI_Comm comm, const std::string& idx_path) {
  int rank = 0, n_ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &n_ranks);
  const auto part = esker::idx::IdxPart::open(esker::posix_store(), idx_path).value();
  std::vector<Block> blocks;
  Index number = 0;
  for (const Index time : part->times()) {
    for (int field = 0; field < static_cast<int>(part->header().fields.size()); ++field) {
      for (Index n = 0; n < part->blocks().num_existing(); ++n) {
        if (number++ % n_ranks != rank) continue;
        blocks.push_back(load(*part, field, part->blocks().nth_existing(n), time));
      }
    }
  }
  return blocks;
}

template <class Action>
double slowest(MPI_Comm comm, const Action& action) {
  MPI_Barrier(comm);
  const double start = MPI_Wtime();
  action();
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return seconds;
}

}  // namespace

CodecTimes time_codecs(MPI_Comm comm, const std::string& idx_path) {
  const std::vector<Block> blocks = load_mine(comm, idx_path);
  std::vector<std::byte> out, scratch;
  for (const Block& block : blocks) {
    out.resize(std::max(out.size(), block.samples.size()));
    scratch.resize(std::max(scratch.size(), static_cast<std::size_t>(
                                                esker::compress_scratch_bytes(block.of_field, block.shape))));
  }
  CodecTimes times;
  times.compress_s = slowest(comm, [&] {
    for (const Block& block : blocks) {
      esker::compress(block.of_field, block.samples, block.shape, block.inside,
                      std::span(out).first(block.samples.size()), scratch)
          .status()
          .check();
    }
  });
  times.decode_s = slowest(comm, [&] {
    for (const Block& block : blocks) {
      esker::decode(block.codec, block.stored, block.shape, std::span(out).first(block.samples.size()))
          .check();
    }
  });
  return times;
}

}  // namespace bench
