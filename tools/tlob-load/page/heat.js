// SPDX-License-Identifier: GPL-2.0
/* Heat maps: a row for each half octave of a latency. */

/* Rows: 2, 3, 4, 6, 8, 12 ... ns. edge(row): ns where it begins; row(ns): where a time is. */
const octave = {
	edge: r => (r % 2 ? 3 : 2) * 2 ** (Math.floor(r / 2) - 1),
	row: ns => {
		const e = Math.floor(Math.log2(Math.max(1, ns)));

		return 2 * e + (ns >= 1.5 * 2 ** e ? 1 : 0);
	},
};

/** @param {number[][]} pairs [ns, windows] @returns {Map} of rows to windows */
function coarse(pairs) {
	const cells = new Map();

	for (const [ns, n] of pairs)
		cells.set(octave.row(ns), (cells.get(octave.row(ns)) || 0) + n);
	return cells;
}

const HEAT_LEFT = 74, LEVELS = 9;

/**
 * A heat map.
 * @param {object} h columns: [{name, label, cells: Map of coarse(), bad: words if any is late,
 *	more(row): words}]; metric; what a column is; budget in ns or 0
 * @returns {Array|null} nothing without windows
 */
function heat(h) {
	const rows = h.columns.flatMap(c => [...c.cells.keys()]);
	const of = { from: Math.min(...rows), to: Math.max(...rows) + 1, bad: h.columns.some(c => c.bad),
		most: Math.max(...h.columns.flatMap(c => [...c.cells.values()])) };

	return rows.length ? [paragraph(h.metric, 'dim'), zoomed({ from: 0, to: h.columns.length },
		(view, width) => heatOf(h, of, view, width))] : null;
}

/** The drawing of the columns that are in view, also those that are in part. */
function heatOf(h, { from, to, bad, most }, view, width) {
	const first = Math.floor(view.from + 1e-6), last = Math.ceil(view.to - 1e-6);
	const wide = Math.min(30, (width - HEAT_LEFT - 18) / (last - first));
	const high = within(300 / (to - from), 6, 13), top = bad ? 22 : 6;
	const height = top + high * (to - from) + 22, right = HEAT_LEFT + wide * (last - first);
	const svg = picture(width, height, `${h.metric} of each ${h.what}`);
	const c = { h, svg, from, to, most, first, last, wide, high, top, height, width, right,
		y: r => top + high * (to - 1 - r), x: i => HEAT_LEFT + wide * (i - first) };
	const column = x => within(first + Math.floor((x - HEAT_LEFT) / wide), first, last - 1);
	const row = y => within(to - 1 - Math.floor((y - top) / high), from, to - 1);

	heatCells(c);
	heatNames(c);
	return { svg, area: { left: HEAT_LEFT, right }, of: x => first + (x - HEAT_LEFT) / wide,
		describe: (x, y) => heatWords(h, h.columns[column(x)], row(y)),
		move: (at, dx, dy) => ({ x: c.x(within(column(at.x) + dx, first, last - 1)) + wide / 2,
			y: c.y(within(row(at.y) - dy, from, to - 1)) + high / 2 }) };
}

/** One path for all cells of a colour: a page of 1024 CPUs has 40 000. */
function heatCells({ h, svg, most, first, last, wide, high, y, x }) {
	const levels = Array.from({ length: LEVELS }, () => []), box = `h${px(wide)}v`;
	let late = '';

	for (let i = first; i < last; i++) {
		const c = h.columns[i];

		for (const [r, n] of c.cells)
			levels[Math.min(LEVELS - 1, Math.floor(LEVELS * Math.log(1 + n) / Math.log(2 + most)))]
				.push(`M${px(x(i))} ${px(y(r))}${box}${px(high)}h-${px(wide)}z`);
		if (c.bad)
			late += `M${px(x(i))} 4${box}12h-${px(wide)}z`;
	}
	levels.forEach((d, k) => d.length && svg.append(sv('path', { class: 'cells',
		'fill-opacity': (0.1 + 0.1 * k).toFixed(2), d: d.join('') })));
	if (late)
		svg.append(sv('path', { class: 'late', d: late }),
			sv('text', { x: HEAT_LEFT - 6, y: 14, 'text-anchor': 'end' }, 'late'));
}

/** Names of rows and columns, as many as there is room for, and the budget. */
function heatNames({ h, svg, from, to, first, last, high, height, width, right, y, x }) {
	const budget = h.budget ? octave.row(h.budget) : -1;
	let end = -Infinity, above = Infinity;

	for (let i = first; i < last; i++) {
		const label = h.columns[i].label, long = 7 * String(label).length;

		if (x(i) <= end || x(i) + long >= width)
			continue;
		end = x(i) + long + 8;
		svg.append(sv('text', { x: px(x(i)), y: height - 6 }, label));
	}
	for (let r = from; r < to; r++) {
		if (above - y(r) < 15)
			continue;
		above = y(r);
		svg.append(sv('text', { x: HEAT_LEFT - 6, y: px(y(r) + high), 'text-anchor': 'end' },
			time(octave.edge(r))));
	}
	if (budget >= from && budget < to)
		svg.append(sv('path', { class: 'mark', d: `M${HEAT_LEFT} ${px(y(budget) + high)}H${px(right)}` },
			sv('title', null, 'budget ' + time(h.budget))));
}

/** What a cell says: its column, what was late in it, its windows, and the causes of the worst. */
function heatWords(h, column, row) {
	const n = column.cells.get(row), range = `${time(octave.edge(row))} to ${time(octave.edge(row + 1))}`;

	return [column.name + (column.bad ? ': ' + column.bad : ''),
		n ? `${count(n)} windows, ${h.metric} from ${range}` : `no window, ${h.metric} from ${range}`,
		column.more ? column.more(row) : ''].filter(Boolean).join('\n');
}
