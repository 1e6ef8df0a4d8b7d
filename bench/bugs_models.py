"""BUGS models beside JAGS: effective samples a second of processor, on the scripts of the classic examples."""
import os
import re
import resource
import shutil
import subprocess

from harness import check, row

WORST_DEVIATION = 0.15  # of a posterior mean, in standard deviations: the examples' own rule
WORST_Z = 4.5           # in Monte Carlo errors of both runs; about 150 values are compared
SHORTENED = {'vol1/lsat/test2.cmd': 0.15}  # share of the updates: JAGS needs six minutes for all


def processor_seconds(command, folder):
    """Runs a command in a folder; its user seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([str(c) for c in command], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f'{command}: {done.stdout[-500:]}{done.stderr[-500:]}')
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def coda(folder):
    """name -> chains of draws, of CODA files."""
    import numpy
    values = {}
    for index in sorted(folder.glob('*index.txt')):
        chains = []
        number = 1
        while (path := index.with_name(index.name.replace('index', f'chain{number}'))).exists():
            chains.append(numpy.loadtxt(path, usecols=1))
            number += 1
        for line in index.read_text().splitlines():
            name, first, last = line.rsplit(None, 2)
            values[name.strip('"')] = [c[int(first) - 1:int(last)] for c in chains]
    return values


def effective_samples(chains):
    """Draws over 1 + 2 sum of autocorrelations, in pairs up to the first that is not positive (Geyer 1992)."""
    import numpy
    n = min(len(c) for c in chains)
    size = 1 << (2 * n - 1).bit_length()
    covariance = numpy.zeros(n)
    for c in chains:
        f = numpy.fft.rfft(c[:n] - c[:n].mean(), size)
        covariance += numpy.fft.irfft(f * f.conj(), size)[:n] / n
    covariance /= len(chains)
    means = numpy.array([c[:n].mean() for c in chains])
    between = means.var(ddof=1) if len(chains) > 1 else 0.0
    variance = covariance[0] * n / (n - 1)
    total = variance * (n - 1) / n + between
    if not total > 0:
        return float('nan')
    rho = 1 - (variance - covariance * n / (n - 1)) / total
    rho[0] = 1
    pairs = rho[0:n - n % 2:2] + rho[1:n:2]
    negative = numpy.nonzero(pairs <= 0)[0]
    pairs = numpy.minimum.accumulate(pairs[:negative[0] if len(negative) else None])
    return len(chains) * n / max(2 * pairs.sum() - 1, 1 / numpy.log10(len(chains) * n))


class BugsModels:
    """Mixed into Bench: uses its croft, data and folder."""

    def bugs(self):
        """Every script of data/bugs, or those whose names hold a word of BUGS_ONLY."""
        import numpy
        jags = shutil.which('jags')
        check(jags, 'jags is not installed')
        words = os.environ.get('BUGS_ONLY', '').split()
        ratios, differs = [], []
        for script in sorted((self.data / 'bugs').glob('vol*/*/*test*.cmd')):
            name = str(script.relative_to(self.data / 'bugs'))
            if words and not any(word in name for word in words):
                continue
            seconds, draws = {}, {}
            for program in ('jags', 'croft'):
                folder = self.folder / f'{program}-{name.replace("/", "-")}'
                shutil.copytree(script.parent, folder)
                text = self.shortened(script.read_text(), SHORTENED.get(name, 1))
                (folder / 'run.cmd').write_text(text)
                command = [jags, 'run.cmd'] if program == 'jags' else [
                    self.croft, 'bugs', 'run.cmd', '--threads', 1, '--method', 'sampling']
                seconds[program] = processor_seconds(command, folder)
                draws[program] = coda(folder)
                shutil.rmtree(folder)
            worst, wrong = None, ''
            for value, theirs in draws['jags'].items():
                ours = draws['croft'].get(value)
                if ours is None:
                    wrong = f'{value} is missing'
                    continue
                if numpy.ptp(numpy.concatenate(theirs)) == 0:
                    continue
                effective = [effective_samples(d) for d in (ours, theirs)]
                all_ours, all_theirs = numpy.concatenate(ours), numpy.concatenate(theirs)
                difference = abs(all_ours.mean() - all_theirs.mean())
                error = (all_ours.var() / effective[0] + all_theirs.var() / effective[1]) ** 0.5
                if difference > WORST_Z * error or (difference > WORST_DEVIATION * all_theirs.std() and
                                                    difference > 2 * error):
                    wrong = f'{value}: {all_ours.mean():.5g} and {all_theirs.mean():.5g}'
                rates = (effective[0] / seconds['croft'], effective[1] / seconds['jags'])
                if worst is None or rates[0] / rates[1] < worst[0] / worst[1]:
                    worst = (*rates, value)
            if wrong:
                differs.append(f'{name} ({wrong})')
            row(f'{name} {worst[2]}', worst[0], worst[1], 'ESS/s', 'JAGS', 1, higher_is_better=True)
            ratios.append(worst[0] / worst[1])
        ratios.sort()
        print(f'{len(ratios)} scripts: the ratio is at least {ratios[0]:.2f}, in the middle '
              f'{ratios[len(ratios) // 2]:.2f}, at least 3 in {sum(r >= 3 for r in ratios)}')
        check(not differs, 'posterior means differ: ' + ', '.join(differs))

    @staticmethod
    def shortened(text, share):
        """A script with so much of its last updates, and with an end."""
        if share != 1:
            counts = list(re.finditer(r'^update +(\d+)', text, re.MULTILINE))
            last = counts[-1]
            text = text[:last.start(1)] + str(int(int(last[1]) * share)) + text[last.end(1):]
        return text if re.search(r'^exit', text, re.MULTILINE) else text + '\nexit\n'
