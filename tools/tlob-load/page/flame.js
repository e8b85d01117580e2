// SPDX-License-Identifier: GPL-2.0
/* Flame graphs. */

/* The height of a box, in px. */
const ROW = 18;

/** What a node of flameTree() has below it: @returns {object} of it, made if it is not there yet */
function kidOf(node, name) {
	if (!node.kids.has(name))
		node.kids.set(name, { name, n: [0, 0], kids: new Map() });
	return node.kids.get(name);
}

/** Kids become a list in the order of their names, and each node gets its width. */
function finish(node) {
	node.kids = [...node.kids.values()].map(finish).sort((x, y) => inOrder(x.name, y.name));
	node.wide = Math.max(...node.n, sum(node.kids.map(kid => kid.wide)));
	return node;
}

/**
 * The tree of a flame graph.
 * @param {Array[]} stacks [text, number of the first side, of the second]; "ROOT;...;FUNCTION"
 * @returns {{name: string, n: number[], kids: object[], wide: number}} the root. wide: the larger
 *	side, and no less than that of all kids next to one another
 */
function flameTree(stacks) {
	const root = { name: 'all', n: [0, 0], kids: new Map() };

	for (const [text, a, b = 0] of stacks) {
		const nodes = [root];

		for (const name of text.split(';').filter(Boolean))
			nodes.push(kidOf(nodes[nodes.length - 1], name));
		for (const node of nodes)
			node.n = [node.n[0] + a, node.n[1] + b];
	}
	return finish(root);
}

/** @returns {{n: object, from: number, to: number, level: number}[]} the boxes of a tree's nodes */
function flameBoxes(n, from = 0, level = 0) {
	let next = from;

	return [{ n, from, to: from + n.wide, level }, ...n.kids.flatMap(kid => {
		next += kid.wide;
		return flameBoxes(kid, next - kid.wide, level + 1);
	})];
}

/** The box to which an arrow leads: what it called, its caller, or one next to it. */
function flameNext(boxes, b, dx, dy) {
	return boxes.filter(o => o.level === b.level - dy && (dx ? dx * (o.from - b.from) > 0
		: o.from < b.to && b.from < o.to))
		.sort((o, q) => Math.abs(o.from - b.from) - Math.abs(q.from - b.from))[0];
}

/** A box in words: with both sides, or with its share of a whole. */
function flameWords({ name, n: [a, b] }, unit, whole) {
	const more = `${b >= a ? '+' : '−'}${count(Math.abs(b - a))}`;

	return name + ': ' + (whole ? `${count(a)} ${unit}, ${percent(a / whole)}`
		: `${count(a)} → ${count(b)} ${unit} (${more})`);
}

/** The colour of a box: of two sides the more it differs, the stronger; else neighbours differ. */
function flameColour({ name, n: [a, b] }, two) {
	const share = two ? Math.round(60 * Math.abs(b - a) / Math.max(1, a, b))
		: 40 + 9 * (name.length % 6);
	const colour = !two ? 'warm' : b > a ? 'bad' : 'wake';

	return `color-mix(in srgb, var(--${colour}) ${share}%, var(--card))`;
}

/** A box with as much of its name as it has room for. */
function flameBox({ x, y }, b, colour, words) {
	const x0 = x.at(b.from), wide = x.at(b.to) - x0, top = y.at(b.level + 1), { name } = b.n;
	const room = Math.floor((wide - 8) / 6.6);

	return [sv('rect', { class: 'box', x: x0.toFixed(2), y: top, height: ROW - 1,
		width: Math.max(0.5, wide - 0.5).toFixed(2), style: 'fill:' + colour },
	sv('title', null, words)), wide > 30 && sv('text', { x: px(x0 + 3), y: top + ROW - 5 },
		name.length <= room ? name : name.slice(0, room) + '…')];
}

/**
 * A flame graph: a click makes a box as wide as the graph. The colours of one with two sides say
 * which has more.
 * @param {object} f stacks of flameTree(), unit, sides: names
 */
function flame({ stacks, unit, sides }) {
	const tree = flameTree(stacks), boxes = flameBoxes(tree), two = sides && sides.length > 1;
	const depth = 1 + Math.max(...boxes.map(b => b.level));
	const at = (x, y) => boxes.find(b => b.level === Math.floor(y) && b.from <= x && x < b.to);
	const words = b => flameWords(b.n, unit, two ? 0 : tree.n[0] || 1);
	const drawn = ({ x }) => boxes.filter(b => x.at(b.to) - x.at(b.from) >= 0.5);
	const none = () => [];

	return plot({ label: 'flame graph', cls: 'flame', least: 700, height: ROW * depth + 2,
		edge: { left: 0, right: 0, top: 1, bottom: 1 },
		x: { from: 0, to: tree.wide, ticks: none }, y: { from: 0, to: depth, ticks: none },
		layer: c => drawn(c).map(b => flameBox(c, b, flameColour(b.n, two), words(b))),
		say: (x, lines, y) => at(x, y) ? words(at(x, y)) : '', open: at,
		outline: ({ x, y }, place) => {
			const b = at(x.of(place.x), y.of(place.y));

			return boxPath(x.at(b.from), y.at(b.level + 1), x.at(b.to), y.at(b.level));
		},
		moves: c => (place, dx, dy) => {
			const from = at(c.x.of(place.x), c.y.of(place.y));
			const b = from ? flameNext(drawn(c), from, dx, dy) : boxes[0];

			return b && { x: (c.x.at(b.from) + c.x.at(b.to)) / 2,
				y: c.y.at(b.level + 0.5) };
		} });
}

/** The section of a flame graph with its title and text; nothing without stacks. */
function flameSection(f) {
	const [a, b] = (f && f.sides) || [];

	return f && f.stacks.length > 0 && [heading(f.title),
		paragraph(f.text + (b ? ` ${a} is A, ${b} is B. Red has more in B.` : ''), 'dim'),
		paragraph('A click on a box shows only what it called; a double click shows all.',
			'dim'), flame(f)];
}
