// SPDX-License-Identifier: GPL-2.0
/* The page of waits. */

pages.waits = d => {
	const w = d.waits, two = w.sides.length > 1, us = ns => Math.floor(ns / 1000),
		task = text => text.split(';')[0];
	const side = (s, i) => [timeCell(s[2 + 3 * i], s[3 + 3 * i]), countCell(s[3 + 3 * i]),
		timeCell(s[4 + 3 * i], s[3 + 3 * i])];

	return [heading(two ? 'What blocks more' : 'Where tasks waited', null, 1),
		w.sides.map(s => [el('p', { class: 'verdict' }, (two ? s.name + ': ' : '') +
		s.longest), s.left_out.split('\n').map(l => paragraph(l, 'dim'))]),
		flameSection({ title: 'Blocked time', unit: 'us', sides: w.sides.map(s => s.name),
			text: `A box is as wide as the ${two ? 'larger of both times' : 'time'} that tasks were blocked in it and in what it called.` +
			(two ? ` Times are not divided by the durations: ${time(w.sides[0].duration_ns)} and ${time(w.sides[1].duration_ns)}.` : ''), stacks: w.stacks.map(s => two ? [s[0], us(s[2]), us(s[5])] : [s[0], us(s[5])]) }),
		heading(two ? 'What changed most' : 'The stacks with the most time'),
			table(two ? ['task', 'second − first', 'first', 'waits', 'longest',
			'second', 'waits', 'longest', { t: 'stack', l: 1 }] : ['task', 'blocked',
			'waits', 'longest', { t: 'stack', l: 1 }],
			w.stacks.filter(s => s[1] !== null).map(s => [task(s[0]),
				...(two ? [{ t: (s[5] >= s[2] ? '+' : '−') +
				time(Math.abs(s[5] - s[2])), v: s[5] - s[2] }, ...side(s, 0)] : []),
				...side(s, 1), { t: s[1], c: 'prose' }])),
		w.sides.map(s => [heading(s.name), facts([['command', s.command],
			['kernel', s.kernel], ['machine', s.machine], ['scope', s.scope],
			['backend', s.backend], ['threshold', time(s.threshold_ns)],
			['measured', time(s.duration_ns)], ['waits in no stack',
			String(s.lost)]])])];
};
