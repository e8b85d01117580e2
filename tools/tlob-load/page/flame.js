// SPDX-License-Identifier: GPL-2.0
/* Flame graphs. */

/* The height of a box, in px. */
const ROW = 18;

/**
 * A flame graph: a click makes a box as wide as the graph.
 * @param {object} f stacks of flameTree(); unit; sides: names, with two the colour says which has more
 * @returns {Element}
 */
function flame(f) {
	const tree = flameTree(f.stacks), two = f.sides && f.sides.length > 1;
	let trail = [tree];
	const go = path => {
		trail = path;
		node.redraw();
	};
	const g = { trail: () => trail, go, root: () => go([tree]), colour: two ? twoSided : warm,
		words: n => flameWords(n, f.unit, two ? 0 : tree.n[0] || 1) };
	const node = frame(width => flameOf(g, width), 700);

	return el('div', { class: 'scroll' }, node);
}

/** A box in words: with both sides, or with its share of a whole. */
function flameWords(n, unit, whole) {
	const [a, b] = n.n, more = `${b >= a ? '+' : '−'}${count(Math.abs(b - a))}`;

	return n.name + ': ' + (whole ? `${count(a)} ${unit}, ${percent(a / whole)}`
		: `${count(a)} → ${count(b)} ${unit} (${more})`);
}

/** The colour of a box with two sides: the more it differs, the stronger. */
function twoSided({ n: [a, b] }) {
	const share = Math.round(60 * Math.abs(b - a) / Math.max(1, a, b));

	return `color-mix(in srgb, var(${b > a ? '--bad' : '--wake'}) ${share}%, var(--card))`;
}

/** The colour of a box with one side: neighbours differ. */
function warm(n) {
	return `color-mix(in srgb, var(--warm) ${40 + 9 * (n.name.length % 6)}%, var(--card))`;
}

/** How many boxes stand over one another. */
function depthOf(node) {
	return 1 + Math.max(0, ...node.kids.map(depthOf));
}

/** The drawing: what led to the box that was clicked at the bottom, and on it what it called. */
function flameOf(g, width) {
	const trail = g.trail(), root = trail[trail.length - 1];
	const height = ROW * (depthOf(root) + trail.length - 1) + 2, boxes = [];
	const svg = picture(width, height, 'flame graph', 'flame');
	const put = (n, x, wide, level, path) => {
		if (wide < 0.5)
			return;
		boxes.push({ x, wide, level, path, node: flameBox(g, n, x, wide, height - ROW * (level + 1),
			n === root) });
		let left = x;

		for (const kid of level >= trail.length - 1 ? n.kids : []) {
			put(kid, left, wide * kid.wide / (n.wide || 1), level + 1, [...path, kid]);
			left += wide * kid.wide / (n.wide || 1);
		}
	};

	trail.forEach((n, level) => put(n, 0, width, level, trail.slice(0, level + 1)));
	for (const b of boxes)
		make(b.node, { click: () => g.go(b.path), keydown: e => flameKeys(g, boxes, b, e) }, []);
	return make(svg, { dblclick: g.root }, boxes.map(b => b.node));
}

/** A box with as much of its name as it has room for. Only that which was clicked is a tab stop. */
function flameBox(g, n, x, wide, y, here) {
	const room = Math.floor((wide - 8) / 6.6);

	return sv('g', { class: 'box' + (here ? ' here' : ''), tabindex: here ? 0 : -1, role: 'button',
		'aria-label': g.words(n), 'data-words': g.words(n) },
	sv('rect', { x: x.toFixed(2), y, width: Math.max(0.5, wide - 0.5).toFixed(2), height: ROW - 1,
		style: 'fill:' + g.colour(n) }),
	wide > 30 ? sv('text', { x: px(x + 3), y: y + ROW - 5 }, n.name.length <= room ? n.name
		: n.name.slice(0, room) + '…') : null);
}

/** The arrows lead to what a box called, to its caller, and to boxes next to it. */
function flameKeys(g, boxes, b, e) {
	const is = { ArrowUp: o => o.level === b.level + 1 && o.x >= b.x - 1 && o.x < b.x + b.wide,
		ArrowDown: o => o.level === b.level - 1 && o.x <= b.x + 1 && b.x < o.x + o.wide + 1,
		ArrowLeft: o => o.level === b.level && o.x < b.x,
		ArrowRight: o => o.level === b.level && o.x > b.x }[e.key];
	const does = { Enter: () => g.go(b.path), ' ': () => g.go(b.path), Escape: g.root }[e.key];

	if (does)
		does();
	else if (is)
		boxes.filter(is).sort((p, q) => Math.abs(p.x - b.x) - Math.abs(q.x - b.x)).slice(0, 1)
			.forEach(o => o.node.focus());
	if (does || is)
		e.preventDefault();
}

/** The section of a flame graph with its title and text; nothing without stacks. */
function flameSection(f) {
	return f && f.stacks.length ? [heading(f.title), paragraph(f.text + (f.sides && f.sides.length > 1
		? ` ${f.sides[0]} is A, ${f.sides[1]} is B. Red has more in B.` : ''), 'dim'),
	paragraph('A click on a box shows only what it called; a double click shows all.', 'dim'),
	flame(f)] : null;
}
