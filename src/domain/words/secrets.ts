// Masks secrets in text for people and other agents: logs, errors, dry runs.

const mask = '••••••'

/** Names of variables whose values are secret. */
const secretName = /TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH/i

/**
 * The patterns of well-known keys: Anthropic and OpenAI, GitHub, GitLab, Google, Slack, AWS, JSON web tokens, bearer
 * headers.
 */
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

/** The text without strings that look like a key, and without these values. */
export const maskSecrets = (text: string, values: readonly string[] = []): string => {
  const known = values
    .filter((value) => value.length >= 8)
    .reduce((masked, value) => masked.replaceAll(value, mask), text)
  return shapes.reduce((masked, shape) => masked.replace(shape, mask), known)
}

/**
 * The words of a command line with secrets masked, including the value of an option or variable with a secret's name.
 */
export const maskArguments = (words: readonly string[], values: readonly string[] = []): string[] =>
  words.map((word, index) => {
    const before = words[index - 1] ?? ''
    if (/^--?[\w-]+$/.test(before) && isSecretName(before) && !word.startsWith('-')) return mask
    const given = /^(-{0,2}[\w.-]+)=(.+)$/s.exec(word)
    return given && isSecretName(given[1]!) ? `${given[1]}=${mask}` : maskSecrets(word, values)
  })

/** Other signs of a secret in a file: the head of a private key, and an assignment to a name such as `password`. */
const givenAway = [
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /(?:secret|token|passw(?:or)?d|api_?key|credential|private_?key)\w*["']?\s*(?:[:=]|=>)\s*["'`](?![$<{%])[^"'`\s]{8,}["'`]/i,
  /^\s*(?:export\s+)?\w*(?:SECRET|TOKEN|PASSW(?:OR)?D|API_?KEY|CREDENTIAL)\w*=(?![$<{%"'`])[^\s#]{8,}/,
]

/** Every text with a secret contains one of these. */
const trace =
  /sk-|gh[pousr]_|github_pat_|glpat-|AIza|xox[abposr]-|AKIA|ASIA|eyJ|bearer|private.?key|passw|secret|token|api_?key|credential/gi

/**
 * The most traces in one text that are checked, and the distance between two (characters), because a text may consist
 * of them.
 */
const TRACES = 5000
const APART = 100

/** The positions in a text at which a secret may be. */
export const secretTraces = (text: string): readonly number[] => {
  const places: number[] = []
  for (const { index } of text.matchAll(trace)) {
    if (index < (places.at(-1) ?? -APART) + APART && !text.slice(places.at(-1), index).includes('\n')) continue
    if (places.push(index) >= TRACES) break
  }
  return places
}

/** True if a line contains something that looks like a key or a password. */
export const looksSecret = (line: string): boolean =>
  [...shapes, ...givenAway].some((shape) => line.search(shape) !== -1)

/** The characters around a trace that decide whether it is a secret. */
const ROUND = 300

/** True if a text contains something that looks like a key or a password. */
export const holdsSecret = (text: string): boolean =>
  secretTraces(text).some((place) => {
    const start = text.lastIndexOf('\n', place) + 1
    const end = text.indexOf('\n', place)
    return looksSecret(
      text.slice(Math.max(start, place - ROUND), Math.min(end === -1 ? text.length : end, place + 2 * ROUND)),
    )
  })

const secretFileName =
  /(?:^|\/)(?:\.env(?:\.(?!example$|sample$|template$)[^/]*)?|[^/]*\.(?:pem|key|p12|pfx|jks|keystore)|id_(?:rsa|dsa|ecdsa|ed25519)|\.(?:netrc|npmrc|pypirc|pgpass|htpasswd)|credentials(?:\.json)?)$/i

/** True if files with such a name are usually secret. */
export const isSecretFile = (path: string): boolean => secretFileName.test(path)

/** An environment with secrets masked. */
export const maskEnvironment = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, isSecretName(name) ? mask : maskSecrets(value)]),
  )
