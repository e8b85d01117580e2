// SPDX-License-Identifier: GPL-2.0
/* What histograms show: quantiles, the histogram, the shift between two, heat maps, a plot for each CPU. */

const LATENCIES = ['irq', 'wake', 'response'];
const SHARES = [0.5, ...Array.from({ length: 9 }, (_, i) => 10 ** -(i + 1))];

/** @param {object} c a CPU or all of them @returns {object} its histogram of a metric */
function hist(c, name) {
	return (c.hist || {})[name] || { n: 0 };
}

/** Expiries that a metric has no value of: irq has one of each. */
function missedOf(c, name) {
	return name === 'irq' ? 0 : c.missed || 0;
}

/** The release in the text of a kernel. */
function release(kernel) {
	return (kernel || '').split(' ')[0];
}

/** The name of a result among several: with the release where they have different kernels. */
function nameAmong(r, results) {
	const differ = results.some(x => x.kernel !== results[0].kernel);

	return r.name + (differ ? ` (${release(r.kernel)})` : '');
}

/**
 * A line for each latency of each result; those of several have colours.
 * @param {object[]} results
 * @param {function} points (hist, missed) of a line
 * @returns {object[]} lines of plot(), each with its metric m and its result r
 */
function curves(results, points) {
	const many = results.length > 1, dash = { irq: 'dash0', wake: 'dash1' };

	return results.flatMap((r, i) => LATENCIES.filter(m => hist(r.all, m).n).map(m => ({ m, r,
		name: m + (many ? ', ' + nameAmong(r, results) : ''),
		cls: many ? `c${i % 8} ${dash[m] || ''}` : m,
		points: points(hist(r.all, m), missedOf(r.all, m)) })));
}

/** The words of each line that is not hidden. @param {function} say of a line; '' says nothing */
function wordsOf(lines, off, say) {
	return lines.map((l, i) => off.has(i) ? '' : say(l)).filter(Boolean).join('\n');
}

/** A mark for the budget, or for that of each result if they differ. */
function budgetMarks(results) {
	const same = results.every(r => r.budget_ns === results[0].budget_ns);

	return (same ? results.slice(0, 1) : results).filter(r => r.budget_ns).map(r => ({
		x: r.budget_ns, name: 'budget ' + time(r.budget_ns) + (same ? '' : ', ' + r.name) }));
}

/** The axis of times that has all latencies and budgets. */
function timeAxis(results) {
	const [from, to] = timeRange(results.flatMap(r => [r.budget_ns,
		...LATENCIES.flatMap(m => [hist(r.all, m).min, hist(r.all, m).max])]));

	return { from, to, log: true, name: time };
}

/** An axis of quantiles, from p0 to as far as one of n expiries. */
function quantileAxis(n) {
	const least = 1 / Math.max(2, n);

	return { from: 1, to: least, log: true, name: quantile, ticks: () => SHARES.filter(s => s >= least) };
}

function quantilePlot(results) {
	const lines = curves(results, tail);
	const n = Math.max(...results.map(r => hist(r.all, 'response').n + (r.all.missed || 0)));
	const say = v => l => {
		const at = l.points.filter(p => p[0] <= v).pop();

		return `${l.name} ${at ? quantile(at[1]) : 'p0'}`;
	};

	return plot({ label: 'quantiles', x: timeAxis(results), y: quantileAxis(n), lines,
		marks: budgetMarks(results),
		describe: (v, off) => time(v) + '\n' + wordsOf(lines, off, say(v)) });
}

function histogramPlot(results) {
	const lines = curves(results, outline), most = Math.max(2, ...lines.flatMap(l =>
		l.points.map(p => p[1])));
	const say = v => l => {
		const s = steps(hist(l.r.all, l.m)).find(x => x.from <= v && v < x.to);

		return s ? `${l.name} ${time(s.from)} to ${time(s.to)}: ${count(s.n)} windows` : '';
	};

	return plot({ label: 'histogram', x: timeAxis(results), lines, marks: budgetMarks(results),
		y: { from: 0.5, to: most, log: true, name: count, ticks: () => ticks(1, most, true) },
		describe: (v, off) => wordsOf(lines, off, say(v)) || time(v) });
}

/** @returns {object} a line for plot(): by how much B is later than A at each share of expiries */
function shiftLine(m, results, least) {
	const [a, b] = results.map(r => tail(hist(r.all, m), missedOf(r.all, m))), points = [];

	for (let share = 0.99; share >= least; share *= 0.93)
		points.push([share, tailAt(b, share) - tailAt(a, share)]);
	return { name: m, cls: m, points: points.filter(p => isFinite(p[1])) };
}

/** A plot of lines around 0, with room above and below. */
function aroundZero(p) {
	const values = p.lines.flatMap(l => l.points.map(q => q[1]));
	const from = Math.min(0, ...values), to = Math.max(0, ...values), room = (to - from || 1) / 15;

	return plot({ ...p, label: 'shift by quantile', marks: [{ y: 0, cls: 'zero' }],
		y: { from: from - room, to: to + room, name: signed } });
}

/** The second result minus the first, by quantile. */
function shiftPlot(results) {
	const x = quantileAxis(Math.min(...results.map(r => hist(r.all, 'response').n)));
	const lines = LATENCIES.filter(m => results.every(r => hist(r.all, m).n))
		.map(m => shiftLine(m, results, x.to));
	const say = v => l => {
		const at = l.points.find(p => p[0] <= v);

		return at ? `${l.name} ${signed(at[1])}` : '';
	};

	return aroundZero({ lines, x, describe: (v, off) => quantile(v) + '\n' + wordsOf(lines, off, say(v)) });
}

/** A quantile of all CPUs with its bounds: [ns, lower, upper], or "missed". */
function boundedCell(q) {
	if (!Array.isArray(q))
		return quantileCell(q);
	const [at, lower, upper] = q, late = at === 'missed';

	return { v: late ? Infinity : at, c: late ? 'bad' : '', t: el('span', null, quantileCell(at).t,
		el('br'), el('span', { class: 'dim' }, lower === undefined ? 'no bounds'
			: `${time(lower)} … ${upper === 'missed' ? upper : time(upper)}`)) };
}

function quantileTable(results) {
	const names = ['p50', 'p90', 'p99', 'p99.9', 'p99.99'];
	const row = (r, m) => [m + (results.length > 1 ? ', ' + r.name : ''), ...names.map(n =>
		boundedCell(((r.all.quantiles || {})[m] || {})[n]))];

	return [table(['', ...names], results.flatMap(r => LATENCIES.filter(m => hist(r.all, m).n)
		.map(m => row(r, m)))),
	paragraph('The bounds have 95 % confidence if the windows are independent. They describe ' +
		'this run, not other runs. –: too few windows for the quantile.', 'dim')];
}

/** @returns {string} "3 violations, 1 missed", or '' */
function lateWords(c) {
	return ['violations', 'missed'].filter(k => c[k]).map(k => `${count(c[k])} ${k}`).join(', ');
}

/** @returns {string} "CPU 3", with the host in a result of several */
function cpuName(c) {
	return (c.host ? c.host + ' ' : '') + 'CPU ' + c.cpu;
}

/** A heat map for each metric. @param {function} columns of a metric */
function heats(r, what, columns) {
	return ['wake', 'response'].map(m => heat({ metric: m, what, columns: columns(m),
		budget: m === 'response' ? r.budget_ns : 0 }));
}

/** A column for each CPU. The worst windows say their cause in the cell that they are in. */
function cpuHeat(r) {
	const causes = c => row => (r.worst || []).filter(w => w.cause && cpuName(w) === cpuName(c) &&
		octave.row(w.response_ns) === row).map(w => `${time(w.response_ns)}: ${w.cause}`).join('\n');

	return heats(r, 'CPU', m => r.cpu.map(c => ({ name: cpuName(c), label: c.cpu, bad: lateWords(c),
		cells: coarse(steps(hist(c, m)).map(s => [s.from, s.n])),
		more: m === 'response' ? causes(c) : null })));
}

/** A column for each part of the run. */
function timeHeat(r) {
	const s = r.slices, at = i => since(i * s.slice_ns);

	return heats(r, 'part of the run', m => s.at.map((c, i) => ({ name: `${at(i)} to ${at(i + 1)}`,
		label: at(i), cells: coarse(c[m] || []), bad: lateWords(c) })));
}

const PLOTS = 128;

/** A small plot for each CPU over the curves of all; of very many those with the longest responses. */
function cpuPlots(r) {
	const longest = c => hist(c, 'response').max || 0;
	const shown = [...r.cpu].sort((a, b) => longest(b) - longest(a)).slice(0, PLOTS);
	const [from, to] = timeRange([r.budget_ns, ...['wake', 'response'].flatMap(m =>
		[hist(r.all, m).min, hist(r.all, m).max])]);
	const x = scale(from, to, 4, 316, true);
	const y = scale(1, 1 / Math.max(2, hist(r.all, 'response').n), 144, 4, true);
	const line = (c, m) => tail(hist(c, m), missedOf(c, m))
		.map(p => `${Math.round(x.at(p[0]))},${Math.round(y.at(p[1]))}`)
		.filter((p, i, a) => p !== a[i - 1]).join(' ');
	const frame = { x, from, to, line, behind: ['wake', 'response'].map(m => line(r.all, m)) };

	return [el('div', { class: 'cpus' + (shown.length < 5 ? ' few' : '') }, r.cpu.filter(c =>
		shown.includes(c)).map(c => cpuPlot(r, c, frame))),
	paragraph(shown.length < r.cpu.length
		? `The ${shown.length} of ${r.cpu.length} CPUs with the longest responses. Grey: all CPUs.`
		: 'Grey: all CPUs. Up: rarer. Right: longer.', 'dim')];
}

function cpuPlot(r, c, { x, from, to, line, behind }) {
	const late = lateWords(c), words = `${cpuName(c)}: ${count(c.windows || 0)} windows, ` +
		`longest response ${time(hist(c, 'response').max || 0)}${late ? ', ' + late : ''}`;

	return el('div', null, el('span', { class: late ? 'bad' : '' }, cpuName(c)),
		sv('svg', { class: 'cpu', viewBox: '0 0 320 170', role: 'img', tabindex: 0,
			'aria-label': words, 'data-words': words },
		behind.map(points => sv('polyline', { class: 'line of-all', points })),
		sv('path', { class: 'axis', d: 'M4 4V144H316' }), r.budget_ns ? sv('path',
			{ class: 'mark', d: `M${Math.round(x.at(r.budget_ns))} 4V144` }) : null,
		['wake', 'response'].map(m => sv('polyline', { class: 'line ' + m, points: line(c, m) })),
		sv('text', { x: 4, y: 162 }, time(from)),
		sv('text', { x: 316, y: 162, 'text-anchor': 'end' }, time(to))));
}
