#include "server/http/multipart.h"

#include <gmock/gmock.h>

#include "server/http/api_error.h"

namespace attend::server {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// As curl -F q=... sends it.
TEST(Multipart, ReadsTheFieldsOfAForm) {
  const std::string body =
      "a preamble\r\n--x-1\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\none\r\ntwo\r\n"
      "--x-1\r\nContent-Type: text/plain\r\n"
      "content-disposition: form-data; filename=\"name; name=\"; Name=source\r\n\r\nen\r\n"
      "--x-1\r\nContent-Disposition: form-data; name=\"api_key\"\r\n\r\n\r\n"
      "--x-1\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nagain\r\n--x-1--\r\n";
  EXPECT_THAT(parse_multipart("multipart/form-data; charset=utf-8; boundary=\"x-1\"", body),
              ElementsAre(Pair("api_key", ""), Pair("q", "one\r\ntwo"), Pair("source", "en")));
  EXPECT_THAT(parse_multipart("multipart/form-data; boundary=x-1", "--x-1--"), IsEmpty());
}

TEST(Multipart, RefusesBrokenForms) {
  const std::string type = "multipart/form-data; boundary=x";
  for (const char* body : {"", "q=a", "--x", "--x\r\n", "--x\r\n\r\na\r\n--x--",
                           "--x\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\na",
                           "--x\r\nContent-Disposition: form-data; name=\"q\r\n\r\na\r\n--x--",
                           "--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x--",
                           "--x\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\na\r\n--x\r\n"})
    EXPECT_THROW((void)parse_multipart(type, body), ApiError) << body;
  for (const std::string& other :
       {std::string("multipart/form-data"), std::string("multipart/form-data; boundary="),
        "multipart/form-data; boundary=" + std::string(71, 'x')})
    EXPECT_THROW((void)parse_multipart(other, "--x--"), ApiError) << other;
}

TEST(Multipart, KnowsTheMediaType) {
  EXPECT_TRUE(is_media_type("Multipart/Form-Data; boundary=x", "multipart/form-data"));
  EXPECT_TRUE(is_media_type("multipart/form-data", "multipart/form-data"));
  EXPECT_FALSE(is_media_type("multipart/form-data-2", "multipart/form-data"));
  EXPECT_FALSE(is_media_type("", "multipart/form-data"));
}

}  // namespace
}  // namespace attend::server
