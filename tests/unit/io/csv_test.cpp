#include "io/csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "unit/io/log_fixtures.h"

namespace gradus::test {
namespace {

const CsvColumn kColumns[] = {{"t", "s"}, {"blue1.l_knee.q", "rad"}, {"odd, \"name\"", ""}};

TEST(Csv, HeaderHasUnitsAndNumbersAreShortest) {
  std::string out;
  CsvWriter writer(std::make_unique<MemorySink>(out), kColumns);
  EXPECT_TRUE(writer.row(std::vector<double>{0, 0.1, -1e300}));
  EXPECT_TRUE(writer.row(std::vector<double>{0.001, -0.0, NAN}));
  EXPECT_TRUE(writer.close());
  EXPECT_EQ(out,
            "t [s],blue1.l_knee.q [rad],\"odd, \"\"name\"\"\"\n"
            "0,0.1,-1e+300\n"
            "0.001,-0,nan\n");
}

TEST(Csv, WhatIsReadIsWhatWasWrittenBitForBit) {
  const TempDir dir;
  auto writer = CsvWriter::open(dir.file("a.csv"), kColumns);
  ASSERT_TRUE(writer);
  std::vector<std::vector<double>> rows;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    std::vector<double> row(3);
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint64_t bits = random_bits({5, 0, 0}, i, k) & ~(std::uint64_t{1} << 62);  // finite
      std::memcpy(&row[k], &bits, sizeof bits);
    }
    EXPECT_TRUE(writer->row(row));
    rows.push_back(row);
  }
  EXPECT_TRUE(writer->close());
  const auto table = read_csv(dir.file("a.csv"));
  ASSERT_TRUE(table);
  EXPECT_EQ(table->columns, (std::vector<std::string>{"t [s]", "blue1.l_knee.q [rad]", "odd, \"name\""}));
  ASSERT_EQ(table->rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(std::memcmp(table->rows[i].data(), rows[i].data(), 3 * sizeof(double)), 0) << i;
  }
}

TEST(Csv, ARowOfTheWrongLengthIsRefused) {
  std::string out;
  CsvWriter writer(std::make_unique<MemorySink>(out), kColumns);
  EXPECT_FALSE(writer.row(std::vector<double>{1, 2}));
  EXPECT_TRUE(writer.row(std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(writer.close());
  EXPECT_EQ(parse_csv(out, "out")->rows.size(), 1u);
}

/// Fifty rows into a sink of the given size; whether all is well and what the sink holds.
std::pair<bool, std::string> fifty_rows(std::uint64_t capacity) {
  std::string out;
  CsvWriter writer(std::make_unique<MemorySink>(out, capacity), kColumns);
  for (int i = 0; i < 50; ++i) writer.row(std::vector<double>{1. * i, 2. * i, 0.1 * i});
  const bool good = writer.close();
  EXPECT_EQ(writer.error(), good ? "" : "full");
  return {good, out};
}

TEST(Csv, AFullDiskLeavesAllWholeRowsThatFit) {
  const std::string whole = fifty_rows(1 << 20).second;
  for (std::size_t capacity = 0; capacity <= whole.size(); ++capacity) {
    const auto [good, out] = fifty_rows(capacity);
    const std::size_t last_row_end = capacity == 0 ? std::string::npos : whole.rfind('\n', capacity - 1);
    EXPECT_EQ(good, capacity == whole.size());
    EXPECT_EQ(out, whole.substr(0, last_row_end + 1)) << capacity;
  }
}

TEST(Csv, AFullDeviceIsReportedWhenOpened) {
  const auto writer = CsvWriter::open("/dev/full", kColumns);
  ASSERT_FALSE(writer);
  EXPECT_EQ(to_string(writer.notes().front()), "/dev/full: error: cannot be written: No space left on device");
}

TEST(Csv, EveryBadCellIsNamedWithItsPlace) {
  const auto bad = parse_csv("a,b\n1,x\n2\n3,4\r\n,5\n", "t.csv");
  ASSERT_FALSE(bad);
  std::vector<std::string> texts;
  for (const Diagnostic& d : bad.notes()) texts.push_back(to_string(d));
  EXPECT_EQ(texts, (std::vector<std::string>{"t.csv:2:2: error: 'x' is not a number",
                                             "t.csv:3:1: error: has 1 values, the header 2",
                                             "t.csv:5:1: error: '' is not a number"}));
  EXPECT_FALSE(parse_csv("", "t.csv"));
}

}  // namespace
}  // namespace gradus::test
