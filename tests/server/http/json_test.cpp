#include "server/http/json.h"

#include <gmock/gmock.h>

#include "server/http/api_error.h"

namespace attend::server {
namespace {

using testing::HasSubstr;

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const ApiError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseObject, RejectsOtherThanObjects) {
  for (const char* body : {"", "{", "[]", "1", "{\"a\":1}x", "{\"a\":\"\xff\"}", "{'a':1}"})
    EXPECT_THROW((void)parse_object(body), ApiError) << body;
}

TEST(ParseObject, KeepsMessagesOnInvalidBodiesShort) {
  std::string body = "\"";
  body.append(500'000, 'a');
  const std::string message = message_of([&] { (void)parse_object(body + "\n"); });
  EXPECT_THAT(message, HasSubstr("parse error at line"));
  EXPECT_LT(message.size(), 300);
}

TEST(ParseObject, RejectsDeepNestingWithoutBuildingIt) {
  const std::string deep = "{\"a\":" + std::string(500'000, '[');
  EXPECT_THAT(message_of([&] { (void)parse_object(deep); }), HasSubstr("32 deep"));
}

TEST(Fields, NameTheInvalidField) {
  const auto object = parse_object(R"({"beam": 2.5, "n": 7, "q": [1], "flag": "yes", "beem": 3})");
  Fields fields(object);
  EXPECT_THAT(message_of([&] { (void)fields.integer("beam", {1, 9}); }), HasSubstr("\"beam\""));
  EXPECT_THAT(message_of([&] { (void)fields.integer("n", {1, 6}); }), HasSubstr("from 1 to 6"));
  EXPECT_THAT(message_of([&] { (void)fields.texts("q"); }), HasSubstr("list of strings"));
  EXPECT_THAT(message_of([&] { (void)fields.flag("flag"); }), HasSubstr("true or false"));
  EXPECT_THAT(message_of([&] { fields.refuse_others(); }), HasSubstr("did you mean \"beam\""));
}

TEST(Fields, TreatNullAsMissing) {
  const auto object = parse_object(R"({"beam": null})");
  Fields fields(object);
  EXPECT_FALSE(fields.integer("beam", {1, 9}));
}

}  // namespace
}  // namespace attend::server
