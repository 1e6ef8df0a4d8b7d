"""The instances of bench/graphs.py: where their files are, and ln Z as two programs agree on it."""

# "+ev": with 15 % of the variables observed.
LOG_PARTITION = {
    'Grids_12': 697.881206, 'Segmentation_11': -55.253044, 'Promedus_13': -10.377816,
    'Promedus_15': -8.373747, 'Promedus_24': -13.497319, 'Promedus_28': -18.723514, 'CSP_12': 37.88575,
    'Pedigree_12': -26.377143, 'Pedigree_13': -35.028915, 'relational_3': 867.42195,
    'Alchemy_11': 1396.009446, 'DBN_11': 134.771832, 'ObjectDetection_11': -172.418405, 'CSP_11': 31.229955,
    'Grids_11': 390.077166, 'alarm': 0, 'insurance': 0, 'hailfinder': 0, 'win95pts': 0, 'water': 0,
    'andes': 0, 'pigs': 0, 'pathfinder': 0, 'munin': 0, 'mildew': 0, 'link': 0, 'alarm+ev': -7.05012303,
    'child+ev': -2.92927668, 'insurance+ev': -2.55977377, 'hailfinder+ev': -10.80638925,
    'win95pts+ev': -6.38734519, 'hepar2+ev': -6.87527334, 'water+ev': -1.43941062, 'andes+ev': -12.77916938,
    'pigs+ev': -61.02716135, 'pathfinder+ev': -4.22031021, 'munin+ev': -115.88256389,
    'mildew+ev': -8.94221796, 'link+ev': -37.58249304, 'barley+ev': -9.28453951, 'munin1+ev': -44.29476105,
}
EXACT_LONG = ('CSP_11', 'munin1+ev')  # libDAI takes 40 s and more
EXACT = tuple(name for name in LOG_PARTITION if name not in EXACT_LONG)
PROPAGATION = tuple(name for name in LOG_PARTITION if name not in ('Grids_11', 'Grids_12'))  # no fixed point is found


def log_partition(name):
    return LOG_PARTITION[name]


def files(data, name):
    """The graph, and its evidence or None; "map NAME" is of the instances for the best assignment."""
    if name.startswith('map '):
        graph = data / f'uai-map/{name[4:]}.uai'
        return graph, evidence_of(graph)
    graph = data / f'uai-mar/{name}.uai'
    if name.endswith('+ev'):
        graph = data / f'bnlearn/{name[:-3]}.uai'
        return graph, graph.with_name(graph.name + '.evid2')
    if name[0].islower() and name != 'relational_3':
        return data / f'bnlearn/{name}.uai', None
    return graph, evidence_of(graph)


def evidence_of(graph):
    path = graph.with_name(graph.name + '.evid')
    return path if path.exists() else None
