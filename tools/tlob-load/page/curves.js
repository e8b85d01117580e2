// SPDX-License-Identifier: GPL-2.0
/* What histograms show: quantiles, the histogram, the shift between two, heat maps, CPUs. */

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
 * A line of plot() for each latency m of each result r; those of several have colours.
 * @param {function} points (hist, missed) of a line
 */
function curves(results, points) {
	const many = results.length > 1, dash = { irq: 'dash0', wake: 'dash1' };

	return results.flatMap((r, i) => LATENCIES.filter(m => hist(r.all, m).n).map(m => ({ m, r,
		name: m + (many ? ', ' + nameAmong(r, results) : ''),
		cls: many ? `c${i % 8} ${dash[m] || ''}` : m,
		points: points(hist(r.all, m), missedOf(r.all, m)) })));
}

/** A mark for the budget, or for that of each result if they differ. */
function budgetMarks(results) {
	const same = results.every(r => r.budget_ns === results[0].budget_ns);

	const of = r => 'budget ' + time(r.budget_ns) + (same ? '' : ', ' + r.name);

	return (same ? results.slice(0, 1) : results).filter(r => r.budget_ns)
		.map(r => ({ x: r.budget_ns, name: of(r) }));
}

/** The axis of times that has latencies and budgets. */
function timeAxis(results, metrics = LATENCIES) {
	const [from, to] = timeRange(results.flatMap(r => [r.budget_ns,
		...metrics.flatMap(m => [hist(r.all, m).min, hist(r.all, m).max])]));

	return { from, to, log: true, name: time };
}

/** An axis of quantiles, from p0 to as far as one of n expiries. */
function quantileAxis(n) {
	const least = 1 / Math.max(2, n);

	return { from: 1, to: least, log: true, name: quantile,
		ticks: () => SHARES.filter(s => s >= least) };
}

/** The quantile that each latency is. */
function quantilePlot(results) {
	const expiries = results.map(r => hist(r.all, 'response').n + (r.all.missed || 0));
	const at = (l, v) => l.points.filter(p => p[0] <= v).pop();
	const say = v => l => `${l.name} ${at(l, v) ? quantile(at(l, v)[1]) : 'p0'}`;

	return plot({ label: 'quantiles', lines: curves(results, tail), marks: budgetMarks(results),
		x: timeAxis(results), y: quantileAxis(Math.max(...expiries)),
		say: (v, lines) => time(v) + '\n' + wordsOf(lines, say(v)) });
}

/** How many windows have each latency. */
function histogramPlot(results) {
	const lines = curves(results, outline);
	const most = Math.max(2, ...lines.flatMap(l => l.points.map(p => p[1])));
	const say = v => l => {
		const s = steps(hist(l.r.all, l.m)).find(x => x.from <= v && v < x.to);

		return s && `${l.name} ${time(s.from)} to ${time(s.to)}: ${count(s.n)} windows`;
	};

	return plot({ label: 'histogram', x: timeAxis(results), lines, marks: budgetMarks(results),
		y: { from: 0.5, to: most, log: true, name: count,
			ticks: () => ticks(1, most, true) },
		say: (v, shown) => wordsOf(shown, say(v)) || time(v) });
}

/** A plot of differences in ns at shares of expiries: shift is {wake: [[share, ns]]}. */
function shiftPlot(shift, x, height) {
	const lines = Object.entries(shift).filter(([, points]) => points.length)
		.map(([m, points]) => ({ name: m, cls: m, points }));
	const all = lines.flatMap(l => l.points), far = (p, v) => Math.abs(Math.log(p[0] / v));
	const from = Math.min(0, ...all.map(p => p[1])), to = Math.max(0, ...all.map(p => p[1]));
	const room = (to - from || 1) / 15;
	const say = (v, shown) => {
		const [share] = all.reduce((p, q) => far(q, v) < far(p, v) ? q : p);
		const at = l => l.points.find(p => p[0] === share);

		return quantile(share) + '\n' +
			wordsOf(shown, l => at(l) && `${l.name} ${signed(at(l)[1])}`);
	};

	return all.length > 0 && plot({ label: 'shift by quantile', height, lines, x, say,
		y: { from: from - room, to: to + room, name: signed },
		marks: [{ y: 0, cls: 'zero' }] });
}

/** The second result minus the first, by quantile. */
function shiftOfTwo(results) {
	const x = quantileAxis(Math.min(...results.map(r => hist(r.all, 'response').n)));
	const shares = [], both = LATENCIES.filter(m => results.every(r => hist(r.all, m).n));
	const shift = m => {
		const [a, b] = results.map(r => tail(hist(r.all, m), missedOf(r.all, m)));
		const points = shares.map(s => [s, tailAt(b, s) - tailAt(a, s)]);

		return [m, points.filter(p => isFinite(p[1]))];
	};

	for (let share = 0.99; share >= x.to; share *= 0.93)
		shares.push(share);
	return shiftPlot(Object.fromEntries(both.map(shift)), x);
}

/** A quantile of all CPUs with its bounds: [ns, lower, upper], or "missed". */
function boundedCell(q) {
	if (!Array.isArray(q))
		return quantileCell(q);
	const [at, lower, upper] = q, late = at === 'missed';
	const bounds = lower === undefined ? 'no bounds'
		: `${time(lower)} … ${upper === 'missed' ? upper : time(upper)}`;

	return { v: late ? Infinity : at, c: late ? 'bad' : '', t: el('span', null,
		quantileCell(at).t, el('br'), el('span', { class: 'dim' }, bounds)) };
}

/** What the curves show, in numbers. */
function quantileTable(results) {
	const names = ['p50', 'p90', 'p99', 'p99.9', 'p99.99'], many = results.length > 1;
	const row = (r, m) => [m + (many ? ', ' + r.name : ''),
		...names.map(n => boundedCell(((r.all.quantiles || {})[m] || {})[n]))];

	return [table(['', ...names], results.flatMap(r =>
		LATENCIES.filter(m => hist(r.all, m).n).map(m => row(r, m)))),
	paragraph('The bounds have 95 % confidence if the windows are independent. They describe ' +
		'this run, not other runs. –: too few windows for the quantile.', 'dim')];
}

/** @returns {string} "3 violations, 1 missed", or '' */
function lateWords(c) {
	return ['violations', 'missed'].filter(k => c[k]).map(k => `${count(c[k])} ${k}`)
		.join(', ');
}

/** @returns {string} "CPU 3", with the host in a result of several */
function cpuName(c) {
	return (c.host ? c.host + ' ' : '') + 'CPU ' + c.cpu;
}

/** A heat map for each metric. @param {function} columns of a metric */
function heats(r, what, side, columns) {
	return ['wake', 'response'].map(m => heat({ metric: m, what, side, columns: columns(m),
		budget: m === 'response' ? r.budget_ns : 0 }));
}

/** A column for each CPU. The worst windows say their cause in the cell that they are in. */
function cpuHeat(r) {
	const causes = c => row => (r.worst || []).filter(w => w.cause &&
		cpuName(w) === cpuName(c) && octave.row(w.response_ns) === row)
		.map(w => `${time(w.response_ns)}: ${w.cause}`).join('\n');

	return heats(r, 'CPU', 0.5, m => r.cpu.map(c => ({ name: cpuName(c), label: c.cpu,
		bad: lateWords(c), cells: coarse(steps(hist(c, m)).map(s => [s.from, s.n])),
		more: m === 'response' ? causes(c) : null })));
}

/** A column for each part of the run. */
function timeHeat(r) {
	const s = r.slices, at = i => since(i * s.slice_ns);

	return heats(r, 'part of the run', 0, m => s.at.map((c, i) => ({ label: at(i),
		name: `${at(i)} to ${at(i + 1)}`, cells: coarse(c[m] || []), bad: lateWords(c) })));
}

const PLOTS = 128;

/** A small plot of each CPU over the curves of all; of many those with the longest responses. */
function cpuPlots(r) {
	const longest = c => hist(c, 'response').max || 0, metrics = ['wake', 'response'];
	const shown = [...r.cpu].sort((a, b) => longest(b) - longest(a)).slice(0, PLOTS);
	const few = shown.length < 5, width = few ? 280 : 160;
	const lines = (c, cls) => metrics.map(m =>
		({ cls: cls || m, points: tail(hist(c, m), missedOf(c, m)) }));
	const p = { cls: 'cpu', height: few ? 140 : 85, x: timeAxis([r], metrics),
		edge: { left: 2, right: 2, top: 2, bottom: 21 },
		marks: r.budget_ns ? [{ x: r.budget_ns }] : [],
		y: { ...quantileAxis(hist(r.all, 'response').n), ticks: () => [] } };
	const behind = lines(r.all, 'of-all');
	const cpu = c => {
		const late = lateWords(c);
		const words = `${cpuName(c)}: ${count(c.windows || 0)} windows, ` +
			`longest response ${time(longest(c))}${late ? ', ' + late : ''}`;
		const small = drawing({ ...p, label: words }, p.x, width, [...behind, ...lines(c)]);

		return el('div', null, el('span', { class: late ? 'bad' : '' }, cpuName(c)),
			make(small.svg, { tabindex: 0, 'data-words': words }, []));
	};

	return [el('div', { class: 'cpus' + (few ? ' few' : '') },
		r.cpu.filter(c => shown.includes(c)).map(cpu)),
	paragraph(shown.length === r.cpu.length ? 'Grey: all CPUs. Up: rarer. Right: longer.'
		: `The ${shown.length} of ${r.cpu.length} CPUs with the longest responses. Grey: ` +
			'all CPUs.', 'dim')];
}
