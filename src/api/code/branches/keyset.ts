import { HEADS } from '../../../git/names.ts';
import type { Ref } from '../../../git/refs.ts';
import type { Page } from '../../../http/lists/page.ts';
import { type Refused, refused } from '../../../refused.ts';

/**
 * The page behind the branch that a token names (contract/repository.md §2 "List"). A branch that was deleted meanwhile
 * still has its place among names; among ages it has none.
 */
export function keysetPage(
  sorted: readonly Ref[],
  { token, byName, perPage }: { token: string | null | undefined; byName: boolean; perPage: number },
): Page<Ref> | Refused<'tokenInvalid'> {
  const start = token ? placeBehind(sorted, `${HEADS}${token}`, byName) : 0;
  if (start === null) return refused('tokenInvalid');
  const end = start + perPage;
  const items = sorted.slice(start, end);
  const more = sorted.length > end;
  const next = more ? { page_token: (items.at(-1) as Ref).name.slice(HEADS.length) } : null;
  return { items, total: null, more, keyset: { next } };
}

function placeBehind(sorted: readonly Ref[], name: string, byName: boolean): number | null {
  const place = sorted.findIndex((ref) => ref.name === name);
  if (place !== -1) return place + 1;
  if (!byName) return null;
  const bytes = Buffer.from(name);
  const behind = sorted.findIndex((ref) => Buffer.from(ref.name).compare(bytes) > 0);
  return behind === -1 ? sorted.length : behind;
}
