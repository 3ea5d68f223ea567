// Generated programs to analyse.
#pragma once

#include <cstdint>
#include <string>

#include "kcfa/datum.hpp"

namespace rondo::kcfa {

/// worst:N,K is Van Horn and Mairson's construction ("Deciding kCFA is complete for EXPTIME", ICFP
/// 2008). It makes the analysis distinguish as many environments as there are assignments to N
/// boolean variables:
///
///     (let ((f1 (lambda (x1)
///        (let ((f2 (lambda (x2)
///           ...
///              ((lambda (w) (w x1 x2 ... xN)) first)
///           ...
///        (let ((ignored (f2 true))) (f2 false)))))
///     (let ((ignored (f1 true))) (f1 false)))
///
/// Each x is bound at two calls. An analysis that distinguishes the calls gives every x two
/// contours, independently of each other, and the innermost lambda closes over all of them: 2^N
/// environments. An analysis that does not, such as 0CFA, has one environment for every lambda.
///
/// This is the program for K = 1. For larger K, each f is called through a chain of K - 1
/// functions,
///
///     (let ((p2 (lambda (v) (f v)))) (let ((p3 (lambda (v) (p2 v)))) ... (p3 true) ... (p3 false)
///
/// whose call sites are the last ones in a contour. So the K-th last site distinguishes the two
/// calls: there are 2^N environments for k >= K, and their number grows linearly with N for k < K.
///
/// The x before an f does not distinguish what flows to that f, so each of the environments calls
/// the closures over all of them: calls and returns grow as 4^N.
///
/// The published term returns its innermost closure. This one calls it where it is made, so that
/// the variables are also looked up in each of the 2^N environments.
std::string worst(std::uint64_t variables, std::uint64_t calls);

/// random:SIZE,SEED is a closed term of about `size` names, lambdas and applications, the same on
/// every machine. One half are functions, bound by nested lets, and the other half is an expression
/// that uses them. Names are often bound again.
std::string random(std::uint64_t size, std::uint64_t seed);

/// The program that a specification such as worst:10,2 stands for; the specification is the
/// source's name. Throws Error(argument) for any other specification.
Source generate_program(const std::string& specification);

}  // namespace rondo::kcfa
