// SPDX-License-Identifier: GPL-2.0
/* Elements of a page: text, tables, bars. */

const SVG = 'http://www.w3.org/2000/svg';
/* The data of the page. */
let D = {};

function make(node, attrs, kids) {
	for (const [name, value] of Object.entries(attrs || {}))
		if (typeof value === 'function')
			node.addEventListener(name, value);
		else if (value !== undefined && value !== null && value !== false)
			node.setAttribute(name, value);
	node.append(...kids.flat(Infinity).filter(k => k !== null && k !== undefined && k !== ''));
	return node;
}

/** An element of HTML; a function among the attributes is a listener. */
function el(tag, attrs, ...kids) {
	return make(document.createElement(tag), attrs, kids);
}

/** The same for SVG. */
function sv(tag, attrs, ...kids) {
	return make(document.createElementNS(SVG, tag), attrs, kids);
}

const tip = {
	node: null,
	/** Shows lines of text at a point of the window; none hides it. */
	show(text, x, y) {
		const n = tip.node;

		n.hidden = !text;
		n.textContent = text || '';
		n.style.left = Math.max(0, Math.min(x + 14, innerWidth - n.offsetWidth - 4)) + 'px';
		n.style.top = Math.max(0, y + 14 + n.offsetHeight > innerHeight
			? y - n.offsetHeight - 10 : y + 14) + 'px';
	},
	hide() { tip.node.hidden = true; },
};

/* What stands under the pointer over the title of a column. */
const WORDS = {
	windows: 'activations that were measured, after the warm-up',
		violations: 'windows whose response was over the budget',
	missed: 'expiries without a window: the thread was still busy',
		lost: 'records that did not reach the tool, e.g. because the ring was full',
	'wake p50': "wake: from the timer's expiry until the thread runs",
		'response p50': "response: from the timer's expiry to the end of the work",
	'against the median': 'the longest response, compared with the median of all results of this setting', 'of the budget': 'the longest response, as a share of the budget',
	'worst window': 'what the longest response spent most of its time on',
		effect: 'how much longer B is than A, as a share of A, with its confidence interval',
	margin: 'the smallest change that counts: below it both are equal for the verdict',
		pair: 'a run of A and one of B that were made one after the other',
		metric: 'the statistic of each run that is compared',
};

function heading(text, dim, level = 2) {
	return el('h' + level, null, text, dim ? [' ', el('span', { class: 'dim' }, dim)] : null);
}

function paragraph(text, cls) {
	return text ? el('p', { class: cls }, text) : null;
}

/** Terms and what they are; those without a value are left out. */
function facts(list) {
	return el('dl', null, list.filter(f => f[1] !== undefined && f[1] !== null && f[1] !== '')
		.map(([name, value]) => [el('dt', null, name), el('dd', null, String(value))]));
}

/** A swatch of a colour or of a line's class, and a name. */
function swatch(style, cls) {
	return cls ? sv('svg', { class: 'sample', viewBox: '0 0 28 10' },
		sv('path', { class: 'line ' + cls, d: 'M0 5H28' })) :
		el('s', { style });
}

/**
 * A table whose columns sort.
 * @param {string[]|object[]} columns a title, or {t, l: left, h: hint}
 * @param {Array[]} rows cells: text, a number, an element, or {t, v: what it is sorted by, c: class, h: hint}
 */
function table(columns, rows, cls) {
	const body = el('tbody'), heads = [];
	const key = cell => cell && cell.v !== undefined ? cell.v
		: sortKey(String(cell && cell.t !== undefined ? cell.t : cell));
	const fill = list => body.replaceChildren(...list.map(row => el('tr', null,
			row.map((cell, i) => {
		const c = cell !== null && typeof cell === 'object' && !(cell instanceof Node)
			? cell : { t: cell };
		const text = c.t === undefined || c.t === null || c.t === '-' ? '–' : c.t;

		return el('td', { class: [columns[i].l && i ? 'l' : '', c.c || '', text === '–'
			? 'dim' : ''].join(' ').trim() || undefined,
			title: c.h, 'data-name': typeof columns[i] === 'string' ? columns[i]
				: columns[i].t }, text);
	}))));
	const sort = i => {
		const down = heads[i].getAttribute('aria-sort') !== 'descending';

		heads.forEach(h => h.removeAttribute('aria-sort'));
		heads[i].setAttribute('aria-sort', down ? 'descending' : 'ascending');
		fill([...rows].sort((a, b) => (down ? -1 : 1) * inOrder(key(a[i]), key(b[i]))));
	};

	columns.forEach((c, i) => {
		const title = typeof c === 'string' ? c : c.t, hint = c.h || WORDS[title];

		heads.push(el('th', { class: c.l && i ? 'l' : undefined, scope: 'col' },
			title ? el('button', { class: 'sort', title: hint, click: () => sort(i) },
				title) : ''));
	});
	fill(rows);
	return el('div', { class: 'wide ' + (cls || '') }, el('table', null, el('thead', null,
		el('tr', null, heads)), body));
}

/** A table that C made: {title, columns: [[title, "l" or "r", hint]], rows, notes}. */
function madeTable(t) {
	if (!t)
		return null;
	return [t.title ? heading(t.title) : null,
		table(t.columns.map(c => ({ t: c[0], l: c[1] === 'l', h: c[2] })), t.rows),
		(t.notes || []).map(n => paragraph(n, 'dim'))];
}

const part = name => D.parts.find(p => p.name === name) || { name, short: name, colour: '#888',
	meaning: '' };

/** A bar of parts; its whole width is @width ns. */
function bar(parts, width) {
	const whole = sum(Object.values(parts));
	const b = el('div', { class: 'bar' });

	for (const p of D.parts) {
		const ns = parts[p.name];

		if (ns > 0)
			b.append(el('i',
				{ style: `width:${(100 * ns / width).toFixed(3)}%;background:${p.colour}`, title: partWords(p, ns, whole) }));
	}
	return b;
}

/** The parts in words, the largest first, both phases of a part together. */
function legend(parts) {
	const whole = sum(Object.values(parts)), by = new Map();

	for (const [name, ns] of Object.entries(parts)) {
		const p = part(name), at = by.get(p.short) || { p, ns: 0 };

		at.ns += ns;
		by.set(p.short, at);
	}
	return el('div', { class: 'key' }, [...by.values()].filter(x => x.ns > 0)
		.sort((a, b) => b.ns - a.ns).map(({ p, ns }) =>
		el('span', null, swatch('background:' + p.colour), el('abbr', { title: p.meaning,
			tabindex: 0 }, el('b', null, p.short)),
			` ${time(ns)} `, el('span', { class: 'dim' }, percent(ns / whole)))));
}
