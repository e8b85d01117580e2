// SPDX-License-Identifier: GPL-2.0
/* The page of results of run and attach. */

/** A window from its expiry on: each span where it was. Dragging makes a part of it as wide as the page. */
function timeline(w) {
	const t = w.timeline, whole = w.response_ns, all = { from: 0, to: whole };
	let view = all;
	const spans = t.spans.map((s, i) => ({ part: part(s.part), from: i ? t.spans[i - 1].end_ns
		: t.start_ns || 0, to: s.end_ns, who: s.who || s.name || '' }));
	const frame = redrawn(width => {
		const x = scale(view.from, view.to, 0, width, false), svg = sv('svg',
			{ viewBox: `0 0 ${width} 52`, role: 'img',
			'aria-label': 'spans of the window' });
		const at = v => spans.find(s => s.from <= v && v < s.to);

		for (const s of spans)
			if (s.to > view.from && s.from < view.to)
				svg.append(sv('rect', { class: 'span', x: x.at(s.from).toFixed(2),
					y: 0, width: Math.max(0.4, x.at(s.to) - x.at(s.from))
					.toFixed(2), height: 30, style: `fill:${s.part.colour}` }));
		for (const v of ticks(view.from, view.to, false, width / 130))
			if (x.at(v) > 20 && x.at(v) < width - 30)
				svg.append(sv('text', { x: x.at(v).toFixed(1), y: 47,
					'text-anchor': 'middle' }, time(v)));
		svg.append(sv('path', { class: 'phase', d: `M${x.at(w.wake_ns).toFixed(1)} 0V36` },
			sv('title', null, `the thread runs from ${time(w.wake_ns)} on`)));
		interact(svg, { left: 0, right: width }, {
			describe: px => { const v = x.of(px), s = at(v);
				return s
				? `at ${time(s.from)} for ${time(s.to - s.from)}\n${s.part.name}${s.who ? ', ' + s.who : ''}` : t.not_kept && v < (t.start_ns || 0) ? `${t.not_kept} spans that were not kept` : time(v); },
			range: (x0, x1) => { view = { from: x.of(x0), to: x.of(x1) };
				frame.redraw(); },
			back: () => { view = all; frame.redraw(); } });
		return svg;
	});
	const list = table(['at', 'for', { t: 'part', l: 1 }, { t: 'who', l: 1 }], spans.map(s => [
		timeCell(s.from), timeCell(s.to - s.from),
		{ t: el('span', null, swatch('background:' + s.part.colour), s.part.name), v: s.part.name },
		s.who || '–']));
	const more = el('details', { class: 'spans', toggle: fit },
		el('summary', null, `${spans.length} spans`), list);

	return [frame, more];
}

const LATENCIES = ['irq', 'wake', 'response'];
const hist = (c, name) => (c.hist || {})[name] || { n: 0 };
const missedOf = (c, name) => name === 'irq' ? 0 : c.missed || 0;

function timeCell(ns, known = true) {
	return known && ns !== undefined && ns !== null ? { t: time(ns), v: ns, h: ns + 'ns' }
		: '–';
}

/** A quantile as C wrote it: ns, "missed", or nothing with too few windows. */
function quantileCell(q) {
	return q === 'missed' ? { t: 'missed', v: Infinity, c: 'bad' } : q === undefined ||
		q === null ? { t: '–', v: -1, h: 'too few windows for this quantile' }
		: timeCell(q);
}

const countCell = (n, bad) => ({ t: count(n || 0), v: n || 0, c: bad && n ? 'bad' : '' });

function cpuTable(r) {
	const all = r.cpu.length > 1 ? [r.all] : [],
		longest = Math.max(...r.cpu.map(c => sum(Object.values(meanParts(c)))), 1);
	const q = (c, name) => (c.quantiles || {})[name] || {};
	const number = v => Array.isArray(v) ? v[0] : v;

	return table(['CPU', 'windows', 'violations', 'missed', 'lost', 'wake p50', 'p99.9', 'max',
		'response p50', 'p99', 'p99.9', 'max', { t: 'mean response', l: 1 }],
		[...all, ...r.cpu].map(c => [{ t: (c.host ? c.host + ' ' : '') +
			(c.cpu === undefined ? 'all' : c.cpu), v: c.cpu === undefined ? -1
			: c.cpu }, countCell(c.windows), countCell(c.violations, true),
			countCell(c.missed, true), countCell(c.lost),
			quantileCell(number(q(c, 'wake').p50)),
				quantileCell(number(q(c, 'wake')['p99.9'])),
				timeCell(hist(c, 'wake').max, hist(c, 'wake').n),
			quantileCell(number(q(c, 'response').p50)),
				quantileCell(number(q(c, 'response').p99)),
				quantileCell(number(q(c, 'response')['p99.9'])),
				timeCell(hist(c, 'response').max, hist(c, 'response').n),
			{ t: bar(meanParts(c), longest), v: sum(Object.values(meanParts(c))),
				c: 'w' }]));
}

/** The name of a result among several: with the release where they have different kernels. */
function nameAmong(r, results) {
	const release = x => (x.kernel || '').split(' ')[0];

	return r.name + (results.some(x => x.kernel !== results[0].kernel) ? ` (${release(r)})` : '');
}

/** Wake, response and irq of each result, later ones in other colours. */
function curves(results, points) {
	return results.flatMap((r, i) => LATENCIES.filter(m => hist(r.all, m).n)
		.map(m => ({ name: m + (results.length > 1 ? ', ' + nameAmong(r, results) : ''),
		cls: results.length > 1 ? `c${i % 8} ${{ irq: 'dash0', wake: 'dash1' }[m] || ''}`
			: m, points: points(hist(r.all, m), missedOf(r.all, m), r), m, r })));
}

function budgetMarks(results) {
	const same = results.every(r => r.budget_ns === results[0].budget_ns);

	return (same ? results.slice(0, 1) : results).filter(r => r.budget_ns)
		.map(r => ({ x: r.budget_ns, name: 'budget ' + time(r.budget_ns) + (same ? ''
		: ', ' + r.name) }));
}

function timeAxis(results) {
	const [from, to] = timeRange(results.flatMap(r => [r.budget_ns, ...LATENCIES.flatMap(m =>
		[hist(r.all, m).min, hist(r.all, m).max])]));

	return { from, to, log: true, name: time };
}

const SHARES = [0.5, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];

function quantilePlot(results) {
	const lines = curves(results, tail), least = 1 / Math.max(2, ...results.map(r => hist(r.all,
		'response').n + (r.all.missed || 0)));

	return plot({ label: 'quantiles', x: timeAxis(results), lines, marks: budgetMarks(results),
		y: { from: 1, to: least, log: true, name: quantile, ticks: () => SHARES.filter(s =>
			s >= least) },
		describe: (v, off) => time(v) + '\n' +
			lines.map((l, i) => { const at = l.points.filter(p => p[0] <= v).pop();
			return off.has(i) ? '' : `${l.name} ${at ? quantile(at[1]) : 'p0'}`; })
				.filter(Boolean).join('\n') });
}

function histogramPlot(results) {
	const lines = curves(results, outline);
	const most = Math.max(2, ...lines.flatMap(l => l.points.map(p => p[1])));

	return plot({ label: 'histogram', x: timeAxis(results), lines, marks: budgetMarks(results),
		y: { from: 0.5, to: most, log: true, name: v => count(v), ticks: () => ticks(1,
		most, true, 5).filter(v => v >= 1) },
		describe: (v, off) => lines.map((l, i) => { const s = steps(hist(l.r.all, l.m))
			.find(x => x.from <= v && v < x.to);
			return off.has(i) || !s ? ''
				: `${l.name} ${time(s.from)} to ${time(s.to)}: ${count(s.n)} windows`; }).filter(Boolean).join('\n') || time(v) });
}

/** The second result minus the first, by quantile. */
function shiftPlot(results) {
	const least = 1 / Math.max(2, Math.min(...results.map(r => hist(r.all, 'response').n)));
	const lines = LATENCIES.filter(m => results.every(r => hist(r.all, m).n)).map(m => {
		const [a, b] = results.map(r => tail(hist(r.all, m), missedOf(r.all, m))),
			points = [];

		for (let share = 0.99; share >= least; share *= 0.93)
			points.push([share, tailAt(b, share) - tailAt(a, share)]);
		return { name: m, cls: m, points: points.filter(p => isFinite(p[1])) };
	});
	const values = lines.flatMap(l => l.points.map(p => p[1])), from = Math.min(0, ...values),
		to = Math.max(0, ...values);

	return plot({ label: 'shift by quantile', lines, marks: [{ y: 0, cls: 'zero' }],
		x: { from: 1, to: least, log: true, name: quantile, ticks: () => SHARES.filter(s =>
		s >= least) },
		y: { from: from - 1, to: to + 1, name: v => signed(v) },
		describe: (v, off) => quantile(v) + '\n' +
			lines.map((l, i) => { const at = l.points.find(p => p[0] <= v);
			return off.has(i) || !at ? '' : `${l.name} ${signed(at[1])}`; })
			.filter(Boolean).join('\n') });
}

function quantileTable(results) {
	const names = ['p50', 'p90', 'p99', 'p99.9', 'p99.99'];
	const cell = q => !Array.isArray(q) ? quantileCell(q) : { t: el('span', null,
		quantileCell(q[0]).t, el('br'), el('span', { class: 'dim' }, q.length < 3
		? 'no bounds' : `${time(q[1])} … ${q[2] === 'missed' ? q[2] : time(q[2])}`)),
		v: q[0] === 'missed' ? Infinity : q[0], c: q[0] === 'missed' ? 'bad' : '' };

	return [table([{ t: '' }, ...names], results.flatMap(r => LATENCIES.filter(m => hist(r.all,
		m).n).map(m => [m + (results.length > 1 ? ', ' + r.name : ''),
		...names.map(n => cell(((r.all.quantiles || {})[m] || {})[n]))]))),
		paragraph('The bounds have 95 % confidence if the windows are independent. They describe this run, not other runs. –: too few windows for the quantile.', 'dim')];
}

const octave = { edge: r => (r % 2 ? 3 : 2) * 2 ** (Math.floor(r / 2) - 1),
	row: ns => { const e = Math.floor(Math.log2(Math.max(1, ns)));
	return 2 * e + (ns >= 1.5 * 2 ** e ? 1 : 0); } };

/** Rows of half octaves, with the windows of a histogram. */
function coarse(pairs) {
	const cells = new Map();

	for (const [ns, n] of pairs)
		cells.set(octave.row(ns), (cells.get(octave.row(ns)) || 0) + n);
	return cells;
}

const lateWords = c => [c.violations ? count(c.violations) + ' violations' : '', c.missed
	? count(c.missed) + ' missed' : ''].filter(Boolean).join(', ');

function cpuHeat(r) {
	return ['wake', 'response'].map(m => heat({ metric: m, what: 'CPU', budget: m === 'response'
		? r.budget_ns : 0, ...octave,
		columns: r.cpu.map(c => ({ name: (c.host ? c.host + ' ' : '') + 'CPU ' + c.cpu,
			label: c.cpu, cells: coarse(steps(hist(c, m)).map(s => [s.from, s.n])),
			bad: lateWords(c) })) }));
}

function timeHeat(r) {
	const s = r.slices, at = i => since(i * s.slice_ns);

	return ['wake', 'response'].map(m => heat({ metric: m, what: 'part of the run',
		budget: m === 'response' ? r.budget_ns : 0, ...octave,
		columns: s.at.map((c, i) => ({ name: `${at(i)} to ${at(i + 1)}`, label: at(i),
			cells: coarse(c[m] || []), bad: lateWords(c) })) }));
}

const PLOTS = 128;

/** A small plot for each CPU over the curves of all; with very many CPUs those with the longest responses. */
function cpuPlots(r) {
	const order = [...r.cpu.keys()].sort((a, b) => (hist(r.cpu[b], 'response').max ||
		0) - (hist(r.cpu[a], 'response').max || 0));
	const shown = order.slice(0, PLOTS).sort((a, b) => a - b),
		[from, to] = timeRange([r.budget_ns, ...['wake', 'response'].flatMap(m =>
		[hist(r.all, m).min, hist(r.all, m).max])]);
	const x = scale(from, to, 4, 316, true), y = scale(1, 1 / Math.max(2,
		hist(r.all, 'response').n), 144, 4, true);
	const path = (c, m) => tail(hist(c, m), missedOf(c, m))
		.map(p => `${Math.round(x.at(p[0]))},${Math.round(y.at(p[1]))}`).filter((p, i, a) =>
		p !== a[i - 1]).join(' ');
	const behind = ['wake', 'response'].map(m => path(r.all, m));

	return [el('div', { class: 'cpus' + (shown.length < 5 ? ' few' : '') },
		shown.map(i => { const c = r.cpu[i], late = lateWords(c);
		return el('div', null, el('span', { class: late ? 'bad' : '' },
			(c.host ? c.host + ' ' : '') + 'CPU ' + c.cpu),
			sv('svg', { class: 'cpu', viewBox: '0 0 320 170' }, sv('title', null,
				`CPU ${c.cpu}: ${count(c.windows || 0)} windows, longest response ${time(hist(c, 'response').max || 0)}${late ? ', ' + late : ''}`),
				behind.map(p => sv('polyline', { class: 'line of-all',
					points: p })),
					sv('path', { class: 'axis', d: 'M4 4V144H316' }),
				r.budget_ns ? sv('path', { class: 'mark',
					d: `M${Math.round(x.at(r.budget_ns))} 4V144` }) : null,
				['wake', 'response'].map(m => sv('polyline', { class: 'line ' + m,
					points: path(c, m) })),
				sv('text', { x: 4, y: 162 }, time(from)),
					sv('text', { x: 316, y: 162, 'text-anchor': 'end' },
					time(to)))); })),
	paragraph(shown.length < r.cpu.length
		? `The ${shown.length} of ${r.cpu.length} CPUs with the longest responses. Grey: all CPUs.` : 'Grey: all CPUs. Up: rarer. Right: longer.', 'dim')];
}

function worstWindow(r, w) {
	const parts = windowParts(w), at = w.t0_ns !== undefined
		? `, expiry at ${(w.t0_ns / 1e9).toFixed(9)} s` : '';

	return [heading('The worst window'),
		el('p', null, w.who ? `${w.who}: `
			: `CPU ${w.cpu || 0}, activation ${w.activation || 0}${at}: `,
			`response ${time(w.response_ns)}, budget ${time(w.budget_ns || r.budget_ns)}.`, w.cause ? ` It was ${w.cause}.` : ''),
		w.timeline && w.timeline.spans ? timeline(w) : el('div', { class: 'big' },
			bar(parts, sum(Object.values(parts)))), legend(parts),
		paragraph(w.timeline && w.timeline.spans
			? 'Time runs from the expiry to the right. Each piece is where it occurred. Drag over a part of it to see that part; a double click shows all.' :
			'Each part is a sum; its position is not the time at which it occurred.',
				'dim')];
}

const nameOf = w => w.who || `CPU ${w.cpu || 0}, activation ${w.activation || 0}`;

function nextWorst(r, list) {
	const longest = r.worst[0].response_ns, waited = list.some(w => w.waited);

	if (!list.length)
		return null;
	return [heading('The next worst'), table(['window', 'response',
		{ t: 'what made it long', l: 1 }, { t: 'largest interruption', l: 1 },
		...(waited ? [{ t: 'longest wait', l: 1 }] : []), { t: 'parts', l: 1 }],
	list.map(w => [nameOf(w), timeCell(w.response_ns), { t: w.cause || '–', c: 'prose' },
		w.interrupted || '–', ...(waited ? [{ t: w.waited || '–', c: 'prose' }] : []),
		{ t: bar(windowParts(w), longest), v: w.response_ns, c: 'w' }])),
	list.map(spansOf)];
}

/** What happened in a window, in its order, or that this was lost. */
function spansOf(w) {
	if (w.timeline_lost)
		return paragraph(`${nameOf(w)}: a window whose timeline was lost`, 'dim');
	return w.timeline && w.timeline.spans
		? [paragraph(`${nameOf(w)}: ${time(w.response_ns)}`, 'dim'), timeline(w)] : null;
}

/** Settings and circumstances of a result, by their keys. */
function circumstances(r) {
	const ns = k => r[k] ? time(r[k]) : null, tags = Object.entries(r.tags || {})
		.map(([k, v]) => `${k}=${v}`).join(', ');

	return [heading('How it was measured'), facts([['command', r.command], ['kernel', r.kernel],
		['machine', r.machine], ['host', r.host], ['label', r.label], ['tags', tags],
		...(r.says.facts || []), ['backend', r.backend],
		['why this backend', r.backend_because], ['noise source', r.noise_source],
			['workload', r.workload], ['work', r.work], ['policy', r.policy],
			['policy asked for', r.policy_asked], ['dma_latency', r.dma_latency],
		['settings by --tune', r.tune], ['could not be changed', r.tune_left_out],
			['load', r.load], ['CPUs of the load', r.load_cpus], ['CPUs', r.cpus],
			['housekeeping', r.housekeeping], ['period', ns('period_ns')],
		['budget', ns('budget_ns')], ['ran', ns('duration_ns')], ['stopped by',
			r.stopped_by], ['not measured', r.unavailable_because], ...(r.notes || [])
			.map(n => ['note', n])]),
	Object.keys(r.tuning || {}).length ? [heading('Tuning'), facts(Object.entries(r.tuning))]
		: null];
}

function verdict(says) {
	return [el('p', { class: 'verdict ' + says.class }, says.verdict), (says.assertions || [])
		.map(a => el('p', null, el('span', { class: a.class }, a.outcome),
		' ' + a.condition + ' ', el('span', { class: 'dim' }, a.found))),
		[...(says.lines || []), ...(says.bearings || [])].map(l => paragraph(l)),
		(says.doubts || []).map(l => paragraph(l,
			'unsure'))];
}

function resultHead(r) {
	const mean = meanParts(r.all);

	return [heading(r.name, [r.says.title || r.work, r.kernel ? 'Linux ' +
		r.kernel.split(' ')[0] : ''].filter(Boolean).join(', '), 1), verdict(r.says),
		Object.keys(mean).length ? [paragraph('where the time of a mean window goes',
			'dim'), el('div', { class: 'big' }, bar(mean, sum(Object.values(mean)))),
			legend(mean)] : null];
}

function resultRest(r) {
	const worst = r.worst || [], many = r.cpu && r.cpu.length > 1;

	return [D.results.length > 1 ? heading(r.name, null, 1) : null,
		r.slices && r.slices.at && r.slices.at.length > 1 ? [heading('When it happened'),
			timeHeat(r),
			paragraph(
			`Time runs from the begin of the run, in slices of ${since(r.slices.slice_ns)}. The stronger its colour, the more windows a cell has.`, 'dim')] : null,
		r.says.of_task ? null : [heading('CPUs'), many ? cpuHeat(r) : null, many &&
			r.all.windows ? cpuPlots(r) : null, cpuTable(r)],
		r.says.of_task ? [heading('Windows and times'), r.tables.filter(t => t && !t.title)
			.map(madeTable)] : null,
		worst.length ? worstWindow(r, worst[0]) : null, worst.length ? nextWorst(r,
			worst.slice(1)) : null,
		r.tables.filter(t => t && t.title).map(madeTable),
		(r.flames || []).map(flameSection), circumstances(r)];
}

function flameSection(f) {
	return f && f.stacks.length ? [heading(f.title),
		paragraph(f.text + (f.sides && f.sides.length > 1
		? ` ${f.sides[0]} is A, ${f.sides[1]} is B. Red has more in B.` : ''), 'dim'),
		paragraph('A click on a box shows only what it called; a double click shows all.',
			'dim'), flame(f)] : null;
}

function samplesSection(s) {
	const values = s.cpus.flatMap(c => c.steps.flatMap(t => [t[1], t[4]])),
		[from, to] = timeRange(values), range = Math.max(1, s.range_ns);

	return [heading('Samples: ' + s.name), paragraph(s.text, 'dim'), s.cpus.map(c => {
		const at = t => range * (t[0] + 0.5) / s.steps, line = (name, low, high) =>
			({ name, cls: name, points: c.steps.filter(t => t[low] !== null)
			.flatMap(t => [[at(t), Math.max(1, t[low])],
			[at(t), Math.max(1, t[high])]]) });

		return [heading('CPU ' + c.cpu, null, 3), plot({ label: 'samples of CPU ' + c.cpu,
			height: 190, x: { from: 0, to: range, name: since }, y: { from, to,
			log: true, name: time }, lines: [line('response', 3, 4), line('wake', 1,
			2)],
			dots: c.steps.filter(t => t[5] || t[6])
				.map(t => ({ x: at(t), y: t[6] ? to : t[4], cls: 'bad',
				words: `${t[5]} violations, ${t[6]} missed` })),
			describe: v => { const t = c.steps.find(q =>
				q[0] === Math.floor(v / range * s.steps));
				return t ? `at ${since(at(t))}` + (t[1] === null ? ''
				: `\nresponse ${time(t[3])} to ${time(t[4])}\nwake ${time(t[1])} to ${time(t[2])}`) + (t[5] || t[6] ? `\n${t[5]} violations, ${t[6]} missed` : '') : ''; } })];
	})];
}

/* How a page of each kind is drawn: a function of its data that returns elements. */
const pages = {
	results(d) {
		const measured = d.results.length && d.results.every(r => r.all.windows),
			two = d.results.length === 2;

		return [d.results.map(resultHead),
			measured ? [heading('Quantiles'), quantilePlot(d.results),
				quantileTable(d.results), heading('Histogram'),
				histogramPlot(d.results)] : null,
			measured && two ? [heading('Shift: second minus first, by quantile'),
				shiftPlot(d.results),
				paragraph(
				'Two runs cannot show a regression. tlob-load compare decides from several runs of each.', 'dim')] : null,
			d.results.map(resultRest), d.samples ? samplesSection(d.samples) : null,
				(d.flames || []).map(flameSection)];
	},
};
