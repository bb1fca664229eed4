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

    def declaration(self, module):
        """Ports only, as a black box."""
        ports = [l for l in self.text[module] if re.match(r'  wire .*\b(input|output|inout) ', l)]
        return ['attribute \\blackbox 1\n', f'module \\{module}\n', *ports, 'end\n']

    def alone(self, module):
        """The text of a module with declarations of those that it instantiates."""
        lines = []
        for other in self.instances(module):
            lines += self.declaration(other)
        return ''.join(lines + self.text[module])


def source_name(module):
    """The module of the source: the front end names an instance's module <module>$<path>."""
    return module.split('$', 1)[0]
