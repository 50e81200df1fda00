import type { Project } from '../../../access/projects.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { mayCommitTo } from '../../../repositories/push-permission.ts';
import { type BodyCall, type BodyRefusal, withLateBody } from './body.ts';
import { type FieldRefusal, readFields, type WriteFields } from './fields.ts';
import type { FileWrite } from './write.ts';

interface WriteCall extends BodyCall {
  readonly project: Project;
  readonly params: { readonly file_path: string };
}

type ReceiveRefusal = BodyRefusal | FieldRefusal | 'notAllowed' | 'readOnly';

/** The body of POST and PUT, read and checked in the contract's order: fields, permission, read-only; then the work. */
export function receiveWrite<Result>(
  call: WriteCall,
  work: (write: FileWrite & WriteFields) => Promise<Result>,
): Promise<Result | Refused<ReceiveRefusal>> {
  const { db, project, caller, params } = call;
  return withLateBody<Result | Refused<ReceiveRefusal>>(call, async (given) => {
    const fields = await readFields(given);
    if (isRefused(fields)) return fields;
    if (!(await mayCommitTo(db, caller, project, fields.branch))) return refused('notAllowed');
    if (project.read_only) return refused('readOnly');
    return work({ ...fields, project, caller, path: params.file_path });
  });
}
