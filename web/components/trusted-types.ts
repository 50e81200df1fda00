/**
 * Returns a policy of Trusted Types: only its results may become HTML or URLs of scripts. The server's Content-Security-Policy lists the
 * names. Browsers without Trusted Types get the rules themselves.
 */
export function createTrustedTypesPolicy<Rules extends TrustedTypesPolicyRules>(name: string, rules: Rules): Rules {
  return typeof trustedTypes === 'undefined' ? rules : trustedTypes.createPolicy(name, rules);
}
