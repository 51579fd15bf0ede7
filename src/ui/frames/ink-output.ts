// The part of Ink that assembles frames.

/** The part of Ink's `Output` that is used here. */
export interface InkOutput {
  width: number
  height: number
  write(x: number, y: number, text: string, options: { transformers: Transformer[] }): void
  clip(clip: Clip): void
  unclip(): void
  get(): { output: string; height: number }
}

export type Transformer = (line: string, index: number) => string

export interface Clip {
  readonly x1: number | undefined
  readonly x2: number | undefined
  readonly y1: number | undefined
  readonly y2: number | undefined
}

export type InkOutputClass = new (options: { width: number; height: number }) => InkOutput
