import { randomUUID } from 'node:crypto';
import type { Raw } from '#http/parameters/brackets.ts';
import type { Spool } from './spool-file.ts';

/** A text of a body that went to the spool: its bytes, in UTF-8, can be read as often as needed while the spool is open. */
export interface LongText {
  readonly [LONG]: true;
  /** Bytes. */
  readonly size: number;
  chunks(): AsyncIterable<Buffer>;
}

const LONG = Symbol('long text');

export function isLongText(value: unknown): value is LongText {
  return typeof value === 'object' && value !== null && LONG in value;
}

export function longText(spool: Spool, start: number, end: number): LongText {
  return { [LONG]: true, size: end - start, chunks: () => spool.read(start, end) };
}

/** The parameters whose texts go to the spool: `content`, and that of each element of `actions`. */
export function isContentName(name: string): boolean {
  return name === 'content' || name.endsWith('[content]');
}

/** Where texts were taken out of a body: short stand-ins that nobody can guess, in the order of the texts. */
export interface StandIns {
  /** The stand-in of the text that begins here. */
  begin(at: number): string;
  end(at: number): void;
  /** Puts the texts back in, in the places where a content can be. */
  restore(values: Raw): Raw;
}

export function standIns(spool: Spool): StandIns {
  const nonce = randomUUID();
  const texts: { start: number; end: number }[] = [];
  const restored = (value: unknown): unknown => {
    if (typeof value !== 'string' || !value.startsWith(nonce)) return value;
    const text = texts[Number(value.slice(nonce.length))];
    return text === undefined ? value : longText(spool, text.start, text.end);
  };
  const restoreIn = (values: unknown): void => {
    if (typeof values !== 'object' || values === null) return;
    const holder = values as Raw;
    if ('content' in holder) holder.content = restored(holder.content);
  };
  return {
    begin(at) {
      texts.push({ start: at, end: at });
      return `${nonce}${texts.length - 1}`;
    },
    end(at) {
      texts.at(-1)!.end = at;
    },
    restore(values) {
      restoreIn(values);
      const { actions } = values;
      if (typeof actions === 'object' && actions !== null)
        for (const action of Object.values(actions)) restoreIn(action);
      return values;
    },
  };
}
