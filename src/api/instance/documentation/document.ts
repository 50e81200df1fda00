import { hash } from 'node:crypto';
import type { StreamReply } from '#http/endpoint/responses.ts';
import type { Services } from '#http/services.ts';
import packageJson from '../../../../package.json' with { type: 'json' };

interface DocumentTemplate {
  /** The document with a placeholder in place of the server's URL. */
  readonly text: string;
  readonly hash: string;
}

type DescribeApi = Services['describeApi'];

const PLACEHOLDER = 'https://server.invalid';

/** Serializing the document takes tens of milliseconds, and anybody may ask for it. */
const templates = new WeakMap<DescribeApi, DocumentTemplate>();

/** Returns the OpenAPI document of a server at this URL, with an ETag. */
export function sendDocument(describeApi: DescribeApi, url: string): StreamReply {
  const template = getTemplate(describeApi);
  const escapedUrl = JSON.stringify(url).slice(1, -1);
  return {
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'max-age=0, private, must-revalidate',
      ETag: `W/"${hash('sha1', `${template.hash} ${url}`)}"`,
    },
    body: template.text.replaceAll(PLACEHOLDER, () => escapedUrl),
  };
}

function getTemplate(describeApi: DescribeApi): DocumentTemplate {
  const known = templates.get(describeApi);
  if (known !== undefined) return known;
  const text = JSON.stringify(describeApi({ url: PLACEHOLDER, version: packageJson.version }));
  const template = { text, hash: hash('sha1', text) };
  templates.set(describeApi, template);
  return template;
}
