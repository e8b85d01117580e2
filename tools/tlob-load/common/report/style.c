// SPDX-License-Identifier: GPL-2.0
/* The style sheet and the script of every page. */
#include <errno.h>

#include "report/pieces.h"
#include "util/markup.h"

static const char page_head[] =
"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
"<meta name=\"color-scheme\" content=\"light dark\">\n"
"<style>\n"
":root{--bg:#fff;--fg:#1a1a1a;--dim:#666;--line:#ddd;--card:#f6f6f6;--good:#00734f;--bad:#b03000;--unsure:#8a6100;--heat:#1d4fa0;--wake:#4656c8}\n"
"@media screen and (prefers-color-scheme:dark){:root{--bg:#16181c;--fg:#e8e8e8;--dim:#a0a0a0;--line:#3a3d42;--card:#202328;--good:#35c493;--bad:#ff8a5c;--unsure:#e3b341;--heat:#7fb0ff;--wake:#9aa7ff}}\n"
"*{box-sizing:border-box}\n"
"body{font:15px/1.45 sans-serif;background:var(--bg);color:var(--fg);max-width:1200px;margin:0 auto;padding:1rem}\n"
"h1{font-size:1.1rem;margin:0 0 .6rem;overflow-wrap:anywhere}h2{font-size:1rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}\n"
".verdict{font-size:1.5rem;font-weight:600;margin:.2rem 0;overflow-wrap:anywhere}.good{color:var(--good)}.bad{color:var(--bad)}.unsure{color:var(--unsure)}\n"
".next{background:var(--card);padding:.4rem .6rem;overflow-wrap:anywhere}\n"
".dim{color:var(--dim)}p{margin:.4rem 0}abbr{text-decoration-color:var(--line)}\n"
".wide{overflow-x:auto;padding-bottom:.3rem}table{border-collapse:collapse;font-variant-numeric:tabular-nums;white-space:nowrap}td.prose{white-space:normal}.advice td.prose{overflow-wrap:anywhere;min-width:9rem}\n"
"th,td{text-align:right;padding:.15rem .6rem;border-bottom:1px solid var(--line)}th{color:var(--dim);font-weight:500}\n"
"th:first-child,td:first-child,.l{text-align:left}td.w{width:30%;min-width:180px}.phases:not(.stack) td.w{width:8%;min-width:90px}.phases:not(.stack) td.prose{min-width:11rem}\n"
".bar{display:flex;height:1.1rem;width:100%;background:var(--card)}.bar i{display:block;height:100%}\n"
".big .bar{height:2rem}.key{display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin:.4rem 0}.key b{font-weight:500}\n"
".key s,s.part{display:inline-block;width:.8rem;height:.8rem;margin-right:.35rem;vertical-align:-1px}\n"
".phase{display:flex;font-size:.85rem;color:var(--dim)}.phase span{overflow:hidden;white-space:nowrap;border-left:1px solid var(--dim);padding-left:3px}.phase .narrow:last-child{overflow:visible;border:0;display:flex;justify-content:flex-end}\n"
".spans{margin:.6rem 0}.spans summary{cursor:pointer}.spans summary .bar{height:1.4rem}\n"
"dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:0}dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}\n"
"svg.plot{width:100%;height:auto;display:block;font:13px sans-serif}svg text{fill:var(--fg)}\n"
".grid{stroke:var(--line);stroke-width:.7}.axis{stroke:var(--dim);fill:none}.line{fill:none;stroke-width:1.6}.off{opacity:.12}\n"
".mark{stroke:var(--bad);stroke-width:1.2;stroke-dasharray:5 4}text.mark{fill:var(--bad);stroke:var(--bg);stroke-width:4;stroke-dasharray:none;stroke-linejoin:round;paint-order:stroke}\n"
"svg.flame{width:100%;min-width:700px;height:auto;display:block}\n"
"svg.sample{width:28px;height:10px;margin-right:.35rem}\n"
/* Okabe and Ito's palette, which colour-blind people can distinguish. */
".c0{stroke:#0072b2}.c1{stroke:#d55e00}.c2{stroke:#009e73}.c3{stroke:#cc79a7}.c4{stroke:#e69f00}.c5{stroke:#56b4e9}.c6{stroke:#8a6d3b}.c7{stroke:#8b5fbf}\n"
".cpus{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:.6rem;margin:.6rem 0}.cpus.few{grid-template-columns:repeat(auto-fill,minmax(260px,1fr))}.cpus div{overflow-wrap:anywhere;break-inside:avoid;font-size:.85rem}\n"
"svg.cpu{width:100%;height:auto;display:block;font:22px sans-serif}svg.cpu .line{stroke-width:3}svg.cpu .of-all{stroke-width:5}.of-all{stroke:var(--line);stroke-width:4}\n"
".irq{stroke:var(--dim);stroke-dasharray:2 3}.wake{stroke:var(--wake)}.response{stroke:var(--fg);stroke-width:2.2}\n"
".dash0{stroke-dasharray:2 3}.dash1{stroke-dasharray:7 4}\n"
".dot{fill:var(--wake)}.dot.bad{fill:var(--bad)}.dot.effect{fill:var(--fg)}.dot.far{fill:none;stroke:var(--wake);stroke-width:2}.beyond{fill:var(--fg);fill-opacity:.5}.interval{stroke:var(--fg);stroke-width:9;stroke-opacity:.35}.whisker{stroke:var(--wake);stroke-width:2;stroke-opacity:.5}\n"
"body:has(svg.strip){max-width:none}svg.strip{width:220px;height:16px;display:block}.end{stroke:var(--wake);stroke-width:2}\n"
".bar i.up{border-left:1px solid var(--fg)}.bar i.down{border-right:1px solid var(--fg)}\n"
"rect,.cells{fill:var(--heat)}rect.late{fill:var(--bad)}\n"
".h1{fill-opacity:.1}.h2{fill-opacity:.2}.h3{fill-opacity:.31}.h4{fill-opacity:.42}.h5{fill-opacity:.53}.h6{fill-opacity:.64}.h7{fill-opacity:.76}.h8{fill-opacity:.88}\n"
"#tip{position:fixed;pointer-events:none;background:var(--card);border:1px solid var(--line);padding:.3rem .5rem;font-size:.85rem;white-space:pre;z-index:1}\n"
"button{font:inherit;background:var(--card);color:var(--fg);border:1px solid var(--line);padding:.2rem .6rem;cursor:pointer}\n"
".js .key span{cursor:pointer}html:not(.js) .script{display:none}\n"
"@media(max-width:600px){dl{grid-template-columns:1fr}dt{margin-top:.4rem}.verdict{font-size:1.2rem}svg.plot{font-size:16px}.scroll{overflow-x:auto}}\n"
/* A table that is wider than the screen: a block for each row, a name above each value. */
"@media screen{.stack table,.stack tbody{display:block;white-space:normal}.stack tr{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));border-bottom:1px solid var(--line);padding:.3rem 0}\n"
".stack tr.names{display:none}.stack td{display:block;text-align:left;border:0;padding:.1rem .6rem .1rem 0;width:auto;min-width:0;overflow-wrap:anywhere}.stack td.w,.stack td:first-child,.stack td.prose{grid-column:1/-1}\n"
".stack svg.strip{width:100%}.stack td:not(:empty)::before{content:attr(data-name);display:block;color:var(--dim);font-size:.8rem}.stack td:first-child{font-weight:600}}\n"
/* Paper does not scroll: tables get smaller and wrap. Bars and dots keep their colours. */
"@media print{*{print-color-adjust:exact;-webkit-print-color-adjust:exact}.script{display:none}body{font-size:12px;padding:0}.verdict{font-size:1.2rem}\n"
"h1,h2,p:has(+.scroll),p:has(+.wide){break-after:avoid}svg,tr,.key,.next,.big,.spans summary{break-inside:avoid}\n"
".wide,.scroll{overflow:visible}table{font-size:9px;white-space:normal}.l,td:first-child{overflow-wrap:anywhere}th,td{padding:.1rem .25rem}td.w{width:22%;min-width:70px}svg.strip{width:110px;height:auto}}\n"
"</style>\n";

/*
 * The page is whole without it. It shows values under the pointer, hides curves by a
 * click on their legend, and copies the Markdown.
 */
static const char page_script[] =
"<script>\n"
"'use strict';\n"
"document.documentElement.classList.add('js');\n"
"const tip = document.createElement('div');\n"
"tip.id = 'tip'; tip.hidden = true; document.body.append(tip);\n"
"const time = ns => { for (const [u, n] of [['s', 1e9], ['ms', 1e6], ['us', 1e3]])\n"
"  if (Math.abs(ns) >= n) return Number((ns / n).toPrecision(3)) + u; return Math.round(ns) + 'ns'; };\n"
"/* where a share of an axis lies: data-x and data-y have from, to, and 1 if logarithmic */\n"
"const at = (axis, share) => { const [from, to, log] = axis.split(' ').map(Number);\n"
"  return log ? from * (to / from) ** share : from + share * (to - from); };\n"
"const words = {\n"
"  samples: (x, y) => time(y),\n"
"  quantiles: (x, y) => time(x) + ': p' + Number((100 * (1 - y)).toPrecision(6)),\n"
"  windows: (x, y) => time(x) + ': ' + (y < 1 ? 0 : Number(y.toPrecision(3))) + ' windows',\n"
"  shift: (x, y) => 'p' + Number((100 * (1 - x)).toPrecision(6)) + ': ' + (y > 0 ? '+' : '') + time(y) };\n"
"const show = (e, text) => {\n"
"  tip.textContent = text; tip.hidden = !text;\n"
"  tip.style.left = Math.max(0, Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 4)) + 'px';\n"
"  tip.style.top = Math.min(e.clientY + 14, innerHeight - tip.offsetHeight - 4) + 'px'; };\n"
"for (const svg of document.querySelectorAll('svg[data-kind]')) {\n"
"  const box = svg.viewBox.baseVal, lines = [...svg.querySelectorAll('polyline')];\n"
"  const points = lines.map(l => l.getAttribute('points').trim().split(' ').map(p => p.split(',').map(Number)));\n"
"  const [left, right, top, bottom] = svg.dataset.area.split(' ').map(Number);\n"
"  svg.addEventListener('pointermove', e => {\n"
"    const r = svg.getBoundingClientRect(), x = (e.clientX - r.left) * box.width / r.width;\n"
"    const text = lines.map((l, i) => {\n"
"      const p = points[i].filter(p => p[0] <= x).pop();\n"
"      return p && !l.classList.contains('off') ? l.dataset.name + ' ' + words[svg.dataset.kind](\n"
"        at(svg.dataset.x, (x - left) / (right - left)), at(svg.dataset.y, (bottom - p[1]) / (bottom - top))) : ''; });\n"
"    show(e, x < left || x > right ? '' : text.filter(t => t).join('\\n')); });\n"
"  svg.addEventListener('pointerleave', () => { tip.hidden = true; });\n"
"  const key = svg.parentElement.nextElementSibling;\n"
"  if (key && key.classList.contains('key'))\n"
"    [...key.children].forEach((span, i) => span.addEventListener('click', () => {\n"
"      span.classList.toggle('off'); lines[i].classList.toggle('off'); })); }\n"
"for (const svg of document.querySelectorAll('svg[data-cells]')) {\n"
"  const [left, right, top, bottom] = svg.dataset.cells.split(' ').map(Number), edges = svg.dataset.edges.split(' ');\n"
"  const names = svg.dataset.names.split('\\n'), windows = svg.dataset.windows.split(' '), rows = edges.length - 1;\n"
"  svg.addEventListener('pointermove', e => {\n"
"    const r = svg.getBoundingClientRect(), box = svg.viewBox.baseVal;\n"
"    const column = Math.floor(((e.clientX - r.left) * box.width / r.width - left) / (right - left) * names.length);\n"
"    const row = Math.floor((bottom - (e.clientY - r.top) * box.height / r.height) / (bottom - top) * rows);\n"
"    const n = column >= 0 && row >= 0 && column < names.length && row < rows ? windows[column * rows + row] : '';\n"
"    show(e, n && `${names[column]}: ${n} windows, ${svg.dataset.metric} from ${edges[row]} to ${edges[row + 1]}`); });\n"
"  svg.addEventListener('pointerleave', () => { tip.hidden = true; }); }\n"
"const tables = [...document.querySelectorAll('.wide')];\n"
"for (const t of tables) {\n"
"  const rows = [...t.querySelectorAll('tr')], names = [...rows[0].cells].map(c => c.innerText);\n"
"  if (!rows[0].querySelector('td')) rows[0].classList.add('names');\n"
"  rows.slice(1).forEach(r => [...r.cells].forEach((c, i) => { c.dataset.name = names[i] || ''; })); }\n"
"const fit = () => tables.forEach(t => {\n"
"  t.classList.remove('stack');\n"
"  t.classList.toggle('stack', t.scrollWidth > t.clientWidth); });\n"
"fit(); addEventListener('resize', fit);\n"
"/* lists of spans: the first is open; on paper those that were open without a script */\n"
"const spans = [...document.querySelectorAll('details.spans')], open = spans.map(d => d.open);\n"
"spans.slice(1).forEach(d => { d.open = false; });\n"
"spans.forEach(d => {\n"
"  const rows = [...d.querySelectorAll('tr')].slice(1), text = (r, i) => r.cells[i].textContent.trim();\n"
"  d.querySelectorAll('.bar i').forEach((p, i) => {\n"
"    p.title = `at ${text(rows[i], 0)}us for ${text(rows[i], 1)}us: ${text(rows[i], 2)} ${text(rows[i], 3)}`; });\n"
"  d.addEventListener('toggle', fit); });\n"
"let opened = [];\n"
"addEventListener('beforeprint', () => { opened = spans.map(d => d.open); spans.forEach((d, i) => { d.open = d.open || open[i]; }); });\n"
"addEventListener('afterprint', () => spans.forEach((d, i) => { d.open = opened[i]; }));\n"
"const copy = document.getElementById('copy');\n"
"if (copy) copy.addEventListener('click', async () => {\n"
"  const text = document.getElementById('markdown').textContent;\n"
"  try { await navigator.clipboard.writeText(text); copy.textContent = 'Copied'; }\n"
"  catch { prompt('Copy this:', text); } });\n"
"</script>\n";

void html_begin(FILE *f, const char *title)
{
	fputs(page_head, f);
	markup(f, "<title>tlob-load: %s</title>\n</head>\n<body>\n", title);
}

int html_end(FILE *f, int err)
{
	fprintf(f, "%s</body>\n</html>\n", page_script);
	return err ? err : ferror(f) ? -EIO : 0;
}
