/** How much of its window an agent's model has before it now (tokens). */
export interface ContextUse {
  readonly tokens: number
  readonly window: number
  /** The CLI does not tell; reckoned by what it printed. */
  readonly estimated: boolean
}

export interface ContextHealth extends ContextUse {
  readonly percent: number
}

/** From here on a context is called crowded (percent of its window). */
export const CROWDED_FROM = 70

/** Tokens of a context above which it is compressed (seed 001). */
export const COMPRESS_ABOVE = 140_000

/** The tokens of a text whose tokens nobody counts: four characters are one. */
export const estimatedTokens = (characters: number): number => Math.ceil(characters / 4)

export const contextHealth = (use: ContextUse): ContextHealth => ({ ...use, percent: Math.round((use.tokens / use.window) * 100) })

export const isCrowded = ({ percent }: ContextHealth): boolean => percent >= CROWDED_FROM

export const needsCompression = ({ tokens }: ContextHealth): boolean => tokens > COMPRESS_ABOVE

/** `72% ⚠`, `~12%` where it is estimated; nothing where nothing is known. */
export const contextMark = (health: ContextHealth | null): string => (health === null ? '' : `${health.estimated ? '~' : ''}${health.percent}%${isCrowded(health) ? ' ⚠' : ''}`)

/** `143k of 200k (72 %) ⚠, compress suggested: aiswarm memory compress --tokens 143000`. */
export const contextWords = (health: ContextHealth): string =>
  [
    `${health.estimated ? '~' : ''}${thousands(health.tokens)} of ${thousands(health.window)} (${health.percent} %)${isCrowded(health) ? ' ⚠' : ''}`,
    ...(needsCompression(health) ? [`compress suggested: aiswarm memory compress --tokens ${health.tokens}`] : []),
  ].join(', ')

const thousands = (tokens: number): string => (tokens < 1000 ? String(tokens) : `${Math.round(tokens / 1000)}k`)
