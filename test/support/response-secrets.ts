import { isSecretName } from '#security/redaction.ts';
import type { Said } from './caller.ts';

/** What was secret in a request and its answer. */
export function* secretsIn({ url, headers, sent, answer }: Said): Generator<string> {
  const found = [
    ...credentialsIn(headers),
    ...secretFields(new URLSearchParams(url.split('?')[1] ?? '')),
    ...secretFields(fieldsOf(sent)),
    ...secretFields(flat(answer.body)),
    ...(isOfVariables(url) ? valuesIn(flat(answer.body)) : []),
    ...sessionsIn(answer.headers['set-cookie']?.join('; ') ?? ''),
    ...codesIn(answer.headers.location),
  ];
  // What is shorter is found by chance.
  for (const secret of found) if (secret.length >= 8) yield secret;
}

function credentialsIn(headers: Said['headers']): string[] {
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

function fieldsOf(sent: Said['sent']): Iterable<[string, string]> {
  if (typeof sent !== 'string') return [];
  try {
    return flat(JSON.parse(sent));
  } catch {
    return new URLSearchParams(sent);
  }
}

/** What jobs are given of it is nobody else's. */
const isOfVariables = (url: string) => /\/variables(?:[/?]|$)/.test(url);

function* valuesIn(fields: Iterable<[string, string]>): Generator<string> {
  for (const [name, value] of fields) if (name === 'value') yield value;
}

function* secretFields(fields: Iterable<[string, string]>): Generator<string> {
  for (const [name, value] of fields) if (isSecretName(name)) yield value;
}

/** All texts of a JSON value, by the names that they have there. */
function* flat(value: unknown, name = ''): Generator<[string, string]> {
  if (typeof value === 'string') yield [name, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* flat(inner, Array.isArray(value) ? name : key);
}
