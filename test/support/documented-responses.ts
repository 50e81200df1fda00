import { getFullPath, replaceParameters } from '#http/server/routing/paths.ts';
import type { Registry } from '#http/server/routing/registry.ts';
import type { HttpExchange } from './caller.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is read by name
type Document = any;

/**
 * Returns a function that says what of a response the OpenAPI document lacks, or null: its status, or its media type. Routes
 * outside the document are skipped, and so is HEAD where only GET is declared.
 */
export function createResponseCheck(registry: Registry, document: Document): (said: HttpExchange) => string | null {
  const items = new Map<string, Document>();
  for (const [path, item] of Object.entries(document.paths)) items.set(path.replace(/\{\w+\}/g, '{}'), item);
  return ({ method, url, response: { status, headers } }) => {
    const endpoint = registry.find(method, url.split('?', 1)[0] ?? '')?.endpoint;
    const item = endpoint && items.get(replaceParameters(getFullPath(endpoint), () => '{}').replace(/\/$/, ''));
    const operation = endpoint?.method === method ? item?.[method.toLowerCase()] : undefined;
    if (endpoint === undefined || operation === undefined) return null;
    const documented = resolve(document, operation.responses[status]);
    if (documented === undefined) return `${endpoint.name} answers ${status}`;
    const type = method === 'HEAD' ? undefined : headers['content-type']?.split(';', 1)[0];
    const types = Object.keys(documented.content ?? {});
    if (type === undefined ? types.length === 0 : types.includes(type)) return null;
    return `${endpoint.name} answers ${status} with ${type ?? 'no body'}, not ${types.join(', ') || 'without a body'}`;
  };
}

function resolve(document: Document, response: Document): Document {
  const name = response?.$ref?.split('/').at(-1);
  return name === undefined ? response : document.components.responses[name];
}
