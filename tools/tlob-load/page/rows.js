// SPDX-License-Identifier: GPL-2.0
/* The page of many results: a row for each. */

function strip(row, x) {
	const q = ['p50', 'p99', 'p99.9'].map(n => row[n]).filter(v => typeof v === 'number');

	if (row.max_ns === undefined || !q.length)
		return '';
	const at = v => x.at(v).toFixed(1);

	return sv('svg', { class: 'strip', viewBox: '0 0 220 16' }, sv('title', null,
		`p50 ${time(q[0])}, max ${time(row.max_ns)}, budget ${time(row.budget_ns)}`),
		sv('path', { class: 'whisker', d: `M${at(q[0])} 8H${at(row.max_ns)}` }),
			sv('path', { class: 'mark', d: `M${at(row.budget_ns)} 0V16` }),
		q.map((v, i) => sv('circle', { class: 'dot', cx: at(v), cy: 8, r: i ? 3 : 4 })),
			sv('path', { class: 'end', d: `M${at(row.max_ns)} 3V13` }));
}

function ofBudget(row) {
	const times = row.max_ns / row.budget_ns, late = row.violations || row.missed;

	return isFinite(times) ? { t: times < 10 ? percent(times) : times < 999.5
		? `${Number(times.toPrecision(3))} ×` : '> 999 ×', v: times, c: late ? 'bad' : '' }
		: '–';
}

pages.rows = d => {
	const m = d.many, rows = m.rows, differ = key => rows.some(r => r[key] !== rows[0][key]);
	const [from, to] = timeRange(rows.flatMap(r => [r.p50, r.budget_ns, r.max_ns])
		.filter(v => typeof v === 'number')), x = scale(from, to, 4, 216, true);
	const more = ['setting', 'host', 'kernel'].filter(differ);

	return [heading(`${rows.length + m.says.left_out} results`, differ('setting') ? null
		: rows[0] && rows[0].setting, 1), verdict(m.says),
		differ('setting')
			? paragraph(
			'They differ in work, period or budget: each is compared with results of its own setting.') : null,
		table(['result', 'against the median', { t: 'response, p50 to max', l: 1 }, 'p50',
			'p99', 'p99.9', 'max', 'of the budget', 'violations', 'missed', 'windows',
			'wake p99.9', { t: 'worst window', l: 1 }, ...more.map(t => ({ t, l: 1 }))],
			rows.map(r => [{ t: el('span', null, r.name, r.said ? el('span',
				{ class: r.failed ? 'bad' : 'unsure' }, ' ' + r.said) : null,
				r.doubt ? el('span', { class: 'unsure' }, ' ' + r.doubt) : null),
				v: r.name },
				r.from_median === 'missed' ? { t: 'missed', v: Infinity,
					c: r.outlier ? 'bad' : '' } : r.from_median === undefined
					? '–' : { t: change(r.from_median), v: r.from_median,
					c: r.outlier ? 'bad' : '' },
				{ t: strip(r, x), v: r.max_ns || 0 }, quantileCell(r.p50),
					quantileCell(r.p99), quantileCell(r['p99.9']),
					timeCell(r.max_ns), ofBudget(r), countCell(r.violations,
					true), countCell(r.missed, true), countCell(r.windows),
				quantileCell(r.wake), r.cause || '–', ...more.map(k => r[k])])),
		m.says.left_out ? paragraph(`${m.says.left_out} more results are not shown.`)
			: null,
		paragraph(`From p50 over p99 and p99.9 to the maximum, from ${time(from)} to ${time(to)}; the dashed line is the budget.`, 'dim'),
		paragraph('Against the median: of the results of the same work, period and budget, at the last quantile that all of them have. ' + m.says.outlier + ' –: too few windows for the quantile, or not measured.', 'dim')];
};
