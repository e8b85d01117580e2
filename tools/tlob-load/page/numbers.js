// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers of a page: pure, so that tests/page can test them in node. A page has all files of this
 * folder in one script, in the order of PAGE_PARTS in the Makefile. It draws the JSON in the page:
 * report/html.c puts there what all pages have, and the callers of html_begin() the rest. Foreign
 * text becomes text nodes and attributes, never markup.
 */
'use strict';

/** @returns {number} v, or the end of lo to hi that it is beyond */
function within(v, lo, hi) {
	return Math.min(hi, Math.max(lo, v));
}

/** @param {number[]|object} values a list, or numbers by name @returns {number} */
function sum(values) {
	return Object.values(values).reduce((a, b) => a + b, 0);
}

/** @returns {string} three digits or whole seconds, as the terminal has: "4.15us", "3601s" */
function time(ns) {
	const long = Math.abs(ns) >= 1e12;
	const rounded = long ? 1e9 * Math.round(ns / 1e9) : Number(ns.toPrecision(3));

	for (const [unit, n] of [['s', 1e9], ['ms', 1e6], ['us', 1e3]])
		if (Math.abs(rounded) >= n)
			return Number((rounded / n).toPrecision(12)) + unit;
	return Math.abs(ns) < 0.5 ? '0' : rounded + 'ns';
}

/** @param {number} ns since a begin @returns {string} "12.8s", "14m20s", "2h54m" */
function since(ns) {
	const s = Math.floor(ns / 1e9), m = Math.floor(s / 60);

	if (s < 60)
		return ns ? time(ns) : '0s';
	return m < 60 ? `${m}m${s % 60}s` : `${Math.floor(m / 60)}h${m % 60}m`;
}

/** @returns {string} a count with its digits in groups of three: "60 000" */
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

/** Where step i of a histogram begins: an octave has 2^bits steps, as have values below them. */
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

/** @returns {number[][]} points [ns, windows] of a histogram, down to half a window at gaps */
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

/**
 * The share of expiries above each latency, of a histogram and of missed expiries. These are above
 * all, so the line ends where they begin.
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

/** @returns {number} ns that a share of expiries exceeds; NaN: not measured that far out */
function tailAt(points, beyond) {
	const at = points.find(p => p[1] <= beyond);

	return at ? at[0] : NaN;
}

/**
 * Maps values, which are above 0 if log, to pixels low to high; those beyond, to the nearest end.
 * @returns {{at: function, of: function}} at(v): the pixel of a value; of(px): back
 */
function scale(from, to, low, high, log) {
	const f = log ? Math.log : v => v, b = log ? Math.exp : v => v;
	const a = f(from), range = f(to) - a || 1;

	return {
		at: v => low + (high - low) * within((f(v) - a) / range || 0, 0, 1),
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
 * Round values of an axis between two, in any order: about @most, or, if it is logarithmic, its
 * decades, with 2 and 5 of each if there are few.
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

/** @returns {number[]} those of ticks() that are whole numbers */
function wholeTicks(from, to, most) {
	return ticks(from, to, false, most).filter(Number.isInteger);
}

/** @returns {number[]} [from, to] around values above 0, in thirds of a decade of ns */
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

/** @returns {number|string} what a cell is sorted by: its number, of a time in ns; else its text */
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
