import type { Generated } from 'kysely';

/** Whom groups trust (contract/operations.md "Data model"). */
export interface SshCertificatesTables {
  ssh_certificates: SshCertificatesTable;
}

interface SshCertificatesTable {
  id: Generated<number>;
  /** One at the top. */
  group_id: number;
  title: string;
  /** As it was sent, with its comment. */
  key: string;
  /** SHA-256 of the key without its comment. */
  fingerprint: string;
  created_at: string;
}
