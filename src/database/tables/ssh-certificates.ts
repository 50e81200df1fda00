import type { Generated } from 'kysely';

/** SSH certificate authorities that groups trust (contract/operations.md "Data model"). */
export interface SshCertificatesTables {
  ssh_certificates: SshCertificatesTable;
}

interface SshCertificatesTable {
  id: Generated<number>;
  /** A top-level group. */
  group_id: number;
  title: string;
  /** The public key as it was sent, with its comment. */
  key: string;
  /** SHA-256 of the key without its comment. */
  fingerprint: string;
  created_at: string;
}
