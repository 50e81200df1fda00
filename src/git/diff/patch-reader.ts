/** One file of a diff (contract/repository.md §4). A mode is `0` where the file is absent. */
export interface FileDiff {
  readonly oldPath: string;
  readonly newPath: string;
  readonly aMode: string;
  readonly bMode: string;
  readonly newFile: boolean;
  readonly renamedFile: boolean;
  readonly deletedFile: boolean;
  /** The hunks from `@@` on, or `Binary files a/x and b/x differ`. Empty if too large or collapsed. */
  readonly text: string;
  /** The `---` and `+++` lines above the hunks; empty without hunks. */
  readonly header: string;
  readonly binary: boolean;
  /** This file alone exceeds the limit of one file. */
  readonly tooLarge: boolean;
  /** The limit of the whole diff was reached before this file. */
  readonly collapsed: boolean;
}

export interface DiffLimits {
  readonly files: number;
  /** Lines of all hunks together. */
  readonly lines: number;
  /** Bytes of the hunks of one file. */
  readonly fileBytes: number;
  /** Bytes of all included hunks. */
  readonly bytes: number;
}

export interface Diff {
  readonly files: readonly FileDiff[];
  /** There are more files than the limit; the rest is omitted. */
  readonly overflow: boolean;
}

/** A line of the raw part: the modes and paths before and after the change. `status` is its first letter. */
interface RawEntry {
  aMode: string;
  bMode: string;
  oldPath: string;
  newPath: string;
  status: string;
}

/** The file whose lines are being read. */
interface OpenFile {
  entry: RawEntry;
  header: string;
  hunkLines: Buffer[];
  bytes: number;
  isInHunks: boolean;
  binary: boolean;
  tooLarge: boolean;
}

const NEWLINE = 0x0a;
/** Ratio of bytes read to bytes included after which git is stopped. Files that are too large are read but discarded. */
const MAX_READ_RATIO = 16;
/** Below the output limit of `diff-tree`, at which the diff would fail instead of being cut. */
const MAX_READ_BYTES = 100 * 1024 * 1024;

/** Parses the output of `git diff-tree -z --raw --patch` in chunks. */
interface PatchReader {
  /** Returns false when a limit is reached and further output would change nothing. */
  write(chunk: Buffer): boolean;
  /** Returns the diff. Files whose hunks were not read follow with an empty text. */
  end(): Diff;
}

export function createPatchReader(limits: DiffLimits): PatchReader {
  const entries: RawEntry[] = [];
  const files: FileDiff[] = [];
  let overflow = false;
  let isInRawPart = true;
  let unparsed: Buffer = Buffer.alloc(0);
  let fields: string[] = [];
  let open: OpenFile | null = null;
  let includedLines = 0;
  let includedBytes = 0;
  let bytesRead = 0;
  let isLimitReached = false;
  let isInOverlongLine = false;

  function addField(field: string): void {
    fields.push(field);
    const status = fields[0]!.slice(fields[0]!.lastIndexOf(' ') + 1);
    const hasTwoPaths = status.startsWith('R') || status.startsWith('C');
    if (fields.length < (hasTwoPaths ? 3 : 2)) return;
    addEntry(parseRawEntry(fields, status[0]!));
    fields = [];
  }

  function addEntry(entry: RawEntry): void {
    // A type change (a file became a link) has two patches: a deletion and a creation.
    const patchEntries = entry.status === 'T' ? splitTypeChange(entry) : [entry];
    for (const patchEntry of patchEntries) {
      if (entries.length < limits.files) entries.push(patchEntry);
      else overflow = true;
    }
  }

  /** Parses the fields of the raw part. Returns true at the empty field that ends it. */
  function readFields(): boolean {
    for (;;) {
      const end = unparsed.indexOf(0);
      if (end < 0) return false;
      const field = unparsed.toString('utf8', 0, end);
      unparsed = unparsed.subarray(end + 1);
      if (field === '') return true;
      addField(field);
    }
  }

  function readLines(): void {
    for (;;) {
      const end = unparsed.indexOf(NEWLINE);
      if (isLimitReached) return;
      if (end < 0) {
        discardOverlongLine();
        return;
      }
      if (isInOverlongLine) isInOverlongLine = false;
      else addLine(unparsed.subarray(0, end + 1));
      unparsed = unparsed.subarray(end + 1);
    }
  }

  /** Discards the bytes of a line longer than the file limit; its file is then too large. */
  function discardOverlongLine(): void {
    if (!isInOverlongLine && (open === null || unparsed.length <= limits.fileBytes)) return;
    if (!isInOverlongLine && open !== null) appendLine(open, unparsed);
    isInOverlongLine = true;
    unparsed = Buffer.alloc(0);
  }

  function addLine(line: Buffer): void {
    // Lines of hunks begin with a space, + - \ or @, so a line with `d` (0x64) starts the next file.
    if (line[0] === 0x64 && line.toString('latin1', 0, 11) === 'diff --git ') {
      finishFile();
      if (!isLimitReached) openFile();
    } else if (open !== null) {
      addLineToFile(open, line);
    }
  }

  function openFile(): void {
    const entry = entries[files.length];
    if (entry === undefined) {
      isLimitReached = true;
      return;
    }
    open = { entry, header: '', hunkLines: [], bytes: 0, isInHunks: false, binary: false, tooLarge: false };
  }

  function addLineToFile(file: OpenFile, line: Buffer): void {
    if (!file.isInHunks) {
      const prefix = line.toString('latin1', 0, 13);
      if (prefix.startsWith('--- ') || prefix.startsWith('+++ ')) {
        file.header += line.toString('utf8');
        return;
      }
      file.binary = prefix === 'Binary files ';
      file.isInHunks = file.binary || prefix.startsWith('@@ ');
      if (!file.isInHunks) return;
    }
    appendLine(file, line);
  }

  function appendLine(file: OpenFile, line: Buffer): void {
    file.bytes += line.length;
    if (file.bytes > limits.fileBytes) {
      file.tooLarge = true;
      includedLines -= file.hunkLines.length;
      includedBytes -= file.hunkLines.reduce((sum, hunkLine) => sum + hunkLine.length, 0);
      file.hunkLines = [];
      return;
    }
    if (file.tooLarge) return;
    includedLines += 1;
    includedBytes += line.length;
    file.hunkLines.push(line);
  }

  /** Applies the total limits, which count complete files only: a file that is too large counts nothing. */
  function finishFile(): void {
    if (open === null) return;
    isLimitReached = includedLines > limits.lines || includedBytes > limits.bytes;
    if (isLimitReached) return;
    const text = open.tooLarge ? '' : Buffer.concat(open.hunkLines).toString('utf8');
    const header = text === '' || open.binary ? '' : open.header;
    files.push(
      toFileDiff(open.entry, { text, header, binary: open.binary, tooLarge: open.tooLarge, collapsed: false }),
    );
    open = null;
  }

  return {
    write(chunk) {
      bytesRead += chunk.length;
      unparsed = unparsed.length === 0 ? chunk : Buffer.concat([unparsed, chunk]);
      if (isInRawPart && readFields()) isInRawPart = false;
      if (!isInRawPart) readLines();
      if (bytesRead > Math.min(limits.bytes * MAX_READ_RATIO, MAX_READ_BYTES)) isLimitReached = true;
      return !isLimitReached;
    },
    end() {
      if (!isLimitReached) finishFile();
      for (const entry of entries.slice(files.length)) {
        files.push(
          toFileDiff(entry, { text: '', header: '', binary: false, tooLarge: false, collapsed: isLimitReached }),
        );
      }
      return { files, overflow };
    },
  };
}

type FileDiffContent = Pick<FileDiff, 'text' | 'header' | 'binary' | 'tooLarge' | 'collapsed'>;

function toFileDiff(entry: RawEntry, content: FileDiffContent): FileDiff {
  return {
    oldPath: entry.oldPath,
    newPath: entry.newPath,
    aMode: entry.aMode,
    bMode: entry.bMode,
    newFile: entry.status === 'A',
    renamedFile: entry.status === 'R',
    deletedFile: entry.status === 'D',
    ...content,
  };
}

/** Parses `:100644 100755 <id> <id> R90`, then one path or two. */
function parseRawEntry(fields: readonly string[], status: string): RawEntry {
  const [aMode = '', bMode = ''] = fields[0]!.slice(1).split(' ');
  const oldPath = fields[1]!;
  return { aMode: normalizeMode(aMode), bMode: normalizeMode(bMode), oldPath, newPath: fields[2] ?? oldPath, status };
}

function normalizeMode(text: string): string {
  return text === '000000' ? '0' : text;
}

function splitTypeChange(entry: RawEntry): RawEntry[] {
  return [
    { ...entry, bMode: '0', status: 'D' },
    { ...entry, aMode: '0', status: 'A' },
  ];
}
