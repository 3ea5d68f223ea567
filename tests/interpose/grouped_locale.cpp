// Preloaded, it sets a global locale that groups digits, as programs with a user's locale may do.
#include <locale>
#include <string>

namespace {

class Grouped : public std::numpunct<char> {
  char do_thousands_sep() const override { return ' '; }
  std::string do_grouping() const override { return "\3"; }
};

[[maybe_unused]] const std::locale g_before =
    std::locale::global(std::locale(std::locale::classic(), new Grouped));

}  // namespace
