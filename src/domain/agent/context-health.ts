/** The tokens in the context of an agent's model, and the size of its window. */
export interface ContextUse {
  readonly tokens: number
  readonly window: number
  /** True if the CLI does not report it, so that it is estimated from the output. */
  readonly estimated: boolean
}

export interface ContextHealth extends ContextUse {
  readonly percent: number
}

/** From here on a context counts as crowded (percent of its window). */
const CROWDED_FROM = 70

/** Tokens of a context above which it is compressed (seed 001). */
export const COMPRESS_ABOVE = 140_000

/** The estimated number of tokens in a text: a quarter of its characters. */
export const estimatedTokens = (characters: number): number => Math.ceil(characters / 4)

export const contextHealth = (use: ContextUse): ContextHealth => ({
  ...use,
  percent: Math.round((use.tokens / use.window) * 100),
})

export const isCrowded = ({ percent }: ContextHealth): boolean => percent >= CROWDED_FROM

export const needsCompression = ({ tokens }: ContextHealth): boolean => tokens > COMPRESS_ABOVE

/** `72% ⚠`, `~12%` if it is estimated; empty if it is unknown. */
export const contextMark = (health: ContextHealth | null): string =>
  health === null ? '' : `${health.estimated ? '~' : ''}${health.percent}%${isCrowded(health) ? ' ⚠' : ''}`

/** `143k of 200k (72%) ⚠, compression suggested: aiswarm memory compress --tokens 143000`. */
export const contextWords = (health: ContextHealth): string =>
  [
    `${health.estimated ? '~' : ''}${thousands(health.tokens)} of ${thousands(health.window)} (${health.percent}%)${isCrowded(health) ? ' ⚠' : ''}`,
    ...(needsCompression(health) ? [`compression suggested: aiswarm memory compress --tokens ${health.tokens}`] : []),
  ].join(', ')

const thousands = (tokens: number): string => (tokens < 1000 ? String(tokens) : `${Math.round(tokens / 1000)}k`)
