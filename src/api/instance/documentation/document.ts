import { hash } from 'node:crypto';
import type { StreamReply } from '#http/endpoint/responses.ts';
import type { Services } from '#http/services.ts';
import packageJson from '../../../../package.json' with { type: 'json' };

interface DocumentTemplate {
  /** The document with a placeholder in place of the server's URL. */
  readonly text: string;
  /** SHA-1 of the text, in hex. */
  readonly hash: string;
}

type DescribeApi = Services['describeApi'];

const URL_PLACEHOLDER = 'https://server.invalid';

/** Cached because serializing the document takes tens of milliseconds, and anonymous callers may request it. */
const cachedTemplates = new WeakMap<DescribeApi, DocumentTemplate>();

/** Returns the reply with the OpenAPI document of a server at this URL, with an ETag. */
export function buildDocumentReply(describeApi: DescribeApi, url: string): StreamReply {
  const template = getTemplate(describeApi);
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

function getTemplate(describeApi: DescribeApi): DocumentTemplate {
  const cachedTemplate = cachedTemplates.get(describeApi);
  if (cachedTemplate !== undefined) return cachedTemplate;
  const text = JSON.stringify(describeApi({ url: URL_PLACEHOLDER, version: packageJson.version }));
  const template = { text, hash: hash('sha1', text) };
  cachedTemplates.set(describeApi, template);
  return template;
}
