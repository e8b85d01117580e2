// SPDX-License-Identifier: GPL-2.0
/* The page of a history. */

function historyPlot(s, value, name) {
	const share = name.includes('miss'), show = v => v === 'missed' ? v : share ? percent(v)
		: time(v), x = new Map(s.sessions.map((t, i) => [t.number, i]));
	const values = s.sessions.flatMap(t => t.runs.map(r => r[value]))
		.filter(v => typeof v === 'number');

	if (!values.length)
		return null;
	const [from, to] = share ? [0, Math.max(...values, 1e-6) * 1.1] : timeRange(values),
		at = v => v === 'missed' ? to : v;

	return [heading(name, null, 3), plot({ label: name, height: 260, x: { from: -0.5,
		to: s.sessions.length - 0.5, name: v => (s.sessions[v] ? s.sessions[v].build || ''
		: '').slice(0, 12), ticks: () => ticks(0, s.sessions.length - 1, false, 9)
		.filter(v => v === Math.floor(v)) },
		y: { from, to, log: !share, name: show }, marks: [...s.sessions.map((t, i) => t.gap
			? { x: i - 0.5, cls: 'gap', words: t.gap } : null).filter(Boolean),
			...s.steps.filter(t => t[0] === value && x.has(t[1]))
				.map(t => ({ x: x.get(t[1]) - 0.5,
				name: `${t[2] === null ? '' : change(t[2]) + ' '}from session ${t[1]}` }))],
		dots: s.sessions.flatMap((t, i) => [...t.runs.map(r => r[value])
			.filter(v => v !== null).map(v => ({ x: i, y: at(v), r: 1.3,
			words: `a run of session ${t.number}: ${show(v)}` })),
			...(t.medians[value] === null ? [] : [{ x: i, y: at(t.medians[value]),
				r: 3.5, cls: t.state === 'rejected' ? 'bad' : 'effect',
				words: `session ${t.number}, ${t.build}, ${t.began}: ${show(t.medians[value])}, ${t.state}${t.verdict ? ', ' + t.verdict : ''}` }])]) })];
}

pages.history = d => {
	const h = d.history, columns = [2, 5, 7].filter(i => i < h.values.length), show = (v, i) =>
		v === null ? '–' : v === 'missed' ? { t: v, v: Infinity }
		: h.values[i].includes('miss') ? { t: percent(v), v } : timeCell(v);
	const cls = t => t.state === 'rejected' ? 'bad' : t.state === 'open' ||
		(t.verdict && t.verdict !== 'OK') ? 'unsure' : 'good';

	return [heading('History', h.dir, 1),
		paragraph(
		'A large dot is the median of a session, a small one a run; a red one was rejected. A dashed grey line is a gap in time or a clock that was set back. A red mark is a step: the ten sessions before, without rejected ones, and from there differ (rank sum, 0.1 %).', 'dim'),
		h.series.map(s =>
			[heading(`Series ${s.number}: ${s.host || 'unknown host'}, ${s.settings}`),
			s.all > s.sessions.length
			? paragraph(`The newest ${s.sessions.length} of ${s.all} sessions.`, 'dim')
			: null, h.values.map((name, i) => historyPlot(s, i, name)),
			table(['session', { t: 'began', l: 1 }, { t: 'build', l: 1 }, { t: 'commit',
				l: 1 }, 'runs', { t: 'state', l: 1 }, { t: 'verdict', l: 1 },
				...columns.map(i => h.values[i]), { t: 'because', l: 1 }],
				[...s.sessions].reverse().map(t => [t.number, t.began, t.build ||
					'–', t.commit || '–', t.runs.length,
					{ t: t.state, c: cls(t) }, t.verdict || '–',
					...columns.map(i => show(t.medians[i], i)),
					{ t: [t.because, t.gap].filter(Boolean).join('; '),
					c: 'prose' }]))])];
};
