#include "fft/transform.hpp"

namespace rondo::fft {

namespace {

template <class Real>
class ByRondo : public Transform<Real> {
 public:
  ByRondo(const Decomposition<Real>& decomposition, const Planning& planning)
      : input_(static_cast<std::size_t>(decomposition.most_points())),
        first_(input_.size()),
        second_(input_.size()),
        third_(planning.parts > 1 ? input_.size() : 0) {
    Complex<Real>* input = input_.data();
    if (planning.direction != Direction::backward)
      input = append(decomposition, planning, FFTW_FORWARD, input);
    if (planning.direction != Direction::forward)
      append(decomposition, planning, FFTW_BACKWARD, input);
  }

 private:
  /// The output of the leg.
  Complex<Real>* append(const Decomposition<Real>& decomposition, const Planning& planning,
                        int sign, Complex<Real>* input) {
    const auto pipeline = std::make_shared<Pipeline<Real>>(
        Workshop<Real>{first_.data(), second_.data(), third_.data(), planning.parts,
                       planning.effort},
        input, sign);
    const bool forward = sign == FFTW_FORWARD;
    if (forward)
      decomposition.append_forward(*pipeline);
    else
      decomposition.append_backward(*pipeline);
    const Layout natural = decomposition.natural();
    const Layout transformed = decomposition.transformed();
    this->legs_.push_back(
        {.sign = sign,
         .from = forward ? natural : transformed,
         .to = forward ? transformed : natural,
         .input = input,
         .output = pipeline->result(),
         .execute = [pipeline](apps::ExchangeTimer& timer) { pipeline->execute(timer); }});
    return pipeline->result();
  }

  Buffer<Real> input_;
  Buffer<Real> first_;
  Buffer<Real> second_;
  Buffer<Real> third_;
};

}  // namespace

template <class Real>
std::unique_ptr<Transform<Real>> make_transform(const Decomposition<Real>& decomposition,
                                                const Planning& planning) {
  return std::make_unique<ByRondo<Real>>(decomposition, planning);
}

template std::unique_ptr<Transform<float>> make_transform(const Decomposition<float>&,
                                                          const Planning&);
template std::unique_ptr<Transform<double>> make_transform(const Decomposition<double>&,
                                                           const Planning&);

}  // namespace rondo::fft
