// SPDX-License-Identifier: GPL-2.0
/*
 * Drawings: values under the pointer and by keys, a range by dragging. A drawing is
 *
 *	{svg, area: {left, right} in px of its viewBox, of(px): the value there,
 *	 describe(x, y): words about that place, or '',
 *	 move(at, dx, dy): where a key leads to from {x, y}; missing: a hundredth of the width}
 */

/* Frames of drawings. */
const frames = [];

/** @returns {Element} an empty drawing, in px */
function picture(width, height, label, cls) {
	return sv('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label,
		class: cls });
}

/** A pixel, for the path of a line. @returns {string} */
function px(v) {
	return v.toFixed(1);
}

/**
 * A frame whose drawing depends on its width.
 * @param {function(number): Element} draw of a width in px
 * @param {number} least below this width it scrolls
 * @returns {Element} redraw() draws it anew, fit() does if its width has changed
 */
function frame(draw, least = 300) {
	const node = el('div', { class: 'plot' });
	let width = 0;

	node.redraw = () => {
		const focus = node.contains(document.activeElement);

		width = Math.max(least, Math.round(node.clientWidth || 1100));
		node.replaceChildren(draw(width));
		if (focus)
			(node.querySelector('.here') || node.firstChild).focus();
	};
	node.fit = () => {
		if (node.clientWidth && Math.max(least, Math.round(node.clientWidth)) !== width)
			node.redraw();
	};
	frames.push(node);
	return node;
}

/**
 * A frame with a drawing of a range of values: of all, or of what was dragged.
 * @param {{from: number, to: number}} all
 * @param {function} draw (view, width) returns a drawing
 * @returns {Element}
 */
function zoomed(all, draw) {
	let view = all;
	const node = frame(width => {
		const d = draw(view, width);

		interact(d, (x0, x1) => {
			const from = d.of(x0), to = d.of(x1);

			/* as far as numbers can tell the pixels apart */
			if (Math.abs(to - from) > 1e-9 * Math.max(Math.abs(from), Math.abs(to)))
				view = { from, to };
			node.redraw();
		}, () => {
			view = all;
			node.redraw();
		});
		return d.svg;
	});

	return node;
}

/** Where an event of the pointer is in a drawing. @returns {{x: number, y: number}} px */
function placeOf(svg, e) {
	const r = svg.getBoundingClientRect(), box = svg.viewBox.baseVal;

	return { x: (e.clientX - r.left) * box.width / r.width,
		y: (e.clientY - r.top) * box.height / r.height };
}

/** Drags a range from a press of the pointer on until it is let go: then done(left, right). */
function drag(svg, e, xOf, done) {
	const from = xOf(e), end = new AbortController(), on = { signal: end.signal };
	const band = sv('rect', { class: 'band', y: 0, height: '100%', width: 0 });
	const stop = () => {
		end.abort();
		band.remove();
	};

	svg.append(band);
	addEventListener('pointermove', move => {
		band.setAttribute('x', Math.min(from, xOf(move)));
		band.setAttribute('width', Math.abs(xOf(move) - from));
	}, on);
	addEventListener('pointercancel', stop, on);
	addEventListener('pointerup', up => {
		stop();
		if (Math.abs(xOf(up) - from) > 6)
			done(Math.min(from, xOf(up)), Math.max(from, xOf(up)));
	}, on);
}

/** A line at a place of a drawing, and the words about it. @returns {object} at, look(x, y), away() */
function cursor(d) {
	const line = sv('path', { class: 'cursor' }), height = d.svg.viewBox.baseVal.height;
	const at = { x: (d.area.left + d.area.right) / 2, y: height / 2 };

	d.svg.append(line);
	return {
		at,
		look(x, y) {
			const out = x < d.area.left || x > d.area.right, text = out ? '' : d.describe(x, y);

			at.x = within(x, d.area.left, d.area.right);
			at.y = within(y, 0, height);
			line.setAttribute('d', text ? `M${px(at.x)} 0V${height}` : '');
			d.svg.dataset.words = text;
		},
		away() {
			line.setAttribute('d', '');
			d.svg.dataset.words = '';
		},
	};
}

/** What keys do in a drawing: arrows look elsewhere, + shows half of it, 0 and Escape all. */
function keys(d, c, zoom, back) {
	const wide = d.area.right - d.area.left, move = d.move || (({ x, y }, dx, dy) =>
		dx ? { x: within(x + dx * wide / 100, d.area.left, d.area.right), y } : null);
	const go = (dx, dy) => () => {
		const to = move(c.at, dx, dy), r = d.svg.getBoundingClientRect();

		if (!to)
			return false;
		c.look(to.x, to.y);
		tip(d.svg.dataset.words, r.left + c.at.x * r.width / d.svg.viewBox.baseVal.width,
			within(r.top + r.height / 3, 0, innerHeight));
	};
	const near = v => within(v, d.area.left, d.area.right);

	return { ArrowLeft: go(-1, 0), ArrowRight: go(1, 0), ArrowUp: go(0, -1), ArrowDown: go(0, 1),
		'+': () => zoom(near(c.at.x - wide / 4), near(c.at.x + wide / 4)), 0: back, Escape: back };
}

/** Makes a drawing answer to the pointer and to keys: zoom(x0, x1) in px, back(). */
function interact(d, zoom, back) {
	const { svg, area } = d, c = cursor(d), does = keys(d, c, zoom, back);
	const xOf = e => within(placeOf(svg, e).x, area.left, area.right);
	const look = e => c.look(placeOf(svg, e).x, placeOf(svg, e).y);

	make(svg, { tabindex: 0, pointermove: look, pointerleave: c.away, blur: c.away, dblclick: back,
		pointerdown: e => {
			look(e);
			if (!e.button)
				drag(svg, e, xOf, zoom);
		},
		keydown: e => {
			if (!e.ctrlKey && !e.altKey && !e.metaKey && does[e.key] && does[e.key]() !== false)
				e.preventDefault();
		} }, []);
}

/** Keys that go from one stop to the next, in their order. @returns {function} move of a drawing */
function between(stops) {
	let i = -1;

	return (at, dx) => {
		i = within(i + dx, 0, stops.length - 1);
		return (dx && stops[i]) || null;
	};
}

/**
 * Curves and dots.
 * @param {object} p x, y: {from, to, log, name(v), ticks()}; lines: [{name, cls, points}];
 *	marks: [{x or y, name, cls, words}]; dots: [{x, y, r, cls, words}]; spans: [{from, to, y, cls,
 *	words}]; describe(x, off): words, instead of those of dots; off has the numbers of lines that
 *	are hidden; label; height in px
 * @returns {Array} the frame, and a legend that hides lines
 */
function plot(p) {
	const off = new Set(), node = zoomed({ from: p.x.from, to: p.x.to },
		(view, width) => plotOf(p, off, view, width));

	return [node, plotKey(p.lines || [], off, node)];
}

/** A button for each line. */
function plotKey(lines, off, node) {
	const toggle = (i, button) => {
		if (!off.delete(i))
			off.add(i);
		button.setAttribute('aria-pressed', String(!off.has(i)));
		node.redraw();
	};

	return lines.length && lines[0].name ? el('div', { class: 'key' }, lines.map((l, i) =>
		el('button', { 'aria-pressed': 'true', click: e => toggle(i, e.currentTarget) },
			swatch('', l.cls), l.name))) : null;
}

/** The drawing of a plot. */
function plotOf(p, off, view, width) {
	const height = p.height || 320;
	const rows = p.y.ticks ? p.y.ticks() : ticks(p.y.from, p.y.to, p.y.log, height / 45);
	const area = { left: 14 + 6.8 * Math.max(9, ...rows.map(v => p.y.name(v).length)),
		right: width - 18, top: 24, bottom: height - 30 };
	const c = { p, view, rows, width, height, area, svg: picture(width, height, p.label),
		x: scale(view.from, view.to, area.left, area.right, p.x.log),
		y: scale(p.y.from, p.y.to, area.bottom, area.top, p.y.log) };
	const dots = (p.dots || []).filter(d => isIn(view, d.x));

	plotAxes(c);
	(p.marks || []).filter(m => m.x === undefined || isIn(view, m.x)).forEach(plotMark(c));
	make(c.svg, null, plotInner(c, (p.lines || []).filter((l, i) => !off.has(i)), dots));
	return { svg: c.svg, area, of: c.x.of,
		describe: (x, y) => p.describe ? p.describe(c.x.of(x), off)
			: nearest(dots, d => c.x.at(d.x), d => c.y.at(d.y), x, y),
		move: p.describe ? null : between(dots.map(d => ({ x: c.x.at(d.x), y: c.y.at(d.y) }))) };
}

/** @param {{from: number, to: number}} view in any order */
function isIn(view, v) {
	return v >= Math.min(view.from, view.to) && v <= Math.max(view.from, view.to);
}

/** Lines and names of the ticks. A name that would touch the one before is left out. */
function plotAxes({ p, view, rows, width, height, area, svg, x, y }) {
	let end = -Infinity;

	for (const v of (p.x.ticks ? p.x.ticks() : ticks(view.from, view.to, p.x.log, width / 110))
		.filter(v => isIn(view, v)).sort((a, b) => x.at(a) - x.at(b))) {
		const at = x.at(v), name = p.x.name(v), half = 3.6 * name.length + 2;

		svg.append(sv('path', { class: 'grid', d: `M${px(at)} ${area.top}V${area.bottom}` }));
		if (at - half < Math.max(0, end) || at + half > width)
			continue;
		end = at + half;
		svg.append(sv('text', { x: px(at), y: height - 10, 'text-anchor': 'middle' }, name));
	}
	for (const v of rows)
		svg.append(sv('path', { class: 'grid', d: `M${area.left} ${px(y.at(v))}H${area.right}` }),
			sv('text', { x: area.left - 7, y: px(y.at(v) + 4), 'text-anchor': 'end' },
				p.y.name(v)));
	svg.append(sv('path', { class: 'axis', d: `M${area.left} ${area.top}V${area.bottom}H${area.right}` }));
}

/** Draws marks: lines across the plot with names, which take turns in three rows. */
function plotMark({ area, svg, width, x, y }) {
	let row = 0;

	return m => {
		const upright = m.y === undefined, at = upright ? x.at(m.x) : y.at(m.y);
		const end = !upright || at > width / 2;

		svg.append(sv('path', { class: 'mark ' + (m.cls || ''), d: upright
			? `M${px(at)} ${area.top}V${area.bottom}` : `M${area.left} ${px(at)}H${area.right}` },
		m.words ? sv('title', null, m.words) : null));
		if (m.name)
			svg.append(sv('text', { class: 'mark', 'text-anchor': end ? 'end' : 'start',
				x: upright ? at + (end ? -5 : 5) : area.right,
				y: upright ? 14 + 15 * (row++ % 3) : at - 5 }, m.name));
	};
}

let clips = 0;

/** What ends at the edges of the plot: lines, spans and dots. */
function plotInner({ p, view, height, area, x, y }, lines, dots) {
	const id = 'clip' + clips++;

	return [sv('clipPath', { id }, sv('rect', { x: area.left, y: 0, height,
		width: area.right - area.left })), sv('g', { 'clip-path': `url(#${id})` },
		lines.map(l => sv('polyline', { class: 'line ' + l.cls, points: cut(l.points, view)
			.map(q => `${px(x.at(q[0]))},${px(y.at(q[1]))}`).join(' ') })),
		(p.spans || []).map(s => sv('path', { class: s.cls,
			d: `M${px(x.at(s.from))} ${px(y.at(s.y))}H${px(x.at(s.to))}` },
		sv('title', null, s.words))),
		dots.map(d => sv('circle', { class: 'dot ' + (d.cls || ''), cx: px(x.at(d.x)),
			cy: px(y.at(d.y)), r: d.r || 3 }, sv('title', null, d.words))))];
}

/** The points inside of a view, and one beyond each end, so that lines reach the edge. */
function cut(points, view) {
	const lo = Math.min(view.from, view.to), hi = Math.max(view.from, view.to);
	const side = q => !q ? NaN : q[0] < lo ? -1 : q[0] > hi ? 1 : 0;

	return points.filter((q, i) => !side(q) || [points[i - 1], points[i + 1]].some(other =>
		side(other) !== side(q) && !Number.isNaN(side(other))));
}

/** @returns {string} the words of the dot that is nearest to a pixel, if it is near */
function nearest(dots, xOf, yOf, x, y) {
	const far = d => (xOf(d) - x) ** 2 + (yOf(d) - y) ** 2 / 4;
	const best = dots.reduce((a, d) => a && far(a) <= far(d) ? a : d, null);

	return best && far(best) < 24 ** 2 ? best.words : '';
}
