// SPDX-License-Identifier: GPL-2.0
/* Heat maps. */

/**
 * A heat map: a column for each CPU or for each part of the time.
 * @param {object} h columns: [{name, label, cells: Map of row to number, bad}]; edge(row): ns; budget; metric
 */
function heat(h) {
	const rows = h.columns.flatMap(c => [...c.cells.keys()]);

	if (!rows.length)
		return null;
	const from = Math.min(...rows), to = Math.max(...rows) + 1,
		most = Math.max(...h.columns.flatMap(c => [...c.cells.values()]));
	const bad = h.columns.some(c => c.bad), all = { from: 0, to: h.columns.length };
	let view = all;
	const frame = redrawn(width => {
		const n = view.to - view.from, size = Math.min(30,
			(width - AREA.left - AREA.right) / n), row = Math.max(6,
			Math.min(13, 300 / (to - from)));
		const top = bad ? 22 : 6, height = top + row * (to - from) + 22, right = AREA.left +
			size * n;
		const svg = sv('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img',
			'aria-label': `${h.metric} of each ${h.what}` });
		const y = r => top + row * (to - 1 - r), levels = Array.from({ length: 9 },
			() => []);
		let late = '', end = -1e9;

		h.columns.slice(view.from, view.to).forEach((c, i) => {
			const left = AREA.left + i * size;

			for (const [r, v] of c.cells)
				levels[Math.min(8, Math.floor(9 * Math.log(1 + v) / Math.log(2 +
					most)))].push(
					`M${left.toFixed(1)} ${y(r).toFixed(1)}h${size.toFixed(1)}v${row.toFixed(1)}h-${size.toFixed(1)}z`);
			if (c.bad)
				late += `M${left.toFixed(1)} 4h${size.toFixed(1)}v12h-${size.toFixed(1)}z`;
			if (left - end > 7 * String(c.label).length + 8 &&
					left + 7 * String(c.label).length < width) {
				svg.append(sv('text', { x: left.toFixed(1), y: height - 6 },
					c.label));
				end = left;
			}
		});
		levels.forEach((d, k) => d.length && svg.append(sv('path', { class: 'cells',
			'fill-opacity': (0.1 + 0.1 * k).toFixed(2), d: d.join('') })));
		svg.append(sv('path', { class: 'late', d: late }), late ? sv('text',
			{ x: AREA.left - 6, y: 14, 'text-anchor': 'end' }, 'late') : '');
		let above = 1e9;

		for (let r = from; r < to; r++)
			if (above - y(r) >= 15) {
				svg.append(sv('text', { x: AREA.left - 6, y: y(r) + row,
					'text-anchor': 'end' }, time(h.edge(r))));
				above = y(r);
			}
		if (h.budget) {
			const r = h.row(h.budget);

			if (r >= from && r < to)
				svg.append(sv('path', { class: 'mark',
					d: `M${AREA.left} ${(y(r) + row).toFixed(1)}H${right.toFixed(1)}` }, sv('title', null, 'budget ' + time(h.budget))));
		}
		interact(svg, { left: AREA.left, right }, {
			describe: (px, py) => {
				const c = h.columns[view.from + Math.min(n - 1,
					Math.floor((px - AREA.left) / size))],
					r = to - 1 - Math.floor((py - top) / row),
					v = c.cells.get(r);

				return c.name + (c.bad ? `: ${c.bad}` : '') +
					(v ? `\n${count(v)} windows, ${h.metric} from ${time(h.edge(r))} to ${time(h.edge(r + 1))}` : '');
			},
			range: (x0, x1) => { const a = view.from +
				Math.floor((x0 - AREA.left) / size), b = view.from +
				Math.ceil((x1 - AREA.left) / size);
				view = { from: Math.max(0, a), to: Math.min(h.columns.length,
					Math.max(a + 1, b)) }; frame.redraw(); },
			back: () => { view = all; frame.redraw(); } });
		return svg;
	});
	return [paragraph(h.metric, 'dim'), frame];
}
