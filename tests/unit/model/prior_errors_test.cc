#include "model/prior_errors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace esker {
namespace {

Field field_with(const AttributeValue& value) {
  Field field;
  field.attributes[kPriorErrorsAttribute] = value;
  return field;
}

TEST(PriorErrors, AreTheTwoNumbersOfTheAttribute) {
  EXPECT_FALSE(prior_errors(Field{}));
  EXPECT_EQ(prior_errors(field_with(std::vector<double>{0.5, 0.25})), (FieldErrors{0.5, 0.25}));
  EXPECT_EQ(prior_errors(field_with(std::vector<float>{2, 1})), (FieldErrors{2, 1}));
}

TEST(PriorErrors, AreUnknownWhereTheAttributeIsAnythingElse) {
  for (const AttributeValue& value :
       {AttributeValue("much"), AttributeValue(std::vector<double>{1}),
        AttributeValue(std::vector<double>{-1, 1}), AttributeValue(std::vector<double>{NAN, NAN})}) {
    const auto found = prior_errors(field_with(value));
    ASSERT_TRUE(found);
    EXPECT_TRUE(std::isnan(found->largest) && std::isnan(found->rms));
  }
}

TEST(PriorErrors, AddUpToBounds) {
  EXPECT_FALSE(sum_of(std::nullopt, std::nullopt));
  EXPECT_EQ(sum_of(FieldErrors{1, 0.5}, std::nullopt), (FieldErrors{1, 0.5}));
  const auto sum = sum_of(FieldErrors{0.1, 0.05}, FieldErrors{0.2, 0.1});
  EXPECT_GE(sum->largest, 0.1 + 0.2);
  EXPECT_LE(sum->rms, 0.05 + 0.1 + 1e-15);
  EXPECT_TRUE(std::isnan(sum_of(FieldErrors{NAN, NAN}, FieldErrors{0.2, 0.1})->largest));
}

}  // namespace
}  // namespace esker
