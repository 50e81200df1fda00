import { createHash, hash } from 'node:crypto';
import { createYielder, sortCooperatively } from '#runtime/concurrency-limiter.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import { isBlank, itemsOf, textOf } from './payload-values.ts';

/** By which alerts are told to be the same (contract/monitoring.md §4 "Fingerprint"): 40 lower-case hexadecimal digits. */

export function sha1(text: string): string {
  return hash('sha1', text, 'hex');
}

/** Of what a payload calls its fingerprint; null for a blank one. */
export async function fingerprintOf(value: unknown): Promise<string | null> {
  if (isBlank(value)) return null;
  if (isJsonObject(value)) return sha1OfCanonical(value);
  if (!Array.isArray(value)) return sha1(textOf(value) ?? '');
  const digest = createHash('sha1');
  const giveWay = createYielder();
  for (const item of itemsOf(value)) {
    digest.update(textOf(item) ?? '');
    const way = giveWay();
    if (way !== undefined) await way;
  }
  return digest.digest('hex');
}

/** What differs from one report of the same trouble to the next. */
const NOT_COMPARED = new Set(['start_time', 'end_time', 'hosts']);

/** Of a whole payload; null where nothing in it could be compared. */
export async function fingerprintOfPayload(payload: JsonObject): Promise<string | null> {
  const compared = Object.keys(payload).filter((name) => !NOT_COMPARED.has(name));
  if (compared.every((name) => isBlank(payload[name]))) return null;
  return sha1OfCanonical(payload, compared);
}

/** A text for which the order of keys means nothing, of objects as deep as they are. Others have their turns meanwhile. */
async function sha1OfCanonical(payload: JsonObject, names = Object.keys(payload)): Promise<string> {
  const members = (await flattened(payload, names)) ?? (await membersOf(payload, names));
  return sha1(`{${await written(await sortCooperatively(members, byName), false, createYielder())}}`);
}

type Member = readonly [name: string, value: unknown];

/** Two members may have one name after they were flattened. */
function byName([a, one]: Member, [b, other]: Member): number {
  if (a === b) return compare(JSON.stringify(one), JSON.stringify(other));
  return compare(a, b);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type GiveWay = ReturnType<typeof createYielder>;

async function canonical(value: object, giveWay: GiveWay): Promise<string> {
  if (Array.isArray(value)) {
    const items = value.map((item): Member => ['', item]);
    return `[${await written(items, true, giveWay)}]`;
  }
  const members = await membersOf(value as JsonObject, Object.keys(value));
  return `{${await written(await sortCooperatively(members, byName), false, giveWay)}}`;
}

/** To look very many members up takes longer than to name them. */
async function membersOf(object: JsonObject, names: readonly string[]): Promise<Member[]> {
  const giveWay = createYielder();
  const members: Member[] = [];
  for (const name of names) {
    members.push([name, object[name]]);
    const way = giveWay();
    if (way !== undefined) await way;
  }
  return members;
}

/** What stands between the brackets: the items of a list have no names. */
async function written(members: readonly Member[], isList: boolean, giveWay: GiveWay): Promise<string> {
  const parts: string[] = [];
  for (const [name, value] of members) {
    const text = typeof value === 'object' && value !== null ? await canonical(value, giveWay) : JSON.stringify(value);
    parts.push(isList ? text : `${JSON.stringify(name)}:${text}`);
    const way = giveWay();
    if (way !== undefined) await way;
  }
  return parts.join(',');
}

/** Characters of all dotted names together, of which each repeats those above it: far more than any tool's payload has. */
const LONGEST_NAMES = 4 * 2 ** 20;

/**
 * The members of an object and of the objects in it, under dotted names; lists, and objects without members, are values.
 * Null for one whose names would be too long all together.
 */
export async function flattened(payload: JsonObject, names = Object.keys(payload)): Promise<Member[] | null> {
  const giveWay = createYielder();
  const members: Member[] = [];
  let length = 0;
  const visit = async (object: JsonObject, own: readonly string[], prefix: string): Promise<boolean> => {
    for (const name of own) {
      const value = object[name];
      const dotted = prefix + name;
      length += dotted.length;
      if (length > LONGEST_NAMES) return false;
      const below = isJsonObject(value) ? Object.keys(value) : [];
      if (below.length === 0) members.push([dotted, value]);
      else if (!(await visit(value as JsonObject, below, `${dotted}.`))) return false;
      const way = giveWay();
      if (way !== undefined) await way;
    }
    return true;
  };
  return (await visit(payload, names, '')) ? members : null;
}
