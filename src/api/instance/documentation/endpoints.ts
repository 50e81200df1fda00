import { createHash, hash } from 'node:crypto';
import { Type } from 'typebox';
import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { html, type StreamReply, streamWith } from '#http/endpoint/responses.ts';
import type { Services } from '#http/services.ts';
import { BUILD } from '#runtime/build.ts';
import { createYielder } from '#runtime/yielding.ts';
import { SCRIPT } from './page-script.ts';

/** The style of the page at /api/docs. */
const STYLE = `
:root { --ground: #fbfaf8; --sheet: #fff; --ink: #24211d; --soft: #6f6860; --line: #e6e1da; --ember: #b8471b;
  --get: #2f6f8f; --post: #3d7a3d; --put: #8a6410; --patch: #8a6410; --delete: #a83232; --head: #6f6860;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #1a1816; --sheet: #22201d; --ink: #e9e4dd; --soft: #a0978c; --line: #37332e; --ember: #ec7f4f;
    --get: #74b6d6; --post: #82c182; --put: #d9ae50; --patch: #d9ae50; --delete: #e88080; --head: #a0978c; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 5rem; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
  display: grid; grid-template: auto 1fr / 15rem minmax(0, 1fr); min-height: 100vh; }
a { color: var(--ember); text-decoration: none; }
a:hover { text-decoration: underline; }
header { grid-column: 1 / -1; position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center;
  gap: .5rem 1.25rem; padding: .75rem 1.5rem; background: var(--ground); border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 1.15rem; color: var(--ember); }
h1 span { color: var(--soft); font-weight: 400; }
#filter { flex: 1 1 16rem; max-width: 34rem; padding: .45rem .8rem; font: inherit; color: inherit; background: var(--sheet);
  border: 1px solid var(--line); border-radius: .5rem; }
#filter:focus-visible, summary:focus-visible, a:focus-visible { outline: 2px solid var(--ember); outline-offset: 2px; }
#count { margin: 0; color: var(--soft); font-variant-numeric: tabular-nums; }
nav { position: sticky; top: 4rem; align-self: start; max-height: calc(100vh - 4rem); overflow: auto; padding: 1rem 0 1rem 1.5rem; }
nav a { display: flex; justify-content: space-between; padding: .1rem .6rem; color: var(--ink); border-radius: .35rem; }
nav a:hover { background: var(--sheet); text-decoration: none; }
nav a span { color: var(--soft); font-variant-numeric: tabular-nums; }
main { padding: 1rem 1.5rem 4rem; max-width: 76rem; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1.05rem; }
h2:first-child { margin-top: 0; }
h3 { margin: 1rem 0 .3rem; font-size: .78rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); }
.endpoint { background: var(--sheet); border: 1px solid var(--line); border-radius: .5rem; margin: .35rem 0; }
.endpoint > summary { display: flex; flex-wrap: wrap; gap: .1rem .8rem; align-items: baseline; padding: .45rem .8rem; cursor: pointer; list-style: none; }
.endpoint > summary::-webkit-details-marker { display: none; }
.method { flex: none; width: 4.2rem; font: 600 .82rem var(--mono); }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); }
.patch { color: var(--patch); } .delete { color: var(--delete); } .head { color: var(--head); }
.path { font: .9rem var(--mono); overflow-wrap: anywhere; }
.path b { color: var(--ember); font-weight: 400; }
.what { margin-left: auto; color: var(--soft); }
.inside { padding: 0 1rem 1rem; border-top: 1px solid var(--line); overflow-x: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .8rem 0 0; }
dt { color: var(--soft); }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; }
td { padding: .2rem .9rem .2rem 0; vertical-align: top; border-top: 1px solid var(--line); }
tr:first-child td { border-top: 0; }
code, pre { font: .86rem/1.5 var(--mono); }
pre { margin: .2rem 0; padding: .6rem .8rem; background: var(--ground); border-radius: .4rem; overflow-x: auto; }
.soft { color: var(--soft); }
[hidden] { display: none !important; }
@media (max-width: 50rem) { body { grid-template-columns: minmax(0, 1fr); } nav { display: none; } .what { margin-left: 0; flex-basis: 100%; } }
`;

/** The page at /api/docs. It renders openapi.json without external resources, so it works offline. */

const BODY = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Hearth API</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Hearth <span>API v4</span></h1>
<input id="filter" type="search" placeholder="Filter by path, name or text" aria-label="Filter" autocomplete="off" spellcheck="false">
<p id="count" role="status">Loading</p>
<a href="v4/openapi.json">openapi.json</a>
</header>
<nav id="tags" aria-label="Families"></nav>
<main id="endpoints"></main>
<noscript>This page needs its own script; the document itself is <a href="v4/openapi.json">openapi.json</a>.</noscript>
<script>${SCRIPT}</script>
</body>
</html>
`;

const toCspSource = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Allows only the script and style of the page itself. */
const POLICY = [
  "default-src 'none'",
  `script-src ${toCspSource(SCRIPT)}`,
  `style-src ${toCspSource(STYLE)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

const DOCUMENTATION_PAGE = { headers: { 'Content-Security-Policy': POLICY }, body: BODY };

interface DocumentTemplate {
  /** The document with a placeholder in place of the server's URL. */
  readonly text: string;
  /** SHA-1 of the text, in hex. */
  readonly hash: string;
}

type DescribeApi = Services['describeApi'];

const URL_PLACEHOLDER = 'https://server.invalid';

/** Cached because building the document takes a tenth of a second, and anonymous callers may request it. */
const cachedTemplates = new WeakMap<DescribeApi, Promise<DocumentTemplate>>();

/** Returns the reply with the OpenAPI document of a server at this URL, with an ETag. */
async function buildDocumentReply(describeApi: DescribeApi, url: string): Promise<StreamReply> {
  const template = await getTemplate(describeApi);
  const escapedUrl = JSON.stringify(url).slice(1, -1);
  return {
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'max-age=0, private, must-revalidate',
      ETag: `W/"${hash('sha1', `${template.hash} ${url}`)}"`,
    },
    body: template.text.replaceAll(URL_PLACEHOLDER, () => escapedUrl),
  };
}

function getTemplate(describeApi: DescribeApi): Promise<DocumentTemplate> {
  const cachedTemplate = cachedTemplates.get(describeApi);
  if (cachedTemplate !== undefined) return cachedTemplate;
  const template = createTemplate(describeApi);
  // After a failure the next request builds it again.
  template.catch(() => cachedTemplates.delete(describeApi));
  cachedTemplates.set(describeApi, template);
  return template;
}

async function createTemplate(describeApi: DescribeApi): Promise<DocumentTemplate> {
  const document = await describeApi({ url: URL_PLACEHOLDER, version: BUILD.version });
  const text = await serialize(document, SERIALIZED_LEVELS);
  return { text, hash: hash('sha1', text) };
}

/** Levels of the document whose members are serialized one by one: its parts, their paths, and the operations of a path. */
const SERIALIZED_LEVELS = 3;

/** Serializes as `JSON.stringify` and yields to the event loop: the document has some megabytes. */
async function serialize(value: unknown, levels: number): Promise<string> {
  if (levels === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  const yieldIfDue = createYielder();
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    members.push(`${JSON.stringify(name)}:${await serialize(member, levels - 1)}`);
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
  return `{${members.join(',')}}`;
}

/** The OpenAPI document; its parts are not described further. */
const OpenApi = entity('OpenApi', {
  openapi: Type.String(),
  info: Type.Object({}),
  servers: Type.Array(Type.Object({ url: Type.String() })),
  tags: Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
  'x-tagGroups': Type.Array(Type.Object({ name: Type.String(), tags: Type.Array(Type.String()) })),
  paths: Type.Object({}),
  components: Type.Object({}),
});

export const getOpenApiDocument = endpoint({
  get: '/openapi.json',
  summary: 'Get the OpenAPI 3.1 document',
  access: open(),
  response: streamWith({
    schema: OpenApi.schema,
    mediaTypes: ['application/json'],
    headers: ['ETag', 'Cache-Control'],
  }),
  handle: ({ base }, { describeApi }) => buildDocumentReply(describeApi, base.url),
});

export const getDocumentationPage = endpoint({
  get: '/api/docs',
  summary: 'Get the API documentation page',
  access: open(),
  outsideApi: true,
  response: html,
  read: () => DOCUMENTATION_PAGE,
});
