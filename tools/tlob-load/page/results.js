// SPDX-License-Identifier: GPL-2.0
/* The page of results of run and attach. */

/** A cell of a quantile of a CPU; of all CPUs it has bounds. */
function cpuQuantile(c, name, q) {
	const at = ((c.quantiles || {})[name] || {})[q];

	return quantileCell(Array.isArray(at) ? at[0] : at);
}

/** Counts and latencies of each CPU. */
function cpuTable(r) {
	const longest = Math.max(...r.cpu.map(c => sum(meanParts(c))), 1);
	const name = c => c.cpu === undefined ? { t: 'all', v: -1 }
		: { t: (c.host ? c.host + ' ' : '') + c.cpu, v: c.cpu };
	const times = (c, m, names) => [...names.map(q => cpuQuantile(c, m, q)),
		timeCell(hist(c, m).max, hist(c, m).n)];
	const row = c => [name(c), countCell(c.windows), countCell(c.violations, true),
		countCell(c.missed, true), countCell(c.lost), ...times(c, 'wake', ['p50', 'p99.9']),
		...times(c, 'response', ['p50', 'p99', 'p99.9']),
		barCell(meanParts(c), longest, c.cpu === undefined ? 'all CPUs' : cpuName(c))];

	return table(['CPU', 'windows', 'violations', 'missed', 'lost', 'wake p50', 'p99.9', 'max',
		'response p50', 'p99', 'p99.9', 'max', toLeft('mean response')],
	[...(r.cpu.length > 1 ? [r.all] : []), ...r.cpu].map(row));
}

/** Settings and circumstances of a result: [name, key], those in ns as names. */
const ABOUT = [['backend', 'backend'], ['why this backend', 'backend_because'],
	['noise source', 'noise_source'], ['workload', 'workload'], ['work', 'work'],
	['policy', 'policy'], ['policy asked for', 'policy_asked'], ['dma_latency', 'dma_latency'],
	['settings by --tune', 'tune'], ['could not be changed', 'tune_left_out'], ['load', 'load'],
	['CPUs of the load', 'load_cpus'], ['CPUs', 'cpus'], ['housekeeping', 'housekeeping'],
	['period', 'period_ns'], ['budget', 'budget_ns'], ['ran', 'duration_ns'],
	['stopped by', 'stopped_by'], ['not measured', 'unavailable_because']];

/** What ran, where, and under which settings. */
function circumstances(r) {
	const value = key => key.endsWith('_ns') ? r[key] && time(r[key]) || null : r[key];
	const tags = Object.entries(r.tags || {}).map(([k, v]) => `${k}=${v}`).join(', ');
	const tuning = Object.entries(r.tuning || {});

	return [heading('How it was measured'), facts([['command', r.command], ['kernel', r.kernel],
		['machine', r.machine], ['host', r.host], ['label', r.label], ['tags', tags],
		...(r.says.facts || []), ...ABOUT.map(([name, key]) => [name, value(key)]),
		...(r.notes || []).map(n => ['note', n])]),
	tuning.length > 0 && [heading('Tuning'), facts(tuning)]];
}

/** The first sentence, and what is to be known with it. */
function verdict(says) {
	const assertion = a => el('p', null, el('span', { class: a.class }, a.outcome),
		' ' + a.condition + ' ', el('span', { class: 'dim' }, a.found));

	return [paragraph(says.verdict, 'verdict ' + says.class),
		(says.assertions || []).map(assertion),
		[...(says.lines || []), ...(says.bearings || [])].map(l => paragraph(l)),
		(says.doubts || []).map(l => paragraph(l, 'unsure'))];
}

/** What stands first of each result. */
function resultHead(r) {
	const mean = meanParts(r.all), kernel = r.kernel && 'Linux ' + release(r.kernel);

	return [heading(r.name, [r.says.title || r.work, kernel].filter(Boolean).join(', '), 1),
		verdict(r.says), Object.keys(mean).length > 0 &&
			[paragraph('where the time of a mean window goes', 'dim'), bigBar(mean)]];
}

/** What all results with windows have in one plot. */
function together(results) {
	return results.length > 0 && [heading('Quantiles'), quantilePlot(results),
		quantileTable(results), heading('Histogram'), histogramPlot(results),
		results.length === 2 && [
			heading('Shift: second minus first, by quantile'), shiftOfTwo(results),
			paragraph('Two runs cannot show a regression. tlob-load compare decides ' +
				'from several runs of each.', 'dim')]];
}

/** The parts of the run, one after the other. */
function slicesOf(r) {
	return r.slices && r.slices.at && r.slices.at.length > 1 && [heading('When it happened'),
		timeHeat(r), paragraph('Time runs from the begin of the run, in slices of ' +
			since(r.slices.slice_ns) + '. The stronger its colour, the more windows ' +
			'a cell has.', 'dim')];
}

/** The CPUs of a run, or the numbers of a region. */
function cpusOf(r) {
	const many = r.cpu.length > 1;

	if (r.says.of_task)
		return [heading('Windows and times'),
			r.tables.filter(t => t && !t.title).map(madeTable)];
	return [heading('CPUs'), many && cpuHeat(r), many && r.all.windows > 0 && cpuPlots(r),
		cpuTable(r)];
}

/** What is particular to a result. */
function resultRest(r) {
	const [worst, ...next] = r.worst || [];

	return [D.results.length > 1 ? heading(r.name, null, 1) : null, slicesOf(r), cpusOf(r),
		worst ? [worstWindow(r, worst), nextWorst(r, next), worstFunctions(r)] : null,
		r.tables.filter(t => t && t.title).map(madeTable),
		(r.flames || []).map(flameSection), circumstances(r)];
}

/* Columns of a step of samples. WAKE and RESPONSE are the shortest; next to each is the longest. */
const S_AT = 0, S_WAKE = 1, S_RESPONSE = 3, S_LONGEST = 4, S_VIOLATIONS = 5, S_MISSED = 6;

/** The words of a step. */
function sampleWords(t, at) {
	const span = (name, i) => `${name} ${time(t[i])} to ${time(t[i + 1])}`;

	return ['at ' + since(at), ...(t[S_WAKE] === null ? []
		: [span('response', S_RESPONSE), span('wake', S_WAKE)]),
	lateWords({ violations: t[S_VIOLATIONS], missed: t[S_MISSED] })].filter(Boolean).join('\n');
}

/** A plot of the samples of a CPU, from the shortest to the longest of each step. */
function samplesPlot(s, c, from, to) {
	const range = Math.max(1, s.range_ns), at = t => range * (t[S_AT] + 0.5) / s.steps;
	const line = (name, i) => ({ name, cls: name, points: c.steps.filter(t => t[i] !== null)
		.flatMap(t => [t[i], t[i + 1]].map(ns => [at(t), Math.max(1, ns)])) });
	const late = c.steps.filter(t => t[S_VIOLATIONS] || t[S_MISSED]);
	const stepAt = v => c.steps.find(t => t[S_AT] === Math.floor(v / range * s.steps));

	return plot({ label: 'samples of CPU ' + c.cpu, height: 190,
		x: { from: 0, to: range, name: since }, y: { from, to, log: true, name: time },
		lines: [line('response', S_RESPONSE), line('wake', S_WAKE)],
		dots: late.map(t => ({ x: at(t), y: t[S_MISSED] ? to : t[S_LONGEST], cls: 'bad',
			words: sampleWords(t, at(t)) })),
		say: v => stepAt(v) ? sampleWords(stepAt(v), at(stepAt(v))) : '' });
}

/** The samples of a run, in time. */
function samplesSection(s) {
	const [from, to] = timeRange(s.cpus.flatMap(c =>
		c.steps.flatMap(t => [t[S_WAKE], t[S_LONGEST]])));

	return [heading('Samples: ' + s.name), paragraph(s.text, 'dim'), s.cpus.map(c =>
		[heading('CPU ' + c.cpu, null, 3), samplesPlot(s, c, from, to)])];
}

/* How a page of each kind is drawn: a function of its data that returns elements. */
const pages = {
	results: d => [d.results.map(resultHead), together(d.results.filter(r => r.all.windows)),
		d.results.map(resultRest), d.samples && samplesSection(d.samples),
		(d.flames || []).map(flameSection)],
};
