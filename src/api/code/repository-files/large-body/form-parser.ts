import { invalidText } from '#http/errors/http-error.ts';
import type { RawParameters } from '#http/parameters/brackets.ts';
import { parseFormBody } from '#http/request/form-body.ts';
import {
  type BodySkeleton,
  createBodySkeleton,
  createPlaceholders,
  createUtf8Check,
  isContentName,
  type Placeholders,
  type SpoolFile,
} from './spooled-text.ts';

// Bytes with a meaning in forms.
const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;
/** Maximum characters of a name that is compared; a parameter with a longer name is not file content. */
const MAX_NAME_LENGTH = 256;

/**
 * Parses a form of any size; values named `content` are spooled. Throws 400 for a broken escape, invalid UTF-8 or a
 * NUL (contract/conventions.md §1 stage 1).
 */
export async function parseLargeForm(chunks: AsyncIterable<Buffer>, spool: SpoolFile): Promise<RawParameters> {
  const skeleton = createBodySkeleton();
  const placeholders = createPlaceholders(spool);
  const scanner = createScanner(skeleton, placeholders);
  for await (const chunk of chunks) {
    const decodedBytes = scanner.push(chunk, spool.size);
    if (decodedBytes === null) throw invalidText('content');
    await spool.append(decodedBytes);
  }
  if (!scanner.end(spool.size)) throw invalidText('content');
  return placeholders.restore(await parseFormBody(skeleton.toBuffer()));
}

/** Separates the contents of a form from the rest, which it adds to the skeleton. */
interface Scanner {
  /**
   * Returns the decoded contents of a chunk, or null if the chunk is malformed. The caller appends them to the spool at
   * `spoolOffset` before the next call.
   */
  push(chunk: Buffer, spoolOffset: number): Buffer | null;
  /** Ends the last value at `spoolOffset`. Returns false if it is incomplete. */
  end(spoolOffset: number): boolean;
}

/** Returns a scanner for one form. */
function createScanner(skeleton: BodySkeleton, placeholders: Placeholders): Scanner {
  let output = Buffer.alloc(0);
  /** The current name; null while its value is read. */
  let name: string | null = '';
  /** The content that is being decoded; null outside of contents. */
  let value: FormValue | null = null;

  /** Returns whether a content value begins after this byte. */
  function isContentNext(byte: number): boolean {
    const currentName: string | null = name;
    if (byte === AMPERSAND) name = '';
    else if (byte === EQUALS) name = null;
    else if (currentName !== null && currentName.length <= MAX_NAME_LENGTH)
      name = currentName + String.fromCharCode(byte);
    return byte === EQUALS && currentName !== null && isContentName(decodeName(currentName));
  }

  return {
    push(chunk, spoolOffset) {
      if (output.length < chunk.length) output = Buffer.allocUnsafe(chunk.length);
      let outputEnd = 0;
      let skeletonStart = 0;
      for (let chunkOffset = 0; chunkOffset < chunk.length; ) {
        if (value === null) {
          if (!isContentNext(chunk[chunkOffset++]!)) continue;
          skeleton.add(chunk.subarray(skeletonStart, chunkOffset));
          skeleton.add(Buffer.from(placeholders.begin(spoolOffset + outputEnd)));
          value = createFormValue();
        }
        const end = chunk.indexOf(AMPERSAND, chunkOffset);
        const valueStart = outputEnd;
        outputEnd = value.decode(chunk.subarray(chunkOffset, end === -1 ? chunk.length : end), output, outputEnd);
        if (outputEnd === -1 || !value.isText(output.subarray(valueStart, outputEnd))) return null;
        if (end === -1) return output.subarray(0, outputEnd);
        if (!value.isComplete()) return null;
        placeholders.end(spoolOffset + outputEnd);
        value = null;
        skeletonStart = chunkOffset = end;
      }
      if (value === null) skeleton.add(chunk.subarray(skeletonStart));
      return output.subarray(0, outputEnd);
    },
    end(spoolOffset) {
      if (value === null) return true;
      placeholders.end(spoolOffset);
      return value.isComplete();
    },
  };
}

/** An incremental decoder of one value. */
interface FormValue {
  /** Decodes into `output` and returns the end position; -1 for a broken escape. */
  decode(bytes: Buffer, output: Buffer, outputEnd: number): number;
  /** Returns whether the decoded bytes are UTF-8 without NUL. Calls follow the order of the bytes. */
  isText(bytes: Buffer): boolean;
  /** Returns whether no escape and no character is incomplete. */
  isComplete(): boolean;
}

/** Returns a decoder for one value. */
function createFormValue(): FormValue {
  const utf8 = createUtf8Check();
  let escapeSequence = '';
  return {
    decode(bytes, output, outputStart) {
      let outputEnd = outputStart;
      for (const byte of bytes) {
        if (escapeSequence !== '') {
          escapeSequence += String.fromCharCode(byte);
          if (escapeSequence.length < 3) continue;
          if (!/^%[0-9a-fA-F]{2}$/.test(escapeSequence)) return -1;
          output[outputEnd++] = Number.parseInt(escapeSequence.slice(1), 16);
          escapeSequence = '';
        } else if (byte === PERCENT) escapeSequence = '%';
        else output[outputEnd++] = byte === PLUS ? SPACE : byte;
      }
      return outputEnd;
    },
    isText: (bytes) => utf8.push(bytes) && !bytes.includes(0),
    isComplete: () => escapeSequence === '' && utf8.end(),
  };
}

/** Decodes the escapes of a name. A name with a broken escape is returned unchanged. */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
