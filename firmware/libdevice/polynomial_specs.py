# SPDX-License-Identifier: Apache-2.0
"""What fit_polynomials.py fits: for each polynomial P its target, the weight that turns the error of P
into the error that matters, the interval, the degrees for float and double (None: not needed), and
how many of the last steps are in pairs."""
from mpmath import (mp, mpf, exp, log, sin, cos, tan, asin, atan, sinh, tanh, sqrt, pi, erf, erfc, erfinv,
                    loggamma, gamma, rgamma, besselj, bessely, besseli, ln, findroot, euler)

SPECS = {}


def spec(name, what, f, w, a, b, degree, **more):
    SPECS[name] = dict(what=what, f=f, w=w, a=a, b=b, degree=degree, **more)


LN2_HALF = log(2) / 2 * mpf("1.001")
spec("exp", "e^x = 1 + x + x^2 P(x), |x| <= ln(2)/2", lambda x: (exp(x) - 1 - x) / x**2,
     lambda x, y: x**2 / (abs(exp(x) - 1)), -LN2_HALF, LN2_HALF, (5, 11))
spec("exp2", "2^x = 1 + x P(x), |x| <= 1/2", lambda x: (2**x - 1) / x, lambda x, y: x, -0.5, 0.5,
     (6, 12))
spec("exp10", "10^x = 1 + x P(x), |x| <= log10(2)/2", lambda x: (mpf(10)**x - 1) / x,
     lambda x, y: x, -0.1507, 0.1507, (6, 13))
spec("log1p", "log(1 + x) = x - x^2/2 + x^3 P(x), from sqrt(1/2) to sqrt(2)",
     lambda x: (log(1 + x) - x + x**2 / 2) / x**3, lambda x, y: x**3 / log(1 + x),
     sqrt(mpf("0.5")) - 1 - mpf("1e-6"), sqrt(mpf(2)) - 1 + mpf("1e-6"), (8, 20))
spec("log2_atanh", "log2((1+s)/(1-s)) = s (2/ln 2 + z 2/(3 ln 2) + z^2 P(z)), z = s^2",
     lambda z: ((log((1 + sqrt(z)) / (1 - sqrt(z))) / sqrt(z) - 2 - 2 * z / 3) / z**2) / log(2),
     lambda z, y: z**2, mpf("1e-12"), mpf("0.02945"), (3, 8))
spec("sin", "sin x = x + x^3 P(x^2), |x| <= pi/4",
     lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, lambda z, y: z, mpf("1e-12"),
     (pi / 4 * mpf("1.0001"))**2, (3, 6))
spec("cos", "cos x = 1 - x^2/2 + x^4 P(x^2), |x| <= pi/4",
     lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, lambda z, y: z**2, mpf("1e-12"),
     (pi / 4 * mpf("1.0001"))**2, (2, 6))
spec("tan", "tan x = x + x^3 P(x^2), |x| <= pi/4",
     lambda z: (tan(sqrt(z)) / sqrt(z) - 1) / z, lambda z, y: z, mpf("1e-12"),
     (pi / 4 * mpf("1.0001"))**2, (6, 15))
spec("sinpi", "sin(pi x) = pi x + x^3 P(x^2), |x| <= 1/4",
     lambda z: (sin(pi * sqrt(z)) / sqrt(z) - pi) / z, lambda z, y: z, mpf("1e-12"), mpf("0.0625"),
     (3, 6))
spec("cospi", "cos(pi x) = 1 + x^2 P(x^2), |x| <= 1/4",
     lambda z: (cos(pi * sqrt(z)) - 1) / z, lambda z, y: z, mpf("1e-12"), mpf("0.0625"), (3, 7))
spec("asin", "asin x = x + x^3 P(x^2), |x| <= 1/2",
     lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, lambda z, y: z, mpf("1e-12"), mpf("0.2501"),
     (5, 12))
spec("atan", "atan x = x + x^3 P(x^2), |x| <= 1",
     lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, lambda z, y: z, mpf("1e-12"), mpf("1.0001"),
     (8, 20))
spec("sinh", "sinh x = x + x^3 P(x^2), |x| <= 1",
     lambda z: (sinh(sqrt(z)) / sqrt(z) - 1) / z, lambda z, y: z, mpf("1e-12"), mpf("1.0001"),
     (3, 7))
spec("tanh", "tanh x = x + x^3 P(x^2), |x| <= 0.55",
     lambda z: (tanh(sqrt(z)) / sqrt(z) - 1) / z, lambda z, y: z, mpf("1e-12"), mpf("0.3026"),
     (4, 11))

# ---- error functions ----
spec("erf", "erf x = x + x P(x^2), |x| <= 0.85",
     lambda z: erf(sqrt(z)) / sqrt(z) - 1, lambda z, y: 1, mpf("1e-12"), mpf("0.7226"), (6, 13))


def erfcx(x):
    if x < 30:
        return exp(x * x) * erfc(x)
    f = x
    for k in range(60, 0, -1):
        f = x + mpf(k) / 2 / f
    return 1 / (sqrt(pi) * f)


def erfcx_of_t(t):
    x = 2 * (1 + t) / (1 - t)
    return (1 + 2 * x) * erfcx(x)


spec("erfcx", "(1 + 2 x) e^(x^2) erfc(x), x >= 0, in t = (x-2)/(x+2)", erfcx_of_t,
     lambda t, y: 1 / y, -1, mpf("0.9999999"), (12, 28))


def erfinv_by_w(w):
    x = sqrt(1 - exp(-w))
    q = exp(-w) / (1 + x)  # 1 - x
    # Newton on erfc keeps the digits that 1 - x loses
    z = sqrt(w)
    z = findroot(lambda v: log(erfc(v)) - log(q), z if w > 1 else x * mpf("0.8862"))
    return z / x


spec("erfinv_centre", "erfinv(x)/x in w - 2.5, w = -log(1 - x^2) <= 5",
     lambda v: erfinv_by_w(v + mpf("2.5")), lambda v, y: 1 / y, mpf("-2.5"), mpf("2.501"),
     (11, 24), pairs=(5, 5))
spec("erfinv_tail", "erfinv(x)/x in sqrt(w) - 3, 5 <= w <= 17",
     lambda v: erfinv_by_w((v + 3)**2), lambda v, y: 1 / y, mpf("-0.765"), mpf("1.13"), (11, 24),
     pairs=(4, 4))
spec("erfinv_far", "erfinv(x)/x in sqrt(w) - 7, 17 <= w <= 104",
     lambda v: erfinv_by_w((v + 7)**2), lambda v, y: 1 / y, mpf("-2.88"), mpf("3.21"), (12, 30),
     pairs=(4, 4))
spec("erfinv_end", "erfinv(x)/x in 1/sqrt(w), 104 <= w <= 745",
     lambda v: erfinv_by_w(1 / v**2) * v, lambda v, y: 1 / y, mpf("0.0366"), mpf("0.0982"),
     (None, 19), pairs=(0, 4))

# ---- gamma ----
spec("gamma", "gamma(1.5 + x), |x| <= 1/2", lambda x: gamma(x + mpf("1.5")), lambda x, y: 1 / y, -0.5,
     0.5, (9, 21))
spec("stirling", "(log gamma(x) - (x - 1/2) log x + x - log(2 pi)/2) x, in 1/x^2, x >= 3",
     lambda z: (loggamma(1 / sqrt(z)) - (1 / sqrt(z) - mpf("0.5")) * log(1 / sqrt(z)) + 1 / sqrt(z)
                - log(2 * pi) / 2) / sqrt(z), lambda z, y: 1, mpf("1e-8"), mpf("0.1112"), (4, 16))
spec("lgamma1", "log gamma(1 + x) = x P(x), |x| <= 1/2",
     lambda x: loggamma(1 + x) / x, lambda x, y: 1 / y, -0.5, 0.5, (11, 28))
spec("lgamma2", "log gamma(2 + x) = x P(x), -1/2 <= x <= 1",
     lambda x: loggamma(2 + x) / x, lambda x, y: 1 / y, -0.5, 1, (10, 25))


# ---- Bessel functions ----
def zero(f, near):
    return findroot(f, mpf(near))


def J(n):
    return lambda x: besselj(n, x)


def Y(n):
    return lambda x: bessely(n, x)


def away_from(root, f, x):
    """f(x) / (x - root), its limit at the root."""
    if abs(x - root) < mpf(10)**-25:
        x = root + mpf(10)**-25
    return f(x) / (x - root)


ZEROS = {
    "j0_1": zero(J(0), "2.4048"), "j0_2": zero(J(0), "5.5200"), "j1_1": zero(J(1), "3.8317"),
    "j1_2": zero(J(1), "7.0155"), "y0_1": zero(Y(0), "0.8935"), "y0_2": zero(Y(0), "3.9576"),
    "y0_3": zero(Y(0), "7.0860"), "y1_1": zero(Y(1), "2.1971"), "y1_2": zero(Y(1), "5.4296"),
}


def piece(name, f, root, centre, a, b, degree):
    z = ZEROS[root]
    spec(name, f"{name[:2]}(x) = (x - {mp.nstr(z, 6)}) P(x - {centre}), {a} <= x <= {b}",
         lambda t: away_from(z, f, t + mpf(centre)), lambda t, y: 1 / y, mpf(a) - mpf(centre),
         mpf(b) - mpf(centre), degree, pairs=(5, 5))


spec("j0_small", "j0(x) = (x^2 - 5.783) P(x^2), x <= 4",
     lambda u: away_from(ZEROS["j0_1"]**2, lambda v: besselj(0, sqrt(v)), u), lambda u, y: 1 / y, 0, 16,
     (7, 12), pairs=(4, 4))
piece("j0_middle", J(0), "j0_2", "6", "4", "8", (11, 18))
spec("j1_small", "j1(x) = x (x^2 - 14.68) P(x^2), x <= 4.8",
     lambda u: away_from(ZEROS["j1_1"]**2, lambda v: besselj(1, sqrt(v)) / sqrt(v), u),
     lambda u, y: 1 / y, mpf("1e-12"), mpf("23.05"), (7, 13), pairs=(4, 4))
piece("j1_middle", J(1), "j1_2", "6.375", "4.8", "8", (10, 17))


def y0_smooth(v):
    x = sqrt(v)
    return bessely(0, x) - 2 / pi * log(x / ZEROS["y0_1"]) * besselj(0, x)


spec("y0_small", "y0(x) = (2/pi) log(x/0.8936) j0(x) + (x^2 - 0.7985) P(x^2), x <= 2.2",
     lambda u: away_from(ZEROS["y0_1"]**2, y0_smooth, u), lambda u, y: 1 / y, mpf("1e-12"),
     mpf("4.85"), (5, 9), pairs=(4, 4))
piece("y0_middle", Y(0), "y0_2", "3.875", "2.2", "5.5", (14, 27))
piece("y0_upper", Y(0), "y0_3", "6.75", "5.5", "8", (9, 17))
spec("y1_small", "y1(x) = (2/pi) (log(x) j1(x) - 1/x) + x P(x^2), x <= 1.5",
     lambda u: (bessely(1, sqrt(u)) - 2 / pi * (log(sqrt(u)) * besselj(1, sqrt(u)) - 1 / sqrt(u)))
     / sqrt(u), lambda u, y: 1, mpf("1e-12"), mpf("2.26"), (5, 8), pairs=(4, 4))
piece("y1_middle", Y(1), "y1_1", "2.625", "1.5", "3.8", (14, 30))
piece("y1_upper", Y(1), "y1_2", "5.875", "3.8", "8", (14, 25))


def modulus(n, z):
    x = 1 / sqrt(z)
    return sqrt(pi * x / 2) * sqrt(besselj(n, x)**2 + bessely(n, x)**2)


def phase(n, z):
    x = 1 / sqrt(z)
    d = mp.atan2(bessely(n, x), besselj(n, x)) - (x - (2 * n + 1) * pi / 4)
    return (d - 2 * pi * mp.nint(d / (2 * pi))) * x


for order in (0, 1):
    spec(f"bessel_modulus{order}", f"sqrt(pi x/2 (j{order}^2 + y{order}^2)) in 1/x^2, x >= 8",
         lambda z, n=order: modulus(n, z), lambda z, y: 1, mpf("1e-6"), mpf(1) / 64, (3, 12))
    spec(f"bessel_phase{order}", f"x (phase of order {order} - x + pi/4...) in 1/x^2, x >= 8",
         lambda z, n=order: phase(n, z), lambda z, y: 1, mpf("1e-6"), mpf(1) / 64, (3, 12))
spec("i0_small", "i0(x) in x^2, x <= 8", lambda u: besseli(0, sqrt(u)), lambda u, y: 1 / y, 0, 64,
     (12, 22), fixed=(1,))
spec("i1_small", "i1(x)/x in x^2, x <= 8", lambda u: besseli(1, sqrt(u)) / sqrt(u),
     lambda u, y: 1 / y, mpf("1e-12"), 64, (12, 22), fixed=(mpf("0.5"),))
spec("i0_large", "i0(x) sqrt(x) e^-x in 1/x, x >= 8",
     lambda v: besseli(0, 1 / v) * sqrt(1 / v) * exp(-1 / v), lambda v, y: 1 / y, mpf("1e-3"),
     mpf("0.125"), (7, 22))
spec("i1_large", "i1(x) sqrt(x) e^-x in 1/x, x >= 8",
     lambda v: besseli(1, 1 / v) * sqrt(1 / v) * exp(-1 / v), lambda v, y: 1 / y, mpf("1e-3"),
     mpf("0.125"), (7, 22))
