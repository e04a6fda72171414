/** The style of the documentation, in the colours of the console. */
import { languageStyle } from './write-code.ts';

export const DOCS_STYLE = `
:root {
  color-scheme: light dark; font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans KR", sans-serif;
  --ground: light-dark(#ffffff, #101412); --well: light-dark(#f4f6f4, #181d1a); --line: light-dark(#e0e4df, #2a312d);
  --text: light-dark(#1a201d, #e7ece8); --muted: light-dark(#57615b, #a0aba4);
  --accent: light-dark(#0b6b4f, #63d2a8); --tint: light-dark(#e6f2ec, #1d2f28); --danger: light-dark(#9f2a1e, #ffa598);
  --code: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "Liberation Mono", monospace;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; }
body { margin: 0; background: var(--ground); color: var(--text); }
a { color: var(--accent); }
h1 { margin: 0 0 .5rem; font-size: 1.8rem; line-height: 1.2; }
h2 { margin: 0 0 .25rem; font-size: 1.35rem; line-height: 1.3; }
h2 a { color: inherit; text-decoration: none; }
h2 a:hover { text-decoration: underline; }
h3 { margin: 1.25rem 0 .5rem; font-size: 1rem; }
p { margin: .5rem 0; max-width: 46rem; }
code, pre, textarea { font-family: var(--code); font-size: .875em; overflow-wrap: anywhere; }
pre { margin: .5rem 0; padding: .75rem 1rem; overflow: auto; max-height: 32rem; border: 1px solid var(--line); border-radius: 8px; background: var(--well); line-height: 1.5; }
pre code { font-size: inherit; overflow-wrap: normal; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: .5rem; top: .5rem; z-index: 3; padding: .5rem 1rem; background: var(--ground); }
header { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: center; padding: .6rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--ground); }
.home { color: inherit; font-weight: 650; text-decoration: none; }
.languages { display: flex; gap: .25rem; align-items: center; margin: 0; padding: 0; border: 0; font-size: .875rem; }
.languages legend { float: left; margin-right: .5rem; padding: 0; color: var(--muted); }
.languages label { padding: .2rem .6rem; border: 1px solid transparent; border-radius: 999px; cursor: pointer; }
.languages label:has(:checked) { border-color: var(--line); background: var(--tint); }
.languages label:has(:focus-visible) { outline: 2px solid var(--accent); }
.languages input { position: absolute; opacity: 0; }
.columns { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 2rem; max-width: 96rem; margin: 0 auto; padding: 1.25rem; }
main { min-width: 0; grid-column: 2; grid-row: 1; }
nav { grid-column: 1; grid-row: 1; position: sticky; top: 4rem; align-self: start; max-height: calc(100vh - 5rem); overflow: auto; font-size: .9rem; }
.to-pages { display: none; }
nav p { margin: 1rem 0 .25rem; color: var(--muted); font-size: .8rem; font-weight: 600; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { display: inline-block; padding: .15rem .5rem; border-radius: 6px; color: inherit; text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav a[aria-current] { background: var(--tint); color: var(--accent); font-weight: 600; }
.operation { margin: 2rem 0; padding-top: 1.5rem; border-top: 1px solid var(--line); }
.path { margin: 0 0 .75rem; }
.method { font: 600 .8rem var(--code); color: var(--accent); }
.method.delete { color: var(--danger); }
.credential, .facts { color: var(--muted); font-size: .9rem; }
.fields { margin: .25rem 0; padding: 0; list-style: none; }
.fields > li { padding: .5rem 0; border-top: 1px solid var(--line); }
.fields > li > p { margin: .15rem 0; }
.field { display: flex; flex-wrap: wrap; gap: 0 .75rem; align-items: baseline; }
.name { font-weight: 600; }
.type { color: var(--muted); font-size: .85rem; }
.required { color: var(--danger); font-size: .8rem; }
.fields details { margin-left: .75rem; padding-left: .75rem; border-left: 2px solid var(--line); }
summary { cursor: pointer; }
.fields summary { color: var(--muted); font-size: .875rem; }
.fields summary code { color: var(--text); }
.shape, .trial, .answer { margin: .75rem 0; }
.shape > summary, .trial summary, .answer > summary { font-weight: 600; }
.block { position: relative; }
.copy { position: absolute; top: .5rem; right: .5rem; }
button { padding: .3rem .8rem; border: 1px solid var(--line); border-radius: 6px; background: var(--ground); color: inherit; font: inherit; font-size: .85rem; cursor: pointer; }
.trial label { display: block; margin: .5rem 0; color: var(--muted); font-size: .85rem; }
.trial input, .trial textarea, .filter input { display: block; width: 100%; max-width: 46rem; padding: .4rem .6rem; border: 1px solid var(--line); border-radius: 6px; background: var(--ground); color: var(--text); font-size: .9rem; }
.trial output { display: block; margin-top: .5rem; color: var(--muted); }
.index { margin: 0; padding: 0; list-style: none; }
.index li { display: grid; grid-template-columns: minmax(0, 24rem) minmax(0, 1fr); gap: 0 1rem; padding: .3rem 0; border-top: 1px solid var(--line); }
.index a { text-decoration: none; }
.index a:hover { text-decoration: underline; }
@media (min-width: 76rem) {
  .operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2rem; }
  .examples { grid-column: 2; grid-row: 1 / span 2; }
}
@media (max-width: 50rem) {
  .columns { grid-template-columns: minmax(0, 1fr); gap: 1rem; padding: 1rem; }
  main, nav { grid-column: 1; grid-row: auto; }
  nav { position: static; max-height: none; border-top: 1px solid var(--line); }
  nav a { padding: .4rem .5rem; }
  .to-pages { display: inline; }
  .index li { grid-template-columns: minmax(0, 1fr); }
  .fields details { margin-left: 0; }
}
@media print { header, nav, .trial { display: none; } }
${languageStyle()}
`;
