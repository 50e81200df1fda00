/** The style of the page at /api/docs. */
export const STYLE = `
:root { --ground: #fbfaf8; --sheet: #fff; --ink: #24211d; --soft: #6a635b; --line: #e6e1da; --ember: #ae4217;
  --get: #2b6685; --post: #37703a; --put: #7c5a0c; --patch: #7c5a0c; --delete: #a83232; --head: #6a635b;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #1a1816; --sheet: #22201d; --ink: #e9e4dd; --soft: #a89f94; --line: #37332e; --ember: #ec7f4f;
    --get: #74b6d6; --post: #82c182; --put: #d9ae50; --patch: #d9ae50; --delete: #e88080; --head: #a89f94; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 5rem; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
  display: grid; grid-template: auto 1fr / 17rem minmax(0, 1fr); min-height: 100vh; }
a { color: var(--ember); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--ember); outline-offset: 2px; }
header { grid-column: 1 / -1; position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center;
  gap: .5rem 1.25rem; padding: .75rem 1.5rem; background: var(--ground); border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 1.15rem; color: var(--ember); }
h1 span { color: var(--soft); font-weight: 400; }
#filter { flex: 1 1 16rem; max-width: 34rem; min-width: 0; padding: .45rem .8rem; font: inherit; color: inherit; background: var(--sheet);
  border: 1px solid var(--line); border-radius: .5rem; }
#count { margin: 0; color: var(--soft); font-variant-numeric: tabular-nums; }
nav { position: sticky; top: 4rem; align-self: start; max-height: calc(100vh - 4rem); overflow: auto; padding: .5rem 0 1rem 1.5rem; }
nav summary { display: none; cursor: pointer; }
nav h2 { margin: .8rem .6rem .2rem; font-size: .78rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); }
nav a { display: flex; justify-content: space-between; gap: .5rem; padding: .1rem .6rem; color: var(--ink); border-radius: .35rem; }
nav a:hover { background: var(--sheet); text-decoration: none; }
nav a span { color: var(--soft); font-variant-numeric: tabular-nums; }
main { padding: 1rem 1.5rem 4rem; max-width: 76rem; }
main h2 { margin: 2.2rem 0 .5rem; font-size: 1.3rem; }
#introduction { max-width: 46rem; }
h3 { margin: 1.5rem 0 .2rem; font-size: 1.05rem; }
h3 a { color: inherit; }
h4 { margin: 1.2rem 0 .3rem; font-size: .78rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); }
.text { margin: .3rem 0; max-width: 46rem; }
section > .text { color: var(--soft); }
.endpoint { background: var(--sheet); border: 1px solid var(--line); border-radius: .5rem; margin: .35rem 0; }
.endpoint > summary { display: flex; flex-wrap: wrap; gap: .1rem .8rem; align-items: baseline; padding: .45rem .8rem; cursor: pointer; list-style: none; }
.endpoint > summary::-webkit-details-marker { display: none; }
.method { flex: none; width: 4.2rem; font: 600 .82rem var(--mono); }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); }
.patch { color: var(--patch); } .delete { color: var(--delete); } .head { color: var(--head); }
.path { font: .9rem var(--mono); overflow-wrap: anywhere; }
.path b { color: var(--ember); font-weight: 400; }
.what { margin-left: auto; color: var(--soft); }
.inside { padding: .5rem 1rem 1rem; border-top: 1px solid var(--line); }
.links { margin: .6rem 0 0; }
button { font: inherit; font-size: .85rem; color: var(--ink); background: var(--ground); border: 1px solid var(--line); border-radius: .35rem; padding: .1rem .5rem; cursor: pointer; }
button:hover { border-color: var(--ember); }
.code { position: relative; }
.code button { position: absolute; top: .45rem; right: .45rem; }
.scroll { overflow-x: auto; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th { padding: .2rem .9rem .2rem 0; text-align: left; font-weight: 600; font-size: .85rem; color: var(--soft); }
td { padding: .2rem .9rem .2rem 0; vertical-align: top; border-top: 1px solid var(--line); }
code, pre { font: .86rem/1.5 var(--mono); }
td code { overflow-wrap: anywhere; }
td:first-child code { white-space: nowrap; }
.line { display: block; }
pre { margin: .2rem 0; padding: .6rem .8rem; max-height: 28rem; background: var(--ground); border-radius: .4rem; overflow: auto; }
.fields > summary { margin: .5rem 0; cursor: pointer; color: var(--ember); }
.soft { color: var(--soft); }
[hidden] { display: none !important; }
@media (max-width: 50rem) {
  body { grid-template: auto auto 1fr / minmax(0, 1fr); }
  header { padding: .6rem 1rem; gap: .3rem 1rem; }
  nav { position: static; max-height: none; padding: .5rem 1rem; border-bottom: 1px solid var(--line); }
  nav summary { display: list-item; }
  main { padding: .5rem 1rem 3rem; }
  .what { margin-left: 0; flex-basis: 100%; }
  html { scroll-padding-top: 7.5rem; }
  thead { display: none; }
  table, tbody, tr, td:last-child { display: block; padding-right: 0; }
  td:first-child code { white-space: normal; }
  td { display: inline-block; border: 0; }
  tr { padding: .4rem 0; border-top: 1px solid var(--line); } }
`;
