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
import { STYLE } from './page-style.ts';

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
<input id="filter" type="search" placeholder="Search paths, parameters, texts ( / )" aria-label="Search" autocomplete="off" spellcheck="false">
<p id="count" role="status">Loading</p>
<a href="v4/openapi.json">openapi.json</a>
</header>
<nav aria-label="Groups of operations"><details id="menu"><summary>Groups of operations</summary><div id="tags"></div></details></nav>
<main><div id="introduction"></div><div id="endpoints"></div></main>
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
  description:
    'Returns the description of all operations below `/api/v4`, from which clients can be generated. `/api/docs` shows it to people.',
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
