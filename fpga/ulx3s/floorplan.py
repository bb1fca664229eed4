# SPDX-License-Identifier: Apache-2.0
"""Where block RAMs go on the ECP5-85F: nextpnr runs this before it places (`--pre-place`; `ctx` is its design).

Block RAMs lie in four rows of 52 sites. Left to itself the placer scatters a memory's blocks over the chip, and each word
of it with them: fixed side by side, near what they serve, they take a fifth off the placed wires. Rows from the top: 22 and 46 hold the
two register banks, with the lanes between them; 70 the load/store unit; 82 L2. Blocks of memories not named here, and
those that find no free site in their row, are the placer's to place.
"""
import re

# (part of the cells' names, row, first site). A memory takes as many free sites as it has blocks, in order of its bits.
PLAN = [
    ('u_convergence.', 22, 8),
    ('u_register_file.g_bank[0]', 22, 16),
    ('u_front_end.', 46, 8),
    ('u_icache.', 46, 10),
    ('u_constant_cache.', 46, 14),
    ('u_register_file.g_bank[1]', 46, 16),
    ('u_lsu.u_front.', 46, 32),
    ('u_block_barrier.', 70, 12),
    ('u_lsu.u_gather.', 70, 22),
    ('u_shared_memory.', 70, 24),
    ('u_l1_data.', 70, 32),
    ('u_lsu.u_fills.', 70, 36),
    ('u_lsu.u_requests.', 70, 38),
    ('u_l1_control.', 70, 43),
    ('u_board.g_sdram.', 70, 50),
    ('u_link.', 82, 12),
    ('u_copy_engine.', 82, 20),
    ('u_l2.g_answers', 82, 23),
    ('u_l2.u_data.beat_mem', 82, 26),
    ('u_l2.u_control.', 82, 28),
    ('u_l2.u_data.head_mem', 82, 31),
    ('u_l2.u_data.g_bank', 82, 32),
    ('u_l2.u_reader.', 82, 48),
    ('u_l2.u_writer.', 82, 50),
]


def numbers(name):
    """A name in parts, so that bit 10 comes after bit 9."""
    return [int(part) if part.isdigit() else part for part in re.split(r'(\d+)', name)]


def fix_block_rams():
    free = {}  # row: {site: bel}
    for bel in ctx.getBels():  # noqa: F821
        if ctx.getBelType(bel) == 'DP16KD':  # noqa: F821
            column, row, _ = str(bel).split('/')
            free.setdefault(int(row[1:]), []).append((int(column[1:]), str(bel)))
    free = {row: dict(enumerate(bel for _, bel in sorted(bels))) for row, bels in free.items()}

    cells = list(ctx.cells)  # noqa: F821
    blocks = sorted((str(cell.first) for cell in cells if cell.second.type == 'DP16KD'), key=numbers)
    for part, row, first in PLAN:
        for block in [name for name in blocks if part in name]:
            site = min((s for s in free[row] if s >= first), default=None)
            if site is not None:
                ctx.cells[block].setAttr('BEL', free[row].pop(site))  # noqa: F821
    print(f'floorplan: {sum(52 - len(sites) for sites in free.values())} of {len(blocks)} block RAMs fixed')


fix_block_rams()
