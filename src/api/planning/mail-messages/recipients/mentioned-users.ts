import { sql } from 'kysely';
import { codeIn, MOST_PLACES } from '#api/planning/issuables/index.ts';
import type { Reader } from '#database/database.ts';
import { isAmongTexts } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';

/** So many of one text are looked at. */
const MOST = 100;

const SIGN = '@';
const LONGEST = 255;

/** A user whom a text names. */
export interface Named {
  /** Folded. */
  readonly name: string;
  /** Its first mention begins the text or a paragraph, by itself or behind others that do. */
  readonly directly: boolean;
}

/** The usernames that a text addresses, each once; what stands in code addresses nobody. Time grows with the text's length alone. */
export function namedIn(text: string): Named[] {
  const found = new Map<string, Named>();
  if (!text.includes(SIGN)) return [];
  const code = codeIn(text);
  let places = 0;
  // Where the mentions end that begin a paragraph.
  let beginning = 0;
  for (const { index: at } of text.matchAll(/@(?=[A-Za-z0-9_.-])/g)) {
    if (found.size === MOST || ++places > MOST_PLACES) break;
    const written = code.has(at) ? null : usernameAt(text, at);
    if (written === null) continue;
    const directly = beginsParagraph(text, at, beginning);
    if (directly) beginning = at + 1 + written.length;
    const name = foldCase(written);
    if (!found.has(name)) found.set(name, { name, directly });
  }
  return [...found.values()];
}

export const usernamesIn = (text: string): string[] => namedIn(text).map(({ name }) => name);

/** Nothing but blanks between this place and `beginning`, the beginning of the text, or an empty line. */
function beginsParagraph(text: string, at: number, beginning: number): boolean {
  let lines = 0;
  for (let before = at - 1; before >= beginning; before--) {
    const character = text[before] as string;
    if (character === '\n') lines++;
    else if (character !== ' ' && character !== '\t' && character !== '\r') return lines > 1;
    if (lines > 1) return true;
  }
  return true;
}

const isOfName = (character: string | undefined) => character !== undefined && /^[A-Za-z0-9_.-]$/.test(character);
const isWord = (character: string | undefined) => character !== undefined && /^\w$/.test(character);

function usernameAt(text: string, at: number): string | null {
  // `mira@hearth.test` is an address.
  if (isWord(text[at - 1]) || text[at - 1] === SIGN) return null;
  let end = at + 1;
  while (end - at <= LONGEST && isOfName(text[end])) end++;
  // `@forge/anvil` is a place.
  if (text[end] === '/') return null;
  while (end > at + 1 && !isWord(text[end - 1])) end--;
  return end === at + 1 ? null : text.slice(at + 1, end);
}

/** The users whom a text addresses. */
export async function usersNamedIn(db: Reader, text: string): Promise<number[]> {
  return [...(await usersAt(db, usernamesIn(text))).values()];
}

/** The ids of the users that have these names, folded as they are. index: users_by_username_key */
export async function usersAt(db: Reader, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const rows = await db
    .selectFrom('users')
    .select(['users.id', 'users.username_key'])
    .where(isAmongTexts(db, sql<string>`users.username_key`, names))
    .where('users.deletion_scheduled_at', 'is', null)
    .execute();
  return new Map(rows.map(({ id, username_key }) => [username_key, id]));
}
