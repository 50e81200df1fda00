import { randomUUID } from 'node:crypto';
import type { RawParameters } from '#http/parameters/brackets.ts';
import type { SpoolFile } from './spool-file.ts';

/** A text in the spool. Its UTF-8 bytes can be read repeatedly while the spool is open. */
export interface SpooledText {
  readonly [SPOOLED]: true;
  /** Bytes. */
  readonly size: number;
  chunks(): AsyncIterable<Buffer>;
}

const SPOOLED = Symbol('spooled text');

export function isSpooledText(value: unknown): value is SpooledText {
  return typeof value === 'object' && value !== null && SPOOLED in value;
}

export function createSpooledText(spool: SpoolFile, start: number, end: number): SpooledText {
  return { [SPOOLED]: true, size: end - start, chunks: () => spool.read(start, end) };
}

/** Returns whether a parameter is spooled: `content`, and `content` of each element of `actions`. */
export function isContentName(name: string): boolean {
  return name === 'content' || name.endsWith('[content]');
}

/** Short, unguessable placeholders for the spooled texts of a body, numbered in the order of the texts. */
export interface Placeholders {
  /** Returns the placeholder of the text that begins at this spool position. */
  begin(spoolOffset: number): string;
  /** Sets the end of the last text. */
  end(spoolOffset: number): void;
  /** Replaces the placeholders by the texts where contents are allowed. */
  restore(values: RawParameters): RawParameters;
}

export function createPlaceholders(spool: SpoolFile): Placeholders {
  const nonce = randomUUID();
  const texts: { start: number; end: number }[] = [];
  const toSpooledText = (value: unknown): unknown => {
    if (typeof value !== 'string' || !value.startsWith(nonce)) return value;
    const text = texts[Number(value.slice(nonce.length))];
    return text === undefined ? value : createSpooledText(spool, text.start, text.end);
  };
  const restoreContent = (values: unknown): void => {
    if (typeof values !== 'object' || values === null) return;
    const rawParams = values as RawParameters;
    if ('content' in rawParams) rawParams.content = toSpooledText(rawParams.content);
  };
  return {
    begin(spoolOffset) {
      texts.push({ start: spoolOffset, end: spoolOffset });
      return `${nonce}${texts.length - 1}`;
    },
    end(spoolOffset) {
      texts.at(-1)!.end = spoolOffset;
    },
    restore(values) {
      restoreContent(values);
      const { actions } = values;
      if (typeof actions === 'object' && actions !== null)
        for (const action of Object.values(actions)) restoreContent(action);
      return values;
    },
  };
}
