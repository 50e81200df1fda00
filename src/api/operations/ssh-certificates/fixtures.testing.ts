import { randomBytes } from 'node:crypto';
import type { Group, World } from '#test/support/world.ts';

/** Returns a public key in the format of `ssh-keygen`, with these fields after the algorithm's name. */
export function buildSshKey(algorithm: string, ...fields: readonly (Buffer | string)[]): string {
  const bytes = [algorithm, ...fields].flatMap((field) => {
    const content = Buffer.from(field as string);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(content.length);
    return [length, content];
  });
  return `${algorithm} ${Buffer.concat(bytes).toString('base64')} ca@acme`;
}

/** Returns a random key. */
export const generateSshKey = () => buildSshKey('ssh-ed25519', randomBytes(32));

/** Creates a top-level group with the feature enabled. `list` is the API path of its certificates. */
export async function createGroupWithCertificates(world: World): Promise<Group & { readonly list: string }> {
  const group = await world.newGroup();
  await world.root.post('/features/ssh_certificates_rest_endpoints', { value: true, group: group.full_path });
  return { ...group, list: `${group.at}/ssh_certificates` };
}
