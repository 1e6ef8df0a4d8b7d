"""Tables in Markdown, and the places in docs/study.md that they go to."""
import re


def table(head, rows, left=1):
    """Rows of strings under `head`; the first `left` columns are words, the others numbers."""
    lines = ['| ' + ' | '.join(head) + ' |',
             '|' + '---|' * left + '---:|' * (len(head) - left)]
    return '\n'.join(lines + ['| ' + ' | '.join(map(str, row)) + ' |' for row in rows])


def seconds(value):
    return '' if value is None else f'{value:.2f}' if value < 10 else f'{value:.0f}'


def count(value):
    return '' if value is None else f'{value:,}'


def tiny(value):
    """A gap, in two digits."""
    return '' if value is None else f'{value:.1e}'


class Page:
    """docs/study.md: prose, and between markers what the study writes."""

    def __init__(self, path):
        self.path = path

    def put(self, name, text):
        """Replaces what stands between the markers of `name`."""
        begin, end = f'<!-- study:{name}:begin -->', f'<!-- study:{name}:end -->'
        page = self.path.read_text()
        if begin not in page or end not in page:
            raise SystemExit(f'{self.path} has no place for {name}: {begin} … {end}')
        pattern = re.escape(begin) + '.*?' + re.escape(end)
        self.path.write_text(re.sub(pattern, lambda _: f'{begin}\n{text}\n{end}', page,
                                    flags=re.S))
