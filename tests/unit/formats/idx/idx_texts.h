// Headers that several tests parse, break and print.
#pragma once

#include <string>
#include <vector>

namespace esker::idx {

/// The smallest header that OpenVisus opens (idx-format, section 1).
inline const std::string kMinimal = R"((version)
6
(box)
0 12 0 6
(fields)
temp float32 default_layout(row_major) min(0) max(0)
(bits)
V0101010
(bitsperblock)
4
(blocksperfile)
4
(filename_template)
./temp/%04x.bin
)";

/// Every key, as Esker and OpenVisus write them.
inline const std::string kFull = R"((version)
6
(box)
0 12 0 6 0 2
(axis)
x y z
(physic_box)
0 1.5 -2 2 0.1 1e+300
(fields)
temp float32 default_compression(zip) default_layout() default_value(0) min(0) max(1.5)
+ vel float64[3] default_layout(hzorder) default_value(-1) min(0 0 0) max(1 2 3) description(m/s, (u v w))
(bits)
V0101010122
(bitsperblock)
5
(blocksperfile)
4
(interleave block)
0
(time)
time_%04d/ (0,4,2) (10,12,1)
(filename_template)
./run/%02x/%04x.bin
(missing_blocks)
0
(arco)
0
(esker)
{"format":1,"generation":7,"times":[0.0,50.0],"absent":{"1":["temp"]}}
)";

/// PIDX 6.1 (idx-format, section 10).
inline const std::string kPidx = R"((version)
6.1
(io mode)
idx
(logic_to_physic)
1.0 0.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 0.0 1.0
(box)
0 63 0 47 0 19 0 0 0 0
(physical box)
0 64 0 48 0 20
(endian)
little
(restructure box size)
32 32 32 1 1
(cores)
8
(fields)
var_0 1*float64 +
var_1 3*float32
(bits)
V10210210210210210
(bitsperblock)
12
(blocksperfile)
128
(filename_template)
./pidx/%04x.bin
(time)
0 1 time%09d/
(compression type)
0
(partition count)
1 1 1
)";

/// PIDX 6.1 with compressed chunks, one partition of several.
inline const std::string kPidxChunks = R"((version)
6.1
(io mode)
l_part_idx
(box)
0 62 0 47 0 19 0 0 0 0
(partition size)
64 64 32
(partition offset)
64 0 32
(partition index)
5
(endian)
little
(compression bit rate)
16.000000
(compression type)
2
(fields)
var_0 1*float64 + 
var_1 float32
(bits)
V10210210210
(bitsperblock)
7
(blocksperfile)
128
(filename_template)
./run_5/%02x.bin
(time)
0 1 time%09d/
)";

inline const std::string kArco = R"((version)
6
(box)
0 29 0 21 0 11
(fields)
v float32 default_compression(zip) default_layout()
(bits)
V01201201201201
(bitsperblock)
4
(blocksperfile)
7
(time)
0 1 time_%04d/
(arco)
4096
)";

inline const std::vector<std::string> kTexts{kMinimal, kFull, kPidx, kPidxChunks, kArco};

/// `text` with the value line after `key` replaced; an empty value takes the key out.
inline std::string with(std::string text, const std::string& key, const std::string& value) {
  const std::size_t at = text.find(key + "\n");
  if (at == std::string::npos) return text + key + "\n" + value + "\n";
  std::size_t end = text.find("\n(", at);
  end = end == std::string::npos ? text.size() : end + 1;
  return text.replace(at, end - at, value.empty() ? "" : key + "\n" + value + "\n");
}

}  // namespace esker::idx
