"""One training is one record, kept as JSON by its command and croft's build."""
import functools
import hashlib
import json
import math
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

KEPT = ('iteration', 'evaluations', 'seconds', 'objective', 'gap', 'active_features')


class Process:
    """A finished program: seconds of wall clock and of processor, peak memory, what it wrote.

    After `limit` seconds it is interrupted, as by Ctrl-C, and a minute later ended.
    """

    def __init__(self, command, limit, errors):
        start = time.perf_counter()
        with open(errors, 'wb') as err:
            process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=err)
        timers = [threading.Timer(limit, process.send_signal, [signal.SIGINT]),
                  threading.Timer(limit + 60, process.kill)]
        for timer in timers:
            timer.start()
        try:
            self.out = process.stdout.read().decode(errors='replace')
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:  # Ctrl-C: the program does not stay behind
            process.kill()
            raise
        finally:
            for timer in timers:
                timer.cancel()
        process.returncode = self.status = os.waitstatus_to_exitcode(status)
        self.seconds = time.perf_counter() - start
        self.limited = self.seconds >= limit
        self.processor_seconds = usage.ru_utime + usage.ru_stime
        self.megabytes = usage.ru_maxrss / 1024
        self.err = errors.read_text(errors='replace')


@functools.cache
def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Failure(Exception):
    """A run that gave no result, in a line."""


class Runs:
    """Runs croft, and remembers what it did.

    croft   the program
    folder  of the cache, and of what is thrown away
    stale   a record of another build counts as well, where there is none of this one
    """

    def __init__(self, croft, folder, commit, stale=False):
        self.folder, self.commit, self.stale = folder, commit, stale
        self.cache = folder / 'cache'
        self.cache.mkdir(parents=True, exist_ok=True)
        self.build = digest(croft)[:12]
        self.scratch_owner = tempfile.TemporaryDirectory(dir=folder, prefix='run')
        self.scratch = Path(self.scratch_owner.name)
        self.croft = self.scratch / 'croft'  # a copy: a study may take longer than the next build
        shutil.copy(croft, self.croft)
        self.commits = set()  # of the records that were used

    def catalogue(self):
        """({objective: its optimizer by default}, {optimizer: summary}), from `train --help`."""
        text = subprocess.run([self.croft, 'train', '--help'], capture_output=True, text=True,
                              check=True).stdout
        objectives, optimizers = (re.search(title + r':\n((?:  .*\n)+)', text).group(1)
                                  for title in (r'Objectives[^\n]*', 'Optimizers'))
        of_chains = [line for line in objectives.splitlines() if 'of --model memm' not in line]
        return (dict(re.findall(r'^  (\S+) .*\(([^\s,]+).*\)$', '\n'.join(of_chains), re.M)),
                dict(re.findall(r'^  (\S+) +(.*)$', optimizers, re.M)))

    def stored(self, key, limit):
        """The record of `key` if its run had `limit` seconds or did not need them.

        Stale ones count whatever they had, the latest first.
        """
        own = self.cache / f'{key}.{self.build}.json'
        if own.exists():
            record = json.loads(own.read_text())
            if not record['limited'] or record['limit'] >= limit:
                return record
        if not self.stale:
            return None
        others = sorted(self.cache.glob(f'{key}.*.json'), key=lambda p: p.stat().st_mtime)
        return json.loads(others[-1].read_text()) if others else None

    def train(self, data, options, limit, threads=1):
        """A training on `data`, scored on its test file if it has one; a dict.  Raises Failure."""
        command = list(map(str, ['train', *data.options, *options, '--threads', threads,
                                 data.train.name]))
        key = hashlib.sha256(f'{command} {digest(data.train)}'.encode()).hexdigest()[:16]
        text = f'{data.name}: {" ".join(map(str, [*options, "--threads", threads]))}'
        record = self.stored(key, limit)
        if record is None:
            print(f'  {text} … ', end='', flush=True)
            record = self.run(data, options, limit, threads)
            record['command'] = 'croft ' + ' '.join(command)
            path = self.cache / f'{key}.{self.build}.json'
            part = path.with_suffix('.part')
            part.write_text(json.dumps(record))
            part.rename(path)
        else:
            print(f'  {text} … kept: ', end='')
        self.commits.add(record['commit'])
        scores = [f'{name} {record[name]:.2f}' for name in ('F1', 'accuracy') if name in record]
        print(f'{record["seconds"]:.1f} s, objective {record["objective"]:.2f}', *scores,
              'LIMIT' if record['limited'] else '', flush=True)
        return record

    def run(self, data, options, limit, threads):
        model, log = self.scratch / 'model.croft', self.scratch / 'log.jsonl'
        errors = self.scratch / 'errors.txt'
        load = os.getloadavg()[0]
        model.unlink(missing_ok=True)
        process = Process([self.croft, 'train', '-o', model, '--log', log, *data.options,
                           *options, '--threads', threads, data.train], limit, errors)
        lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        if process.status != 0 and not (process.limited and model.exists()):
            print('failed')
            raise Failure(process.err.strip().splitlines()[-1] if process.err.strip()
                          else f'ended with status {process.status}')
        steps = [e for e in lines if e['event'] == 'iteration']
        done = next((e for e in lines if e['event'] == 'done'), {})
        record = {'build': self.build, 'commit': self.commit, 'limit': limit,
                  'limited': process.limited, 'load': load, 'date': time.strftime('%F %R'),
                  'seconds': process.seconds, 'processor_seconds': process.processor_seconds,
                  'megabytes': process.megabytes, 'reason': done.get('reason', 'ended'),
                  'message': done.get('message', ''),
                  'objective': self.objective(done, steps),
                  **self.sizes(process.err),
                  'steps': [{k: e[k] for k in KEPT if k in e} for e in steps]}
        if data.test and model.exists():  # an interrupted training leaves one too
            record.update(self.score(model, data))
        log.unlink()
        return record

    @staticmethod
    def objective(done, steps):
        """At the end; NaN where an interruption left none known."""
        if done.get('objective') is not None:
            return done['objective']
        return steps[-1]['objective'] if steps else math.nan

    def score(self, model, data):
        process = Process([self.croft, 'evaluate', '--json', '-m', model, data.test], 600,
                          self.scratch / 'errors.txt')
        if process.status != 0:
            print('failed')
            raise Failure('evaluate: ' + process.err.strip())
        report = json.loads(process.out)
        scores = {'accuracy': 100 * report['tokens']['accuracy']}
        if data.score == 'F1':
            scores['F1'] = 100 * report['chunk']['f1']
        return scores

    @staticmethod
    def sizes(text):
        """Positions, labels and weights, as the progress lines say."""
        sizes = {}
        for name in ('sequences', 'positions', 'labels', 'attributes', 'weights'):
            found = re.search(rf'(\d+) {name}', text)
            if found:
                sizes[name] = int(found.group(1))
        return sizes
