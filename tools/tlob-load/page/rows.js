// SPDX-License-Identifier: GPL-2.0
/* The page of many results: a row for each. */

/** The response of a result from p50 to its maximum, on the scale of all. */
function strip(row, x) {
	const q = ['p50', 'p99', 'p99.9'].map(n => row[n]).filter(v => typeof v === 'number');
	const at = v => px(x.at(v));

	return row.max_ns !== undefined && q.length > 0 && sv('svg', { class: 'strip',
		viewBox: '0 0 220 16', 'data-words': `${row.name}\np50 ${time(q[0])}, ` +
			`max ${time(row.max_ns)}, budget ${time(row.budget_ns)}` },
	stroke('whisker', `M${at(q[0])} 8H${at(row.max_ns)}`),
	stroke('mark', `M${at(row.budget_ns)} 0V16`),
	q.map((v, i) => sv('circle', { class: 'dot', cx: at(v), cy: 8, r: i ? 3 : 4 })),
	stroke('end', `M${at(row.max_ns)} 3V13`));
}

/** The longest response as a share of the budget, or how many times it. */
function ofBudget(row) {
	const v = row.max_ns / row.budget_ns;
	const times = v < 999.5 ? Number(v.toPrecision(3)) : '> 999';

	return isFinite(v) ? { v, t: v < 10 ? percent(v) : times + ' ×',
		c: row.violations || row.missed ? 'bad' : '' } : '–';
}

/** How far the result is from the median of its setting. */
function fromMedian({ from_median: by, outlier }) {
	const c = outlier ? 'bad' : '';

	if (by === undefined)
		return '–';
	return by === 'missed' ? { t: by, v: Infinity, c } : { t: change(by), v: by, c };
}

/** The name of a result, and what it says of itself. */
function rowName(r) {
	return { v: r.name, t: el('span', null, r.name,
		r.said && el('span', { class: r.failed ? 'bad' : 'unsure' }, ' ' + r.said),
		r.doubt && el('span', { class: 'unsure' }, ' ' + r.doubt)) };
}

/** @param {string[]} more keys that differ between the results */
function rowTable(rows, x, more) {
	return table(['result', 'against the median', toLeft('response, p50 to max'), 'p50', 'p99',
		'p99.9', 'max', 'of the budget', 'violations', 'missed', 'windows', 'wake p99.9',
		toLeft('worst window'), ...more.map(toLeft)],
	rows.map(r => [rowName(r), fromMedian(r), { t: strip(r, x), v: r.max_ns || 0 },
		...['p50', 'p99', 'p99.9'].map(q => quantileCell(r[q])), timeCell(r.max_ns),
		ofBudget(r), countCell(r.violations, true), countCell(r.missed, true),
		countCell(r.windows), quantileCell(r.wake), r.cause, ...more.map(k => r[k])]));
}

/** Many results, a row each. */
pages.rows = ({ many: { rows, says } }) => {
	const more = ['setting', 'host', 'kernel'].filter(key =>
		rows.some(r => r[key] !== rows[0][key]));
	const mixed = more.includes('setting');
	const [from, to] = timeRange(rows.flatMap(r => [r.p50, r.budget_ns, r.max_ns])
		.filter(v => typeof v === 'number'));

	return [heading(`${rows.length + says.left_out} results`,
		!mixed && rows[0] && rows[0].setting, 1), verdict(says),
	mixed && paragraph('They differ in work, period or budget: each is compared with results ' +
		'of its own setting.'),
	rowTable(rows, scale(from, to, 4, 216, true), more),
	says.left_out > 0 && paragraph(`${says.left_out} more results are not shown.`),
	paragraph('From p50 over p99 and p99.9 to the maximum, from ' +
		`${time(from)} to ${time(to)}; the dashed line is the budget.`, 'dim'),
	paragraph('Against the median: of the results of the same work, period and budget, at ' +
		`the last quantile that all of them have. ${says.outlier} –: too few windows for ` +
		'the quantile, or not measured.', 'dim')];
};
