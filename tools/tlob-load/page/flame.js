// SPDX-License-Identifier: GPL-2.0
/* Flame graphs. */

/** A flame graph: a click makes a box as wide as the graph; with two sides the colour says which has more. */
function flame(f) {
	const tree = flameTree(f.stacks), two = f.sides && f.sides.length > 1, depthOf = n => 1 +
		Math.max(0, ...n.kids.map(depthOf));
	const total = i => tree.n[i] || 1;
	const words = n => n.name + ': ' +
		(two ? `${count(n.n[0])} → ${count(n.n[1])} ${f.unit} (${n.n[1] >= n.n[0] ? '+' : '−'}${count(Math.abs(n.n[1] - n.n[0]))})` :
		`${count(n.n[0])} ${f.unit}, ${percent(n.n[0] / total(0))}`);
	const colour = n => { const more = n.n[1] - n.n[0], share = Math.min(1,
		Math.abs(more) / (Math.max(1, n.n[0], n.n[1])));
		return two ? `color-mix(in srgb, ${more > 0 ? 'var(--bad)' : 'var(--wake)'} ${Math.round(60 * share)}%, var(--card))` :
			`color-mix(in srgb, var(--warm) ${40 + 9 * (n.name.length % 6)}%, var(--card))`; };
	let root = tree, trail = [tree];
	const frame = redrawn(width => {
		const row = 18, deep = depthOf(root) + trail.length - 1, height = row * deep + 2;
		const svg = sv('svg', { viewBox: `0 0 ${width} ${height}`, class: 'flame' }),
			boxes = [];
		const box = (n, x, w, level, path) => {
			if (w < 0.5)
				return;
			const g = sv('g', { class: 'box', tabindex: boxes.length ? -1 : 0,
				role: 'button', 'aria-label': words(n),
				click: () => go(path), pointermove: e => tip.show(words(n),
					e.clientX, e.clientY), pointerleave: tip.hide,
				focus: () => { const r = g.getBoundingClientRect();
					tip.show(words(n), r.left, r.bottom); }, blur: tip.hide,
				keydown: e => keys(e, boxes.indexOf(at), path) },
			sv('rect', { x: x.toFixed(2), y: height - row * (level + 1),
				width: Math.max(0.5, w - 0.5).toFixed(2), height: row - 1,
				style: 'fill:' + colour(n) }),
			w > 30 ? sv('text', { x: (x + 3).toFixed(1), y: height - row * level - 5 },
				n.name.length * 6.6 < w - 4 ? n.name : n.name.slice(0,
				Math.floor((w - 8) / 6.6)) + '…') : null);
			const at = { g, x, w, level };

			boxes.push(at);
			svg.append(g);
			if (level >= trail.length - 1) {
				let left = x;

				for (const kid of n.kids) {
					const wide = w * kid.wide / (n.wide || 1);

					box(kid, left, wide, level + 1, [...path, kid]);
					left += wide;
				}
			}
		};
		const keys = (e, i, path) => {
			const b = boxes[i], near = list => list.sort((p, q) =>
				Math.abs(p.x - b.x) - Math.abs(q.x - b.x))[0];
			const next = { ArrowUp: () => near(boxes.filter(o => o.level === b.level +
				1 && o.x >= b.x - 1 && o.x < b.x + b.w)),
				ArrowDown: () => near(boxes.filter(o => o.level === b.level - 1 &&
					o.x <= b.x + 1 && b.x < o.x + o.w + 1)),
				ArrowLeft: () => near(boxes.filter(o => o.level === b.level &&
					o.x < b.x)),
				ArrowRight: () => near(boxes.filter(o => o.level === b.level &&
					o.x > b.x)) }[e.key];

			if (e.key === 'Enter' || e.key === ' ')
				go(path);
			else if (e.key === 'Escape')
				go([tree]);
			else if (!next)
				return;
			e.preventDefault();
			if (next && next())
				next().g.focus();
		};

		trail.forEach((n, level) => box(n, 0, width, level, trail.slice(0, level + 1)));
		svg.addEventListener('dblclick', () => go([tree]));
		return svg;
	}, 700);
	const go = path => { trail = path; root = path[path.length - 1]; frame.redraw(); };

	return el('div', { class: 'scroll' }, frame);
}
