#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The statistics of a comparison agree with scipy, which has them from other authors: the
# values of test_reference against scipy's, or against what a definition says in its terms.
set -eu

cd "$(dirname "$0")"
if ! /usr/bin/python3 -c 'import scipy' 2> /dev/null; then
	echo "FAILED: python3-scipy is missing: run scripts/deps check" >&2
	exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
../../build/unit/test_reference --values > "$work/values"
/usr/bin/python3 - "$work/values" <<'EOF'
import collections, json, math, sys
import numpy
from scipy import stats

done = collections.Counter()

def near(what, ours, reference, relative=1e-9):
    if not math.isclose(ours, reference, rel_tol=relative, abs_tol=1e-300):
        sys.exit(f"FAILED: {what}: {ours!r}, but scipy has {reference!r}")

def p_above(d, theta):
    return stats.wilcoxon(numpy.array(d) - theta, alternative="greater", method="exact").pvalue

def normal(p, x):
    near(f"normal quantile {p}", x + 1, stats.norm.ppf(p) + 1, 1e-7)

def student(p, df, x):         # Cornish and Fisher's expansion, stated as right to 1 %
    if p != 0.5:
        near(f"t quantile {p} {df}", x, stats.t.ppf(p, df), 0.01 if 0.01 <= p <= 0.99 or df > 8 else 0.05)

def binomial(k, n, q, p):
    near(f"binomial {k} {n} {q}", p, stats.binom.cdf(k, n, q), 1e-8)

def beyond(n, k, p):           # the k largest of 2n are all among the n of B
    near(f"beyond {n} {k}", p, stats.hypergeom.pmf(k, 2 * n, n, k))

def fewest(q, alpha, n):       # the fewest whose largest is above the quantile, else q^n
    if not q ** n <= alpha < q ** (n - 1):
        sys.exit(f"FAILED: fewest samples of {q} at {alpha}: {n}")

def at_most(n, q, p):          # how many k have P(X <= k) <= p
    k = int(stats.binom.ppf(p, n, q))
    return k + (stats.binom.cdf(k, n, q) <= p)

def ranks(n, q, alpha, lower, upper):
    above = at_most(n, 1 - q, alpha / 2)
    wanted = at_most(n, q, alpha / 2), n + 1 - above if above else 0
    if (lower, upper) != wanted:
        sys.exit(f"FAILED: ranks of {q} in {n} at {alpha}: {lower} {upper}, but scipy has {wanted}")

def signed_rank(d, theta, p, estimate, *bounds):
    near("signed-rank p", p, p_above(d, theta))
    averages = [(a + b) / 2 for i, a in enumerate(d) for b in d[i:]]
    near("Hodges-Lehmann estimate", estimate, numpy.median(averages))
    for alpha, lower, upper in bounds:     # where the test changes its mind
        step = 1e-9
        if not (p_above(d, lower - step) <= alpha < p_above(d, lower + step)):
            sys.exit(f"FAILED: lower bound {lower} at {alpha}")
        mirror = [-x for x in d]
        if not (p_above(mirror, -upper - step) <= alpha < p_above(mirror, -upper + step)):
            sys.exit(f"FAILED: upper bound {upper} at {alpha}")

def holm(alpha, margin, metrics):
    found = [p_above(numpy.log(b) - numpy.log(a), math.log1p(margin)) for a, b, _, _ in metrics]
    for reference, (_, _, p, _) in zip(found, metrics):
        near("p of a metric", p, reference)
    worse = set()
    for rank, i in enumerate(sorted(range(len(found)), key=found.__getitem__)):
        if found[i] > alpha / (len(found) - rank):
            break
        worse.add(i)
    if worse != {i for i, metric in enumerate(metrics) if metric[3]}:
        sys.exit(f"FAILED: Holm's procedure rejects {worse} of {found}")

def weighted(y, squares, alpha):   # Fay and Feuer's bound, by the chi-squared distribution
    return squares / (2 * y) * stats.chi2.ppf(alpha, 2 * y * y / squares)

def events(length, runs, margin, alpha, p, upper):
    n, of = numpy.array(runs).reshape(2, -1, 2).transpose(2, 0, 1)
    rate, share = n / of, length * n / of
    a, b = n.sum(axis=1)
    of_a, of_b = of.sum(axis=1)
    worse = 1 + margin
    totals = stats.binomtest(b, a + b, worse * of_b / (of_a + worse * of_b), alternative="greater").pvalue
    differ = rate[1] - worse * rate[0]
    near("p of events", p, max(totals, p_above(differ[differ != 0], 0)), 1e-8)
    share_a, share_b = length * a / of_a, length * b / of_b
    times = worse if margin * share_a > 1e-4 else 1
    most = weighted(length * (b + 1), length * length * (b + 1), 1 - alpha) / of_b
    least = weighted(length * a, length * length * a, alpha) / of_a if a else 0
    mover = share_b - times * share_a + math.hypot(most - share_b, times * (share_a - least))
    d = share[1] - times * share[0]
    t = stats.t.ppf(1 - alpha, len(d) - 1)
    skew = stats.skew(d, bias=False) * d.std(ddof=1) / (6 * len(d)) * (1 + 2 * t * t)
    johnson = d.mean() + max(0, skew) + t * stats.sem(d)
    near("bound of events", upper, (times - 1) * share_a + max(mover, johnson), 0.01)

check = {"normal": normal, "student": student, "binomial": binomial, "beyond": beyond,
         "fewest": fewest, "ranks": ranks, "signed-rank": signed_rank, "holm": holm, "events": events}
for line in open(sys.argv[1]):
    name, *values = json.loads(line)
    check[name](*values)
    done[name] += 1
if set(done) != set(check):
    sys.exit(f"FAILED: no values of {set(check) - set(done)}")
print("reference: " + ", ".join(f"{n} {name}" for name, n in done.items()) + ": ok")
EOF
