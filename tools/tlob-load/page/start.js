// SPDX-License-Identifier: GPL-2.0
/* Begins to draw. */

function copyButton(text) {
	const b = el('button', { id: 'copy', click: async () => {
		try { await navigator.clipboard.writeText(text); b.textContent = 'Copied';
			} catch { prompt('Copy this:', text); } } }, 'Copy as Markdown');

	return el('p', { class: 'script' }, b);
}

/** A table that is wider than the screen gets smaller, or a block for each row, with a name above each value. */
function fit() {
	for (const t of document.querySelectorAll('.wide')) {
		t.classList.remove('tight', 'stack');
		for (const how of ['tight', 'stack'])
			if (t.scrollWidth > t.clientWidth + 1)
				t.classList.replace('tight', how) || t.classList.add(how);
	}
	drawings.forEach(d => d());
}

function start() {
	D = JSON.parse(document.getElementById('data').textContent);
	tip.node = el('div', { id: 'tip', role: 'status', 'aria-live': 'polite', hidden: '' });
	const main = el('main', null, pages[D.kind](D), D.markdown ? copyButton(D.markdown) : null);

	document.body.classList.add(D.kind);
	document.body.append(main, tip.node);
	fit();
	addEventListener('resize', fit);
	addEventListener('beforeprint', () => {
		document.querySelectorAll('details').forEach(d => { d.open = true; });
		fit();
	});
}

if (typeof module !== 'undefined')
	module.exports = { time, count, percent, change, signed, quantile, stepLower, steps,
		outline, since, tail, tailAt, scale, ticks, pairEffect, effectRange, timeRange,
		sortKey, inOrder, flameTree, meanParts, windowParts, cut, nearest, octave, coarse };
else
	start();
