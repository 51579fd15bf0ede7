import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type InkOutput, keepingRows, type Transformer } from '../../../src/ui/frames/kept-rows.ts'

type OutputClass = Parameters<typeof keepingRows>[0]

// Ink does not export it; the bundle takes it from the same file.
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
  '\u001b[39mended',
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
    const horizontally =
      clip.x1 !== undefined && clip.x2 !== undefined ? { x1: clip.x1, x2: clip.x2 } : { x1: undefined, x2: undefined }
    const vertically =
      clip.y1 !== undefined && clip.y2 !== undefined ? { y1: clip.y1, y2: clip.y2 } : { y1: undefined, y2: undefined }
    output.clip({ ...horizontally, ...vertically })
    for (const step of inner) step(output)
    output.unclip()
  })
const frame = fc.array(
  fc.oneof(write, clipped(fc.array(fc.oneof(write, clipped(fc.array(write, { maxLength: 3 }))), { maxLength: 4 }))),
  { maxLength: 8 },
)

const drawn = (
  Class: OutputClass,
  steps: readonly Step[],
  size: { width: number; height: number },
): ReturnType<InkOutput['get']> => {
  const output = new Class(size)
  for (const step of steps) step(output)
  return output.get()
}

/** The same cells with the fewest codes: texts that were drawn separately end their styles and start them again. */
const cells = ({ output, height }: ReturnType<InkOutput['get']>): ReturnType<InkOutput['get']> =>
  drawn(Output, [(whole) => output.split('\n').forEach((row, y) => whole.write(0, y, row, { transformers: [] }))], {
    width: 1,
    height,
  })

it('every frame equals the one that Ink itself would draw, whatever was drawn before', () => {
  const Kept = keepingRows(Output)
  const size = fc.record({ width: fc.integer({ min: 1, max: 20 }), height: fc.integer({ min: 1, max: 12 }) })
  fc.assert(
    fc.property(fc.array(frame, { minLength: 1, maxLength: 3 }), size, (frames, size) => {
      for (const steps of [...frames, ...frames])
        expect(cells(drawn(Kept, steps, size))).toEqual(cells(drawn(Output, steps, size)))
    }),
    { numRuns: 400 },
  )
})

it('a text is drawn once, wherever it moves, and again if it changes', () => {
  let drawings = 0
  const Counted: OutputClass = class extends Output {
    override get(): ReturnType<InkOutput['get']> {
      drawings++
      return super.get()
    }
  }
  const Kept = keepingRows(Counted)
  const frame = (rows: readonly (readonly string[])[]): number => {
    const before = drawings
    const step = (output: InkOutput): void =>
      rows.forEach((texts, y) =>
        texts.forEach((text, at) => output.write(at * 6, y, text, { transformers: [styles[0]!] })),
      )
    expect(drawn(Kept, [step], { width: 20, height: 4 })).toEqual(drawn(Output, [step], { width: 20, height: 4 }))
    return drawings - before
  }
  const scrolled = [
    ['乙', '左'],
    ['丙', '右'],
    ['丁', '左'],
    ['戊', '右'],
  ]
  expect([
    frame([
      ['甲', '左'],
      ['乙', '右'],
      ['丙', '左'],
      ['丁', '右'],
    ]),
    frame(scrolled),
    frame(scrolled),
  ]).toEqual([6, 1, 0])
})

it('overlapping texts are drawn together', () => {
  const Kept = keepingRows(Output)
  const over =
    (from: number): Step =>
    (output) => {
      output.write(2, 0, 'underneath', { transformers: [] })
      output.write(from, 0, 'above', { transformers: [styles[1]!] })
    }
  for (const from of [12, 11, 4, 0])
    expect(drawn(Kept, [over(from)], { width: 20, height: 1 })).toEqual(
      drawn(Output, [over(from)], { width: 20, height: 1 }),
    )
})

it('a lone combining mark is visible where Ink shows it', () => {
  const Kept = keepingRows(Output)
  for (const text of ['\u0301', '\u0301abc', 'abc\u001b[31m\u20dd\u001b[39m', 'a\u001b[1m\u0301\u001b[22mbc']) {
    const within =
      (x2: number | undefined): Step =>
      (output) => {
        output.clip({ x1: x2 === undefined ? undefined : 2, x2, y1: undefined, y2: undefined })
        output.write(2, 0, text, { transformers: [] })
        output.unclip()
      }
    for (const edge of [undefined, 12])
      expect(cells(drawn(Kept, [within(edge)], { width: 20, height: 1 }))).toEqual(
        cells(drawn(Output, [within(edge)], { width: 20, height: 1 })),
      )
  }
})
