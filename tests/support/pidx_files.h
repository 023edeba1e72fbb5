// Files as PIDX writes them (docs/formats/idx.md, section 10), made in a memory store for tests of the
// reader.
//
// This code does not use the library's layouts: HZ order follows the definition (brute_force.h), one sample
// or chunk at a time, and headers are written out. Only zfp of a single chunk comes from the library.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_order.h"
#include "codec/cells.h"
#include "store/store.h"
#include "support/scenario.h"
#include "unit/grid/brute_force.h"

namespace esker::testing_support {

struct PidxField {
  std::string name;
  SampleType type = SampleType::kFloat32;
  int components = 1;
  [[nodiscard]] Index sample_bytes() const { return components * size_bytes(type); }
};

struct PidxFiles {
  std::string stem = "run";  ///< path of the .idx without its extension
  bool version_6_0 = false;
  Point extent{1, 1, 1, 1, 1};
  std::string bits;  ///< of chunks if `compression` is not 0
  int bits_per_block = 4;
  int blocks_per_file = 8;
  Index fs_block_bytes = 512;
  int compression = 0;
  double rate = 64;
  int first_step = 0, last_step = 0;
  std::vector<PidxField> fields;
  std::string mode = "idx";
  std::string more_keys;  ///< in front of the fields, e.g. partitions
  /// Value of a sample, in coordinates of this .idx.
  std::function<std::int64_t(int field, Index step, const Point& p, int component)> value = value_at;
  bool with_blocks = true;
  Point offset{};  ///< of this partition in the whole; more_keys has its text in the header

  /// Stored bytes of every block of a field that has samples; absent ones are empty.
  [[nodiscard]] std::vector<std::vector<std::byte>> blocks(int field, Index step) const {
    const testing_support::BruteOrder order(bits);
    const std::size_t per_block = std::size_t{1} << bits_per_block;
    std::vector<std::vector<std::byte>> out(order.hz_order.size() / per_block);
    for (std::size_t b = 0; b < out.size(); ++b) {
      bool has_samples = false;
      for (std::size_t i = 0; i < per_block; ++i) {
        const Point& p = order.hz_order[b * per_block + i];
        has_samples = has_samples || in_extent(compression == 0 ? p : corner(p));
        const auto bytes = compression == 0 ? sample(field, step, p) : stored_chunk(field, step, p);
        out[b].insert(out[b].end(), bytes.begin(), bytes.end());
      }
      if (!has_samples) out[b].clear();
    }
    return out;
  }

  /// One sample; zero outside the box.
  [[nodiscard]] std::vector<std::byte> sample(int field, Index step, const Point& p) const {
    const PidxField& f = fields[static_cast<std::size_t>(field)];
    std::vector<std::byte> bytes(static_cast<std::size_t>(f.sample_bytes()));
    for (int c = 0; in_extent(p) && c < f.components; ++c) {
      store_value(f.type, bytes.data() + c * size_bytes(f.type), value(field, step, p, c));
    }
    return bytes;
  }

  /// The expected value: the sample, or its value after zfp.
  [[nodiscard]] std::vector<std::byte> expected(int field, Index step, const Point& p) const {
    if (compression != 2) return sample(field, step, p);
    const PidxField& f = fields[static_cast<std::size_t>(field)];
    const Point chunk{p[0] / 4, p[1] / 4, p[2] / 4};
    std::vector<std::byte> samples(static_cast<std::size_t>(64 * f.sample_bytes()));
    decode_fixed_rate({f.type, 3, static_cast<int>(64 * rate)}, stored_chunk(field, step, chunk), samples)
        .check();
    const Index first = (p[0] % 4 + 4 * (p[1] % 4 + 4 * (p[2] % 4))) * f.sample_bytes();
    return {samples.begin() + first, samples.begin() + first + f.sample_bytes()};
  }

  /// Writes the .idx, and its block files unless with_blocks is false.
  void write(Store& store) const {
    write_bytes(store, stem + ".idx", header());
    for (Index step = first_step; with_blocks && step <= last_step; ++step) write_step(store, step);
  }

  [[nodiscard]] std::string header() const {
    std::string text = fmt::format(
        "(version)\n{}\n(io mode)\n{}\n(box)\n0 {} 0 {} 0 {} 0 0 0 0\n(physical box)\n0 1.000000 0 1.000000 "
        "0 "
        "1.000000 0 0 0 0\n{}(endian)\n{}\n(restructure box size)\n8 8 8\n(cores)\n4\n",
        version_6_0 ? "6" : "6.1", mode, extent[0] - 1, extent[1] - 1, extent[2] - 1, more_keys,
        version_6_0 ? "1" : "little");
    if (!version_6_0 || compression != 0) {
      if (version_6_0) text += "(compressed box)\n4 4 4\n";
      text += fmt::format("(compression bit rate)\n{:f}\n(compression type)\n{}\n", rate, compression);
    }
    text += "(fields)\n";
    for (std::size_t f = 0; f < fields.size(); ++f) {
      text += fmt::format("{}{} {}*{}", f == 0 ? "" : " + \n", fields[f].name, fields[f].components,
                          name(fields[f].type));
    }
    const std::string last_name = stem.substr(stem.rfind('/') + 1);
    text += fmt::format("\n(bits)\n{}\n(bitsperblock)\n{}\n(blocksperfile)\n{}\n(filename_template)\n./{}/",
                        bits, bits_per_block, blocks_per_file, last_name);
    return text + fmt::format("%04x.bin\n(time)\n{} {} time%09d/", first_step, last_step);
  }

  [[nodiscard]] std::string block_path(Index step, Index first_block) const {
    return fmt::format("{}/time{:09d}/{:04x}.bin", stem, step, first_block);
  }

  static void write_bytes(Store& store, const std::string& path, const std::string& text) {
    const auto file = store.open(path, OpenMode::kWrite).value();
    file->write_at(std::as_bytes(std::span(text.data(), text.size())), 0).check();
  }

 private:
  [[nodiscard]] bool in_extent(const Point& p) const {
    return p[0] < extent[0] && p[1] < extent[1] && p[2] < extent[2];
  }
  static Point corner(const Point& chunk) { return {4 * chunk[0], 4 * chunk[1], 4 * chunk[2], 0, 0}; }

  [[nodiscard]] std::vector<std::byte> stored_chunk(int field, Index step, const Point& chunk) const {
    std::vector<std::byte> samples;
    const Point at = corner(chunk);
    for (int i = 0; i < 64; ++i) {
      const auto bytes = sample(field, step, {at[0] + i % 4, at[1] + i / 4 % 4, at[2] + i / 16, 0, 0});
      samples.insert(samples.end(), bytes.begin(), bytes.end());
    }
    if (compression == 1) return samples;
    return encode_fixed_rate({fields[static_cast<std::size_t>(field)].type, 3, static_cast<int>(64 * rate)},
                             samples)
        .value();
  }

  void write_step(Store& store, Index step) const {
    std::vector<std::vector<std::vector<std::byte>>> of_field;
    for (std::size_t f = 0; f < fields.size(); ++f) of_field.push_back(blocks(static_cast<int>(f), step));
    const auto bpf = static_cast<std::size_t>(blocks_per_file);
    for (std::size_t first = 0; first < of_field[0].size(); first += bpf)
      write_file(store, step, first, of_field);
  }

  void write_file(Store& store, Index step, std::size_t first_block,
                  const std::vector<std::vector<std::vector<std::byte>>>& of_field) const {
    const auto bpf = static_cast<std::size_t>(blocks_per_file);
    const std::size_t header_bytes = (10 + 10 * bpf) * 4 * fields.size();  // PIDX reserves more than IDX has
    const auto unit = static_cast<std::size_t>(fs_block_bytes);
    std::vector<std::byte> file((header_bytes + unit - 1) / unit * unit);
    const std::size_t data_start = file.size();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      for (std::size_t b = first_block; b < std::min(first_block + bpf, of_field[f].size()); ++b) {
        const auto& block = of_field[f][b];
        if (block.empty()) continue;
        std::byte* entry = file.data() + 40 * (1 + f * bpf + b - first_block);
        store_be32(static_cast<std::uint32_t>(file.size()), entry + 4 * 2);
        store_be32(static_cast<std::uint32_t>(block.size()), entry + 4 * 4);
        file.insert(file.end(), block.begin(), block.end());
      }
    }
    if (file.size() == data_start) return;  // no block has samples: no file
    const auto out = store.open(block_path(step, static_cast<Index>(first_block)), OpenMode::kWrite).value();
    out->write_at(file, 0).check();
  }
};

}  // namespace esker::testing_support
