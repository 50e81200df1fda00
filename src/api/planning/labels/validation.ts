import type { Columns, Transaction } from '#database/database.ts';
import { ancestorsAndSelf, type GroupOrProject } from '#domain/namespaces/scope.ts';
import { compactFieldErrors, type Failure, fail, invalid } from '#runtime/failure.ts';
import { parseColor } from './color.ts';
import { findLabelByTitle, type LabelContent } from './store.ts';

/** Maximum length in characters. */
const MAX_TITLE_LENGTH = 255;

/** Attributes of a label before validation. */
export interface LabelAttributes extends Columns<'labels', 'title' | 'color' | 'description'> {
  readonly priority?: number | null | undefined;
}

/**
 * Returns the normalized content of a label, or a failure. A title is unique in the project or group and its ancestors.
 * `id` is the updated label; it is undefined for a new one.
 */
export async function validateLabel(
  tx: Transaction,
  parent: GroupOrProject,
  { title: rawTitle, color: rawColor, description, priority }: LabelAttributes,
  id?: number,
): Promise<LabelContent | Failure<'invalid' | 'exists'>> {
  const [title, color] = [rawTitle.trim(), parseColor(rawColor)];
  const errors = compactFieldErrors({
    title: validateLabelTitle(title),
    color: color === null ? ['must be a valid color code'] : [],
    priority: (priority ?? 0) < 0 ? ['must be greater than or equal to 0'] : [],
  });
  if (errors !== null || color === null) return invalid(errors ?? {});
  const labelWithTitle = await findLabelByTitle(tx, await ancestorsAndSelf(tx, parent), title);
  if (labelWithTitle !== null && labelWithTitle.id !== id) return fail('exists');
  return { title, color, description };
}

/** Returns the validation errors of a trimmed title. */
export function validateLabelTitle(title: string): string[] {
  if (title === '') return ["can't be blank", 'is invalid'];
  const errors = title.includes(',') ? ['is invalid'] : [];
  return [...title].length > MAX_TITLE_LENGTH
    ? [...errors, `is too long (maximum is ${MAX_TITLE_LENGTH} characters)`]
    : errors;
}
