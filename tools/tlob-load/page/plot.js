// SPDX-License-Identifier: GPL-2.0
/* Plots: values under the pointer and by keys, a range by dragging. */

/**
 * Values under the pointer and the keys of a drawing, and a range that is dragged.
 * @param {SVGElement} svg
 * @param {{left: number, right: number}} area pixels
 * @param {object} on describe(x, y): text; range(x0, x1), back(): of dragging and of a double click
 */
function interact(svg, area, on) {
	const point = e => { const r = svg.getBoundingClientRect(), box = svg.viewBox.baseVal;
		return [(e.clientX - r.left) * box.width / r.width,
			(e.clientY - r.top) * box.height / r.height]; };
	const cursor = sv('path', { class: 'cursor' }), band = sv('rect', { class: 'band', y: 0,
		height: '100%', width: 0 });
	let from = null, x = (area.left + area.right) / 2;
	const inside = v => Math.min(area.right, Math.max(area.left, v));
	const look = (at, y, e) => {
		const text = at < area.left || at > area.right ? '' : on.describe(at, y),
			r = svg.getBoundingClientRect();

		x = inside(at);
		cursor.setAttribute('d', text ? `M${x.toFixed(1)} 0V${svg.viewBox.baseVal.height}`
			: '');
		tip.show(text, e ? e.clientX : r.left + x * r.width / svg.viewBox.baseVal.width,
			e ? e.clientY : r.top + r.height / 3);
	};
	const drop = () => { from = null; band.setAttribute('width', 0); };

	svg.append(band, cursor);
	svg.setAttribute('tabindex', 0);
	svg.addEventListener('pointerdown', e => { from = on.range ? inside(point(e)[0]) : null; });
	svg.addEventListener('pointermove', e => {
		const [px, py] = point(e);

		look(px, py, e);
		if (from === null)
			return;
		band.setAttribute('x', Math.min(from, x));
		band.setAttribute('width', Math.abs(x - from));
	});
	svg.addEventListener('pointerup', () => {
		const a = from;

		drop();
		if (a !== null && Math.abs(x - a) > 6)
			on.range(Math.min(a, x), Math.max(a, x));
	});
	svg.addEventListener('pointerleave', () => { drop(); cursor.setAttribute('d', '');
		tip.hide(); });
	svg.addEventListener('blur', () => { cursor.setAttribute('d', ''); tip.hide(); });
	svg.addEventListener('dblclick', () => on.back && on.back());
	svg.addEventListener('keydown', e => {
		const step = (area.right - area.left) / (e.shiftKey ? 10 : 100),
			y = svg.viewBox.baseVal.height / 2;
		const keys = { ArrowLeft: () => look(inside(x - step), y), ArrowRight: () =>
			look(inside(x + step), y),
			'+': () => on.range && on.range(inside(x - (area.right - area.left) / 4),
				inside(x + (area.right - area.left) / 4)),
			Escape: () => on.back && on.back(), 0: () => on.back && on.back() };

		if (!keys[e.key])
			return;
		e.preventDefault();
		keys[e.key]();
	});
}

/** Redraws what @draw(width) makes when its width changes, and on demand: @returns the frame. */
function redrawn(draw, least) {
	const frame = el('div', { class: 'plot' });
	let width = 0;

	frame.redraw = () => {
		const focus = frame.contains(document.activeElement);

		width = Math.max(least || 300, Math.round(frame.clientWidth || 1100));
		frame.replaceChildren(...[draw(width)].flat().filter(Boolean));
		if (focus && frame.querySelector('[tabindex]'))
			frame.querySelector('[tabindex]').focus();
	};
	drawings.push(() => { if (frame.clientWidth && Math.max(least || 300,
		Math.round(frame.clientWidth)) !== width) frame.redraw(); });
	return frame;
}
const drawings = [];

const AREA = { left: 74, right: 18, top: 24, bottom: 30 };

/**
 * Curves in a plot: values under the pointer, a range by dragging, lines that a click on the legend hides.
 * @param {object} p x, y: {from, to, log, name(v), ticks}; lines: [{name, cls, points}];
 *	marks: [{x or y, name}]; dots: [{x, y, r, cls, words}]; describe(x): text; height
 */
function plot(p) {
	const full = { from: p.x.from, to: p.x.to }, off = new Set();
	let view = full;
	const frame = redrawn(width => {
		const height = p.height || 320, a = { left: p.left || AREA.left,
			right: width - AREA.right };
		const x = scale(view.from, view.to, a.left, a.right, p.x.log), y = scale(p.y.from,
			p.y.to, height - AREA.bottom, AREA.top, p.y.log);
		const svg = sv('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img',
			'aria-label': p.label });
		let last = -1e9, rows = 0;

		for (const v of p.x.ticks ? p.x.ticks() : ticks(view.from, view.to, p.x.log,
				width / 110)) {
			const at = x.at(v), name = p.x.name(v);

			if (v < Math.min(view.from, view.to) || v > Math.max(view.from, view.to))
				continue;
			svg.append(sv('path', { class: 'grid',
				d: `M${at.toFixed(1)} ${AREA.top}V${height - AREA.bottom}` }));
			if (at - last < 7.5 * name.length + 6 || at + 4 * name.length > width ||
				at - 4 * name.length < 0)
				continue;
			last = at;
			svg.append(sv('text', { x: at.toFixed(1), y: height - 10,
				'text-anchor': 'middle' }, name));
		}
		for (const v of p.y.ticks ? p.y.ticks() : ticks(p.y.from, p.y.to, p.y.log,
			height / 45))
			svg.append(sv('path', { class: 'grid',
				d: `M${a.left} ${y.at(v).toFixed(1)}H${a.right}` }),
				sv('text', { x: a.left - 7, y: (y.at(v) + 4).toFixed(1),
					'text-anchor': 'end' }, p.y.name(v)));
		svg.append(sv('path', { class: 'axis',
			d: `M${a.left} ${AREA.top}V${height - AREA.bottom}H${a.right}` }));
		for (const m of p.marks || []) {
			if (m.y === undefined ? m.x < Math.min(view.from, view.to) ||
				m.x > Math.max(view.from, view.to) : false)
				continue;
			const at = m.y === undefined ? x.at(m.x) : y.at(m.y), end = at > width / 2;

			svg.append(sv('path', { class: 'mark ' + (m.cls || ''), d: m.y === undefined
				? `M${at.toFixed(1)} ${AREA.top}V${height - AREA.bottom}`
				: `M${a.left} ${at.toFixed(1)}H${a.right}` },
				m.words ? sv('title', null, m.words) : null));
			if (m.name)
				svg.append(sv('text', { class: 'mark', x: m.y === undefined ? at +
					(end ? -5 : 5) : a.right, y: m.y === undefined ? 14 +
					15 * (rows++ % 3) : at - 5,
					'text-anchor': m.y !== undefined || end ? 'end' : 'start' },
						m.name));
		}
		const clip = 'c' + Math.random().toString(36).slice(2);
		const inner = sv('g', { 'clip-path': `url(#${clip})` });

		svg.append(sv('clipPath', { id: clip }, sv('rect', { x: a.left, y: 0,
			width: a.right - a.left, height })), inner);
		(p.lines || []).forEach((l, i) => off.has(i) || inner.append(sv('polyline',
			{ class: 'line ' + l.cls,
			points: cut(l.points, view, p.x.log)
				.map(q => `${x.at(q[0]).toFixed(1)},${y.at(q[1]).toFixed(1)}`)
				.join(' ') })));
		for (const s of p.spans || [])
			inner.append(sv('path', { class: s.cls,
				d: `M${x.at(s.from).toFixed(1)} ${y.at(s.y).toFixed(1)}H${x.at(s.to).toFixed(1)}`, 'data-words': s.words }, sv('title', null, s.words)));
		for (const d of p.dots || [])
			if (d.x >= Math.min(view.from, view.to) && d.x <= Math.max(view.from,
				view.to))
				inner.append(sv('circle', { class: 'dot ' + (d.cls || ''),
					cx: x.at(d.x).toFixed(1), cy: y.at(d.y).toFixed(1),
					r: d.r || 3, 'data-words': d.words }, sv('title', null,
					d.words)));
		interact(svg, a, {
			describe: (px, py) => p.describe ? p.describe(x.of(px), off)
				: nearest(p.dots || [], x, y, px, py),
			range: (x0, x1) => { view = { from: x.of(x0), to: x.of(x1) };
				frame.redraw(); },
			back: () => { view = full; frame.redraw(); } });
		return svg;
	});
	const key = (p.lines || []).length && p.lines[0].name ? el('div', { class: 'key' },
			p.lines.map((l, i) => el('button', { 'aria-pressed': 'true', click: e => {
		off.has(i) ? off.delete(i) : off.add(i);
		e.currentTarget.setAttribute('aria-pressed', String(!off.has(i)));
		frame.redraw();
	} }, swatch('', l.cls), l.name))) : null;

	return [frame, key];
}

/** The points inside of a view, and one beyond each end, so that lines reach the edge. */
function cut(points, view) {
	const lo = Math.min(view.from, view.to), hi = Math.max(view.from, view.to);

	return points.filter((q, i) => (q[0] >= lo && q[0] <= hi) || (points[i + 1] &&
		points[i + 1][0] >= lo && q[0] < lo) ||
		(points[i - 1] && points[i - 1][0] <= hi && q[0] > hi))
			.map(q => [Math.min(hi, Math.max(lo, q[0])), q[1]]);
}

/** The words of the dot that is nearest to a pixel, or none. */
function nearest(dots, x, y, px, py) {
	let best = null, least = 24 ** 2;

	for (const d of dots) {
		const far = (x.at(d.x) - px) ** 2 + (y.at(d.y) - py) ** 2 / 4;

		if (far < least)
			[best, least] = [d, far];
	}
	return best ? best.words : '';
}
