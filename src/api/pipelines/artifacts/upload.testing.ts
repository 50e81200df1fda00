import type { Answer, Caller } from '#test/support/caller.ts';

interface Wish {
  readonly content?: Buffer | string;
  readonly filename?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the file's part. */
  readonly name?: string;
  readonly query?: string;
}

const LINE = '\r\n';

/** A multipart body as runners send it: the fields, then the file. */
export function multipart({ content = 'PK', filename = 'artifacts.zip', fields = {}, name = 'file' }: Wish): Buffer {
  const disposition = 'Content-Disposition: form-data; name=';
  const before = Object.entries(fields).map(
    ([field, value]) => `--edge${LINE}${disposition}"${field}"${LINE}${LINE}${value}${LINE}`,
  );
  const file = `--edge${LINE}${disposition}"${name}"; filename="${filename}"${LINE}Content-Type: application/octet-stream${LINE}${LINE}`;
  return Buffer.concat([
    Buffer.from(before.join('') + file),
    Buffer.from(content),
    Buffer.from(`${LINE}--edge--${LINE}`),
  ]);
}

export const MULTIPART = { 'Content-Type': 'multipart/form-data; boundary=edge' };

/** Sends a file of a job as its runner does. */
export function sendArtifact(
  by: Caller,
  job: { readonly id: number; readonly headers: Readonly<Record<string, string>> },
  { query = '', headers = {}, ...wish }: Wish = {},
): Promise<Answer> {
  return by.send('POST', `/jobs/${job.id}/artifacts${query}`, {
    raw: multipart(wish),
    headers: { ...job.headers, ...MULTIPART, ...headers },
  });
}
