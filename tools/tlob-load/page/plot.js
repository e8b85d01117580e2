// SPDX-License-Identifier: GPL-2.0
/*
 * The drawing of all pages: values over an axis, of which a part is shown by dragging. The pointer
 * and keys say the values at a place. Curves and dots are drawn here; maps, spans and boxes are
 * layers of their own files.
 */

/* All drawings of the page. */
const plots = [];

/** A pixel, for the path of a line. @returns {string} */
function px(v) {
	return v.toFixed(1);
}

/** @returns {Element} the path of a line with the words that an image reader says */
function stroke(cls, d, words) {
	return sv('path', { class: cls, d }, words && sv('title', null, words));
}

/** A text at a place. @param {string} anchor which part of it is there @returns {Element} */
function label(text, x, y, anchor, cls) {
	return sv('text', { class: cls, x: px(x), y: px(y), 'text-anchor': anchor }, text);
}

/** @returns {string} the path of a box */
function boxPath(x0, y0, x1, y1) {
	return `M${px(x0)} ${px(y0)}H${px(x1)}V${px(y1)}H${px(x0)}z`;
}

/** @param {{from: number, to: number}} view in any order */
function isIn(view, v) {
	return v >= Math.min(view.from, view.to) && v <= Math.max(view.from, view.to);
}

/** The words of each line. @param {function} say of a line; '' says nothing */
function wordsOf(lines, say) {
	return lines.map(say).filter(Boolean).join('\n');
}

/**
 * @param {object} p label; cls, of the drawing; height in px; least: a narrower one scrolls;
 *	x, y: {from, to, log, name(v), ticks(view, width)}; edge: px around the plot, {left, right,
 *	top, bottom}; widest: px of 1 at most;
 *	lines: [{name, cls, points}]; dots: [{x, y, r, cls, words}]; marks, across the plot: [{x or
 *	y, name, cls, words}]; layer(c): elements below all these;
 *	say(x, lines, y): words about values, not those of dots; lines: those that are not hidden;
 *	moves(c): a function of {x, y} in px and of the direction of a key, to where the key leads;
 *	open(x, y): {from, to} that a click shows; outline(c, at): the path of the cursor
 * @returns {Array} the drawing, and a legend that hides lines
 */
function plot(p) {
	const lines = p.lines || [], hidden = new Set(), least = p.least || 300, at = {};
	let view = p.x, width = 0;
	const draw = () => {
		const c = drawing(p, view, width, lines.filter(l => !hidden.has(l)));
		const focus = node.contains(document.activeElement);

		interact(c, at, show);
		node.replaceChildren(c.svg);
		if (focus)
			c.svg.focus();
	};
	const show = (to = p.x) => {
		/* as far as numbers can tell the pixels apart */
		if (Math.abs(to.to - to.from) > 1e-9 * Math.max(Math.abs(to.from), Math.abs(to.to)))
			view = to;
		draw();
	};
	const node = el('div', { class: 'plot', dblclick: () => show() });

	plots.push({ node, fit: to => {
		if (to && Math.max(least, Math.round(to)) !== width) {
			width = Math.max(least, Math.round(to));
			draw();
		}
	} });
	return [el('div', { class: p.least && 'scroll' }, node), plotKey(lines, hidden, draw)];
}

/**
 * Draws what does not have the width of its place yet, or of paper: all places are asked before any
 * drawing changes.
 */
function fitPlots(paper) {
	const widths = plots.map(p => p.node.clientWidth && (paper || p.node.clientWidth));

	plots.forEach((p, i) => p.fit(widths[i]));
}

/** A button for each line. */
function plotKey(lines, hidden, draw) {
	const toggle = (line, button) => {
		if (!hidden.delete(line))
			hidden.add(line);
		button.setAttribute('aria-pressed', String(!hidden.has(line)));
		draw();
	};
	const button = l => el('button', { 'aria-pressed': 'true',
		click: e => toggle(l, e.currentTarget) }, swatch('', l.cls), l.name);

	return lines.some(l => l.name) && el('div', { class: 'key' }, lines.map(button));
}

/** Draws a plot. @returns {object} c: the plot p with its svg, its scales, and its edges in px */
function drawing(p, view, width, lines) {
	const height = p.height || 320, { from, to, log } = p.y;
	const rows = p.y.ticks ? p.y.ticks() : ticks(from, to, log, height / 45);
	const long = Math.max(9, ...rows.map(v => p.y.name(v).length));
	const edge = { left: 14 + 6.8 * long, right: 18, top: 24, bottom: 30, ...p.edge };
	const most = edge.left + (p.widest || Infinity) * Math.abs(view.to - view.from);
	const area = { left: edge.left, right: Math.min(width - edge.right, most), top: edge.top,
		bottom: height - edge.bottom };
	const c = { p, view, width, height, ...area, rows, lines,
		dots: (p.dots || []).filter(d => isIn(view, d.x)),
		svg: sv('svg', { class: p.cls, viewBox: `0 0 ${width} ${height}`, role: 'img',
			'aria-label': p.label }),
		x: scale(view.from, view.to, area.left, area.right, p.x.log),
		y: scale(from, to, area.bottom, area.top, log) };

	return Object.assign(c, { svg: make(c.svg, null, [axes(c), inside(c), marks(c)]) });
}

/** Lines and names of the ticks. One whose name would touch the one before is left out. */
function axes({ p, view, rows, width, height, left, right, top, bottom, x, y }) {
	const values = p.x.ticks ? p.x.ticks(view, width)
		: ticks(view.from, view.to, p.x.log, width / 110);
	const named = [];
	let end = 0;

	for (const v of values.filter(t => isIn(view, t)).sort((a, b) => x.at(a) - x.at(b))) {
		const half = 3.6 * p.x.name(v).length + 2;

		if (x.at(v) - half < end || x.at(v) + half > width)
			continue;
		end = x.at(v) + half;
		named.push(v);
	}
	return [named.map(v => [stroke('grid', `M${px(x.at(v))} ${top}V${bottom}`),
		label(p.x.name(v), x.at(v), bottom + 18, 'middle')]),
	rows.map(v => [stroke('grid', `M${left} ${px(y.at(v))}H${px(right)}`),
		label(p.y.name(v), left - 7, y.at(v) + 4, 'end')]),
	stroke('axis', `M${left} ${top}V${bottom}H${px(right)}`)];
}

let clips = 0;

/** What ends at the edges of the plot: its layer, lines and dots. */
function inside(c) {
	const { p, view, left, right, height, x, y, lines, dots } = c, id = 'clip' + clips++;
	const points = l => cut(l.points, view).map(q => `${px(x.at(q[0]))},${px(y.at(q[1]))}`);

	return [sv('clipPath', { id }, sv('rect', { x: left, y: 0, height, width: right - left })),
		sv('g', { 'clip-path': `url(#${id})` }, p.layer && p.layer(c), lines.map(l =>
			sv('polyline', { class: 'line ' + l.cls, points: points(l).join(' ') })),
		dots.map(d => sv('circle', { class: 'dot ' + (d.cls || ''), cx: px(x.at(d.x)),
			cy: px(y.at(d.y)), r: d.r || 3 }, sv('title', null, d.words))))];
}

/** Marks: lines across the plot. The names of upright ones take turns in three rows. */
function marks({ p, view, width, left, right, top, bottom, x, y }) {
	const shown = (p.marks || []).filter(m => m.x === undefined || isIn(view, m.x));
	const named = shown.filter(m => m.name);

	return shown.map(m => {
		const cls = 'mark ' + (m.cls || ''), over = y.at(m.y), at = x.at(m.x);
		const [dx, anchor] = at > width / 2 ? [-5, 'end'] : [5, 'start'];

		if (m.x === undefined)
			return [stroke(cls, `M${left} ${px(over)}H${px(right)}`, m.words),
				m.name && label(m.name, right, over - 5, 'end', 'mark')];
		return [stroke(cls, `M${px(at)} ${top}V${bottom}`, m.words), m.name &&
			label(m.name, at + dx, 14 + 15 * (named.indexOf(m) % 3), anchor, 'mark')];
	});
}

/** The points inside of a view, and one beyond each end, so that lines reach the edge. */
function cut(points, view) {
	const lo = Math.min(view.from, view.to), hi = Math.max(view.from, view.to);
	const side = q => !q ? NaN : q[0] < lo ? -1 : q[0] > hi ? 1 : 0;

	return points.filter((q, i) => !side(q) || [points[i - 1], points[i + 1]].some(other =>
		side(other) !== side(q) && !Number.isNaN(side(other))));
}

/** @param {object[]} dots in px @returns {string} the words of the nearest, if it is near */
function nearest(dots, x, y) {
	const far = d => (d.x - x) ** 2 + (d.y - y) ** 2 / 4;
	const best = dots.reduce((a, d) => a && far(a) <= far(d) ? a : d, null);

	return best && far(best) < 24 ** 2 ? best.words : '';
}

/** Keys that go from one stop to the next, in their order. @returns {function} of plot's moves */
function between(stops) {
	let i = -1;

	return (at, dx) => {
		i = within(i + dx, 0, stops.length - 1);
		return (dx && stops[i]) || null;
	};
}

/** What a place says, and where keys lead from it. @returns {{say: function, move: function}} */
function senses(c) {
	const { p, x, y, lines } = c, step = (c.right - c.left) / 100;
	const dots = c.dots.map(d => ({ x: x.at(d.x), y: y.at(d.y), words: d.words }));
	const bySteps = (at, dx) => dx && { x: at.x + dx * step, y: at.y };

	return { say: (h, v) => p.say ? p.say(x.of(h), lines, y.of(v)) : nearest(dots, h, v),
		move: p.moves ? p.moves(c) : p.say ? bySteps : between(dots) };
}

/**
 * The line under the pointer, and the words about its place.
 * @param {object} at {x, y} in px: where it is, also in the next drawing
 * @returns {{look: function, go: function, away: function}}
 */
function cursor(c, at) {
	const { p, svg, left, right, width, height } = c, { say, move } = senses(c);
	const line = stroke('cursor', '');
	const mark = (text, d) => {
		svg.dataset.words = text;
		line.setAttribute('d', text ? d : '');
	};
	const look = (x, y) => {
		Object.assign(at, { x: within(x, left, right), y: within(y, 0, height) });
		mark(x < left || x > right ? '' : say(at.x, at.y),
			p.outline ? p.outline(c, at) : `M${px(at.x)} 0V${height}`);
	};
	const go = (dx, dy) => {
		const to = move(at, dx, dy), r = svg.getBoundingClientRect();

		if (!to)
			return false;
		look(to.x, to.y);
		tip(svg.dataset.words, r.left + at.x * r.width / width,
			within(r.top + r.height / 3, 0, innerHeight));
		return true;
	};

	if (at.x === undefined)
		Object.assign(at, { x: (left + right) / 2, y: height / 2 });
	svg.append(line);
	return { look, go, away: () => mark('', '') };
}

/** Where an event of the pointer is in a drawing, in its px. @returns {number[]} x, y */
function placeOf({ svg, width, height }, e) {
	const r = svg.getBoundingClientRect();

	return [(e.clientX - r.left) * width / r.width, (e.clientY - r.top) * height / r.height];
}

/** Draws a band from a press of the pointer on until it is let go: then done(left, right). */
function drag(c, e, done) {
	const xOf = to => within(placeOf(c, to)[0], c.left, c.right), from = xOf(e);
	const end = new AbortController(), on = { signal: end.signal };
	const band = sv('rect', { class: 'band', y: 0, height: '100%', width: 0 });
	const stop = () => {
		end.abort();
		band.remove();
	};

	c.svg.append(band);
	addEventListener('pointermove', move => {
		band.setAttribute('x', Math.min(from, xOf(move)));
		band.setAttribute('width', Math.abs(xOf(move) - from));
	}, on);
	addEventListener('pointercancel', stop, on);
	addEventListener('pointerup', up => {
		stop();
		done(Math.min(from, xOf(up)), Math.max(from, xOf(up)));
	}, on);
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** What keys do besides arrows: + shows half of it, 0 and Escape all, Enter what is open there. */
function keys(c, at, show, open) {
	const quarter = (c.right - c.left) / 4, valueAt = x => c.x.of(within(x, c.left, c.right));
	const all = () => show();

	return { 0: all, Escape: all, Enter: open, ' ': open,
		'+': () => show({ from: valueAt(at.x - quarter), to: valueAt(at.x + quarter) }) };
}

/** Makes a drawing answer to the pointer and to keys. @param {function} show a view, or all */
function interact(c, at, show) {
	const { look, go, away } = cursor(c, at), { open: inside } = c.p;
	const open = inside && (() => {
		const to = inside(c.x.of(at.x), c.y.of(at.y));

		if (to)
			show(to);
	});
	const does = keys(c, at, show, open);
	const release = (x0, x1) => {
		if (x1 - x0 > 6)
			show({ from: c.x.of(x0), to: c.x.of(x1) });
		else if (open)
			open();
	};
	const press = e => {
		look(...placeOf(c, e));
		if (!e.button)
			drag(c, e, release);
	};
	const key = e => {
		const act = ARROWS[e.key] ? () => go(...ARROWS[e.key]) : does[e.key];

		if (!e.ctrlKey && !e.altKey && !e.metaKey && act && act() !== false)
			e.preventDefault();
	};

	make(c.svg, { tabindex: 0, pointermove: e => look(...placeOf(c, e)), pointerleave: away,
		blur: away, pointerdown: press, keydown: key }, []);
}
