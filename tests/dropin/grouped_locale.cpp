// Preloaded, it sets the locales that a program with a user's locale may set: a global one of C++ that
// groups digits and, where TEST_LOCALE names one, C's.
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <locale>
#include <string>

namespace {

class Grouped : public std::numpunct<char> {
  char do_thousands_sep() const override { return ' '; }
  std::string do_grouping() const override { return "\3"; }
};

[[maybe_unused]] const std::locale g_before =
    std::locale::global(std::locale(std::locale::classic(), new Grouped));

[[maybe_unused]] const bool g_is_set = [] {
  const char* name = std::getenv("TEST_LOCALE");
  const bool is_known = name == nullptr || std::setlocale(LC_ALL, name) != nullptr;
  if (!is_known) std::fprintf(stderr, "grouped_locale: there is no %s\n", name);
  return is_known;
}();

}  // namespace
