// SPDX-License-Identifier: GPL-2.0
/* The pure functions of the pages' script: what they return, and what holds for any input. */
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const p = require('../../build/tool/page.js');

let seed = 1;

/** The next number of a fixed sequence, 0 to below 1. */
function random() {
	seed = (seed * 48271) % 2147483647;
	return (seed - 1) / 2147483646;
}

/** A whole number below n. */
function below(n) {
	return Math.floor(random() * n);
}

/** Calls check(i) with as many draws. */
function often(n, check) {
	for (let i = 0; i < n; i++)
		check(i);
}

/** A value of any size from 1 ns to an hour. */
function anyTime() {
	return 10 ** (random() * 12.5);
}

/** Values, and their histogram as a page has it: eight steps an octave. */
function drawn(n) {
	const values = Array.from({ length: n }, () => Math.floor(anyTime()));
	const stepOf = v => {
		let i = 0;

		while (p.stepLower(i + 1, 3) <= v)
			i++;
		return i;
	};
	const at = values.map(stepOf), first = Math.min(...at), steps = [];

	for (let i = first; i <= Math.max(...at); i++)
		steps.push(at.filter(k => k === i).length);
	return { values, h: { bits: 3, first, steps, n, min: Math.min(...values),
		max: Math.max(...values) } };
}

test('times have three digits and the unit that suits them', () => {
	for (const [ns, text] of [[0, '0'], [0.4, '0'], [1, '1ns'], [4150, '4.15us'],
		[600000, '600us'], [1.2e9, '1.2s'], [999.6, '1us'], [999.6e3, '1ms'],
		[-2500, '-2.5us'], [3.6e12, '3600s']])
		assert.equal(p.time(ns), text);
	often(2000, () => {
		const ns = anyTime(), [, n, unit] = /^([\d.]+)(ns|us|ms|s)$/.exec(p.time(ns));
		const back = n * { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[unit];

		assert.ok(Math.abs(back / ns - 1) < 0.0051 || ns < 1, `${ns}: ${p.time(ns)}`);
		assert.ok(unit === 's' || n < 1000, p.time(ns));
	});
});

test('times are those of C: the examples of its test', () => {
	const text = fs.readFileSync(path.join(__dirname, '../unit/test_units.c'), 'utf8');
	const from = text.indexOf('TEST(test_duration_format)');
	const rows = [...text.slice(from, text.indexOf('char buf', from))
		.matchAll(/\{ (\d+)(?:ULL)?, "([^"]*)"/g)].filter(([, ns]) => ns > 0);

	assert.ok(rows.length > 15);
	for (const [, ns, wanted] of rows)
		assert.equal(p.time(Number(ns)), wanted);
});

test('counts, shares, changes and quantiles', () => {
	assert.equal(p.count(1234567), '1\u202f234\u202f567');
	assert.equal(p.count(999), '999');
	assert.equal(p.percent(0.1234), '12.3 %');
	assert.equal(p.percent(0.0001), '<0.1 %');
	assert.equal(p.percent(0), '0.0 %');
	assert.equal(p.change(0.05), '+5 %');
	assert.equal(p.change(-0.0091), '−0.91 %');
	assert.equal(p.change(0), '0 %');
	assert.equal(p.signed(-1200), '−1.2us');
	assert.equal(p.signed(0), '0');
	assert.equal(p.quantile(0.001), 'p99.9');
	assert.equal(p.quantile(0.5), 'p50');
	assert.equal(p.quantile(1e-9), 'p99.9999999');
	assert.equal(p.quantile(0), 'p100');
	assert.equal(p.since(0), '0s');
	assert.equal(p.since(12.84e9), '12.8s');
	assert.equal(p.since(860e9), '14m20s');
	assert.equal(p.since(10440e9), '2h54m');
});

test('steps lie next to one another and have each value once', () => {
	for (let i = 0; i < 400; i++)
		assert.ok(p.stepLower(i + 1, 3) > p.stepLower(i, 3));
	often(50, () => {
		const { values, h } = drawn(1 + below(200));

		for (const s of p.steps(h))
			assert.equal(values.filter(v => v >= s.from && v < s.to).length, s.n);
		assert.equal(p.steps(h).reduce((n, s) => n + s.n, 0), values.length);
	});
	assert.deepEqual(p.steps({ n: 0 }), []);
});

test('steps finer than those of the clock are joined', () => {
	const comb = Array.from({ length: 48 }, (_, i) => i % 2);
	const h = { bits: 3, first: 0, steps: comb, step: 16 };

	assert.ok(p.steps(h).every(s => s.to - s.from >= 16 || s.to > 256));
	assert.equal(p.steps(h).reduce((n, s) => n + s.n, 0), 24);
});

test('outlines go up and down at the edges of steps', () => {
	assert.deepEqual(p.outline({ bits: 3, first: 1, steps: [3, 0, 2] }),
		[[1, 0.5], [1, 3], [2, 3], [2, 0.5], [3, 0.5], [3, 2], [4, 2], [4, 0.5]]);
	assert.deepEqual(p.outline({}), []);
});

test('tails are those of a brute force', () => {
	often(50, () => {
		const { values, h } = drawn(1 + below(200)), missed = below(3) * below(50);
		const points = p.tail(h, missed), all = values.length + missed;

		for (const s of p.steps(h)) {
			const beyond = values.filter(v => v >= s.to).length + missed;
			const end = Math.max(1, Math.min(s.to, h.max));
			const at = points.filter(q => q[0] === end).pop();

			assert.ok(at ? at[1] < beyond / all + 1e-9 : !beyond);
		}
		for (let i = 1; i < points.length; i++)
			assert.ok(points[i][0] >= points[i - 1][0] &&
				points[i][1] <= points[i - 1][1]);
		assert.ok(!points.length || points[0][1] === 1);
		assert.ok(points.every(q => q[1] > 0));
	});
});

test('a latency at a share is exceeded by no more than it', () => {
	often(200, () => {
		const { values, h } = drawn(1 + below(100)), share = random();
		const at = p.tailAt(p.tail(h, 0), share);

		const above = values.filter(v => v > at).length / values.length;

		assert.ok(Number.isNaN(at) || above <= share + 1e-9);
	});
	assert.ok(Number.isNaN(p.tailAt([[5, 1], [9, 0.5]], 0.1)));
});

test('scales map back to the value', () => {
	often(500, i => {
		const from = anyTime(), to = from * (1.01 + random() * 1000), log = i % 2 === 0;
		const s = i % 3 ? p.scale(from, to, 74, 900, log) : p.scale(to, from, 900, 74, log);
		const v = from + (to - from) * random();

		assert.ok(Math.abs(s.of(s.at(v)) / v - 1) < 1e-6);
		assert.ok(s.at(v) >= 74 - 1e-9 && s.at(v) <= 900 + 1e-9);
		assert.equal(s.at(from / 2), s.at(from));
		assert.equal(s.at(to * 2), s.at(to));
	});
	assert.ok(Number.isFinite(p.scale(5, 5, 0, 100, false).at(5)));
});

test('ticks lie inside, ascend, and are neither too many nor none', () => {
	often(2000, i => {
		const a = anyTime() * (i % 5 === 0 ? -1 : 1);
		const b = i % 5 ? a * (1.001 + 10 ** (random() * 6)) : anyTime();
		const lo = Math.min(a, b) * (1 - Math.sign(Math.min(a, b)) * 1e-9);
		const log = a > 0 && i % 2 === 0, all = p.ticks(b, a, log, 3 + below(20));

		assert.ok(all.every(v => v >= lo && v <= Math.max(a, b) * (1 + 1e-9)),
			`${a} ${b}: ${all}`);
		assert.ok(all.every((v, k) => !k || v > all[k - 1]), `${a} ${b}: ${all}`);
		assert.ok(all.length > 0 && all.length < 45, `${a} ${b}: ${all}`);
	});
	assert.deepEqual(p.ticks(0, 10, false, 5), [0, 2, 4, 6, 8, 10]);
	assert.deepEqual(p.ticks(1, 100, true), [1, 2, 5, 10, 20, 50, 100]);
	assert.ok(p.ticks(3, 3, false).length <= 1);
	assert.deepEqual(p.wholeTicks(0, 2, 9), [0, 1, 2]);
	assert.deepEqual(p.wholeTicks(0, 0, 9), [0]);
});

test('ranges of times have all values inside', () => {
	often(500, () => {
		const values = Array.from({ length: 1 + below(9) }, anyTime);
		const [from, to] = p.timeRange([...values, 0, NaN, undefined]);

		assert.ok(to >= 2 * from);
		assert.ok(values.every(v => v <= 100 ||
			(v >= from * 0.999999 && v <= to * 1.000001)));
	});
	assert.deepEqual(p.timeRange([]), [1e3, 1e4]);
});

test('columns sort by numbers with their units, then by texts', () => {
	const compare = (a, b) => p.inOrder(p.sortKey(a), p.sortKey(b));
	const cells = ['func', 'b 1', '1.2ms', '900us', '−3us', '+5 %', '60\u202f000', 'missed',
		'–', '', '2.5 %', '3h', 'Apple'];

	assert.deepEqual(cells.sort(compare), ['–', '', '−3us', '2.5 %', '+5 %', '60\u202f000',
		'900us', '1.2ms', '3h', 'missed', 'Apple', 'b 1', 'func']);
	often(1000, () => {
		const a = anyTime(), b = anyTime(), by = compare(p.time(a), p.time(b));

		assert.ok(by === 0 || by === (a < b ? -1 : 1));
	});
	assert.equal(typeof p.sortKey('6.12.94-rt'), 'string');
	assert.equal(typeof p.sortKey('3com'), 'string');
});

/** Stacks of functions a, b and c. */
function drawnStacks() {
	const stack = () => Array.from({ length: 1 + below(5) }, () => 'abc'[below(3)]).join(';');

	return Array.from({ length: 1 + below(30) }, () => [stack(), below(100), below(100)]);
}

test('a flame tree has what its stacks have', () => {
	often(100, () => {
		const stacks = drawnStacks(), tree = p.flameTree(stacks);
		const total = (list, i) => list.reduce((n, s) => n + s[i], 0);
		const look = (n, path) => {
			const mine = stacks.filter(([text]) => !path || text === path ||
				text.startsWith(path + ';'));

			assert.deepEqual(n.n, [total(mine, 1), total(mine, 2)]);
			assert.ok(n.wide >= Math.max(...n.n));
			assert.ok(n.wide >= n.kids.reduce((all, k) => all + k.wide, 0));
			n.kids.forEach((k, i) => {
				assert.ok(!i || n.kids[i - 1].name < k.name);
				look(k, path ? `${path};${k.name}` : k.name);
			});
		};

		look(tree, '');
	});
	assert.deepEqual(p.flameTree([['', 7]]).n, [7, 0]);
});

test('boxes of a flame graph lie next to one another, on their callers', () => {
	often(100, () => {
		const boxes = p.flameBoxes(p.flameTree(drawnStacks()));
		const overlap = (a, b) => a.from < b.to && b.from < a.to;

		for (const b of boxes) {
			const callers = boxes.filter(o => o.n.kids.includes(b.n));

			assert.equal(callers.length, b.level ? 1 : 0);
			assert.ok(callers.every(o => o.level === b.level - 1 && o.from <= b.from &&
				b.to <= o.to));
			assert.ok(boxes.every(o => o === b || o.level !== b.level ||
				!overlap(o, b)));
		}
	});
});

test('arrows lead from box to box', () => {
	const boxes = p.flameBoxes(p.flameTree([['f;old', 50], ['f;new', 70], ['g;h', 5]]));
	const from = name => boxes.find(b => b.n.name === name);
	const lead = (name, dx, dy) => (p.flameNext(boxes, from(name), dx, dy) || { n: {} }).n.name;

	assert.deepEqual([lead('all', 0, -1), lead('f', 0, -1), lead('f', 0, 1), lead('f', 1, 0),
		lead('g', -1, 0), lead('new', 1, 0), lead('old', 1, 0)],
	['f', 'new', 'all', 'g', 'f', 'old', 'h']);
	assert.deepEqual([lead('all', 0, 1), lead('all', 1, 0), lead('h', 0, -1)],
		[undefined, undefined, undefined]);
});

test('parts of a window, or its phases', () => {
	const hist = { wake: { n: 2, sum: 10 }, response: { n: 2, sum: 50 } };

	assert.deepEqual(p.windowParts({ parts: { 'work.irq': 3 } }), { 'work.irq': 3 });
	assert.deepEqual(p.windowParts({ wake_ns: 3, response_ns: 10 }), { wake: 3, work: 7 });
	assert.deepEqual(p.meanParts({ hist }), { wake: 5, work: 20 });
	hist['work.on_cpu'] = { n: 2, sum: 40 };
	hist['work.irq'] = { n: 2, sum: 0 };
	assert.deepEqual(p.meanParts({ hist }), { 'work.on_cpu': 20 });
	assert.deepEqual(p.meanParts({}), {});
});

test('a cut has the points inside and one beyond each end', () => {
	const line = [[1, 10], [2, 20], [3, 30], [4, 40], [5, 50]];

	assert.deepEqual(p.cut(line, { from: 2.5, to: 3.5 }), [[2, 20], [3, 30], [4, 40]]);
	assert.deepEqual(p.cut(line, { from: 3.5, to: 2.5 }), [[2, 20], [3, 30], [4, 40]]);
	assert.deepEqual(p.cut(line, { from: 2.2, to: 2.8 }), [[2, 20], [3, 30]]);
	assert.deepEqual(p.cut(line, { from: 0, to: 9 }), line);
	assert.deepEqual(p.cut(line, { from: 6, to: 9 }), []);
});

test('the nearest dot, and none that is far', () => {
	const dots = [{ x: 0, y: 0, words: 'a' }, { x: 30, y: 0, words: 'b' }];
	const at = (x, y) => p.nearest(dots, x, y);

	assert.equal(at(10, 0), 'a');
	assert.equal(at(20, 0), 'b');
	assert.equal(at(30, 60), '');
	assert.equal(p.nearest([], 0, 0), '');
});

test('keys go from stop to stop and end at the last', () => {
	const stops = [{ x: 1 }, { x: 5 }, { x: 9 }], move = p.between(stops);

	assert.deepEqual([1, 1, 1, 1, -1].map(dx => move({}, dx).x), [1, 5, 9, 9, 5]);
	assert.equal(move({}, 0), null);
	assert.equal(p.between([])({}, 1), null);
});

test('half octaves have each time in one row', () => {
	often(2000, () => {
		const ns = 1 + anyTime(), r = p.octave.row(ns);

		assert.ok(p.octave.edge(r) <= ns && ns < p.octave.edge(r + 1));
	});
	assert.deepEqual([...p.coarse([[4, 1], [5, 2], [6, 4]])], [[4, 3], [5, 4]]);
});

test('effects of pairs, and an axis that one far pair does not stretch', () => {
	assert.equal(p.pairEffect(100, 150), 0.5);
	assert.equal(p.pairEffect('missed', 1), -Infinity);
	assert.equal(p.pairEffect(1, 'missed'), Infinity);
	assert.ok(Number.isNaN(p.pairEffect('missed', 'missed')));
	often(200, () => {
		const values = Array.from({ length: 8 + below(20) }, () => random() * 0.02 - 0.01);
		const [from, to] = p.effectRange([...values, 9, Infinity], [0.05]);

		assert.ok(from < Math.min(0, ...values) && to > 0.05 && to < 0.2);
	});
	assert.ok(p.effectRange([], []).every(isFinite));
});
