// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers of a page: pure, so that tests/page can test them in node. A page has all files of this
 * folder in one script, in the order of PAGE_PARTS in the Makefile. It draws the JSON in the page,
 * which report/html.h describes. Foreign text becomes text nodes and attributes, never markup.
 */
'use strict';

/**
 * A duration with three significant digits, as the terminal prints it.
 * @param {number} ns
 * @returns {string} "4.15us", "600us", "1.2s"
 */
function time(ns) {
	const rounded = Number(ns.toPrecision(3)), abs = Math.abs(rounded);

	for (const [unit, n] of [['s', 1e9], ['ms', 1e6], ['us', 1e3]])
		if (abs >= n)
			return Number((rounded / n).toPrecision(3)) + unit;
	return abs < 0.5 ? '0' : rounded + 'ns';
}

/** @param {number} n a count @returns {string} with its digits in groups of three: "60 000" */
function count(n) {
	return String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** @param {number} share 0 to 1 @returns {string} "12.3 %" */
function percent(share) {
	return share > 0 && share < 0.0005 ? '<0.1 %' : (100 * share).toFixed(1) + ' %';
}

/** @param {number} share 0.05 is five percent more @returns {string} "+5 %", "−0.9 %" */
function change(share) {
	const percents = Number((100 * Math.abs(share)).toPrecision(3));

	return (percents === 0 ? '' : share < 0 ? '−' : '+') + percents + ' %';
}

/** @param {number} ns a difference @returns {string} "+1.2us", "0" */
function signed(ns) {
	const text = time(Math.abs(ns));

	return (text === '0' ? '' : ns < 0 ? '−' : '+') + text;
}

/** @param {number} beyond the share of expiries above it @returns {string} "p99.9" */
function quantile(beyond) {
	const decimals = Math.ceil(-Math.log10(beyond));

	return 'p' + Number((100 * (1 - beyond)).toFixed(within(decimals, 2, 12)));
}

/**
 * The smallest value of a step of a histogram: each octave has 2^bits equal steps, and values
 * below 2^bits have one each.
 * @param {number} i
 * @param {number} bits
 */
function stepLower(i, bits) {
	const sub = 2 ** bits;

	return i < 2 * sub ? i : (sub + i % sub) * 2 ** (Math.floor(i / sub) - 1);
}

/**
 * The steps of a histogram that have windows. Steps that are finer than a step of the clock are
 * joined: they would be a comb.
 * @param {{steps: number[], bits: number, first: number, step: number}} h
 * @returns {{from: number, to: number, n: number}[]} from and to in ns
 */
function steps(h) {
	const all = [];

	(h.steps || []).forEach((n, k) => {
		const last = all[all.length - 1], to = stepLower(h.first + k + 1, h.bits);

		if (last && last.to - last.from < (h.step || 1)) {
			last.to = to;
			last.n += n;
		} else {
			all.push({ from: stepLower(h.first + k, h.bits), to, n });
		}
	});
	return all.filter(s => s.n);
}

/**
 * The outline of a histogram, down to half a window where a step has none.
 * @param {object} h as of steps()
 * @returns {number[][]} points [ns, windows]
 */
function outline(h) {
	const all = steps(h), points = [];

	all.forEach(({ from, to, n }, i) => {
		const left = Math.max(1, from), right = Math.max(1, to);

		if (!i || all[i - 1].to !== from)
			points.push([left, 0.5]);
		points.push([left, n], [right, n]);
		if (i === all.length - 1 || all[i + 1].from !== to)
			points.push([right, 0.5]);
	});
	return points;
}

/** @param {number} ns since a begin @returns {string} "12.8s", "14m20s", "2h54m" */
function since(ns) {
	const s = Math.floor(ns / 1e9), m = Math.floor(s / 60);

	if (s < 60)
		return ns ? time(ns) : '0s';
	return m < 60 ? `${m}m${s % 60}s` : `${Math.floor(m / 60)}h${m % 60}m`;
}

/**
 * The share of expiries above each latency. Missed expiries are above all, so the line ends where
 * they begin.
 * @param {object} h as of steps(), with n and max
 * @param {number} missed expiries
 * @returns {number[][]} points [ns, share], a step at a time
 */
function tail(h, missed) {
	const all = (h.n || 0) + missed, points = [];
	let left = all;

	for (const s of steps(h)) {
		points.push([Math.max(1, s.from), left / all]);
		left -= s.n;
		points.push([Math.max(1, Math.min(s.to, h.max)), left / all]);
	}
	return points.filter(p => p[1] > 0);
}

/**
 * The latency that a share of the expiries exceeds.
 * @param {number[][]} points of tail()
 * @param {number} beyond
 * @returns {number} ns; NaN: not measured that far out
 */
function tailAt(points, beyond) {
	const at = points.find(p => p[1] <= beyond);

	return at ? at[0] : NaN;
}

/**
 * Maps values to pixels and back. A logarithmic axis needs values above 0.
 * @param {number} from
 * @param {number} to values; what is beyond them is mapped to the nearest end
 * @param {number} low
 * @param {number} high pixels of both
 * @param {boolean} log
 * @returns {{at: function, of: function}} at(v): the pixel of a value; of(px): back
 */
function scale(from, to, low, high, log) {
	const f = log ? Math.log : v => v, b = log ? Math.exp : v => v;
	const a = f(from), range = f(to) - a || 1;

	return {
		at: v => low + (high - low) * Math.min(1, Math.max(0, (f(v) - a) / range || 0)),
		of: px => b(a + range * (px - low) / (high - low)),
	};
}

/** Multiples of 1, 2 or 5 of a decade from lo to hi, about @most of them. */
function evenTicks(lo, hi, most) {
	const rough = (hi - lo) / most || 1, decade = 10 ** Math.floor(Math.log10(rough));
	const step = decade * [1, 2, 5, 10].find(k => k * decade >= rough);
	const first = Math.ceil(lo / step);

	return Array.from({ length: Math.max(0, Math.floor(hi / step) - first + 1) },
		(_, k) => Number(((first + k) * step).toPrecision(12)));
}

/**
 * Round values of an axis. A logarithmic one has 1, 2 and 5 of each decade if there are few.
 * @param {number} from
 * @param {number} to the ends, in any order
 * @param {boolean} log
 * @param {number} most how many there are about, if it is not logarithmic
 * @returns {number[]} ascending
 */
function ticks(from, to, log, most = 8) {
	const lo = Math.min(from, to), hi = Math.max(from, to), found = [];

	if (!log || hi / lo <= 4)
		return evenTicks(lo, hi, most);
	for (let e = Math.floor(Math.log10(lo)); 10 ** e <= hi; e++)
		for (const k of hi / lo < 150 ? [1, 2, 5] : [1])
			found.push(Number(`${k}e${e}`));
	return found.filter(v => v >= lo && v <= hi);
}

/** @returns {number[]} of from, from + 1 ... to those that stand for about @most parts of them */
function wholeTicks(from, to, most) {
	return ticks(from, to, false, most).filter(Number.isInteger);
}

/**
 * The axis of times around values, in thirds of a decade.
 * @param {number[]} values ns; what is not above 0 does not count
 * @returns {number[]} [from, to]
 */
function timeRange(values) {
	const known = values.filter(v => v > 0 && isFinite(v));
	const third = (v, round) => 10 ** (round(3 * Math.log10(v)) / 3);

	if (!known.length)
		return [1e3, 1e4];
	const from = third(Math.max(100, Math.min(...known)), Math.floor);

	return [from, Math.max(third(Math.max(...known), Math.ceil), 2 * from)];
}

const NUMBER = /^([+−<>-]?)\s*(\d[\d\s]*(?:\.\d+)?)\s*(ns|us|ms|s|min|m|h)?(?![\w.])/;
const UNITS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, m: 6e10, min: 6e10, h: 3.6e12 };

/**
 * What a column is sorted by.
 * @param {string} text of a cell
 * @returns {number|string} the number that it begins with, in ns if it is a time; else its text
 */
function sortKey(text) {
	const found = NUMBER.exec(text);

	if (text === 'missed')
		return Infinity;
	if (!found)
		return ['–', '-', ''].includes(text) ? -Infinity : text.toLowerCase();
	return (/[−-]/.test(found[1]) ? -1 : 1) * Number(found[2].replace(/\s/g, '')) *
		(UNITS[found[3]] || 1);
}

/** Orders two keys of sortKey(): numbers before texts. @returns {number} as for sort() */
function inOrder(a, b) {
	if (typeof a !== typeof b)
		return typeof a === 'number' ? -1 : 1;
	return a < b ? -1 : a > b ? 1 : 0;
}

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

/** @returns {string} what a part took: "work.irq 12.3us, 4.5 %: …" */
function partWords(part, ns, whole) {
	return `${part.name} ${time(ns)}, ${percent(ns / whole)}: ${part.meaning}`;
}

/** @returns {object} ns of both phases of a window by name, as those of parts */
function phases(w) {
	return { wake: w.wake_ns || 0, work: (w.response_ns || 0) - (w.wake_ns || 0) };
}

/** @returns {object} ns of each part of a window by name, of its phases if no part is measured */
function windowParts(w) {
	return Object.keys(w.parts || {}).length ? w.parts : phases(w);
}

/** @returns {object} the same of the mean window of a CPU; {} without windows */
function meanParts(c) {
	const h = c.hist || {}, n = (h.response || {}).n || 0;
	const mean = name => (h[name] || { sum: 0 }).sum / n;
	const parts = Object.keys(h).filter(name => name.includes('.') && h[name].sum);

	if (!n)
		return {};
	return parts.length ? Object.fromEntries(parts.map(name => [name, mean(name)]))
		: phases({ wake_ns: mean('wake'), response_ns: mean('response') });
}

/** @param {number[]|object} values a list, or numbers by name @returns {number} */
function sum(values) {
	return Object.values(values).reduce((a, b) => a + b, 0);
}

/** @returns {number} v, or the end of lo to hi that it is beyond */
function within(v, lo, hi) {
	return Math.min(hi, Math.max(lo, v));
}
