#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the layers of host-runtime/ include and link: only what lies below them. Usage: layers_test.py LINKS, a file of heddle_write_links."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOST = 'host-runtime/'
# Everything may use host-runtime/include (as "heddle/…"), the instruction set and presets. Besides, each layer uses these: folders, which
# end with a slash, and single files.
LAYERS = {
    # runtime_block.h is the layout of what device code leaves to the host: both sides include it.
    'formats': {'firmware/devrt/runtime_block.h'},
    'device': set(),
    'compiler': {HOST + 'formats/'},
    # CUDA source to PTX: nvcc's options, and clang, which is a process.
    'clang': set(),
    'driver': {HOST + 'formats/', HOST + 'device/', 'firmware/devrt/runtime_block.h'},
    # The runtime compiles a program's PTX, with the PTX that is embedded, and answers with CUDA's numbers.
    'runtime': {HOST + 'formats/', HOST + 'device/', HOST + 'driver/', HOST + 'clang/', HOST + 'compiler/compile.h', 'firmware/devrt/host/device_runtime.h',
                'firmware/devrt/tensor_map.h', 'firmware/include/crt/errors.def', 'cuda_runtime_api.h', 'cuda.h', 'nvrtc.h'},
    'tools': {HOST + 'formats/', HOST + 'device/', HOST + 'driver/', HOST + 'clang/', HOST + 'compiler/', 'firmware/devrt/host/device_runtime.h'},
}
COMMON = {'heddle/', HOST + 'include/', 'isa/', 'presets/'}
# Libraries of folders whose headers a layer may not include at will.
LIBRARIES = {'runtime': {'heddle_compiler', 'heddle_devrt'}, 'tools': {'heddle_devrt'}}


def allowed(layer, name):
    return any(name.startswith(one) if one.endswith('/') else name == one for one in LAYERS[layer] | COMMON | {f'{HOST}{layer}/'})


def includes():
    """Layer, file, what it includes."""
    for file in sorted((ROOT / HOST).rglob('*')):
        layer = file.relative_to(ROOT / HOST).parts[0]
        if layer in LAYERS and re.search(r'\.(h|c|cc|def|inc|in)$', file.name):
            for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', file.read_text(encoding='utf-8'), re.M):
                beside = file.parent / name
                yield layer, file, str(beside.relative_to(ROOT)) if beside.is_file() else name


class Layers(unittest.TestCase):
    links = None

    def test_every_folder_is_a_layer(self):
        folders = {folder.name for folder in (ROOT / HOST).iterdir() if folder.is_dir()}
        self.assertEqual(folders - {'include'}, set(LAYERS))

    def test_includes(self):
        found = list(includes())
        self.assertGreater(len(found), 300)
        self.assertEqual([f'{file.relative_to(ROOT)} includes {name}' for layer, file, name in found if not allowed(layer, name)], [])

    def test_links(self):
        found = [line.split() for line in self.links.read_text(encoding='utf-8').splitlines() if line]
        self.assertGreater(len(found), 30)
        wrong = []
        for folder, target, of, library in found:
            layer = folder.split('/')[1]
            if not allowed(layer, of + '/') and library not in LIBRARIES.get(layer, ()):
                wrong.append(f'{target} of {folder} is linked with {library} of {of}')
        self.assertEqual(wrong, [])

    def test_that_wrong_arrows_are_seen(self):
        for layer, name in (('driver', HOST + 'compiler/compile.h'), ('driver', 'firmware/devrt/host/device_runtime.h'),
                            ('runtime', HOST + 'tools/heddle/summary.h'), ('runtime', HOST + 'compiler/emit/backend.h'),
                            ('formats', HOST + 'compiler/'), ('device', HOST + 'driver/module.h'), ('tools', HOST + 'runtime/state.h')):
            self.assertFalse(allowed(layer, name), (layer, name))


if __name__ == '__main__':
    Layers.links = pathlib.Path(sys.argv.pop(1))
    unittest.main()
