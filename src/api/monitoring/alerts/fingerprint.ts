import { createHash, hash } from 'node:crypto';
import { createYielder, sortCooperatively } from '#runtime/yielding.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import { isBlank, itemsOf, textOf } from './payload-values.ts';

/** Fingerprints identify duplicate alerts (contract/monitoring.md §4 "Fingerprint"): 40 lower-case hexadecimal digits. */

export function sha1(text: string): string {
  return hash('sha1', text, 'hex');
}

/** Returns the fingerprint for the `fingerprint` value of a payload, or null for a blank value. */
export async function fingerprintOf(value: unknown): Promise<string | null> {
  if (isBlank(value)) return null;
  if (isJsonObject(value)) return sha1OfCanonical(value);
  if (!Array.isArray(value)) return sha1(textOf(value) ?? '');
  const digest = createHash('sha1');
  const yieldIfDue = createYielder();
  for (const item of itemsOf(value)) {
    digest.update(textOf(item) ?? '');
    const pendingYield = yieldIfDue();
    if (pendingYield !== undefined) await pendingYield;
  }
  return digest.digest('hex');
}

/** Fields that differ between reports of the same problem. */
const NOT_COMPARED = new Set(['start_time', 'end_time', 'hosts']);

/** Returns the fingerprint of a whole payload, or null if all compared fields are blank. */
export async function fingerprintOfPayload(payload: JsonObject): Promise<string | null> {
  const comparedNames = Object.keys(payload).filter((name) => !NOT_COMPARED.has(name));
  if (comparedNames.every((name) => isBlank(payload[name]))) return null;
  return sha1OfCanonical(payload, comparedNames);
}

/** Hashes a canonical JSON text that does not depend on the order of keys. Yields to the event loop in between. */
async function sha1OfCanonical(payload: JsonObject, names = Object.keys(payload)): Promise<string> {
  const members = (await flattenMembers(payload, names)) ?? (await membersOf(payload, names));
  return sha1(`{${await canonicalMembers(await sortCooperatively(members, byName), false, createYielder())}}`);
}

type Member = readonly [name: string, value: unknown];

/** Compares members by name, then by value: flattening can give two members the same name. */
function byName([a, one]: Member, [b, other]: Member): number {
  if (a === b) return compare(JSON.stringify(one), JSON.stringify(other));
  return compare(a, b);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type YieldIfDue = ReturnType<typeof createYielder>;

async function canonical(value: object, yieldIfDue: YieldIfDue): Promise<string> {
  if (Array.isArray(value)) {
    const items = value.map((item): Member => ['', item]);
    return `[${await canonicalMembers(items, true, yieldIfDue)}]`;
  }
  const members = await membersOf(value as JsonObject, Object.keys(value));
  return `{${await canonicalMembers(await sortCooperatively(members, byName), false, yieldIfDue)}}`;
}

/** Returns the named members; yields to the event loop, because many lookups are slow. */
async function membersOf(object: JsonObject, names: readonly string[]): Promise<Member[]> {
  const yieldIfDue = createYielder();
  const members: Member[] = [];
  for (const name of names) {
    members.push([name, object[name]]);
    const pendingYield = yieldIfDue();
    if (pendingYield !== undefined) await pendingYield;
  }
  return members;
}

/** Returns the JSON text between the brackets; the items of a list have no names. */
async function canonicalMembers(members: readonly Member[], isList: boolean, yieldIfDue: YieldIfDue): Promise<string> {
  const parts: string[] = [];
  for (const [name, value] of members) {
    const text =
      typeof value === 'object' && value !== null ? await canonical(value, yieldIfDue) : JSON.stringify(value);
    parts.push(isList ? text : `${JSON.stringify(name)}:${text}`);
    const pendingYield = yieldIfDue();
    if (pendingYield !== undefined) await pendingYield;
  }
  return parts.join(',');
}

/** Maximum total characters of all dotted names; each name repeats its parents' names. Real payloads stay far below. */
const MAX_NAMES_LENGTH = 4 * 2 ** 20;

/**
 * Returns the members of an object and its nested objects under dotted names; lists and empty objects count as values.
 * Returns null if the names exceed `MAX_NAMES_LENGTH` in total.
 */
export async function flattenMembers(payload: JsonObject, names = Object.keys(payload)): Promise<Member[] | null> {
  const yieldIfDue = createYielder();
  const members: Member[] = [];
  let length = 0;
  const visit = async (object: JsonObject, ownPath: readonly string[], prefix: string): Promise<boolean> => {
    for (const name of ownPath) {
      const value = object[name];
      const dotted = prefix + name;
      length += dotted.length;
      if (length > MAX_NAMES_LENGTH) return false;
      const memberNames = isJsonObject(value) ? Object.keys(value) : [];
      if (memberNames.length === 0) members.push([dotted, value]);
      else if (!(await visit(value as JsonObject, memberNames, `${dotted}.`))) return false;
      const pendingYield = yieldIfDue();
      if (pendingYield !== undefined) await pendingYield;
    }
    return true;
  };
  return (await visit(payload, names, '')) ? members : null;
}
