import type { Scope } from './access-tokens.ts';

/**
 * What each scope allows an application to do, for the consent page and the documentation (contract/conventions.md §7
 * "Scopes").
 */
export const SCOPE_DESCRIPTIONS: Readonly<Record<Scope, string>> = {
  api: 'do everything that you may do',
  read_api: 'read everything that you may read',
  read_user: 'read your profile and those of others',
  create_runner: 'create runners',
  manage_runner: 'manage your runners',
  k8s_proxy: 'reach your Kubernetes clusters',
  self_rotate: 'renew its own token',
  read_repository: 'read your repositories',
  write_repository: 'read and change your repositories',
  read_registry: 'read your container images',
  write_registry: 'change your container images',
  read_virtual_registry: 'read your virtual registries',
  write_virtual_registry: 'change your virtual registries',
  read_observability: 'read your observability data',
  write_observability: 'change your observability data',
  ai_features: 'use AI features for you',
  sudo: 'act as any user, if you are an administrator',
  admin_mode: 'act as an administrator, if you are one',
  read_service_ping: 'read usage figures of this server',
};

/** Scopes of OpenID Connect, which only OAuth applications have. They allow nothing else. */
export const IDENTITY_SCOPES: ReadonlyMap<string, string> = new Map([
  ['openid', 'know who you are'],
  ['profile', 'read your name and user name'],
  ['email', 'read your email address'],
]);

export function describeScope(scope: string): string {
  return IDENTITY_SCOPES.get(scope) ?? SCOPE_DESCRIPTIONS[scope as Scope];
}
