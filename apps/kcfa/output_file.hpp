// The file that lines are written to.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace rondo::kcfa {

/// Opened, and emptied, at once: who cannot write it hears so before the analysis. Both functions
/// throw Error(argument), FILE: reason.
class OutputFile {
 public:
  explicit OutputFile(const std::string& name);
  void write(const std::vector<std::string>& lines);

 private:
  struct Closing {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string name_;
  std::unique_ptr<std::FILE, Closing> file_;
};

}  // namespace rondo::kcfa
