import type { Caller, TestResponse } from '#test/support/caller.ts';

interface UploadInput {
  readonly content?: Buffer | string;
  readonly filename?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Field name of the file part. */
  readonly name?: string;
  readonly query?: string;
}

const CRLF = '\r\n';

/** Builds the multipart body that a runner sends: the fields, then the file. */
export function buildMultipartBody({
  content = 'PK',
  filename = 'artifacts.zip',
  fields = {},
  name = 'file',
}: UploadInput): Buffer {
  const disposition = 'Content-Disposition: form-data; name=';
  const fieldParts = Object.entries(fields).map(
    ([field, value]) => `--edge${CRLF}${disposition}"${field}"${CRLF}${CRLF}${value}${CRLF}`,
  );
  const filePartHeader = `--edge${CRLF}${disposition}"${name}"; filename="${filename}"${CRLF}Content-Type: application/octet-stream${CRLF}${CRLF}`;
  return Buffer.concat([
    Buffer.from(fieldParts.join('') + filePartHeader),
    Buffer.from(content),
    Buffer.from(`${CRLF}--edge--${CRLF}`),
  ]);
}

export const MULTIPART_HEADERS = { 'Content-Type': 'multipart/form-data; boundary=edge' };

/** Uploads an artifact of a job as its runner. */
export function sendArtifact(
  caller: Caller,
  job: { readonly id: number; readonly headers: Readonly<Record<string, string>> },
  { query = '', headers = {}, ...upload }: UploadInput = {},
): Promise<TestResponse> {
  return caller.send('POST', `/jobs/${job.id}/artifacts${query}`, {
    raw: buildMultipartBody(upload),
    headers: { ...job.headers, ...MULTIPART_HEADERS, ...headers },
  });
}
