import { type CiMap, type CiValue, isArray, isMap, toJsonValue } from '../yaml/values.ts';
import {
  checkKnownKeys,
  checkNotBlank,
  configError,
  isBlank,
  parseMap,
  parseRequiredString,
  parseString,
  parseStringOrStrings,
} from './checks.ts';

const RELEASE_KEYS = new Set([
  ...['tag_name', 'tag_message', 'name', 'description', 'ref', 'released_at', 'milestones', 'assets'],
]);
const DATE_TIME = /^\d{4}-?\d\d-?\d\d(?:T\d\d(?::?\d\d(?::?\d\d(?:[.,]\d+)?)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/i;
/** Characters that no name of a ref contains. */
const INVALID_REF = /[\s~^:?*[\\]|\.\.|@\{|\/\/|^[-/.]|[/.]$|\.lock$/;

export function parseRelease(value: CiValue, location: string): unknown {
  const map = parseMap(value, location);
  checkKnownKeys(map, location, RELEASE_KEYS);
  const getFilled = (key: string) => (isBlank(map.get(key)) ? null : map.get(key)!);
  const [tagMessage, milestones] = [getFilled('tag_message'), getFilled('milestones')];
  const [releasedAt, ref] = [map.get('released_at') ?? null, map.get('ref') ?? null];
  parseRequiredString(map.get('tag_name'), location, 'tag name');
  if (tagMessage !== null) parseString(tagMessage, location, 'tag message');
  parseRequiredString(map.get('description'), location, 'description');
  if (milestones !== null) parseStringOrStrings(milestones, location, 'milestones');
  if (releasedAt !== null && !(typeof releasedAt === 'string' && DATE_TIME.test(releasedAt)))
    throw configError(location, 'released at must be a valid datetime');
  if (ref !== null && (typeof ref !== 'string' || ref === '' || INVALID_REF.test(ref)))
    throw configError(location, 'ref must be a valid ref');
  const assets = map.get('assets') ?? null;
  if (assets !== null) checkAssets(parseMap(assets, `${location}:assets`), `${location}:assets`);
  return toJsonValue(map);
}

function checkAssets(map: CiMap, location: string): void {
  checkKnownKeys(map, location, new Set(['links']));
  const links = map.get('links') ?? null;
  if (!isArray(links) || !links.every(isMap)) throw configError(location, 'links should be an array of hashes');
  checkNotBlank(links, location, 'links');
}
