import { findIngestionLimits } from '#domain/error-tracking.ts';
import { type Access, type AccessCall, access } from '#http/access/access.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { keyInDsn, keyOf } from './client-key.ts';
import { SENDER_REFUSALS, senderFailure } from './errors.ts';

/** Who sends a report, as far as anybody knows it: a project, by one of its keys, that takes reports. */
export interface ReportSender {
  readonly projectId: number;
  readonly key: string;
}

/** Asks for the sender of a report; one without a key outside of it is known by the DSN that stands in it. */
export interface ToAdmit {
  readonly admit: (dsn: unknown) => Promise<ReportSender | Failure<'unauthenticated' | 'rejected'>>;
}

const noCheck = () => {};

/** By a client key of the project `:project_id`. Whose key stands in header or query is refused before his body is read. */
export const byClientKey = (kind: 'store' | 'envelope'): Access<ToAdmit> =>
  access({
    audience: 'key',
    label: 'client key',
    authenticate: noCheck,
    authorize: noCheck,
    async load(call) {
      const key = keyOf(call.request);
      const sender = key === null ? null : await senderBy(call, key);
      if (key !== null && sender === null) throw senderFailure('rejected');
      if (key === null && kind === 'store') throw senderFailure('unauthenticated');
      return { admit: async (dsn: unknown) => sender ?? senderByDsn(call, dsn) };
    },
  }).withErrors(SENDER_REFUSALS);

async function senderByDsn(call: AccessCall, dsn: unknown): ReturnType<ToAdmit['admit']> {
  const named = keyInDsn(dsn);
  if (named === null) return fail('unauthenticated');
  const sender = named.project === call.path.project_id ? await senderBy(call, named.key) : null;
  return sender ?? fail('rejected');
}

async function senderBy({ services, db, path }: AccessCall, key: string): Promise<ReportSender | null> {
  const projectId = /^\d{1,15}$/.test(path.project_id ?? '') ? Number(path.project_id) : null;
  // No key has another form, and PostgreSQL looks for no NUL.
  if (projectId === null || !/^\w{1,100}$/.test(key)) return null;
  const reporting = await findIngestionLimits(db, { projectId, key, tier: services.config.tier });
  return reporting && { projectId, key };
}
