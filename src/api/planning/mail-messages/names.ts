import { sql } from 'kysely';
import type { Reader } from '../../../database/database.ts';
import { isAmongTexts } from '../../../database/dialect.ts';
import { foldCase } from '../../../database/keys.ts';
import { codeIn, MOST_PLACES } from '../issuables/index.ts';

/** So many of one text are looked at. */
const MOST = 100;

const SIGN = '@';
const LONGEST = 255;

/** The usernames that a text addresses, folded and each once; what stands in code addresses nobody. Time grows with the text's length alone. */
export function usernamesIn(text: string): string[] {
  const found = new Set<string>();
  if (!text.includes(SIGN)) return [];
  const code = codeIn(text);
  let places = 0;
  for (const { index: at } of text.matchAll(/@(?=[A-Za-z0-9_.-])/g)) {
    if (found.size === MOST || ++places > MOST_PLACES) break;
    const name = code.has(at) ? null : usernameAt(text, at);
    if (name !== null) found.add(foldCase(name));
  }
  return [...found];
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

/** The users whom a text addresses. index: users_by_username_key */
export async function usersNamedIn(db: Reader, text: string): Promise<number[]> {
  const names = usernamesIn(text);
  if (names.length === 0) return [];
  const rows = await db
    .selectFrom('users')
    .select('users.id')
    .where(isAmongTexts(db, sql<string>`users.username_key`, names))
    .where('users.deletion_scheduled_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}
