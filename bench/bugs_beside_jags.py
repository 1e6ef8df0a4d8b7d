"""Fifty BUGS models of many kinds beside JAGS, with and without initial values: posterior means of six seeds each.

    bench/bugs_beside_jags.py --croft build/release/croft [--only WORD] [--seeds 6] [--samples 4000] [--jobs 1]

A mean is right within THREE combined standard errors of the two programs.  A run without initial values and one with
them are compared with the same draws of JAGS, which has them.  Many values are compared: one in 370 differs so by
chance.  Exit status 1 where a value of a model differs in more than a third of its runs.
"""
import argparse
import json
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from bugs_models import coda, effective_samples

THREE = 3.0
GROUPS, EACH = 10, 10

# Response -> the lines of an observation with the linear predictor eta[i], a draw of it, constants.
RESPONSES = {
    'bernoulli': ('y[i] ~ dbern(p[i]); logit(p[i]) <- eta[i]', lambda r, e: int(r.random() < logistic(e))),
    'probit': ('y[i] ~ dbern(p[i]); probit(p[i]) <- eta[i]', lambda r, e: int(r.gauss(0, 1) < e)),
    'cloglog': ('y[i] ~ dbern(p[i]); cloglog(p[i]) <- eta[i]',
                lambda r, e: int(r.random() < -math.expm1(-math.exp(e)))),
    'binomial': ('y[i] ~ dbin(p[i], 8); logit(p[i]) <- eta[i]',
                 lambda r, e: sum(r.random() < logistic(e) for _ in range(8))),
    'poisson': ('y[i] ~ dpois(m[i]); log(m[i]) <- eta[i]', lambda r, e: poisson(r, math.exp(e))),
    'overdispersed': ('y[i] ~ dpois(m[i]); log(m[i]) <- eta[i] + u[i]; u[i] ~ dnorm(0, 4)',
                      lambda r, e: poisson(r, math.exp(e + r.gauss(0, 0.5)))),
    'negative-binomial': ('y[i] ~ dnegbin(q[i], 3); q[i] <- 3 / (3 + exp(eta[i]))',
                          lambda r, e: poisson(r, r.gammavariate(3, math.exp(e) / 3))),
    'weibull': ('y[i] ~ dweib(1.5, m[i]); log(m[i]) <- eta[i]',
                lambda r, e: (-math.log(r.random()) / math.exp(e)) ** (1 / 1.5)),
    'exponential': ('y[i] ~ dexp(m[i]); log(m[i]) <- eta[i]', lambda r, e: r.expovariate(math.exp(e))),
    'gamma': ('y[i] ~ dgamma(2, m[i]); log(m[i]) <- eta[i]', lambda r, e: r.gammavariate(2, math.exp(-e))),
    'normal': ('y[i] ~ dnorm(eta[i], 1)', lambda r, e: r.gauss(e, 1)),
    'student': ('y[i] ~ dt(eta[i], 1, 4)', lambda r, e: e + r.gauss(0, 1) / math.sqrt(r.gammavariate(2, 0.5))),
}
SCALES = {
    'uniform': ('sigma ~ dunif(0, 100)', {'sigma': 1}),
    'half-cauchy': ('sigma ~ dt(0, 0.16, 1)T(0,)', {'sigma': 1}),
    'gamma': ('sigma <- 1 / sqrt(precision); precision ~ dgamma(1, 0.5)', {'precision': 1}),
}


def logistic(x):
    return 1 / (1 + math.exp(-x))


def poisson(r, mean):
    count, left = 0, r.expovariate(1)
    while left < mean:
        count, left = count + 1, left + r.expovariate(1)
    return count


def grouped(response, scale):
    """Responses in groups whose effects have an unknown mean and scale."""
    line, draw = RESPONSES[response]
    prior, start = SCALES[scale]
    text = f'''model {{
  for (i in 1:N) {{ {line}; eta[i] <- a[g[i]] }}
  for (j in 1:J) {{ a[j] ~ dnorm(mu, pow(sigma, -2)) }}
  mu ~ dnorm(0, 1.0E-4)
  {prior}
}}'''
    r = random.Random(f'{response} {scale}')
    effects = [r.gauss(0.5, 0.6) for _ in range(GROUPS)]
    groups = [1 + i % GROUPS for i in range(GROUPS * EACH)]
    data = {'N': len(groups), 'J': GROUPS, 'g': groups, 'y': [draw(r, effects[g - 1]) for g in groups]}
    return text, data, {'mu': 0, **start}, 'mu,sigma,a'


def normal(r, count, mean=0, sd=1):
    return [r.gauss(mean, sd) for _ in range(count)]


def others():
    """name -> program, data, initial values, what is compared."""
    r = random.Random(5)
    x = normal(r, 40)
    made = {}
    made['line'] = ('model { for (i in 1:40) { y[i] ~ dnorm(a + b * x[i], t) } a ~ dnorm(0, 1.0E-6)\n'
                    'b ~ dnorm(0, 1.0E-6); t ~ dgamma(0.01, 0.01); s <- 1 / sqrt(t) }',
                    {'x': x, 'y': [2 - v + r.gauss(0, 0.5) for v in x]}, {'a': 0, 'b': 0, 't': 1}, 'a,b,s')
    made['far-predictor'] = ('model { for (i in 1:40) { y[i] ~ dbern(p[i]); logit(p[i]) <- a + b * (x[i] - 1000) }'
                             '\na ~ dnorm(0, 0.01); b ~ dnorm(0, 0.01) }',
                             {'x': [1000 + v for v in x], 'y': [int(r.random() < logistic(1 + v)) for v in x]},
                             {'a': 0, 'b': 0}, 'a,b')
    made['slopes'] = ('''model {
  for (i in 1:60) { y[i] ~ dpois(m[i]); log(m[i]) <- a[g[i]] + b[g[i]] * x[i] }
  for (j in 1:6) { a[j] ~ dnorm(ma, pow(sa, -2)); b[j] ~ dnorm(mb, pow(sb, -2)) }
  ma ~ dnorm(0, 0.01); mb ~ dnorm(0, 0.01); sa ~ dunif(0, 5); sb ~ dunif(0, 5)
}''', {'x': normal(r, 60), 'g': [1 + i % 6 for i in range(60)], 'y': [poisson(r, 2 + i % 6) for i in range(60)]},
                      {'ma': 0, 'mb': 0, 'sa': 1, 'sb': 1}, 'ma,mb,sa,sb')
    made['crossed'] = ('''model {
  for (i in 1:90) { y[i] ~ dnorm(mu + a[g[i]] + b[h[i]], t) }
  for (j in 1:9) { a[j] ~ dnorm(0, pow(sa, -2)) }
  for (j in 1:10) { b[j] ~ dnorm(0, pow(sb, -2)) }
  mu ~ dnorm(0, 1.0E-4); sa ~ dunif(0, 10); sb ~ dunif(0, 10); t ~ dgamma(0.1, 0.1)
}''', {'g': [1 + i % 9 for i in range(90)], 'h': [1 + i // 9 for i in range(90)],
       'y': [3 + 0.5 * (i % 9) - 0.2 * (i // 9) + r.gauss(0, 1) for i in range(90)]},
                       {'mu': 0, 'sa': 1, 'sb': 1, 't': 1}, 'mu,sa,sb,t')
    two = normal(r, 30, -3) + normal(r, 30, 3)
    made['two-classes'] = ('model { for (i in 1:60) { z[i] ~ dcat(p[1:2]); y[i] ~ dnorm(mu[z[i]], 1) }\n'
                           'p[1:2] ~ ddirch(alpha[]); mu[1] ~ dnorm(-3, 1); mu[2] ~ dnorm(3, 1) }',
                           {'y': two, 'alpha': [1, 1]}, {'mu': [-3, 3]}, 'mu,p')
    made['three-classes'] = ('model { for (i in 1:75) { z[i] ~ dcat(p[1:3]); y[i] ~ dnorm(mu[z[i]], t) }\n'
                             'p[1:3] ~ ddirch(alpha[]); for (k in 1:3) { mu[k] ~ dnorm(m[k], 1) } t ~ dgamma(2, 1) }',
                             {'y': normal(r, 25, -4) + normal(r, 25) + normal(r, 25, 4), 'alpha': [1, 1, 1],
                              'm': [-4, 0, 4]}, {'mu': [-4, 0, 4], 't': 1}, 'mu,p,t')
    states, now = [], 0
    for _ in range(80):
        now = now if r.random() < 0.9 else 1 - now
        states.append(r.gauss(4 * now - 2, 1))
    made['two-state-hmm'] = ('''model {
  z[1] ~ dcat(q[1:2]); y[1] ~ dnorm(mu[z[1]], 1)
  for (i in 2:80) { z[i] ~ dcat(P[z[i - 1], 1:2]); y[i] ~ dnorm(mu[z[i]], 1) }
  for (k in 1:2) { P[k, 1:2] ~ ddirch(alpha[]) }
  mu[1] ~ dnorm(-2, 1); mu[2] ~ dnorm(2, 1)
}''', {'y': states, 'q': [0.5, 0.5], 'alpha': [1, 1]}, {'mu': [-2, 2]}, 'mu,P')
    made['truncated-location'] = ('model { for (i in 1:12) { y[i] ~ dnorm(m, 1)T(0, 4) } m ~ dnorm(0, 0.1) }',
                                  {'y': [0.2 + 0.3 * i for i in range(12)]}, {'m': 1}, 'm')
    made['truncated-gamma'] = ('model { for (i in 1:12) { y[i] ~ dgamma(2, l)T(0.5, 6) } l ~ dgamma(2, 2) }',
                               {'y': [0.6 + 0.3 * i for i in range(12)]}, {'l': 1}, 'l')
    made['truncated-counts'] = ('model { for (i in 1:12) { y[i] ~ dpois(l)T(1,) } l ~ dgamma(1, 0.1) }',
                                {'y': [1, 2, 1, 3, 2, 4, 1, 1, 2, 5, 1, 2]}, {'l': 1}, 'l')
    made['left-truncated'] = ('model { for (i in 1:12) { y[i] ~ dweib(s, l)T(0.2,) }\n'
                              's ~ dgamma(4, 4); l ~ dgamma(2, 2) }',
                              {'y': [0.3 + 0.15 * i for i in range(12)]}, {'s': 1, 'l': 1}, 's,l')
    lifetimes = [r.weibullvariate(2, 1.5) for _ in range(30)]
    made['censored'] = ('model { for (i in 1:30) { late[i] ~ dinterval(y[i], 2); y[i] ~ dexp(l) } l ~ dgamma(1, 1) }',
                        {'y': [t if t <= 2 else None for t in lifetimes], 'late': [int(t > 2) for t in lifetimes]},
                        {'l': 1, 'y': [None if t <= 2 else 3 for t in lifetimes]}, 'l')
    made['missing'] = ('model { for (i in 1:40) { y[i] ~ dnorm(a + b * x[i], 4); x[i] ~ dnorm(c, 1) }\n'
                       'a ~ dnorm(0, 0.01); b ~ dnorm(0, 0.01); c ~ dnorm(0, 0.01) }',
                       {'x': [v if i % 5 else None for i, v in enumerate(x)],
                        'y': [1 + 2 * v + r.gauss(0, 0.5) for v in x]}, {'a': 0, 'b': 0, 'c': 0}, 'a,b,c,x[1]')
    made['ar-1'] = ('model { y[1] ~ dnorm(0, 0.1); for (i in 2:60) { y[i] ~ dnorm(rho * y[i - 1], t) }\n'
                    'rho ~ dunif(-1, 1); t ~ dgamma(1, 1) }', {'y': walk(r, 60, 0.7)}, {'rho': 0, 't': 1}, 'rho,t')
    made['local-level'] = ('model { m[1] ~ dnorm(0, 0.01); y[1] ~ dnorm(m[1], t)\n'
                           'for (i in 2:50) { m[i] ~ dnorm(m[i - 1], u); y[i] ~ dnorm(m[i], t) }\n'
                           't ~ dgamma(2, 1); u ~ dgamma(2, 0.5) }',
                           {'y': walk(r, 50, 1)}, {'t': 1, 'u': 1}, 't,u,m[25]')
    made['beta-binomial'] = ('model { for (i in 1:10) { y[i] ~ dbin(p[i], 20); p[i] ~ dbeta(a, b) }\n'
                             'a ~ dgamma(2, 0.5); b ~ dgamma(2, 0.5) }', {'y': [3, 5, 8, 10, 4, 6, 9, 12, 2, 7]},
                             {'a': 1, 'b': 1}, 'a,b')
    made['multinomial'] = ('model { y[1:4] ~ dmulti(p[1:4], 60); p[1:4] ~ ddirch(alpha[]) }',
                           {'y': [10, 20, 25, 5], 'alpha': [1, 2, 1, 1]}, {}, 'p')
    made['wishart'] = ('model { for (i in 1:25) { y[i, 1:2] ~ dmnorm(m[], T[,]) } T[1:2, 1:2] ~ dwish(R[,], 3)\n'
                       'm[1:2] ~ dmnorm(z[], R[,]) }',
                       {'y': [normal(r, 2) for _ in range(25)], 'R': [[1, 0], [0, 1]], 'z': [0, 0]}, {}, 'm,T')
    made['changepoint'] = ('model { for (i in 1:40) { y[i] ~ dpois(l[1 + step(i - k - 0.5)]) } k ~ dcat(q[])\n'
                           'for (j in 1:40) { q[j] <- 1 / 40 } for (j in 1:2) { l[j] ~ dgamma(1, 0.2) } }',
                           {'y': [poisson(r, 6 if i < 22 else 2) for i in range(40)]}, {'k': 10, 'l': [4, 4]}, 'k,l')
    made['logistic-curve'] = ('model { for (i in 1:30) { y[i] ~ dnorm(a / (1 + exp(-b * (x[i] - c))), t) }\n'
                              'a ~ dnorm(5, 0.1); b ~ dgamma(2, 1); c ~ dnorm(0, 0.1); t ~ dgamma(2, 0.1) }',
                              {'x': [i / 5 - 3 for i in range(30)],
                               'y': [5 * logistic(1.5 * (i / 5 - 3)) + r.gauss(0, 0.3) for i in range(30)]},
                              {'a': 4, 'b': 1, 'c': 0, 't': 1}, 'a,b,c,t')
    made['ordered'] = ('model { for (i in 1:50) { y[i] ~ dcat(p[i, 1:3]); p[i, 1] <- ilogit(c - b * x[i])\n'
                       'p[i, 2] <- ilogit(c + d - b * x[i]) - p[i, 1]; p[i, 3] <- 1 - ilogit(c + d - b * x[i]) }\n'
                       'b ~ dnorm(0, 0.1); c ~ dnorm(0, 0.1); d ~ dexp(0.5) }',
                       {'x': (xs := normal(r, 50)), 'y': [1 + (v + r.gauss(0, 1) > -0.5) + (v + r.gauss(0, 1) > 0.8)
                                                         for v in xs]}, {'b': 0, 'c': 0, 'd': 1}, 'b,c,d')
    made['zero-inflated'] = ('model { for (i in 1:50) { y[i] ~ dpois(z[i] * l + 1.0E-9); z[i] ~ dbern(p) }\n'
                             'p ~ dbeta(1, 1); l ~ dgamma(1, 0.2) }',
                             {'y': [poisson(r, 4) * (r.random() < 0.6) for _ in range(50)]}, {'p': 0.5, 'l': 2}, 'p,l')
    made['mark-recapture'] = ('model { for (i in 1:5) { y[i] ~ dbin(p, N) } N ~ dpois(60); p ~ dbeta(2, 2) }',
                              {'y': [20, 24, 18, 22, 25]}, {'N': 60, 'p': 0.5}, 'N,p')
    made['double-exponential'] = ('model { for (i in 1:30) { y[i] ~ ddexp(m, t) }\n'
                                  'm ~ dnorm(0, 0.01); t ~ dgamma(1, 1) }',
                                  {'y': normal(r, 30, 2)}, {'m': 0, 't': 1}, 'm,t')
    made['pareto'] = ('model { for (i in 1:20) { y[i] ~ dpar(a, c) } a ~ dgamma(1, 1); c ~ dunif(0, 2) }',
                      {'y': [1.1 + r.expovariate(1) for _ in range(20)]}, {'a': 1, 'c': 0.5}, 'a,c')
    return made


def walk(r, count, rho):
    values = [0.0]
    while len(values) < count:
        values.append(rho * values[-1] + r.gauss(0, 1))
    return values


def fifty():
    grid = [(response, scale) for response in RESPONSES for scale in SCALES]
    some = [pair for k, pair in enumerate(grid) if k % 3 != 2 or pair[0] in ('bernoulli', 'poisson')]
    made = {f'{response}, {scale}': grouped(response, scale) for response, scale in some}
    made.update(others())
    return made


def dump(values):
    """As R writes it, which JAGS reads."""
    def text(value):
        if isinstance(value, list) and value and isinstance(value[0], list):
            flat = ','.join(text(row[k]) for k in range(len(value[0])) for row in value)
            return f'structure(c({flat}), .Dim=c({len(value)},{len(value[0])}))'
        if isinstance(value, list):
            return f'c({",".join(map(text, value))})'
        return 'NA' if value is None else repr(value)
    return ''.join(f'`{name}` <- {text(value)}\n' for name, value in values.items())


def by_jags(folder, text, data, inits, monitors, samples):
    """name -> mean, its standard error, by JAGS with initial values."""
    (folder / 'm.bug').write_text(text)
    (folder / 'd.R').write_text(dump(data))
    start = ''
    for chain in range(1, 5):
        (folder / f'i{chain}.R').write_text(
            dump(inits) + f'`.RNG.name` <- "base::Mersenne-Twister"\n`.RNG.seed` <- {chain}\n')
        start += f'parameters in "i{chain}.R", chain({chain})\n'
    (folder / 'run.cmd').write_text(
        'load glm\nmodel in "m.bug"\ndata in "d.R"\ncompile, nchains(4)\n' + start + 'initialize\nupdate 4000\n'
        + ''.join(f'monitor {name}\n' for name in monitors.split(',')) + f'update {5 * samples}\ncoda *\nexit\n')
    done = subprocess.run(['jags', 'run.cmd'], cwd=folder, capture_output=True, text=True, check=False)
    found = coda(folder)
    if not found:
        raise RuntimeError(done.stdout[-400:] + done.stderr[-400:])
    answer = {}
    for name, chains in found.items():
        pooled = [v for chain in chains for v in chain]
        mean = sum(pooled) / len(pooled)
        variance = sum((v - mean) ** 2 for v in pooled) / len(pooled)
        size = effective_samples(chains) if variance > 0 else 1
        answer[name] = (mean, math.sqrt(variance / size))
    return answer


def by_croft(croft, folder, text, data, inits, monitors, samples, seed):
    (folder / 'm.bug').write_text(text)
    (folder / 'd.json').write_text(json.dumps(data))
    command = [croft, 'bugs', 'm.bug', '--data', 'd.json', '--monitor', monitors, '--samples', str(samples), '--seed',
               str(seed), '--json', '--quiet', '--method', 'sampling']
    if inits:
        (folder / 'i.json').write_text(json.dumps(inits))
        command += ['--inits', 'i.json']
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-400:])
    return {node['name']: (node['mean'], node['mcse']) for node in json.loads(done.stdout)['nodes']}


def compare(croft, made, seeds, samples):
    """Runs that differ of all runs, by value and start; the worst distance in standard errors."""
    text, data, inits, monitors = made
    with tempfile.TemporaryDirectory(prefix='beside-jags-') as name:
        folder = pathlib.Path(name)
        right = by_jags(folder, text, data, inits, monitors, samples)
        differ, worst = {}, 0.0
        for start, values in (('no starts', {}), ('starts', inits)):
            for seed in range(1, seeds + 1):
                found = by_croft(croft, folder, text, data, values, monitors, samples, seed)
                for node, (mean, error) in right.items():
                    here, here_error = found[node]
                    scale = math.hypot(error, here_error or 0) or 1e-12 + 1e-9 * abs(mean)
                    distance = abs(here - mean) / scale if here is not None else math.inf
                    worst = max(worst, distance)
                    differ.setdefault((node, start), []).append(distance > THREE)
    return differ, worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--croft', required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument('--only', default='', help='models whose name has this in it')
    parser.add_argument('--seeds', type=int, default=6)
    parser.add_argument('--samples', type=int, default=4000, help='of each of four chains; JAGS has five times as many')
    options = parser.parse_args()
    if not shutil.which('jags'):
        sys.exit('jags is not installed: apt-get install jags')
    wrong, runs, outside = [], 0, 0
    for name, made in fifty().items():
        if options.only not in name:
            continue
        try:
            differ, worst = compare(options.croft, made, options.seeds, options.samples)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f'{name:32} FAILED {error}')
            wrong.append(name)
            continue
        bad = {key: sum(each) for key, each in differ.items() if 3 * sum(each) > len(each)}
        runs += sum(map(len, differ.values()))
        outside += sum(map(sum, differ.values()))
        print(f'{name:32} {len(differ) // 2:3} values, worst {worst:6.2f} standard errors'
              + ''.join(f'; {node} ({start}): {count} of {options.seeds}' for (node, start), count in bad.items()),
              flush=True)
        if bad:
            wrong.append(name)
    print(f'{runs} means compared, {outside} beyond {THREE:g} standard errors; models that differ: {wrong or "none"}')
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
