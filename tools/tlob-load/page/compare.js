// SPDX-License-Identifier: GPL-2.0
/* The page of a comparison. */

const labelled = lines => lines.map(([label, text]) => el('p', { class: label === 'next' ? 'next'
	: undefined }, label ? el('span', { class: 'dim' }, label + ' ') : '', text));
const valueText = v => v === 'missed' ? v : time(v);

/** B as a change from A; missed on one side lies at an edge, missed on both nowhere. */
function pairEffect(a, b) {
	return a === 'missed' ? b === 'missed' ? NaN : -Infinity : b === 'missed' ? Infinity
		: b / a - 1;
}

/** The axis of effects: without the outermost eighth at each end, and at most twice as long as that. */
function effectRange(values, more) {
	const v = values.filter(isFinite).sort((a, b) => a - b), cutoff = Math.floor(v.length / 8);
	const main = [...v.slice(cutoff, v.length - cutoff), ...more.filter(isFinite), 0],
		lo = Math.min(...main), hi = Math.max(...main), room = hi - lo || 1e-5;

	return [Math.max(Math.min(lo, ...v), lo - room) - room / 20, Math.min(Math.max(hi, ...v),
		hi + room) + room / 20];
}

function pairsPlot(m, says) {
	const n = m.a.length, effects = m.a.map((a, i) => pairEffect(a, m.b[i])),
		[from, to] = effectRange(effects, [m.margin, m.effect]);
	const inside = v => Math.min(to, Math.max(from, v)), y = n + 1.5;
	const dots = effects.map((e, i) => ({ x: inside(e), y: i + 0.5, r: Math.max(2,
		Math.min(5, 120 / n)), cls: !isFinite(e) ? 'bad' : e < from || e > to ? 'far' : '',
		words: `pair ${i + 1}: A ${valueText(m.a[i])}, B ${valueText(m.b[i])}, ${isFinite(e) ? change(e) : 'missed on one side'}` })).filter((d, i) => !Number.isNaN(effects[i]));
	const lower = m.lower === null ? from : inside(m.lower), upper = m.upper === null ? to
		: inside(m.upper);

	return [plot({ label: 'pairs', height: Math.min(400, 100 + 18 * n), left: 64, x: { from, to,
		name: change }, y: { from: n + 3, to: 0, name: v => v > n ? 'all' : 'pair ' +
		Math.ceil(v), ticks: () => [...ticks(1, n, false, 10)
		.filter(v => v === Math.floor(v)).map(v => v - 0.5), y] },
		marks: [{ x: 0, cls: 'zero' }, { x: m.margin, name: 'margin ' + change(m.margin) }],
			spans: [{ from: lower, to: upper, y, cls: 'interval', words: says.effect }],
		dots: [...dots, ...(m.effect === null ? [] : [{ x: inside(m.effect), y, r: 3.5,
			cls: 'effect', words: says.effect }])] }),
	dots.some(d => d.cls === 'bad') ? paragraph('A red dot at the edge: missed on one side.',
		'dim') : null,
	dots.some(d => d.cls === 'far') || m.lower === null || m.lower < from || m.upper > to
		? paragraph(
		'A hollow dot at the edge lies farther out, and a bar that ends there goes on.',
		'dim') : null];
}

function cpusPlot(m, says) {
	const cpus = says.cpus, [from, to] = effectRange(cpus.flatMap(c => [c[1], c[3]])
		.map(v => v === null ? Infinity : v), [m.margin, ...cpus.map(c => c[2] === null
		? NaN : c[2])]);
	const inside = v => v === null ? to : Math.min(to, Math.max(from, v)), words = v =>
		v === null ? 'without bound' : change(v);

	return [paragraph(
		'Each CPU: the median of its pairs, from the least of them to the largest.', 'dim'),
		plot({ label: 'CPUs', height: 220, x: { from: -0.5, to: Math.max(8,
		cpus.length) - 0.5, name: v => String(cpus[v] ? cpus[v][0] : ''), ticks: () =>
		ticks(0, cpus.length - 1, false, 20).filter(v => v === Math.floor(v)) },
		y: { from, to, name: change }, marks: [{ y: 0, cls: 'zero' }, { y: m.margin,
			name: 'margin ' + change(m.margin) }],
		lines: cpus.map((c, i) => ({ cls: 'whisker', points: [[i, inside(c[1])],
			[i, inside(c[3])]] })),
		dots: cpus.map((c, i) => ({ x: i, y: inside(c[2]), r: 4.5, cls: c[2] === null ||
			c[2] > m.margin ? 'bad' : '',
			words: `CPU ${c[0]}: median ${words(c[2])}, pairs from ${words(c[1])} to ${words(c[3])}` })) })];
}

/** The shift of each metric and part at the quantile that matters, in a bar from 0 to the left or right. */
function shiftTable(shift, at) {
	const names = ['mean', 'p50', 'p90', 'p99', 'p99.9'], rows = Object.entries(shift)
		.filter(([name, s]) => LATENCIES.includes(name) || Object.values(s).some(([, by]) =>
		by));
	const most = Math.max(1, ...rows.map(([, s]) => Math.abs((s[at] || [0, 0])[1])));
	const show = by => by === undefined ? '–' : { t: signed(by), v: by };

	return table([{ t: 'B − A' }, ...names, { t: at, l: 1 }],
		rows.map(([name, s]) => { const by = (s[at] || [0, 0])[1],
		wide = 50 * Math.abs(by) / most;
		return [{ t: el('abbr', { title: part(name).meaning }, name), v: name },
			...names.map(n => show((s[n] || [])[1])),
			{ t: el('div', { class: 'bar' },
				el('i', { style: `width:${by < 0 ? 50 - wide : 50}%` }),
				el('i', { style: `width:${wide}%;background:${D.parts.some(p => p.name === name) ? part(name).colour : 'var(--fg)'}`, title: name })), v: by, c: 'w' }]; }));
}

function shiftCurves(shift) {
	const at = [['p50', 0.5], ['p90', 0.1], ['p99', 1e-2], ['p99.9', 1e-3]];
	const lines = LATENCIES.filter(m => shift[m])
		.map(m => ({ name: m, cls: m, points: at.filter(([q]) => shift[m][q])
		.map(([q, x]) => [x, shift[m][q][1]]) })).filter(l => l.points.length);
	const all = lines.flatMap(l => l.points.map(p => p[1])), from = Math.min(0, ...all),
		to = Math.max(0, ...all), room = (to - from || 1) / 15;

	return lines.length ? plot({ label: 'shift by quantile', height: 240, lines,
		marks: [{ y: 0, cls: 'zero' }], x: { from: 0.5, to: 0.8e-3, log: true,
		name: quantile, ticks: () => at.map(a => a[1]) }, y: { from: from - room,
		to: to + room, name: v => signed(v) },
		describe: (v, off) => { const near = at.reduce((p, q) =>
			Math.abs(Math.log(q[1] / v)) < Math.abs(Math.log(p[1] / v)) ? q : p);
			return near[0] + '\n' + lines.map((l, i) => { const y = l.points.find(p =>
			p[0] === near[1]); return off.has(i) || !y ? ''
			: `${l.name} ${signed(y[1])}`; }).filter(Boolean).join('\n'); } }) : null;
}

pages.compare = d => {
	const c = d.comparison, says = d.says, several = c.metrics.length > 1, release = k =>
		k.split(' ')[0], same = c.kernel_a === c.kernel_b;
	const cells = (m, s, i) => s.events ? [countCell(s.events[i][0]), countCell(s.events[i][1]),
		{ t: (s.events[i][1] >= s.events[i][0] ? '+' : '−') +
		Math.abs(s.events[i][1] - s.events[i][0]), v: s.events[i][1] - s.events[i][0] }] :
		[quantileCell(m.a[i]), quantileCell(m.b[i]), isFinite(pairEffect(m.a[i], m.b[i]))
			? { t: change(pairEffect(m.a[i], m.b[i])), v: pairEffect(m.a[i], m.b[i]) }
			: '–'];

	return [heading('B against A',
		`${says.work}, Linux ${release(c.kernel_a)}${same ? '' : ` in A, ${release(c.kernel_b)} in B`}`, 1), el('p', { class: 'verdict ' + says.class }, says.verdict), labelled(says.lines),
		c.deterministic ? paragraph(
			'Times are executed instructions: they show path length, not caches or devices.') : null,
		several ? table(['verdict', { t: 'metric', l: 1 }, { t: 'effect', l: 1 },
			{ t: 'because', l: 1 }],
			c.metrics.map((m, i) => [{ t: m.verdict, c: says.metrics[i].class },
			m.metric, { t: says.metrics[i].effect, c: 'prose' }, { t: m.because,
			c: 'prose' }])) : null,
		c.metrics.map((m, i) =>
			[heading([m.metric + ': ', el('span', { class: says.metrics[i].class },
			m.verdict)]), labelled(says.metrics[i].lines), m.a ? pairsPlot(m,
			says.metrics[i]) : null,
			m.a && !i ? paragraph(
				'Each dot is a pair: how much B is above A. The bar is the interval of the effect, and the dot in it the effect. REGRESSION: all of the bar is right of the margin. OK: all of it is left.', 'dim') : null,
			m.a && says.metrics[i].cpus.length ? cpusPlot(m, says.metrics[i]) : null]),
		heading('Where it moved: B − A, all CPUs together'), shiftCurves(c.shift),
			shiftTable(c.shift, says.at),
			paragraph(
			'Medians over the pairs. They show where to look, and decide nothing.',
			'dim'),
		d.tables.filter(Boolean).map(madeTable),
		heading('The runs'), table(['pair', { t: 'A', l: 1 }, { t: 'B', l: 1 },
			...c.metrics.flatMap(m => [m.metric + ' of A', 'of B', 'effect'])],
			says.pairs.map(([a, b], i) => [i + 1, { t: a, c: 'prose' },
				{ t: b, c: 'prose' }, ...c.metrics.flatMap((m, s) => cells(m,
				says.metrics[s], i))])),
		heading('How it was compared'), facts(says.facts)];
};
