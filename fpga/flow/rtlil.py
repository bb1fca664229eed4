# SPDX-License-Identifier: Apache-2.0
"""RTLIL text, cut into modules, so that each can be synthesized by itself."""
import re


class Design:
    """The modules of a design in RTLIL. Module names are without the leading backslash."""

    def __init__(self, path):
        self.text = {}  # module -> lines
        pending, lines, name = [], None, None
        with open(path, encoding='utf-8') as source:
            for line in source:
                if lines is not None:
                    lines.append(line)
                    if line == 'end\n':
                        self.text[name] = lines
                        lines = None
                elif line.startswith('attribute '):
                    pending.append(line)
                elif line.startswith('module '):
                    name = line.split()[1].lstrip('\\')
                    lines, pending = pending + [line], []
        # Vendor primitives are declared only, and the synthesis tool knows them.
        for module in [m for m, t in self.text.items() if any('\\blackbox' in l for l in t[:8])]:
            del self.text[module]

    def instances(self, module):
        """Modules of this design that a module instantiates."""
        used = {l.split()[1].lstrip('\\') for l in self.text[module] if l.startswith('  cell \\')}
        return sorted(used & self.text.keys())

    def alone(self, module):
        """The text of a module, called `this`, with declarations of those that it instantiates, called `child0` ...;
        and their names. Equal for equal modules wherever they are instantiated, whatever line they stand in."""
        names = {'this': module}
        lines = []
        for number, child in enumerate(self.instances(module)):
            names[f'child{number}'] = child
            ports = [l for l in self.text[child] if re.match(r'  wire .*\b(input|output|inout) ', l)]
            lines += ['attribute \\blackbox 1\n', f'module \\child{number}\n', *ports, 'end\n']
        short = {name: alias for alias, name in names.items()}
        private = {}  # names that the front end numbered through the whole design
        for line in self.text[module]:
            words = line.split()
            if words[0] in ('wire', 'cell') and words[-1].startswith('$'):
                private.setdefault(words[-1], f'${len(private)}')
        for line in self.text[module]:
            words = line.split()
            if words[0] == 'attribute' and words[1] in ('\\src', '\\hdlname'):
                continue
            if words[0] in ('module', 'cell') and words[1].lstrip('\\') in short:
                line = line.replace(words[1], '\\' + short[words[1].lstrip('\\')], 1)
            lines.append(re.sub(r'\$\S+', lambda m: private.get(m[0], m[0]), line))
        return 'autoidx 100000000\n' + ''.join(lines), names


def with_names(text, names):
    """RTLIL text with modules renamed, where they are defined and where they are instantiated."""
    out = []
    for line in text.splitlines(keepends=True):
        words = line.split()
        if words and words[0] in ('module', 'cell') and words[1].lstrip('\\') in names:
            line = line.replace(words[1], '\\' + names[words[1].lstrip('\\')], 1)
        out.append(line)
    return ''.join(out)


def renamed(text, names):
    """The module `this` of RTLIL text, with the names of `alone` put back; nothing else of the text."""
    begin = text.index('module \\this\n')
    return with_names(text[begin:text.index('\nend\n', begin) + 5], names)


def source_name(module):
    """The module of the source: the front end names an instance's module <module>$<path>."""
    return module.split('$', 1)[0]
