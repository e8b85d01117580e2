// SPDX-License-Identifier: GPL-2.0
/* The page of a comparison. */

/** @param {string[][]} lines [label, text] */
function labelled(lines) {
	return lines.map(([label, text]) => el('p', { class: label === 'next' ? label : null },
		label && el('span', { class: 'dim' }, label + ' '), text));
}

/** @returns {number} B as a change from A; ±Infinity: missed on one side; NaN: on both */
function pairEffect(a, b) {
	if (a === 'missed')
		return b === 'missed' ? NaN : -Infinity;
	return b === 'missed' ? Infinity : b / a - 1;
}

/**
 * The axis of effects: without the outermost eighth at each end, and at most twice as long as that.
 * @param {number[]} more values that it has in any case
 * @returns {number[]} [from, to]
 */
function effectRange(values, more) {
	const v = values.filter(isFinite).sort((a, b) => a - b), out = Math.floor(v.length / 8);
	const main = [...v.slice(out, v.length - out), ...more.filter(isFinite), 0];
	const lo = Math.min(...main), hi = Math.max(...main), room = hi - lo || 1e-5;

	return [Math.max(Math.min(lo, ...v), lo - room) - room / 20,
		Math.min(Math.max(hi, ...v), hi + room) + room / 20];
}

/** Dots of pairs; what is beyond the axis lies at its edge. */
function pairDots(m, effects, from, to) {
	const words = v => v === 'missed' ? v : time(v), r = within(120 / effects.length, 2, 5);

	return effects.map((e, i) => ({ x: within(e, from, to), y: i + 0.5, r,
		cls: !isFinite(e) ? 'bad' : e < from || e > to ? 'far' : '',
		words: `pair ${i + 1}: A ${words(m.a[i])}, B ${words(m.b[i])}, ` +
			(isFinite(e) ? change(e) : 'missed on one side') }))
		.filter(d => !Number.isNaN(d.x));
}

/** The effect of each pair, and below them the effect of all with its interval. */
function pairsPlot(m, says) {
	const n = m.a.length, all = n + 1.5, effects = m.a.map((a, i) => pairEffect(a, m.b[i]));
	const [from, to] = effectRange(effects, [m.margin, m.effect]);
	const pairs = pairDots(m, effects, from, to);
	const lower = m.lower === null ? from : m.lower, upper = m.upper === null ? to : m.upper;
	const cut = m.lower === null || lower < from || upper > to;
	const effect = m.effect === null ? [] : [{ x: within(m.effect, from, to), y: all, r: 3.5,
		cls: 'effect', words: says.effect }];

	return [plot({ label: 'pairs', height: Math.min(400, 100 + 18 * n),
		x: { from, to, name: change }, y: { from: n + 3, to: 0,
			name: v => v > n ? 'all' : 'pair ' + Math.ceil(v),
			ticks: () => [...wholeTicks(1, n, 10).map(v => v - 0.5), all] },
		marks: [{ x: 0, cls: 'zero' }, { x: m.margin, name: 'margin ' + change(m.margin) }],
		layer: ({ x, y }) => stroke('interval',
			`M${px(x.at(lower))} ${px(y.at(all))}H${px(x.at(upper))}`, says.effect),
		dots: [...pairs, ...effect] }),
	pairs.some(d => d.cls === 'bad') &&
		paragraph('A red dot at the edge: missed on one side.', 'dim'),
	(cut || pairs.some(d => d.cls === 'far')) && paragraph('A hollow dot at the edge lies ' +
		'farther out, and a bar that ends there goes on.', 'dim')];
}

/**
 * The pairs of each CPU: [its number, the least, the median, the largest]; null: no bound. The axis
 * is that of the pairs: of one that is far out, each CPU has a part.
 */
function cpusPlot(m, { cpus }) {
	const medians = cpus.map(c => c[2]).filter(v => v !== null);
	const [from, to] = effectRange(m.a.map((a, i) => pairEffect(a, m.b[i])),
		[m.margin, ...medians]);
	const y = v => v === null ? to : within(v, from, to);
	const words = v => v === null ? 'without bound' : change(v);

	return [paragraph('Each CPU: the median of its pairs, from the least of them to the ' +
		'largest.', 'dim'),
	plot({ label: 'CPUs', height: 220, x: { from: -0.5, to: Math.max(8, cpus.length) - 0.5,
		name: v => String(cpus[v][0]), ticks: () => wholeTicks(0, cpus.length - 1, 20) },
	y: { from, to, name: change }, marks: [{ y: 0, cls: 'zero' },
		{ y: m.margin, name: 'margin ' + change(m.margin) }],
	lines: cpus.map((c, x) => ({ cls: 'whisker', points: [[x, y(c[1])], [x, y(c[3])]] })),
	dots: cpus.map(([cpu, least, median, largest], x) => ({ x, y: y(median), r: 4.5,
		cls: median === null || median > m.margin ? 'bad' : '',
		words: `CPU ${cpu}: median ${words(median)}, pairs from ${words(least)} to ` +
			words(largest) })) })];
}

/** A bar from 0 to the left or right. @param {number} most ns of a half of it */
function shiftBar(name, by, most) {
	const wide = 50 * Math.abs(by) / most, known = D.parts.some(p => p.name === name);
	const colour = known ? part(name).colour : 'var(--fg)';

	return { v: by, c: 'w', t: el('div', { class: 'bar' },
		el('i', { style: `width:${by < 0 ? 50 - wide : 50}%` }),
		el('i', { 'data-words': `${name} ${signed(by)}`,
			style: `width:${wide}%;background:${colour}` })) };
}

/** The shift of each metric and part: at the quantile that matters also as a bar. */
function shiftTable(shift, at) {
	const names = ['mean', 'p50', 'p90', 'p99', 'p99.9'], by = (s, q) => (s[q] || [])[1];
	const rows = Object.entries(shift).filter(([name, s]) => LATENCIES.includes(name) ||
		Object.values(s).some(([, ns]) => ns));
	const most = Math.max(1, ...rows.map(([, s]) => Math.abs(by(s, at) || 0)));
	const cell = ns => ns === undefined ? '–' : { t: signed(ns), v: ns };

	return table([toLeft('B − A'), ...names, toLeft(at)], rows.map(([name, s]) => [
		{ t: el('abbr', { 'data-words': part(name).meaning, tabindex: 0 }, name), v: name },
		...names.map(q => cell(by(s, q))), shiftBar(name, by(s, at) || 0, most)]));
}

/** The shift of each latency over the quantiles. */
function shiftCurves(shift) {
	const shares = { p50: 0.5, p90: 0.1, p99: 1e-2, 'p99.9': 1e-3 };
	const points = s => Object.keys(shares).filter(q => s[q]).map(q => [shares[q], s[q][1]]);
	const all = LATENCIES.filter(m => shift[m]).map(m => [m, points(shift[m])]);

	return shiftPlot(Object.fromEntries(all), { from: 0.5, to: 8e-4, log: true, name: quantile,
		ticks: () => Object.values(shares) }, 240);
}

/** What a metric was in a pair: A, B and the change, or events. */
function pairCells(m, events, i) {
	if (events) {
		const [a, b] = events[i];

		return [countCell(a), countCell(b),
			{ t: (b >= a ? '+' : '−') + Math.abs(b - a), v: b - a }];
	}
	const by = pairEffect(m.a[i], m.b[i]);

	return [quantileCell(m.a[i]), quantileCell(m.b[i]),
		isFinite(by) ? { t: change(by), v: by } : '–'];
}

/** The verdict of each metric, if there are several. */
function metricTable({ metrics }, says) {
	return metrics.length > 1 && table(
		['verdict', toLeft('metric'), toLeft('effect'), toLeft('because')],
		metrics.map((m, i) => [{ t: m.verdict, c: says.metrics[i].class }, m.metric,
			prose(says.metrics[i].effect), prose(m.because)]));
}

/** A metric with its plots. The first explains them. */
function metricSection(m, says, i) {
	return [heading([m.metric + ': ', el('span', { class: says.class }, m.verdict)]),
		labelled(says.lines), m.a && [pairsPlot(m, says),
			!i && paragraph('Each dot is a pair: how much B is above A. The bar is ' +
				'the interval of the effect, and the dot in it the effect. ' +
				'OK: all of the bar is left of the margin. REGRESSION by the ' +
				'effect: all of it is right.', 'dim'),
			says.cpus.length > 0 && cpusPlot(m, says)]];
}

/** What each metric was in each pair. */
function runsTable({ metrics }, says) {
	return table(['pair', toLeft('A'), toLeft('B'),
		...metrics.flatMap(m => [m.metric + ' of A', 'of B', 'effect'])],
	says.pairs.map(([a, b], i) => [i + 1, prose(a), prose(b),
		...metrics.flatMap((m, s) => pairCells(m, says.metrics[s].events, i))]));
}

/** A comparison. */
pages.compare = ({ comparison: c, says, tables }) => {
	const kernels = c.kernel_a === c.kernel_b ? release(c.kernel_a)
		: `${release(c.kernel_a)} in A, ${release(c.kernel_b)} in B`;

	return [heading('B against A', `${says.work}, Linux ${kernels}`, 1),
		paragraph(says.verdict, 'verdict ' + says.class), labelled(says.lines),
		c.deterministic && paragraph('Times are executed instructions: they show path ' +
			'length, not caches or devices.'),
		metricTable(c, says), c.metrics.map((m, i) => metricSection(m, says.metrics[i], i)),
		heading('Where it moved: B − A, all CPUs together'), shiftCurves(c.shift),
		shiftTable(c.shift, says.at),
		paragraph('Medians over the pairs. They show where to look, and decide nothing.',
			'dim'),
		tables.map(madeTable), heading('The runs'), runsTable(c, says),
		heading('How it was compared'), facts(says.facts)];
};
