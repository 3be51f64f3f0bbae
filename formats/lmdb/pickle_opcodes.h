// The opcodes of Python's pickle protocols 0 to 5 and their names.
// https://docs.python.org/3/library/pickletools.html
#ifndef SHARDINE_FORMATS_LMDB_PICKLE_OPCODES_H_
#define SHARDINE_FORMATS_LMDB_PICKLE_OPCODES_H_

#include <cstdint>
#include <string>

namespace shardine {

enum PickleOpcode : std::uint8_t {
  kOpMark = '(',
  kOpStop = '.',
  kOpBinFloat = 'G',
  kOpBinInt = 'J',
  kOpBinInt1 = 'K',
  kOpBinInt2 = 'M',
  kOpNone = 'N',
  kOpReduce = 'R',
  kOpBinString = 'T',
  kOpShortBinString = 'U',
  kOpBinUnicode = 'X',
  kOpAppend = 'a',
  kOpBuild = 'b',
  kOpGlobal = 'c',
  kOpAppends = 'e',
  kOpBinGet = 'h',
  kOpLongBinGet = 'j',
  kOpBinPut = 'q',
  kOpLongBinPut = 'r',
  kOpSetItem = 's',
  kOpTuple = 't',
  kOpSetItems = 'u',
  kOpEmptyDict = '}',
  kOpEmptyList = ']',
  kOpEmptyTuple = ')',
  kOpBinBytes = 'B',
  kOpShortBinBytes = 'C',
  // Opcodes of protocol 0, whose arguments are lines of text.
  kOpTextFloat = 'F',
  kOpTextInt = 'I',
  kOpTextLong = 'L',
  kOpTextString = 'S',
  kOpTextUnicode = 'V',
  kOpTextDict = 'd',
  kOpTextGet = 'g',
  kOpTextList = 'l',
  kOpTextPut = 'p',
  kOpProto = 0x80,
  kOpTuple1 = 0x85,
  kOpTuple2 = 0x86,
  kOpTuple3 = 0x87,
  kOpNewTrue = 0x88,
  kOpNewFalse = 0x89,
  kOpLong1 = 0x8a,
  kOpShortBinUnicode = 0x8c,
  kOpBinUnicode8 = 0x8d,
  kOpBinBytes8 = 0x8e,
  kOpStackGlobal = 0x93,
  kOpMemoize = 0x94,
  kOpFrame = 0x95,
  kOpByteArray8 = 0x96,
};

// "BINGET", of all protocols; "0x01" for an unknown opcode.
std::string PickleOpcodeName(std::uint8_t opcode);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_PICKLE_OPCODES_H_
