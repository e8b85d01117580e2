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

const LEVELS = 9;

/** The cells in view, one path for all of a colour: a page of 1024 CPUs has 40 000. */
function heatCells({ x, y, view }, columns, late) {
	const most = Math.max(...columns.flatMap(c => [...c.cells.values()]));
	const level = n => Math.floor(LEVELS * Math.log(1 + n) / Math.log(2 + most));
	const levels = Array(LEVELS).fill(''), first = Math.floor(view.from);
	let bad = '';

	columns.slice(first, Math.ceil(view.to)).forEach((c, k) => {
		const x0 = x.at(first + k), x1 = x.at(first + k + 1);

		for (const [row, n] of c.cells)
			levels[level(n)] += boxPath(x0, y.at(row + 1), x1, y.at(row));
		if (c.bad)
			bad += boxPath(x0, y.at(late.to), x1, y.at(late.from));
	});
	return [levels.map((d, k) => d && sv('path', { class: 'cells', d,
		'fill-opacity': (0.1 + 0.1 * k).toFixed(2) })), bad && stroke('late', bad)];
}

/** What a cell says: its column, what was late in it, its windows, the causes of the worst. */
function heatWords(metric, column, row) {
	const n = column.cells.get(row), [from, to] = [row, row + 1].map(r => time(octave.edge(r)));

	return [column.name + (column.bad ? ': ' + column.bad : ''),
		`${n ? count(n) + ' windows' : 'no window'}, ${metric} from ${from} to ${to}`,
		column.more && column.more(row)].filter(Boolean).join('\n');
}

/**
 * A heat map.
 * @param {object} h columns: [{name, label, cells: Map of coarse(), bad: words if any is late,
 *	more(row): words}]; metric; what a column is; side: its place that has the label, 0 to 1;
 *	budget in ns or 0
 * @returns {Array|null} nothing without windows
 */
function heat({ metric, what, columns, side, budget }) {
	const used = columns.flatMap(c => [...c.cells.keys()]), limit = octave.row(budget);
	const from = Math.min(...used), to = Math.max(...used) + 1;
	if (!used.length)
		return null;
	const high = within(300 / (to - from), 6, 13);
	const late = { from: to + 1, to: to + 1 + 12 / high };
	const bad = columns.some(c => c.bad), end = bad ? late.to : to;
	const every = Math.ceil(15 / high), middle = (late.from + late.to) / 2;
	const names = [...Array(to - from).keys()].filter(k => k % every === 0).map(k => from + k);
	const column = v => within(Math.floor(v), 0, columns.length - 1);
	const row = v => within(Math.floor(v), from, to - 1);

	return [paragraph(metric, 'dim'), plot({ label: `${metric} of each ${what}`,
		cls: 'heat', widest: 30, height: 38 + high * (end - from), edge: { top: 8 },
		x: { from: 0, to: columns.length, name: v => String(columns[column(v)].label),
			ticks: (v, width) => wholeTicks(v.from - side, v.to - 1, width / 45)
				.map(i => i + side) },
		y: { from, to: end, name: r => r < late.from ? time(octave.edge(r)) : 'late',
			ticks: () => bad ? [...names, middle] : names },
		marks: budget && limit >= from && limit < to
			? [{ y: limit, words: 'budget ' + time(budget) }] : [],
		layer: c => heatCells(c, columns, late),
		say: (x, lines, y) => heatWords(metric, columns[column(x)], row(y)),
		moves: ({ x, y }) => (at, dx, dy) => ({ x: x.at(column(x.of(at.x)) + dx + 0.5),
			y: y.at(row(y.of(at.y)) - dy + 0.5) }) })];
}
