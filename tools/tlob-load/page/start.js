// SPDX-License-Identifier: GPL-2.0
/* Begins to draw. */

/** A button that copies a text; where that is not allowed, the text to copy. */
function copyButton(text) {
	const copy = async e => {
		const button = e.currentTarget;

		try {
			await navigator.clipboard.writeText(text);
			button.textContent = 'Copied';
		} catch {
			prompt('Copy this:', text);
		}
	};

	return el('p', { class: 'script' },
		el('button', { id: 'copy', click: copy }, 'Copy as Markdown'));
}

/** Drawings get the width of the page. A wider table gets smaller, or a block for each row. */
function fit() {
	for (const t of document.querySelectorAll('.wide')) {
		t.classList.remove('tight', 'stack');
		for (const how of ['tight', 'stack'])
			if (t.scrollWidth > t.clientWidth + 1)
				t.classList.replace('tight', how) || t.classList.add(how);
	}
	fitPlots();
}

/* The width of A4 without its margins, in px. */
const PAPER = 718;

/** Opens what is closed, because paper cannot, and draws for its width. */
function beforePrint() {
	document.querySelectorAll('details').forEach(d => {
		d.open = true;
	});
	fitPlots(PAPER);
}

/** Draws the page of the kind that the data has. */
function start() {
	D = JSON.parse(document.getElementById('data').textContent);
	document.body.classList.add(D.kind);
	document.body.append(el('main', null, pages[D.kind](D),
		D.markdown && copyButton(D.markdown)), makeTip());
	fit();
	addEventListener('resize', fit);
	addEventListener('beforeprint', beforePrint);
	addEventListener('afterprint', fit);
}

if (typeof module !== 'undefined')
	module.exports = { time, count, percent, change, signed, quantile, stepLower, steps,
		outline, since, tail, tailAt, scale, ticks, wholeTicks, timeRange, sortKey, inOrder,
		flameTree, flameBoxes, flameNext, meanParts, windowParts, within, cut, nearest,
		between, octave, coarse, pairEffect, effectRange };
else
	start();
