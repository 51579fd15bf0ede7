// Secrets must not stand where people and other agents read: logs, errors, dry runs.

const mask = '••••••'

/** Names of variables whose values are nobody else's business. */
const secretName = /TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH/i

/** The shapes of well-known keys: Anthropic and OpenAI, GitHub, GitLab, Google, Slack, AWS, JSON web tokens, bearer headers. */
const shapes = [
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\bAIza[\w-]{30,}/g,
  /\bxox[abposr]-[\w-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g,
  /(?<=\bBearer\s+)[\w.~+/-]{16,}=*/gi,
]

export const isSecretName = (name: string): boolean => secretName.test(name)

/** The text without what looks like a key, and without these values. */
export const maskSecrets = (text: string, values: readonly string[] = []): string => {
  const known = values.filter((value) => value.length >= 8).reduce((masked, value) => masked.replaceAll(value, mask), text)
  return shapes.reduce((masked, shape) => masked.replace(shape, mask), known)
}

/** An environment as it may be shown. */
export const maskEnvironment = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, isSecretName(name) ? mask : maskSecrets(value)]))
