import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type InkOutput, keepingRows, type Transformer } from '../../../src/ui/frames/kept-rows.ts'

type OutputClass = Parameters<typeof keepingRows>[0]

// Ink does not offer it; the bundle takes it from the same file.
const inkFolder = dirname(createRequire(import.meta.url).resolve('ink'))
const { default: Output } = (await import(pathToFileURL(join(inkFolder, 'output.js')).href)) as { default: OutputClass }

type Step = (output: InkOutput) => void

const styles: readonly Transformer[] = [
  (line) => `\u001b[31m${line}\u001b[39m`,
  (line) => `\u001b[1m${line}\u001b[22m`,
  (line) => `\u001b[2m${line}\u001b[22m`,
  (line, index) => (index === 0 ? line : `\u001b[7m${line}\u001b[27m`),
]

const piece = fc.constantFrom(
  'task',
  ' ',
  '│',
  '日本',
  '👍',
  'é',
  '⚑',
  '\u001b[32mgreen\u001b[39m',
  '\u001b[1mbold \u001b[31mred\u001b[39m\u001b[22m',
  '\u001b[4mopen',
  '',
  '█▇',
  'e\u0301',
)
const line = fc.array(piece, { maxLength: 5 }).map((parts) => parts.join(''))
const text = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n'))
const column = fc.integer({ min: -4, max: 24 })
const edge = fc.option(column, { nil: undefined })

const write = fc.record({ x: column, y: column, text, styled: fc.subarray([...styles], { maxLength: 2 }) }).map(
  ({ x, y, text, styled }): Step =>
    (output) =>
      output.write(x, y, text, { transformers: styled }),
)
const clipped = (inner: fc.Arbitrary<Step[]>): fc.Arbitrary<Step> =>
  fc.record({ x1: edge, x2: edge, y1: edge, y2: edge, inner }).map(({ inner, ...clip }): Step => (output) => {
    // Ink clips an axis on both sides or not at all.
    const horizontally = clip.x1 !== undefined && clip.x2 !== undefined ? { x1: clip.x1, x2: clip.x2 } : { x1: undefined, x2: undefined }
    const vertically = clip.y1 !== undefined && clip.y2 !== undefined ? { y1: clip.y1, y2: clip.y2 } : { y1: undefined, y2: undefined }
    output.clip({ ...horizontally, ...vertically })
    for (const step of inner) step(output)
    output.unclip()
  })
const frame = fc.array(fc.oneof(write, clipped(fc.array(fc.oneof(write, clipped(fc.array(write, { maxLength: 3 }))), { maxLength: 4 }))), { maxLength: 8 })

const drawn = (Class: OutputClass, steps: readonly Step[], size: { width: number; height: number }): ReturnType<InkOutput['get']> => {
  const output = new Class(size)
  for (const step of steps) step(output)
  return output.get()
}

it('every frame is what Ink itself would have drawn, whatever was drawn before', () => {
  const Kept = keepingRows(Output)
  const size = fc.record({ width: fc.integer({ min: 1, max: 20 }), height: fc.integer({ min: 1, max: 12 }) })
  fc.assert(
    fc.property(fc.array(frame, { minLength: 1, maxLength: 3 }), size, (frames, size) => {
      for (const steps of [...frames, ...frames]) expect(drawn(Kept, steps, size)).toEqual(drawn(Output, steps, size))
    }),
    { numRuns: 400 },
  )
})

it('a row is put together once, and again where anything in it is another', () => {
  let rows = 0
  const Counted: OutputClass = class extends Output {
    constructor(options: { width: number; height: number }) {
      super(options)
      rows++
    }
  }
  const Kept = keepingRows(Counted)
  const plain = (output: InkOutput, texts: readonly string[]): void => texts.forEach((text, y) => output.write(0, y, text, { transformers: [styles[0]!] }))
  const frame = (texts: readonly string[]): number => {
    const before = rows
    drawn(Kept, [(output) => plain(output, texts)], { width: 20, height: 4 })
    return rows - before
  }
  expect([frame(['a', 'b', 'c', 'd']), frame(['a', 'b', 'c', 'd']), frame(['a', 'x', 'c', 'd']), frame(['b', 'a', 'c', 'd'])]).toEqual([4, 0, 1, 1])
})
