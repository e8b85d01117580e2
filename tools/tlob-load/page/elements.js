// SPDX-License-Identifier: GPL-2.0
/* Elements of a page: text, tables, bars, and the tip that says what is under the pointer. */

const SVG = 'http://www.w3.org/2000/svg';
/* The data of the page. */
let D = {};

/** Gives an element attributes, listeners (functions) and kids: lists, and false, which is none. */
function make(node, attrs, kids) {
	for (const [name, value] of Object.entries(attrs || {}))
		if (typeof value === 'function')
			node.addEventListener(name, value);
		else if (value !== undefined && value !== null && value !== false)
			node.setAttribute(name, value);
	node.append(...kids.flat(Infinity).filter(k => k || k === 0));
	return node;
}

/** @returns {Element} of HTML. Foreign texts come as kids or attributes, so they stay text. */
function el(tag, attrs, ...kids) {
	return make(document.createElement(tag), attrs, kids);
}

/** @returns {Element} of SVG */
function sv(tag, attrs, ...kids) {
	return make(document.createElementNS(SVG, tag), attrs, kids);
}

/** Shows lines of text next to a point of the window, in px; no text hides them. */
function tip(text, x, y) {
	const n = document.getElementById('tip');

	n.hidden = !text;
	n.textContent = text || '';
	const below = y + 14 + n.offsetHeight <= innerHeight;

	n.style.left = within(x + 14, 0, Math.max(0, innerWidth - n.offsetWidth - 4)) + 'px';
	n.style.top = Math.max(0, below ? y + 14 : y - n.offsetHeight - 10) + 'px';
}

/** The tip says the words of what is under the pointer or has the focus. @returns {Element} */
function makeTip() {
	const show = e => {
		const node = e.target.closest && e.target.closest('[data-words]');
		const r = (node || document.body).getBoundingClientRect();

		if (e.type !== 'focusin' || e.target.matches(':focus-visible'))
			tip(node && node.dataset.words, e.clientX || r.left, e.clientY || r.bottom);
	};

	['pointermove', 'pointerdown', 'focusin'].forEach(type => addEventListener(type, show));
	['focusout', 'scroll', 'blur'].forEach(type => addEventListener(type, () => tip('')));
	document.documentElement.addEventListener('pointerleave', () => tip(''));
	return el('div', { id: 'tip', role: 'status', 'aria-live': 'polite', hidden: '' });
}

/** @returns {Element} a heading, and behind it a dim text */
function heading(text, dim, level = 2) {
	return el('h' + level, null, text, dim && [' ', el('span', { class: 'dim' }, dim)]);
}

/** @returns {Element|null} nothing without a text */
function paragraph(text, cls) {
	return text ? el('p', { class: cls }, text) : null;
}

/** @param {Array[]} list [term, what it is]; those without are left out @returns {Element} */
function facts(list) {
	return el('dl', null, list.filter(f => f[1] !== undefined && f[1] !== null && f[1] !== '')
		.map(([name, value]) => [el('dt', null, name), el('dd', null, String(value))]));
}

/** @returns {Element} a piece of a colour, or of a line of a class */
function swatch(colour, cls) {
	return cls ? sv('svg', { class: 'sample', viewBox: '0 0 28 10' },
		sv('path', { class: 'line ' + cls, d: 'M0 5H28' }))
		: el('s', { style: 'background:' + colour });
}

/* What stands under the pointer over the title of a column. */
const WORDS = {
	windows: 'activations that were measured, after the warm-up',
	violations: 'windows whose response was over the budget',
	missed: 'expiries without a window: the thread was still busy',
	lost: 'records that did not reach the tool, e.g. because the ring was full',
	'wake p50': "wake: from the timer's expiry until the thread runs",
	'response p50': "response: from the timer's expiry to the end of the work",
	'against the median':
		'the longest response, compared with the median of all results of this setting',
	'of the budget': 'the longest response, as a share of the budget',
	'worst window': 'what the longest response spent most of its time on',
	effect: 'how much longer B is than A, as a share of A, with its confidence interval',
	margin: 'the smallest change that counts: below it both are equal for the verdict',
	pair: 'a run of A and one of B that were made one after the other',
	metric: 'the statistic of each run that is compared',
};

/** A cell or a column of table() as an object, whatever form it has. */
function asCell(cell) {
	return cell !== null && typeof cell === 'object' && !(cell instanceof Node) ? cell
		: { t: cell };
}

/** What a cell is sorted by. */
function keyOf(cell) {
	const c = asCell(cell);

	return c.v !== undefined ? c.v : sortKey(String(c.t ?? ''));
}

/** @param {object} column of table() @returns {Element} td; an unknown value is a dash */
function cellOf(cell, column, first) {
	const c = asCell(cell), text = [undefined, null, '-'].includes(c.t) ? '–' : c.t;
	const cls = [column.l && !first && 'l', c.c, text === '–' && 'dim'].filter(Boolean);

	return el('td', { class: cls.join(' ') || null, 'data-words': c.h, 'data-name': column.t },
		text);
}

/**
 * A table whose columns sort by a click on their title.
 * @param {Array} columns a title, or {t: title, l: to the left, h: hint}
 * @param {Array[]} rows cells: a text, a number, an element, or
 *	{t: one of these, v: what it is sorted by, c: class, h: hint}
 * @returns {Element}
 */
function table(columns, rows) {
	const all = columns.map(asCell), body = el('tbody');
	const fill = list => body.replaceChildren(...list.map(row =>
		el('tr', null, row.map((cell, i) => cellOf(cell, all[i], !i)))));
	const button = ({ t, h }, i) => t && el('button', { class: 'sort',
		'data-words': h || WORDS[t], click: () => sort(i) }, t);
	const heads = all.map((c, i) =>
		el('th', { class: c.l && i ? 'l' : null, scope: 'col' }, button(c, i)));
	const sort = i => {
		const down = heads[i].getAttribute('aria-sort') !== 'descending';
		const way = down ? -1 : 1;

		heads.forEach(h => h.removeAttribute('aria-sort'));
		heads[i].setAttribute('aria-sort', down ? 'descending' : 'ascending');
		fill([...rows].sort((a, b) => way * inOrder(keyOf(a[i]), keyOf(b[i]))));
	};

	fill(rows);
	return el('div', { class: 'wide' },
		el('table', null, el('thead', null, el('tr', null, heads)), body));
}

/** A column whose cells begin at its left. */
function toLeft(title) {
	return { t: title, l: 1 };
}

/** A cell that may take several lines. */
function prose(text) {
	return { t: text, c: 'prose' };
}

/** A table that C made: {title, columns: [[title, "l" or "r", hint]], rows, notes}, or null. */
function madeTable(t) {
	return t && [t.title && heading(t.title),
		table(t.columns.map(c => ({ t: c[0], l: c[1] === 'l', h: c[2] })), t.rows),
		(t.notes || []).map(n => paragraph(n, 'dim'))];
}

/** @param {number} ns @returns {object} a cell; a dash if it is not known */
function timeCell(ns, known = true) {
	return known && Number.isFinite(ns) ? { t: time(ns), v: ns, h: ns + 'ns' } : '–';
}

/** @param {number|string} q as C wrote it: ns, "missed", nothing with too few windows */
function quantileCell(q) {
	if (q === undefined || q === null)
		return { t: '–', v: -1, h: 'too few windows for this quantile' };
	return q === 'missed' ? { t: q, v: Infinity, c: 'bad', h: 'this quantile lies among the missed expiries' } : timeCell(q);
}

/** @param {boolean} bad that there are any @returns {object} a cell */
function countCell(n, bad) {
	return { t: count(n || 0), v: n || 0, c: bad && n ? 'bad' : '' };
}

/** @returns {{name: string, short: string, colour: string, meaning: string}} a part or a phase */
function part(name) {
	return D.parts.find(p => p.name === name) ||
		{ name, short: name, colour: '#888', meaning: '' };
}

/** @returns {Element} a bar of parts, of which width is all; who: before the words of each piece */
function bar(parts, width, who) {
	const whole = sum(parts), shown = D.parts.filter(p => parts[p.name] > 0);
	const words = p => (who ? who + ': ' : '') + partWords(p, parts[p.name], whole);
	const wide = p => (100 * parts[p.name] / width).toFixed(3);
	const node = el('div', { class: 'bar', tabindex: 0, focus: () => {
		node.dataset.words = shown.map(words).join('\n');
	} }, shown.map(p => el('i', { 'data-words': words(p),
		style: `width:${wide(p)}%;background:${p.colour}` })));

	return node;
}

/** A cell with the bar of a window. */
function barCell(parts, longest, who, ns = sum(parts)) {
	return { t: bar(parts, longest, who), v: ns, c: 'w' };
}

/** A bar that is as wide as the page, and below it what its colours mean. */
function bigBar(parts) {
	return [el('div', { class: 'big' }, bar(parts, sum(parts))), legend(parts)];
}

/** The parts in words, the largest first, both phases of a part together. @returns {Element} */
function legend(parts) {
	const whole = sum(parts), by = new Map();

	for (const [name, ns] of Object.entries(parts)) {
		const p = part(name);

		by.set(p.short, { p, ns: ns + (by.get(p.short) || { ns: 0 }).ns });
	}
	const words = ({ p, ns }) => el('span', null, swatch(p.colour),
		el('abbr', { 'data-words': p.meaning, tabindex: 0 }, el('b', null, p.short)),
		` ${time(ns)} `, el('span', { class: 'dim' }, percent(ns / whole)));

	return el('div', { class: 'key' }, [...by.values()].filter(x => x.ns > 0)
		.sort((a, b) => b.ns - a.ns).map(words));
}
