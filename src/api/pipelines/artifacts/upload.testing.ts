import type { Answer, Caller } from '#test/support/caller.ts';

interface UploadInput {
  readonly content?: Buffer | string;
  readonly filename?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The field name of the file part. */
  readonly name?: string;
  readonly query?: string;
}

const CRLF = '\r\n';

/** Builds a multipart body like a runner: the fields, then the file. */
export function multipart({
  content = 'PK',
  filename = 'artifacts.zip',
  fields = {},
  name = 'file',
}: UploadInput): Buffer {
  const disposition = 'Content-Disposition: form-data; name=';
  const before = Object.entries(fields).map(
    ([field, value]) => `--edge${CRLF}${disposition}"${field}"${CRLF}${CRLF}${value}${CRLF}`,
  );
  const file = `--edge${CRLF}${disposition}"${name}"; filename="${filename}"${CRLF}Content-Type: application/octet-stream${CRLF}${CRLF}`;
  return Buffer.concat([
    Buffer.from(before.join('') + file),
    Buffer.from(content),
    Buffer.from(`${CRLF}--edge--${CRLF}`),
  ]);
}

export const MULTIPART = { 'Content-Type': 'multipart/form-data; boundary=edge' };

/** Uploads an artifact of a job like its runner. */
export function sendArtifact(
  by: Caller,
  job: { readonly id: number; readonly headers: Readonly<Record<string, string>> },
  { query = '', headers = {}, ...wish }: UploadInput = {},
): Promise<Answer> {
  return by.send('POST', `/jobs/${job.id}/artifacts${query}`, {
    raw: multipart(wish),
    headers: { ...job.headers, ...MULTIPART, ...headers },
  });
}
