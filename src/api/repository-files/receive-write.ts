import type { Project } from '../../access/projects.ts';
import type { Database, Reader } from '../../database/database.ts';
import { MEBIBYTE } from '../../http/body.ts';
import type { Incoming } from '../../http/incoming.ts';
import type { Spills } from '../../http/spilled-text.ts';
import type { SignedIn } from '../../identity/caller.ts';
import { applicationLimit } from '../../limits/application-limit.ts';
import { isRefused, type Refused, refused } from '../../refused.ts';
import { mayCommitTo } from '../../repositories/push-permission.ts';
import { readSettings } from '../../settings/settings.ts';
import { type BodyRefusal, readLateBody } from './body.ts';
import { type FieldRefusal, readFields, type WriteFields } from './fields.ts';
import type { FileWrite } from './write.ts';

interface WriteCall {
  readonly database: Database;
  readonly db: Reader;
  readonly project: Project;
  readonly caller: SignedIn;
  readonly request: Incoming;
  readonly params: { readonly file_path: string };
}

type ReceiveRefusal = BodyRefusal | FieldRefusal | 'notAllowed' | 'tooMany' | 'readOnly';

/** The body of POST and PUT, read and checked in the contract's order: fields, permission, read-only. */
export async function receiveWrite(
  call: WriteCall,
  spills: Spills,
): Promise<(FileWrite & WriteFields) | Refused<ReceiveRefusal>> {
  const { db, project, caller, request, params } = call;
  const limited = await largeBodyLimit(call);
  if (limited !== null) return limited;
  const { max_commit_request_bytes: limit } = await readSettings(db);
  const given = await readLateBody(request, { spills, limit });
  if (isRefused(given)) return given;
  const fields = await readFields(given, spills);
  if (isRefused(fields)) return fields;
  if (!(await mayCommitTo(db, caller, project, fields.branch))) return refused('notAllowed');
  if (project.read_only) return refused('readOnly');
  return { ...fields, project, caller, path: params.file_path };
}

/** Bodies over 20 MiB: three in 30 seconds of one user. */
export async function largeBodyLimit({
  database,
  caller,
  request,
}: Pick<WriteCall, 'database' | 'caller' | 'request'>) {
  if (Number(request.headers['content-length'] ?? 0) <= 20 * MEBIBYTE) return null;
  return applicationLimit(database, { name: 'large_commit', subject: caller.user.id, limit: 3, periodSeconds: 30 });
}
