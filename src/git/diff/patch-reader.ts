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

interface RawEntry {
  aMode: string;
  bMode: string;
  oldPath: string;
  newPath: string;
  status: string;
}

interface OpenFile {
  entry: RawEntry;
  header: string;
  hunks: Buffer[];
  bytes: number;
  inHunks: boolean;
  binary: boolean;
  tooLarge: boolean;
}

const NEWLINE = 0x0a;
/** Ratio of bytes read to bytes included after which git is stopped. Files that are too large are read but discarded. */
const MAX_READ_RATIO = 16;

/** Parses the output of `git diff-tree -z --raw --patch` in chunks. */
interface PatchReader {
  /** Returns false when a limit is reached and further output would change nothing. */
  write(chunk: Buffer): boolean;
  end(): Diff;
}

export function createPatchReader(limits: DiffLimits): PatchReader {
  const entries: RawEntry[] = [];
  const files: FileDiff[] = [];
  let overflow = false;
  let inRaw = true;
  let rest: Buffer = Buffer.alloc(0);
  let fields: string[] = [];
  let open: OpenFile | null = null;
  let lines = 0;
  let bytesKept = 0;
  let bytesRead = 0;
  let full = false;
  let inEndlessLine = false;

  function addField(field: string): void {
    fields.push(field);
    const status = fields[0]!.slice(fields[0]!.lastIndexOf(' ') + 1);
    const twoPaths = status.startsWith('R') || status.startsWith('C');
    if (fields.length < (twoPaths ? 3 : 2)) return;
    addEntry(parseRawEntry(fields, status[0]!));
    fields = [];
  }

  function addEntry(entry: RawEntry): void {
    // A type change (a file became a link) has two patches: a deletion and a creation.
    const parts = entry.status === 'T' ? splitTypeChange(entry) : [entry];
    for (const part of parts) {
      if (entries.length < limits.files) entries.push(part);
      else overflow = true;
    }
  }

  /** Parses fields up to the empty one that ends the raw part; true if it was found. */
  function readFields(): boolean {
    for (;;) {
      const end = rest.indexOf(0);
      if (end < 0) return false;
      const field = rest.toString('utf8', 0, end);
      rest = rest.subarray(end + 1);
      if (field === '') return true;
      addField(field);
    }
  }

  function readLines(): void {
    for (;;) {
      const end = rest.indexOf(NEWLINE);
      if (full) return;
      if (end < 0) {
        forgetEndlessLine();
        return;
      }
      if (inEndlessLine) inEndlessLine = false;
      else addLine(rest.subarray(0, end + 1));
      rest = rest.subarray(end + 1);
    }
  }

  /** A line longer than the file limit makes the file too large. Its bytes are discarded. */
  function forgetEndlessLine(): void {
    if (!inEndlessLine && (open === null || rest.length <= limits.fileBytes)) return;
    if (!inEndlessLine && open !== null) keep(open, rest);
    inEndlessLine = true;
    rest = Buffer.alloc(0);
  }

  function addLine(line: Buffer): void {
    // Lines of hunks begin with a space, + - \ or @, so this line starts the next file.
    if (line[0] === 0x64 && line.toString('latin1', 0, 11) === 'diff --git ') {
      finishFile();
      if (!full) openFile();
    } else if (open !== null) {
      addLineOf(open, line);
    }
  }

  function openFile(): void {
    const entry = entries[files.length];
    if (entry === undefined) {
      full = true;
      return;
    }
    open = { entry, header: '', hunks: [], bytes: 0, inHunks: false, binary: false, tooLarge: false };
  }

  function addLineOf(file: OpenFile, line: Buffer): void {
    if (!file.inHunks) {
      const begin = line.toString('latin1', 0, 13);
      if (begin.startsWith('--- ') || begin.startsWith('+++ ')) {
        file.header += line.toString('utf8');
        return;
      }
      file.binary = begin === 'Binary files ';
      file.inHunks = file.binary || begin.startsWith('@@ ');
      if (!file.inHunks) return;
    }
    keep(file, line);
  }

  function keep(file: OpenFile, line: Buffer): void {
    file.bytes += line.length;
    if (file.bytes > limits.fileBytes) {
      file.tooLarge = true;
      lines -= file.hunks.length;
      bytesKept -= file.hunks.reduce((sum, hunk) => sum + hunk.length, 0);
      file.hunks = [];
      return;
    }
    if (file.tooLarge) return;
    lines += 1;
    bytesKept += line.length;
    file.hunks.push(line);
  }

  /** A file counts towards the total limits only at its end: a too large file counts nothing. */
  function finishFile(): void {
    if (open === null) return;
    full = lines > limits.lines || bytesKept > limits.bytes;
    if (full) return;
    const text = open.tooLarge ? '' : Buffer.concat(open.hunks).toString('utf8');
    const header = text === '' || open.binary ? '' : open.header;
    files.push(
      toFileDiff(open.entry, { text, header, binary: open.binary, tooLarge: open.tooLarge, collapsed: false }),
    );
    open = null;
  }

  return {
    write(chunk) {
      bytesRead += chunk.length;
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      if (inRaw && readFields()) inRaw = false;
      if (!inRaw) readLines();
      if (bytesRead > limits.bytes * MAX_READ_RATIO) full = true;
      return !full;
    },
    end() {
      if (!full) finishFile();
      for (const entry of entries.slice(files.length)) {
        files.push(toFileDiff(entry, { text: '', header: '', binary: false, tooLarge: false, collapsed: full }));
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

/** `:100644 100755 <id> <id> R90`, then one path or two. */
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
