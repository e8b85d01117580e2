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
	const list = table(['at', 'for', { t: 'part', l: 1 }, { t: 'who', l: 1 }], spans.map(s => [
		timeCell(s.from), timeCell(s.to - s.from),
		{ t: el('span', null, swatch(s.part.colour), s.part.name), v: s.part.name }, s.who || '–']));

	return [zoomed({ from: 0, to: w.response_ns }, (view, width) => timelineOf(w, spans, view, width)),
		el('details', { class: 'spans', toggle: fit },
			el('summary', null, `${spans.length} spans`), list)];
}

/** The drawing of a timeline. Keys go from span to span. */
function timelineOf(w, spans, view, width) {
	const svg = picture(width, 52, 'spans of the window'), x = scale(view.from, view.to, 0, width);
	const shown = spans.filter(s => s.to > view.from && s.from < view.to);

	for (const s of shown)
		svg.append(sv('rect', { class: 'span', x: x.at(s.from).toFixed(2), y: 0, height: 30,
			width: Math.max(0.4, x.at(s.to) - x.at(s.from)).toFixed(2),
			style: `fill:${s.part.colour}` }));
	for (const v of ticks(view.from, view.to, false, width / 130))
		if (x.at(v) > 20 && x.at(v) < width - 30)
			svg.append(sv('text', { x: px(x.at(v)), y: 47, 'text-anchor': 'middle' }, time(v)));
	if (isIn(view, w.wake_ns || 0))
		svg.append(sv('path', { class: 'phase', d: `M${px(x.at(w.wake_ns || 0))} 0V36` },
			sv('title', null, `the thread runs from ${time(w.wake_ns || 0)} on`)));
	return { svg, area: { left: 0, right: width }, of: x.of,
		describe: at => spanWords(w, spans, x.of(at)),
		move: between(shown.map(s => ({ x: (x.at(s.from) + x.at(s.to)) / 2, y: 15 }))) };
}

/** What was at a time of a window. */
function spanWords(w, spans, ns) {
	const s = spans.find(at => at.from <= ns && ns < at.to), { not_kept: lost } = w.timeline;

	if (!s)
		return lost && ns < (w.timeline.start_ns || 0) ? `${lost} spans that were not kept` : time(ns);
	return `${nameOf(w)}, at ${time(s.from)} for ${time(s.to - s.from)}\n${s.part.name}` +
		(s.who ? ', ' + s.who : '');
}

function worstWindow(r, w) {
	const parts = windowParts(w), spans = w.timeline && w.timeline.spans;
	const at = w.t0_ns === undefined || w.who ? '' : `, expiry at ${(w.t0_ns / 1e9).toFixed(9)} s`;

	return [heading('The worst window'), paragraph(`${nameOf(w)}${at}: response ` +
		`${time(w.response_ns)}, budget ${time(w.budget_ns || r.budget_ns)}.` +
		(w.cause ? ` It was ${w.cause}.` : '')),
	spans || w.timeline_lost ? [timeline(w), legend(parts)] : bigBar(parts),
	paragraph(spans ? 'Time runs from the expiry to the right. Each piece is where it occurred. ' +
		'Drag over a part of it to see that part; a double click shows all.'
		: 'Each part is a sum; its position is not the time at which it occurred.', 'dim')];
}

function nextWorst(r, list) {
	const longest = r.worst[0].response_ns, waited = list.some(w => w.waited);
	const wait = w => waited ? [{ t: w.waited || '–', c: 'prose' }] : [];

	return list.length ? [heading('The next worst'), table(['window', 'response',
		{ t: 'what made it long', l: 1 }, { t: 'largest interruption', l: 1 },
		...(waited ? [{ t: 'longest wait', l: 1 }] : []), { t: 'parts', l: 1 }],
	list.map(w => [nameOf(w), timeCell(w.response_ns), { t: w.cause || '–', c: 'prose' },
		w.interrupted || '–', ...wait(w),
		{ t: bar(windowParts(w), longest, nameOf(w)), v: w.response_ns, c: 'w' }])),
	list.map(w => [w.timeline && w.timeline.spans
		? paragraph(`${nameOf(w)}: ${time(w.response_ns)}`, 'dim') : null, timeline(w)])] : null;
}

/** Times in functions of the worst windows, a row for each set that was called. */
function worstFunctions(r) {
	const rows = (r.worst || []).flatMap(w => Object.entries((w.functions || {}).sets || {})
		.filter(([, t]) => t.calls).map(([name, t]) => [nameOf(w), timeCell(w.response_ns),
			'func.' + name, countCell(t.calls), timeCell(t.net_ns || 0), timeCell(t.probes_ns),
			timeCell(t.max_ns), t.longest || '–']));

	return rows.length ? [heading('Time in functions in the worst windows'), table(['window',
		'response', { t: 'set', l: 1 }, 'calls', 'time', 'probes add', 'longest call',
		{ t: 'of', l: 1 }], rows),
	paragraph('Without interrupts, nested calls and calls of other sets. What the probes add is ' +
		'not in the time.', 'dim')] : null;
}
