// The context windows of models whose CLI does not report them (tokens), from the tables of Qwen Code 0.15.10 and
// Gemini CLI 0.61.0. The first match counts; a provider's name may precede the model's.
const windows: readonly (readonly [RegExp, number])[] = [
  [/\[1m\]$/, 1_000_000],
  [/^claude/, 200_000],
  [/^(?:opus|sonnet|haiku)\b/, 200_000],
  [/^gemini-/, 1_048_576],
  [/^gpt-5/, 272_000],
  [/^gpt-/, 128_000],
  [/^o\d/, 200_000],
  [/^qwen3-coder-(?:plus|flash)|^qwen3\.\d|^coder-model$/, 1_000_000],
  [/^qwen/, 262_144],
  [/^deepseek-v4/, 1_000_000],
  [/^deepseek/, 131_072],
]

/** Defaults for an unknown model; 200,000 is seed 001's number. */
const ofKinds: Readonly<Record<string, number>> = { codex: 272_000, gemini: 1_048_576, qwen: 131_072 }
const DEFAULT_WINDOW = 200_000

/** The context window of an agent's model (tokens). */
export const windowOf = (kind: string, model: string | null): number => {
  const name = (model ?? '').toLowerCase().replace(/^.*\//, '')
  return windows.find(([pattern]) => pattern.test(name))?.[1] ?? ofKinds[kind] ?? DEFAULT_WINDOW
}
