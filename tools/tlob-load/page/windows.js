// SPDX-License-Identifier: GPL-2.0
/* The worst windows: their parts, and what happened in them one after the other. */

/** @returns {string} whose window it is */
function nameOf(w) {
	return w.who || `${cpuName(w)}, activation ${w.activation || 0}`;
}

/** The spans of a window, from its expiry on: [{part, from, to in ns, who}]. */
function spansOf({ timeline: t }) {
	return t.spans.map((s, i) => ({ part: part(s.part), to: s.end_ns, who: s.who || '',
		from: i ? t.spans[i - 1].end_ns : t.start_ns || 0 }));
}

/** What happened in a window in its order, and as a list; or that this was lost. */
function timeline(w) {
	if (w.timeline_lost)
		return paragraph(`${nameOf(w)}: a window whose timeline was lost`, 'dim');
	if (!w.timeline || !w.timeline.spans)
		return null;
	const spans = spansOf(w);
	const list = table(['at', 'for', toLeft('part'), toLeft('who')], spans.map(s => [
		timeCell(s.from), timeCell(s.to - s.from), { v: s.part.name,
			t: el('span', null, swatch(s.part.colour), s.part.name) }, s.who || '–']));

	return [timelinePlot(w, spans), el('details', { class: 'spans', toggle: fit },
		el('summary', null, `${spans.length} spans`), list)];
}

/** The drawing of a timeline. Keys go from span to span. */
function timelinePlot(w, spans) {
	const wake = w.wake_ns || 0;
	const inView = ({ from, to }) => spans.filter(s => s.to > from && s.from < to);
	const rect = ({ x }, s) => sv('rect', { class: 'span', x: x.at(s.from).toFixed(2), y: 0,
		width: Math.max(0.4, x.at(s.to) - x.at(s.from)).toFixed(2), height: 30,
		style: `fill:${s.part.colour}` });

	return plot({ label: 'spans of the window', height: 52,
		edge: { left: 0, right: 0, top: 0, bottom: 22 },
		x: { from: 0, to: w.response_ns, name: time },
		y: { from: 0, to: 1, ticks: () => [] },
		marks: [{ x: wake, cls: 'phase', words: `the thread runs from ${time(wake)} on` }],
		layer: c => inView(c.view).map(s => rect(c, s)), say: ns => spanWords(w, spans, ns),
		moves: ({ view, x }) => between(inView(view).map(s =>
			({ x: (x.at(s.from) + x.at(s.to)) / 2, y: 15 }))) });
}

/** What was at a time of a window. */
function spanWords(w, spans, ns) {
	const s = spans.find(at => at.from <= ns && ns < at.to);
	const { not_kept: lost, start_ns: start } = w.timeline;

	if (!s)
		return lost && ns < (start || 0) ? `${lost} spans that were not kept` : time(ns);
	return `${nameOf(w)}, at ${time(s.from)} for ${time(s.to - s.from)}\n${s.part.name}` +
		(s.who ? ', ' + s.who : '');
}

/* What a task did in a piece of a chain has the colour of the part of a window that is like it. */
const CHAIN_PARTS = { run: 'work.on_cpu', wait: 'work.thread', throttled: 'work.sched',
	sleep: 'work.sleep', timer_late: 'wake.irq_delay' };
const CHAIN_WORDS = { run: 'computed', wait: 'waited for a CPU', throttled: 'was throttled',
	sleep: 'slept', timer_late: 'its timer was late', unknown: 'not known' };

/** The pieces of a task of a chain, where they lay in the wait, and blanks between them. */
function chainBar(pieces, whole) {
	const wide = ns => `width:${(100 * ns / whole).toFixed(3)}%`;
	const words = s => `${s.who || 'not known'}${s.policy ? ` (${s.policy})` : ''}${s.what || ''}\n` +
		`at ${time(s.from)} for ${time(s.ns)}, ${percent(s.ns / whole)} of the wait`;
	let done = 0;
	const node = el('div', { class: 'bar', tabindex: 0, focus: () => {
		node.dataset.words = pieces.map(words).join('\n');
	} }, pieces.map(s => {
		const gap = s.from - done;

		done = s.from + s.ns;
		return [gap > 0 && el('i', { style: wide(gap) }), el('i', { 'data-words': words(s),
			style: `${wide(s.ns)};background:${part(CHAIN_PARTS[s.kind]).colour}` })];
	}));

	return node;
}

/** The chain behind the longest wait of a window: a row for each task, in the order of their time. */
function chainOf(w) {
	const chain = w.chain || [], whole = chain.reduce((ns, s) => ns + s.ns, 0);
	let at = 0;
	const pieces = chain.map(s => ({ ...s, from: (at += s.ns) - s.ns }));
	const tasks = [...new Set(pieces.map(s => s.who))];

	return chain.length > 1 && [heading('Behind its longest wait', null, 3),
		table([toLeft('task'), 'time', toLeft('')], tasks.map(who => {
			const own = pieces.filter(s => s.who === who);
			const ns = own.reduce((sum, s) => sum + s.ns, 0);

			return [who || 'not known', timeCell(ns), { t: chainBar(own, whole), v: ns, c: 'w' }];
		})),
		el('div', { class: 'key' }, [...new Set(chain.map(s => s.kind))].map(kind =>
			el('span', null, swatch(part(CHAIN_PARTS[kind]).colour), CHAIN_WORDS[kind]))),
		paragraph(`Time runs from the begin of that wait of ${time(whole)} to its end.`, 'dim')];
}

/** A late window: its sentence, its parts, its timeline. */
function worstWindow(r, w) {
	const parts = windowParts(w), spans = w.timeline && w.timeline.spans;
	const at = w.t0_ns === undefined || w.who ? ''
		: `, expiry at ${(w.t0_ns / 1e9).toFixed(9)} s`;

	return [heading('The worst window'), paragraph(`${nameOf(w)}${at}: response ` +
		`${time(w.response_ns)}, budget ${time(w.budget_ns || r.budget_ns)}.` +
		(w.cause ? ` It was ${w.cause}.` : '')),
	spans || w.timeline_lost ? [timeline(w), legend(parts)] : bigBar(parts),
	paragraph(spans ? 'Time runs from the expiry to the right. Each piece is where it ' +
		'occurred. Drag over a part of it to see that part; a double click shows all.'
		: 'Each part is a sum; its position is not the time at which it occurred.', 'dim'),
	chainOf(w)];
}

/** The next late windows, in a table. */
function nextWorst(r, list) {
	const longest = r.worst[0].response_ns, waited = list.some(w => w.waited);

	return list.length > 0 && [heading('The next worst'), table(['window', 'response',
		toLeft('what made it long'), toLeft('largest interruption'),
		...(waited ? [toLeft('longest wait')] : []), toLeft('parts')],
	list.map(w => [nameOf(w), timeCell(w.response_ns), prose(w.cause), w.interrupted,
		...(waited ? [prose(w.waited)] : []),
		barCell(windowParts(w), longest, nameOf(w), w.response_ns)])),
	list.map(w => [w.timeline && w.timeline.spans &&
		paragraph(`${nameOf(w)}: ${time(w.response_ns)}`, 'dim'), timeline(w)])];
}

/** Times in functions of the worst windows, a row for each set that was called. */
function worstFunctions(r) {
	const rows = (r.worst || []).flatMap(w => Object.entries((w.functions || {}).sets || {})
		.filter(([, t]) => t.calls).map(([name, t]) => [nameOf(w), timeCell(w.response_ns),
			'func.' + name, countCell(t.calls), timeCell(t.net_ns || 0),
			timeCell(t.probes_ns), timeCell(t.max_ns), t.longest]));

	return rows.length > 0 && [heading('Time in functions in the worst windows'),
		table(['window', 'response', toLeft('set'), 'calls', 'time', 'probes add',
			'longest call', toLeft('of')], rows),
		paragraph('Without interrupts, nested calls and calls of other sets. What the ' +
			'probes add is not in the time.', 'dim')];
}
