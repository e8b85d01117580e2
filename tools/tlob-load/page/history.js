// SPDX-License-Identifier: GPL-2.0
/* The page of a history: each number of each series over its sessions. */

/** A value of a history in words; a name with "miss" is that of a share. */
function valueWords(v, name) {
	return v === 'missed' ? v : name.includes('miss') ? percent(v) : time(v);
}

/** Dots of a session: a small one for each run, a large one for the median. */
function sessionDots(t, x, value, name, y) {
	const median = t.medians[value], runs = t.runs.map(r => r[value]).filter(v => v !== null);
	const dots = runs.map(v => ({ x, r: 1.3, y: y(v),
		words: `a run of session ${t.number}: ${valueWords(v, name)}` }));

	return median === null ? dots : [...dots, { x, y: y(median), r: 3.5,
		cls: t.state === 'rejected' ? 'bad' : 'effect',
		words: `session ${t.number}, ${t.build}, ${t.began}: ${valueWords(median, name)}` +
			`, ${t.state}${t.verdict ? ', ' + t.verdict : ''}` }];
}

/** Marks where sessions are apart, and where a number has changed. */
function historyMarks(s, value) {
	const at = new Map(s.sessions.map((t, i) => [t.number, i]));
	const changes = s.steps.filter(([of, session]) => of === value && at.has(session));
	const gaps = s.sessions.filter(t => t.gap);

	return [...gaps.map(t => ({ x: at.get(t.number) - 0.5, cls: 'gap', words: t.gap })),
		...changes.map(([, session, by]) => ({ x: at.get(session) - 0.5,
			name: `${by === null ? '' : change(by) + ' '}from session ${session}` }))];
}

/** A value of each session, in time. */
function historyPlot(s, value, name) {
	const share = name.includes('miss'), last = s.sessions.length - 1;
	const known = s.sessions.flatMap(t => t.runs.map(r => r[value]))
		.filter(v => typeof v === 'number');
	const [from, to] = share ? [0, Math.max(...known, 1e-6) * 1.1] : timeRange(known);
	const y = v => v === 'missed' ? to : v;

	return known.length > 0 && [heading(name, null, 3), plot({ label: name, height: 260,
		x: { from: -0.5, to: last + 0.5, ticks: () => wholeTicks(0, last, 9),
			name: v => (s.sessions[v].build || '').slice(0, 12) },
		y: { from, to, log: !share, name: v => valueWords(v, name) },
		marks: historyMarks(s, value),
		dots: s.sessions.flatMap((t, i) => sessionDots(t, i, value, name, y)) })];
}

/** A median as a cell. */
function medianCell(v, name) {
	return v === null ? '–' : { t: valueWords(v, name), v: v === 'missed' ? Infinity : v };
}

/** The colour of the state of a session. */
function stateClass(t) {
	const open = t.state === 'open' || (t.verdict && t.verdict !== 'OK');

	return t.state === 'rejected' ? 'bad' : open ? 'unsure' : 'good';
}

/** The sessions, the newest first. */
function sessionTable(s, names) {
	const columns = [2, 5, 7].filter(i => i < names.length);

	return table(['session', ...['began', 'build', 'commit'].map(toLeft), 'runs',
		...['state', 'verdict'].map(toLeft), ...columns.map(i => names[i]),
		toLeft('because')],
	[...s.sessions].reverse().map(t => [t.number, t.began, t.build || '–', t.commit || '–',
		t.runs.length, { t: t.state, c: stateClass(t) }, t.verdict || '–',
		...columns.map(i => medianCell(t.medians[i], names[i])),
		prose([t.because, t.gap].filter(Boolean).join('; '))]));
}

/** A store of sessions. */
pages.history = ({ history: h }) => [heading('History', h.dir, 1),
	paragraph('A large dot is the median of a session, a small one a run; a red one was ' +
		'rejected. A dashed grey line is a gap in time or a clock that was set back. A ' +
		'red mark is a step: the ten sessions before, without rejected ones, and from ' +
		'there differ (rank sum, 0.1 %).', 'dim'),
	h.series.map(s => [
		heading(`Series ${s.number}: ${s.host || 'unknown host'}, ${s.settings}`),
		s.all > s.sessions.length &&
			paragraph(`The newest ${s.sessions.length} of ${s.all} sessions.`, 'dim'),
		h.values.map((name, i) => historyPlot(s, i, name)), sessionTable(s, h.values)])];
