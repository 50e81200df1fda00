import { createHash, hash } from 'node:crypto';
import { createYielder, sortCooperatively } from '#runtime/yielding.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import { flattenItems, isBlank, toTextOrNull } from './parsed-alert.ts';

// Fingerprints identify duplicate alerts (contract/monitoring.md §4 "Fingerprint"): 40 lower-case hexadecimal digits.

export function computeSha1(text: string): string {
  return hash('sha1', text, 'hex');
}

/** Returns the fingerprint for the `fingerprint` value of a payload, or null for a blank value. */
export async function computeFingerprint(value: unknown): Promise<string | null> {
  if (isBlank(value)) return null;
  if (isJsonObject(value)) return hashCanonicalJson(value);
  if (!Array.isArray(value)) return computeSha1(toTextOrNull(value) ?? '');
  const digest = createHash('sha1');
  const yieldIfDue = createYielder();
  for (const item of flattenItems(value)) {
    digest.update(toTextOrNull(item) ?? '');
    const pendingYield = yieldIfDue();
    if (pendingYield !== undefined) await pendingYield;
  }
  return digest.digest('hex');
}

/** Fields that differ between reports of the same problem and do not affect the fingerprint. */
const IGNORED_FIELDS = new Set(['start_time', 'end_time', 'hosts']);

/** Returns the fingerprint of a whole payload, or null if all compared fields are blank. */
export async function computePayloadFingerprint(payload: JsonObject): Promise<string | null> {
  const comparedNames = Object.keys(payload).filter((name) => !IGNORED_FIELDS.has(name));
  if (comparedNames.every((name) => isBlank(payload[name]))) return null;
  return hashCanonicalJson(payload, comparedNames);
}

/** Hashes a canonical JSON text that does not depend on the order of keys. Yields to the event loop in between. */
async function hashCanonicalJson(payload: JsonObject, names = Object.keys(payload)): Promise<string> {
  // Members are not flattened if their dotted names would be too long.
  const members = (await flattenMembers(payload, names)) ?? (await pickMembers(payload, names));
  return computeSha1(
    `{${await joinCanonicalMembers(await sortCooperatively(members, compareMembers), false, createYielder())}}`,
  );
}

type Member = readonly [name: string, value: unknown];

/** Compares members by name, then by value: flattening can give two members the same name. */
function compareMembers([nameA, valueA]: Member, [nameB, valueB]: Member): number {
  if (nameA === nameB) return compareTexts(JSON.stringify(valueA), JSON.stringify(valueB));
  return compareTexts(nameA, nameB);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type YieldIfDue = ReturnType<typeof createYielder>;

/** Returns the JSON of a list or an object, with the members of objects sorted by name. */
async function toCanonicalJson(value: object, yieldIfDue: YieldIfDue): Promise<string> {
  if (Array.isArray(value)) {
    const items = value.map((item): Member => ['', item]);
    return `[${await joinCanonicalMembers(items, true, yieldIfDue)}]`;
  }
  const members = await pickMembers(value as JsonObject, Object.keys(value));
  return `{${await joinCanonicalMembers(await sortCooperatively(members, compareMembers), false, yieldIfDue)}}`;
}

/** Returns the named members; yields to the event loop, because many lookups are slow. */
async function pickMembers(object: JsonObject, names: readonly string[]): Promise<Member[]> {
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
async function joinCanonicalMembers(
  members: readonly Member[],
  isList: boolean,
  yieldIfDue: YieldIfDue,
): Promise<string> {
  const parts: string[] = [];
  for (const [name, value] of members) {
    const text =
      typeof value === 'object' && value !== null ? await toCanonicalJson(value, yieldIfDue) : JSON.stringify(value);
    parts.push(isList ? text : `${JSON.stringify(name)}:${text}`);
    const pendingYield = yieldIfDue();
    if (pendingYield !== undefined) await pendingYield;
  }
  return parts.join(',');
}

/** Maximum total length of all dotted names, in characters. Each name repeats its parents' names. Real payloads stay far below. */
const MAX_NAMES_LENGTH = 4 * 2 ** 20;

/**
 * Returns the members of an object and its nested objects under dotted names; lists and empty objects count as values.
 * Returns null if the names exceed `MAX_NAMES_LENGTH` in total.
 */
export async function flattenMembers(payload: JsonObject, names = Object.keys(payload)): Promise<Member[] | null> {
  const yieldIfDue = createYielder();
  const members: Member[] = [];
  let totalLength = 0;
  const visit = async (object: JsonObject, memberNames: readonly string[], prefix: string): Promise<boolean> => {
    for (const name of memberNames) {
      const value = object[name];
      const dottedName = prefix + name;
      totalLength += dottedName.length;
      if (totalLength > MAX_NAMES_LENGTH) return false;
      const nestedNames = isJsonObject(value) ? Object.keys(value) : [];
      if (nestedNames.length === 0) members.push([dottedName, value]);
      else if (!(await visit(value as JsonObject, nestedNames, `${dottedName}.`))) return false;
      const pendingYield = yieldIfDue();
      if (pendingYield !== undefined) await pendingYield;
    }
    return true;
  };
  return (await visit(payload, names, '')) ? members : null;
}
