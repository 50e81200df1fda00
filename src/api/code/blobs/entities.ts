import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { toBase64 } from '#rate-limits/stream-limits.ts';
import type { StreamedText } from '#text/streamed-text.ts';

interface BlobRow {
  readonly id: string;
  readonly size: number;
  readonly content: Buffer | StreamedText;
}

/** A blob (contract/repository.md §4). */
export const Blob = entity('Blob', {
  size: Type.Integer(),
  encoding: Type.Literal('base64'),
  content: Type.String(),
  sha: Type.String(),
}).from(({ id, size, content }: BlobRow) => ({
  size,
  encoding: 'base64',
  content: toBase64(content),
  sha: id,
}));
