// Programs to analyse that are made rather than read.
#pragma once

#include <cstdint>
#include <string>

#include "kcfa/datum.hpp"

namespace rondo::kcfa {

/// worst:N,K is Van Horn and Mairson's construction ("Deciding kCFA is complete for EXPTIME", ICFP
/// 2008), which makes the analysis keep as many environments as there are assignments to N boolean
/// variables:
///
///     (let ((f1 (lambda (x1)
///        (let ((f2 (lambda (x2)
///           ...
///              ((lambda (w) (w x1 x2 ... xN)) first)
///           ...
///        (let ((ignored (f2 true))) (f2 false)))))
///     (let ((ignored (f1 true))) (f1 false)))
///
/// Each x is bound at two calls. An analysis that tells the calls apart gives every x two contours,
/// independently of each other, and the innermost lambda closes over all: 2^N environments. One that
/// does not, as 0CFA, has one for every lambda.
///
/// That is for K = 1. For more, each f is called through a chain of K - 1 functions,
///
///     (let ((p2 (lambda (v) (f v)))) (let ((p3 (lambda (v) (p2 v)))) ... (p3 true) ... (p3 false)
///
/// whose call sites are the last ones that a contour holds. So the K-th last tells the two calls
/// apart: the environments are 2^N for k >= K, and for k < K grow linearly with N.
///
/// What flows to an f is not told apart by the x before it, so that each of the environments calls
/// the closures over all: calls and returns grow as 4^N.
///
/// The published term returns its innermost closure. This one calls it where it is made, so that
/// the variables are also looked up in each of the 2^N environments.
std::string worst(std::uint64_t variables, std::uint64_t calls);

/// random:SIZE,SEED is a closed term of about `size` names, lambdas and applications, the same on
/// every machine: half of it are functions, bound by lets one within the other, half is an expression
/// with these. Names are often bound again.
std::string random(std::uint64_t size, std::uint64_t seed);

/// What a specification as in worst:10,2 stands for, with it as the source's name. Throws
/// Error(argument) for any other specification.
Source generate_program(const std::string& specification);

}  // namespace rondo::kcfa
