// SPDX-License-Identifier: GPL-2.0
/* The page of a validation. */

pages.validate = d => {
	const v = d.validation, says = d.says, longest = Math.max(v.budget_ns,
		...v.phases.map(p => p.response_max_ns || 0)), worst = v.worst &&
		says.phases.find(p => p.name === v.worst.phase);
	const measured = p => p && p.all && p.all.windows, curves = [says.phases[0],
		worst].filter((p, i, a) => measured(p) && a.indexOf(p) === i), done = p =>
		p.state === 'done';

	return [heading('Is this machine fit?', 'CPUs ' + (v.cpus || '–'), 1),
		el('p', { class: 'verdict ' + says.class }, v.sentence), paragraph(v.conditions,
		'dim'), paragraph(says.gaps), v.lowered.map(l => paragraph(l, 'unsure')),
		heading('Phases'), table(['phase', { t: 'budget', l: 1 }, 'expiries',
			'over or missed', 'less than', 'on CPU', 'episodes/h <', 'p99.9', 'longest',
			{ t: 'the worst window', l: 1 }, { t: 'what made it long', l: 1 }],
			v.phases.map((p, i) => done(p) ? [p.name, { t: p.kept === null ? 'open'
				: p.kept ? 'kept' : 'not kept', c: p.kept === null ? 'unsure'
				: p.kept ? 'good' : 'bad' }, countCell(p.of), countCell(p.over,
				true), p.upper_95 === null ? '–' : { t: Number((100 * p.upper_95)
				.toPrecision(2)) + ' %', v: p.upper_95 },
				p.cpu, p.episodes_per_hour_95 === null ? '–'
					: Number(p.episodes_per_hour_95.toPrecision(2)),
					quantileCell([].concat(((says.phases[i].all.quantiles || {})
					.response || {})['p99.9'])[0]), timeCell(p.response_max_ns),
					says.phases[i].worst
					? { t: bar(windowParts(says.phases[i].worst), longest),
					v: p.response_max_ns, c: 'w' } : '–', { t: p.cause || '–',
					c: 'prose' }] :
				[p.name, { t: p.state, c: p.state === 'skipped' ? 'dim'
					: 'unsure' }, '', '', '', '', '', '', '', '',
					{ t: p.because || '', c: 'prose' }])),
		paragraph(`${says.bounds} A whole bar is ${time(longest)}; the budget is ${time(v.budget_ns)}.`, 'dim'), paragraph(says.clock),
		v.worst ? [heading('The worst window and its main offender'),
			paragraph(v.worst.cause, 'next'), v.worst.bearings.map(b =>
			paragraph(b.text)), worst && worst.worst ? [el('div', { class: 'big' },
			bar(windowParts(worst.worst),
			sum(Object.values(windowParts(worst.worst))))),
			legend(windowParts(worst.worst))] : null] : null,
		d.tables.filter(Boolean).map(madeTable), curves.length
			? [heading('Quantiles' + (curves.length > 1 ? ': ' + curves.map(p => p.name)
			.join(', and ') : '')), quantilePlot(curves)] : null,
		heading('How it was measured'),
			facts([['CPUs', v.cpus], ['period', time(v.period_ns)],
			['budget', time(v.budget_ns)], ['each phase', time(v.duration_ns)],
			['results', v.dir]])];
};
