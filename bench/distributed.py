#!/usr/bin/env python3
"""Training by mpirun: the time of a pass on one and two processes, what of it is communication, and a model of more.

  python3 bench/distributed.py --croft build/release/croft --data DIR [--copies 8] [--json]

DIR holds conll2000/train.txt, which is taken several times over, so that there are waves enough for all.  Each process
has one thread.  First the models must be the same file.  A pass is an evaluation of the objective and its gradient,
with what L-BFGS does between two of them.
"""
import argparse
import json
import os
import tempfile
from pathlib import Path

from harness import Run, check, machine

ITERATIONS = 20
ROOT_ALLOWED = {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}
# Networks that the model assumes: bytes a second each way, and seconds for a message.
NETWORKS = {'10 Gb/s Ethernet, 30 us': (1.25e9, 30e-6), '100 Gb/s InfiniBand, 2 us': (12.5e9, 2e-6)}


def train(croft, folder, processes, data, template):
    """Seconds and communication of a pass, from the log."""
    model, log = folder / f'm{processes}.croft', folder / f'log{processes}.jsonl'
    # Lines of iterations begin after the data has been read.
    Run(['mpirun', '--oversubscribe', '-n', processes, croft, 'train', '--quiet', '--optimizer', 'lbfgs',
         '--tolerance', '0', '--max-iterations', ITERATIONS, '--log', log, '--template', template, '-o', model, data],
        env=ROOT_ALLOWED)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    steps = [event for event in events if event['event'] == 'iteration']
    done = events[-1]
    passes = steps[-1]['evaluations'] - steps[0]['evaluations']
    return {'model': model, 'weights': done_weights(croft, model),
            'pass': (steps[-1]['seconds'] - steps[0]['seconds']) / passes,
            'communication': done.get('communication_seconds', 0) / (passes + 1),
            'bytes': done.get('communication_bytes', 0) / (passes + 1)}


def done_weights(croft, model):
    return json.loads(Run([croft, 'inspect', '-m', model, '--json', '--top', '1']).out)['training']['weights']


def touched(croft, folder, data, template):
    """The share of the weights that half of the data touches: a model of it alone has those."""
    lines = data.read_text().split('\n\n')
    half = folder / 'half.txt'
    half.write_text('\n\n'.join(lines[:len(lines) // 2]) + '\n')
    model = folder / 'half.croft'
    Run([croft, 'train', '--quiet', '--optimizer', 'lbfgs', '--max-iterations', '1', '--template', template,
         '-o', model, half])
    return done_weights(croft, model)


def predicted(one, two, weights, processes, network):
    """(DS.3): what is shared out and what each does by itself, from the times of one and two processes."""
    rate, latency = NETWORKS[network]
    own = two['pass'] - two['communication']
    shared = max(0.0, 2 * (one['pass'] - own))
    alone = max(0.0, one['pass'] - shared)
    rounds = max(1, processes - 1).bit_length()
    # The gradient is summed; each sends its part of the direction, in single precision, to all.
    exchange = (processes - 1) / processes * (2 * 8 + 4) * weights / rate + 3 * latency * rounds
    return shared / processes + alone + exchange


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--croft', type=Path, required=True)
    parser.add_argument('--data', type=Path, required=True)
    parser.add_argument('--copies', type=int, default=8)
    parser.add_argument('--json', action='store_true')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = (args.data / 'conll2000/train.txt').read_text()
        data = folder / 'train.txt'
        data.write_text(text * args.copies)
        template = args.data / 'conll2000/chunking.crfpp.template'
        times = {k: train(args.croft, folder, k, data, template) for k in (1, 2)}
        check(times[1]['model'].read_bytes() == times[2]['model'].read_bytes(), 'one and two processes differ')
        weights = times[1]['weights']
        half = touched(args.croft, folder, folder / 'train.txt', template)
        result = {'machine': machine(), 'weights': weights, 'bytes_a_pass': times[2]['bytes'], 'bound': 8 * half,
                  'pass': {k: times[k]['pass'] for k in times},
                  'communication': times[2]['communication'],
                  'model': {net: {k: predicted(times[1], times[2], weights, k, net)
                                  for k in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)} for net in NETWORKS}}
    if args.json:
        print(json.dumps(result))
        return
    print(f'{result["machine"]}\n')
    print(f'{args.copies} times CoNLL-2000, {weights:,} weights, one thread a process, {os.cpu_count()} processors')
    for k, each in times.items():
        print(f'  {k} processes: {each["pass"]:.3f} s a pass, of which communication {each["communication"]:.3f} s '
              f'({100 * each["communication"] / each["pass"]:.0f} %)')
    print(f'  {times[2]["bytes"] / 1e6:.1f} MB a pass and process; weights that half of the data touches: '
          f'{8 * half / 1e6:.1f} MB')
    print('\nmodel of a pass (s), and times faster than one process')
    for net, by_count in result['model'].items():
        print(f'  {net}')
        for k, seconds in by_count.items():
            print(f'  {k:>6}  {seconds:8.3f}  {by_count[1] / seconds:6.1f} x')


if __name__ == '__main__':
    main()
