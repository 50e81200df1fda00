import { isSecretName } from '#security/redaction.ts';
import type { HttpExchange } from './caller.ts';

/** Yields the secrets in a request and its response. */
export function* findSecrets({ url, headers, requestBody, response }: HttpExchange): Generator<string> {
  const found = [
    ...credentialsIn(headers),
    ...secretFields(new URLSearchParams(url.split('?')[1] ?? '')),
    ...secretFields(fieldsOf(requestBody)),
    // Validation errors have the names of fields too.
    ...(response.status < 400 ? secretFields(flat(response.body)) : []),
    ...(isOfVariables(url) ? valuesIn(flat(response.body)) : []),
    ...sessionsIn(response.headers['set-cookie']?.join('; ') ?? ''),
    ...codesIn(response.headers.location),
  ];
  // Shorter values would match unrelated text by chance.
  for (const secret of found) if (secret.length >= 8) yield secret;
}

function credentialsIn(headers: HttpExchange['headers']): string[] {
  const { Cookie = '', Authorization = '', 'PRIVATE-TOKEN': own = '' } = headers;
  const [, bearer = ''] = /^Bearer (.*)$/.exec(Authorization) ?? [];
  const [, coded = ''] = /^Basic (.*)$/.exec(Authorization) ?? [];
  const password = Buffer.from(coded, 'base64').toString().split(':')[1] ?? '';
  return [own, bearer, password, ...sessionsIn(Cookie)];
}

function sessionsIn(cookies: string): string[] {
  return [...cookies.matchAll(/_service_session=([\w-]+)/g)].map(([, value]) => value ?? '');
}

function codesIn(location: string | undefined): string[] {
  const code = location === undefined ? null : new URL(location, 'http://here.test').searchParams.get('code');
  return code === null ? [] : [code];
}

function fieldsOf(sent: HttpExchange['requestBody']): Iterable<[string, string]> {
  if (typeof sent !== 'string') return [];
  try {
    return flat(JSON.parse(sent));
  } catch {
    return new URLSearchParams(sent);
  }
}

/** CI/CD variables: their `value` is secret. */
const isOfVariables = (url: string) => /\/variables(?:[/?]|$)/.test(url);

function* valuesIn(fields: Iterable<[string, string]>): Generator<string> {
  for (const [name, value] of fields) if (name === 'value') yield value;
}

function* secretFields(fields: Iterable<[string, string]>): Generator<string> {
  for (const [name, value] of fields) if (isSecretName(name)) yield value;
}

/** Yields all strings of a JSON value, each with its key. */
function* flat(value: unknown, name = ''): Generator<[string, string]> {
  if (typeof value === 'string') yield [name, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* flat(inner, Array.isArray(value) ? name : key);
}
