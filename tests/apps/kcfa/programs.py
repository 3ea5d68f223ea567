"""Programs whose flow is compared, and the number of environments of the worst ones."""

OMEGA = "((lambda (x) (x x)) (lambda (x) (x x)))"

# Its argument grows in every call.
GROWING = "((lambda (x) (x x x)) (lambda (x) (x x x)))"

# Y, with a body that calls itself on the way to its result.
FIXED_POINT = """
(let ((y (lambda (f) ((lambda (x) (f (lambda (v) (x x v)))) (lambda (x) (f (lambda (v) (x x v)))))))
      (zero (lambda (s z) z)) (one (lambda (s z) (s z))))
  (let ((loop (y (lambda (self n) (n (lambda (m) (self zero)) one)))))
    (let ((first (loop one))) (loop zero))))
"""

CHURCH = """
(let ((two (lambda (s z) (s (s z)))) (three (lambda (s z) (s (s (s z))))))
  (let ((plus (lambda (m n s z) (m s (n s z)))) (power (lambda (m n) (n m))))
    (plus (power two three) (power three two) (lambda (a) a) (lambda (b) (b b)))))
"""

PAIRS = """
(let ((pair (lambda (a b select) (select a b)))
      (left (lambda (p) (p (lambda (a b) a)))) (right (lambda (p) (p (lambda (a b) b)))))
  (let ((swap (lambda (p) (pair (right p) (left p)))))
    (let ((one (pair (lambda (x) x) (lambda (y) (y y)))) (other (pair left right)))
      ((left (swap one)) (right (swap (swap other)))))))
"""

# One function with two callers. A contour distinguishes them.
IDENTITY = """
(let ((identity (lambda (x) x)))          ; line 2
  (let ((a (identity (lambda (p) p)))     ; line 3
        (b (identity (lambda (q) q))))    ; line 4
    (a b)))
"""

# A function behind two others, so that only the last call but two distinguishes the callers.
DEEP_IDENTITY = """
(let ((f (lambda (x) x)))
  (let ((g (lambda (x) (f x))))
    (let ((h (lambda (x) (g x))))
      ((h (lambda (p) p)) (h (lambda (q) q)) (h (lambda (r) (r r)))))))
"""

# The names of one scope are bound again in others.
SHADOWS = """
(let ((x (lambda (x) (x x))))
  (let ((x (lambda (x) ((lambda (x) (x x)) x))) (y x))
    ((x (lambda (x) x)) (y (lambda (x y) (y x))) x)))
"""

STUCK_AT_NOTHING = "(lambda (x) ((x x) (lambda (x) x)))"

NAMED = {
    "omega": OMEGA,
    "growing": GROWING,
    "fixed point": FIXED_POINT,
    "church": CHURCH,
    "pairs": PAIRS,
    "identity": IDENTITY,
    "deep identity": DEEP_IDENTITY,
    "shadows": SHADOWS,
    "a lambda alone": STUCK_AT_NOTHING,
    "nested operands": "(lambda (f) " + "(f " * 5 + "f" + ")" * 6,
    "many lambdas": f"({'(lambda (x) ' * 30}x{')' * 30} {OMEGA})",
    "a chain of lets": "(let ((x0 (lambda (z) z)))\n"
    + "".join(f"(let ((x{i} (x{i - 1} x0)))\n" for i in range(1, 20))
    + "x19"
    + ")" * 20,
}
