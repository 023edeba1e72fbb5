// Cells: fixed-rate zfp of many cells, one cell with its errors, and groups of bits.
#include "codec/cells.h"

#include <gtest/gtest.h>
#include <zfp.h>

#include <cmath>
#include <cstring>
#include <random>

#include "codec/cell_coder.h"

namespace esker {
namespace {

template <class T>
T sample_at(std::size_t i) {
  const double value = 100 * std::sin(0.1 * static_cast<double>(i)) + static_cast<double>(i % 7) / 3;
  return static_cast<T>(std::is_integral_v<T> ? 1e6 * value : value);
}

template <class T>
std::vector<std::byte> samples_of(std::size_t n) {
  std::vector<std::byte> bytes(n * sizeof(T));
  for (std::size_t i = 0; i < n; ++i) {
    const T value = sample_at<T>(i);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

/// PIDX's method: zfp's coder of one cell, called for one cell after the other.
template <class Scalar, class Encode, class Decode>
void check_cells(SampleType type, zfp_type library_type, int rate, Encode encode_cell, Decode decode_cell) {
  constexpr std::size_t kCells = 5;
  const auto samples = samples_of<Scalar>(64 * kCells);
  const auto stored = encode_fixed_rate({type, 3, 64 * rate}, samples).value();
  ASSERT_EQ(stored.size(), kCells * 8 * static_cast<std::size_t>(rate));

  std::vector<std::byte> expected(stored.size() + 64);
  std::vector<Scalar> values(64 * kCells), cell_values(64 * kCells);
  std::memcpy(values.data(), samples.data(), samples.size());
  zfp_stream* stream = ::zfp_stream_open(nullptr);
  ::zfp_stream_set_rate(stream, rate, library_type, 3, zfp_false);
  bitstream* bits = ::stream_open(expected.data(), expected.size());
  ::zfp_stream_set_bit_stream(stream, bits);
  for (std::size_t c = 0; c < kCells; ++c) encode_cell(stream, values.data() + 64 * c);
  ::zfp_stream_flush(stream);
  ::zfp_stream_rewind(stream);
  for (std::size_t c = 0; c < kCells; ++c) decode_cell(stream, cell_values.data() + 64 * c);
  ::stream_close(bits);
  ::zfp_stream_close(stream);
  expected.resize(stored.size());
  EXPECT_EQ(stored, expected);

  std::vector<std::byte> decoded(samples.size());
  ASSERT_TRUE(decode_fixed_rate({type, 3, 64 * rate}, stored, decoded).ok());
  EXPECT_EQ(std::memcmp(decoded.data(), cell_values.data(), decoded.size()), 0);
}

TEST(FixedRate, IsOneZfpCellBehindTheOther) {
  for (const int rate : {1, 2, 8, 16, 32}) {
    check_cells<float>(SampleType::kFloat32, zfp_type_float, rate, ::zfp_encode_block_float_3,
                       ::zfp_decode_block_float_3);
  }
  for (const int rate : {1, 8, 16, 32, 64}) {
    check_cells<double>(SampleType::kFloat64, zfp_type_double, rate, ::zfp_encode_block_double_3,
                        ::zfp_decode_block_double_3);
  }
}

TEST(FixedRate, RefusesRatesTypesAndSizesThatDoNotFit) {
  EXPECT_TRUE(check_fixed_rate({SampleType::kFloat32, 3, 16}).ok());
  for (const int bits : {-8, 0, 8, 12, 20, 2056, 1 << 30}) {
    EXPECT_EQ(check_fixed_rate({SampleType::kFloat32, 3, bits}).code(), Code::kUnsupported) << bits;
  }
  EXPECT_EQ(check_fixed_rate({SampleType::kUint8, 3, 64}).code(), Code::kUnsupported);
  std::vector<std::byte> cells(2 * 64 * 4);
  for (const std::size_t size : {0, 1, 127, 129, 256}) {
    const std::vector<std::byte> stored(size);
    EXPECT_EQ(decode_fixed_rate({SampleType::kFloat32, 3, 512}, stored, cells).code(), Code::kDataLoss)
        << size;
  }
}

TEST(FixedRate, AnyBytesDecodeCellByCellWithinTheBuffer) {
  constexpr std::size_t kCells = 16, kCellBytes = 64 * 8, kGuard = 64;
  constexpr auto kPoison = std::byte{0xa5};
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const int bits = 8 * static_cast<int>(2 + random() % 511);
    std::vector<std::byte> stored(kCells * static_cast<std::size_t>(bits) / 8);
    for (std::byte& b : stored) b = static_cast<std::byte>(random());
    const auto decode_over = [&](std::byte old, std::span<const std::byte> from, std::size_t n_cells) {
      std::vector<std::byte> memory(n_cells * kCellBytes + 2 * kGuard, old);
      const auto cells = std::span(memory).subspan(kGuard, n_cells * kCellBytes);
      EXPECT_TRUE(decode_fixed_rate({SampleType::kFloat64, 3, bits}, from, cells).ok()) << bits;
      for (std::size_t i = 0; i < kGuard; ++i) {
        EXPECT_EQ(memory[i], old) << "before the samples, " << bits;
        EXPECT_EQ(memory[memory.size() - 1 - i], old) << "behind the samples, " << bits;
      }
      return std::vector<std::byte>(cells.begin(), cells.end());
    };
    // Every sample is written, and depends on the stored bytes alone.
    const auto decoded = decode_over(kPoison, stored, kCells);
    EXPECT_EQ(decoded, decode_over(~kPoison, stored, kCells)) << bits;
    // A cell takes exactly `bits`, and does not depend on other cells.
    const std::size_t k = random() % kCells;
    const auto alone =
        std::span(stored).subspan(k * static_cast<std::size_t>(bits) / 8, static_cast<std::size_t>(bits) / 8);
    const auto cell = std::span(decoded).subspan(k * kCellBytes, kCellBytes);
    EXPECT_EQ(decode_over(kPoison, alone, 1), std::vector<std::byte>(cell.begin(), cell.end())) << bits;
  }
}

template <class T>
class CellTest : public testing::Test {
 public:
  static constexpr SampleType kType = sample_type_of<T>();
  static constexpr int kMost = 8 * static_cast<int>(sizeof(T));
  static constexpr std::size_t kCells = 6;

  static std::vector<CellForm> forms() {
    std::vector<CellForm> all;
    for (const int rank : {2, 3}) {
      for (int bits = 1; bits <= kMost; bits *= 2) all.push_back({kType, rank, bits});
    }
    return all;
  }
  static auto samples(const CellForm& form) {
    return samples_of<T>(kCells * static_cast<std::size_t>(form.num_samples()));
  }
  /// All cells, coded one by one.
  static std::vector<std::byte> coded(const CellForm& form) {
    CellCoder coder(form);
    const auto cells = samples(form);
    const auto cell_bytes = static_cast<std::size_t>(form.coded_bytes());
    std::vector<std::byte> all(kCells * cell_bytes);
    for (std::size_t c = 0; c < kCells; ++c) {
      const auto* cell = cells.data() + c * static_cast<std::size_t>(form.sample_bytes());
      EXPECT_TRUE(coder.encode(cell, {4, 4, 4, 1, 1}, all.data() + c * cell_bytes));
    }
    return all;
  }
  static std::vector<std::byte> grouped(const CellForm& form) {
    const auto cells = coded(form);
    std::vector<std::byte> groups(cells.size());
    split_into_groups(form, cells, groups);
    return groups;
  }
};
using CellTypes = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(CellTest, CellTypes);

TYPED_TEST(CellTest, EveryPowerOfTwoUpToTheTypeIsLegal) {
  for (const CellForm& form : this->forms()) {
    EXPECT_TRUE(check_cell_form(form).ok());
    EXPECT_TRUE(check_fixed_rate(form.rate_at(form.bits)).ok()) << form.rank << " axes, " << form.bits;
  }
  for (const int bits : {-1, 0, 3, 12, 2 * this->kMost}) {
    const Status status = check_cell_form({this->kType, 3, bits});
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << bits;
    EXPECT_NE(status.message().find("1, 2, 4, 8, 16"), std::string::npos) << status.message();
  }
  for (const int rank : {1, 4}) {
    EXPECT_EQ(check_cell_form({this->kType, rank, 8}).code(), Code::kInvalidArgument);
  }
}

TYPED_TEST(CellTest, OneByOneAreTheStreamOfAll) {
  for (const CellForm& form : this->forms()) {
    EXPECT_EQ(this->coded(form), encode_fixed_rate(form.rate_at(form.bits), this->samples(form)).value());
  }
}

TYPED_TEST(CellTest, APrefixIsTheStreamOfFewerBits) {
  for (const CellForm& form : this->forms()) {
    const auto cells = this->coded(form);
    for (int b = 1; b <= form.bits; ++b) {
      const auto fewer = encode_fixed_rate(form.rate_at(b), this->samples(form)).value();
      const auto bytes = static_cast<std::size_t>(form.bytes_at(b));
      for (std::size_t c = 0; c < this->kCells; ++c) {
        ASSERT_EQ(std::memcmp(cells.data() + c * static_cast<std::size_t>(form.coded_bytes()),
                              fewer.data() + c * bytes, bytes),
                  0)
            << form.rank << " axes, " << b << " of " << form.bits;
      }
    }
  }
}

TYPED_TEST(CellTest, GroupsDecodeToTheValuesOfZfpAtThatRate) {
  for (const CellForm& form : this->forms()) {
    const auto groups = this->grouped(form);
    for (int b = 1; b <= form.bits; ++b) {
      const FixedRate rate = form.rate_at(b);
      const auto samples = this->samples(form);
      std::vector<std::byte> expected(samples.size()), found(samples.size());
      ASSERT_TRUE(decode_fixed_rate(rate, encode_fixed_rate(rate, samples).value(), expected).ok());
      const Index bytes = prefix_bytes(form, this->kCells, b);
      EXPECT_LT(bytes * form.bits, 2 * b * static_cast<Index>(groups.size()));
      const auto prefix = std::span(groups).first(static_cast<std::size_t>(bytes));
      ASSERT_TRUE(decode_groups(form, this->kCells, b, prefix, found).ok());
      EXPECT_EQ(found, expected) << form.rank << " axes, " << b << " of " << form.bits;
      EXPECT_EQ(decode_groups(form, this->kCells, b, prefix.first(prefix.size() - 1), found).code(),
                Code::kDataLoss);
    }
  }
}

TYPED_TEST(CellTest, ErrorsAreThoseOfTheDecodedSamples) {
  for (const CellForm& form : this->forms()) {
    const auto samples = this->samples(form);
    CellCoder coder(form);
    std::vector<std::byte> cell(static_cast<std::size_t>(form.coded_bytes()));
    const Point count{3, 4, 2, 1, 1};
    ASSERT_TRUE(coder.encode(samples.data(), count, cell.data()));
    GroupErrors errors{};
    coder.add_errors(samples.data(), count, cell.data(), errors);
    std::vector<std::byte> decoded(static_cast<std::size_t>(form.sample_bytes()));
    for (int g = 0; g < form.num_groups(); ++g) {
      coder.decode(cell.data(), 1 << g, decoded.data());
      long double most = 0;
      for (int i = 0; i < form.num_samples(); ++i) {
        if (i % 4 >= count[0] || (form.rank == 3 && i / 16 >= count[2])) continue;
        TypeParam a = 0, b = 0;
        std::memcpy(&a, samples.data() + static_cast<std::size_t>(i) * sizeof(a), sizeof(a));
        std::memcpy(&b, decoded.data() + static_cast<std::size_t>(i) * sizeof(b), sizeof(b));
        most = std::max(most, std::abs(static_cast<long double>(a) - static_cast<long double>(b)));
      }
      const auto recorded = static_cast<long double>(errors[static_cast<std::size_t>(g)]);
      EXPECT_GE(recorded, most) << form.bits << " bits, group " << g;
      EXPECT_LE(recorded, most * (1 + 1e-6L)) << form.bits << " bits, group " << g;
    }
  }
}

// The array's coder and the cell's make up the missing samples in the same way.
TYPED_TEST(CellTest, PartialCellsAreThoseOfZfpsArrays) {
  const auto samples = samples_of<TypeParam>(3 * 2 * 1);
  const CellForm form{this->kType, 3, 16};
  zfp_field* field = ::zfp_field_3d(const_cast<std::byte*>(samples.data()), zfp_type_of(form.type), 3, 2, 1);
  std::vector<std::byte> expected(1024);
  zfp_stream* stream = ::zfp_stream_open(nullptr);
  ::zfp_stream_set_rate(stream, 16, zfp_type_of(form.type), 3, zfp_false);
  bitstream* bits = ::stream_open(expected.data(), expected.size());
  ::zfp_stream_set_bit_stream(stream, bits);
  ASSERT_GT(::zfp_compress(stream, field), 0u);
  ::stream_close(bits);
  ::zfp_stream_close(stream);
  ::zfp_field_free(field);
  expected.resize(static_cast<std::size_t>(form.coded_bytes()));

  std::vector<std::byte> cell(static_cast<std::size_t>(form.sample_bytes()), std::byte{0x5a});
  for (std::size_t i = 0; i < 6; ++i) {
    std::memcpy(cell.data() + (i % 3 + 4 * (i / 3)) * sizeof(TypeParam),
                samples.data() + i * sizeof(TypeParam), sizeof(TypeParam));
  }
  std::vector<std::byte> found(expected.size());
  ASSERT_TRUE(CellCoder(form).encode(cell.data(), {3, 2, 1, 1, 1}, found.data()));
  EXPECT_EQ(found, expected);
}

TEST(Cells, HoldFiniteSamplesOnly) {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    std::vector<double> samples(64, 1.0);
    samples[21] = bad;
    std::vector<std::byte> coded(64);
    const auto* bytes = reinterpret_cast<const std::byte*>(samples.data());
    CellCoder coder({SampleType::kFloat64, 3, 8});
    EXPECT_FALSE(coder.encode(bytes, {4, 4, 4, 1, 1}, coded.data()));
    EXPECT_TRUE(coder.encode(bytes, {1, 4, 4, 1, 1}, coded.data()));  // sample 21 is not in the grid
  }
}

TEST(Cells, GroupsAreStoredOneAfterTheOther) {
  const CellForm form{SampleType::kFloat64, 3, 8};
  EXPECT_EQ(form.num_groups(), 4);
  EXPECT_EQ(prefix_bytes(form, 10, 3), prefix_bytes(form, 10, 4));
  EXPECT_EQ(group_bytes(form, 10, 0).last, 80);
  EXPECT_EQ(group_bytes(form, 10, 2).first, 160);
  EXPECT_EQ(group_bytes(form, 10, 3).last, 640);
}

}  // namespace
}  // namespace esker
