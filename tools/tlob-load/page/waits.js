// SPDX-License-Identifier: GPL-2.0
/* The page of waits. */

/** ns, number and longest of a side of a stack, as cells. */
function waitCells(ns, n, longest) {
	return [timeCell(ns, n), countCell(n), timeCell(longest, n)];
}

/** The row of a stack: [its names, its path, ns, number and longest of each side] */
function waitRow([names, path, ...at], two) {
	const by = at[3] - at[0];

	return [names.split(';')[0],
		...(two ? [{ t: signed(by), v: by }, ...waitCells(...at.slice(0, 3))] : []),
		...waitCells(...at.slice(3)), prose(path)];
}

/** The flame graph of all stacks, in whole us. */
function waitFlame({ sides, stacks }, two) {
	const us = ns => Math.floor(ns / 1000), [a, b] = sides.map(s => time(s.duration_ns));

	return flameSection({ title: 'Blocked time', unit: 'us', sides: sides.map(s => s.name),
		text: `A box is as wide as the ${two ? 'larger of both times' : 'time'} that ` +
			'tasks were blocked in it and in what it called.' +
			(two ? ` Times are not divided by the durations: ${a} and ${b}.` : ''),
		stacks: stacks.map(s => two ? [s[0], us(s[2]), us(s[5])] : [s[0], us(s[5])]) });
}

/** What was behind the longest waits of a result. */
function waitChains(chains) {
	return chains && chains.length > 0 && [heading('What was behind the longest waits'),
		table(['task', 'longest', toLeft('behind it')],
			chains.map(([task, ns, said]) => [task, timeCell(ns), prose(said)])),
		paragraph('Of each task the longest wait that no timer of its own ended. What had most ' +
			'of it is named, and who then woke whom.', 'dim')];
}

/** Who had the time of a process. */
function waitCritical(path) {
	const at = ([task, policy, what, ns]) => [task || '–', task && (policy || 'ordinary'),
		prose(what.trim()), timeCell(ns), { t: percent(ns / path.ns), v: ns }];

	return path && [heading(`Who had the time of ${path.who}`, time(path.ns)),
		table(['task', toLeft('policy'), toLeft('what it did'), 'time', 'share'], path.rows.map(at)),
		paragraph('While a thread of it runs, that has the time; while none does, the chain ' +
			'behind the next one that runs. The rows add up to the time.' + (path.lost ?
			` ${count(path.lost)} nodes of chains were overwritten before they were read.` : ''),
		'dim')];
}

/** How a side was measured. */
function waitSide(s) {
	return [heading(s.name), facts([['command', s.command], ['kernel', s.kernel],
		['machine', s.machine], ['scope', s.scope], ['backend', s.backend],
		['threshold', time(s.threshold_ns)], ['measured', time(s.duration_ns)],
		['waits in no stack', s.lost]])];
}

/** Waits of one measurement, or of two. */
pages.waits = ({ waits: w }) => {
	const two = w.sides.length > 1, of = ['waits', 'longest'];
	const blocked = two ? ['second − first', 'first', ...of, 'second'] : ['blocked'];

	return [heading(two ? 'What blocks more' : 'Where tasks waited', null, 1),
		w.sides.map(s => [paragraph((two ? s.name + ': ' : '') + s.longest, 'verdict'),
			s.left_out.split('\n').map(l => paragraph(l, 'dim'))]), waitFlame(w, two),
		heading(two ? 'What changed most' : 'The stacks with the most time'),
		table(['task', ...blocked, ...of, toLeft('stack')],
			w.stacks.filter(s => s[1] !== null).map(s => waitRow(s, two))),
		waitCritical(w.critical), waitChains(w.chains),
		w.sides.map(waitSide)];
};
