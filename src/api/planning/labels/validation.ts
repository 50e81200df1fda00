import type { Transaction } from '#database/database.ts';
import { type Place, reachOf } from '#domain/namespaces/scope.ts';
import { type Failure, fail, fieldErrors, invalid } from '#runtime/failure.ts';
import { readColor } from './color.ts';
import { findLabelTitled, type LabelContent } from './store.ts';

/** Characters of a title. */
const LONGEST = 255;

/** What a label would say of itself, as it was sent. */
export interface GivenLabel {
  readonly title: string;
  readonly color: string;
  readonly description: string | null;
  readonly priority?: number | null | undefined;
}

/**
 * The content of a label of this place, or what is wrong with it. A title is unique in the place and the groups above it;
 * `id`: that of the label itself, if it is there already.
 */
export async function labelContent(
  tx: Transaction,
  place: Place,
  { title: sent, color: said, description, priority }: GivenLabel,
  id?: number,
): Promise<LabelContent | Failure<'invalid' | 'exists'>> {
  const [title, color] = [sent.trim(), readColor(said)];
  const errors = fieldErrors({
    title: titleErrors(title),
    color: color === null ? ['must be a valid color code'] : [],
    priority: (priority ?? 0) < 0 ? ['must be greater than or equal to 0'] : [],
  });
  if (errors !== null || color === null) return invalid(errors ?? {});
  const other = await findLabelTitled(tx, await reachOf(tx, place), title);
  if (other !== null && other.id !== id) return fail('exists');
  return { title, color, description };
}

export function titleErrors(title: string): string[] {
  if (title === '') return ["can't be blank", 'is invalid'];
  const errors = title.includes(',') ? ['is invalid'] : [];
  return [...title].length > LONGEST ? [...errors, `is too long (maximum is ${LONGEST} characters)`] : errors;
}
