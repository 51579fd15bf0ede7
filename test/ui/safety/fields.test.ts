import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Fixture } from '../fixture.ts'
import { families, foreignIn, hostile, madeSources, uncleanIn } from './families.ts'
import { fieldsOf } from './fields.ts'
import { openHostile } from './sources.ts'
import { type Fed, nowhere, spoken, table } from './table.ts'
import { allViews, openConsole, views, visit, writtenBesideCopies } from './views.ts'

// Every component passes through here with its props.
const elements = vi.hoisted(() => ({ see: (_type: unknown, _props: unknown): void => {} }))
vi.mock('react/jsx-dev-runtime', async (original) => {
  const real = await original<{ readonly jsxDEV: (...made: unknown[]) => unknown }>()
  return {
    ...real,
    jsxDEV: (type: unknown, props: unknown, ...rest: unknown[]) => (
      elements.see(type, props),
      real.jsxDEV(type, props, ...rest)
    ),
  }
})
vi.mock('react/jsx-runtime', async (original) => {
  const real = await original<Readonly<Record<'jsx' | 'jsxs', (...made: unknown[]) => unknown>>>()
  const seeing =
    (make: (...made: unknown[]) => unknown) =>
    (type: unknown, props: unknown, ...rest: unknown[]) => (elements.see(type, props), make(type, props, ...rest))
  return { ...real, jsx: seeing(real.jsx), jsxs: seeing(real.jsxs) }
})

const fields = fieldsOf('components')

test('the detector finds every family in the stream and in a field', () => {
  // The zero-width character that joins emoji is spelled out.
  const harmless = ['a colour']
  for (const [name, text] of Object.entries(families)) {
    expect([name, uncleanIn(`a${text}b`) === ''], name).toEqual([name, harmless.includes(name)])
    // A sequence that the console itself sends is found when it is in a field.
    if (name !== 'tab' && !['CR', 'BEL', 'OSC 9', 'OSC 11', 'OSC 777'].includes(name))
      expect([name, foreignIn(`a${text}b`) === ''], name).toEqual([name, harmless.includes(name)])
  }
})

const sizes = {
  wide: { columns: 400, rows: 60 },
  small: { columns: 60, rows: 15 },
  spoken: { columns: 120, rows: 40, environment: { INK_SCREEN_READER: '1' } },
} as const

const components = new Set([...fields.safe, ...fields.plain].map((field) => field.split('.')[0]!))

/** The required observations of a view: pairs of a field and a source. */
const pairsOf = (
  fed: Readonly<Record<string, Fed | { readonly ours: string }>>,
  view: string,
): readonly (readonly [string, string])[] =>
  Object.entries(fed).flatMap(([field, from]) =>
    'ours' in from ? [] : (from[view] ?? []).map((source) => [field, source] as const),
  )

describe('a session in which every foreign text is hostile', () => {
  let fixture: Fixture
  beforeAll(async () => void (fixture = await openHostile()))
  afterAll(() => fixture.close())

  const everywhere = new Map<string, Set<string>>()

  /** Visits all views; in the wide one, and in the spoken one, waits for the observations that the table promises. */
  const go = async (
    name: keyof typeof sizes,
  ): Promise<{
    readonly recorders: Readonly<Record<string, Recorder>>
    readonly foreign: string
    readonly missing: readonly string[]
  }> => {
    let recorder = makeRecorder(components)
    elements.see = (type, props) => recorder.see(type, props)
    const screen = openConsole(fixture, sizes[name])
    const recorders: Record<string, Recorder> = {}
    const missing: string[] = []
    await screen.shows('1')
    for (const view of views) {
      const promised = pairsOf(name === 'wide' ? table : name === 'spoken' ? spoken : {}, view.name)
      const lacks = () =>
        promised
          .filter(([field, source]) => !recorder.sources.get(field)?.has(source))
          .map(([field, source]) => `${field} of ${source} in ${view.name}`)
      await visit(screen, view, () =>
        vi
          .waitFor(() => expect(lacks()).toEqual([]), { timeout: 60_000, interval: 30 })
          .then(undefined, () => void missing.push(...lacks())),
      )
      recorders[view.name] = recorder
      for (const [field, sources] of recorder.sources)
        for (const source of sources) everywhere.set(field, (everywhere.get(field) ?? new Set()).add(source))
      recorder = makeRecorder(components)
    }
    const foreign = foreignIn(writtenBesideCopies(screen))
    await screen.close()
    return { recorders, foreign, missing }
  }

  /** EVERY=1 visits all views on a small screen and for a screen reader too; almost all texts are in the wide views. */
  const gone = (Object.keys(sizes) as (keyof typeof sizes)[]).filter(
    (size) => size === 'wide' || process.env['EVERY'] === '1',
  )

  test.each(gone)(
    "writes only the program's own sequences to a terminal, and gives every field only text: %s",
    { timeout: 500_000 },
    async (name) => {
      const { recorders, foreign, missing } = await go(name)
      const unclean = Object.entries(recorders).flatMap(([view, { unclean }]) =>
        [...unclean].map(([field, what]) => `${field} in ${view}: ${what}`),
      )
      expect(unclean).toEqual([])
      expect(foreign).toBe('')
      expect(missing).toEqual([])
    },
  )

  test("has no source that reaches a field of the program's own words", () => {
    const own = Object.entries(table).flatMap(([field, from]) => ('ours' in from ? [field] : []))
    expect(
      own
        .filter((field) => everywhere.has(field))
        .map((field) => `${field}: ${[...everywhere.get(field)!].join(', ')}`),
    ).toEqual([])
  })

  test('has only sources that are visible somewhere or listed as never shown', () => {
    const ofOtherDays = allViews
      .filter((view) => !views.includes(view))
      .flatMap(({ name }) => pairsOf(table, name).map(([, source]) => source))
    const seen = new Set([...[...everywhere.values()].flatMap((sources) => [...sources]), ...ofOtherDays])
    expect([...madeSources].filter((source) => !seen.has(source) && !(source in nowhere))).toEqual([])
    expect(hostile('goal')).toContain('\u001b[2J')
  })
})

// The props of the components while the real console draws: the hostile sources that reach each of their fields.

interface Recorder {
  /** Sources by field, such as `Board.rows[].title` and `title`. */
  readonly sources: ReadonlyMap<string, ReadonlySet<string>>
  /** Fields with a text that was not made safe, and that text. */
  readonly unclean: ReadonlyMap<string, string>
  /** Fields that were drawn with any text. */
  readonly drawn: ReadonlySet<string>
  see(type: unknown, props: unknown): void
}

const makeRecorder = (components: ReadonlySet<string>): Recorder => {
  const sources = new Map<string, Set<string>>()
  const unclean = new Map<string, string>()
  const drawn = new Set<string>()
  const text = (path: string, value: string): void => {
    if (value === '') return
    drawn.add(path)
    const dirt = uncleanIn(value)
    if (dirt !== '' && !unclean.has(path)) unclean.set(path, dirt)
    for (const [, source] of value.matchAll(/evil-([a-z]+)/g)) {
      const known = sources.get(path)
      if (known) known.add(source!)
      else sources.set(path, new Set([source!]))
    }
  }
  const look = (path: string, value: unknown): void => {
    if (typeof value === 'string') return text(path, value)
    if (Array.isArray(value)) return value.forEach((item) => look(`${path}[]`, item))
    // Elements were recorded when they were created.
    if (typeof value !== 'object' || value === null || '$$typeof' in value) return
    for (const [name, inside] of Object.entries(value)) look(`${path}.${name}`, inside)
  }
  return {
    sources,
    unclean,
    drawn,
    see: (type, props) => {
      const name = nameOf(type)
      if (components.has(name)) look(name, props)
    },
  }
}

const nameOf = (type: unknown): string => {
  if (typeof type !== 'function' && (typeof type !== 'object' || type === null)) return ''
  const { displayName, name } = type as { readonly displayName?: string; readonly name?: string }
  return displayName ?? name ?? ''
}
