import { randomUUID } from 'node:crypto';
import type { Transaction } from '#database/database.ts';
import { toStorableText } from '#database/storable-text.ts';
import type { Failure, FieldErrors } from '#runtime/failure.ts';
import type { ImportProblem } from '../bulk-import-relations/index.ts';

/** What could not be copied, in words that tell nothing of where it was (contract/operations.md §1.2 "Failure texts"). */

export interface Failing {
  readonly importId: number;
  readonly entityId: number;
  /** `issues`, or `issues, notes`. */
  readonly relation: string;
}

export interface ImportFailure {
  /** Reading what the source said, understanding it, or storing it. */
  readonly step: 'extractor' | 'transformer' | 'loader';
  readonly class: string;
  readonly message: string;
  readonly told?: ImportProblem | undefined;
}

/** Writes it down; entity and import have failures from now on. */
export async function recordFailure(tx: Transaction, of: Failing, failure: ImportFailure): Promise<void> {
  await tx
    .insertInto('bulk_import_failures')
    .values({
      entity_id: of.entityId,
      relation: of.relation,
      step: failure.step,
      exception_class: failure.class,
      exception_message: filtered(failure.message),
      correlation_id: randomUUID().replaceAll('-', ''),
      source_url: cut(failure.told?.url),
      source_title: cut(failure.told?.title),
      created_at: tx.now,
    })
    .execute();
  await tx
    .updateTable('bulk_import_entities')
    .set({ has_failures: true })
    .where('id', '=', of.entityId)
    .where('has_failures', '=', false)
    .execute();
  await tx
    .updateTable('bulk_imports')
    .set({ has_failures: true })
    .where('id', '=', of.importId)
    .where('has_failures', '=', false)
    .execute();
}

/** Characters of a text that is kept. */
const LONGEST = 255;

const cut = (text: string | null | undefined): string | null =>
  text == null ? null : [...toStorableText(text.slice(0, 2 * LONGEST))].slice(0, LONGEST).join('');

/** Whatever may be an address or a path is left out. */
export function filtered(message: string): string {
  const words = message.slice(0, 4096).split(/(\s)/);
  return cut(words.map((word) => (word.includes('/') ? '[FILTERED]' : word)).join(''))!;
}

/** What a verb refuses, in words. */
export function failureOf(refused: Failure): ImportFailure {
  const { errors, message } = refused.values as { errors?: FieldErrors; message?: unknown };
  const texts = Object.entries(errors ?? {}).flatMap(([field, said]) =>
    said.map((text) => `${humanized(field)} ${text}`),
  );
  const said = texts.length > 0 ? `Validation failed: ${texts.join(', ')}` : String(message ?? refused.code);
  return { step: 'loader', class: 'ActiveRecord::RecordInvalid', message: said };
}

/** `due_date`: `Due date`. */
const humanized = (field: string) => field.charAt(0).toUpperCase() + field.slice(1).replaceAll('_', ' ');
