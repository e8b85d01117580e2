// SPDX-License-Identifier: GPL-2.0
/* The page of a validation. */

/** Whether a phase kept the budget. */
function keptCell({ kept }) {
	return kept === null ? { t: 'open', c: 'unsure' } : kept ? { t: 'kept', c: 'good' }
		: { t: 'not kept', c: 'bad' };
}

/** A number with two digits and a unit, or a dash. */
function boundCell(v, factor, unit) {
	return v === null ? '–' : { t: Number((factor * v).toPrecision(2)) + unit, v };
}

/** The row of a phase: p of the validation, s with what was measured. */
function phaseRow(p, s, longest) {
	if (p.state !== 'done')
		return [p.name, { t: p.state, c: p.state === 'skipped' ? 'dim' : 'unsure' },
			...Array(8).fill(''), prose(p.because || '')];
	return [p.name, keptCell(p), countCell(p.of), countCell(p.over, true),
		boundCell(p.upper_95, 100, ' %'), p.cpu, boundCell(p.episodes_per_hour_95, 1, ''),
		cpuQuantile(s.all, 'response', 'p99.9'), timeCell(p.response_max_ns),
		s.worst ? barCell(windowParts(s.worst), longest, p.name, p.response_max_ns) : '–',
		prose(p.cause || '–')];
}

/** A row for each phase, with a bar for its longest response. */
function phaseTable(v, says, longest) {
	return table(['phase', toLeft('budget'), 'expiries', 'over or missed', 'less than',
		'on CPU', 'episodes/h <', 'p99.9', 'longest', toLeft('the worst window'),
		toLeft('what made it long')],
	v.phases.map((p, i) => phaseRow(p, says.phases[i], longest)));
}

/** The worst window of all phases: its cause, what bears on it, and its parts. */
function validateWorst({ worst }, phase) {
	return worst && [heading('The worst window and its main offender'),
		paragraph(worst.cause, 'next'), worst.bearings.map(b => paragraph(b.text)),
		phase && phase.worst && bigBar(windowParts(phase.worst))];
}

/** A validation. */
pages.validate = ({ validation: v, says, tables }) => {
	const longest = Math.max(v.budget_ns, ...v.phases.map(p => p.response_max_ns || 0));
	const worst = v.worst && says.phases.find(p => p.name === v.worst.phase);
	const measured = says.phases.filter((p, i) =>
		(!i || p === worst) && p.all && p.all.windows);
	const names = measured.length > 1 ? ': ' + measured.map(p => p.name).join(', and ') : '';

	return [heading('Is this machine fit?', 'CPUs ' + (v.cpus || '–'), 1),
		paragraph(v.sentence, 'verdict ' + says.class), paragraph(v.conditions, 'dim'),
		paragraph(says.gaps), v.lowered.map(l => paragraph(l, 'unsure')),
		heading('Phases'), phaseTable(v, says, longest),
		paragraph(`${says.bounds} A whole bar is ${time(longest)}; the budget is ` +
			`${time(v.budget_ns)}.`, 'dim'), paragraph(says.clock),
		validateWorst(v, worst), tables.map(madeTable),
		measured.length > 0 && [heading('Quantiles' + names), quantilePlot(measured)],
		heading('How it was measured'), facts([['CPUs', v.cpus],
			['period', time(v.period_ns)], ['budget', time(v.budget_ns)],
			['each phase', time(v.duration_ns)], ['results', v.dir]])];
};
