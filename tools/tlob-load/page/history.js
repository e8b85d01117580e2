// SPDX-License-Identifier: GPL-2.0
/* The page of a history: each number of each series over its sessions. */

/** A value of a history in words; a name with "miss" is that of a share. */
function valueWords(v, name) {
	return v === 'missed' ? v : name.includes('miss') ? percent(v) : time(v);
}

/** Dots of a session: a small one for each run, a large one for the median. */
function sessionDots(t, i, value, name, y) {
	const median = t.medians[value], dot = { x: i, r: 1.3 }, verdict = t.verdict ? ', ' + t.verdict : '';

	return [...t.runs.map(r => r[value]).filter(v => v !== null).map(v => ({ ...dot, y: y(v),
		words: `a run of session ${t.number}: ${valueWords(v, name)}` })),
	...(median === null ? [] : [{ ...dot, y: y(median), r: 3.5,
		cls: t.state === 'rejected' ? 'bad' : 'effect', words: `session ${t.number}, ${t.build}, ` +
			`${t.began}: ${valueWords(median, name)}, ${t.state}${verdict}` }])];
}

/** Marks where sessions are apart, and where a number has changed. */
function historyMarks(s, value) {
	const at = new Map(s.sessions.map((t, i) => [t.number, i]));

	return [...s.sessions.flatMap((t, i) => t.gap ? [{ x: i - 0.5, cls: 'gap', words: t.gap }] : []),
		...s.steps.filter(([of, session]) => of === value && at.has(session))
			.map(([, session, by]) => ({ x: at.get(session) - 0.5,
				name: `${by === null ? '' : change(by) + ' '}from session ${session}` }))];
}

function historyPlot(s, value, name) {
	const values = s.sessions.flatMap(t => t.runs.map(r => r[value])), share = name.includes('miss');
	const known = values.filter(v => typeof v === 'number'), last = s.sessions.length - 1;
	const [from, to] = share ? [0, Math.max(...known, 1e-6) * 1.1] : timeRange(known);
	const y = v => v === 'missed' ? to : v;

	return known.length ? [heading(name, null, 3), plot({ label: name, height: 260,
		x: { from: -0.5, to: last + 0.5, name: v => (s.sessions[v].build || '').slice(0, 12),
			ticks: () => wholeTicks(0, last, 9) },
		y: { from, to, log: !share, name: v => valueWords(v, name) }, marks: historyMarks(s, value),
		dots: s.sessions.flatMap((t, i) => sessionDots(t, i, value, name, y)) })] : null;
}

/** A median as a cell. */
function medianCell(v, name) {
	return v === null ? '–' : { t: valueWords(v, name), v: v === 'missed' ? Infinity : v };
}

function stateClass(t) {
	const open = t.state === 'open' || (t.verdict && t.verdict !== 'OK');

	return t.state === 'rejected' ? 'bad' : open ? 'unsure' : 'good';
}

/** The sessions, the newest first. */
function sessionTable(s, names) {
	const columns = [2, 5, 7].filter(i => i < names.length);

	return table(['session', { t: 'began', l: 1 }, { t: 'build', l: 1 }, { t: 'commit', l: 1 }, 'runs',
		{ t: 'state', l: 1 }, { t: 'verdict', l: 1 }, ...columns.map(i => names[i]),
		{ t: 'because', l: 1 }],
	[...s.sessions].reverse().map(t => [t.number, t.began, t.build || '–', t.commit || '–',
		t.runs.length, { t: t.state, c: stateClass(t) }, t.verdict || '–',
		...columns.map(i => medianCell(t.medians[i], names[i])),
		{ t: [t.because, t.gap].filter(Boolean).join('; '), c: 'prose' }]));
}

pages.history = ({ history: h }) => [heading('History', h.dir, 1),
	paragraph('A large dot is the median of a session, a small one a run; a red one was rejected. A ' +
		'dashed grey line is a gap in time or a clock that was set back. A red mark is a step: the ' +
		'ten sessions before, without rejected ones, and from there differ (rank sum, 0.1 %).', 'dim'),
	h.series.map(s => [
		heading(`Series ${s.number}: ${s.host || 'unknown host'}, ${s.settings}`),
		s.all > s.sessions.length
			? paragraph(`The newest ${s.sessions.length} of ${s.all} sessions.`, 'dim') : null,
		h.values.map((name, i) => historyPlot(s, i, name)), sessionTable(s, h.values)])];
