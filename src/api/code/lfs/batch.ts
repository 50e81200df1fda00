import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Reader } from '../../../database/database.ts';
import { HttpRefusal } from '../../../http/refusals/refusal.ts';
import { parseJson } from '../../../http/request/json-body.ts';
import { linkedObjects } from '../../../repositories/lfs-objects.ts';

const Oid = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** What a git-lfs client asks for in one go. */
const BatchRequest = Type.Object({
  operation: Type.Union([Type.Literal('upload'), Type.Literal('download')]),
  objects: Type.Array(Type.Object({ oid: Oid, size: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) }), {
    maxItems: 10_000,
  }),
});

export type Batch = Static<typeof BatchRequest>;

/** null: it is no batch request. */
export async function parseBatch(bytes: Buffer): Promise<Batch | null> {
  try {
    const value = await parseJson(bytes);
    return Value.Check(BatchRequest, value) ? value : null;
  } catch (error) {
    if (error instanceof HttpRefusal) return null;
    throw error;
  }
}

export interface Transfer {
  /** The repository's address, with `.git`. */
  readonly repositoryUrl: string;
  /** The client's own credentials, for its next calls. */
  readonly authorization: string | undefined;
}

/** One entry for each asked object: where to send or get it, nothing to do, or that it is not here. */
export async function answerBatch(db: Reader, projectId: number, { operation, objects }: Batch, transfer: Transfer) {
  const oids = objects.map(({ oid }) => oid);
  const linked = await linkedObjects(db, projectId, oids);
  return objects.map(({ oid, size }) => {
    const stored = linked.get(oid);
    if (operation === 'upload') {
      return stored ? { oid, size } : { oid, size, actions: { upload: action(transfer, `${oid}/${size}`) } };
    }
    if (stored === undefined) return { oid, size, error: { code: 404, message: 'Object does not exist' } };
    return { oid, size: stored.size, actions: { download: action(transfer, oid) } };
  });
}

function action({ repositoryUrl, authorization }: Transfer, tail: string) {
  const href = `${repositoryUrl}/gitlab-lfs/objects/${tail}`;
  return authorization === undefined ? { href } : { href, header: { Authorization: authorization } };
}
