// The names that metadata of Zarr and its extensions have, as Esker writes them.
#pragma once

namespace esker::zarr {

inline constexpr const char* kBytes = "bytes";
inline constexpr const char* kZstd = "zstd";
inline constexpr const char* kGzip = "gzip";
inline constexpr const char* kBlosc = "blosc";
inline constexpr const char* kSums = "crc32c";
inline constexpr const char* kSharding = "sharding_indexed";
inline constexpr const char* kTexts = "vlen-utf8";
inline constexpr const char* kTextType = "string";
inline constexpr const char* kFillAttribute = "_FillValue";
inline constexpr int kZstdLevel = 3;
inline constexpr int kBloscLevel = 5;

/// The words for numbers that JSON lacks.
inline constexpr const char* kNaN = "NaN";
inline constexpr const char* kInfinity = "Infinity";
inline constexpr const char* kMinusInfinity = "-Infinity";

// The attribute of a group that Esker wrote, and the members of the JSON text in it.
inline constexpr const char* kEskerAttribute = "esker";
inline constexpr const char* kSteps = "steps";
inline constexpr const char* kTime = "time";
inline constexpr const char* kArrays = "arrays";
inline constexpr const char* kLevels = "levels";
/// What the levels hold: kMean, or samples where this is missing.
inline constexpr const char* kLevelValues = "level_values";
inline constexpr const char* kMean = "mean";
/// The suffix of the other half of a dataset in two formats.
inline constexpr const char* kOtherSuffix = "other";
/// Paths of arrays that have an array of errors.
inline constexpr const char* kErrors = "errors";
/// Attributes that are texts, though they are words for numbers.
inline constexpr const char* kWords = "words";

/// The attribute of the convention for levels, and its name.
inline constexpr const char* kMultiscales = "multiscales";

}  // namespace esker::zarr
