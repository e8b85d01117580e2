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
	const abs = Math.abs(ns);

	for (const [unit, n] of [['s', 1e9], ['ms', 1e6], ['us', 1e3]])
		if (abs >= n)
			return Number((ns / n).toPrecision(3)) + unit;
	return abs < 0.5 ? '0' : Number(ns.toPrecision(3)) + 'ns';
}

/** @param {number} n a count @returns {string} with its digits in groups of three: "60 000" */
function count(n) {
	return String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** @param {number} share 0 to 1 @returns {string} "12.3 %" */
function percent(share) {
	return share > 0 && share < 0.0005 ? '<0.1 %' : (100 * share).toFixed(1) + ' %';
}

/** @param {number} share a change, 0.05 is five percent more @returns {string} "+5 %", "−0.9 %" */
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
	return 'p' + Number((100 * (1 - beyond)).toPrecision(6));
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

/** The outline of a histogram: points [ns, windows], down to half a window where a step has none. */
function outline(h) {
	const all = steps(h), points = [];

	all.forEach((s, i) => {
		if (!i || all[i - 1].to !== s.from)
			points.push([Math.max(1, s.from), 0.5]);
		points.push([Math.max(1, s.from), s.n], [Math.max(1, s.to), s.n]);
		if (i === all.length - 1 || all[i + 1].from !== s.to)
			points.push([Math.max(1, s.to), 0.5]);
	});
	return points;
}

/** A time since a begin: "12.8s", "14m20s", "2h54m". */
function since(ns) {
	const s = Math.floor(ns / 1e9);

	if (ns < 6e10)
		return ns ? time(ns) : '0s';
	return s < 3600 ? `${Math.floor(s / 60)}m${s % 60}s`
		: `${Math.floor(s / 3600)}h${Math.floor(s % 3600 / 60)}m`;
}

/**
 * The share of expiries above each latency. Missed expiries are above all, so the line ends where
 * they begin.
 * @param {object} h a histogram
 * @param {number} missed expiries
 * @returns {number[][]} points [ns, share], a step at a time
 */
function tail(h, missed) {
	const all = (h.n || 0) + missed, points = [];
	let left = h.n || 0;

	for (const s of steps(h)) {
		points.push([Math.max(1, s.from), (left + missed) / all]);
		left -= s.n;
		points.push([Math.max(1, Math.min(s.to, h.max)), (left + missed) / all]);
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
 * @param {number} from @param {number} to values
 * @param {number} low @param {number} high pixels
 * @param {boolean} log
 */
function scale(from, to, low, high, log) {
	const f = log ? Math.log : v => v, b = log ? Math.exp : v => v;
	const a = f(from), range = f(to) - a || 1;

	return { from, to, log, low, high,
		at: v => low + (high - low) * Math.min(1, Math.max(0, (f(v) - a) / range || 0)),
		of: px => b(a + range * (px - low) / (high - low)) };
}

/**
 * Round values of an axis. A logarithmic one has all 1, 2 and 5 of a decade if there are few decades.
 * @returns {number[]}
 */
function ticks(from, to, log, most = 8) {
	const lo = Math.min(from, to), hi = Math.max(from, to), found = [];

	if (log && hi / lo > 4) {
		const factors = hi / lo < 150 ? [1, 2, 5] : [1];

		for (let e = Math.floor(Math.log10(lo)); 10 ** e <= hi; e++)
			for (const k of factors)
				found.push(Number(`${k}e${e}`));
	} else {
		const rough = (hi - lo) / most || 1, decade = 10 ** Math.floor(Math.log10(rough));
		const step = decade * [1, 2, 5, 10].find(k => k * decade >= rough);

		for (let k = Math.ceil(lo / step); k * step <= hi; k++)
			found.push(Number((k * step).toPrecision(12)));
	}
	return found.filter(v => v >= lo * (1 - 1e-9) && v <= hi * (1 + 1e-9));
}

/** The axis of times around values in ns: thirds of a decade. @returns {number[]} [from, to] */
function timeRange(values) {
	const known = values.filter(v => v > 0 && isFinite(v));
	const third = (v, round) => 10 ** (round(3 * Math.log10(v)) / 3);

	if (!known.length)
		return [1e3, 1e4];
	const from = third(Math.max(100, Math.min(...known)), Math.floor);

	return [from, Math.max(third(Math.max(...known), Math.ceil), 2 * from)];
}

/**
 * What a column is sorted by: the number that a cell begins with, in ns if it is a time; else its text.
 * @param {string} text
 * @returns {number|string}
 */
function sortKey(text) {
	const units = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 6e10, m: 6e10, h: 3.6e12 };
	const found = /^([+−<>-]?)\s*(\d[\d\s\u202f]*(?:\.\d+)?)\s*(ns|us|ms|s|min|m|h)?(?![\w.])/.exec(text);

	if (text === 'missed')
		return Infinity;
	if (!found)
		return text === '–' || text === '-' || text === '' ? -Infinity : text.toLowerCase();
	return (/[−-]/.test(found[1]) ? -1 : 1) * Number(found[2].replace(/[\s\u202f]/g,
		'')) * (units[found[3]] || 1);
}

/** Orders two keys of sortKey(): numbers before texts. */
function inOrder(a, b) {
	if (typeof a !== typeof b)
		return typeof a === 'number' ? -1 : 1;
	return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The tree of a flame graph.
 * @param {Array} stacks [text, number of the first side, of the second]; text is "ROOT;...;FUNCTION"
 * @returns {{name: string, n: number[], kids: object[], wide: number}} of the root; wide: the larger side
 */
function flameTree(stacks) {
	const root = { name: 'all', n: [0, 0], kids: new Map() };

	for (const [text, a, b = 0] of stacks) {
		let at = root;

		for (const name of ['', ...text.split(';')]) {
			if (name !== '' || at !== root) {
				if (!at.kids.has(name))
					at.kids.set(name, { name, n: [0, 0], kids: new Map() });
				at = at.kids.get(name);
			}
			at.n[0] += a;
			at.n[1] += b;
		}
	}
	const finish = node => {
		node.kids = [...node.kids.values()].map(finish).sort((x, y) => inOrder(x.name,
			y.name));
		node.wide = Math.max(node.n[0], node.n[1], node.kids.reduce((sum, kid) => sum +
			kid.wide, 0));
		return node;
	};
	return finish(root);
}

/** Words for what a part took: "work.irq 12.3us, 4.5 %: …". */
function partWords(part, ns, whole) {
	return `${part.name} ${time(ns)}, ${percent(ns / whole)}: ${part.meaning}`;
}

/** The mean time of each part by name, or of the two phases if no part is measured. */
function meanParts(c) {
	const h = c.hist || {}, n = (h.response || {}).n || 0, parts = {};

	for (const name of Object.keys(h))
		if (name.includes('.') && h[name].sum)
			parts[name] = h[name].sum / n;
	return Object.keys(parts).length || !n ? parts :
		phases({ wake_ns: ((h.wake || {}).sum || 0) / n, response_ns: h.response.sum / n });
}

/** The parts of a window, or its two phases. */
function windowParts(w) {
	return Object.keys(w.parts || {}).length ? w.parts : phases(w);
}

function phases(w) {
	return { wake: w.wake_ns || 0, work: (w.response_ns || 0) - (w.wake_ns || 0) };
}

function sum(values) {
	return values.reduce((a, b) => a + b, 0);
}
